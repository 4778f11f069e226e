"""The bundled plugin data_pipeline on the cpu: every variant, its metrics and its timeline, damaged files, and that it
leaves no file behind."""

import os
import signal
import subprocess
import time
from collections import defaultdict
from pathlib import Path

from run import GpubenchTest, main, members, read_csv

RECORD, CHUNK = 4096, 65536
TINY = {
    "memcpy": {"bytes": "1M"},
    "source": {"cache": "hot,cold", "order": "sequential,random", "bytes": "3M", "record": RECORD, "chunk": CHUNK},
    "preprocess": {"n": 5, "h": 40, "w": 50, "crop": 33, "dtype": "fp16,fp32"},
    "pipeline": {"side": 32, "chunk": 8, "chunks": 24, "work": 1, "cache": "hot"},
}
ONE = {"cache": "hot", "order": "sequential"}  # one case of `source`

# Reasons for a skip that are allowed here.
SKIPS = ("past the page cache", "io_uring", "cold: ", "O_DIRECT", "x86-64 only")


class DataPipeline(GpubenchTest):
    def arguments(self, bench, *more, scratch=None, **axes):
        points = [word for axis, values in {**TINY[bench], **axes}.items() for word in ("-a", f"{axis}={values}")]
        return ("--plugin", "data_pipeline.so", "--bench", f"data_pipeline/{bench}", "--ceilings", "off", "--scratch",
                scratch or self.dir, *points, *more)

    def quick(self, bench, *more, **axes):
        return self.arguments(bench, "--quick", *more, **axes)

    def all_fine(self, bench, **axes):
        self.ok(*self.quick(bench, **axes))
        return self.check_rows()

    def check_rows(self):
        rows = self.rows()
        for row in rows:
            if row["status"] == "skipped":
                self.assertTrue(any(words in row["message"] for words in SKIPS), row)
            else:
                self.assertEqual(row["status"], "ok", row)
                # On a busy machine the time of a call may be this uncertain.
                self.assertRegex(row["message"], r"^(no time less the launch overhead: .*)?$", row)
        self.assertEqual(self.left(), [])
        return rows

    def left(self):
        """Returns the record files that still exist."""
        return [str(path) for path in self.dir.rglob("records.bin")]

    def test_memcpy(self):
        self.assertEqual({row["variant"] for row in self.all_fine("memcpy")}, {"one", "threads", "stream"})

    def test_source(self):
        rows = self.all_fine("source")
        self.assertEqual(len(rows), 4 * 8)
        timed = {(row["case_key"], row["variant"]) for row in rows if row["status"] == "ok"}
        # At least the hot cases, in both orders.
        for variant in ("read", "pread", "mmap", "mmap-populate", "mmap-advice"):
            self.assertGreaterEqual(sum(name == variant for _, name in timed), 2, variant)

    def test_source_takes_any_size(self):
        """A short last chunk, records that are not a multiple of a page, more threads than chunks."""
        self.ok(*self.arguments("source", "--verify-only", record=1000, chunk=7000, bytes=100000, threads="3,40"))
        self.check_rows()

    def test_pipeline_takes_any_size(self):
        self.ok(*self.arguments("pipeline", "--verify-only", side="8,35", chunk="1,5", chunks=7, depth="1,64",
                                workers="1,5", work="1,70"))
        self.assertEqual({row["status"] for row in self.rows()}, {"ok"})

    def test_preprocess(self):
        rows = self.all_fine("preprocess")
        self.assertEqual(len(rows), 2 * 2)
        self.assertTrue(all(float(row["verify_error"]) <= float(row["verify_tolerance"]) for row in rows))

    def test_hot_mode_refuses_what_is_put_back(self):
        """`before` runs between calls, and mode hot has no pause between them."""
        self.gpubench(*self.quick("source", "--mode", "hot", **ONE))
        self.assertEqual({row["status"] for row in self.rows()}, {"skipped"})
        self.assertTrue(all("before" in row["message"] for row in self.rows() if "direct" not in row["variant"]))

    def test_pipeline(self):
        rows = self.all_fine("pipeline")
        self.assertEqual([row["variant"] for row in rows], ["serial", "double", "triple", "deep"])
        self.assertTrue(all(row["items"] == str(8 * 24) for row in rows), rows)
        found = defaultdict(dict)
        for row in read_csv(self.run_dir() / "metrics.csv"):
            found[row["variant"]][row["metric"]] = float(row["value"])
        for variant, metrics in found.items():
            for name in ("samples", "rate", "cpu"):
                self.assertGreater(metrics[name], 0, variant)
            for name in ("read/busy", "preprocess/busy", "consume/busy", "slowest"):
                self.assertTrue(0 < metrics[name] <= 1, (variant, name, metrics))
            shares = max(metrics[f"{stage}/busy"] for stage in ("read", "preprocess", "consume"))
            self.assertLessEqual(metrics["slowest"], 1)
            self.assertGreaterEqual(metrics["slowest"], 0.5 * shares)
        self.assertEqual(len(found), 4)
        self.assertLess(found["serial"]["overlap"], 0.35)  # nothing overlaps

    def test_serial_overlaps_nothing(self):
        """Depth 1 in the timeline: no chunk is read before the previous one has been consumed."""
        self.ok(*self.quick("pipeline", "--variant", "serial"))
        spans = read_csv(self.run_dir() / "spans.csv")
        read = {s["label"]: float(s["begin_ns"]) for s in spans if s["lane"] == "read"}
        consumed = {s["label"]: float(s["end_ns"]) for s in spans if s["lane"] == "consume"}
        self.assertEqual(len(read), 24)
        for i in range(1, 24):
            self.assertGreaterEqual(read[f"chunk {i}"], consumed[f"chunk {i - 1}"])

    def test_slow_consumer_is_the_bottleneck(self):
        self.ok(*self.quick("pipeline", "--variant", "triple", work=3000))
        busy = {row["metric"]: float(row["value"]) for row in read_csv(self.run_dir() / "metrics.csv")}
        self.assertGreater(busy["consume/busy"], 2 * (busy["read/busy"] + busy["preprocess/busy"]), busy)
        self.assertEqual(busy["slowest"], busy["consume/busy"])
        length = defaultdict(float)
        for span in read_csv(self.run_dir() / "spans.csv"):
            length[span["lane"]] += float(span["end_ns"]) - float(span["begin_ns"])
        self.assertEqual(set(length), {"read", "preprocess", "consume"})
        self.assertEqual(max(length, key=length.get), "consume", length)

    # ---- The user's file ----

    def file(self, size):
        path = self.dir / "users.bin"
        path.write_bytes(os.urandom(size))
        return path

    def test_users_file(self):
        path = self.file(100 * RECORD)
        before = path.read_bytes()
        self.ok(*self.quick("source", "--option", f"data_pipeline.file={path}", **ONE))
        self.assertEqual({row["items"] for row in self.rows() if row["status"] == "ok"}, {"100"})
        self.assertEqual(path.read_bytes(), before)
        self.assertIn(str(path), (self.run_dir() / "run.ini").read_text())

    def refused(self, path, sentence):
        result = self.gpubench(*self.quick("source", "--option", f"data_pipeline.file={path}", **ONE))
        self.assertEqual(result.exit, 3, result)
        rows = [row for row in self.rows() if "direct" not in row["variant"]]
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertEqual(row["status"], "error", row)
            self.assertIn(sentence, row["message"])

    def test_truncated_file(self):
        self.refused(self.file(10 * RECORD + 57), "is cut short: 41017 bytes are 10 records of 4096 and 57 bytes of another")

    def test_zero_records(self):
        self.refused(self.file(0), "holds no record: 0 bytes, a record has 4096")

    def test_missing_file(self):
        self.refused(self.dir / "none.bin", "No such file or directory")

    def test_folder(self):
        self.refused(self.dir, "is no regular file")

    def test_unreadable_file(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        path = self.file(RECORD)
        path.chmod(0)
        self.refused(path, "Permission denied")

    def shrink(self, variant):
        """Truncates the file while calls read it. Returns the variant's row."""
        path = self.file(1024 * RECORD)
        process = self.start(*self.arguments("source", "--variant", variant, "--case-time", "60", "--precision",
                                             "0.001%", "--option", f"data_pipeline.file={path}", **ONE))
        samples = Path()
        for _ in range(300):
            samples = next((self.dir / "gpubench-out").glob("*/samples.csv"), samples)
            if samples.is_file() and samples.read_text().count("\n") > 3:
                break
            time.sleep(0.1)
        records = 1000  # each process that measures it again finds it shrinking, too
        while process.poll() is None and records > 100:
            records -= 1
            os.truncate(path, records * RECORD)
            time.sleep(0.02)
        result = self.finish(process)
        self.assertEqual(result.exit, 3, result)
        return self.by_variant()[variant]

    def test_shrinks_while_read(self):
        row = self.shrink("pread")
        self.assertEqual(row["status"], "error", row)
        self.assertRegex(row["message"], r"users.bin ends at byte \d+: it had \d+ when the case began")

    def test_shrinks_while_mapped(self):
        """The worker dies of it. The row says how its second attempt ended: that one finds the file shrinking while it
        maps it, or dies, too."""
        row = self.shrink("mmap")
        if row["status"] == "error":
            self.assertRegex(row["message"], r"setup: .*users.bin ends at byte \d+: it had \d+ when the case began")
        else:
            self.assertEqual(row["status"], "crashed", row)
            self.assertRegex(row["message"], "SIGBUS in run of ")

    # ---- Scratch ----

    def in_a_small_folder(self, size):
        """Returns the rows of a run with this much scratch space. Skips the test without the right to mount."""
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", small], capture_output=True).returncode:
            self.skipTest("no right to mount")
        try:
            self.gpubench(*self.quick("pipeline", scratch=small))
        finally:
            subprocess.run(["umount", small], check=True)
        return self.rows()

    def test_little_space(self):
        """The file has fewer records than asked for, and the row says so."""
        for row in self.in_a_small_folder("128k"):
            self.assertEqual(row["status"], "ok", row)
            self.assertLess(int(row["items"]), 8 * 24)
            self.assertIn(f"file={row['items']} records of 3072 bytes on tmpfs", row["notes"])

    def test_no_space(self):
        for row in self.in_a_small_folder("40k"):
            self.assertEqual(row["status"], "skipped", row)
            self.assertIn("needs at least 24576 bytes: half of the free scratch space is", row["message"])

    def test_cold_on_tmpfs(self):
        """On tmpfs the page cache is the file itself and cannot be emptied."""
        self.gpubench(*self.quick("source", cache="cold", order="sequential", scratch="/dev/shm"))
        for row in self.rows():
            self.assertEqual(row["status"], "skipped", row)
            self.assertIn("the file lies on tmpfs", row["message"])

    def killed(self, of_worker):
        scratch = self.dir / "scratch"
        scratch.mkdir()
        process = self.start(*self.arguments("pipeline", "--case-time", "5", scratch=scratch, work=400))
        for _ in range(300):
            if list(scratch.rglob("records.bin")):
                break
            time.sleep(0.05)
        self.assertTrue(list(scratch.rglob("records.bin")))
        if of_worker:
            for pid in members(process.pid):
                if pid != process.pid and "worker" in Path(f"/proc/{pid}/cmdline").read_text():
                    os.kill(pid, signal.SIGKILL)
        else:
            process.kill()
        self.finish(process)
        for _ in range(100):
            if not list(scratch.iterdir()):
                break
            time.sleep(0.1)
        self.assertEqual(list(scratch.rglob("*")), [])

    def test_scratch_is_gone_after_kill_of_the_parent(self):
        self.killed(of_worker=False)

    def test_scratch_is_gone_after_kill_of_the_worker(self):
        self.killed(of_worker=True)


if __name__ == "__main__":
    main()
