"""GELU, Swish, SwiGLU and norms in Triton, with one read and one write: guests of activations.so."""

import gpubench

try:
    import triton
    import triton.language as tl
    jit = triton.jit
except ImportError:
    triton, tl, jit = None, type("tl", (), {"constexpr": None}), lambda kernel: kernel

LONGEST = 1 << 16  # greatest number of elements in a row, all of which one program holds
BLOCKS = (1024, 2048, 4096)


def supports(case):
    if triton is None:
        raise gpubench.Skip("no triton")
    if "m" in case.axes and case.axes["n"] > LONGEST:
        raise gpubench.Skip(f"n is {case.axes['n']}: at most {LONGEST}, which a program holds")


def variant(bench):
    return gpubench.variant(f"gpubench.org/activations/{bench}/1", name="triton", backend="cuda", arrays="torch", capture=True,
                            supports=supports)


@jit
def gelu_of(x):
    return 0.5 * x * (1.0 + tl.erf(x * 0.70710678118654752))


@jit
def elementwise_kernel(x, z, y, count, WHAT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < count).to(tl.float32)
    if WHAT == "erf":
        v = gelu_of(v)
    elif WHAT == "tanh":
        v = v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    else:
        v = v * tl.sigmoid(v)
    if WHAT == "swiglu":
        v = v * tl.load(z + at, mask=at < count).to(tl.float32)
    tl.store(y + at, v, mask=at < count)


@jit
def norm_kernel(x, z, gamma, beta, s, y, mean, rstd, m, n, ADD: tl.constexpr, CENTRED: tl.constexpr, GELU: tl.constexpr,
                SAVE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    there, at = (row < m) & (column < n), row * n + column
    v = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
    if ADD:
        v = (v + tl.load(z + at, mask=there, other=0.0).to(tl.float32)).to(s.dtype.element_ty)
        tl.store(s + at, v, mask=there)
        v = v.to(tl.float32)
    g = tl.load(gamma + column, mask=column < n).to(tl.float32)
    if CENTRED:
        average = tl.sum(v, 1, keep_dims=True) / n
        v = tl.where(there, v - average, 0.0)
    scale = tl.rsqrt(tl.sum(v * v, 1, keep_dims=True) / n + 1e-5)
    v = v * scale * g
    if CENTRED:
        v += tl.load(beta + column, mask=column < n).to(tl.float32)
    if SAVE:
        tl.store(rstd + row, scale, mask=row < m)
        if CENTRED:
            tl.store(mean + row, average, mask=row < m)
    if GELU:
        v = gelu_of(v)
    tl.store(y + at, v, mask=there)


class Tuned:
    """Times a few configurations in prepare and uses the fastest."""

    def choose(self, case, launch, choices):
        took = {}
        for done, choice in enumerate(choices):
            took[choice] = triton.testing.do_bench(lambda: launch(*choice), warmup=2, rep=8, return_mode="median")
            case.step(done + 1, len(choices))
        self.launch, self.choice = launch, min(took, key=took.get)
        case.note("block_and_warps", f"{self.choice} of {len(choices)}")

    def run(self):
        self.launch(*self.choice)


class Elementwise(Tuned):
    what = "swish"

    def prepare(self, case):
        x, y = case.tensors["x"], case.tensors["y"]
        z = case.tensors["z"] if self.what == "swiglu" else x
        count, what = x.numel(), case.axes.get("form", self.what)

        def launch(block, warps):
            elementwise_kernel[(triton.cdiv(count, block),)](x, z, y, count, what, block, num_warps=warps)

        self.choose(case, launch, [(block, warps) for block in BLOCKS for warps in (4, 8)])


@variant("gelu")
class Gelu(Elementwise):
    pass


@variant("swish")
class Swish(Elementwise):
    pass


@variant("swiglu")
class SwiGlu(Elementwise):
    what = "swiglu"


class Norm(Tuned):
    with_gelu = False

    def prepare(self, case):
        x, gamma, y = (case.tensors[name] for name in ("x", "gamma", "y"))
        z, s, beta, mean, rstd = (case.tensors.get(name) for name in ("z", "s", "beta", "mean", "rstd"))
        (m, n), block = x.shape, triton.next_power_of_2(x.shape[1])

        def launch(rows, warps):
            norm_kernel[(triton.cdiv(m, rows),)](x, z, gamma, beta, s, y, mean, rstd, m, n, z is not None, beta is not None,
                                                 self.with_gelu, rstd is not None, rows, block, num_warps=warps)

        rows = max(1, 1024 // block)
        warps = sorted({min(max(rows * block // (32 * each), 1), 32) for each in (4, 8, 16, 32)})
        self.choose(case, launch, [(rows, each) for each in warps])


@variant("layernorm")
class LayerNorm(Norm):
    pass


@variant("rmsnorm")
class RmsNorm(Norm):
    pass


@variant("layernorm_saved")
class LayerNormSaved(Norm):
    pass


@variant("rmsnorm_saved")
class RmsNormSaved(Norm):
    pass


@variant("add_layernorm")
class AddLayerNorm(Norm):
    pass


@variant("add_rmsnorm")
class AddRmsNorm(Norm):
    pass


@variant("layernorm_gelu")
class LayerNormGelu(Norm):
    with_gelu = True
