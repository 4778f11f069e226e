"""attention/forward on the cpu: heads that share keys and values, fp16, e4m3, heads of 256, and the earlier contracts,
which guests may depend on."""

import os

from author import guest
from run import GpubenchTest, main

ZEROS = """
  float *o = gb.tensor->data(c, "o");
  const int64_t count = gb.point->i64(c, "b") * gb.point->i64(c, "h") * gb.point->i64(c, "s") * gb.point->i64(c, "d");
  for (int64_t i = 0; i < count; i++) o[i] = 0;
"""
CONTRACT = "gpubench.org/attention/forward/"


class Forward(GpubenchTest):
    def verify(self, *args, exit=0):
        out = f"o{len(list(self.dir.iterdir()))}"
        result = self.gpubench("--plugin", "attention", "--verify-only", "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / out)

    def test_heads_that_share_keys(self):
        rows = self.verify("--bench", "forward", "--variant", "standard,flash", "-a", "b=3", "-a", "h=6", "-a", "h_kv=1,2,3,6", "-a", "s=1,17,65,131",
                           "-a", "d=64,128", "-a", "dtype=fp32,bf16", "-a", "causal=yes,no")
        self.assertEqual(len(rows), 4 * 4 * 2 * 2 * 2 * 2)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']}: {row['variant']}: {row['message']}")

    def test_fp16_and_heads_of_256(self):
        sizes = ("--bench", "forward", "--variant", "standard,flash", "-a", "h=4", "-a", "h_kv=1,4", "-a", "s=1,17,65,131", "-a", "causal=yes,no")
        rows = self.verify(*sizes, "-a", "d=64,128,256", "-a", "dtype=fp16") + self.verify(*sizes, "-a", "d=256", "-a", "dtype=fp32,bf16")
        self.assertEqual(len(rows), 2 * 4 * 2 * 5 * 2)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']}: {row['variant']}: {row['message']}")

    def test_e4m3_with_results_of_bf16(self):
        rows = self.verify("--bench", "forward", "--variant", "standard,flash", "-a", "h=4", "-a", "h_kv=1,4", "-a", "s=1,17,65,131",
                           "-a", "d=64,128,256", "-a", "dtype=e4m3", "-a", "causal=yes,no")
        self.assertEqual(len(rows), 2 * 4 * 3 * 2 * 2)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']}: {row['variant']}: {row['message']}")
            axes = {name: int(row["case_key"].split(f"{name}=")[1].split(",")[0]) for name in ("h_kv", "s", "d")}
            self.assertEqual(self.number(row, "bytes"), axes["s"] * axes["d"] * (4 + 2 * axes["h_kv"] + 2 * 4))
        self.assertIn("attention/forward_3 has fp32, fp16, bf16",
                      self.gpubench("--plugin", "attention", "--bench", "forward_3", "-a", "dtype=e4m3").err)

    def test_earlier_contracts_have_neither(self):
        for bench, heads in (("forward_1", ()), ("forward_2", ("-a", "h_kv=2"))):
            args = ("--bench", bench, "-a", "h=2", *heads, "-a", "s=64", "--variant", "flash")
            for row in self.verify(*args, "-a", "d=256", exit=3):
                self.assertEqual((row["status"], row["message"]), ("skipped", "d must be 64 or 128, not 256"), row)
            self.assertIn(f"attention/{bench} has fp32, bf16", self.gpubench("--plugin", "attention", *args, "-a", "dtype=fp16").err)

    def test_many_heads_are_sampled(self):
        rows = self.verify("--bench", "forward", "--variant", "standard,flash", "-a", "b=2", "-a", "h=71", "-a", "h_kv=1", "-a", "s=333", "-a", "d=64")
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"], rows)

    def test_openblas_is_right_where_it_is(self):
        rows = self.verify("--bench", "forward", "--variant", "openblas", "-a", "b=2", "-a", "h=6", "-a", "h_kv=2,6",
                           "-a", "s=1,97,200", "-a", "d=64,128", "-a", "dtype=fp32", "-a", "causal=yes,no")
        if any("no OpenBLAS here" in row["message"] for row in rows):
            self.skipTest("no OpenBLAS here")
        self.assertEqual(len(rows), 2 * 3 * 2 * 2)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']}: {row['message']}")

    def test_openblas_is_skipped_where_it_is_not(self):
        self.ok("--plugin", "attention", "--bench", "forward", "--variant", "*", "--verify-only", "-a", "s=64", "-a", "h=2", "-a", "h_kv=2",
                "-a", "dtype=fp32,bf16", "--out", "none", env={**os.environ, "LD_LIBRARY_PATH": ":"})
        rows = self.rows(self.dir / "none")
        self.assertEqual({row["status"] for row in rows if row["variant"] != "openblas"}, {"ok"})
        messages = [row["message"] for row in rows if row["variant"] == "openblas"]
        self.assertEqual(len(messages), 2)
        self.assertRegex(messages[0], "no OpenBLAS here.*not absolute")
        self.assertEqual(messages[1], "openblas has fp32 alone")

    def test_what_does_not_divide(self):
        for h, h_kv in ((6, 4), (2, 12), (6, 0), (6, -2)):
            for row in self.verify("--bench", "forward", "-a", f"h={h}", "-a", f"h_kv={h_kv}", exit=3):
                self.assertEqual(row["status"], "skipped", row)
                self.assertIn(f"h_kv must divide h, not {h_kv} of {h}", row["message"])

    def test_work_is_that_of_the_heads_there_are(self):
        few, many = (self.verify("--bench", "forward", "-a", "h=8", "-a", f"h_kv={n}", "-a", "s=64", "--variant", "flash")[0]
                     for n in (2, 8))
        self.assertEqual(few["flops"], many["flops"])
        self.assertEqual(self.number(few, "bytes") / self.number(many, "bytes"), (2 + 2 * 2 / 8) / 4)

    def test_the_contract_before_is_for_guests(self):
        benches = {row["bench"] for row in self.verify("--preset", "gpt2/256")}
        self.assertEqual({f"attention/forward_{n}" for n in (1, 2, 3)} & benches, set())
        for version, bench, keys in ((1, "forward_1", "b=1,h=12,s=256"), (2, "forward_2", "b=1,h=12,h_kv=12,s=256"),
                                     (3, "forward_3", "b=1,h=12,h_kv=12,s=256"),
                                     (4, "forward", "b=1,h=12,h_kv=12,s=256")):
            with self.subTest(version):
                mine = guest(self, f"mine{version}", f"{CONTRACT}{version}", ZEROS)
                rows = [row for row in self.verify("--plugin", mine, "--preset", "gpt2/256", exit=3)
                        if row["bench"] == f"attention/{bench}"]
                self.assertEqual({row["variant"]: row["status"] for row in rows},
                                 {"standard": "ok", "flash": "ok", f"mine{version}": "wrong"})
                self.assertEqual({row["case_key"] for row in rows},
                                 {f"attention/{bench}[{keys},d=64,dtype=fp32,causal=yes]"})

    def test_it_runs_where_it_is_named(self):
        rows = self.verify("--bench", "forward_1", "-a", "h=2", "-a", "s=65", "--variant", "standard,flash")
        self.assertEqual([(row["bench"], row["status"]) for row in rows], [("attention/forward_1", "ok")] * 2)
        self.verify("--case", "attention/forward_1[b=1,h=2,s=65,d=64,dtype=fp32,causal=yes]")
        self.verify("--case", "attention/forward_2[b=1,h=2,h_kv=1,s=65,d=64,dtype=fp32,causal=yes]")


if __name__ == "__main__":
    main()
