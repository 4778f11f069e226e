#!/usr/bin/env python3
"""Times PyTorch on the cases of a gpubench run and writes rows for `gpubench report RUN --foreign FILE`.

    ci/peers/pytorch.py gpubench-out/latest > torch.csv
    gpubench report gpubench-out/latest --foreign torch.csv
    ci/peers/pytorch.py --gpubench build/bin/gpubench -- --plugin attention.so     # run, peers and report in one
    ci/peers/pytorch.py --check-clock --gpubench build/bin/gpubench                # one copy through both clocks

Cases, shapes and types come from the run's results.csv, so they cannot drift. Every result is checked against
float64 before it is timed. A peer that is wrong, or not in this PyTorch, is left out with a message on stderr.
ci/peers/README.md says how peers are timed."""

import argparse
import contextlib
import csv
import fnmatch
import io
import os
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

COLUMNS = ["case_key", "variant", "mode", "median_ns", "source", "lo_ns", "hi_ns", "samples", "math", "device",
           "verify_error", "note"]
# Tolerances for math that no row of the run has.
TOLERANCES = {"fp32": 3e-6, "tf32": 2e-3, "fp16": 1e-3, "bf16": 8e-3, "fp8": 8e-2}
CLOCKS_APART = 0.005


told = {}  # (peer, reason) -> number of cases; the first one has been reported


def say(text):
    print(f"pytorch.py: {text}", file=sys.stderr, flush=True)


def say_once(peer, key, why):
    if told.setdefault((peer, why), 0) == 0:
        say(f"{key} {peer}: left out: {why}")
    told[peer, why] += 1


class Case:
    """The rows of one case of a run."""

    def __init__(self, rows):
        self.key, self.contract, self.mode = rows[0]["case_key"], rows[0]["contract"], rows[0]["mode"]
        self.backend, self.devices = rows[0]["backend"], rows[0]["devices"]
        self.axes = dict(part.split("=", 1) for part in rows[0]["axes"].split(";") if "=" in part)
        self.axes = {k: urllib.parse.unquote(v) for k, v in self.axes.items()}
        self.asked = not self.contract.startswith("gpubench.org/calibrate/")
        self.tolerances = {r["math"]: float(r["verify_tolerance"]) for r in rows if r["verify_tolerance"]}

    def tolerance(self, math_name):
        return self.tolerances.get(math_name) or TOLERANCES.get(math_name, 8e-3)


def read_cases(run):
    path = Path(run)
    path = path / "results.csv" if path.is_dir() else path
    found = {}
    try:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["case_key"], row["mode"], row["devices"]), []).append(row)
    except (OSError, KeyError, ValueError) as error:
        raise SystemExit(f"pytorch.py: {path} is no results.csv: {error}") from error
    cases = [Case(rows) for rows in found.values()]
    asked = [case for case in cases if case.asked]
    return asked or cases  # a run of calibrate alone was asked for


def device_of(torch, case):
    """Returns the device that the case ran on, found by its UUID if this PyTorch reports UUIDs, else the current one."""
    if case.backend == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise SystemExit("pytorch.py: the run is of a GPU, and this PyTorch has none")
    for i in range(torch.cuda.device_count()):
        uuid = getattr(torch.cuda.get_device_properties(i), "uuid", None)
        if uuid is not None and str(uuid) in case.devices:
            return torch.device("cuda", i)
    return torch.device("cuda", torch.cuda.current_device())


def device_name(torch, device):
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return ""


def source_of(torch, variant):
    if variant.startswith("triton"):
        import triton
        return f"Triton {triton.__version__}"
    if variant.startswith("cudnn"):
        return f"cuDNN {torch.backends.cudnn.version()}"
    return f"PyTorch {torch.__version__}"


