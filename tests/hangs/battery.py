"""battery.py BUILD: tests that whatever hangs is named, the other variants are measured, and the run ends within the
time that it announced. Each cell is a run of hangs.c or snare.py: what hangs, in a bench with which other variants and
cases, and which limit ends the run. Prints a table of seconds taken / seconds allowed; exits with 1 if a cell fails.

With --device cuda:0, `device` and `stream` use bad_hang_cuda.so: `device` is a kernel that `prepare` leaves running,
`stream` one that `run` starts on a stream that it never waits for. Exits with 77 without the GPU or that plugin."""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WHATS = ("run", "prepare", "release", "reference", "device", "python", "thread", "progress")
LAYOUTS = ("alone", "nine", "three")
LIMITS = {"max-time": ("--max-time", "30"), "default": (), "quick": ("--quick",), "verify-only": ("--verify-only",)}
# Phases that differ from the name of what hangs: a script's `run` is first entered while it is prepared; a thread is
# waited for in `run`.
PHASES = {"python": "(prepare|run)", "thread": "run", "progress": "prepare", "device": "(prepare|run)", "stream": "run"}
SLACK_S = 2
DEVICE_SCRIPT = "[device]\ntick_ns = 32\nseed = 3\n[{glob}]\nns = 50000\nendless = 1\n[*]\nns = 50000\nsample_sd = 0.004\n"


class Cell:
    def __init__(self, build, device, what, layout, limit):
        self.build, self.device, self.what, self.layout, self.limit = build, device, what, layout, limit
        self.trap = "snare" if what == "python" else "trap"
        self.on_gpu = what in ("device", "stream") and device.startswith("cuda")

    def command(self, folder):
        plugin = "bad_hang_cuda.so" if self.on_gpu else "hangs.so"
        args = [self.build / "bin/gpubench", "--plugin", self.build / "tests/plugins" / plugin, "--bench", self.layout,
                "--out", folder / "o", *LIMITS[self.limit]]
        device = "cpu"
        if self.what == "python":
            args += ["--plugin", HERE / "snare.py", "--exclude", "trap", "--python", sys.executable]
        if self.what == "device" and not self.on_gpu:
            glob = "*which=2* trap" if self.layout == "three" else "trap"
            (folder / "fake.ini").write_text(DEVICE_SCRIPT.format(glob=glob))
            device = f"fake:{folder}/fake.ini"
        return [str(a) for a in (*args, "--device", self.device if self.on_gpu else device)]

    def run(self, folder):
        env = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "GPUBENCH_LOCK_DIR": str(folder),
               # The speed of this machine does not matter here.
               "GPUBENCH_PLUGIN_PATH": str(self.build / "tests/plugins/small"),
               "GPUBENCH_FLUSH_BYTES": "65536",
               "HANGS": self.what, "HANGS_IN": "2" if self.layout == "three" else "", "LC_ALL": "C.UTF-8"}
        begun = time.monotonic()
        done = subprocess.run(self.command(folder), env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200)
        self.took_s = time.monotonic() - begun
        said = re.search(r"(?m)^plan .*; at most ([\d.]+) s", done.stdout)
        self.may_s = float(said[1]) if said else 0
        rows = folder / "o/results.csv"
        self.rows = list(csv.DictReader(rows.open(newline=""))) if rows.exists() else []
        self.rows = [row for row in self.rows if row["plugin"] != "calibrate"]
        self.text, self.exit = done.stdout + done.stderr, done.returncode

    def hangs(self, row):
        here = self.layout != "three" or "which=2" in row["case_key"]
        return here and (self.what == "reference" or row["variant"] == self.trap)

    def faults(self):
        """Yields a sentence for each deviation from the expected outcome."""
        wanted = {"alone": 1, "nine": 9, "three": 9}[self.layout]
        if len(self.rows) != wanted:
            yield f"{len(self.rows)} rows of {wanted}: {self.text[-500:]}"
        for row in self.rows:
            where = f"{row['case_key']} {row['variant']}: {row['status']} {row['message'][:160]}"
            phase = PHASES.get(self.what, self.what)
            if self.hangs(row):
                if row["status"] != "timeout" or not re.match(rf"no return within .* in {phase} of ", row["message"]):
                    yield f"not named: {where}"
            elif row["status"] != "ok" or (self.limit != "verify-only" and not row["median_raw_ns"]):
                yield f"not measured: {where}"
        if self.exit != 3:
            yield f"exit {self.exit}"
        if self.may_s == 0:
            yield "no limit was announced"
        if self.took_s > self.may_s + SLACK_S:
            yield f"took {self.took_s:.1f} s of {self.may_s:g}"


def tell(cells):
    print(f"{'':10}" + "".join(f"{limit:>36}" for limit in LIMITS))
    print(f"{'seconds':10}" + "".join(f"{layout:>12}" for _ in LIMITS for layout in LAYOUTS))
    for what in dict.fromkeys(cell.what for cell in cells):
        line = {(cell.layout, cell.limit): f"{'' if cell.good else '! '}{cell.took_s:.1f}/{cell.may_s:g}" for cell in cells if cell.what == what}
        if line:
            print(f"{what:10}" + "".join(f"{line.get((layout, limit), ''):>12}" for limit in LIMITS for layout in LAYOUTS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--device", default="cpu", help="of the column `device`: cpu, which is a scripted one, or cuda:0")
    parser.add_argument("--what", default=",".join(WHATS), help="these alone")
    parser.add_argument("--layout", default=",".join(LAYOUTS))
    parser.add_argument("--limit", default=",".join(LIMITS))
    o = parser.parse_args()
    build = o.build.resolve()
    if o.device.startswith("cuda") and not (Path("/dev/nvidiactl").exists() and (build / "tests/plugins/bad_hang_cuda.so").exists()):
        print("skipped: no NVIDIA GPU here, or no bad_hang_cuda.so")
        return 77
    cells = [Cell(build, o.device, what, layout, limit) for what in o.what.split(",") for limit in o.limit.split(",") for layout in o.layout.split(",")]
    for cell in cells:
        folder = Path(tempfile.mkdtemp(prefix="gpubench-hangs-"))
        try:
            cell.run(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found = list(cell.faults())
        cell.good = not found
        print(f"{cell.what:10} {cell.layout:6} {cell.limit:12} {cell.took_s:6.1f} of {cell.may_s:g} s", "; ".join(found) or "ok", flush=True)
    tell(cells)
    good = sum(cell.good for cell in cells)
    print(f"{good} of {len(cells)} as they should be")
    return good < len(cells)


if __name__ == "__main__":
    sys.exit(main())
