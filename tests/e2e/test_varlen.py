"""attention/window and attention/varlen on the cpu: the keys that a query sees at borders, and that a guest which sees
more keys is found."""

import sys
import unittest

from author import guest
from run import GpubenchTest, main

try:
    import numpy
except ImportError:
    numpy = None

HEAD = """
#include <math.h>
#include <string.h>

/* One query of a head against keys `first` to `end`, rows `pitch` apart. */
static void attend(const float *q, const float *k, const float *v, float *o, int64_t d, int64_t pitch, int64_t first, int64_t end) {
  double top = -INFINITY, sum = 0, out[128] = {0};
  for (int pass = 0; pass < 2; pass++)
    for (int64_t j = first; j < end; j++) {
      double score = 0;
      for (int64_t x = 0; x < d; x++) score += (double)q[x] * k[j * pitch + x];
      score /= sqrt((double)d);
      if (pass == 0 && score > top) top = score;
      if (pass == 0) continue;
      const double weight = exp(score - top);
      sum += weight;
      for (int64_t x = 0; x < d; x++) out[x] += weight * v[j * pitch + x];
    }
  for (int64_t x = 0; x < d; x++) o[x] = (float)(out[x] / sum);
}

"""
AXES = """
  const int64_t h = gb.point->i64(c, "h"), h_kv = gb.point->i64(c, "h_kv"), d = gb.point->i64(c, "d"), window = gb.point->i64(c, "window");
  const float *q = gb.tensor->data(c, "q"), *k = gb.tensor->data(c, "k"), *v = gb.tensor->data(c, "v");
  float *o = gb.tensor->data(c, "o");
  (void)window;
"""
WINDOW = AXES + """
  const int64_t b = gb.point->i64(c, "b"), s = gb.point->i64(c, "s");
  for (int64_t head = 0; head < b * h; head++)
    for (int64_t i = 0; i < s; i++) {
      const int64_t shared = head / (h / h_kv) * s * d, at = (head * s + i) * d;
      attend(q + at, k + shared, v + shared, o + at, d, d, FIRST, i + 1);
    }
"""
VARLEN = AXES + """
  const int32_t *offsets = gb.tensor->data(c, "offsets");
  const int64_t total = gb.point->i64(c, "total"), sequences = gb.point->i64(c, "sequences");
  const int causal = strcmp(gb.point->str(c, "causal"), "yes") == 0;
  for (int64_t n = 0; n < sequences; n++)
    for (int64_t i = offsets[n]; i < offsets[n + 1]; i++)
      for (int64_t head = 0; head < h; head++) {
        const int64_t shared = head / (h / h_kv) * d, at = (i * h + head) * d;
        int64_t first = offsets[n], end = causal ? i + 1 : offsets[n + 1];
        if (window > 0 && i + 1 - window > first) first = i + 1 - window;
        (void)total, (void)first, (void)end;
        attend(q + at, k + shared, v + shared, o + at, d, h_kv * d, FIRST, END);
      }
"""
INSIDE = "i + 1 > window ? i + 1 - window : 0"


