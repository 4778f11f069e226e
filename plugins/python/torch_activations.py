"""Activations and norms by PyTorch's own functions, eager: guests of activations.so, for its users' usual calls."""

import gpubench

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None  # `arrays` says so in each row


def variant(bench, **more):
    return gpubench.variant(f"gpubench.org/activations/{bench}/1", name="torch", arrays="torch", returns=True, **more)


def can(kernel):
    """A `supports`: PyTorch itself says which types its kernels take here."""

    def supports(case):
        if torch is None:
            raise gpubench.Skip("no torch")
        types = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
        try:
            kernel(torch.zeros(1, 8, dtype=types[case.axes["dtype"]]))
        except RuntimeError as error:
            if "not implemented for" not in str(error):
                raise
            raise gpubench.Skip(f"torch {torch.__version__}: {error}") from error

    return supports


@variant("gelu", supports=can(lambda x: F.gelu(x)))
def gelu(x, form):
    return F.gelu(x, approximate="tanh" if form == "tanh" else "none")


@variant("swish", supports=can(lambda x: F.silu(x)))
def swish(x):
    return F.silu(x)


can_layernorm = can(lambda x: F.layer_norm(x, (8,)))


def exact_layernorm(case):
    can_layernorm(case)
    if case.axes["dtype"] == "bf16" and int(torch.__version__.split(".")[0]) < 2:
        raise gpubench.Skip(f"torch {torch.__version__}: its layer_norm in bf16 is less exact than the contract asks")


@variant("layernorm", supports=exact_layernorm)
def layernorm(x, gamma, beta):
    return F.layer_norm(x, gamma.shape, gamma, beta, 1e-5)