class Timer:
    def __init__(self, options):
        self.options, self.clocks = options, {}

    def clock(self, device):
        from clocks import CpuClock, CudaClock
        if device not in self.clocks:
            o = self.options
            self.clocks[device] = (CpuClock(o.samples, o.case_time) if device.type == "cpu"
                                   else CudaClock(device, o.samples, o.case_time))
        return self.clocks[device]

    def row(self, torch, case, problem, device, peer):
        from clocks import median_interval
        variant, math_name, make = peer
        function = make()
        with torch.no_grad():
            error = problem.error(function())
            allowed = case.tolerance(math_name or problem.math)
            if not error <= allowed:
                raise ValueError(f"wrong: error {error:.2g} of {allowed:.2g} allowed")
            clock = self.clock(device)
            times = clock.times(function)
        median, lo, hi = median_interval(times)
        return {"case_key": case.key, "variant": variant, "mode": case.mode, "median_ns": f"{median:.1f}",
                "source": source_of(torch, variant), "lo_ns": "" if lo is None else f"{lo:.1f}",
                "hi_ns": "" if hi is None else f"{hi:.1f}", "samples": len(times), "math": math_name or problem.math,
                "device": device_name(torch, device), "verify_error": f"{error:.3g}", "note": "; ".join(clock.notes)}


def case_rows(torch, timer, case, options):
    """Yields the rows of one case. A failure costs one row and is reported on stderr."""
    from benches import KNOWN, Unable, first_line
    device = device_of(torch, case)
    torch.manual_seed(options.seed)
    try:
        if device.type == "cuda":
            torch.cuda.set_device(device)
            torch.cuda.empty_cache()
        problem = KNOWN[case.contract](case.axes, device)
    except (Unable, RuntimeError, MemoryError) as error:
        say(f"{case.key}: {first_line(error)}")
        return
    for peer in problem.peers:
        if not wanted(peer, options):
            continue
        try:
            row = timer.row(torch, case, problem, device, peer)
        except Exception as error:  # compilers and libraries raise exceptions of many types
            say_once(peer[0], case.key, first_line(error))
            if device.type == "cuda":
                torch.cuda.empty_cache()
            if "CUDA error" in str(error):
                raise SystemExit("pytorch.py: the device is of no more use after that") from error
        else:
            say(f"{case.key} {peer[0]}: {float(row['median_ns']) / 1e3:.2f} us")
            yield row


def wanted(peer, options):
    return any(fnmatch.fnmatch(peer[0], glob) for glob in options.variant) and \
        not (options.no_compile and peer[0].endswith("-compile"))


def compile_share(run, options):
    """Compiles every COUNT-th case, beginning with number FIRST. Errors are ignored here: they are reported when the
    case is measured."""
    from benches import KNOWN
    first, count = (int(n) for n in options.share.split("/"))
    import torch
    for case in [c for c in read_cases(run) if c.contract in KNOWN and c.mode == "cold"][first::count]:
        with contextlib.suppress(Exception), torch.no_grad():
            for name, _, make in KNOWN[case.contract](case.axes, device_of(torch, case)).peers:
                if wanted((name,), options) and name.endswith(("-compile", "triton", "triton-softmax")):
                    with contextlib.suppress(Exception):
                        make()()


