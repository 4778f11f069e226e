"""Softmax in Triton with one read and one write; a program handles one row or several short ones. A guest of softmax.so."""

import gpubench

try:
    import triton
    import triton.language as tl
    jit = triton.jit
except ImportError:
    triton, tl, jit = None, type("tl", (), {"constexpr": None}), lambda kernel: kernel

LONGEST = 1 << 16  # greatest number of elements in a row, all of which one program holds


def supports(case):
    if triton is None:
        raise gpubench.Skip("no triton")
    if case.axes["n"] > LONGEST:
        raise gpubench.Skip(f"n is {case.axes['n']}: at most {LONGEST}, which a program holds")


@jit
def softmax_kernel(x, y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    there, at = (row < m) & (column < n), row * n + column
    v = tl.load(x + at, mask=there, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 1, keep_dims=True))
    tl.store(y + at, v / tl.sum(v, 1, keep_dims=True), mask=there)


@gpubench.variant("gpubench.org/softmax/rows/1", name="triton", backend="cuda", arrays="torch", capture=True, supports=supports)
class Softmax:
    def prepare(self, case):
        x, y = case.tensors["x"], case.tensors["y"]
        (m, n), block = x.shape, triton.next_power_of_2(x.shape[1])
        rows = max(1, 1024 // block)

        def launch(warps):
            softmax_kernel[(triton.cdiv(m, rows),)](x, y, m, n, rows, block, num_warps=warps)

        choices = sorted({min(max(rows * block // (32 * each), 1), 32) for each in (8, 16, 32)})
        took = {warps: triton.testing.do_bench(lambda: launch(warps), warmup=2, rep=8, return_mode="median") for warps in choices}
        self.launch, self.warps = launch, min(took, key=took.get)
        case.note("num_warps", f"{self.warps} of {', '.join(map(str, choices))}")

    def run(self):
        self.launch(self.warps)