class Case(GpubenchTest):
    bench = None

    def verify(self, *axes, exit=0, plugins=(), variants=None):
        out = f"o{len(list(self.dir.iterdir()))}"
        args = [word for axis in axes for word in ("-a", axis)] + [word for p in plugins for word in ("--plugin", p)]
        args += ["--variant", variants] if variants else []
        result = self.gpubench("--plugin", "attention", "--bench", f"attention/{self.bench}", "--verify-only", "--device", "cpu", "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return self.rows(self.dir / out)

    def all_right(self, rows, cases):
        self.assertEqual(len(rows), 2 * cases, rows)
        for row in rows:
            self.assertEqual(row["status"], "ok", f"{row['case_key']} {row['variant']}: {row['message']}")

    def refused(self, *refusals):
        for axes, sentence in refusals:
            for row in self.verify(*axes, exit=3):
                self.assertEqual(row["status"], "skipped", row)
                self.assertIn(sentence, row["message"])

    def mine(self, name, body, **parts):
        """Compiles a guest whose `attend` has these parts."""
        for part, text in parts.items():
            body = body.replace(part, text)
        source = guest(self, name, f"gpubench.org/attention/{self.bench}/1", body, head=HEAD)
        return source

    def found(self, body, axes, **guests):
        """Runs guests given as name=(expected status, parts), and checks the status of each. Returns the rows."""
        plugins = [self.mine(name, body, **parts) for name, (_, parts) in guests.items()]
        wrong = any(status == "wrong" for status, _ in guests.values())
        rows = self.verify(*axes, exit=3 if wrong else 0, plugins=plugins, variants=",".join(guests))
        self.assertEqual({row["variant"]: row["status"] for row in rows}, {name: status for name, (status, _) in guests.items()}, rows)
        return rows

    def work(self, *axes):
        row = self.verify(*axes, variants="flash")[0]
        return self.number(row, "flops"), self.number(row, "bytes")


class Window(Case):
    bench = "window"

    def test_lengths_and_windows(self):
        """Windows of one key, of more keys than exist, of all but one, and sizes that no tile divides."""
        rows = self.verify("b=2", "h=4", "h_kv=2", "s=1,15,48,65,131,200", "window=1,2,16,47,64,100,199,1000", "d=64", "dtype=fp32,bf16")
        self.all_right(rows, 6 * 8 * 2)

    def test_wide_heads_that_share_keys(self):
        self.all_right(self.verify("h=6", "h_kv=1,6", "s=193", "window=50", "d=128", "dtype=fp32,bf16"), 4)

    def test_many_rows_are_sampled(self):
        self.all_right(self.verify("b=2", "h=8", "h_kv=4", "s=2001", "window=130", "dtype=fp32,bf16"), 2)

    def test_work_is_what_is_seen(self):
        for s, window, pairs in ((100, 1, 100), (100, 10, 955), (100, 100, 5050), (100, 101, 5050)):
            with self.subTest(window):
                self.assertEqual(self.work("h=6", "h_kv=2", f"s={s}", f"window={window}"),
                                 (4 * pairs * 6 * 64, 4 * 100 * 64 * (2 * 6 + 2 * 2)))

    def test_other_windows_are_found(self):
        self.found(WINDOW, ("h=4", "h_kv=2", "s=300", "window=64"), right=("ok", {"FIRST": INSIDE}), ignores=("wrong", {"FIRST": "0"}),
                   one_more=("wrong", {"FIRST": "i > window ? i - window : 0"}),
                   one_less=("wrong", {"FIRST": "i + 2 > window ? i + 2 - window : 0"}))

    def test_other_windows_are_found_in_samples(self):
        self.found(WINDOW, ("h=8", "h_kv=8", "s=601", "window=300"), ignores=("wrong", {"FIRST": "0 * window"}),
                   one_more=("wrong", {"FIRST": "i > window ? i - window : 0"}))

    def test_what_there_is_not(self):
        self.refused((("window=0",), "window is 0: must be 1 to"), (("h=6", "h_kv=4"), "h_kv must divide h, not 4 of 6"),
                     (("d=96",), "d must be 64 or 128"))

    def test_it_runs_where_it_is_named(self):
        listed = lambda *args: self.ok("--plugin", "attention", "--device", "cpu", "--dry-run", *args).out
        for bench in ("window", "varlen", "backward"):
            self.assertNotIn(f"attention/{bench}", listed())
            self.assertIn(f"attention/{bench}[", listed("--bench", bench))
        self.assertIn("attention/window[b=1,h=6,h_kv=2,s=777,window=100,", listed("--preset", "odd/777-w100"))
        self.assertIn("attention/varlen[total=777,", listed("--preset", "odd/777-in-9"))


class Varlen(Case):
    bench = "varlen"

    def test_lengths(self):
        """A single sequence, sequences of one token each, and sizes that no tile divides."""
        for mask in (("causal=yes,no",), ("causal=yes", "window=1,7,64,1000")):
            rows = self.verify("total=1,64,131", "sequences=1", "h=4", "h_kv=2", "dtype=fp32,bf16", *mask)
            rows += self.verify("total=131", "sequences=2,7,50,131", "lengths=equal,uniform,zipf", "h=4", "h_kv=2", "dtype=fp32,bf16", *mask)
            self.all_right(rows, (3 + 4 * 3) * 2 * (2 if len(mask) == 1 else 4))

    def test_longer_ones(self):
        self.all_right(self.verify("total=700", "sequences=3,11", "lengths=uniform,zipf", "h=3", "h_kv=1,3", "d=128",
                                   "dtype=fp32,bf16", "causal=yes,no"), 2 * 2 * 2 * 2 * 2)

    def test_many_rows_are_sampled(self):
        self.all_right(self.verify("total=2001", "sequences=5", "lengths=zipf", "h=8", "h_kv=4", "dtype=bf16", "causal=yes,no"), 2)

    def test_work_is_the_sum_over_the_sequences(self):
        for axes, pairs in ((("sequences=1",), 5050), (("sequences=100",), 100), (("sequences=4", "lengths=equal"), 4 * 325),
                            (("sequences=4", "lengths=equal", "causal=no"), 4 * 625),
                            (("sequences=4", "lengths=equal", "window=10"), 4 * 205)):
            with self.subTest(axes):
                sequences = int(axes[0].split("=")[1])
                self.assertEqual(self.work("total=100", "h=6", "h_kv=2", *axes),
                                 (4 * pairs * 6 * 64, 4 * (100 * 64 * (2 * 6 + 2 * 2) + sequences + 1)))

    def test_other_borders_are_found(self):
        right = {"FIRST": "first", "END": "end"}
        for lengths in ("equal", "uniform", "zipf"):
            axes = ("total=300", "sequences=7", f"lengths={lengths}", "h=4", "h_kv=2")
            with self.subTest(lengths):
                self.found(VARLEN, (*axes, "causal=no"), right=("ok", right),
                           one_too_far=("wrong", {**right, "END": "end < total ? end + 1 : end"}),
                           one_too_early=("wrong", {**right, "FIRST": "first > 0 ? first - 1 : 0"}))
                self.found(VARLEN, axes, right=("ok", right), ignores=("wrong", {**right, "FIRST": "0"}))
        self.found(VARLEN, ("total=300", "sequences=3", "window=20"), right=("ok", right),
                   ignores=("wrong", {**right, "FIRST": "offsets[n]"}))

    def test_other_borders_are_found_in_samples(self):
        self.found(VARLEN, ("total=1201", "sequences=4", "lengths=zipf", "h=8", "h_kv=8"), ignores=("wrong", {"FIRST": "0", "END": "end"}))

    def test_what_there_is_not(self):
        self.refused((("total=5", "sequences=6"), "sequences is 6: must be 1 to 5"), (("h=6", "h_kv=4"), "h_kv must divide h, not 4 of 6"),
                     (("d=96",), "d must be 64 or 128"), (("causal=no", "window=5"), "a window is one of causal attention"))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_a_guest_in_python(self):
        """The guest reads the offsets, which give it the lengths."""
        script = self.dir / "mine.py"
        script.write_text("""
import gpubench
import numpy as np


class Packed:
    def prepare(self, case):
        self.axes, self.t = case.axes, case.tensors
        case.note("lengths", ",".join(str(n) for n in np.diff(self.t["offsets"])))

    def run(self):
        q, k, v, o, offsets = (self.t[name] for name in ("q", "k", "v", "o", "offsets"))
        group = q.shape[1] // k.shape[1]
        for start, end in zip(offsets[:-1], offsets[1:]):
            for head in range(q.shape[1]):
                scores = q[start:end, head] @ k[start:end, head // group].T / np.sqrt(q.shape[2])
                scores[np.triu_indices(end - start, 1)] = -np.inf
                weights = np.exp(scores - scores.max(axis=1, keepdims=True))
                o[start:end, head] = weights / weights.sum(axis=1, keepdims=True) @ v[start:end, head // group]


gpubench.variant("gpubench.org/attention/varlen/1", name="mine", math="fp32", arrays="numpy")(Packed)
""")
        script.chmod(0o644)
        for how, lengths in (("equal", "33,33,34,33,33,34"), ("uniform", None), ("zipf", None)):
            result = self.gpubench("attention", script, "--bench", "attention/varlen", "-a", "total=200", "-a", "sequences=6", "-a", f"lengths={how}",
                                   "--variant", "mine", "--verify-only", "--python", sys.executable, "--out", how)
            self.assertEqual(result.exit, 0, result)
            (row,) = self.rows(self.dir / how)
            said = [int(n) for n in row["notes"].split("lengths=")[1].split(";")[0].split(",")]
            self.assertEqual((row["status"], sum(said), len(said)), ("ok", 200, 6), row)
            self.assertTrue(min(said) >= 1 and said != sorted(said) and said != sorted(said, reverse=True), said)
            if how == "zipf":
                self.assertGreater(max(said), 200 / 3)


if __name__ == "__main__":
    main()
