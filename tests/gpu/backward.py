#!/usr/bin/env python3
"""tests/gpu/backward.py RESULTS: prints each variant's time in a run of attention/backward and its ratio to cudnn's, or
its status and message, and the times of PyTorch's backward at the same sizes if PyTorch with CUDA is installed."""

import csv
import statistics
import sys


def torch_times(axes):
    """Returns the time of each backend in microseconds."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    b, h, h_kv, s, d = (int(axes[name]) for name in ("b", "h", "h_kv", "s", "d"))
    q, k, v = (torch.randn(b, n, s, d, device="cuda", dtype=torch.bfloat16, requires_grad=True) for n in (h, h_kv, h_kv))
    times = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        with sdpa_kernel([backend]):
            o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=axes["causal"] == "yes", enable_gqa=h != h_kv)
        d_o, taken = torch.randn_like(o), []
        for turn in range(25):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            torch.autograd.grad(o, (q, k, v), d_o, retain_graph=True)
            end.record()
            torch.cuda.synchronize()
            if turn >= 5:
                taken.append(1e3 * start.elapsed_time(end))
        times[name] = statistics.median(taken)
    return times


def main(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    try:
        import torch
        here = torch.cuda.is_available()
    except ImportError:
        here = False
    cases, wrong = {}, 0
    for row in rows:
        cases.setdefault(row["case_key"], {})[row["variant"]] = row
    for variants in cases.values():
        first = next(iter(variants.values()))
        peer = variants.get("cudnn", {})
        base = float(peer["median_raw_ns"]) if peer.get("status") == "ok" else None
        for name, row in variants.items():
            if row["status"] != "ok":
                wrong += row["status"] != "skipped"
                print(f"{first['preset']:18}{name:14}{row['status']}: {row['message']}")
                continue
            ns = float(row["median_raw_ns"])
            axes = dict(axis.split("=") for axis in row["axes"].split(";"))
            b, h, s, d = (int(axes[a]) for a in ("b", "h", "s", "d"))
            work = (5 if axes["causal"] == "yes" else 10) * b * h * s * s * d
            ratio = f"{base / ns:7.3f}x of cudnn" if base else ""
            print(f"{first['preset']:18}{name:14}{ns / 1e3:10.1f} us{work / ns / 1e3:8.1f} TFLOP/s{ratio}  {row['notes'][:150]}")
        if here:
            axes = dict(axis.split("=") for axis in first["axes"].split(";"))
            for name, us in torch_times(axes).items():
                print(f"{first['preset']:18}torch-{name:8}{us:10.1f} us (by PyTorch's clock)")
        sys.stdout.flush()
    return int(wrong > 0 or not cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
