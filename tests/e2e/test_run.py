"""A run of a correct plugin: its measurements, its files, and the outputs that can be made from them again."""

import csv
import io
import json
import shutil

from run import FINE, NO_CHANGE, GpubenchTest, main, plugin, read_csv

VECTOR = plugin("ok_vector")
QUICK = ("--plugin", VECTOR, "--quick")


class Results(GpubenchTest):
    def test_profile_launches_and_records_nothing(self):
        done = self.ok("--plugin", plugin("ok_vector"), "--profile")
        self.assertIn("vector/scale[n=4096,dtype=fp32,a=2.5] plain: launched", done.out)
        self.assertEqual(list(self.dir.iterdir()), [])
        self.one_line_error(2, "--plugin", plugin("ok_vector"), "--profile", "--csv", "-")

    def test_a_quick_run(self):
        result = self.ok(*QUICK)
        rows = self.rows()
        self.assertEqual([(r["preset"], r["variant"]) for r in rows],
                         [(p, v) for p in ("small", "large") for v in ("plain", "twice", "blocked")])
        for row in rows:
            self.check_row(row)
        self.assertRegex(result.out, r"6 ok")
        self.assertRegex(result.out, r"report +gpubench-out/.*/report\.html")

    def check_row(self, row):
        get = lambda name: self.number(row, name)
        self.assertEqual(
            {k: row[k] for k in ("plugin", "provider", "plugin_version", "bench", "contract", "backend", "math", "mode",
                                 "status", "baseline", "quick", "seed")},
            {"plugin": "vector", "provider": "vector", "plugin_version": "1.0.0", "bench": "vector/scale",
             "contract": "gpubench.org/test/vector/scale/1", "backend": "cpu", "math": "fp32", "mode": "cold",
             "status": "ok", "baseline": "plain", "quick": "1", "seed": "1"})
        self.assertRegex(row["message"], FINE)
        n = 4096 if row["preset"] == "small" else 65536
        self.assertIn(f"n={n}", row["case_key"])
        self.assertTrue(row["case_key"].startswith("vector/scale["), row["case_key"])
        self.assertIn(f"n={n}", row["axes"].split(";"))
        self.assertIn("dtype=fp32", row["axes"].split(";"))
        self.assertEqual((get("flops"), get("bytes"), get("items")), (n, 8 * n, n))
        order = [get(k) for k in ("min_ns", "p05_ns", "p25_ns", "median_raw_ns", "p75_ns", "p95_ns", "max_ns")]
        self.assertEqual(order, sorted(order))
        self.assertGreater(order[0], 0)
        self.assertLessEqual(get("ci95_lo_ns"), get("median_raw_ns"))
        self.assertGreaterEqual(get("ci95_hi_ns"), get("median_raw_ns"))
        self.assertGreaterEqual(get("samples"), get("rounds"))
        self.assertGreaterEqual(get("rounds"), 3)
        self.assertIn(row["stop_reason"], ("precision", "case_time"))
        counts = row["launch_overhead_ns"] != "" and get("launch_overhead_ns") > 0.05 * get("median_raw_ns")
        # Rates use the time minus the launch overhead if that matters, and if it is known.
        if row["median_ns"] or not counts:
            ns = get("median_ns" if counts else "median_raw_ns")
            self.assertAlmostEqual(get("gb_per_s"), get("bytes") / ns, delta=0.001 * get("gb_per_s"))
            self.assertAlmostEqual(get("tflops"), get("flops") / ns / 1e3, delta=0.001 * get("tflops"))
        self.assertLessEqual(get("verify_error"), get("verify_tolerance"))
        self.assertEqual(get("extra_mem_bytes"), 4096 if row["variant"] == "blocked" else 0)
        self.assertGreaterEqual(get("peak_mem_bytes"), 8 * n)
        self.assertRegex(row["plugin_sha256"], r"^[0-9a-f]{64}$")
        self.assertRegex(row["timestamp_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
        self.assertEqual(row["run_id"], self.run_dir().name)
        if row["variant"] != "plain":
            self.assertLessEqual(get("speedup_lo"), get("speedup"))
            self.assertGreaterEqual(get("speedup_hi"), get("speedup"))
            self.assertIn(row["verdict"], {"faster", "slower", *NO_CHANGE})

    def test_results_csv_is_rfc_4180(self):
        self.ok(*QUICK, "--preset", "small")
        data = (self.run_dir() / "results.csv").read_bytes()
        self.assertTrue(data.endswith(b"\r\n"))
        lines = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        self.assertEqual(lines[0][0], "schema")

    def test_samples(self):
        self.ok(*QUICK, "--preset", "small")
        samples = read_csv(self.run_dir() / "samples.csv")
        for row in self.rows():
            # On a busy machine the case may be measured again; the row names the epochs that count.
            mine = sorted(float(s["ns"]) for s in samples if s["variant"] == row["variant"] and s["epoch"] in row["epochs"].split(";"))
            self.assertEqual(len(mine), int(row["samples"]))
            self.assertAlmostEqual(mine[0], self.number(row, "min_ns"), delta=1e-6 * mine[0])
            self.assertAlmostEqual(mine[-1], self.number(row, "max_ns"), delta=1e-6 * mine[-1])
        self.assertGreaterEqual(min(float(s["ns"]) for s in samples), 0)

    def test_bf16_and_an_odd_length(self):
        result = self.ok(*QUICK, "--preset", "odd")
        rows = self.by_variant()
        self.assertEqual(rows["plain"]["status"], "ok")
        self.assertEqual(rows["blocked"]["status"], "skipped")
        self.assertEqual(rows["blocked"]["message"], "n is 1001, not a multiple of 8")
        self.assertEqual(rows["blocked"]["speedup"], "")
        self.assertRegex(result.out, r"1 skipped")

    def test_verify_only(self):
        self.ok("--plugin", VECTOR, "--verify-only")
        for row in self.rows():
            self.assertEqual((row["status"], row["stop_reason"], row["median_raw_ns"], row["speedup"]),
                             ("ok", "verify_only", "", ""))
            self.assertLessEqual(self.number(row, "verify_error"), self.number(row, "verify_tolerance"))

    def test_seeds_give_other_data_and_the_same_seed_the_same(self):
        errors = []
        for seed in ("7", "7", "8"):
            self.ok("--plugin", VECTOR, "--verify-only", "--preset", "odd", "--seed", seed, "--out", f"s{len(errors)}")
            row = self.by_variant(self.dir / f"s{len(errors)}")["plain"]
            self.assertEqual(row["seed"], seed)
            errors.append(row["verify_error"])
        self.assertEqual(errors[0], errors[1])
        self.assertNotEqual(errors[0], errors[2])


class Selection(GpubenchTest):
    def cases(self, *args):
        self.ok("--plugin", VECTOR, "--verify-only", "--out", "o", *args)
        rows = self.rows(self.dir / "o")
        shutil.rmtree(self.dir / "o")
        return rows

    def test_axes(self):
        rows = self.cases("-a", "n=8:32:x2", "-a", "dtype=bf16,fp32", "--variant", "plain")
        self.assertEqual([r["axes"].split(";")[:2] for r in rows],
                         [[f"n={n}", f"dtype={d}"] for n in (8, 16, 32) for d in ("bf16", "fp32")])

    def test_axis_forms(self):
        for expression, expected in (("1k", [1024]), ("8:24:8", [8, 16, 24]), ("1k:4k:x4", [1024, 4096]), ("16,8", [16, 8])):
            with self.subTest(expression):
                rows = self.cases("-a", f"n={expression}", "--variant", "plain")
                self.assertEqual([r["axes"].split(";")[0] for r in rows], [f"n={n}" for n in expected])

    def test_axis_of_one_bench(self):
        self.assertEqual(len(self.cases("-a", "vector/scale.n=8", "--variant", "plain")), 1)

    def test_variants_and_excludes(self):
        self.assertEqual({r["variant"] for r in self.cases("--variant", "plain,tw*")}, {"plain", "twice"})
        self.assertEqual({r["variant"] for r in self.cases("--exclude", "tw*")}, {"plain", "blocked"})

    def test_one_case_by_its_key(self):
        key = self.cases("--preset", "large")[0]["case_key"]
        rows = self.cases("--case", key)
        self.assertEqual({r["case_key"] for r in rows}, {key})
        self.assertEqual(len(rows), 3)

    def test_another_baseline(self):
        self.ok(*QUICK, "--preset", "large", "--baseline", "twice", *self.fake(twice=100000))
        rows = self.by_variant()
        self.assertEqual(rows["plain"]["baseline"], "twice")
        self.assertEqual(rows["plain"]["verdict"], "faster")
        self.assertAlmostEqual(self.number(rows["plain"], "speedup"), 2, delta=0.05)

    def test_dry_run_runs_nothing(self):
        result = self.ok(*QUICK, "--dry-run")
        for row in ("small", "large"):
            self.assertIn(row, result.out)
        self.assertIn("plain", result.out)
        self.assertEqual(self.run_dirs(), [])

    def test_a_bench_that_skips_the_point(self):
        result = self.gpubench("--plugin", VECTOR, "-a", "n=32M", "--quick")
        self.assertIn("n is above 16M", result.out + result.err)
        self.assertEqual(result.exit, 3, "nothing ran")

    def test_required_variants_may_not_skip(self):
        result = self.gpubench(*QUICK, "--preset", "odd", "--require", "blocked")
        self.assertEqual(result.exit, 3, result)
        self.assertIn("blocked", result.out + result.err)
        self.ok(*QUICK, "--preset", "small", "--require", "blocked", "--out", "b")

    def test_a_variant_of_an_unknown_backend_is_in_no_plan(self):
        result = self.ok("--plugin", VECTOR, "--verify-only")
        self.assertNotIn("elsewhere", result.out)
        self.assertNotIn("elsewhere", {r["variant"] for r in self.rows()})


class Kept(GpubenchTest):
    def test_the_run_directory(self):
        self.ok(*QUICK, "--preset", "small", "--name", "first", "--tag", "branch=main")
        folder = self.run_dir()
        self.assertRegex(folder.name, r"^\d{8}T\d{6}Z-first$")
        self.assertEqual((self.dir / "gpubench-out/.gitignore").read_text().strip(), "*")
        self.assertEqual((self.dir / "gpubench-out/latest").resolve(), folder.resolve())
        self.assertLessEqual({"results.csv", "samples.csv", "run.ini", "report.html"}, {p.name for p in folder.iterdir()})
        self.assertRegex((folder / "run.ini").read_text(), r"(?m)^\[tags\]\n(.*\n)*?branch *= *main$")

    def test_latest_moves_and_an_old_run_stays(self):
        for name in ("a", "b"):
            self.ok("--plugin", VECTOR, "--verify-only", "--preset", "small", "--name", name)
        self.assertEqual(len(self.run_dirs()), 2)
        self.assertTrue((self.dir / "gpubench-out/latest").resolve().name.endswith("-b"))

    def test_runs_in_the_same_second_have_their_own_directories(self):
        processes = [self.start("--plugin", VECTOR, "--verify-only", "--preset", "small", "--name", "same") for _ in range(3)]
        for process in processes:
            self.assertEqual(self.finish(process).exit, 0)
        self.assertEqual(len(self.run_dirs()), 3)

    def test_source_date_epoch(self):
        date = {"SOURCE_DATE_EPOCH": "1763709303"}
        self.ok(*QUICK, "--preset", "small", "--name", "x", env=date)
        folder = self.run_dir()
        self.assertEqual(folder.name, "20251121T071503Z-x")
        self.assertIn("\nstarted_utc = 2025-11-21T07:15:03Z\n", (folder / "run.ini").read_text())
        self.assertEqual({row["timestamp_utc"] for row in self.rows()}, {"2025-11-21T07:15:03Z"})
        self.assertIn("SOURCE_DATE_EPOCH 'now' is not a number", self.one_line_error(2, *QUICK, env={"SOURCE_DATE_EPOCH": "now"}))

    def test_no_latest_under_ci_or_with_out(self):
        self.ok("--plugin", VECTOR, "--verify-only", "--preset", "small", env={"CI": "1"})
        self.assertFalse((self.dir / "gpubench-out/latest").is_symlink())
        self.ok("--plugin", VECTOR, "--verify-only", "--preset", "small", "--out", "mine")
        self.assertTrue((self.dir / "mine/results.csv").exists())
        self.assertFalse((self.dir / "gpubench-out/latest").is_symlink())

    def test_out_does_not_write_into_an_older_run(self):
        self.ok("--plugin", VECTOR, "--verify-only", "--preset", "small", "--out", "mine")
        before = (self.dir / "mine/results.csv").read_bytes()
        result = self.gpubench("--plugin", VECTOR, "--verify-only", "--preset", "small", "--out", "mine")
        self.assertIn(result.exit, (2, 3), result)
        self.assertEqual((self.dir / "mine/results.csv").read_bytes(), before)

    def test_out_from_the_environment(self):
        self.ok("--plugin", VECTOR, "--verify-only", "--preset", "small", env={"GPUBENCH_OUT": str(self.dir / "elsewhere")})
        self.assertTrue((self.dir / "elsewhere").is_dir())
        self.assertEqual(self.run_dirs(), [])

    def test_a_folder_that_cannot_be_written(self):
        (self.dir / "gpubench-out").write_text("a file, not a folder")
        result = self.gpubench(*QUICK, "--preset", "small")
        self.assertEqual(result.exit, 3, result)
        self.assertIn("gpubench-out", result.err)

    def test_no_save(self):
        self.ok(*QUICK, "--preset", "small", "--no-save")
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_csv_on_stdout(self):
        result = self.ok(*QUICK, "--preset", "small", "--no-save", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(result.out, newline=""), strict=True))
        self.assertEqual([r["variant"] for r in rows], ["plain", "twice", "blocked"])

    def test_extra_copies(self):
        self.ok(*QUICK, "--preset", "small", "--csv", "copy.csv", "--html", "copy.html")
        folder = self.run_dir()
        self.assertEqual((self.dir / "copy.csv").read_bytes(), (folder / "results.csv").read_bytes())
        self.assertEqual((self.dir / "copy.html").read_bytes(), (folder / "report.html").read_bytes())

    def test_run_ini_repeats_the_run(self):
        self.ok(*QUICK, "-a", "n=512,1000", "-a", "a=0.5", "--variant", "plain,twice", "--baseline", "twice")
        folder = self.run_dir()
        self.ok("--suite", folder / "run.ini", "--quick", "--out", "again")
        keys = [[(r["case_key"], r["variant"], r["baseline"]) for r in rows] for rows in
                (self.rows(folder), self.rows(self.dir / "again"))]
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(len(keys[0]), 4)

    def test_report_is_made_from_the_directory_alone(self):
        self.ok(*QUICK, "--preset", "small")
        folder = self.run_dir()
        moved = self.dir / "copied run"
        shutil.copytree(folder, moved)
        first = (folder / "report.html").read_bytes()
        (moved / "report.html").unlink()
        self.ok("report", moved)
        self.assertEqual((moved / "report.html").read_bytes(), first)

    def test_report_is_self_contained(self):
        self.ok(*QUICK, "--preset", "small")
        html = (self.run_dir() / "report.html").read_text(encoding="utf-8")
        self.assertNotRegex(html, r"""(?i)(src|href)\s*=\s*["']?(https?:)?//""")
        self.assertNotRegex(html, r"(?i)@import|url\(\s*['\"]?http")
        self.assertIn("speedup", html.lower())

    def test_terminal_is_plain_when_piped(self):
        result = self.ok(*QUICK, "--preset", "small")
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertNotIn("\r", result.out + result.err)
        self.assertIn("\x1b[", self.ok(*QUICK, "--preset", "small", "--color", "always").out)
        for env, colored in (({"CLICOLOR_FORCE": "1"}, True), ({"CLICOLOR_FORCE": "0"}, False), ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False)):
            self.assertEqual("\x1b[" in self.ok("report", "latest", env=env).out, colored, env)
        self.assertNotIn("\x1b[", self.ok("report", "latest", "--color", "never", env={"CLICOLOR_FORCE": "1"}).out)
        result = self.ok(*QUICK, "--preset", "small", "-q")
        self.assertEqual(result.err, "")

    def test_quiet_is_a_line_for_each_result_and_each_error(self):
        lines = self.ok(*QUICK, "--preset", "small", "-q").out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines], [[r["case_key"], r["variant"]] for r in self.rows()])
        for line in lines:
            self.assertRegex(line, r" \d\S* (ns|us|ms|s)( |$)")
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--variant", "good,nan,silent", "--quick", "-q")
        self.assertEqual((result.exit, result.err), (3, ""), result)
        good, nan, silent = result.out.splitlines()
        self.assertRegex(good, r"^bad/wrong good \d")
        self.assertRegex(nan, r"^bad/wrong nan wrong: 'y': 1 of \d+ values are not finite")
        self.assertRegex(silent, r"^bad/wrong silent error: run: ")

    def test_the_first_line_names_the_device(self):
        self.assertRegex(self.ok(*QUICK, "--preset", "small").out.splitlines()[0], r"cpu")

    def test_quick_is_marked(self):
        self.assertIn("quick", self.ok(*QUICK, "--preset", "small").out)
        self.assertIn("quick", (self.run_dir() / "report.html").read_text(encoding="utf-8"))


