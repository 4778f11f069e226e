"""The md plugin on the cpu: every variant at odd numbers of atoms and steps, LAMMPS's benchmark, and planted errors
that must be found."""

from run import GpubenchTest, main, plugin, read_csv

SLIPS = ("half-list", "image-missing", "old-list", "half-steps", "stronger", "shorter", "unshifted", "lazy", "from-memory",
         "wrapped", "slow-clock", "one-less", "coarse", "timestep", "no-timestep")
VARIANTS = ("list", "cells", "all-pairs")


class Md(GpubenchTest):
    runs = 0

    def rows_of(self, *args, exit=0):
        self.runs += 1
        self.out = self.dir / f"o{self.runs}"
        result = self.gpubench("--plugin", "md", "--device", "cpu", "--ceilings", "off", "--out", self.out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.out)

    def all_right(self, rows, cases, variants=VARIANTS):
        self.assertEqual(len(rows), cases * len(variants), rows)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']} {row['variant']}: {row['message']}")
            self.assertIn(row["variant"], variants)

    def test_odd_numbers(self):
        rows = self.rows_of("--verify-only", "--variant", "*", "-a", "atoms=500,501,1373", "-a", "leg=1,2,19", "-a",
                            "order=sorted,shuffled", "-a", "potential=shifted-force,cut")
        self.all_right(rows, 3 * 3 * 2 * 2)

    def test_more_than_are_compared_one_by_one(self):
        self.all_right(self.rows_of("--verify-only", "--variant", "list", "-a", "atoms=32769", "-a", "leg=3"), 1, ("list",))

    def test_lammps_s_benchmark(self):
        self.all_right(self.rows_of("--verify-only", "--preset", "lammps"), 1, ("list", "cells"))

    def test_points_that_do_not_exist(self):
        for axis in ("atoms=499", "atoms=4194305", "leg=0", "leg=21", "jitter=0.2"):
            with self.subTest(axis):
                for row in self.rows_of("--verify-only", "-a", axis, exit=3):
                    self.assertEqual(row["status"], "skipped", row)
                    self.assertRegex(row["message"], r"must be|is .*: ")

    def test_every_pair_is_for_few(self):
        rows = self.rows_of("--verify-only", "--variant", "all-pairs", "-a", "atoms=8193", exit=3)
        self.assertEqual([row["status"] for row in rows], ["skipped"])
        self.assertIn("every pair of at most 8192", rows[0]["message"])

    def test_no_slip_passes(self):
        """The same code without an error is right, in a run that times them: some errors show only later in a
        trajectory."""
        rows = self.rows_of("--plugin", plugin("md_slips"), "--quick", "-a", "atoms=500", "--max-time", "200s", exit=3)
        statuses = {row["variant"]: row["status"] for row in rows}
        self.assertEqual({name: statuses.pop(name) for name in ("list", "cells", "right")},
                         {"list": "ok", "cells": "ok", "right": "ok"}, rows)
        self.assertEqual(statuses, {name: "wrong" for name in SLIPS}, rows)

    def test_energy_and_momentum_are_told(self):
        self.rows_of("--quick", "-a", "atoms=500", "--variant", "list")
        told = {row["metric"]: float(row["value"]) for row in read_csv(self.out / "metrics.csv")}
        self.assertEqual(set(told), {"energy-drift", "momentum"})
        self.assertLess(told["energy-drift"], 4e-3)
        self.assertLess(told["momentum"], 5e-7)


if __name__ == "__main__":
    main()
