"""attention/forward on the cpu: heads that share keys and values, fp16, e4m3, heads of 256, and the minors of the
contract with which they came."""

import os

from author import guest
from run import GpubenchTest, main

CONTRACT = "gpubench.org/attention/forward/1"


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

    def test_guests_have_the_cases_of_their_minor(self):
        """Heads that share keys came with minor 1, fp16 and heads of 256 with 2, e4m3 with 3."""
        guests = [guest(self, f"mine{minor}", CONTRACT, "", minor=minor) for minor in range(4)]
        args = [arg for path in guests for arg in ("--plugin", path)]
        cases = {"b=1,h=4,h_kv=4,s=17,d=64,dtype=fp32": 0, "b=1,h=4,h_kv=4,s=17,d=128,dtype=bf16": 0,
                 "b=1,h=4,h_kv=2,s=17,d=64,dtype=bf16": 1, "b=1,h=4,h_kv=4,s=17,d=256,dtype=fp32": 2,
                 "b=1,h=4,h_kv=4,s=17,d=64,dtype=fp16": 2, "b=1,h=4,h_kv=2,s=17,d=256,dtype=e4m3": 3}
        keys = {f"attention/forward[{key},causal=yes]": minor for key, minor in cases.items()}
        rows = self.verify(*args, "--variant", "mine*", *(arg for key in keys for arg in ("--case", key)), exit=3)
        self.assertEqual(len(rows), 4 * len(cases))
        for row in rows:
            minor, own = keys[row["case_key"]], int(row["variant"][-1])
            self.assertEqual(row["status"], "wrong" if own >= minor else "skipped", row)
            if own < minor:
                why = f"written for minor {own} of {CONTRACT}; this case came with minor {minor}"
                self.assertEqual(row["message"], why)


if __name__ == "__main__":
    main()
