"""Cases per second with workers against those of --in-process, on the cpu device with cases of about a millisecond. Runs
of both kinds alternate, and the fastest of each counts: on a busy machine everything else only makes them slower."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

LEAST = 0.9
SIZE = 15000  # elements of the smallest case: 1.0 to 1.1 ms in process on a Xeon of 2.1 GHz


def seconds(cases, mode, folder):
    command = [os.environ["GPUBENCH_BIN"], "--plugin", os.environ["GPUBENCH_TEST_PLUGINS"] + "/ok_vector.so", "--device", "cpu",
               "-a", f"n={SIZE}:{SIZE + 8 * (cases - 1)}:8", "--variant", "plain", "--verify-only", "--no-save", "-q", *mode]
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   env={**os.environ, "GPUBENCH_LOCK_DIR": folder})
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory(prefix="gpubench-rate-") as folder:
        for _ in range(args.runs):
            for name, mode in (("workers", ()), ("in process", ("--in-process",))):
                # what a run costs before and after its cases is in the short one as well
                cost = seconds(args.cases, mode, folder) - seconds(1, mode, folder)
                best[name] = min(best.get(name, cost), cost)
    for name, cost in best.items():
        print(f"{name:12} {args.cases / cost:8.0f} cases/s, {1e3 * cost / args.cases:.3f} ms each")
    ratio = best["in process"] / best["workers"]
    print(f"with workers {ratio:.1%} of the cases per second of --in-process; at least {LEAST:.0%} is wanted")
    return ratio < LEAST


if __name__ == "__main__":
    sys.exit(main())
