"""`ci/history_branch.sh`: nightly runs go into an orphan branch and come back, and no other files do."""

import os
import shutil
import subprocess
from pathlib import Path

import nights
from run import BIN, main
from test_history import HistoryTest

ROOT = Path(__file__).resolve().parents[2]


class Branch(HistoryTest):
    def setUp(self):
        super().setUp()
        if shutil.which("git") is None:
            self.skipTest("no git")
        self.environment = {**os.environ, "GPUBENCH": BIN, "HOME": str(self.dir), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
                            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
        self.git(self.dir, "init", "-q", "--bare", "remote")
        self.here = self.clone("here")
        (self.here / "file").write_text("1")
        self.git(self.here, "add", "file")
        self.git(self.here, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one")
        self.git(self.here, "push", "-q", "origin", "HEAD:main")

    def git(self, folder, *args):
        done = subprocess.run(["git", *args], cwd=folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def clone(self, name):
        self.git(self.dir, "clone", "-q", "remote", name)
        return self.dir / name

    def script(self, action, history, *more, exit=0, cwd=None):
        done = subprocess.run([ROOT / "ci/history_branch.sh", action, history, *more], cwd=cwd or self.here, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, exit, done)
        return done.stdout + done.stderr

    def names(self, history):
        return sorted(path.name for path in (history / "nights").iterdir())

    def test_there_and_back(self):
        self.fill(3)
        self.assertIn("3 nights in gpubench-nights", self.script("push", self.history))
        self.assertIn("has it all", self.script("push", self.history))
        other, dump = self.dir / "other", self.dump()
        self.assertIn("3 nights from gpubench-nights", self.script("pull", other, cwd=self.clone("there")))
        self.assertEqual(self.names(other), self.names(self.history))
        for path in self.history.glob("nights/*/*"):
            self.assertEqual((other / path.relative_to(self.history)).read_bytes(), path.read_bytes())
        self.history = other
        self.assertEqual(self.dump(), dump)
        self.assertEqual(self.git(self.here, "status", "--porcelain"), "")
        self.assertNotEqual(self.git(self.dir / "remote", "rev-list", "--max-parents=0", "gpubench-nights"), self.git(self.dir / "remote", "rev-list", "--max-parents=0", "main"))
        self.assertEqual(set(self.git(self.dir / "remote", "ls-tree", "--name-only", "gpubench-nights").split()), {"nights"})

    def test_two_writers_and_a_bound(self):
        self.fill(2)
        self.script("push", self.history)
        other = self.dir / "other"
        self.ok("history", "add", other, self.night(2))
        self.assertIn("3 nights in", self.script("push", other, cwd=self.clone("there")))
        self.ok("history", "add", self.history, self.night(3))
        self.assertIn("2 nights in", self.script("push", self.history, "--keep", "2"))
        self.assertEqual(self.names(self.history), [nights.name_of(2), nights.name_of(3)])

    def test_a_branch_is_not_trusted(self):
        self.fill(1)
        self.script("push", self.history)
        there = self.clone("there")
        self.git(there, "checkout", "-q", "gpubench-nights")
        night = nights.write(there / "nights", self.run_dir, 1, packed=True)
        (night / "extra.sh").write_text("touch /tmp/x\n")
        (there / "nights" / "linked").symlink_to("/etc")
        (there / "nights" / "-rf").mkdir()
        (there / "nights" / "-rf" / "run.ini").write_text("x")
        (there / ".gitattributes").write_text("*.ini filter=evil\n")
        self.git(there, "add", "-A")
        self.git(there, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "more")
        self.git(there, "push", "-q", "origin", "gpubench-nights")
        self.assertIn("1 nights from", self.script("pull", self.history))
        self.assertEqual(self.names(self.history), [nights.name_of(0), nights.name_of(1)])
        self.assertEqual(self.names_of_files(nights.name_of(1)), ["results.csv.gz", "run.ini"])

    def names_of_files(self, night):
        return sorted(path.name for path in (self.history / "nights" / night).iterdir())

    def test_what_cannot_be_done(self):
        self.fill(1)
        self.script("pull", self.history)  # a branch that does not exist yet
        self.assertIn("is no name of a branch", self.script("push", self.history, "--branch", "a..b", exit=2))
        self.assertIn("--keep is 'x'", self.script("push", self.history, "--keep", "x", exit=2))
        self.assertIn("cannot be reached", self.script("push", self.history, "--remote", "nowhere", exit=3))
        self.assertIn("usage:", self.script("steal", self.history, exit=2))


if __name__ == "__main__":
    main()
