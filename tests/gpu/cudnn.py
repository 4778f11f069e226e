#!/usr/bin/env python3
"""cudnn.py TREE TRACE [--rounds N] [--preset GLOB]
Compares attention's variant `cudnn` with PyTorch's cuDNN backend at every preset of attention/forward. TREE holds
bin/gpubench, TRACE is tests/plugins/cupti_trace.so. LD_LIBRARY_PATH gives the variant the library that PyTorch loads.
Both must run the same kernels, as CUPTI and PyTorch's profiler report them, and the variant may take at most 2% longer
than PyTorch. Each is timed N times (3), alternately, by its own program's clock. A file that is not cuDNN must lead to
a skip with the reason.
Exits with 1 if any of this fails, with 77 without PyTorch with CUDA."""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MOST = 1.02
HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE.parent.parent / "ci" / "peers" / "pytorch.py"


def gpubench(tree, out, *arguments, **environment):
    command = [f"{tree}/bin/gpubench", "--plugin", "attention.so", "--bench", "forward", "--variant", "cudnn", "--device", "cuda",
               "--ceilings", "off", "--out", out, "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    with open(pathlib.Path(out) / "results.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["variant"] == "cudnn"], done


def folder_of_cudnn():
    """Returns the folder of the cuDNN library that PyTorch has loaded."""
    import torch
    torch.backends.cudnn.version()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return next((os.path.dirname(line.split()[-1]) for line in maps if "/libcudnn.so" in line), None)


def with_folder(folder):
    return ":".join([folder] + [part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part])


def torch_rows(run):
    """Returns PyTorch's time of each case of a run, in nanoseconds."""
    command = [sys.executable, "-B", str(PEERS), run, "--variant", "sdpa-cudnn", "--samples", "100", "--case-time", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    return {row["case_key"]: float(row["median_ns"]) for row in csv.DictReader(done.stdout.splitlines())}, done.stderr


def kernels_of_torch(row):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.profiler import ProfilerActivity, profile
    axes = dict(part.split("=", 1) for part in row["axes"].split(";"))
    b, h, s, d = (int(axes[a]) for a in "bhsd")
    h_kv = int(axes.get("h_kv", h))
    q, k, v = (torch.randn(b, n, s, d, device="cuda", dtype=torch.bfloat16) for n in (h, h_kv, h_kv))

    def run():
        with torch.no_grad(), sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=axes["causal"] == "yes", enable_gqa=h != h_kv)
        torch.cuda.synchronize()

    run()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        run()
    return {event.name for event in seen.events() if "cudnn" in event.name}


def kernel_of_gpubench(tree, trace, row, out):
    """Returns the name of the last kernel: earlier ones may belong to plans that were only tried. This is a timed run,
    because the trace misses the last 20 ms of a process."""
    log = pathlib.Path(out).with_suffix(".trace")
    gpubench(tree, out, "--case", row["case_key"], "--case-time", "0.2", CUDA_INJECTION64_PATH=trace, GPUBENCH_CUPTI_TRACE=str(log))
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {line.split(" ", 1)[1] for line in [line for line in lines if "cudnn" in line][-1:]}


def a_library_that_is_none(tree, work):
    """Returns true if the check failed: the row must be skipped and say why."""
    folder = pathlib.Path(work) / "none"
    folder.mkdir()
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-xc", "/dev/null", "-o", str(folder / "libcudnn.so.9")], check=True)
    (row,), _ = gpubench(tree, f"{work}/none-run", "--preset", "gpt2/1k", "--verify-only", LD_LIBRARY_PATH=with_folder(str(folder)))
    good = row["status"] == "skipped" and "the library has no cudnn" in row["message"]
    print(f"a library that is none: {row['status']}, {row['message']}{'' if good else '  FAILED'}")
    return not good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--preset", default="*")
    options = parser.parse_args()
    tree, trace = options.tree.resolve(), str(options.trace.resolve())
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("skipped: no PyTorch with CUDA here")
        return 77
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__} with cuDNN {torch.backends.cudnn.version()}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gpubench-cudnn-") as work:
        failed |= a_library_that_is_none(tree, work)
        os.environ["LD_LIBRARY_PATH"] = with_folder(folder_of_cudnn())
        ours, theirs, cases = {}, {}, {}
        for turn in range(options.rounds):
            rows, done = gpubench(tree, f"{work}/{turn}", "--preset", options.preset, "--case-time", "1")
            if not rows:
                sys.exit(done.stderr)
            for row in rows:
                cases[row["case_key"]] = row
                if row["status"] == "ok":
                    ours.setdefault(row["case_key"], []).append(float(row["median_raw_ns"]))
            times, said = torch_rows(f"{work}/{turn}")
            for key, ns in times.items():
                theirs.setdefault(key, []).append(ns)
        for number, (key, row) in enumerate(cases.items()):
            if key not in ours or key not in theirs:
                print(f"{row['preset']}: FAILED: {row['status']} {row['message']} {'' if key in theirs else said}")
                failed = 1
                continue
            a, b = statistics.median(ours[key]), statistics.median(theirs[key])
            mine, torchs = kernel_of_gpubench(tree, trace, row, f"{work}/names{number}"), kernels_of_torch(row)
            good = a <= MOST * b and torchs == mine and mine
            failed |= not good
            print(f"{row['preset']}: {a / 1e3:.1f} us, PyTorch {b / 1e3:.1f} us: {a / b:.4f}; {row['notes']}"
                  f"{'' if good else '  FAILED'}")
            print(f"    PyTorch's kernels {sorted(torchs)}, ours {'too' if torchs == mine else sorted(mine)}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
