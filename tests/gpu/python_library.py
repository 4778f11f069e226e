"""Reports which files of cuBLAS a worker with torch has loaded, as the reason for which this variant is skipped. For
tests/gpu/python.sh."""

import gpubench
import torch


@gpubench.variant("gpubench.org/matmul/gemm/1", name="files", backend="cuda")
class Files:
    def prepare(self, case):
        torch.cuda.current_blas_handle()
        with open("/proc/self/maps", encoding="utf-8") as maps:
            raise gpubench.Skip(" ".join(sorted({line.split()[-1] for line in maps if "/libcublas" in line})))

    def run(self):
        raise NotImplementedError
