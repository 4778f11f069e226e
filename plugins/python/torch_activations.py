"""Activations and norms with PyTorch's own functions, as its users call them, eager and compiled: guests of activations.so."""

import gpubench

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None  # the rows report that it is missing


def variants(bench, **more):
    return gpubench.torch_variants(f"gpubench.org/activations/{bench}/1", **more)


def can(kernel):
    """Returns a check that asks PyTorch which types its kernels support on this CPU."""

    def supports(case):
        types = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
        try:
            kernel(torch.zeros(1, 8, dtype=types[case.axes["dtype"]]))
        except RuntimeError as error:
            if "not implemented for" not in str(error):
                raise
            raise gpubench.Skip(f"torch {torch.__version__}: {error}") from error

    return supports


@variants("gelu", cpu_supports=can(lambda x: F.gelu(x)))
def gelu(x, form):
    return F.gelu(x, approximate="tanh" if form == "tanh" else "none")


@variants("swish", cpu_supports=can(lambda x: F.silu(x)))
def swish(x):
    return F.silu(x)


@variants("swish", name="torch-two-kernels", cpu=False, compiled=False, summary="x * sigmoid(x), as it is often written")
def swish_in_two(x):
    return x * torch.sigmoid(x)


@variants("swiglu", cpu=False)
def swiglu(x, z):
    return F.silu(x) * z


can_layernorm = can(lambda x: F.layer_norm(x, (8,)))


def exact_layernorm(case):
    can_layernorm(case)
    if case.axes["dtype"] == "bf16" and int(torch.__version__.split(".")[0]) < 2:
        raise gpubench.Skip(f"torch {torch.__version__}: its layer_norm in bf16 is less exact than the contract asks")


@variants("layernorm", cpu_supports=exact_layernorm)
def layernorm(x, gamma, beta):
    return F.layer_norm(x, gamma.shape, gamma, beta, 1e-5)


def has_rms_norm(case):
    if not hasattr(F, "rms_norm"):
        raise gpubench.Skip(f"torch {torch.__version__}: rms_norm came with 2.4")


@variants("rmsnorm", cpu=False, supports=has_rms_norm)
def rmsnorm(x, gamma):
    return F.rms_norm(x, gamma.shape, gamma, 1e-5)


@variants("layernorm_saved", cpu=False)
def layernorm_saved(x, gamma, beta):
    y, mean, rstd = torch.native_layer_norm(x, gamma.shape, gamma, beta, 1e-5)
    return y, mean.view(-1), rstd.view(-1)


@variants("rmsnorm_saved", cpu=False)
def rmsnorm_saved(x, gamma):
    """Composes it of several functions, because PyTorch has no RMSNorm that returns the statistics of a row."""
    rstd = torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5)
    return (x.float() * rstd * gamma.float()).to(x.dtype), rstd.view(-1)


@variants("layernorm_gelu", cpu=False)
def layernorm_gelu(x, gamma, beta):
    return F.gelu(F.layer_norm(x, gamma.shape, gamma, beta, 1e-5))
