"""Softmax with PyTorch's own function, eager and compiled: guests of softmax.so."""

import gpubench

try:
    import torch
except ImportError:
    torch = None  # the rows report that it is missing


def cpu_has_it(case):
    if case.axes["dtype"] == "fp16":
        try:
            torch.softmax(torch.zeros(1, 8, dtype=torch.float16), dim=1)
        except RuntimeError as error:
            raise gpubench.Skip(f"torch {torch.__version__}: {error}") from error


@gpubench.torch_variants("gpubench.org/softmax/rows/1", cpu_supports=cpu_has_it)
def softmax(x):
    return torch.softmax(x, dim=1)
