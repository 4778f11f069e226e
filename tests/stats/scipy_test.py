#!/usr/bin/env python3
"""scipy_test.py NUMBERS: tests the statistics against SciPy and NumPy, or against a formula written out here if SciPy has
no such function. NUMBERS is the program built from numbers.c. Exits with 77 if SciPy is missing."""

import os
import subprocess
import sys
import unittest

try:
    import numpy as np
    from scipy import stats
    from scipy.stats.mstats import winsorize
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(1 if os.environ.get("GPUBENCH_NO_SKIP") else 77)

NUMBERS = sys.argv.pop() if len(sys.argv) > 1 else ""
random = np.random.default_rng(1)


def ask(questions):
    """Answers all questions in one process. Each question is a function's name with numbers or lists of numbers."""
    lines = [" ".join([name] + [repr(float(x)) for part in parts for x in np.atleast_1d(part)]) for name, *parts in questions]
    done = subprocess.run([NUMBERS], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [np.array(line.split(), dtype=float) for line in done.stdout.splitlines()]


def series(count, kind):
    """Returns values of several distributions, as medians, outlier limits and trends meet them."""
    noise = random.standard_normal(count)
    if kind == "skewed":
        return 1000 * np.exp(0.3 * noise)
    if kind == "wild":
        return 1000 + random.standard_t(1.5, count)
    if kind == "ticks":
        return 32 * np.round(1000 + 0.7 * noise)
    if kind == "slow":
        return 1000 + np.convolve(random.standard_normal(count + 9), np.ones(10), "valid")
    return 1000 + noise


KINDS = ("plain", "skewed", "wild", "ticks", "slow")


def resemblance(x, lag):
    d = x - x.mean()
    return (d[lag:] * d[:len(d) - lag]).sum() / (d * d).sum() + 1 / len(d)


def inflation(x):
    n = len(x)
    if np.ptp(x) == 0:
        return 1.0
    rhos = []
    for lag in range(1, min(n // 3, 200) + 1):
        rho = resemblance(x, lag)
        if rho <= 0:
            break
        rhos.append(rho)
    first = min(rhos[0], 0.9) if rhos else 0
    return max((1 + first) / (1 - first), 1 + 2 * first / 0.3, 1 + 2 * sum(rhos))


def inflation_most(x):
    n = len(x)
    if np.ptp(x) == 0:
        return 1.0
    doubt, first, second = 2 * np.sqrt(n) / max(n, 12), resemblance(x, 1), resemblance(x, 2)
    most = np.clip(first + doubt, 0, 0.9)
    widen = max(inflation(x), (1 + most) / (1 - most))
    if first <= doubt:
        return widen
    fall = np.clip((second + doubt) / first, most, 0.95)
    return max(widen, 1 + 2 * first / (1 - fall))


def centre(x):
    """Computes Yuen's trimmed mean from SciPy's functions."""
    clipped = np.asarray(winsorize(x, limits=(0.2, 0.2)))
    left = len(x) - 2 * (len(x) // 5)
    widen = inflation_most(clipped)
    return stats.trim_mean(x, 0.2), np.sqrt(widen * clipped.var() * len(x) / (left * (left - 1))), max((left - 1) / widen, min(left - 1, 3))


class Scipy(unittest.TestCase):
    def near(self, got, expected, relative=1e-9, absolute=0.0):
        np.testing.assert_allclose(got, expected, rtol=relative, atol=absolute)

    def test_quantiles_are_numpys(self):
        rows = [(p, series(n, kind)) for n in (1, 2, 5, 37, 1000) for kind in KINDS for p in (0, 0.05, 0.5, 0.813, 0.999, 1)]
        for (p, x), (got,) in zip(rows, ask([("quantile", p, x) for p, x in rows])):
            self.near(got, np.quantile(x, p), 1e-14)

    def test_student_quantiles(self):
        rows = [(level, df) for level in (0.5, 0.9, 0.95, 0.99, 0.9999) for df in (0.7, 1, 1.3, 2, 7, 10.5, 30, 401, 5e4)]
        for (level, df), (got,) in zip(rows, ask([("student", *row) for row in rows])):
            self.near(got, stats.t.ppf((1 + level) / 2, df), 1e-8)

    def test_student_tails(self):
        rows = [(t, df) for t in (0, 1e-3, 0.5, 1, 2.5, 7, 40, 1e4) for df in (0.7, 1, 2, 7.3, 30, 401)]
        for (t, df), (got,) in zip(rows, ask([("student_tail", *row) for row in rows])):
            self.near(got, 2 * stats.t.sf(t, df), 1e-9)

    def test_binomial(self):
        rows = [(k, n, p) for n in (1, 5, 72, 368, 3688) for p in (0.001, 0.05, 0.5, 0.95, 0.999)
                for k in {0, 1, n // 2, int(n * p), n - 1, n}]
        for (k, n, p), (got,) in zip(rows, ask([("binomial", *row) for row in rows])):
            self.near(got, stats.binom.cdf(k, n, p), 1e-9, 1e-300)

    def test_intervals_of_quantiles(self):
        """Tests that the interval is the narrowest pair of order statistics that leaves at most 2.5% outside on each side, or NaN."""
        rows = [(p, n) for p in (0.5, 0.95, 0.99, 0.999)
                for n in (5, 6, 40, 71, 72, 73, 200, 367, 368, 500, 3687, 3688, 4000)]
        for (p, n), got in zip(rows, ask([("quantile_interval", p, n, np.arange(1, n + 1)) for p, n in rows])):
            lower = max((r for r in range(1, n + 1) if stats.binom.cdf(r - 1, n, p) <= 0.025), default=None)
            upper = min((r for r in range(1, n + 1) if stats.binom.cdf(r - 1, n, p) >= 0.975), default=None)
            if lower is None or upper is None:
                self.assertTrue(np.isnan(got).all(), (p, n, got))
            else:
                self.assertEqual(tuple(got), (lower, upper), (p, n))
        answers = ask([("quantile_interval", p, n, np.arange(n)) for p, n in ((0.95, 71), (0.95, 72), (0.99, 367), (0.99, 368),
                                                                             (0.999, 3687), (0.999, 3688))])
        self.assertEqual([bool(np.isnan(a).any()) for a in answers], [True, False] * 3)

    def test_intervals_of_dependent_values(self):
        """Tests 1000 values worth 100 independent ones: the interval's ranks among 1000 match those of 100 among 100."""
        (got,), (hundred,) = [ask([("quantile_interval", 0.95, 100, np.arange(1, n + 1))]) for n in (1000, 100)]
        self.assertTrue(got[0] <= 10 * hundred[0] and got[1] >= 10 * (hundred[1] - 1), (got, hundred))
        self.near(got, hundred * 1001 / 101, 0, 1)
        self.assertTrue(np.isnan(ask([("quantile_interval", 0.95, 71.9, np.arange(1000))])[0]).all())

    def test_inflation(self):
        rows = [series(n, kind) for n in (3, 4, 12, 41, 138, 1000) for kind in KINDS] + [np.full(20, 7.0)]
        for x, (got,) in zip(rows, ask([("inflation", x) for x in rows])):
            self.near(got, inflation(x), 1e-7)

    def test_trimmed_means(self):
        rows = [series(n, kind) - 1000 for n in (3, 4, 5, 12, 18, 41, 138, 1000) for kind in KINDS]
        for x, got in zip(rows, ask([("centre", x) for x in rows])):
            self.near(got, centre(x), 1e-7, 1e-10)

    def test_slopes(self):
        rows = [(np.arange(n) * step, series(n, kind)) for n in (2, 3, 10, 60) for step in (1, 2.5) for kind in KINDS]
        for (x, y), (got,) in zip(rows, ask([("slope", x, y) for x, y in rows])):
            self.near(got, stats.theilslopes(y, x)[0], 1e-9, 1e-9)

    def test_holm(self):
        def reject(alpha, ps):
            out = np.zeros(len(ps))
            for rank, i in enumerate(np.argsort(ps, kind="stable")):
                if ps[i] > alpha / (len(ps) - rank):
                    break
                out[i] = 1
            return out

        rows = [(alpha, random.uniform(0, 1, n) ** 4) for n in (1, 2, 5, 40) for alpha in (0.01, 0.05, 0.5) for _ in range(20)]
        for (alpha, ps), got in zip(rows, ask([("holm", alpha, ps) for alpha, ps in rows])):
            self.assertEqual(list(got), list(reject(alpha, ps)))
        self.assertEqual(list(ask([("holm", 0.05, [0.01, np.nan, 0.04, np.nan])])[0]), [1, 0, 1, 0])

    def test_summaries(self):
        for kind in KINDS:
            for n in (10, 60, 400, 4000):
                x, tick = series(n, kind), 32 if kind == "ticks" else 0
                (got,) = ask([("summary", tick, 5, x)])
                q1, q3 = np.quantile(x, [0.25, 0.75])
                iqr = max(q3 - q1, tick)
                outside = [int(((x < q1 - k * iqr) | (x > q3 + k * iqr)).sum()) for k in (1.5, 3)]
                self.near(got[0], x.mean(), 1e-12)
                self.near(got[1], x.std(ddof=1), 1e-9)
                self.near(got[2], x.std(ddof=1) / x.mean(), 1e-9)
                self.near(got[3], stats.skew(x), 1e-7, 1e-9)
                self.near(got[4], stats.median_abs_deviation(x), 1e-9)
                self.near(got[5:10], np.quantile(x, [0.05, 0.25, 0.5, 0.75, 0.95]), 1e-12)
                self.near(got[10], np.quantile(x, 0.99) if n >= 368 else np.nan, 1e-12)
                self.near(got[11], np.quantile(x, 0.999) if n >= 3688 else np.nan, 1e-12)
                self.assertEqual(list(got[12:14]), outside, (kind, n))
                rounds = [np.median(x[i:i + 5]) for i in range(0, n, 5)]
                if tick == 0:  # a clock step would dither the rounds' medians
                    self.near(got[15], len(rounds) / inflation(np.array(rounds)) if n > 10 else np.nan, 1e-7)
                if n <= 60:  # with so few samples each one is a point of the fit
                    slope = stats.theilslopes(x, np.arange(n))[0]
                    self.near(got[14], slope * (n - 1) / np.median(x - slope * np.arange(n)), 1e-7, 1e-12)

    def test_ratios(self):
        for kind in ("plain", "skewed", "slow"):
            for rounds in (3, 12, 41, 207):
                a, b = series(rounds * 7, kind), 1.002 * series(rounds * 7, kind)
                (got,) = ask([("ratio", 7, a, b)])
                theta, error, df = centre(np.log(stats.trim_mean(b.reshape(-1, 7), 0.2, 1) /
                                                 stats.trim_mean(a.reshape(-1, 7), 0.2, 1)))
                t = [stats.t.ppf(x, df) for x in (0.975, 0.995)]
                self.near(got[:5], np.exp([-theta, -theta - t[0] * error, -theta + t[0] * error, -theta - t[1] * error,
                                           -theta + t[1] * error]), 1e-7)
                self.near(got[5], 2 * stats.t.sf(abs(theta) / error, df), 1e-6)
                beyond = stats.t.sf((abs(theta) - 0.002) / error, df) + stats.t.sf((abs(theta) + 0.002) / error, df)
                self.near(got[6], beyond, 1e-6)

    def test_across_is_welchs_test(self):
        for n, m in ((3, 3), (3, 5), (5, 4), (20, 7)):
            a, b = 10 + 0.003 * random.standard_normal(n), 10.005 + 0.001 * random.standard_normal(m)
            (got,) = ask([("across", n, a, b)])
            welch = stats.ttest_ind(b, a, equal_var=False)
            self.near(got[0], b.mean() - a.mean(), 1e-9)
            self.near(got[5], welch.pvalue, 1e-8)
            error = np.sqrt(a.var(ddof=1) / n + b.var(ddof=1) / m)
            df = error**4 / ((a.var(ddof=1) / n)**2 / (n - 1) + (b.var(ddof=1) / m)**2 / (m - 1))
            self.near(got[1:3], [error, df], 1e-9)
            half = stats.t.ppf(0.975, df) * error
            self.near(got[3:5], [-got[0] - half, -got[0] + half], 1e-7)

    def test_across_with_a_lent_sd(self):
        five, twins = 10 + 0.003 * random.standard_normal(5), [10, 10.02]
        for base, other, sd, df in (([10], [10.01], 0.003, 4), (five, [10.01], five.std(ddof=1), 4), ([10], five, five.std(ddof=1), 4),
                                    (twins, [10.01], 0.02 / np.sqrt(2), 4), (twins, [10.01, 10.011], np.sqrt((2e-4 + 5e-7) / 2), 4)):
            (got,) = ask([("across", len(base), base, other)])
            error = sd * np.sqrt(1 / len(base) + 1 / len(other))
            self.near(got[1:3], [error, df], 1e-9)
            theta = np.mean(other) - np.mean(base)
            self.near(got[3:5], -theta + stats.t.ppf(0.975, df) * error * np.array([-1, 1]), 1e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
