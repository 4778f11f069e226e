"""What battery.py and honest.py share: lists of runs, runs of gpubench that are kept as JSON, and which of them can be judged."""

import csv
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORDS = ("faster", "same", "slower")
AGAIN = ("busy machine", "too few rounds", "too noisy", "interrupted")  # what judges nothing
DISOWNED = "is not as gpubench wrote it"  # said of files that somebody has changed
UNSET = ("CI", "NO_COLOR", "COLUMNS", "GPUBENCH_OUT", "GPUBENCH_PLUGIN_PATH", "CLICOLOR_FORCE")
FOLDERS = {"cheats.so": "tests/cheats", "cheat_cuda.so": "tests/plugins", "examples/": "", "cheat_": "tests/cheats/guests"}


class ListError(Exception):
    pass


class Stopped(Exception):
    pass


def numbered_lines(path):
    """(where, line) of what is neither empty nor a comment"""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path.name}:{number}", line


def plugin_file(word, trees, guests=None):
    """What stands for a plugin's word of a list on the command line: a file of the folder `guests`, or of the first of the build
    trees that has it; a script of the source tree; else the word, a bundled plugin."""
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
    """Rows of the run's own plugins: calibrate's are those of ceilings, where it was not asked for."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return [row for row in csv.DictReader(file) if "calibrate" in command or not str(row.get("bench")).startswith("calibrate/")]


def run_gpubench(command, device, out, **variables):
    """Runs it in a folder of its own; {exit, said, plan, seconds, rows} as JSON in the file `out`."""
    with tempfile.TemporaryDirectory(prefix="gpubench-run-") as folder:
        os.chmod(folder, 0o755)  # with --isolate workers are other users
        environment = {k: v for k, v in os.environ.items() if k not in UNSET} | variables
        if device == "cpu":
            environment.update(LC_ALL="C.UTF-8", GPUBENCH_LOCK_DIR=folder, HOME=folder)  # where a guest may leave something
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
    """Runs in a folder, which are not made again, until the time is over."""

    def __init__(self, folder, tries, seconds):
        self.folder, self.tries, self.end = folder, tries, time.monotonic() + seconds

    def tried(self, name, make, spoiled):
        """Of several tries the first that is not `spoiled` (a number), else the least and latest; `make` makes one in a file."""
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
    """Why nothing in the run's folder is to be believed; None: it may be."""
    if DISOWNED in result["said"]:
        return f"a file {DISOWNED}"
    return None if result["exit"] in (0, 3) else f"exit {result['exit']}"


def last_line(result):
    lines = [line for line in result["said"].splitlines() if line.strip()]
    return lines[-1][:160] if lines else "nothing said"
