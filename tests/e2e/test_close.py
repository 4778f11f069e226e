"""`close` is entered once in each process that opened the plugin; whatever it does there changes no row and delays no
run."""

import shutil
import time

from run import GpubenchTest, main, plugin

WRONG = {
    "segv": r"SIGSEGV in close",
    "exit": r"exited with status 7 in close",
    "hang": r"no return within 2 s in close",
    "shout": r"no return within 2 s in close",
}


class Close(GpubenchTest):
    def verify(self, how=None):
        env = {"CLOSES_FILE": str(self.dir / "closed"), **({"CLOSES_HOW": how} if how else {})}
        result = self.ok("--plugin", plugin("closes"), "--verify-only", env=env, timeout=100)
        self.assertEqual({variant: row["status"] for variant, row in self.by_variant().items()}, {"good": "ok", "other": "ok"})
        self.assertEqual(set((self.dir / "closed").read_text().splitlines()), {"closed"})
        return result

    def test_it_is_entered(self):
        self.assertNotIn("in close", self.verify().err)
        before = len((self.dir / "closed").read_text().splitlines())
        self.ok("list", "--plugin", plugin("closes"), env={"CLOSES_FILE": str(self.dir / "closed")})
        self.assertEqual(len((self.dir / "closed").read_text().splitlines()), before + 1)

    def test_what_goes_wrong_is_a_line(self):
        for how, words in WRONG.items():
            with self.subTest(how):
                (self.dir / "closed").unlink(missing_ok=True)
                started = time.monotonic()
                folder = self.dir / "gpubench-out"
                if folder.exists():
                    folder.rename(self.dir / f"before-{how}")
                lines = [line for line in self.verify(how).err.splitlines() if "in close" in line]
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], r"^gpubench: warning: closes\.so: " + words + "$")
                self.assertLess(time.monotonic() - started, 60)

    def test_a_file_that_is_rewritten_is_not_believed(self):
        out = self.dir / "out"
        for how in ("rewrite", "replace", "child"):
            for name in ("results.csv", "samples.csv", "run.ini"):
                if how == "replace" or name == "results.csv":
                    with self.subTest(how=how, name=name):
                        env = {"CLOSES_HOW": how, "CLOSES_ROWS": str(out / name)}
                        result = self.gpubench("--plugin", plugin("closes"), "--quick", "--out", str(out), env=env)
                        self.assertEqual(result.exit, 3, result)
                        self.assertIn(f"{name} is not as gpubench wrote it", result.err)
                        self.assertIn("Believe nothing that is in this folder", result.err)
                        self.assertNotIn("rows so far are in", result.err)
                        self.assertFalse((out / "report.html").exists())
                        shutil.rmtree(out)


if __name__ == "__main__":
    main()
