"""The peers of each bench: functions of PyTorch for the problem that the axes of a case state. The contracts are those
of plugins/*/README.md; a case with another contract is skipped.

A peer is (variant, math, make): make() returns a function without arguments that returns the problem's output. If
math is None, it is that of the problem. A Problem has the inputs, the shape of the output, and the float64 result of
some rows."""

import math

import torch
import torch.nn.functional as F

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
if hasattr(torch, "float8_e4m3fn"):
    DTYPES["e4m3"] = DTYPES["fp8"] = torch.float8_e4m3fn
ROWS = 24  # rows of the output that are checked: the first, the last, others at random
ELEMENTS = 1 << 16  # the same for outputs where every element counts as a row


class Unable(Exception):
    """Says why a peer or a case cannot be timed here."""


class Problem:
    """A problem with its inputs and peers. A row is the last extent of the output's `shape`; with `width` 1 every
    element is one."""

    def __init__(self, inputs, shape, expected, peers, math_name, width=None):
        self.inputs, self.shape, self.expected, self.peers, self.math = inputs, tuple(shape), expected, peers, math_name
        self.width = width or shape[-1]
        count = math.prod(shape) // self.width
        picked = torch.randint(count, (ELEMENTS if self.width == 1 else ROWS,))
        picked[0], picked[-1] = 0, count - 1
        self.rows = torch.unique(picked).to(inputs[0].device)

    def error(self, output):
        """Returns the norm-relative error of some rows against float64, or infinity if any value is not finite. Of
        several outputs the first is compared."""
        output = output[0] if isinstance(output, tuple) else output
        if tuple(output.shape) != self.shape:
            raise Unable(f"the result has shape {tuple(output.shape)}, not {self.shape}")
        if not bool(torch.isfinite(output).all()):
            return math.inf
        expected = self.expected(self.rows)
        return float((output.reshape(-1, self.width)[self.rows].double() - expected).norm() / expected.norm())


def dtype_of(axes):
    name = axes.get("dtype", "fp32")
    if name not in DTYPES:
        raise Unable(f"this PyTorch has no {name}")
    return DTYPES[name], name


def fill_normal(tensor, mean=0.0, deviation=1.0):
    """Fills the tensor in pieces, because a whole fp32 copy of a large tensor might not fit."""
    flat = tensor.view(-1)
    for at in range(0, flat.numel(), 1 << 26):
        piece = flat[at:at + (1 << 26)]
        piece.copy_(torch.randn(piece.shape, device=tensor.device) * deviation + mean)
    return tensor


def normal(shape, dtype, device, mean=0.0, deviation=1.0):
    return fill_normal(torch.empty(shape, dtype=dtype, device=device), mean, deviation)


def compiled(function):
    if not hasattr(torch, "compile"):
        raise Unable("torch.compile is not in this PyTorch")
    try:
        import torch._dynamo as dynamo
        import torch._inductor.config as inductor
        if hasattr(inductor, "autotune_local_cache"):
            inductor.autotune_local_cache = False  # a choice cached by another process may have been timed under load
        dynamo.reset()  # after a few shapes of a function, dynamo silently runs it eagerly instead of compiling it
        return torch.compile(function, dynamic=False)
    except RuntimeError as error:  # a Python that is too new, a platform without it
        raise Unable(f"torch.compile: {first_line(error)}") from error


def first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def both(name, function, *inputs):
    """Returns the eager and the compiled peer of a function."""
    def eager():
        return lambda: function(*inputs)

    def compiled_one():
        ready = compiled(function)
        return lambda: ready(*inputs)
    return [(name, None, eager), (f"{name}-compile", None, compiled_one)]


def triton_rows(device):
    """Returns the module with Triton's kernels; raises Unable if Triton is missing."""
    if device.type != "cuda":
        raise Unable("Triton is for GPUs here")
    try:
        import triton_rows as module
    except ImportError as error:
        raise Unable(f"no Triton: {first_line(error)}") from error
    return module


