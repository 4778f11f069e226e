"""`ci/bisect.sh`: a commit that made a kernel slower is found among 16, and no commit is blamed if the endpoints are
alike. GPUBENCH_BISECTS is the number of repositories that each test makes.

The device is scripted: the device.ini of a commit's build states how long its variants take."""

import os
import random
import shutil
import subprocess
from pathlib import Path

from run import BIN, GpubenchTest, main

ROOT = Path(__file__).resolve().parents[2]
REPEAT = int(os.environ.get("GPUBENCH_BISECTS", "1"))
COMPILER = shutil.which("cc")
SOURCE = """#include "simple.h"
static const gb_variant plain = SIMPLE_BASELINE("plain"), other = SIMPLE_VARIANT("other", simple_run);
static const gb_variant *const variants[] = {&plain, &other, NULL};
static const gb_bench bench = SIMPLE_BENCH("double", variants);
static gb_status opened(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "tiny", .version = "1.%d.0", .open = opened};
"""
# The labelled build is that of the commit; all others take as long as the first one.
DEVICE = """[device]
tick_ns = 32
seed = %d
[plain@bad]
ns = %d
sample_sd = 0.004
slot_sd = 0.001
[*]
ns = 50000
sample_sd = 0.004
slot_sd = 0.001
"""


class Bisect(GpubenchTest):
    def setUp(self):
        super().setUp()
        if COMPILER is None or shutil.which("git") is None:
            self.skipTest("no compiler or no git")
        self.environment = {**os.environ, "GPUBENCH": BIN, "HOME": str(self.dir), "GPUBENCH_LOCK_DIR": str(self.locks), "XDG_CACHE_HOME": str(self.dir / "cache"),
                            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
        self.build = (f"{COMPILER} -shared -fPIC -O1 -I{ROOT}/sdk/include -I{ROOT}/tests/plugins -o tiny.so tiny.c"
                      f" && cp device.ini {self.dir}/device.ini")

    def git(self, repository, *args):
        done = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args], cwd=repository, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def repository(self, name, times, seed=1, broken=()):
        """Makes a repository with a commit for each time. Returns its path and the commits' ids."""
        path = self.dir / name
        path.mkdir()
        self.git(path, "init", "-q")
        for number, ns in enumerate(times):
            (path / "tiny.c").write_text("no C\n" if number in broken else SOURCE % number)
            (path / "device.ini").write_text(DEVICE % (seed + number, ns))
            self.git(path, "add", ".")
            self.git(path, "commit", "-q", "-m", f"change {number}")
        return path, self.git(path, "rev-list", "--reverse", "HEAD").split()

    def bisect(self, path, good, bad, *more):
        return subprocess.run([ROOT / "ci/bisect.sh", good, bad, "--plugin", "tiny.so", "--build", self.build, *more, "--", "--device",
                               f"fake:{self.dir}/device.ini", "--case-time", "600", "--ceilings", "off"], cwd=path, env=self.environment, capture_output=True, text=True, timeout=600)

    def test_a_planted_commit_is_named(self):
        for seed in range(REPEAT):
            dice = random.Random(seed)
            place, step = dice.randrange(1, 16), dice.choice((1.02, 1.03, 1.1))
            path, commits = self.repository(f"planted{seed}", [50000 if i < place else 50000 * step for i in range(16)], seed)
            before = self.git(path, "status", "--porcelain", "--branch")
            done = self.bisect(path, commits[0], commits[15])
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(f"slower since: {commits[place]} ", done.stdout)
            self.assertIn("hunted: tiny/double plain cold", done.stdout)
            self.assertEqual(self.git(path, "status", "--porcelain", "--branch"), before)
            self.assertEqual(len(self.git(path, "worktree", "list").splitlines()), 1)
            shutil.rmtree(path)

    def test_alike_endpoints_blame_nobody(self):
        for seed in range(REPEAT):
            path, commits = self.repository(f"alike{seed}", [50000] * 16, 100 * seed)
            done = self.bisect(path, commits[0], commits[15])
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("nobody is blamed", done.stdout)
            self.assertNotIn("slower since", done.stdout)
            shutil.rmtree(path)

    def test_a_commit_that_does_not_build_is_skipped(self):
        path, commits = self.repository("broken", [50000 if i < 5 else 55000 for i in range(8)], broken=(2, 3))
        done = self.bisect(path, commits[0], commits[7])
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(f"slower since: {commits[5]} ", done.stdout)
        path, commits = self.repository("unclear", [50000 if i < 3 else 55000 for i in range(5)], broken=(2, 3))
        done = self.bisect(path, commits[0], commits[4])
        self.assertEqual(done.returncode, 5, done)
        self.assertIn("could be any of", done.stdout)

    def test_the_larger_step_is_hunted(self):
        """A change of 2% before one of 10%: the commit that brought more than half of the loss is named."""
        path, commits = self.repository("two", [50000, 50000, 51000, 51000, 51000, 56000, 56000, 56000])
        self.assertIn(f"slower since: {commits[5]} ", self.bisect(path, commits[0], commits[7]).stdout)

    def test_what_cannot_begin(self):
        path, commits = self.repository("few", [50000] * 3, broken=(2,))
        for args, status, said in (((commits[0], "nowhere"), 2, "'nowhere' is no commit"), ((commits[1], commits[0]), 2, "is no ancestor of"),
                                   ((commits[0], commits[2]), 3, "BAD does not build"), ((commits[0], commits[1], "--least", "3"), 2, "--least is '3'"),
                                   ((commits[0], commits[1], "--quick", "3"), 2, "unknown option '--quick'")):
            done = self.bisect(path, *args)
            self.assertEqual(done.returncode, status, done)
            self.assertIn(said, done.stderr)
        done = self.bisect(path, commits[0], commits[0])
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "the endpoints are the same file: nobody is blamed"))


if __name__ == "__main__":
    main()
