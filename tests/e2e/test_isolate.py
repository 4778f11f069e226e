"""--isolate: one process per provider, separated from the others, the host and the run's files; verdicts are as without
it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from run import BIN, GpubenchTest, main, plugin

# Copies, because the build may be in a folder that no other user may enter, such as root's home.
FOLDER = tempfile.TemporaryDirectory(prefix="gpubench-isolate-")
os.chmod(FOLDER.name, 0o755)
OWNER, GUEST, STRANGER, LATE = (shutil.copy(plugin(name), FOLDER.name) for name in ("ok_vector", "ok_second", "stranger", "bad_late"))
KEPT = ("traces", "kills", "writes", "reads")
ROOT = os.geteuid() == 0


def landlock():
    """Returns the landlock version of the kernel, as a run reports it; 0 if it has none."""
    import ctypes
    version = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
    return max(version, 0)


class Isolate(GpubenchTest):
    def setUp(self):
        super().setUp()
        if not ROOT and landlock() == 0:
            self.skipTest("neither root nor landlock: --isolate is refused here")
        self.dir.chmod(0o755)  # the workers' users read the device's script there

    def isolated(self, *args, plugins=(OWNER, GUEST), **kwargs):
        named = [a for p in plugins for a in ("--plugin", p)]
        return self.gpubench(*named, "--isolate", "--preset", "large", *args, **kwargs)

    def with_stranger(self, variants, *args, out="run", **kwargs):
        env = {"STRANGER_RUN": str(self.dir / out), **kwargs.pop("env", {})}
        return self.isolated("--variant", f"plain,quarter,{variants}", "--out", out, *args, plugins=(OWNER, GUEST, STRANGER), env=env, **kwargs)

    def words(self, folder):
        return {v: (r["status"], r["verdict"], r["baseline"], r["provider"], r["message"]) for v, r in self.by_variant(folder).items()}

    def test_words_are_those_of_one_process(self):
        """On a scripted device, which determines the verdicts."""
        for mode in ("cold", "hot", "cold+burst"):
            device = self.fake(quarter=200000, twice=40000)
            one, each = f"one-{mode}", f"each-{mode}"
            self.ok("--plugin", OWNER, "--plugin", GUEST, "--preset", "large", "--mode", mode, *device, "--out", one)
            done = self.isolated("--mode", mode, *device, "--out", each)
            self.assertEqual(done.exit, 0, done)
            self.assertEqual(self.words(self.dir / one), self.words(self.dir / each))
            self.assertEqual(self.words(self.dir / each)["quarter"][:3], ("ok", "slower", "plain"))
            self.assertEqual(self.words(self.dir / each)["twice"][:3], ("ok", "faster", "plain"))

    def test_rounds_are_one_series(self):
        """Ratios pair slots by their round: all variants take part in each round, at different positions."""
        self.assertEqual(self.isolated(*self.fake(quarter=200000), "--restarts", "2", "--out", "run").exit, 0)
        slots = self.slots(self.dir / "run")
        for epoch in ("1", "2"):
            places = {}
            for slot in slots:
                if slot["epoch"] == epoch:
                    places.setdefault(slot["round"], []).append(slot["position"])
            self.assertGreaterEqual(len(places), 3)
            for taken in places.values():
                self.assertEqual(len(taken), len(set(taken)), places)
            self.assertEqual(len(places["0"]), 5)

    def slots(self, folder):
        from run import read_csv
        return read_csv(folder / "slots.csv")

    def test_who_was_precise_when_time_ended(self):
        """The row of a variant says so, although the case ended because another variant was not."""
        device = self.fake(twice=100000)
        script = self.dir / "fake.ini"
        script.write_text(script.read_text().replace("slot_sd = 0.001", "slot_sd = 0.5", 1))
        done = self.isolated(*device, "--variant", "plain,quarter,twice", "--case-time", "4", "--restarts", "1", "--out", "run")
        self.assertEqual(done.exit, 0, done)
        self.assertEqual({v: r["stop_reason"] for v, r in self.by_variant(self.dir / "run").items()},
                         {"plain": "precision", "quarter": "precision", "twice": "case_time"})

    def test_it_is_said(self):
        done = self.isolated(*self.fake(), "--out", "run")
        self.assertRegex(done.out, r"(?m)^isolated +up to 2 processes at a time with \S+ MB of tensors in all; ")
        ini = self.run_ini(self.dir / "run")
        self.assertIn("user" if ROOT else "no users of their own", ini["isolated"])
        self.assertEqual(ini["option.isolate"], "1")
        planned = self.isolated("--dry-run", *self.fake())
        self.assertRegex(planned.out, r"(?m)^isolated +up to 2 processes at a time")

    def run_ini(self, folder):
        pairs = (line.split(" = ", 1) for line in (folder / "run.ini").read_text().splitlines() if " = " in line)
        return dict(pairs)

    def test_on_this_machine(self):
        done = self.isolated("--device", "cpu", "--verify-only", "--out", "run")
        self.assertEqual(done.exit, 0, done)
        self.assertEqual({r["status"] for r in self.rows(self.dir / "run")}, {"ok"})
        done = self.isolated("--device", "cpu", "--quick", "--ceilings", "off", "--out", "timed")
        self.assertEqual(done.exit, 0, done)
        self.assertEqual({r["status"] for r in self.rows(self.dir / "timed")}, {"ok"})

    def test_from_a_folder_that_their_user_may_not_enter(self):
        """No variant is blamed for having left the folder."""
        (self.dir / "own").mkdir(mode=0o700)
        done = self.isolated("--device", "cpu", "--verify-only", "--out", "run", cwd=self.dir / "own")
        self.assertEqual(done.exit, 0, done)
        self.assertEqual({r["status"] for r in self.rows(self.dir / "own" / "run")}, {"ok"})

    # ---- Attacks ----

    @unittest.skipUnless(landlock() >= 6, "this kernel's landlock does not keep signals in")
    def test_nothing_of_others_can_be_reached(self):
        done = self.with_stranger(",".join(KEPT), *self.fake())
        self.assertEqual(done.exit, 0, done)
        self.assertNotIn("could", done.err + done.out)
        self.assertEqual({v: r["status"] for v, r in self.by_variant(self.dir / "run").items() if v in KEPT}, dict.fromkeys(KEPT, "ok"))
        self.assertFalse((self.dir / "run/planted").exists() or (self.dir / "planted").exists())

    @unittest.skipUnless(landlock() > 0, "this kernel has no landlock")
    def test_without_it_the_tricks_work(self):
        """Otherwise the test above would prove nothing. Only writing and reading are harmless enough to try."""
        self.addCleanup(lambda: [Path(p, "gpubench-planted").unlink(missing_ok=True) for p in ("/tmp", "/dev/shm")])
        done = self.gpubench("--plugin", OWNER, "--plugin", STRANGER, "--preset", "large", "--variant", "plain,writes,reads", *self.fake(),
                             "--out", "run", env={"STRANGER_RUN": str(self.dir / "run")})
        self.assertIn("could open for writing", done.err)
        self.assertIn("could read", done.err)

    @unittest.skipUnless(ROOT and shutil.which("setpriv") and landlock() >= 6, "for root, who can become somebody else")
    def test_without_root(self):
        self.dir.chmod(0o777)
        self.locks.chmod(0o777)
        variables = {**os.environ, "HOME": str(self.dir), "XDG_CACHE_HOME": str(self.dir / "cache"), "STRANGER_RUN": str(self.dir / "run"),
                     "GPUBENCH_LOCK_DIR": str(self.locks)}
        plugins = [a for p in (OWNER, GUEST, STRANGER) for a in ("--plugin", p)]
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", BIN, *plugins, "--trust-plugins", "--isolate", "--preset",
                               "large", "--variant", "plain,quarter," + ",".join(KEPT), *self.fake(quarter=200000), "--out", "run"],
                              cwd=self.dir, env=variables, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no users of their own (it does not run as root), landlock", done.stdout)
        self.assertIn("not kept from them: modes, owners and times of this user's files", done.stdout)
        tricks = {line.split("could ")[1] for line in done.stderr.splitlines() if "could " in line}
        self.assertLessEqual(tricks, {f"change the mode of {self.dir}/run"})
        rows = self.by_variant(self.dir / "run")
        self.assertEqual({r["status"] for r in rows.values()}, {"ok"})
        self.assertEqual(rows["quarter"]["verdict"], "slower")

    # ---- A fault concerns one provider only ----

    def check_honest(self, rows):
        self.assertEqual((rows["plain"]["status"], rows["quarter"]["status"], rows["quarter"]["verdict"]), ("ok", "ok", "slower"))

    def test_one_that_dies(self):
        self.with_stranger("dies", *self.fake(quarter=200000))
        rows = self.by_variant(self.dir / "run")
        self.check_honest(rows)
        self.assertEqual(rows["dies"]["status"], "crashed")
        self.assertRegex(rows["dies"]["message"], r"^SIGSEGV in run of vector/scale/dies\[")
        # The others continued.
        self.assertEqual({s["epoch"] for s in self.slots(self.dir / "run") if s["variant"] != "dies"}, {"1"})

    def test_one_that_hangs(self):
        self.with_stranger("hangs", "--timeout", "2", *self.fake(quarter=200000))
        rows = self.by_variant(self.dir / "run")
        self.check_honest(rows)
        self.assertEqual(rows["hangs"]["status"], "timeout")

    def test_one_that_leaves_a_process(self):
        self.with_stranger("leaves", *self.fake(quarter=200000))
        rows = self.by_variant(self.dir / "run")
        self.check_honest(rows)
        self.assertEqual(rows["leaves"]["status"], "error")
        self.assertRegex(rows["leaves"]["message"], r"^run left process \d+ running$")

    def test_one_of_two_of_a_provider(self):
        """The other variant of that provider is measured again, as without --isolate, and alone in its process."""
        self.with_stranger("dies,nothing", *self.fake(quarter=200000))
        rows = self.by_variant(self.dir / "run")
        self.check_honest(rows)
        self.assertEqual((rows["dies"]["status"], rows["nothing"]["status"]), ("crashed", "ok"))

    def test_a_suspect_is_alone_in_a_fresh_process(self):
        """`holds-lock` makes `needs-lock` of the same plugin hang. Then the others are measured again, and after them
        `needs-lock` alone, in a process in which `holds-lock` has not run: there it does well."""
        names = ("good", "holds-lock", "needs-lock", "best")
        done = self.gpubench("--plugin", LATE, "--bench", "late", "--isolate", "--quick", "--mode", "hot", "--timeout", "1", "--variant", ",".join(names), "--out", "run")
        self.assertEqual(done.exit, 0, done)
        rows = self.by_variant(self.dir / "run")
        self.assertEqual({name: row["status"] for name, row in rows.items()}, dict.fromkeys(names, "ok"))
        self.assertRegex(rows["needs-lock"]["message"], "^in company; cause not found alone .*no return within")

    def test_each_restart_has_fresh_processes(self):
        run = self.start("--plugin", OWNER, "--isolate", "--preset", "large", "--variant", "plain", "--device", "cpu", "--restarts", "3", "--case-time", "0.3",
                         "--ceilings", "off", "--out", "run")
        seen = set()
        while run.poll() is None:
            seen.update(self.threads_of_workers(run))
            time.sleep(0.01)
        self.assertEqual(self.finish(run).exit, 0)
        self.assertGreaterEqual(len(seen), 3)

    def threads_of_workers(self, run):
        """Returns the states of the threads of each worker of a run; workers are the children of its reapers."""
        found, parent = {}, lambda pid: int(Path("/proc", pid, "status").read_text().split("PPid:")[1].split()[0])
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if parent(pid) > 1 and parent(str(parent(pid))) == run.pid:
                    tasks = [Path("/proc", pid, "task", t, "stat").read_text() for t in os.listdir(f"/proc/{pid}/task")]
                    found[pid] = {t.rpartition(")")[2].split()[0] for t in tasks}
            except (OSError, IndexError):
                continue  # it has ended in between
        return found

    def test_one_goes_on_at_a_time(self):
        """One of the three has a spinning thread. The states are not read at one instant: two workers may run when they
        take turns."""
        run = self.start("--plugin", OWNER, "--plugin", GUEST, "--plugin", STRANGER, "--isolate", "--preset", "large", "--variant", "plain,quarter,spins,nothing",
                         "--device", "cpu", "--case-time", "2", "--precision", "0", "--ceilings", "off", "--out", "run")
        seen = {0: 0, 1: 0, 2: 0, 3: 0}
        while run.poll() is None:
            workers = self.threads_of_workers(run)
            if len(workers) == 3:
                seen[sum(not states <= {"T", "t", "Z", "X"} for states in workers.values())] += 1
        run.communicate()
        self.assertEqual({r["status"] for r in self.rows(self.dir / "run")}, {"ok"})
        self.assertGreater(seen[1], 0, seen)
        self.assertLess(seen[3], sum(seen.values()) / 4, seen)  # all of them, if none were stopped

    # ---- With other options ----

    def test_what_it_does_not_go_with(self):
        self.assertIn("--in-process", self.one_line_error(2, OWNER, "--isolate", "--in-process"))

    def test_it_is_resumed(self):
        """An interrupted run resumes isolated without being told."""
        run = self.start("--plugin", OWNER, "--plugin", GUEST, "--isolate", "--device", "cpu", "--case-time", "5", "--precision", "0", "--ceilings", "off", "--out",
                         "run")
        while run.poll() is None and not (self.dir / "run/samples.csv").exists():
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        run.communicate()
        done = self.gpubench("--resume", "run", "--max-time", "60")
        self.assertRegex(done.out, r"(?m)^isolated +up to 2 processes")
        self.assertIn("isolated", self.run_ini(self.dir / "run"))

    def test_with_jobs(self):
        for name in ("a", "b"):
            (self.dir / f"{name}.ini").write_text(f"[device]\nname = {name}\nuuid = GPU-{name}\ntick_ns = 32\n[quarter]\nns = 200000\n[*]\nns = 50000\n")
        done = self.gpubench("--plugin", OWNER, "--plugin", GUEST, "--isolate", "--device", "fake:a.ini,fake:b.ini", "--jobs", "all", "--lock", "off", "--out",
                             "run")
        self.assertEqual(done.exit, 0, done)
        self.assertIn("isolated", self.run_ini(self.dir / "run"))
        self.assertEqual({r["status"] for r in self.rows(self.dir / "run")} - {"skipped"}, {"ok"})

    def test_scratch_and_home_are_its_own(self):
        """Scratch folders are removed."""
        (self.dir / "tmp").mkdir(mode=0o1777)
        (self.dir / "tmp").chmod(0o1777)
        done = self.with_stranger("nothing", *self.fake(), env={"TMPDIR": str(self.dir / "tmp")})
        self.assertEqual(done.exit, 0, done)
        self.assertEqual(list((self.dir / "tmp").iterdir()), [])

    @unittest.skipUnless(ROOT, "only root gives users")
    def test_a_plugin_that_their_user_cannot_read(self):
        hidden = self.dir / "hidden.so"
        shutil.copy(GUEST, hidden)
        hidden.chmod(0o600)
        done = self.isolated(*self.fake(), plugins=(OWNER, hidden))
        self.assertNotEqual(done.exit, 0)
        self.assertRegex(done.err, r"hidden\.so.*(cannot be read|Permission denied)")


if __name__ == "__main__":
    main()