def by_triton(name, device, choose):
    """Returns the peer `name` by Triton on a GPU, and none elsewhere; choose(module) is a make()."""
    return [(name, None, lambda: choose(triton_rows(device))())] if device.type == "cuda" else []


def by_cudnn(device, choose):
    """Returns the peer that calls cuDNN directly, not through PyTorch; as by_triton()."""
    def make():
        import cudnn_norms as module
        try:
            return choose(module)()
        except OSError as error:
            raise Unable(f"no cuDNN: {first_line(error)}") from error
    return [("cudnn", None, make)] if device.type == "cuda" else []


# ---- softmax ----

def softmax_rows(axes, device):
    dtype, name = dtype_of(axes)
    m, n = int(axes["m"]), int(axes["n"])
    x = normal((m, n), dtype, device, 104, 4)
    return Problem([x], (m, n), lambda at: torch.softmax(x[at].double(), -1),
                   both("torch-softmax", lambda t: torch.softmax(t, -1), x) +
                   by_triton("triton-softmax", device, lambda t: t.softmax(x)), name)


def masked(axes, device):
    dtype, name = dtype_of(axes)
    b, m, n = (int(axes[a]) for a in "bmn")
    causal = axes["mask"] == "causal"
    x = normal((b, m, n), dtype, device, 104, 4)
    seen = torch.ones(m, n, dtype=torch.bool, device=device).tril() if causal else torch.rand(m, n, device=device) < 0.5
    hidden = ~seen

    def exact(at):
        return torch.softmax(x.view(-1, n)[at].double().masked_fill(hidden[at % m], -math.inf), -1)
    peers = both("torch", lambda t, h: torch.softmax(t.masked_fill(h, -math.inf), -1), x, hidden)
    peers += by_triton("triton", device, lambda t: t.masked_softmax(x, None if causal else seen))
    return Problem([x], (b, m, n), exact, peers, name)


def cross_entropy(axes, device):
    dtype, name = dtype_of(axes)
    m, n = int(axes["m"]), int(axes["n"])
    x = normal((m, n), dtype, device, 104, 4)
    target = torch.randint(n, (m,), device=device)
    return Problem([x], (m, 1), lambda at: F.cross_entropy(x[at].double(), target[at], reduction="none").unsqueeze(-1),
                   both("torch", lambda t, i: F.cross_entropy(t, i, reduction="none").unsqueeze(-1), x, target), name)


# ---- attention ----

BACKENDS = {"cudnn": "CUDNN_ATTENTION", "flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}


def sdpa(backend, q, k, v, **how):
    def make():
        try:
            from torch.nn.attention import SDPBackend, sdpa_kernel
        except ImportError as error:
            raise Unable("a backend of scaled_dot_product_attention cannot be chosen before PyTorch 2.3") from error
        if not hasattr(SDPBackend, BACKENDS[backend]):
            raise Unable(f"this PyTorch has no {BACKENDS[backend]}")
        chosen = getattr(SDPBackend, BACKENDS[backend])

        def run():
            with sdpa_kernel(chosen):
                return F.scaled_dot_product_attention(q, k, v, **how)
        return run
    return make


def attention_by_hand(q, k, v, causal):
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    if causal:
        queries, keys = scores.shape[-2:]
        hidden = torch.ones(queries, keys, dtype=torch.bool, device=q.device).triu(1 + keys - queries)
        scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, -1) @ v


