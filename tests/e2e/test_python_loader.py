"""Variants that use their own processes, from prepare to release, such as PyTorch's DataLoader in the table of
data_pipeline/pipeline: correct rows pass verification, wrong records are found, and no process is left, however a row
ends."""

import os
import sys
from pathlib import Path

from run import FINE, GpubenchTest, main, needs_torch, plugin, read_csv

BUNDLED = Path(os.environ["GPUBENCH_BIN"]).resolve().parent.parent / "lib/gpubench/plugins/torch_data_pipeline.py"
QUICK = ("--quick", "--max-time", "120s")

SCALE = """import ctypes, gpubench, multiprocessing, os, time
fork = multiprocessing.get_context("fork")


def work(pipe):
    while True:
        a, values = pipe.recv()
        pipe.send([a * v for v in values])


def view(t):
    return (ctypes.c_float * t.shape[0]).from_address(t.address)


@gpubench.variant("gpubench.org/test/vector/scale/1", name="f", math="fp32", processes=True)
class F:
    def prepare(self, case):
        self.x, self.y, self.a = view(case.tensors["x"]), view(case.tensors["y"]), case.axes["a"]
        self.pipe, theirs = fork.Pipe()
        self.worker = fork.Process(target=work, args=(theirs,))
        self.worker.start()
        open(os.path.join(case.scratch(), "a-file"), "w").close()

    def run(self):
        self.pipe.send((self.a, list(self.x)))
        self.y[:] = self.pipe.recv()

    def release(self):
        self.worker.kill()
        self.worker.join()
"""


