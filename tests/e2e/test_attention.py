"""The attention plugin's decode and backward on the cpu: lengths that no tile divides, several queries, heads that
share keys."""

from run import GpubenchTest, main


class Decode(GpubenchTest):
    def verify(self, *args, exit=0):
        out = f"o{len(list(self.dir.iterdir()))}"
        result = self.gpubench("--plugin", "attention", "--bench", "decode", "--verify-only", "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / out)

    def all_right(self, rows, cases):
        self.assertEqual(len(rows), cases, rows)
        for row in rows:
            self.assertEqual((row["variant"], row["status"]), ("standard", "ok"), f"{row['case_key']}: {row['message']}")

    def test_odd_lengths(self):
        rows = self.verify("-a", "b=3", "-a", "h=6", "-a", "h_kv=1,2,6", "-a", "s_q=1,3,16", "-a", "s=16,17,63,64,65,777",
                           "-a", "d=64,128", "-a", "dtype=fp32,bf16")
        self.all_right(rows, 3 * 3 * 6 * 2 * 2)

    def test_many_keys_are_sampled(self):
        rows = self.verify("-a", "b=2", "-a", "h=71", "-a", "h_kv=1", "-a", "s_q=16", "-a", "s=3001", "-a", "d=64,128",
                           "-a", "dtype=bf16")
        self.all_right(rows, 2)

    def test_one_key(self):
        self.all_right(self.verify("-a", "h=4", "-a", "h_kv=4", "-a", "s=1", "-a", "dtype=fp32,bf16"), 2)

    def test_what_there_is_not(self):
        for axes, sentence in ((("h=6", "h_kv=4"), "h_kv must divide h, not 4 of 6"),
                               (("s_q=17",), "s_q is 17: must be 1 to 16"),
                               (("s_q=4", "s=3"), "s is 3: must be 4 to"),
                               (("d=96",), "d must be 64 or 128")):
            args = [word for axis in axes for word in ("-a", axis)]
            for row in self.verify(*args, exit=3):
                self.assertEqual(row["status"], "skipped", row)
                self.assertIn(sentence, row["message"])


class Backward(GpubenchTest):
    def verify(self, *args, exit=0):
        out = f"o{len(list(self.dir.iterdir()))}"
        args = [word for axis in args for word in ("-a", axis)]
        result = self.gpubench("--plugin", "attention", "--bench", "attention/backward", "--verify-only", "--device", "cpu", "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / out)

    def all_right(self, rows, cases):
        self.assertEqual(len(rows), 2 * cases, rows)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']} {row['variant']}: {row['message']}")

    def test_odd_lengths(self):
        self.all_right(self.verify("b=2", "h=6", "h_kv=1,2,6", "s=1,15,48,65,130", "d=64", "dtype=fp32,bf16", "causal=yes,no"), 3 * 5 * 2 * 2)

    def test_wide_heads(self):
        self.all_right(self.verify("h=4", "h_kv=2", "s=49,64", "d=128", "dtype=fp32,bf16", "causal=yes,no"), 2 * 2 * 2)

    def test_many_rows_are_sampled(self):
        self.all_right(self.verify("b=2", "h=8", "h_kv=4", "s=1001", "d=64", "dtype=bf16", "causal=yes,no"), 2)

    def test_what_there_is_not(self):
        for axes, sentence in ((("h=6", "h_kv=4"), "h_kv must divide h, not 4 of 6"), (("s=0",), "s is 0: must be"),
                               (("d=96",), "d must be 64 or 128")):
            for row in self.verify(*axes, exit=3):
                self.assertEqual(row["status"], "skipped", row)
                self.assertIn(sentence, row["message"])


if __name__ == "__main__":
    main()