def attention_forward(axes, device):
    if axes["dtype"] == "e4m3":
        raise Unable("PyTorch's attention takes no fp8")
    dtype, name = dtype_of(axes)
    b, h, s, d = (int(axes[a]) for a in "bhsd")
    h_kv = int(axes.get("h_kv", h))
    group, causal = h // h_kv, axes["causal"] == "yes"
    q, k, v = (normal((b, heads, s, d), dtype, device) for heads in (h, h_kv, h_kv))

    def expected(at):
        found = []
        for row in at.tolist():
            head, i = divmod(row, s)
            keys, values = (t.view(b * h_kv, s, d)[head // group].double() for t in (k, v))
            scores = keys @ q.view(b * h, s, d)[head, i].double() / math.sqrt(d)
            if causal:
                scores[i + 1:] = -math.inf
            found.append(torch.softmax(scores, 0) @ values)
        return torch.stack(found)

    def shared(backend):
        """Handles heads that share keys: the efficient backend has no such option, so keys and values are repeated for
        it."""
        if group == 1:
            return sdpa(backend, q, k, v, is_causal=causal)
        if backend != "efficient":
            return sdpa(backend, q, k, v, is_causal=causal, enable_gqa=True)
        return lambda: lambda: sdpa(backend, q, *(t.repeat_interleave(group, 1) for t in (k, v)), is_causal=causal)()()

    def by_hand():
        return attention_by_hand(q.view(b, h_kv, group, s, d), k.unsqueeze(2), v.unsqueeze(2), causal).view(b, h, s, d)

    peers = [(f"sdpa-{backend}", name, shared(backend)) for backend in BACKENDS]
    peers.append(("torch-by-hand", name, lambda: by_hand))
    return Problem([q, k, v], (b, h, s, d), expected, peers, name)


def last_positions(backend, s_q, s, device):
    """Returns the mask that hides keys after each query, for queries at the last positions. Flash takes no mask tensor,
    but accepts causal_lower_right."""
    if s_q == 1:
        return None
    if backend != "flash":
        return torch.ones(s_q, s, dtype=torch.bool, device=device).tril(s - s_q)
    from torch.nn.attention.bias import causal_lower_right
    return causal_lower_right(s_q, s)


def attention_decode(axes, device):
    """The peers `packed` pass a single query of several heads that share keys as several queries of one head."""
    dtype, name = dtype_of(axes)
    b, h, h_kv, s_q, s, d = (int(axes[a]) for a in ("b", "h", "h_kv", "s_q", "s", "d"))
    group = h // h_kv
    q = normal((b, h, s_q, d), dtype, device, 0, 2)
    k, v = (normal((b, h_kv, s, d), dtype, device) for _ in range(2))

    def expected(at):
        found = []
        for row in at.tolist():
            head, i = divmod(row, s_q)
            keys, values = (t.view(b * h_kv, s, d)[head // group, :s - s_q + i + 1].double() for t in (k, v))
            scores = keys @ q.view(b * h, s_q, d)[head, i].double() / math.sqrt(d)
            found.append(torch.softmax(scores, 0) @ values)
        return torch.stack(found)

    def alone(backend):
        def make():
            mask = last_positions(backend, s_q, s, device)
            if backend != "efficient":
                return sdpa(backend, q, k, v, attn_mask=mask, enable_gqa=True)()
            return lambda: sdpa(backend, q, *(t.repeat_interleave(group, 1) for t in (k, v)), attn_mask=mask)()()
        return make

    def packed(backend):
        def make():
            run = sdpa(backend, q.view(b, h_kv, group, d), k, v)()
            return lambda: run().reshape(b, h, s_q, d)
        return make

    def by_hand():
        return attention_by_hand(q.view(b, h_kv, group, s_q, d), k.unsqueeze(2), v.unsqueeze(2), True).view(b, h, s_q, d)

    peers = [(f"sdpa-{backend}", name, alone(backend)) for backend in BACKENDS]
    peers.append(("torch-by-hand", name, lambda: by_hand))
    if s_q == 1 and group > 1:
        peers += [(f"sdpa-{backend}-packed", name, packed(backend)) for backend in ("cudnn", "flash", "efficient")]
    return Problem([q, k, v], (b, h, s_q, d), expected, peers, name)


# ---- matmul ----

def with_precision(precision, function):
    """Runs fp32 products as fp32 or through tf32. The setting belongs to the process, so it is made in every call."""
    def run():
        torch.set_float32_matmul_precision(precision)
        return function()
    return run


def matmul_gemm(axes, device):
    dtype, name = dtype_of(axes)
    m, n, k = (int(axes[a]) for a in "mnk")
    fp8 = name in ("e4m3", "fp8")
    a, b = (normal(shape, dtype, device) for shape in ((m, k), (n, k)))
    peers = fp8_peers(a, b) if fp8 else matmul_peers(a, b, name, device)
    return Problem([a, b], (m, n), lambda at: product(a, b, at.tolist()), peers, "fp8" if fp8 else name)


def product(a, b, rows):
    """Returns those rows in float64, computed in pieces of b. Converts through fp32, because not every operation
    supports every type."""
    some = torch.cat([a[row:row + 1].float() for row in rows]).double()
    piece = max(1, (1 << 26) // b.shape[1])
    return torch.cat([some @ b[at:at + piece].float().double().t() for at in range(0, b.shape[0], piece)], 1)


def matmul_peers(a, b, name, device):
    if name != "fp32":
        return both("torch-matmul", lambda x, y: torch.matmul(x, y.t()), a, b)
    found = []
    for precision, suffix, math_name in (("highest", "", "fp32"), ("high", "-tf32", "tf32")):
        if precision == "high" and device.type == "cpu":
            continue  # PyTorch has no tf32 on CPUs
        for variant, _, make in both("torch-matmul" + suffix, lambda x, y: torch.matmul(x, y.t()), a, b):
            found.append((variant, math_name, lambda make=make, precision=precision: with_precision(precision, make())))
    return found


def fp8_peers(a, b):
    def scaled(fast):
        def make():
            if not hasattr(torch, "_scaled_mm"):
                raise Unable("this PyTorch has no _scaled_mm")
            one = torch.ones((), dtype=torch.float32, device=a.device)
            return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16,
                                            use_fast_accum=fast)
        return make
    return [("torch-scaled-mm", None, scaled(False)), ("torch-scaled-mm-fast", None, scaled(True))]


# ---- activations ----

def elementwise(function_of, what_of):
    def problem(axes, device):
        dtype, name = dtype_of(axes)
        n = int(axes["n"])
        x = normal((n,), dtype, device, 0, 3)
        function = function_of(axes)
        peers = both("torch", function, x)
        peers += by_triton("triton", device, lambda t: t.elementwise(what_of(axes), x))
        return Problem([x], (n,), lambda at: function(x[at].double()).unsqueeze(-1), peers, name, width=1)
    return problem


def swiglu(axes, device):
    dtype, name = dtype_of(axes)
    n = int(axes["n"])
    x, z = normal((n,), dtype, device, 0, 3), normal((n,), dtype, device, 0, 1)

    def exact(at):
        return (F.silu(x[at].double()) * z[at].double()).unsqueeze(-1)
    peers = both("torch", lambda t, u: F.silu(t) * u, x, z)
    peers += by_triton("triton", device, lambda t: t.elementwise("swiglu", x, z))
    return Problem([x, z], (n,), exact, peers, name, width=1)


def gelu_of(axes):
    approximate = {"erf": "none", "tanh": "tanh"}[axes.get("form", "erf")]
    return lambda t: F.gelu(t, approximate=approximate)


def bias_gelu(axes, device):
    dtype, name = dtype_of(axes)
    m, n = int(axes["m"]), int(axes["n"])
    x, bias = normal((m, n), dtype, device, 0, 3), normal((n,), dtype, device, 0, 0.5)
    gelu = gelu_of(axes)
    peers = both("torch", lambda t, b: gelu(t + b), x, bias)
    peers += by_triton("triton", device, lambda t: t.elementwise("bias_" + axes["form"], x, bias))
    return Problem([x, bias], (m, n), lambda at: gelu(x[at].double() + bias.double()), peers, name)


def norm(kind, gelu=False, add=False, saved=False):
    def problem(axes, device):
        dtype, name = dtype_of(axes)
        m, n = int(axes["m"]), int(axes["n"])
        x = normal((m, n), dtype, device, 0.5 if kind == "layer" else 0, 1 / 16)
        z = normal((m, n), dtype, device, 0, 1 / 16) if add else None
        gamma, beta = normal((n,), dtype, device, 1, 0.25), normal((n,), dtype, device, 0, 0.5)
        after = gelu_of(axes) if gelu else lambda t: t

        def layer(t, g, b):
            return after(F.layer_norm(t, (n,), g, b, 1e-5))

        def root(t, g, b):
            return F.rms_norm(t, (n,), g, 1e-5)

        def layer_saved(t, g, b):
            return torch.native_layer_norm(t, (n,), g, b, 1e-5)

        def root_saved(t, g, b):
            scale = torch.rsqrt(t.float().square().mean(-1, keepdim=True) + 1e-5)
            return (t.float() * scale * g.float()).to(t.dtype), scale

        function = (layer_saved if saved else layer) if kind == "layer" else root_saved if saved else root

        def after_sum(t, g, b, u):
            total = t + u
            return function(total, g, b), total

        def exact(at):
            t = (x[at] if z is None else x[at] + z[at]).double()
            if kind == "layer":
                return layer(t, gamma.double(), beta.double())
            return t / (t.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gamma.double()
        if kind == "rms" and not hasattr(F, "rms_norm"):
            raise Unable("rms_norm came with PyTorch 2.4")
        inputs = [x, gamma, beta] if kind == "layer" else [x, gamma]
        peers = both("torch", after_sum, x, gamma, beta, z) if add else both("torch", function, x, gamma, beta)
        peers += by_triton("triton", device, lambda t: t.norm(kind, x, gamma, beta, z, gelu, saved))
        if not add and not gelu:
            peers += by_cudnn(device, lambda c: c.norm(kind, x, gamma, beta, saved))
        return Problem(inputs, (m, n), exact, peers, name)
    return problem


# ---- calibrate ----

def copy(axes, device):
    # Puts x and y on two sides of one allocation as gpubench does: on an H200 a copy of 1 GiB in the other direction
    # takes 0.9% longer.
    x = torch.empty(int(axes["bytes"]) // 4, dtype=torch.float32, device=device).view(-1, 16384)
    y = torch.empty_like(x)
    fill_normal(x)
    return Problem([x], x.shape, lambda at: x[at].double(),
                   [("torch-copy", None, lambda: lambda: y.copy_(x))], "fp32")


# Problems by contract. A contract that changes gets a new number and is skipped until it is added here.
KNOWN = {
    "gpubench.org/softmax/rows/1": softmax_rows,
    "gpubench.org/softmax/masked/1": masked,
    "gpubench.org/softmax/cross_entropy/1": cross_entropy,
    "gpubench.org/attention/forward/1": attention_forward,
    "gpubench.org/attention/decode/1": attention_decode,
    "gpubench.org/matmul/gemm/1": matmul_gemm,
    "gpubench.org/activations/gelu/1": elementwise(gelu_of, lambda axes: axes.get("form", "erf")),
    "gpubench.org/activations/swish/1": elementwise(lambda axes: F.silu, lambda axes: "swish"),
    "gpubench.org/activations/swiglu/1": swiglu,
    "gpubench.org/activations/bias_gelu/1": bias_gelu,
    "gpubench.org/activations/layernorm/1": norm("layer"),
    "gpubench.org/activations/rmsnorm/1": norm("rms"),
    "gpubench.org/activations/layernorm_gelu/1": norm("layer", gelu=True),
    "gpubench.org/activations/add_layernorm/1": norm("layer", add=True),
    "gpubench.org/activations/add_rmsnorm/1": norm("rms", add=True),
    "gpubench.org/activations/layernorm_saved/1": norm("layer", saved=True),
    "gpubench.org/activations/rmsnorm_saved/1": norm("rms", saved=True),
    "gpubench.org/calibrate/copy/1": copy,
}
