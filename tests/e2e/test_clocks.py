"""The clocks of samples: the worker reads two of them, and the parent's clock is compared."""

from run import GpubenchTest, main, plugin


class Clocks(GpubenchTest):
    def test_a_clock_that_was_changed_is_told(self):
        for mode in ("cold", "latency"):
            with self.subTest(mode):
                result = self.gpubench("--plugin", plugin("clocks"), "--mode", mode, "--case-time", "0.3", "--ceilings", "off", "--out", mode)
                rows = self.by_variant(self.dir / mode)
                self.assertEqual((rows["good"]["status"], rows["slow-clock"]["status"]), ("ok", "error"), result)
                self.assertRegex(rows["slow-clock"]["message"], r"the clock was changed: \d+ of \d+ samples are shorter by clock_gettime\(\)")

    def test_batches_have_the_parents_clock(self):
        found = []
        for mode in ("cold", "hot", "wall"):
            result = self.ok("--plugin", plugin("lazy"), "--variant", "good,advises,own-alias", "--mode", mode, "--case-time", "0.5",
                             "--ceilings", "off", "--out", mode)
            for row in self.by_variant(self.dir / mode).values():
                self.assertEqual(row["status"], "ok", result)
                self.assertEqual(row["outside_ns"] == "", row["outside_slack_ns"] == "")
                if row["outside_ns"]:
                    found.append((self.number(row, "outside_ns"), self.number(row, "outside_slack_ns")))
                if row["contended"] == "1":
                    self.assertNotIn("clock", row["unproven"].split(";"))
        self.assertGreater(len(found), 0)  # except batches whose messages reached the parent late
        for outside_ns, slack_ns in found:
            self.assertGreater(outside_ns, 0)
            self.assertGreater(slack_ns, 0)

    def test_a_script_has_none(self):
        self.ok("--plugin", plugin("ok_vector"), *self.fake(), "--out", "run")
        for row in self.rows(self.dir / "run"):
            self.assertEqual((row["outside_ns"], row["outside_slack_ns"]), ("", ""))


if __name__ == "__main__":
    main()
