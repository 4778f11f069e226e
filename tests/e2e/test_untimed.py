"""Untimed work: which verdicts it withholds, and that every output gives the reason. Times come from a scripted device,
except in one run on the processor with the cheats and honest twins of tests/plugins/untimed.c."""

import json
import math
import shutil

from run import NO_WORD, GpubenchTest, main, plugin

PLUGIN = plugin("untimed")
# Time and untimed work of each variant, in ns; the baseline takes 50 us.
SCRIPT = {"honest": (25000, 0), "joined": (25000, 50), "deferred": (25000, 20000), "threaded": (10000, 6000), "packed": (25000, 1500),
          "cooked": (60000, 60000), "warmed": (25000, 20000), "helped": (25000, 0)}
WORDS = {"plain": "", "honest": "faster", "joined": "faster", "deferred": "unproven", "threaded": "unproven", "packed": "faster",
         "cooked": "slower", "warmed": "unproven", "helped": "unproven"}
REASON = "work that is not timed could carry the difference"


class Untimed(GpubenchTest):
    def scripted(self, out, script=SCRIPT, *more, name="a"):
        sections = [f"[{variant}]\nns = {ns}\nuntimed_ns = {untimed}\nsample_sd = 0.004\nslot_sd = 0.001\n"
                    for variant, (ns, untimed) in {**script, "*": (50000, 0)}.items()]
        path = self.dir / f"{name}.ini"
        path.write_text("[device]\nname = scripted\ntick_ns = 32\nseed = 3\n" + "".join(sections))
        return self.gpubench(PLUGIN, "--device", f"fake:{path}", "--case-time", "600", "--restarts", "3", "--out", out, *more)

    def words(self, out):
        return {variant: row["verdict"] for variant, row in self.by_variant(self.dir / out).items()}

    def caught(self, row, result):
        """Returns true if the host saw the process of `warmed`, which starts 1.5 ms after `refresh`: it looks for
        processes behind a callback, and on a busy machine only after that time."""
        if row["status"] != "error":
            return False
        self.assertRegex(row["message"], r"^refresh left process \d+ running", result)
        return True

    def test_words_by_what_is_not_timed(self):
        outputs = ("--markdown", "out.md", "--junit", "out.xml", "--json", "out.json", "--ctrf", "out.ctrf")
        for _ in range(20):
            shutil.rmtree(self.dir / "run", ignore_errors=True)
            result = self.scripted("run", SCRIPT, *outputs)
            rows = self.by_variant(self.dir / "run")
            if not self.caught(rows["warmed"], result):
                break
        self.assertEqual(result.exit, 0, result)
        self.assertEqual(self.words("run"), WORDS)
        self.assertEqual({v: row["unproven"] for v, row in rows.items() if row["unproven"]},
                         dict.fromkeys(("deferred", "threaded", "warmed", "helped"), "untimed"))
        self.assertEqual(rows["helped"]["untimed_ns"], "")
        self.assertEqual(float(rows["deferred"]["untimed_ns"]), 20000)
        self.assertEqual({row["fastest"] for row in rows.values()}, {"0"}, "threaded has the smallest time, and proves nothing")
        text = {name: (self.dir / f"out.{name}").read_text() for name in ("md", "xml", "json", "ctrf")}
        text["html"], text["terminal"] = (self.dir / "run/report.html").read_text(), result.out
        for name, output in text.items():
            words = " ".join(output.split())
            self.assertIn("unproven", words, name)
            if name != "json":  # the JSON has the names of the marks
                self.assertIn(REASON, words, name)
        marks = {row["variant"]: row["marks"] for row in json.loads(text["json"])["rows"]}
        self.assertIn("unproven", marks["deferred"])
        self.assertEqual([v for v, m in marks.items() if "prepared from inputs" in m], ["packed", "cooked", "warmed"])
        self.assertEqual([v for v, m in marks.items() if "partly unverified" in m], ["deferred", "threaded", "helped"], "joined only joins")

    def test_the_same_of_the_baseline_covers_it(self):
        """Variants that derive data as the baseline does keep their verdicts if their untimed work is about the same."""
        script = {**SCRIPT, "cooked": (50000, 1500), "packed": (25000, 2500)}
        self.scripted("alike", script, "--baseline", "cooked", "--variant", "cooked,packed,honest")
        self.assertEqual(self.words("alike"), {"cooked": "", "packed": "faster", "honest": "faster"})
        self.scripted("more", {**script, "packed": (25000, 16000)}, "--baseline", "cooked", "--variant", "cooked,packed,honest")
        self.assertEqual(self.words("more")["packed"], "unproven")

    def test_slower_than_what_proves_nothing(self):
        self.scripted("run", SCRIPT, "--baseline", "deferred", "--variant", "deferred,plain,helped")
        self.assertEqual(self.words("run"), {"deferred": "", "plain": "unproven", "helped": "unproven"})

    def test_gates_fail_closed(self):
        self.scripted("base", {**SCRIPT, "deferred": (40000, 0)}, "--variant", "plain,deferred")
        self.scripted("now", SCRIPT, "--variant", "plain,deferred")
        result = self.gpubench("compare", "base", "now", "--fail-on", "slower", "--force")
        self.assertEqual(result.exit, 5, result)
        self.assertIn("1 row could not be judged: 1 unproven", result.err)
        self.assertRegex(result.out, r"deferred.*unproven")
        self.assertEqual(self.gpubench("compare", "base", "now", "--fail-on", "slower", "--force", "--allow-unjudged").exit, 0)
        self.scripted("again", {**SCRIPT, "deferred": (26500, 20000)}, "--variant", "plain,deferred")
        result = self.gpubench("compare", "now", "again", "--fail-on", "slower", "--force")
        self.assertEqual(result.exit, 1, f"what both do alike is compared\n{result}")
        result = self.scripted("against", SCRIPT, "--variant", "plain,deferred", "--against", "base", "--fail-on", "slower", "--force")
        self.assertEqual(result.exit, 5, result)

    def test_on_the_processor(self):
        """However busy the machine is, a variant that leaves work to untimed callbacks is not called faster, and its
        untimed work is at least half of the work, which the shortest call of the honest twin shows."""
        result = self.gpubench(PLUGIN, "--case-time", "1", "--out", "run")
        self.assertIn(result.exit, (0, 3), result)
        rows = {row["variant"]: row for row in self.rows(self.dir / "run") if row["bench"] == "untimed/untimed"}
        self.assertEqual({rows[v]["status"] for v in ("plain", "honest", "joined", "packed", "helped")}, {"ok"}, result)
        self.assertIn(rows["warmed"]["status"], {"ok", "error"}, result)
        self.caught(rows["warmed"], result)
        # Or the cheat is wrong, and has no verdict.
        for variant in ("deferred", "threaded", "cooked", "warmed", "helped"):
            self.assertIn(rows[variant]["verdict"], {"", "unproven", "undecided", *NO_WORD}, variant)
        least = float(rows["honest"]["min_ns"])
        for variant in ("deferred", "threaded", "cooked"):  # `warmed` may be called before its process has started
            if rows[variant]["status"] != "ok":
                continue
            self.assertGreater(float(rows[variant]["untimed_ns"]), least / 2, variant)
        self.assertTrue(math.isfinite(float(rows["joined"]["untimed_ns"])))


if __name__ == "__main__":
    main()