class Compiling(GpubenchTest):
    """prepare_s and prepare_warm_s. `compiles` takes `ms` in prepare, and ten times that at its first call of the first process."""

    def compiled(self, *args, out="o"):
        self.done = self.ok("--plugin", plugin("ok_slow"), "--variant", "nap,compiles", "--case-time", "0.1", "--ceilings", "off", "-v",
                            "--out", out, *args, env={"SLOW_CACHE": str(self.dir / f"{out}.cache")})
        return self.rows(self.dir / out)

    def test_the_first_process_pays(self):
        made = [self.dir / name for name in ("o.json", "o.csv", "wide.csv", "again.csv")]
        nap, compiles = self.compiled("-a", "ms=20", "--restarts", "3", "--json", made[0], "--csv", made[1], "--wide-csv", made[2])
        self.assertGreaterEqual(float(nap["prepare_s"]), 0.02)
        self.assertGreaterEqual(float(nap["prepare_warm_s"]), 0.02)
        self.assertGreaterEqual(float(compiles["prepare_s"]), 0.22)
        self.assertGreaterEqual(float(compiles["prepare_warm_s"]), 0.02)
        self.ok("report", "o", "--csv", made[3], "-q")
        for name in ("prepare_s", "prepare_warm_s"):
            self.assertEqual([row[name] for row in json.loads(made[0].read_text())["rows"]], [float(nap[name]), float(compiles[name])])
            for path in made[1:]:
                self.assertEqual([row[name] for row in read_csv(path)], [nap[name], compiles[name]], path)
        self.assertRegex(self.done.err, r"(?m)^  compiles: prepare and first call [\d.]+ m?s, in later processes [\d.]+ m?s$")
        self.assertIn("prepare and first call, s", (self.dir / "o/report.html").read_text(encoding="utf-8"))

    def test_without_a_second_process(self):
        rows = self.compiled("-a", "ms=5", "--verify-only")
        self.assertEqual([row["prepare_warm_s"] for row in rows], ["", ""])
        self.assertGreaterEqual(float(rows[1]["prepare_s"]), 0.055)
        self.assertNotIn("in later processes", self.done.err)

    def test_shards_and_resumed_runs_keep_it(self):
        parts = []
        for shard in ("1/2", "2/2"):
            parts += self.compiled("-a", "ms=2,3", "--restarts", "2", "--shard", shard, out=f"s{shard[0]}")
        self.ok("report", "s1", "s2", "--out", "m", "-q")
        figures = [[(row["case_key"], row["variant"], row["prepare_s"], row["prepare_warm_s"]) for row in rows]
                   for rows in (parts, self.rows(self.dir / "m"))]
        self.assertEqual(*map(sorted, figures))
        path = self.dir / "s1/results.csv"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-1]) + lines[-1][:70])
        self.ok("--resume", "s1")
        for row in self.rows(self.dir / "s1"):
            self.assertNotEqual(row["prepare_s"], "", row)


