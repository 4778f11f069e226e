"""results.csv and samples.csv can be read by pandas as they are."""

import os
import unittest

from run import GpubenchTest, main, plugin, read_csv

try:
    import pandas
except ImportError:
    pandas = None


@unittest.skipIf(pandas is None and not os.environ.get("GPUBENCH_NO_SKIP"), "pandas is not installed")
class Pandas(GpubenchTest):
    def test_columns_have_their_types(self):
        self.assertIsNotNone(pandas, "pandas is not installed")
        self.ok("--plugin", plugin("ok_vector"), "--quick")
        frame = pandas.read_csv(self.run_dir() / "results.csv")
        self.assertEqual(len(frame), 6)
        for column in ("median_raw_ns", "speedup", "gb_per_s"):
            self.assertIn(frame[column].dtype.kind, "fi", column)  # whole numbers of ns, perhaps
        for column in ("samples", "flops", "bytes", "seed"):
            self.assertEqual(frame[column].dtype.kind, "i", column)
        samples = pandas.read_csv(self.run_dir() / "samples.csv")
        medians = samples.groupby(["case_key", "variant"])["ns"].median()
        for row in frame.itertuples():
            self.assertAlmostEqual(medians[row.case_key, row.variant], row.median_raw_ns, delta=1e-6 * row.median_raw_ns)

    def test_what_pandas_writes_back_is_a_run(self):
        """pandas writes integer columns with an empty cell as 600.0, and flags as True."""
        self.gpubench("--plugin", plugin("ok_vector"), "--quick", "--max-time", "600", "--out", "run")
        self.gpubench("--plugin", plugin("bad_crash"), "--verify-only", "--variant", "good,segv", "--max-time", "600", "--out", "crashed")
        for run in ("run", "crashed"):
            path = self.dir / run / "results.csv"
            frame = pandas.read_csv(path)
            frame["quick"] = frame["quick"] == 1
            blank = {column: float("nan") for column in ("samples", "flops", "outliers", "seed")}
            frame = pandas.concat([frame, frame.tail(1).assign(variant="more", status="skipped", **blank)])
            frame.to_csv(self.dir / "again.csv", index=False)
            text = (self.dir / "again.csv").read_text()
            self.assertRegex(text, r",\d+\.0,")
            self.assertRegex(text, ",(True|False),")
            self.ok("compare", run, "again.csv")
            self.ok("report", "again.csv", "--csv", "back.csv")
            self.assertEqual([row["samples"] for row in self.rows_of("back.csv")][:-1], [row["samples"] for row in self.rows_of(path)])

    def rows_of(self, path):
        return read_csv(self.dir / path)


if __name__ == "__main__":
    main()
