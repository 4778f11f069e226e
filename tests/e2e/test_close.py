"""`close` is entered once in each process that opened the plugin; what it does there changes no row and holds up no run."""

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


if __name__ == "__main__":
    main()
