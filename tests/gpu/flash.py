#!/usr/bin/env python3
"""tests/gpu/flash.py RESULTS: prints each variant's time in a run of attention/forward and its ratio to cudnn's, or its
status and message, the times of PyTorch at the same sizes if PyTorch with CUDA is installed, and the geometric mean and
the least of the ratios. Exits with 1 if wgmma is below its goals."""

import csv
import statistics
import sys

# Goals for wgmma relative to cudnn's rate: in any case, with heads of 64, and in the geometric mean.
LEAST, LEAST_64, MEAN = 0.95, 1.05, 1.0


def torch_times(axes):
    """Returns the time of each backend in microseconds, launches included."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    b, h, h_kv, s, d = (int(axes[name]) for name in ("b", "h", "h_kv", "s", "d"))
    dtype = torch.float16 if axes["dtype"] == "fp16" else torch.bfloat16
    q, k, v = (torch.randn(b, n, s, d, device="cuda", dtype=dtype) for n in (h, h_kv, h_kv))
    times = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        taken = []
        for turn in range(25):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            with sdpa_kernel([backend]):
                start.record()
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=axes["causal"] == "yes", enable_gqa=h != h_kv)
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
    cases, wrong, ratios = {}, 0, {}
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
            work = (2 if axes["causal"] == "yes" else 4) * b * h * s * s * d
            if base and name != "cudnn":
                ratios.setdefault(name, []).append(base / ns)
            short = base and name == "wgmma" and base / ns < (LEAST_64 if d == 64 else LEAST)
            wrong += bool(short)
            ratio = f"{base / ns:7.3f}x of cudnn{' FAILED' if short else ''}" if base else ""
            print(f"{first['preset']:18}{name:14}{ns / 1e3:10.1f} us{work / ns / 1e3:8.1f} TFLOP/s{ratio}  {row['notes'][:150]}")
        if here and "e4m3" not in first["axes"]:  # PyTorch has no attention for e4m3
            axes = dict(axis.split("=") for axis in first["axes"].split(";"))
            for name, us in torch_times(axes).items():
                print(f"{first['preset']:18}torch-{name:8}{us:10.1f} us (by PyTorch's clock)")
        sys.stdout.flush()
    for name, all_of in ratios.items():
        print(f"{name:18}geometric mean {statistics.geometric_mean(all_of):.3f}x of cudnn, least {min(all_of):.3f}x, {len(all_of)} cases")
    wrong += statistics.geometric_mean(ratios.get("wgmma", [MEAN])) < MEAN
    return int(wrong > 0 or not cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