class Limits(GpubenchTest):
    def test_max_time_stops_early_and_counts(self):
        """Cases share the time; one that exceeds its share leaves others out."""
        naps = ",".join(str(50 + n) for n in range(12))
        result = self.ok("--plugin", plugin("ok_slow"), "--variant", "nap,again", "-a", f"ms={naps}", "--ceilings", "off",
                         "--precision", "0.001%", "--case-time", "0.1", "--max-time", "8", timeout=60)
        rows = self.rows()
        self.assertEqual(len(rows), 24)
        self.assertEqual({r["status"] for r in rows}, {"ok", "not_run"})
        for row in rows:
            if row["status"] == "not_run":
                self.assertIn("--max-time", row["message"])
                self.assertEqual(row["stop_reason"], "max_time")
        self.assertRegex(result.out, r"not run.*reached 0\.001%")

    def test_cases_share_the_time(self):
        # The first of six cases could use all of the time. The start and verification of a case may take long on a busy
        # machine, so the limit is raised until all six are measured.
        for limit in (6, 12, 24, 48):
            self.ok(*QUICK, "-a", "n=64k,65k,66k,67k,68k,69k", "--precision", "0", "--case-time", "10", "--max-time",
                    str(limit), timeout=10 * limit)
            rows = [r for r in self.rows(self.run_dirs()[-1]) if r["plugin"] == "vector"]
            if {r["status"] for r in rows} == {"ok"}:
                break
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        self.assertIn("budget", {r["stop_reason"] for r in rows})

    def test_case_time(self):
        self.ok("--plugin", VECTOR, "--preset", "large", "--precision", "0", "--case-time", "0.3", "--ceilings", "off")
        self.assertIn("case_time", {r["stop_reason"] for r in self.rows()})


if __name__ == "__main__":
    main()
