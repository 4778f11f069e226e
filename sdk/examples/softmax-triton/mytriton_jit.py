"""The same kernel as a guest in Python, which Triton compiles at its first call. Compared with mytriton.so the verdict should be "same"."""

import gpubench

try:
    import triton
    from kernel import WARPS, softmax_rows
except ImportError:
    triton = None


def supports(case):
    if triton is None:
        raise gpubench.Skip("no triton")
    if case.axes["n"] > max(WARPS):
        raise gpubench.Skip(f"n is {case.axes['n']}: at most {max(WARPS)}, which a program holds")


@gpubench.variant("gpubench.org/softmax/rows/1", name="triton-jit", backend="cuda", arrays="torch", capture=True, supports=supports)
class Softmax:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        self.m, self.n = self.x.shape
        self.block = max(triton.next_power_of_2(self.n), min(WARPS))

    def run(self):
        softmax_rows[(self.m,)](self.x, self.y, self.n, self.block, num_warps=WARPS[self.block])
