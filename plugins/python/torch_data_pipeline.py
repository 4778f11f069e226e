"""PyTorch's DataLoader as a guest of data_pipeline/pipeline: a Dataset that reads, crops and normalises one image at a time, with
no, one or all worker processes. On CUDA it uses pinned memory and non-blocking copies. The consumer is a product for each pass."""

import gc
import os

import gpubench

try:
    import torch
    from torch.utils.data import DataLoader
    from torch.utils.data._utils import signal_handling
except ImportError:
    torch = None  # the rows report that it is missing

MEANS, DEVIATIONS, WEIGHTS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), 64
PREFETCH = 2  # batches that each worker loads in advance: DataLoader's default


class Images:
    """The records of a file. The key of an item consists of its record number and its window."""

    def __init__(self, path, side):
        self.path, self.side, self.crop, self.bytes = path, side, side // 8 * 7, 3 * side * side
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # workers are forked and inherit it
        self.scale = torch.tensor([1 / (255 * d) for d in DEVIATIONS]).view(3, 1, 1)
        self.bias = torch.tensor([-m / d for m, d in zip(MEANS, DEVIATIONS)]).view(3, 1, 1)

    def __getitem__(self, item):
        record, (top, left, mirrored) = item
        raw = bytearray(self.bytes)
        if os.preadv(self.file, [raw], record * self.bytes) != self.bytes:
            raise EOFError(f"{self.path} ends before record {record} does")
        image = torch.frombuffer(raw, dtype=torch.uint8).view(self.side, self.side, 3)
        image = image[top:top + self.crop, left:left + self.crop].permute(2, 0, 1)
        if mirrored:
            image = image.flip(2)
        return image.to(torch.float32, memory_format=torch.contiguous_format).mul_(self.scale).add_(self.bias)

    def close(self):
        os.close(self.file)


class Batches:
    """The batches of an epoch: record numbers and windows. There are none before the first epoch."""

    def __init__(self, chunk):
        self.chunk, self.windows = chunk, []

    def __len__(self):
        return -(-len(self.windows) // self.chunk)

    def __iter__(self):
        for first in range(0, len(self.windows), self.chunk):
            yield list(enumerate(self.windows[first:first + self.chunk], first))


def path_in(tensor):
    return os.fsdecode(bytes(tensor.tolist()).rstrip(b"\0"))


def consumer_weights(length, passes, device):
    """Returns a row of weights for each pass, up to the pass from which they repeat."""
    index = torch.arange(length) + torch.arange(min(passes, WEIGHTS)).view(-1, 1)
    return (1 + (index % WEIGHTS * 37 % WEIGHTS - 32) / 64).to(torch.float32).to(device)


def check_shared_memory(need):
    """Skips the case without enough shared memory, because a worker that finds it full gets SIGBUS."""
    room = os.statvfs("/dev/shm")
    free = room.f_bavail * room.f_frsize
    if free < need:
        raise gpubench.Skip(f"/dev/shm has {free} bytes free: batches on their way need {need}")


class Loading:
    """Base class of the variants; `count` returns the number of workers for the axes of a case."""

    def prepare(self, case):
        axes, self.sums, self.geometry, self.path = case.axes, *(case.tensors[name] for name in ("sums", "geometry", "path"))
        self.device, self.on_gpu, self.work = self.sums.device, self.sums.is_cuda, axes["work"]
        self.loader, self.images = None, Images(path_in(self.path), axes["side"])
        length, count = 3 * self.images.crop ** 2, self.count(axes)
        self.weights = consumer_weights(length, self.work, self.device)
        self.batches = Batches(axes["chunk"])
        try:
            self.start(case, count, 4 * length * axes["chunk"])
        except BaseException:
            self.release()  # after a failed prepare the host does not call it
            raise
        case.note("workers", f"{count} processes, {PREFETCH} batches ahead each" if count else "none")

    def start(self, case, count, batch_bytes):
        how = {}
        if count:
            check_shared_memory((PREFETCH * count + 2) * batch_bytes)
            how = {"multiprocessing_context": "fork", "persistent_workers": True, "prefetch_factor": PREFETCH}
        self.loader = DataLoader(self.images, batch_sampler=self.batches, num_workers=count, pin_memory=self.on_gpu, **how)
        config, handled = torch.multiprocessing.current_process()._config, signal_handling._SIGCHLD_handler_set
        former = dict(config)
        if count and len(case.scratch()) + len("/listener-12345678") < 108:  # limit of a socket's path
            config["tempdir"] = case.scratch()
        signal_handling._SIGCHLD_handler_set = True  # no SIGCHLD handler in a shared process; DataLoader also polls every 5 s
        try:
            for _ in self.loader:  # an empty epoch starts workers and threads
                pass
        finally:
            signal_handling._SIGCHLD_handler_set = handled
            config.clear()
            config.update(former)

    def refresh(self):
        if path_in(self.path) != self.images.path:
            raise RuntimeError("the file is another one")

    def run(self):
        g, room = self.geometry, self.images.side - self.images.crop + 1
        self.batches.windows = torch.stack((g[:, 0] % room, g[:, 1] % room, g[:, 2] % 2), 1).tolist()
        first = 0
        for images in self.loader:
            images = images.to(self.device, non_blocking=True).flatten(1)
            self.consume(images, self.sums[first:first + len(images)])
            first += len(images)
        if self.on_gpu:
            torch.cuda.current_stream().synchronize()

    def consume(self, images, sums):
        torch.mv(images, self.weights[0], out=sums)
        for i in range(1, self.work):
            sums.addmv_(images, self.weights[i % WEIGHTS])

    def release(self):
        self.loader = None  # its workers end when the last reference is gone
        gc.collect()
        self.images.close()


def processors():
    return len(os.sched_getaffinity(0))


def all_workers(axes):
    """Reads the axis as the bench's own variants do: on many processors, two are left for other threads."""
    count = axes["workers"] or processors()
    return count if axes["workers"] or count <= 4 else count - 2


def needs_torch(case):
    if torch is None:
        raise gpubench.Skip("no torch")


for label, count, what in (("0", lambda axes: 0, "without workers: nothing overlaps"), ("1", lambda axes: 1, "one worker process"),
                           ("all", all_workers, "as many worker processes as the axis workers says")):
    for backend in ("cpu", "cuda"):
        gpubench.variant("gpubench.org/data_pipeline/pipeline/1", name=f"dataloader-{label}", backend=backend, math="fp32",
                         arrays="torch", supports=needs_torch, sync=True, processes=label != "0",
                         summary=f"torch's DataLoader, {what}")(type("Loader", (Loading,), {"count": staticmethod(count)}))
