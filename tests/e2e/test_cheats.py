"""Kernels that skip the work, or slip in it: none earns a speedup, and each is told in a sentence of its own."""

from run import GpubenchTest, main, plugin

REMEMBERS = r"run remembers its inputs: on new ones it took \S+ us \(median of \d+\), on old ones \S+ us"

# Status and sentence at an even size.
CHEATS = {
    "first-call-only": ("wrong", r"left 16384 of 16384 elements of 'y' unwritten"),
    "by-pointer": ("wrong", r"'y': error \S+, tolerance \S+ .*worst \["),
    "by-content": ("wrong", REMEMBERS),
    "by-seed": ("wrong", REMEMBERS),
    "already-there": ("wrong", REMEMBERS),
    "every-second": ("wrong", r"left 16384 of 16384 elements of 'y' unwritten|" + REMEMBERS),
    "a-part": ("wrong", r"left 7 of 16384 elements of 'y' unwritten, the first is 16377"),
    "not-the-integer": ("wrong", r"'count': .*expected -1"),
    "nan-everywhere": ("wrong", r"'y': 16384 of 16384 values are not finite"),
    "nan-of-poison": ("wrong", r"left 16384 of 16384 elements of 'y' unwritten"),
    "nan-somewhere": ("wrong", r"'y': 1 of 16384 values are not finite.*\[8192\]"),
    "input-later": ("wrong", r"changed its input 'x'"),
    "input-at-once": ("wrong", r"changed its input 'x'"),
    "beyond": ("wrong", r"wrote outside tensor 'y': 4 bytes beside it changed, the first at byte 65536 of it"),
    "beyond-later": ("wrong", r"wrote outside tensor 'y'"),
    "far-beyond": ("wrong", r"wrote outside tensor 'y': 4 bytes beside it changed, the first at byte 67584 of it"),
    "allocates": ("error", r"run: gb\.mem/1 alloc is for setup and prepare, not run"),
    "expects": ("error", r"run: gb\.tensor/1 expect is for outputs and in reference: tensor 'y', in run"),
}
# What only time gives away; a scripted device gives every variant its scripted time, cheat or not.
BY_TIME = ("by-content", "by-seed", "already-there", "every-second")
HONEST = ("honest", "also-honest", "odd")


class Cheats(GpubenchTest):
    def variants(self):
        return {row["variant"]: row for row in self.rows() if row["bench"] == "cheat/cheat"}  # not the yardsticks

    def check(self, rows, cheats):
        for name in HONEST:
            if name in rows:
                self.assertEqual(rows[name]["status"], "ok", rows[name])
                self.assertNotEqual(rows[name]["speedup"], "", rows[name])
        for name in cheats:
            with self.subTest(name):
                status, sentence = CHEATS[name]
                row = rows[name]
                self.assertEqual(row["status"], status, row)
                self.assertRegex(row["message"], sentence)
                self.assertEqual((row["speedup"], row["speedup_lo"], row["verdict"]), ("", "", ""), row)

    def test_none_earns_a_speedup(self):
        result = self.gpubench("--plugin", plugin("cheat_cpu"), "-a", "n=16384", "--case-time", "2", timeout=120)
        self.assertEqual(result.exit, 3, result)
        rows = self.variants()
        self.check(rows, CHEATS)
        # Whether a thread is late depends on the scheduler: then it is wrong. Where it is not, it wins nothing.
        late = rows["in-a-thread"]
        self.assertTrue(late["status"] == "wrong" or late["verdict"] != "faster", late)

    def test_wrong_at_odd_sizes_only(self):
        result = self.gpubench("--plugin", plugin("cheat_cpu"), "--quick", "--variant", "honest,odd,also-honest")
        self.assertEqual(result.exit, 3, result)
        rows = {(row["case_key"][-6:-1], row["variant"]): row for row in self.rows()}
        self.assertEqual(rows["16384", "odd"]["status"], "ok")
        self.assertEqual(rows["16385", "odd"]["status"], "wrong")
        self.assertRegex(rows["16385", "odd"]["message"], r"left 1 of 16385 elements of 'y' unwritten, the first is 16384")
        self.assertEqual(rows["16385", "odd"]["speedup"], "")

    def test_a_quick_look_is_no_way_around(self):
        result = self.gpubench("--plugin", plugin("cheat_cpu"), "--quick", "-a", "n=16384",
                               "--variant", ",".join(HONEST + BY_TIME))
        self.assertEqual(result.exit, 3, result)
        for name, row in self.variants().items():
            with self.subTest(name):
                self.assertTrue(row["status"] == "ok" if name in HONEST else row["verdict"] != "faster", row)

    def test_on_a_scripted_device(self):
        cheats = [name for name in CHEATS if name not in BY_TIME]
        result = self.gpubench("--plugin", plugin("cheat_cpu"), "-a", "n=16384", "--variant", ",".join([*HONEST, *cheats]),
                               *self.fake())
        self.assertEqual(result.exit, 3, result)
        self.check(self.variants(), cheats)


if __name__ == "__main__":
    main()
