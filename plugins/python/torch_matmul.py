"""Matrix products with PyTorch, eager and compiled: guests of matmul.so."""

import gpubench

try:
    import torch
except ImportError:
    torch = None  # the rows report that it is missing

GEMM = "gpubench.org/matmul/gemm/1"


def of(*types):
    def supports(case):
        if case.axes["dtype"] not in types:
            raise gpubench.Skip(f"dtype is {case.axes['dtype']}: for {', '.join(types)}")

    return supports


@gpubench.torch_variants(GEMM, cpu=False, supports=of("fp32", "fp16", "bf16"), summary="torch.matmul")
def matmul(a, b):
    return torch.matmul(a, b.t())


@gpubench.torch_variants(GEMM, name="torch-tf32", math="tf32", cpu=False, compiled=False, supports=of("fp32"),
                         summary='torch.matmul with precision "high"')
def matmul_tf32(a, b):
    torch.set_float32_matmul_precision("high")  # a setting of the process, so it is made for this call only
    c = torch.matmul(a, b.t())
    torch.set_float32_matmul_precision("highest")
    return c


def scaled_mm(fast):
    class ScaledMM:
        def prepare(self, case):
            if not hasattr(torch, "_scaled_mm"):
                raise gpubench.Skip(f"torch {torch.__version__} has no _scaled_mm")
            self.a, self.b = case.tensors["a"], case.tensors["b"].t()
            self.one = torch.ones((), dtype=torch.float32, device=self.a.device)

        def run(self):
            return torch._scaled_mm(self.a, self.b, scale_a=self.one, scale_b=self.one, out_dtype=torch.bfloat16,
                                    use_fast_accum=fast)

    return ScaledMM


for name, fast in (("torch-scaled-mm", False), ("torch-scaled-mm-fast", True)):
    gpubench.torch_variants(GEMM, name=name, math="fp8", cpu=False, compiled=False, supports=of("e4m3"))(scaled_mm(fast))