class LoaderTest(GpubenchTest):
    def script(self, text, name="mine.py"):
        path = self.dir / name
        path.write_text(text)
        path.chmod(0o644)
        return path

    def run_with(self, *args, exit=0, env=None):
        """Runs gpubench, and checks that it leaves no file and no process that names the run's scratch folder."""
        scratch, temporary = self.dir / "s", self.dir / "t"
        scratch.mkdir()
        temporary.mkdir()
        result = self.gpubench(*args, "--scratch", scratch, "--ceilings", "off", "--python", sys.executable,
                               env={"TMPDIR": str(temporary), **(env or {})})
        self.assertEqual(result.exit, exit, result)
        self.assertEqual(self.processes(str(scratch)), [])
        self.assertEqual([str(path) for path in (*scratch.rglob("*"), *temporary.rglob("*"))], [])
        return result

    def processes(self, word):
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                said = Path("/proc", entry, "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if word in said and int(entry) != os.getpid():
                found.append((entry, said))
        return found


class Processes(LoaderTest):
    """How the host handles such processes; needs no PyTorch."""

    def scale(self, old="", new="", **kwargs):
        self.assertIn(old, SCALE)
        result = self.run_with(plugin("ok_vector"), self.script(SCALE.replace(old, new, 1) if old else SCALE), "-a", "n=64",
                               "--variant", "plain,f", *QUICK, **kwargs)
        self.assertEqual(self.by_variant()["plain"]["status"], "ok")
        return result, self.by_variant()["f"]

    def test_from_prepare_to_release(self):
        result, row = self.scale()
        self.assertEqual(row["status"], "ok", row)
        self.assertRegex(row["message"], FINE)
        self.assertEqual((row["unverified_work"], self.by_variant()["plain"]["unverified_work"]), ("what its processes do between its slots", ""))
        self.assertNotIn("left process", result.err)

    def test_without_the_flag_they_are_ended(self):
        result, row = self.scale(", processes=True", "", exit=3)
        self.assertRegex(result.err, r"f: prepare left process \d+ running; put back")
        self.assertEqual(row["status"], "error", row)

    def test_left_by_release(self):
        result, row = self.scale("        self.worker.kill()\n        self.worker.join()", "        pass")
        self.assertEqual(row["status"], "ok", row)
        self.assertRegex(result.err, r"release left process \d+ running; put back")

    def test_started_by_run(self):
        _, row = self.scale("        self.pipe.send((", "        fork.Process(target=time.sleep, args=(600,)).start()\n        self.pipe.send((", exit=3)
        self.assertEqual(row["status"], "error", row)
        self.assertRegex(row["message"], r"run left (process \d+|\d+ processes) running")

    def test_prepare_fails(self):
        _, row = self.scale("        open(", "        1 / 0\n        open(", exit=3)
        self.assertEqual(row["status"], "error", row)
        self.assertRegex(row["message"], r"ZeroDivisionError: division by zero \(mine\.py:\d+\)")

    def test_crash_in_run(self):
        _, row = self.scale("        self.y[:] =", "        os.abort()\n        self.y[:] =", exit=3)
        self.assertEqual(row["status"], "crashed", row)


class DataLoader(LoaderTest):
    NAMES = ("dataloader-0", "dataloader-1", "dataloader-all")
    TINY = {"side": 32, "chunk": 8, "chunks": 24, "work": 1, "workers": 2, "cache": "hot"}

    def pipeline(self, *more, script=BUNDLED, variants="serial,dataloader-*", exit=0, env=None, **axes):
        points = [word for axis, values in {**self.TINY, **axes}.items() for word in ("-a", f"{axis}={values}")]
        return self.run_with("--plugin", "data_pipeline.so", "--plugin", script, "--bench", "pipeline", "--variant", variants,
                             *points, *more, exit=exit, env=env)

    def changed(self, old, new):
        text = BUNDLED.read_text()
        self.assertEqual(text.count(old), 1)
        return self.script(text.replace(old, new))

    @needs_torch
    def test_any_size(self):
        """A short last batch, and more passes than there are weights."""
        path = self.dir / "users file.bin"
        path.write_bytes(os.urandom(101 * 3 * 40 * 40))
        result = self.pipeline("--verify-only", "--option", f"data_pipeline.file={path}", side=40, chunk="1,8,200", work="1,70")
        rows = self.rows()
        self.assertEqual(len(rows), 4 * 6)
        self.assertEqual({row["status"] for row in rows}, {"ok"}, rows)
        self.assertEqual(result.err.count("put back"), 0, result)

    @needs_torch
    def test_they_take_part_in_the_rounds(self):
        result = self.pipeline(*QUICK)
        rows, rounds = self.by_variant(), {}
        for slot in read_csv(self.run_dir() / "slots.csv"):
            rounds.setdefault(slot["variant"], set()).add(slot["round"])
        for name in self.NAMES:
            row = rows[name]
            self.assertEqual((row["status"], row["provider"], row["math"]), ("ok", "torch_data_pipeline", "fp32"), row)
            self.assertEqual(rounds[name], rounds["serial"])
            self.assertNotEqual(row["median_raw_ns"], "")
            self.assertRegex(row["notes"], "workers=none" if name == "dataloader-0" else r"workers=[12] processes, 2 batches ahead each")
        self.assertNotIn("put back", result.err)

    def wrong(self, old, new, *more):
        self.pipeline(*(more or ("--verify-only",)), script=self.changed(old, new), exit=3)
        rows = self.by_variant()
        self.assertEqual(rows["serial"]["status"], "ok")
        for name in self.NAMES:
            self.assertEqual(rows[name]["status"], "wrong", rows[name])
            self.assertRegex(rows[name]["message"], r"'sums': error")
            self.assertEqual(rows[name]["median_raw_ns"], "")

    @needs_torch
    def test_wrong_record(self):
        self.wrong("[raw], record * self.bytes)", "[raw], (record ^ (record == 77)) * self.bytes)")

    @needs_torch
    def test_wrong_window(self):
        self.wrong("g[:, 2] % 2", "g[:, 2] % 2 * 0")

    @needs_torch
    def test_wrong_order(self):
        self.wrong("yield list(enumerate(self.windows[first:first + self.chunk], first))",
                   "yield list(enumerate(self.windows[first:first + self.chunk], first))[::-1]")

    @needs_torch
    def test_earlier_windows(self):
        """Windows of an earlier call are right as long as inputs do not change."""
        self.wrong("        self.batches.windows =", "        self.batches.windows = self.batches.windows or", *QUICK)

    @needs_torch
    def test_a_worker_is_killed(self):
        script = self.changed("        raw = bytearray(", "        if record == 77 and torch.utils.data.get_worker_info(): os.kill(os.getpid(), 9)\n        raw = bytearray(")
        self.pipeline("--verify-only", script=script, exit=3)
        rows = self.by_variant()
        self.assertEqual((rows["serial"]["status"], rows["dataloader-0"]["status"]), ("ok", "ok"), rows)
        for name in self.NAMES[1:]:
            self.assertEqual(rows[name]["status"], "error", rows[name])
            # The place where it waited when the worker died; EOFError has no text.
            self.assertRegex(rows[name]["message"], r"^run: \w+Error(: .*)? \(mine\.py:\d+\)$")

    @needs_torch
    def test_it_crashes_with_workers(self):
        self.pipeline("--verify-only", script=self.changed("        first = 0\n", "        os.abort()\n"), variants="serial,dataloader-all", exit=3)
        rows = self.by_variant()
        self.assertEqual((rows["serial"]["status"], rows["dataloader-all"]["status"]), ("ok", "crashed"), rows)

    @needs_torch
    def test_little_shared_memory(self):
        self.pipeline("--verify-only", script=self.changed('os.statvfs("/dev/shm")', 'os.statvfs("/proc")'))
        rows = self.by_variant()
        self.assertEqual(rows["dataloader-0"]["status"], "ok")
        for name in self.NAMES[1:]:
            self.assertEqual(rows[name]["status"], "skipped", rows[name])
            self.assertRegex(rows[name]["message"], r"^/dev/shm has 0 bytes free: batches on their way need \d+$")

    def test_without_torch(self):
        (self.dir / "none").mkdir()
        (self.dir / "none/torch.py").write_text("raise ImportError('not today')\n")
        self.pipeline("--verify-only", env={"PYTHONPATH": str(self.dir / "none")})
        rows = self.by_variant()
        for name in self.NAMES:
            self.assertEqual((rows[name]["status"], rows[name]["message"]), ("skipped", "no torch"))


if __name__ == "__main__":
    main()
