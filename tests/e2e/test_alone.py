"""Verdicts between providers are compared with measurements of both alone: in processes with the bench's owner and no
other provider."""

import signal
import sys
import time
from pathlib import Path

from author import guest
from run import NO_CHANGE, NO_WORD, GpubenchTest, main, plugin
from safety import whole_rows

OWNER, GUEST = plugin("ok_vector"), plugin("ok_second")
BOTH = ("--plugin", OWNER, "--plugin", GUEST)
CONTRACT = "gpubench.org/test/vector/scale/1"
SCALE = """
  const float *x = gb.tensor->data(c, "x"), a = (float)gb.point->f64(c, "a");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = 0; i < gb.tensor->dim(c, "y", 0); i++)
    y[i] = a * x[i];
"""
NOISE = "sample_sd = 0.004\nslot_sd = 0.001\n"


class Alone(GpubenchTest):
    def script(self, **sections):
        """Writes a device script with these times of variants and further keys of their sections. plain_second stands
        for plain@second."""
        text = "[device]\nseed = 3\n"
        for name, keys in sections.items():
            name = {"rest": "*"}.get(name, name.replace("_", "@"))
            text += f"[{name}]\n{NOISE}" + "".join(f"{key} = {value}\n" for key, value in keys.items())
        path = self.dir / "script.ini"
        path.write_text(text)
        return "--device", f"fake:{path}"

    def table(self, *args, device, plugins=BOTH, exit=0):
        self.done = self.gpubench(*plugins, "--preset", "large", *args, *device, "--out", "o")
        self.assertEqual(self.done.exit, exit, self.done)
        return self.by_variant(self.dir / "o")

    def epochs(self):
        """Returns the epochs of each variant, from slots.csv."""
        found = {}
        for row in whole_rows(self.dir / "o/slots.csv"):
            found.setdefault(row["variant"], set()).add(int(row["epoch"]))
        return found

    # ---- Verdicts that hold ----

    def test_a_word_that_holds(self):
        rows = self.table(device=self.script(plain={"ns": 20000}, quarter={"ns": 40000}, rest={"ns": 15000}))
        row = rows["quarter"]
        self.assertEqual((row["verdict"], row["alone_pairs"], row["unproven"], row["message"]), ("slower", "1", "", ""))
        self.assertAlmostEqual(float(row["speedup_alone"]), 0.5, delta=0.01)
        self.assertEqual((rows["plain@second"]["verdict"], rows["plain@second"]["alone_pairs"]), ("faster", "1"))

    def test_a_small_word_takes_three_pairs(self):
        rows = self.table(device=self.script(plain={"ns": 20000}, quarter={"ns": 20000}, rest={"ns": 15000}))
        self.assertEqual((rows["quarter"]["verdict"], rows["quarter"]["alone_pairs"]), ("same", "3"))

    def test_within_a_provider_nothing_is_looked_at(self):
        rows = self.table(device=self.script(plain={"ns": 20000}, rest={"ns": 15000}), plugins=("--plugin", OWNER))
        self.assertEqual({row["verdict"] for row in rows.values()}, {"", "faster"})
        self.assertEqual({(row["alone_pairs"], row["speedup_alone"]) for row in rows.values()}, {("", "")})
        self.assertEqual(self.epochs(), {name: {1} for name in rows})

    def test_builds_are_providers(self):
        plugins = ("--plugin", f"old={plugin('builds_100')}", "--plugin", f"new={plugin('builds_100')}")
        done = self.ok(*plugins, *self.fake(), "--out", "o")
        rows = self.by_variant(self.dir / "o")
        for name in ("whole@new", "half@new"):
            self.assertEqual((rows[name]["verdict"], rows[name]["alone_pairs"]), ("same", "3"), done)

    # ---- Verdicts that do not ----

    def test_a_slowed_denominator(self):
        """The guest slows the baseline and is as fast as it alone: the row says so, and no row is the fastest."""
        rows = self.table(device=self.script(plain={"ns": 20000, "beside": "quarter", "beside_factor": 1.96},
                                             quarter={"ns": 20000}, rest={"ns": 15000}))
        row = rows["quarter"]
        self.assertEqual((row["verdict"], row["unproven"], row["status"]), ("unproven", "alone", "ok"))
        self.assertAlmostEqual(float(row["speedup"]), 1.96, delta=0.02)
        self.assertAlmostEqual(float(row["speedup_alone"]), 1, delta=0.01)
        self.assertRegex(row["message"], r"^1\.9\dx in company, (1|0\.99\d|1\.0\d*)x alone: plain takes 1\.9\d times as long beside second$")
        for name in ("twice", "blocked"):  # the owner's verdicts are relative to the slowed baseline, too
            self.assertEqual((rows[name]["verdict"], rows[name]["unproven"]), ("unproven", "alone"), rows[name])
            self.assertAlmostEqual(float(rows[name]["speedup_alone"]), 4 / 3, delta=0.02)
        self.assertNotIn("1", {row["fastest"] for row in rows.values()})
        self.assertIn("unproven", self.done.out)

    def test_a_third_one_is_named(self):
        """A third provider that distorts the ratio between two is found by the same measurements."""
        third = guest(self, "third", CONTRACT, SCALE)
        rows = self.table(plugins=(*BOTH, "--plugin", third),
                          device=self.script(plain={"ns": 20000, "beside": "third", "beside_factor": 1.5},
                                             quarter={"ns": 20000}, rest={"ns": 30000}))
        self.assertEqual(rows["quarter"]["verdict"], "unproven")
        self.assertRegex(rows["quarter"]["message"], r"plain takes 1\.5 times as long beside second, third$")

    def test_a_variant_that_is_faster_in_company(self):
        rows = self.table(device=self.script(plain={"ns": 20000}, quarter={"ns": 20000, "beside": "plain", "beside_factor": 0.8},
                                             rest={"ns": 15000}))
        self.assertEqual((rows["quarter"]["verdict"], rows["quarter"]["unproven"]), ("unproven", "alone"))
        self.assertRegex(rows["quarter"]["message"], r"quarter takes 0\.8 times as long beside vector$")
        self.assertEqual(rows["twice"]["verdict"], "faster")  # its baseline is as fast as alone

    # ---- The files ----

    def test_looks_are_in_no_figure(self):
        rows = self.table(device=self.script(plain={"ns": 20000}, quarter={"ns": 20000}, rest={"ns": 15000}))
        epochs = self.epochs()
        self.assertEqual({row["epochs"] for row in rows.values()}, {"1"})
        self.assertEqual({row["restarts"] for row in rows.values()}, {"1"})
        self.assertEqual(epochs["twice"], {1})
        self.assertEqual(len(epochs["quarter"]), 4)
        self.assertEqual(len(epochs["plain"]), 4)
        self.assertEqual(epochs["plain"] & epochs["quarter"], {1})  # an epoch is one process
        for name, row in rows.items():
            counted = [float(r["ns"]) for r in whole_rows(self.dir / "o/samples.csv") if r["variant"] == name and r["epoch"] == "1"]
            self.assertEqual(int(row["samples"]), len(counted))
        before = (self.dir / "o/results.csv").read_text()
        self.ok("report", "o")
        self.assertEqual((self.dir / "o/results.csv").read_text(), before)

    # ---- Cases without measurements alone ----

    def test_no_time(self):
        device = self.script(plain={"ns": 20000}, quarter={"ns": 20000}, rest={"ns": 15000})
        rows = self.table("--verify-only", device=device)
        self.assertEqual({row["verdict"] for row in rows.values()}, {""})
        self.assertEqual(len({row["alone_pairs"] for row in rows.values()}), 1)

    def test_without_processes(self):
        device = self.script(plain={"ns": 20000}, quarter={"ns": 40000}, rest={"ns": 15000})
        rows = self.table("--in-process", device=device)
        self.assertEqual(rows["quarter"]["verdict"], "not checked alone")
        self.assertEqual(rows["quarter"]["message"], "not checked alone: --in-process has no other process")
        self.assertEqual(rows["twice"]["verdict"], "faster")

    def test_what_takes_long_to_start(self):
        device = self.script(plain={"ns": 20000}, quarter={"ns": 40000}, rest={"ns": 15000})
        text = (self.dir / "script.ini").read_text().replace("seed = 3\n", "seed = 3\nopen_s = 1.5\n")
        (self.dir / "script.ini").write_text(text)
        rows = self.table(device=device)
        self.assertEqual(rows["quarter"]["verdict"], "not checked alone")
        self.assertRegex(rows["quarter"]["message"], r"^not checked alone: starting (vector|second) takes 1\.\d s$")
        self.assertIn("not checked alone", self.done.out)

    # ---- Interruptions ----

    def test_an_interruption_between(self):
        """Interrupts a run during the measurements alone. On --resume the rows are measured again, because their
        verdicts are missing."""
        device = self.script(plain={"ns": 20000}, quarter={"ns": 20000}, rest={"ns": 15000})
        script = (self.dir / "script.ini").read_text()
        (self.dir / "script.ini").write_text(script.replace("seed = 3\n", "seed = 3\nopen_s = 0.4\n"))
        process = self.start(*BOTH, "--preset", "large", *device, "--out", "o")
        for _ in range(2000):
            if self.dir.joinpath("o/slots.csv").exists() and max((max(e) for e in self.epochs().values()), default=0) > 1:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        done = self.finish(process)
        self.assertEqual(done.exit, 130, done)
        rows = self.by_variant(self.dir / "o")
        self.assertEqual({row["stop_reason"] for row in rows.values()}, {"interrupted"}, done)
        self.ok("--resume", "o")
        rows = self.by_variant(self.dir / "o")
        self.assertEqual((rows["quarter"]["verdict"], rows["quarter"]["alone_pairs"]), ("same", "3"))
        self.assertEqual({row["epochs"] for row in rows.values()} & {"1"}, set())  # epoch numbers are not reused


