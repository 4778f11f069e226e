"""Timing as in gpubench's mode cold: isolated calls, caches emptied by reading before each, the median with an interval
by order statistics. This file knows nothing of benches."""

import math
import time

import torch

MIB = 1 << 20
BLOCK = 5  # samples queued behind one blocker and one untimed call; in longer queues samples take longer


class Clock:
    """Calls a function repeatedly and returns its times in ns."""

    def __init__(self, samples, limit_s):
        self.samples, self.limit_s, self.notes, self.unlike = samples, limit_s, [], []

    def times(self, function):
        for _ in range(3):
            function()
        self.synchronize()
        times, end = [], time.monotonic() + self.limit_s
        self.notes = list(self.unlike)
        while len(times) < self.samples and (len(times) < BLOCK or time.monotonic() < end):
            times += self.block(function)
        if len(times) < self.samples:
            self.notes.append("time limit")
        return times


class CudaClock(Clock):
    """Records events around each call. Calls are queued behind a kernel that spins, so that no launch waits for the
    host."""

    def __init__(self, device, samples, limit_s):
        super().__init__(samples, limit_s)
        properties = torch.cuda.get_device_properties(device)
        self.cache_bytes = getattr(properties, "L2_cache_size", 0) or 64 * MIB
        self.flush, self.unlike = flush_of(device, properties, self.cache_bytes)
        self.cycles = 10_000_000 if hasattr(torch.cuda, "_sleep") else 0

    def synchronize(self):
        torch.cuda.synchronize()

    def block(self, function):
        blocked = self.cycles > 0
        for attempt in range(4 if blocked else 1):
            times, held = self.queue(function, blocked)
            if held or not blocked:
                return times
            self.cycles = min(4 * self.cycles, 400_000_000)
        if "not behind a blocker" not in self.notes:
            self.notes.append("not behind a blocker")
        return times

    def queue(self, function, blocked):
        starts = [torch.cuda.Event(enable_timing=True) for _ in range(BLOCK)]
        stops = [torch.cuda.Event(enable_timing=True) for _ in range(BLOCK)]
        released = torch.cuda.Event()
        if blocked:
            torch.cuda._sleep(self.cycles)
        released.record()
        self.flush()
        function()
        for start, stop in zip(starts, stops):
            self.flush()
            start.record()
            function()
            stop.record()
        held = not released.query()
        torch.cuda.synchronize()
        return [1e6 * start.elapsed_time(stop) for start, stop in zip(starts, stops)], held


def flush_of(device, properties, cache_bytes):
    """Returns a function that empties L2, and notes on the lines that it misses. An ordinary read leaves the lines that
    a kernel loaded with evict_last, which compilers use: 11 MB on an H200 that the next sample would find."""
    try:
        import flush
        read = flush.flush_of(device, properties, cache_bytes)
        read()
        torch.cuda.synchronize()
        return read, []
    except Exception as error:  # Triton is missing, or its compiler fails
        lines = torch.zeros(2 * cache_bytes // 4, dtype=torch.float32, device=device)
        sink = torch.zeros((), dtype=torch.float32, device=device)
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:80]
        return (lambda: torch.sum(lines, dim=0, out=sink)), [f"evict_last lines stay in L2: {why}"]


class CpuClock(Clock):
    """Reads the monotonic clock around each call, which returns when its work is done."""

    def __init__(self, samples, limit_s):
        super().__init__(samples, limit_s)
        self.cache_bytes = last_level_cache()
        size = min(max(4 * self.cache_bytes, 32 * MIB), 256 * MIB)
        self.lines = torch.ones(size // 4, dtype=torch.float32)

    def synchronize(self):
        pass

    def block(self, function):
        self.lines.sum()
        start = time.perf_counter_ns()
        function()
        return [time.perf_counter_ns() - start]


def last_level_cache():
    """Returns the size in bytes of the last-level cache that a thread of this process reads through, from the kernel's
    files; sysconf() returns the sum over a package."""
    import glob
    import os
    sizes = []
    for cpu in os.sched_getaffinity(0):
        for folder in glob.glob(f"/sys/devices/system/cpu/cpu{cpu}/cache/index*"):
            try:
                with open(f"{folder}/level") as level, open(f"{folder}/size") as size:
                    sizes.append((int(level.read()), int(size.read().strip().removesuffix("K")) * 1024))
            except (ValueError, OSError):
                pass
    if sizes:
        return max(sizes)[1]
    for name in ("SC_LEVEL3_CACHE_SIZE", "SC_LEVEL2_CACHE_SIZE"):
        try:
            size = os.sysconf(name)
        except (ValueError, OSError):
            size = 0
        if size > 0:
            return size
    return 16 * MIB


def median_interval(times):
    """Returns the median and the ranks that enclose it with 95% probability; None for both if samples are too few.
    Samples that depend on each other make the interval too narrow."""
    ordered, n = sorted(times), len(times)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    total, rank = 0, 0
    allowed = 0.025 * 2 ** n
    for i in range(n):
        total += math.comb(n, i)
        if total > allowed:
            break
        rank = i + 1
    if rank == 0:
        return median, None, None
    return median, ordered[rank - 1], ordered[n - rank]
