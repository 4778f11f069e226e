"""Shared code of battery.py and honest.py: lists of runs, runs of gpubench that are kept as JSON, and the decision
whether they can be judged."""

import csv
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORDS = ("faster", "same", "slower")
AGAIN = ("busy machine", "too few rounds", "too noisy", "interrupted")  # verdicts that judge nothing
DISOWNED = "is not as gpubench wrote it"  # printed about files that were changed by others
UNSET = ("CI", "NO_COLOR", "COLUMNS", "GPUBENCH_OUT", "GPUBENCH_PLUGIN_PATH", "CLICOLOR_FORCE")
FOLDERS = {"cheats.so": "tests/cheats", "cheat_cuda.so": "tests/plugins", "examples/": "", "cheat_": "tests/cheats/guests"}


class ListError(Exception):
    pass


class Stopped(Exception):
    pass


def numbered_lines(path):
    """Yields (where, line) for lines that are neither empty nor comments."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path.name}:{number}", line


def plugin_file(word, trees, guests=None):
    """Returns the plugin argument for a list's word: a file in the folder `guests`, or in the first of the build trees
    that has it; a script of the source tree; otherwise the word itself, a bundled plugin."""
    folder = next((folder for begin, folder in FOLDERS.items() if word.startswith(begin)), None)
    if folder is None:
        return HERE / "guests" / word if (HERE / "guests" / word).exists() else word
    places = [guests / word] if guests and folder.endswith("guests") else [tree / folder / word for tree in trees]
    if word.endswith(".py"):
        places.append(HERE.parents[1] / "sdk" / word)
    return next((place for place in places if place.exists()), places[0])


def is_python(word):
    return word.endswith(".py") or word.startswith(("numpy_", "torch_", "triton_"))


def rows_in(path, command):
    """Returns the rows of the run's own plugins, without calibrate's unless it was asked for: those are ceilings."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return [row for row in csv.DictReader(file) if "calibrate" in command or not str(row.get("bench")).startswith("calibrate/")]


def run_gpubench(command, device, out, **variables):
    """Runs gpubench in a temporary folder. Writes {exit, said, plan, seconds, rows} as JSON to the file `out`."""
    with tempfile.TemporaryDirectory(prefix="gpubench-run-") as folder:
        os.chmod(folder, 0o755)  # with --isolate workers are other users
        environment = {k: v for k, v in os.environ.items() if k not in UNSET} | variables
        if device == "cpu":
            environment.update(LC_ALL="C.UTF-8", GPUBENCH_LOCK_DIR=folder, HOME=folder)  # a guest may leave files there
        begin = time.monotonic()
        try:
            done = subprocess.run([*map(str, command), "--device", device, "--out", f"{folder}/run"], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=400)
            code, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as error:
            code, said = -1, (error.stdout or b"").decode(errors="replace")
        result = {"exit": code, "said": said[-4000:], "seconds": time.monotonic() - begin, "rows": rows_in(Path(folder, "run/results.csv"), command),
                  "plan": next((line for line in said.splitlines() if line.startswith("plan ")), "")}
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_suffix(".part")
        part.write_text(json.dumps(result))
        part.rename(out)


def load(path):
    return json.loads(path.read_text())


class Keeper:
    """Keeps runs in a folder and does not repeat them; raises Stopped when the time is over."""

    def __init__(self, folder, tries, seconds):
        self.folder, self.tries, self.end = folder, tries, time.monotonic() + seconds

    def tried(self, name, make, spoiled):
        """Returns the first of several tries for which `spoiled` returns 0, otherwise the latest of those with the
        least; `make` makes one in a file."""
        best = None
        for attempt in range(self.tries):
            out = self.folder / f"{name}.{attempt}.json"
            if not out.exists():
                if time.monotonic() > self.end:
                    raise Stopped(f"before {name}")
                make(out)
            result = load(out)
            if best is None or spoiled(result) <= spoiled(best):
                best = result
            if not spoiled(best):
                break
        return best


def number(text):
    return float(text) if text else 0.0


def why_refused(result):
    """Returns the reason why no file of the run can be trusted, or None."""
    if DISOWNED in result["said"]:
        return f"a file {DISOWNED}"
    return None if result["exit"] in (0, 3) else f"exit {result['exit']}"


def last_line(result):
    lines = [line for line in result["said"].splitlines() if line.strip()]
    return lines[-1][:160] if lines else "nothing said"
