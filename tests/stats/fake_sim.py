#!/usr/bin/env python3
"""fake_sim.py GPUBENCH PLUGIN [--processes N] [--trials N] [--noise NAME]...: the whole host on simulated noise of known kinds.

Runs contests of the truth plugin on the scripted device (tests/fake/*.ini, and the models in MORE): `b` is `a` under another name,
`c` takes 1% longer. Prints how often the verdicts and the ratios' intervals are right, each rate with its 95% Clopper-Pearson
interval. Exits with 1 if a rate's whole interval lies on the wrong side of its bound. Seeds are fixed."""

import argparse
import configparser
import csv
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from truth import clopper_pearson  # noqa: E402

NS = 50000
STEADY = {"sample_sd": "0.004", "slot_sd": "0.001"}
# name: noise. The other models are the scripts in tests/fake.
MORE = {"clock": {**STEADY, "tick_ns": "32"}, "throttle": {**STEADY, "throttle_from": "9", "throttle_factor": "1.1"},
        "drift": {**STEADY, "drift": "0.0005"}}
# Bounds of the coverage. Intervals allow for more autocorrelation than this noise has, and for a clock step that this
# noise averages out, so they may cover more than 95%.
COVERAGE = (0.94, 1)
# A difference of 1% takes three processes, whose interval has two degrees of freedom. How often it is found depends on
# how many rounds the time allows.
FOUND = {"ar1": 0.3}
ROUNDS = 150  # fewer rounds, ended by time, mean a busy machine, which is not what this test judges


def noises():
    found = {}
    for path in sorted((pathlib.Path(__file__).resolve().parent.parent / "fake").glob("*.ini")):
        script = configparser.ConfigParser(inline_comment_prefixes=(";",))
        script.read(path)
        found[path.stem] = dict(script["*"], ns=str(NS))
    return {**found, **{name: dict(noise, ns=str(NS)) for name, noise in MORE.items()}}


def script_of(noise, seed):
    noise = dict(noise)
    sections = [("device", {"name": "fake", "tick_ns": noise.pop("tick_ns", "1"), "seed": str(seed)}), ("c", dict(noise, ns=str(1.01 * NS))), ("*", noise)]
    return "".join(f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items()) for name, keys in sections)


def contests(options, noise):
    """Returns the rows of all processes. Their seeds differ, so that no order of variants repeats."""
    rows = []
    for seed in range(1, options.processes + 1):
        with tempfile.TemporaryDirectory(prefix="gpubench-fake-") as work:
            script = pathlib.Path(work) / "fake.ini"
            script.write_text(script_of(noise, seed))
            done = subprocess.run(
                [options.gpubench, "--plugin", options.plugin, "--bench", "sweep", "--device", f"fake:{script}", "-a",
                 f"trial=1:{options.trials}:1", "-a", "n=64", "--seed", str(seed), "--case-time", options.case_time, "--out", work + "/out",
                 "--max-time", "2h", "-q"], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"gpubench: exit {done.returncode}\n{done.stderr}")
            with open(work + "/out/results.csv", newline="", encoding="utf-8") as file:
                rows += [row for row in csv.DictReader(file) if row["bench"] == "truth/sweep"]
    return rows


def rate(yes, of, least, most):
    low, high = clopper_pearson(yes, of)
    broken = high < least or low > most
    return f"{yes / of:6.1%} [{low:6.1%}, {high:6.1%}]{'!' if broken else ' '}", broken


def holds(row, truth):
    return float(row["speedup_lo"]) <= truth <= float(row["speedup_hi"])


def judge(name, rows):
    equal, longer = ([row for row in rows if row["variant"] == variant] for variant in "bc")
    rounds = sum(int(row["rounds"]) for row in equal) / len(equal)
    unstopped = sum(row["stop_reason"] != "precision" for row in rows)
    busy = unstopped > len(rows) / 10 and rounds < ROUNDS
    held = sum(holds(row, 1) for row in equal) + sum(holds(row, 1 / 1.01) for row in longer)
    cells = [
        rate(sum(row["verdict"] in ("faster", "slower") for row in equal), len(equal), 0, 0.02),
        rate(sum(row["verdict"] == "same" for row in equal), len(equal), 0, 1),
        rate(sum(row["verdict"] == "slower" for row in longer), len(longer), 0 if busy else FOUND.get(name, 0.7), 1),
        rate(held, len(equal) + len(longer), *COVERAGE),
    ]
    print(f"{name:9}" + "  ".join(text for text, _ in cells) + f"{rounds:7.0f}" +
          (f"  {unstopped} of {len(rows)} stopped by time" if unstopped else "") + (", too busy to judge what is found" if busy else ""))
    return any(broken for _, broken in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpubench")
    parser.add_argument("plugin")
    parser.add_argument("--processes", type=int, default=40)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--case-time", default="0.15", help="seconds: two clock states leave a median open for ever")
    parser.add_argument("--noise", action="append", help="only these")
    options = parser.parse_args()
    found = noises()
    if len(found) < 7:
        sys.exit("the noise models of tests/fake are missing")
    names = options.noise or list(found)
    print(f"{options.processes} processes of {options.trials} contests of equal code and as many of 1% longer, for each noise")
    print(f"{'noise':9}" + "  ".join(f"{title:24}" for title in ("false words", "same", "1% found", "ratio holds")) + "rounds")
    broken = [name for name in names if judge(name, contests(options, found[name]))]
    if broken:
        print("BROKEN (see the rates marked with !): " + ", ".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