HONEST = """import operator, ctypes, gpubench
C = "gpubench.org/test/vector/scale/1"
def view(t):
    return (ctypes.c_float * t.shape[0]).from_address(t.address)
@gpubench.variant(C, name="{name}", math="fp32")
def {name}(x, y, a):
    view(y)[:] = [operator.mul(a, e) for e in view(x)]
"""
PATCHED = """
own = operator.mul
def slow(a, b):
    for i in range(20):
        c = own(a, b)
    return c
operator.mul = slow
@gpubench.variant(C, name="cheat", math="fp32")
def cheat(x, y, a):
    view(y)[:] = [own(a, e) for e in view(x)]
"""


class Scripts(GpubenchTest):
    """Each script is a provider: in company all share an interpreter, alone each has a separate one."""

    def script(self, name, text):
        (self.dir / f"{name}.py").write_text(text)
        return str(self.dir / f"{name}.py")

    def table(self, *scripts, baseline):
        mine = [Path(script).stem for script in scripts]
        args = ("--variant", ",".join(mine), "--baseline", baseline, "-a", "n=4096", "-a", "dtype=fp32", "-a", "a=2",
                "--ceilings", "off", "--max-time", "120s", "--python", sys.executable)
        self.done = self.ok(OWNER, *scripts, *args, "--out", "o")
        return self.by_variant(self.dir / "o")

    def test_a_patched_function(self):
        """The replaced function slows the other scripts in its interpreter. A twin that replaces nothing is as fast as
        the honest script."""
        honest = self.script("honest", HONEST.format(name="honest"))
        rows = self.table(honest, self.script("cheat", HONEST.format(name="unused") + PATCHED), baseline="honest")
        row = rows["cheat"]
        self.assertEqual(row["status"], "ok", self.done)
        self.assertGreater(float(row["speedup"]), 2)
        self.assertIn(row["verdict"], {"unproven", *NO_WORD}, self.done)
        if "alone" in row["unproven"].split(";"):  # a busy machine may give other reasons, which have no message
            self.assertRegex(row["message"], r"alone: honest takes [\d.]+ times as long beside (vector, )?cheat$")

    def test_an_honest_twin(self):
        rows = self.table(self.script("honest", HONEST.format(name="honest")), self.script("twin", HONEST.format(name="twin")),
                          baseline="honest")
        self.assertIn(rows["twin"]["verdict"], NO_CHANGE, self.done)

    def test_a_slow_import_is_waited_for_once(self):
        """The process that has described a script has loaded it, and is used to measure it alone."""
        slow = self.script("slow", "import time\ntime.sleep(2)\n" + HONEST.format(name="slow"))
        rows = self.table(self.script("honest", HONEST.format(name="honest")), slow, baseline="honest")
        self.assertNotIn("starting", rows["slow"]["message"])


if __name__ == "__main__":
    main()
