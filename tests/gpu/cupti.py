#!/usr/bin/env python3
"""cupti.py TREE PLUGIN TRACE: checks gpubench against an independent clock.
Compares what gpubench reports in mode hot for real kernels, from 3 us to milliseconds, with the durations that CUPTI
sees in a separate run. The difference on an empty kernel is printed and subtracted. Ten kernels of 3 us and more must
agree within max(0.5 us, 1%), and all within 2 us: between kernels that run back to back and have just written much,
there is a microsecond that CUPTI counts for neither. TRACE is the built tests/gpu/cupti_trace.c.
Exits with 1 if they disagree, with 77 without CUPTI or without a GPU."""

import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

# each entry: a pattern for the kernel's name, the arguments of the run, the variant
KERNELS = [("empty_kernel", ["calibrate.so", "--bench", "empty"], "kernel")]
for n in (2**18, 2**20, 2**22, 2**24, 2**26, 2**28):
    KERNELS += [("map(<.*(0|false)|ILb0)", ["PLUGIN", "--bench", "map", "-a", f"n={n}"], "copy"),
                ("map(<.*(1|true)|ILb1)", ["PLUGIN", "--bench", "map", "-a", f"n={n}"], "gelu")]
KERNELS += [("fused", ["softmax.so", "-a", "m=8192", "-a", f"n={n}", "-a", "dtype=bf16"], "fused") for n in (512, 2048, 8192)]
KERNELS += [("flash", ["attention.so", "--preset", preset], "flash") for preset in ("gpt2/1k", "llama3-8b/4k")]


def gpubench(binary, plugin, arguments, variant, out, environment=None):
    command = [binary, "--plugin", *[plugin if a == "PLUGIN" else a for a in arguments], "--variant", variant, "--mode", "hot",
               "--device", "cuda", "--ceilings", "off", "--case-time", "1", "--out", out, "-q"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode == 4:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    with open(pathlib.Path(out) / "results.csv", newline="", encoding="utf-8") as file:
        return [float(row["median_raw_ns"]) for row in csv.DictReader(file) if row["variant"] == variant], done.stderr


def seen(path, pattern):
    durations = []
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            ns, _, name = line.partition(" ")
            if re.search(pattern, name):
                durations.append(int(ns))
    return durations


def main():
    tree, plugin, trace = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:4])
    binary, offset, broken, agree = tree + "/bin/gpubench", None, 0, 0
    with tempfile.TemporaryDirectory(prefix="gpubench-cupti-") as work:
        for index, (pattern, arguments, variant) in enumerate(KERNELS):
            (said,), _ = gpubench(binary, plugin, arguments, variant, f"{work}/{index}")
            log = pathlib.Path(work) / f"{index}.trace"
            _, errors = gpubench(binary, plugin, arguments, variant, f"{work}/{index}-traced",
                                 {"CUDA_INJECTION64_PATH": trace, "GPUBENCH_CUPTI_TRACE": str(log)})
            durations = seen(log, pattern)
            if len(durations) < 20:
                print(f"{'skipped' if offset is None else 'FAILED'}: CUPTI saw {len(durations)} kernels that match "
                      f"'{pattern}'; {errors.strip()}")
                return 77 if offset is None else 1
            cupti = statistics.median(durations)
            if offset is None:
                offset = said - cupti
                print(f"empty kernel: gpubench {said:.0f} ns, CUPTI {cupti:.0f} ns: offset {offset:.0f} ns")
                continue
            rest, most = said - cupti - offset, max(500, 0.01 * cupti)
            agree += abs(rest) <= most and cupti >= 3000
            broken += abs(rest) > max(2000, most)
            print(f"{' '.join(arguments[1:])} {variant}: gpubench {said / 1e3:.3f} us, CUPTI {cupti / 1e3:.3f} us, beyond the "
                  f"offset {rest:+.0f} ns, allowed {most:.0f}{'  MORE' if abs(rest) > most else ''}")
    print(f"{agree} kernels of 3 us and more agree, at least 10 must; {broken} are off by more than 2 us")
    return 1 if broken or agree < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