def compile_ahead(run, options):
    """Fills the compilers' caches by several processes before anything is timed. Choices that a compiler makes by
    timing are made later, by the process that has the device to itself: benches.compiled() sees to that."""
    words = [sys.executable, "-B", str(Path(__file__).resolve()), str(run)]
    words += [f"--variant={glob}" for glob in options.variant] + ["--no-compile"] * options.no_compile
    alone = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    running = [subprocess.Popen(words + ["--share", f"{i}/{options.jobs}"], env=alone, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for i in range(options.jobs)]
    for process in running:
        process.wait()


def measure(run, options, out):
    cases = read_cases(run)
    if options.jobs > 1:
        compile_ahead(run, options)
    import torch
    from benches import KNOWN
    timer, skipped = Timer(options), {}
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for case in cases:
        why = ("its contract is not known here" if case.contract not in KNOWN
               else f"mode {case.mode} is not timed here" if case.mode != "cold" else None)
        if why is not None:
            skipped.setdefault((case.contract, why), []).append(case)
            continue
        for row in case_rows(torch, timer, case, options):
            writer.writerow(row)
            out.flush()
    for (contract, why), cases in skipped.items():
        say(f"{len(cases)} case(s) of {contract}: {why}")
    for (peer, why), count in told.items():
        if count > 1:
            say(f"{peer}: left out in {count} cases: {why}")


# ---- One command ----

def run_all(options):
    """Runs gpubench, then the peers, then the report with both."""
    if any(a == "--out" or a.startswith("--out=") for a in options.arguments):
        raise SystemExit("pytorch.py: give --out before the --, so that the run can be found")
    base = Path(os.environ.get("GPUBENCH_OUT") or "gpubench-out")
    out = options.out or str(base / (time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-peers"))
    code = subprocess.run([options.gpubench, *options.arguments, "--out", out, "--quiet"]).returncode
    if not Path(out, "results.csv").exists():
        return code or 3
    rows = Path(out, "peers.csv")  # keeps the rows so far if this is interrupted
    with open(rows, "w", newline="") as file:
        measure(out, options, file)
    reported = subprocess.run([options.gpubench, "report", out, "--foreign", str(rows)]).returncode
    if reported == 0:
        rows.unlink()  # the report has stored a copy in the run
    return code or reported


# ---- The two clocks ----

def copy_of_gpubench(options, device):
    text = subprocess.run([options.gpubench, "--plugin", "calibrate.so", "--bench", "copy", "--variant", "memcpy",
                           "-a", f"bytes={options.bytes}", "--device", device, "--ceilings", "off", "--no-save",
                           "--csv", "-"], stdout=subprocess.PIPE, text=True).stdout
    rows = [r for r in csv.DictReader(io.StringIO(text))
            if (r["variant"], r["bench"], r["axes"]) == ("memcpy", "calibrate/copy", f"bytes={options.bytes}")]
    if not rows or rows[0]["status"] != "ok":
        raise SystemExit(f"pytorch.py: gpubench could not time the copy: {rows[0]['message'] if rows else 'no row'}")
    return Case(rows), float(rows[0]["median_raw_ns"])


def check_clock(options):
    """Times one copy of `bytes` by both clocks, by gpubench before and after PyTorch: a difference between those two is
    drift, not the clocks'."""
    import torch
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    case, before = copy_of_gpubench(options, device)
    rows = list(case_rows(torch, Timer(options), case, options))
    _, after = copy_of_gpubench(options, device)
    if not rows:
        return 1
    theirs, ours = float(rows[0]["median_ns"]), (before + after) / 2
    apart, drift = theirs / ours - 1, abs(after - before) / ours
    agree = abs(apart) <= options.allow
    print(f"copy of {options.bytes} bytes: gpubench {before / 1e3:.2f} and {after / 1e3:.2f} us ({drift:.2%} apart), "
          f"PyTorch {theirs / 1e3:.2f} us: {apart:+.2%}, {options.allow:.2%} allowed: "
          f"{'agree' if agree else 'DISAGREE'}")
    return 0 if agree else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", help="run directory or results.csv")
    parser.add_argument("--gpubench", metavar="BIN", help="the binary: run it with what follows --, then the report")
    parser.add_argument("--out", metavar="DIR", help="of that run")
    parser.add_argument("--check-clock", action="store_true", help="exit 1 where the clocks do not agree")
    parser.add_argument("--bytes", type=int, default=1 << 30, help="of the copy of --check-clock (1 GiB)")
    parser.add_argument("--allow", type=float, default=CLOCKS_APART, help="between the clocks (0.005)")
    parser.add_argument("--device", help="of --check-clock: cuda, cpu")
    parser.add_argument("--variant", action="append", metavar="GLOB", help="only these peers; repeatable")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--jobs", type=int, default=1, help="processes that compile before anything is timed (1: none)")
    parser.add_argument("--share", help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=200, help="of each row (200)")
    parser.add_argument("--case-time", type=float, default=10, metavar="S", help="limit for a row (10 s)")
    parser.add_argument("--seed", type=int, default=1)
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:cut])
    options.arguments = words[cut + 1:]
    options.variant = options.variant or ["*"]
    if options.share:
        compile_share(options.run, options)
        return 0
    if options.check_clock and options.gpubench:
        return check_clock(options)
    if options.gpubench and options.arguments:
        return run_all(options)
    if options.run is None or options.check_clock or options.gpubench:
        parser.error("name a run, or --gpubench BIN -- OPTIONS, or --check-clock --gpubench BIN")
    measure(options.run, options, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(main())
