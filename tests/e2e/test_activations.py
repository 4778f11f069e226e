"""The activations plugin on the cpu: every variant at odd sizes in every storage type, the yardstick in its tables, and
guests with errors that the data must reveal."""

from run import GpubenchTest, main, plugin
from safety import SANITIZED

BENCHES = {
    "gelu": ["naive", "fast", "copy"],
    "swish": ["naive", "fast", "copy"],
    "layernorm": ["naive", "fused", "copy"],
    "rmsnorm": ["naive", "fused", "copy"],
    "layernorm_gelu": ["unfused", "fused", "copy"],
    "add_layernorm": ["naive", "fused", "copy"],
    "add_rmsnorm": ["naive", "fused", "copy"],
    "layernorm_saved": ["naive", "fused", "copy"],
    "rmsnorm_saved": ["naive", "fused", "copy"],
    "bias_gelu": ["naive", "fast", "copy"],
}
BAD = plugin("bad_activations")
# Numbers of rows; with sanitizers, which are many times slower, one of each kind.
ROWS = (1, 37) if SANITIZED else (1, 3, 37)
LENGTHS = (1, 17, 64, 1025, 4097) if SANITIZED else (1, 2, 3, 17, 63, 64, 129, 1023, 1024, 1025, 4097)


class Activations(GpubenchTest):
    def verify(self, *args, exit=0):
        out = f"o{len(list(self.dir.iterdir()))}"
        result = self.gpubench("--plugin", "activations", "--verify-only", "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / out)

    def all_right(self, rows, cases, bench_names):
        self.assertEqual(len(rows), 3 * cases, rows)
        for row in rows:
            where = f"{row['case_key']} {row['variant']}"
            self.assertEqual(row["status"], "ok", f"{where}: {row['message']}")
            self.assertIn(row["variant"], BENCHES[row["bench"].partition("/")[2]])
            self.assertEqual(row["yardstick"], "1" if row["variant"] == "copy" else "", where)
            self.assertEqual(row["verify_error"] == "", row["variant"] == "copy", where)
        self.assertEqual({row["bench"].partition("/")[2] for row in rows}, set(bench_names))

    def test_odd_sizes_of_the_elementwise_ones(self):
        sizes = (1, 3, 17, 63, 64, 1023, 1024, 1025, 100003)
        rows = self.verify("--bench", "gelu,swish", "-a", "n=" + ",".join(map(str, sizes)), "-a", "form=erf,tanh",
                           "-a", "dtype=fp32,fp16,bf16")
        self.all_right(rows, len(sizes) * 3 * 3, ("gelu", "swish"))

    def test_odd_rows(self):
        m, n = ROWS, LENGTHS
        benches = [name for name in BENCHES if "norm" in name]
        rows = self.verify("--bench", ",".join(benches), "-a", "m=" + ",".join(map(str, m)),
                           "-a", "n=" + ",".join(map(str, n)), "-a", "dtype=fp32,fp16,bf16")
        self.all_right(rows, len(m) * len(n) * 3 * len(benches), benches)

    def test_a_bias_ends_with_its_row(self):
        m, n = ROWS, LENGTHS
        rows = self.verify("--bench", "bias_gelu", "-a", "m=" + ",".join(map(str, m)), "-a", "n=" + ",".join(map(str, n)),
                           "-a", "form=erf,tanh", "-a", "dtype=fp32,fp16,bf16")
        self.all_right(rows, len(m) * len(n) * 2 * 3, ("bias_gelu",))

    def test_statistics_of_sampled_rows(self):
        rows = self.verify("--bench", "*_saved", "-a", "m=1001", "-a", "n=5001", "-a", "dtype=fp32,bf16")
        self.all_right(rows, 2 * 2, ("layernorm_saved", "rmsnorm_saved"))

    def test_other_data_is_right_too(self):
        for seed in range(2, 6):
            rows = self.verify("--bench", "gelu,layernorm_gelu", "-a", "n=1,5,70", "-a", "dtype=fp32,fp16,bf16", "-a", "m=2",
                               "-a", "form=erf", "--seed", seed)
            self.all_right(rows, 3 * 3 * 2, ("gelu", "layernorm_gelu"))

    def test_large_ones_are_sampled(self):
        rows = self.verify("--bench", "gelu,rmsnorm", "-a", "n=5000001", "-a", "m=1", "-a", "dtype=bf16", "-a", "form=erf")
        self.all_right(rows, 2, ("gelu", "rmsnorm"))

    def test_sizes_that_do_not_exist(self):
        for row in self.verify("--bench", "layernorm", "-a", "m=0,268435456", "-a", "n=1000", exit=3):
            self.assertEqual(row["status"], "skipped", row)
            self.assertIn("must be", row["message"])

    def test_slips_show_in_fp32(self):
        rows = self.verify("--plugin", BAD, "-a", "n=1024", "-a", "m=64", "-a", "form=erf,tanh", "-a", "dtype=fp32",
                           "--bench", "gelu,layernorm", exit=3)
        statuses = {}
        for row in rows:
            statuses.setdefault(row["variant"], set()).add(row["status"])
        for variant in ("naive", "fast", "fused", "copy", "whole-copy", "guest"):
            self.assertEqual(statuses[variant], {"ok"}, variant)
        for variant in ("other-form", "posing-copy", "short-copy", "no-epsilon", "sample-variance"):
            self.assertEqual(statuses[variant], {"wrong"}, variant)
        for row in rows:
            if row["variant"] == "other-form":
                self.assertRegex(row["message"], r"'y': error \S+, tolerance 6\.\d+e-07", row)
            if row["variant"] == "short-copy":
                self.assertIn("left 1 of 1024 elements of 'y' unwritten, the first is 1023", row["message"])

    def test_the_yardstick_is_ranked_nowhere(self):
        fast = self.fake(copy=10000, naive=100000)
        result = self.ok("--plugin", "activations", "--bench", "gelu", "-a", "n=4096", *fast)
        rows = self.by_variant()
        self.assertGreater(float(rows["fast"]["speedup"]), 1.9, rows["fast"])
        self.assertEqual((rows["copy"]["status"], rows["copy"]["speedup"], rows["copy"]["verdict"]), ("ok", "", ""))
        self.assertEqual(rows["copy"]["yardstick"], "1")
        self.assertRegex(result.out, r"(?m)^fastest +fast in 1 of 1 case$")
        self.assertRegex(result.out, r"copy .*yardstick")
        self.assertNotRegex(result.out, r"x copy")
        self.assertRegex(result.out, r"verified +2 of 2")
        page = (self.run_dir() / "report.html").read_text()
        self.assertIn('copy <span class="minor">yardstick</span>', page)

    def test_the_yardstick_is_no_baseline(self):
        message = self.one_line_error(2, "--plugin", "activations", "--bench", "gelu", "--baseline", "copy", "--quick")
        self.assertIn("--baseline 'copy'", message)

    def test_list_tells_yardsticks(self):
        self.assertRegex(self.ok("list", "--plugin", "activations").out, r"(?m)copy .*  yardstick")

    def test_the_pair_has_an_array_between(self):
        result = self.ok("--plugin", "activations", "--bench", "layernorm_gelu", "-a", "m=64", "-a", "n=1000",
                         "-a", "dtype=bf16", "--quick", "--out", "timed")
        rows = {row["variant"]: row for row in self.rows(self.dir / "timed") if row["plugin"] == "activations"}
        extra = {name: int(row["extra_mem_bytes"]) for name, row in rows.items()}
        self.assertGreaterEqual(extra["unfused"] - extra["fused"], 64 * 1000 * 2, result)
        graph = (self.dir / "timed" / "graph.csv").read_text()
        self.assertIn(",node,n,", graph.replace('"', ""))


if __name__ == "__main__":
    main()
