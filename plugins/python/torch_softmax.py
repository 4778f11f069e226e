"""Softmax by PyTorch's own function, eager: a guest of softmax.so."""

import gpubench

try:
    import torch
except ImportError:
    torch = None


def supports(case):
    if torch is None:
        raise gpubench.Skip("no torch")
    if case.axes["dtype"] == "fp16":
        try:
            torch.softmax(torch.zeros(1, 8, dtype=torch.float16), dim=1)
        except RuntimeError as error:
            raise gpubench.Skip(f"torch {torch.__version__}: {error}") from error


@gpubench.variant("gpubench.org/softmax/rows/1", name="torch", arrays="torch", returns=True, supports=supports)
def softmax(x):
    return torch.softmax(x, dim=1)
