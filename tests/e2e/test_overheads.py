"""Kernels that take hardly longer than an empty launch: their figures raw and minus the launch overhead, on the
scripted device, whose launch overhead is known."""

import json

from run import GpubenchTest, main, plugin


class Overheads(GpubenchTest):
    def measure(self, launch_overhead_ns, launch_overhead_unc_ns, *args, exit=0, out="run", noise=0.004, tick=32, **times):
        sections = "".join(f"[{name}]\nns = {ns}\nsample_sd = {noise}\nslot_sd = 0.001\n" for name, ns in times.items())
        (self.dir / f"{out}.ini").write_text(f"[device]\nname = Test device\ntick_ns = {tick}\nseed = 3\nlaunch_overhead_ns = {launch_overhead_ns}\nlaunch_overhead_unc_ns = {launch_overhead_unc_ns}\n{sections}")
        done = self.gpubench("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/{out}.ini", "--out", out, *args)
        self.assertEqual(done.exit, exit, done)
        return self.by_variant(self.dir / out), done

    def interval(self, row, level=""):
        return tuple(self.number(row, f"speedup_corrected_{end}{level}") for end in ("lo", "hi"))

    def test_both_ratios_and_one_word(self):
        """7 us against 5 us, of which a launch takes 3: raw 1.4 times as fast, and twice as fast without the launch
        overhead."""
        rows, _ = self.measure(3000, 150, plain=4000, twice=2000, blocked=4000)
        plain, twice, blocked = rows["plain"], rows["twice"], rows["blocked"]
        self.assertEqual((float(plain["launch_overhead_ns"]), float(plain["launch_overhead_unc_ns"])), (3000, 150))
        self.assertAlmostEqual(self.number(twice, "median_raw_ns"), 5000, delta=40)
        self.assertAlmostEqual(self.number(twice, "median_ns"), 2000, delta=40)
        self.assertAlmostEqual(self.number(twice, "speedup"), 1.4, delta=0.01)
        self.assertAlmostEqual(self.number(twice, "speedup_corrected"), 2, delta=0.03)
        # The error of the launch overhead is the same for both: the interval ends at 4150 / 2150 and 3850 / 1850, plus
        # a little noise.
        lo, hi = self.interval(twice)
        self.assertTrue(1.85 < lo < 4150 / 2150 and 3850 / 1850 < hi < 2.2, (lo, hi))
        lo99, hi99 = self.interval(twice, "99")
        self.assertTrue(lo99 < lo and hi < hi99)
        self.assertEqual((twice["verdict"], twice["fastest"], twice["message"]), ("faster", "1", ""))
        lo, hi = self.interval(blocked)
        # For equal times the ratio does not depend on the launch overhead.
        self.assertTrue(0.97 < lo < 1 < hi < 1.03, (lo, hi))
        self.assertEqual(plain["speedup_corrected"], "")
        left = [self.number(twice, f"median_{end}_ns") for end in ("lo", "hi")]
        self.assertTrue(left[0] < 1860 and left[1] > 2140, left)

    def test_every_output_shows_both(self):
        self.measure(3000, 150, plain=4000, twice=2000, blocked=4000)
        done = self.ok("report", "run", "--markdown", "s.md", "--junit", "j.xml", "--bmf", "b.json", "--html", "r.html")
        head, *lines = done.out.split("\n")[1:]
        self.assertEqual((head.split().count("-launch"), head.split().count("speedup"), head.split().count("us")), (2, 1, 1))
        (line,) = [line for line in lines if line.split()[:1] == ["twice"] and "faster" in line and "geomean" not in line]
        self.assertRegex(line, r"(4\.9|5\.0)\d+ .*(1\.9|2\.0)\d+ .*1\.\d+x .*(1\.9\d+|2\.0\d*)x +\[1\.\d+, 2\.\d+\]")
        self.assertEqual(done.out.count("-launch     less what an empty launch takes, 3.00 +-0.15 us"), 1)
        both = r"1\.\d+x \[1\.\d+, 1\.\d+\][^|]* \(less the launch overhead (1\.9\d+|2\.0\d*)x \[1\.\d+, 2\.\d+\]\):? faster"
        self.assertRegex((self.dir / "s.md").read_text(), both)
        self.assertRegex((self.dir / "j.xml").read_text(), both)
        page = (self.dir / "r.html").read_text()
        self.assertRegex(page, r'>less the launch overhead <span class="line">(1\.9\d+|2\.0\d*)x \[1\.\d+, 2\.\d+\]<')
        self.assertRegex(page, r'>less the launch overhead <span class="line">4\.0\d* us \u00b1\d\.\d%<')
        rates = [metrics["gb-per-s"] for metrics in json.loads((self.dir / "b.json").read_text()).values()]
        # The uncertainty is that of the launch overhead, a twentieth and more, not the 0.4% of the raw times.
        for rate in rates:
            self.assertTrue(rate["lower_value"] < 0.97 * rate["value"] and rate["upper_value"] > 1.03 * rate["value"], rate)

    def test_rates_are_of_what_is_left(self):
        rows, _ = self.measure(3000, 150, plain=4000, twice=2000, blocked=97000)
        for name, row in rows.items():
            time = self.number(row, "median_raw_ns" if name == "blocked" else "median_ns")
            self.assertAlmostEqual(self.number(row, "gb_per_s"), int(row["bytes"]) / time, delta=1e-6)

    def test_two_runs_are_compared_both_ways(self):
        """7 us became 5, of which a launch takes 3. A row that is lost in the launch overhead passes no gate."""
        same = {"plain": 97000, "blocked": 97000}
        self.measure(3000, 150, out="a", twice=4000, **same)
        self.measure(3000, 150, out="b", twice=2000, **same)
        self.measure(3000, 500, out="c", twice=600, **same)
        left = r"less the launch overhead (1\.9\d+|2\.0\d*)x \[1\.[67]\d*, 2\.\d+\]"
        done = self.ok("compare", "a", "b", "--json", "c.json", "--markdown", "c.md", "--html", "c.html")
        for text in (done.out, (self.dir / "c.md").read_text(), (self.dir / "c.html").read_text()):
            self.assertRegex(text.replace("\\", ""), left)
        (row,) = [row for row in json.loads((self.dir / "c.json").read_text())["runs"][0]["against"]["rows"] if row["variant"] == "twice"]
        self.assertRegex(row["note"], left)
        self.assertEqual((row["verdict"], row["beyond"], round(row["speedup"], 1)), ("faster", True, 1.4))
        done = self.gpubench("compare", "c", "b", "--fail-on", "slower")
        self.assertEqual(done.exit, 5, done)  # 3.6 us became 5: surely slower, but by an unknown factor
        self.assertRegex(done.out, r"(?m)^Not all judged: .*1 not judged \(undecided \(launch\)\)")
        self.assertIn("less the launch overhead not known", done.out)

    def test_processes_differ_by_what_launches_do(self):
        """300 ns less of 7 us may be another process's launch; 4.3% less of 100 us cannot be."""
        same = {"blocked": 97000}
        self.measure(3500, 0, out="a", twice=3600, plain=100000, **same)
        self.measure(3500, 0, out="b", twice=3300, plain=95500, **same)
        self.ok("compare", "a", "b", "--json", "c.json")
        rows = json.loads((self.dir / "c.json").read_text())["runs"][0]["against"]["rows"]
        words = {row["variant"]: row["verdict"] for row in rows}
        self.assertEqual(words["plain"], "faster", rows)
        self.assertNotEqual(words["twice"], "faster", rows)

    def test_a_tenth_of_a_launch_takes_processes(self):
        """300 ns of 7 us need several processes, because in one process launches of one variant may be faster by that
        much; 2 us of 50 us do not."""
        rows, _ = self.measure(3500, 0, plain=3600, twice=3300, blocked=2000)
        self.assertEqual({row["restarts"] for row in rows.values()}, {"3"}, rows)
        self.assertEqual((rows["twice"]["verdict"], rows["blocked"]["verdict"]), ("faster", "faster"), rows)
        rows, _ = self.measure(3500, 0, plain=50000, twice=48000, blocked=40000, out="long")
        self.assertEqual({row["restarts"] for row in rows.values()}, {"1"}, rows)

    def test_what_is_lost_in_the_overhead_has_no_figure(self):
        """Raw it is surely faster. Minus a launch overhead that is known to 500 ns, its time is unknown."""
        rows, _ = self.measure(3000, 500, plain=1500, twice=600, blocked=1500)
        twice = rows["twice"]
        self.assertGreater(self.number(twice, "speedup_lo"), 1.2)
        self.assertEqual((twice["verdict"], twice["fastest"]), ("undecided (launch)", "0"))
        for column in ("median_ns", "median_lo_ns", "median_hi_ns", "speedup_corrected", "speedup_corrected_lo", "gb_per_s"):
            self.assertEqual(twice[column], "", column)
        self.assertRegex(twice["message"], r"^no time less the launch overhead: 6\d\d(\.\d)? ns \+-5\d\d(\.\d)? ns$")
        self.assertEqual(rows["plain"]["message"], "")
        self.assertEqual({row["restarts"] for row in rows.values()}, {"1"})  # more processes would not help
        self.assertIn(r"undecided \(launch\)", self.ok("report", "run", "--markdown", "-").out)
        self.assertIn("undecided (launch)", self.ok("report", "run").out)

    def test_the_star_needs_both(self):
        """If one row is lost in the launch overhead, no row is the fastest, whichever is the baseline."""
        rows, _ = self.measure(3000, 500, "--baseline", "blocked", plain=1500, twice=600, blocked=40000)
        self.assertEqual((rows["plain"]["verdict"], rows["twice"]["verdict"]), ("faster", "undecided (launch)"))
        self.assertEqual({row["fastest"] for row in rows.values()}, {"0"})
        self.assertNotIn("\u2605", (self.dir / "run/report.html").read_text().split("<tbody>")[1])

    def test_same_needs_both(self):
        """0.4% of the raw time is the same; 2% without the launch overhead is not."""
        rows, _ = self.measure(20000, 0, noise=0.0005, tick=1, plain=5000, twice=5100, blocked=5000)
        self.assertTrue(0.995 < self.number(rows["twice"], "speedup_lo") and self.number(rows["twice"], "speedup_hi") < 1.005)
        self.assertAlmostEqual(self.number(rows["twice"], "speedup_corrected"), 50 / 51, delta=0.004)
        self.assertEqual(rows["twice"]["verdict"], "undecided (launch)")

    def test_where_the_overhead_is_small_it_changes_nothing(self):
        rows, _ = self.measure(3000, 3000, plain=97000, twice=80000, blocked=97000)  # however uncertain it is
        self.assertEqual((rows["twice"]["verdict"], rows["blocked"]["verdict"]), ("faster", "same"))
        self.assertEqual(rows["twice"]["fastest"], "1")


if __name__ == "__main__":
    main()
