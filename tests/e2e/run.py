"""Shared code of the end-to-end tests: runs gpubench in a temporary folder and reads its files.

GPUBENCH_BIN and GPUBENCH_TEST_PLUGINS name the binary and the test plugins; GPUBENCH_PLUGINS, if set, is the folder
of the bundled ones. Commands get `--device cpu` unless a test names a device."""

import csv
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCHEMAS = Path(__file__).resolve().parents[2] / "reports/schema"
BIN = os.environ.get("GPUBENCH_BIN", "")
PLUGINS = Path(os.environ.get("GPUBENCH_TEST_PLUGINS", ""))
if not BIN or not PLUGINS.is_dir():
    sys.exit("set GPUBENCH_BIN to the binary and GPUBENCH_TEST_PLUGINS to the folder of the test plugins")
BIN = str(Path(BIN).resolve())
PLUGINS = PLUGINS.resolve()


def check_schema(path, schema):
    """Validates one of our files against its schema if jsonschema is installed (test_outputs.py reports if it is not)."""
    if importlib.util.find_spec("jsonschema"):
        import jsonschema  # importing it takes half of a test's start, and few tests need it

        jsonschema.validate(json.loads(path.read_text()), json.loads((SCHEMAS / schema).read_text()), cls=jsonschema.Draft7Validator)


# Verdicts that equally fast variants may get when the machine may be busy.
NO_WORD = {"busy machine", "too few rounds", "too noisy", "not checked alone", "unproven", "undecided (one process)",
           "undecided (launch)", "undecided (one of many)"}
NO_CHANGE = {"same", "undecided", *NO_WORD}

# First arguments that are commands, not plugins to run.
OTHERS = {"list", "report", "compare", "new", "check", "history", "trend", "doctor"}

# Factor on the timeouts of a quiet machine, before a process counts as hanging.
PATIENCE = 5

# Messages of rows that are ok: on a busy machine an empty launch may take nearly as long as a small kernel.
FINE = r"^((no time less the launch overhead|not checked alone): .*)?$"

# GPUBENCH_TORCH=1 runs the tests that need PyTorch in any case, 0 skips them; without it they run if PyTorch is found.
TORCH = os.environ.get("GPUBENCH_TORCH", "1" if importlib.util.find_spec("torch") else "0") == "1"
needs_torch = unittest.skipUnless(TORCH, "without PyTorch: `ci/test.sh --extra` has it")

# Flushing caches is tested in tests/unit/host/device/test_cpu.c; elsewhere it would be most of a run's work.
os.environ.setdefault("GPUBENCH_FLUSH_BYTES", "65536")

# Variables that would change the tested defaults.
UNSET = ("CI", "NO_COLOR", "COLUMNS", "GPUBENCH_OUT", "GPUBENCH_PLUGIN_PATH", "CLICOLOR_FORCE", "SOURCE_DATE_EPOCH")


