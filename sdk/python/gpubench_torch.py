"""Part of gpubench.py: functions of PyTorch as variants, eager and compiled."""

import functools

import gpubench


def torch_variants(contract, *, name="torch", cpu=True, compiled=True, supports=None, cpu_supports=None, **more):
    """Offers a PyTorch function that returns the outputs: as NAME on the cpu and on cuda, and on cuda also compiled by
    torch.compile, as NAME-compile and as NAME-compile-max (mode "max-autotune-no-cudagraphs")."""

    def offer(what):
        def add(suffix, backend, function, *asked):
            gpubench.variant(contract, name=name + suffix, backend=backend, arrays="torch", returns=True,
                             supports=_needs_torch(supports, *asked), **more)(function)
        if cpu:
            add("", "cpu", what, cpu_supports)
        add("", "cuda", what)
        if compiled:
            add("-compile", "cuda", _compiled(what, "default"))
            add("-compile-max", "cuda", _compiled(what, "max-autotune-no-cudagraphs"))
        return what

    return offer


def _needs_torch(*supports):
    def asked(case):
        try:
            import torch  # noqa: F401
        except ImportError as error:
            raise gpubench.Skip("no torch") from error
        for also in supports:
            if also is not None:
                also(case)

    return asked


def _compiled(what, mode):
    """Returns a class whose `run` is the function compiled by torch.compile, for its own arguments only."""

    class Compiled:
        def prepare(self, case):
            import torch
            if not hasattr(torch, "compile"):
                raise gpubench.Skip(f"torch {torch.__version__} has no torch.compile")
            _set(torch._dynamo.config, recompile_limit=1 << 20, cache_size_limit=1 << 20, accumulated_cache_size_limit=1 << 20,
                 accumulated_recompile_limit=1 << 20)
            import torch._inductor.config as inductor
            _set(inductor, compile_threads=1)  # compile workers would be processes that outlive the case
            ready = torch.compile(what, dynamic=False, fullgraph=True, mode=mode)
            call, self.args = gpubench._bind(gpubench._Variant(what, "", what.__name__, "", "", None, None, None, True, 0), case)
            named = call.keywords if isinstance(call, functools.partial) else {}
            self.run = functools.partial(ready, *self.args, **named)
            case.note("torch.compile", mode)

        def run(self):
            raise AssertionError("it is prepared first")

    Compiled.__name__ = Compiled.__qualname__ = f"{what.__name__}, compiled"
    return Compiled


def _set(config, **values):
    """Sets those of the configuration values that this version of PyTorch has."""
    for name, value in values.items():
        if hasattr(config, name):
            setattr(config, name, value)
