"""Measures the cost of worker processes on the cpu device: the cases per second with workers, compared with
--in-process, for cases of about a millisecond; and the time to replace a worker that has crashed. Runs of both kinds
alternate, and the fastest of each counts, because other load only makes them slower."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

LEAST = 0.9
MOST_MS = 100
SIZE = 15000  # elements of the smallest case: 1.0 to 1.1 ms in process on a Xeon at 2.1 GHz


def seconds(folder, plugin, *arguments, ends=0):
    command = [os.environ["GPUBENCH_BIN"], "--plugin", f"{os.environ['GPUBENCH_TEST_PLUGINS']}/{plugin}.so", "--device", "cpu",
               "--verify-only", "--no-save", "-q", *arguments]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "GPUBENCH_LOCK_DIR": folder})
    if done.returncode != ends:
        sys.exit(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
    return time.monotonic() - start


def of_cases(folder, cases, *mode):
    return seconds(folder, "ok_vector", "-a", f"n={SIZE}:{SIZE + 8 * (cases - 1)}:8", "--variant", "plain", *mode)


def of_crashes(folder, crashes):
    """Times cases in each of which the bench's `supports` crashes."""
    return seconds(folder, "bad_supports", "-a", f"at=2:{2 + 10 * (crashes - 1)}:10", ends=3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--crashes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory(prefix="gpubench-rate-") as folder:
        for _ in range(args.runs):
            # The short run has the same start and end, so the difference is the cost of the cases.
            costs = {"workers": of_cases(folder, args.cases) - of_cases(folder, 1),
                     "in process": of_cases(folder, args.cases, "--in-process") - of_cases(folder, 1, "--in-process"),
                     "crashes": of_crashes(folder, args.crashes + 1) - of_crashes(folder, 1)}
            for name, cost in costs.items():
                best[name] = min(best.get(name, cost), cost)
    restart_ms = 1e3 * best.pop("crashes") / args.crashes
    for name, cost in best.items():
        print(f"{name:12} {args.cases / cost:8.0f} cases/s, {1e3 * cost / args.cases:.3f} ms each")
    ratio = best["in process"] / best["workers"]
    print(f"with workers {ratio:.1%} of the cases per second of --in-process; at least {LEAST:.0%} is wanted")
    print(f"a crash and a new worker: {restart_ms:.1f} ms; at most {MOST_MS} ms is wanted")
    return ratio < LEAST or restart_ms > MOST_MS


if __name__ == "__main__":
    sys.exit(main())