class Result:
    def __init__(self, exit, out, err):
        self.exit, self.out, self.err = exit, out, err

    def __str__(self):
        return f"exit {self.exit}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def plugin(name):
    path = PLUGINS / (name + ".so")
    assert path.exists(), path
    return str(path)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def members(session):
    """Returns the process ids of a session, without zombies."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                # Asked after each run; pathlib takes three times as long.
                with open(f"/proc/{entry}/stat", "rb", buffering=0) as file:
                    fields = file.read().rpartition(b")")[2].split(None, 4)
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != b"Z":
                found.append(int(entry))
    return found


class GpubenchTest(unittest.TestCase):
    """Gives each test an empty folder, self.dir, as current directory and home of its runs."""

    maxDiff = None
    binary = BIN

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="gpubench-e2e-"))
        self.locks = Path(tempfile.mkdtemp(prefix="gpubench-locks-"))  # tests may run in parallel
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.addCleanup(shutil.rmtree, self.locks, ignore_errors=True)

    def start(self, *args, env=None, cwd=None, limited=True):
        """Starts gpubench. `limited`: a run gets as much time as a busy machine needs, instead of the time that it
        announces."""
        args = [str(a) for a in args]
        command = args[0] if args and not args[0].startswith("-") else "run"
        if command in ("run", "list") and not {"--device", "--resume", "--help", "--version", "-V"} & set(args):
            args += ["--device", "cpu"]
        first = args[1:2] if args[:1] == ["run"] else args[:1]
        named = {"--plugin", "--suite"} & {a.split("=")[0] for a in args} or first and not first[0].startswith("-")
        if limited and command not in OTHERS and named and not {"--max-time", "--resume", "--help", "--version"} & set(args):
            args += ["--max-time", "600"]
        variables = {k: v for k, v in os.environ.items() if k not in UNSET}
        variables.update(HOME=str(self.dir), XDG_CACHE_HOME=str(self.dir / "cache"), LC_ALL="C.UTF-8", GPUBENCH_LOCK_DIR=str(self.locks))
        if command == "run" and {"--plugin", "--suite", "--resume"} & {a.split("=")[0] for a in args}:
            # Tests do not depend on the speed of this machine.
            variables["GPUBENCH_PLUGIN_PATH"] = str(PLUGINS / "small")
        variables.update(env or {})
        return subprocess.Popen(
            [self.binary, *args], cwd=cwd or self.dir, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)

    def finish(self, process, timeout=300):
        timeout *= PATIENCE
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.fail(f"still running after {timeout} s\n{Result(None, out.decode(), err.decode())}")
        # Bytes that are not UTF-8 fail the test here.
        result = Result(process.returncode, out.decode("utf-8"), err.decode("utf-8"))
        for _ in range(100):
            left = members(process.pid)
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, [], f"processes left behind\n{result}")
        return result

    def gpubench(self, *args, timeout=300, **kwargs):
        return self.finish(self.start(*args, **kwargs), timeout)

    def ok(self, *args, **kwargs):
        result = self.gpubench(*args, **kwargs)
        self.assertEqual(result.exit, 0, result)
        return result

    def one_line_error(self, exit, *args, **kwargs):
        """Expects the command to fail with this exit code and to give the reason in one line, which is returned."""
        result = self.gpubench(*args, **kwargs)
        self.assertEqual(result.exit, exit, result)
        self.assertEqual(result.out, "", result)
        lines = [line for line in result.err.splitlines() if line.startswith("gpubench: ")]
        self.assertEqual(len(lines), 1, result)
        return lines[0]

    def refusal(self, exit, name, *args, **kwargs):
        """Like one_line_error(), for a plugin that is refused: the returned line names the file, and a closing line may
        follow."""
        result = self.gpubench(*args, **kwargs)
        self.assertEqual(result.exit, exit, result)
        self.assertEqual(result.out, "", result)
        lines = [line for line in result.err.splitlines() if line.startswith("gpubench: ") and name in line]
        self.assertEqual(len(lines), 1, result)
        self.assertLessEqual(len(result.err.splitlines()), 2, result)
        return lines[0]

    def fake(self, **ns):
        """Returns the options for a scripted device on which the named variants take these times, others 50 us, with a
        little noise. Runs on it end by their precision, because the time of a case, which is real time, might cut them
        short on a slow machine."""
        noise = "sample_sd = 0.004\nslot_sd = 0.001\n"
        sections = [f"[{variant}]\nns = {time}\n{noise}" for variant, time in [*ns.items(), ("*", 50000)]]
        (self.dir / "fake.ini").write_text("[device]\ntick_ns = 32\nseed = 3\n" + "".join(sections))
        return ("--device", f"fake:{self.dir}/fake.ini", "--case-time", "600")

    def run_dirs(self, out="gpubench-out"):
        folder = self.dir / out
        return sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink()) if folder.is_dir() else []

    def run_dir(self):
        dirs = self.run_dirs()
        self.assertEqual(len(dirs), 1, dirs)
        return dirs[0]

    def rows(self, folder=None):
        return read_csv((folder or self.run_dir()) / "results.csv")

    def by_variant(self, folder=None):
        """Returns the rows of a run with one case, by variant."""
        rows = self.rows(folder)
        found = {row["variant"]: row for row in rows}
        self.assertEqual(len(found), len(rows), "more than one case")
        return found

    def number(self, row, name):
        self.assertNotEqual(row[name], "", f"{name} is empty in {row}")
        return float(row[name])


def main():
    done = unittest.main(verbosity=2, exit=False).result
    if done.wasSuccessful() and done.testsRun == len(done.skipped):
        sys.exit(77)  # ctest shows it as skipped, not as passed
    sys.exit(not done.wasSuccessful())
