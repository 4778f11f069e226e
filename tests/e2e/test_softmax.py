"""The softmax plugin on the cpu: every variant at odd sizes in every storage type, with masked rows."""

from run import GpubenchTest, main

TYPES = ("-a", "dtype=fp32,fp16,bf16")


class Softmax(GpubenchTest):
    def verify(self, *args, exit=0):
        result = self.gpubench("--plugin", "softmax", "--verify-only", "--out", "o", *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / "o")

    def all_right(self, rows, cases, variants):
        self.assertEqual(len(rows), len(variants) * cases, rows)
        for row in rows:
            where = f"{row['case_key']} {row['variant']}"
            self.assertEqual(row["status"], "ok", f"{where}: {row['message']}")
            self.assertIn(row["variant"], variants)
            self.assertEqual(row["yardstick"], "1" if row["variant"] in ("copy", "read") else "", where)

    def test_odd_rows(self):
        rows = self.verify("--bench", "rows", "-a", "m=1,3,37", "-a", "n=1,2,3,17,1023,1024,1025,4097", *TYPES)
        self.all_right(rows, 3 * 8 * 3, ("naive", "online", "fused", "copy"))

    def test_cross_entropy_of_odd_rows(self):
        rows = self.verify("--bench", "cross_entropy", "-a", "m=1,3,37", "-a", "n=1,2,3,17,1023,1024,1025,4097", *TYPES)
        self.all_right(rows, 3 * 8 * 3, ("naive", "online", "read"))

    def test_what_is_behind_the_diagonal_is_hidden(self):
        rows = self.verify("--bench", "masked", "-a", "b=1,3", "-a", "m=1,5,70", "-a", "n=1,2,17,64,1025,2049",
                           "-a", "mask=causal", *TYPES)
        self.all_right(rows, 2 * 3 * 6 * 3, ("naive", "fused", "copy"))

    def test_a_mask_of_one_matrix_serves_all(self):
        rows = self.verify("--bench", "masked", "-a", "b=1,3", "-a", "m=1,5,70", "-a", "n=64,65,1025,2049",
                           "-a", "mask=given", *TYPES)
        self.all_right(rows, 2 * 3 * 4 * 3, ("naive", "fused", "copy"))

    def test_many_masked_rows_are_sampled(self):
        rows = self.verify("--bench", "masked", "-a", "b=7", "-a", "m=500", "-a", "n=1500", "-a", "mask=causal,given",
                           "-a", "dtype=bf16")
        self.all_right(rows, 2, ("naive", "fused", "copy"))

    def test_a_mask_that_might_hide_a_whole_row(self):
        for row in self.verify("--bench", "masked", "-a", "n=63", "-a", "mask=given", exit=3):
            self.assertEqual(row["status"], "skipped", row)
            self.assertIn("must be 64 to", row["message"])


if __name__ == "__main__":
    main()
