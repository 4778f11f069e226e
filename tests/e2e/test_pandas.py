"""results.csv and samples.csv open in pandas as they are."""

import os
import unittest

from run import GpubenchTest, main, plugin

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


if __name__ == "__main__":
    main()
