"""The outputs other than the report, read by the programs that they are made for: schemas, google benchmark's
compare.py, Prometheus' parsers, a JUnit schema, a Markdown renderer, pandas."""

import calendar
import csv
import html
import importlib
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from run import SCHEMAS, GpubenchTest, main, plugin, read_csv

COMPARE = os.environ.get("GPUBENCH_COMPARE_PY", "/usr/share/benchmark/compare.py")
VECTOR = plugin("ok_vector")
WRONG = ("--plugin", plugin("bad_wrong"))
CRASH = ("--plugin", plugin("bad_crash"), "--variant", "good,segv,other")


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needs(condition, what):
    """Skips a test if something is missing, except in CI, which installs everything: there the test fails."""
    return unittest.skipIf(not condition and not os.environ.get("GPUBENCH_NO_SKIP"), f"{what} is not installed")


jsonschema = module("jsonschema")
has_schema = needs(jsonschema, "python3-jsonschema")


def validate(data, schema):
    jsonschema.validate(data, json.loads((SCHEMAS / schema).read_text()), cls=jsonschema.Draft7Validator)


def loads(text):
    """Parses strict JSON: no NaN, no duplicate keys."""

    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(set(keys)) == len(keys), f"a key twice among {keys[:10]}"
        return dict(pairs)

    def no_constant(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)


class Outputs(GpubenchTest):
    def run_it(self, out="run", what=("--plugin", VECTOR), exit=0, **ns):
        done = self.gpubench(*what, *self.fake(**(ns or {"twice": 100000})), "--out", out)
        self.assertEqual(done.exit, exit, done)
        return self.dir / out

    def report(self, *args):
        """Returns an output written to stdout, which may contain nothing else."""
        result = self.ok("report", *args, "-")
        self.assertEqual(result.err, "", result)
        return result.out

    def timed(self, folder):
        return [row for row in self.rows(folder) if row["status"] == "ok" and row["median_raw_ns"]]


class Json(Outputs):
    def test_every_column_has_its_type(self):
        run = self.run_it()
        data = loads(self.report(run, "--json"))
        rows = self.rows(run)
        self.assertEqual([c["name"] for c in data["columns"]], list(rows[0]))
        kinds = {c["name"]: c["kind"] for c in data["columns"]}
        self.assertEqual(len(data["rows"]), len(rows))
        for written, row in zip(data["rows"], rows):
            self.assertEqual(set(written), {"run", "marks", *row})
            for name, text in row.items():
                value = written[name]
                with self.subTest(name):
                    if text == "":
                        self.assertIsNone(value)
                    elif kinds[name] == "text":
                        self.assertEqual(value, text)
                    elif kinds[name] == "integer":
                        self.assertEqual((type(value), value), (int, int(text)))
                    else:
                        self.assertEqual(float(value), float(text))

    def test_runs_name_their_files_and_environment(self):
        run = self.run_it()
        (entry,) = loads(self.report(run, "--json"))["runs"]
        environment = {pair["name"]: pair["value"] for pair in entry["environment"]}
        self.assertEqual((entry["name"], entry["rows"], environment["device_name"]), ("run", 6, self.rows(run)[0]["device_name"]))
        for name in entry["files"]:
            self.assertTrue((run / name).exists(), name)
        self.assertLessEqual({"results.csv", "samples.csv", "slots.csv", "run.ini"}, set(entry["files"]))

    def test_nothing_is_kept(self):
        out = self.ok("--plugin", VECTOR, *self.fake(), "--no-save", "--json", "-").out
        self.assertEqual(loads(out)["runs"][0]["files"], [])

    @has_schema
    def test_schema(self):
        good, bad = self.run_it("good"), self.run_it("bad", WRONG, exit=3)
        for args in ([good], [bad], [good, bad], [good / "results.csv"]):
            validate(loads(self.report(*args, "--json")), "report.schema.json")
        schema = json.loads((SCHEMAS / "report.schema.json").read_text())
        self.assertFalse(jsonschema.Draft7Validator(schema).is_valid({"format": "gpubench-report"}), "the schema allows anything")


class Csv(Outputs):
    def test_copy(self):
        run = self.run_it()
        self.ok("report", run, "--csv", "copy.csv")
        self.assertEqual((self.dir / "copy.csv").read_bytes(), (run / "results.csv").read_bytes())

    def test_wide_has_a_column_for_each_axis(self):
        run = self.run_it()
        wide = list(csv.DictReader(io.StringIO(self.report(run, "--wide-csv"), newline=""), strict=True))
        for got, row in zip(wide, self.rows(run), strict=True):
            axes = dict(pair.split("=") for pair in row.pop("axes").split(";"))
            self.assertEqual(got, {**row, **{f"axis.{name}": value for name, value in axes.items()}})

    @needs(module("pandas"), "python3-pandas")
    def test_wide_in_pandas(self):
        import pandas

        run = self.run_it()
        self.ok("report", run, "--wide-csv", "wide.csv")
        frame = pandas.read_csv(self.dir / "wide.csv")
        self.assertEqual((frame["axis.n"].dtype.kind, frame["axis.a"].dtype.kind, frame["axis.dtype"].dtype.kind), ("i", "f", "O"))
        table = frame.pivot(index="axis.n", columns="variant", values="median_raw_ns")
        self.assertEqual(table.shape, (2, 3))


class GoogleBenchmark(Outputs):
    def make(self, name, **ns):
        self.run_it(name, **ns)
        path = self.dir / f"{name}.json"
        self.ok("report", name, "--gbench", path)
        return path

    @has_schema
    def test_schema(self):
        validate(loads(self.make("a").read_text()), "gbench.schema.json")

    def test_repetitions_are_rounds(self):
        data = loads(self.make("a").read_text())["benchmarks"]
        row = self.timed(self.dir / "a")[0]
        name = f"{row['case_key']}/{row['variant']}/{row['mode']}"
        of = [b for b in data if b["run_name"] == name]
        blocks = [b for b in of if b["run_type"] == "iteration"]
        self.assertEqual(len(blocks), min(32, int(row["rounds"])))
        self.assertEqual(sum(b["iterations"] for b in blocks), int(row["samples"]))
        aggregates = {b["name"].removeprefix(name): b["real_time"] for b in of if b["run_type"] == "aggregate"}
        self.assertEqual(set(aggregates), {"_mean", "_median", "_stddev", "_cv"})
        self.assertEqual(aggregates["_median"], float(row["median_raw_ns"]))
        for b in blocks:
            self.assertAlmostEqual(b["real_time"] / float(row["median_raw_ns"]), 1, delta=0.02)
            self.assertAlmostEqual(b["bytes_per_second"] * b["real_time"] * 1e-9, int(row["bytes"]), delta=1e-6 * int(row["bytes"]))

    def test_without_samples_there_is_one(self):
        self.run_it("a")
        data = loads(self.report(self.dir / "a/results.csv", "--gbench"))["benchmarks"]
        self.assertEqual({b["repetitions"] for b in data}, {1})

    @needs(Path(COMPARE).exists() and module("scipy"), "libbenchmark-tools or python3-scipy")
    def test_compare_py(self):
        base, new = self.make("base", plain=50000), self.make("new", plain=48000)
        done = subprocess.run([sys.executable, COMPARE, "--no-color", "-d", self.dir / "out.json", "benchmarks", base, new],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {entry["name"]: entry for entry in json.loads((self.dir / "out.json").read_text())}
        for row in self.timed(self.dir / "base"):
            name = f"{row['case_key']}/{row['variant']}/{row['mode']}"
            self.assertIn(name, done.stdout)
            faster = row["variant"] == "plain"
            (median,) = found[name + "_median"]["measurements"]
            self.assertAlmostEqual(median["time"], -0.04 if faster else 0, delta=0.005)
            self.assertEqual(found[name]["utest"]["time_pvalue"] < 0.001, faster)
        self.assertIn("OVERALL_GEOMEAN", found)


class JUnit(Outputs):
    def make(self, run, *more):
        self.ok("report", run, *more, "--junit", "junit.xml")
        return ElementTree.parse(self.dir / "junit.xml").getroot()

    def test_outcomes(self):
        run = self.run_it("bad", WRONG, exit=3)
        root = self.make(run)
        rows = self.rows(run)
        cases = root.findall("./testsuite/testcase")
        self.assertEqual(len(cases), len(rows))
        for case, row in zip(cases, rows):
            self.assertEqual(case.get("name"), f"{row['case_key']}/{row['variant']}/{row['mode']}")
            self.assertEqual(case.find("failure") is not None, row["status"] == "wrong")
            if row["status"] == "wrong":
                self.assertEqual(case.find("failure").get("message"), row["message"])
        counts = {name: sum(row["status"] == name for row in rows) for name in ("wrong", "ok")}
        self.assertGreater(counts["wrong"], 0)
        self.assertEqual((root.get("tests"), root.get("failures"), root.get("errors")),
                         tuple(map(str, (len(rows), counts["wrong"], len(rows) - sum(counts.values())))))

    def test_a_crash_is_an_error(self):
        run = self.run_it("bad", CRASH, exit=3)
        crashed = [row for row in self.rows(run) if row["status"] == "crashed"]
        errors = self.make(run).findall("./testsuite/testcase/error")
        self.assertEqual([error.get("message") for error in errors], [row["message"] for row in crashed])
        self.assertGreater(len(errors), 0)

    def test_skips_and_required_skips(self):
        hostile = plugin("ok_hostile_text")
        for more, skipped, failures in (([], 7, 0), (["--require", "skip*"], 0, 7)):
            out = f"run{skipped}"
            self.gpubench("--plugin", hostile, *self.fake(), "--out", out, *more)
            root = self.make(self.dir / out)
            self.assertEqual(len(root.findall("./testsuite/testcase/skipped")), skipped)
            self.assertEqual(root.get("failures"), str(failures))

    @needs(shutil.which("xmllint"), "xmllint")
    def test_schema(self):
        for name, what, exit in (("good", ("--plugin", VECTOR), 0), ("wrong", WRONG, 3), ("crash", CRASH, 3)):
            self.make(self.run_it(name, what, exit))
            done = subprocess.run(["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd", self.dir / "junit.xml"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    @needs(module("junitparser"), "python3-junitparser")
    def test_junitparser(self):
        import junitparser

        self.make(self.run_it("crash", CRASH, exit=3))
        suites = junitparser.JUnitXml.fromfile(str(self.dir / "junit.xml"))
        kinds = {type(result).__name__ for suite in suites for case in suite for result in case.result}
        self.assertEqual(kinds, {"Error"})


class Ctrf(Outputs):
    """CTRF lists the same tests as JUnit."""

    def make(self, *args):
        self.ok("report", *args, "--junit", "junit.xml", "--ctrf", "ctrf.json")
        data = loads((self.dir / "ctrf.json").read_text())
        if jsonschema:
            validate(data, "ctrf.schema.json")
        return data["results"], ElementTree.parse(self.dir / "junit.xml").getroot()

    def same(self, results, root):
        status = {None: "passed", "failure": "failed", "error": "failed", "skipped": "skipped"}
        cases = [(suite, case, next((child.tag for child in case if child.tag != "system-out"), None)) for suite in root for case in suite.findall("testcase")]
        self.assertEqual([(t["name"], t["suite"], t["status"]) for t in results["tests"]],
                         [(case.get("name"), [suite.get("name")], status[kind]) for suite, case, kind in cases])
        for test, (_, case, kind) in zip(results["tests"], cases):
            self.assertEqual(test.get("stdout", [None])[0], case.find("system-out").text)
            self.assertEqual(test.get("message"), case.find(kind).get("message") if kind else None)
        counts = {name: sum(t["status"] == name for t in results["tests"]) for name in ("passed", "failed", "skipped", "pending", "other")}
        self.assertEqual({name: results["summary"][name] for name in counts}, counts)
        self.assertEqual(results["summary"]["tests"], len(cases))

    def test_outcomes(self):
        for name, what, exit in (("good", ("--plugin", VECTOR), 0), ("wrong", WRONG, 3), ("crash", CRASH, 3)):
            with self.subTest(name):
                results, root = self.make(self.run_it(name, what, exit))
                self.same(results, root)
                self.assertEqual(results["tool"]["name"], "gpubench")
                self.assertEqual("crashed" in {t.get("rawStatus") for t in results["tests"]}, name == "crash")

    def test_the_run_s_begin_and_end(self):
        run = self.run_it()
        results, _ = self.make(run)
        summary = results["summary"]
        self.assertLessEqual(summary["start"], summary["stop"])
        begun = calendar.timegm(time.strptime(re.search(r"(?m)^started_utc = (.*)$", (run / "run.ini").read_text()).group(1), "%Y-%m-%dT%H:%M:%SZ"))
        self.assertEqual(summary["start"], 1000 * begun)

    def test_a_comparison(self):
        self.run_it("base"), self.run_it("new")
        self.same(*self.make("new", "--against", "base"))
        self.ok("compare", "base", "new", "--junit", "junit.xml", "--ctrf", "ctrf.json")
        data = loads((self.dir / "ctrf.json").read_text())
        self.same(data["results"], ElementTree.parse(self.dir / "junit.xml").getroot())
        if jsonschema:
            validate(data, "ctrf.schema.json")


class Services(Outputs):
    def test_github_action_benchmark(self):
        run = self.run_it()
        self.ok("report", run, "--gh-benchmark", "bench.json")
        smaller, bigger = (loads((self.dir / f"bench-{which}.json").read_text()) for which in ("smaller", "bigger"))
        rows = {f"{r['case_key']}/{r['variant']}/{r['mode']}": r for r in self.timed(run)}
        self.assertEqual({e["name"]: e["value"] for e in smaller}, {n: float(r["median_raw_ns"]) for n, r in rows.items()})
        for entry in bigger:
            name, _, over = entry["name"].partition(" speedup over ")
            self.assertEqual(entry["value"], float(rows[name]["speedup" if over else "gb_per_s"]))
        self.assertEqual(len(bigger), 6 + 4)
        if jsonschema:
            validate(smaller, "gh-benchmark.schema.json")
            validate(bigger, "gh-benchmark.schema.json")
        self.assertFalse((self.dir / "bench.json").exists())

    def test_a_folder_with_a_dot_keeps_its_name(self):
        run = self.run_it()
        (self.dir / "out.d").mkdir()
        self.ok("report", run, "--gh-benchmark", "out.d/bench")
        self.assertEqual(sorted(p.name for p in (self.dir / "out.d").iterdir()), ["bench-bigger", "bench-smaller"])

    def test_bencher(self):
        run = self.run_it()
        data = loads(self.report(run, "--bmf"))
        for row in self.timed(run):
            entry = data[f"{row['case_key']}/{row['variant']}/{row['mode']}"]
            self.assertEqual(entry["latency"], {"value": float(row["median_raw_ns"]), "lower_value": float(row["ci95_lo_ns"]),
                                                "upper_value": float(row["ci95_hi_ns"])})
            self.assertAlmostEqual(entry["throughput"]["value"], 1e9 / float(row["median_raw_ns"]))
            for metric in entry.values():
                self.assertLessEqual(metric["lower_value"], metric["value"])
                self.assertLessEqual(metric["value"], metric["upper_value"])
        if jsonschema:
            validate(data, "bmf.schema.json")

    @needs(module("prometheus_client"), "python3-prometheus-client")
    def test_openmetrics(self):
        from prometheus_client import parser
        from prometheus_client.openmetrics import parser as openmetrics

        run = self.run_it()
        text = self.report(run, "--openmetrics")
        families = {f.name: f for f in openmetrics.text_string_to_metric_families(text)}
        self.assertEqual(set(families), {f.name for f in parser.text_string_to_metric_families(text)})
        self.assertEqual(families["gpubench_time_seconds"].unit, "seconds")
        medians = {(s.labels["case"], s.labels["variant"]): s.value for s in families["gpubench_time_seconds"].samples
                   if s.labels["stat"] == "median"}
        for row in self.timed(run):
            self.assertAlmostEqual(medians[row["case_key"], row["variant"]], float(row["median_raw_ns"]) * 1e-9, delta=1e-15)
        for family in families.values():
            labels = [tuple(sorted(s.labels.items())) for s in family.samples]
            self.assertEqual(len(set(labels)), len(labels), f"{family.name}: a series twice")


class Markdown(Outputs):
    def test_sentence_then_failures_then_tables(self):
        run = self.run_it("bad", WRONG, exit=3)
        text = self.report(run, "--markdown")
        places = [text.index(part) for part in ("## \u2717 ", "### Failures", "| case |")]
        self.assertEqual(places, sorted(places))
        self.assertLess(len(text.encode()), 1 << 20)

    @needs(shutil.which("cmark-gfm"), "cmark-gfm")
    def test_tables_are_tables(self):
        html = render(self.report(self.run_it(), "--markdown"))
        self.assertEqual(html.count("<tr>"), 4)  # the heading, two cases, the means
        self.assertEqual(html.count("<td>"), 3 * 4)
        self.assertNotIn("raw HTML omitted", html)


def render(markdown):
    command = ["cmark-gfm", "--unsafe", *sum((["-e", e] for e in ("table", "autolink", "strikethrough", "tasklist")), [])]
    return subprocess.run(command, input=markdown, capture_output=True, text=True, check=True).stdout


class Several(Outputs):
    def test_two_devices_in_one_report(self):
        one = self.run_it("one")
        script = (self.dir / "fake.ini").read_text()
        (self.dir / "fake.ini").write_text(script.replace("[device]\n", "[device]\nname = Other\n"))
        self.ok("--plugin", VECTOR, "--device", f"fake:{self.dir}/./fake.ini", "--out", "two")
        data = loads(self.report(one, "two", "--json"))
        self.assertEqual([(r["name"], r["rows"]) for r in data["runs"]], [("one", 6), ("two", 6)])
        self.assertEqual([(r["run"], r["run_id"]) for r in data["rows"]], 6 * [(0, "one")] + 6 * [(1, "two")])
        devices = {row["device_name"] for row in self.rows(one)} | {"Other"}
        table = self.ok("report", one, "two").out
        for device in devices:
            self.assertRegex(table, rf"(?m)^vector/scale, {device}")
        names = {b["run_name"] for b in loads(self.report(one, "two", "--gbench"))["benchmarks"]}
        self.assertEqual({name.rpartition("/")[2] for name in names}, devices)
        self.assertEqual(len(names), 12)

    def test_the_same_cases_twice_stay_apart(self):
        one, two = self.run_it("one"), self.run_it("two")
        root = ElementTree.fromstring(self.report(one, two, "--junit"))
        self.assertEqual([s.get("name") for s in root], ["vector/scale, one", "vector/scale, two"])
        self.assertEqual(root.get("tests"), "12")

    def test_a_run_counts_once(self):
        one = self.run_it("one")
        self.assertRegex(self.one_line_error(2, "report", one, f"{one}/."), "are the same run")

    def test_nothing_is_written_into_the_runs(self):
        one, two = self.run_it("one"), self.run_it("two")
        before = (one / "report.html").read_bytes()
        self.ok("report", one, two, "--html", "both.html")
        self.assertEqual((one / "report.html").read_bytes(), before)
        self.assertTrue((self.dir / "both.html").exists())


class Page(Outputs):
    def test_a_report_is_input(self):
        run = self.run_it()
        page = run / "report.html"
        self.assertEqual(self.report(page, "--csv"), (run / "results.csv").read_bytes().decode())
        (entry,) = loads(self.report(page, "--json"))["runs"]
        self.assertEqual(entry["environment"], loads(self.report(run, "--json"))["runs"][0]["environment"])
        self.assertIn("the raw samples are not in it", " ".join(entry["notes"]))

    def test_several_runs_in_one_page(self):
        one, two = self.run_it("one"), self.run_it("two")
        self.ok("report", one, two, "--html", "both.html")
        data = loads(self.report(self.dir / "both.html", "--json"))
        self.assertEqual([(r["name"], r["rows"]) for r in data["runs"]], [("one", 6), ("two", 6)])

    def test_damage_is_named(self):
        page = self.run_it() / "report.html"
        text = page.read_text()
        start = text.index('<pre id="results-csv">')
        for damaged, message in ((text[: start + 500], "cut off"), (text[:start], "has no <pre id=\"results-csv\">"),
                                 (text[: start + 500] + "<b>" + text[start + 500 :], "instead of </pre>")):
            (self.dir / "page.html").write_text(damaged)
            result = self.gpubench("report", "page.html", "-q")
            self.assertIn(result.exit, (2, 3), result)
            self.assertIn(message, result.err)


class Bytes(Outputs):
    OPTIONS = ("--csv", "--wide-csv", "--json", "--html", "--markdown", "--junit", "--ctrf", "--gbench", "--bmf", "--openmetrics")

    def test_same_directory_same_bytes(self):
        run = self.run_it()
        copy = self.dir / "elsewhere" / "deeper" / "run"
        shutil.copytree(run, copy)
        for option in self.OPTIONS:
            with self.subTest(option):
                first = self.report(run, option)
                self.assertEqual(self.report(run, option), first)
                self.assertEqual(self.report(copy, option), first)

    def test_run_writes_what_report_writes(self):
        files = {option: self.dir / f"f{i}" for i, option in enumerate(self.OPTIONS)}
        self.ok("--plugin", VECTOR, *self.fake(), "--out", "run", *sum(([o, f] for o, f in files.items()), []))
        for option, file in files.items():
            with self.subTest(option):
                self.ok("report", "run", option, "again")
                self.assertEqual(file.read_bytes(), (self.dir / "again").read_bytes())

    def test_files_that_cannot_be_written(self):
        run = self.run_it()
        for option in self.OPTIONS:
            with self.subTest(option):
                result = self.gpubench("report", run, "-q", option, "nowhere/file")
                self.assertEqual(result.exit, 2, result)
                self.assertRegex(result.err, r"nowhere/file")


class Scale(Outputs):
    def test_100_000_rows(self):
        """Tests no speed, which depends on the machine, but that nothing grows with the square of the rows."""
        run = self.run_it()
        with (run / "results.csv").open(newline="") as file:
            reader = csv.reader(file)
            header, rows = next(reader), list(reader)
        key, axes, variant = (header.index(name) for name in ("case_key", "axes", "variant"))
        with (self.dir / "big.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for i in range(20000):
                for j in range(5):
                    row = rows[0][:]
                    row[key], row[axes], row[variant] = f"vector/scale[n={i}]", f"n={i}", f"v{j}"
                    writer.writerow(row)
        # In a separate process, because ru_maxrss is that of the largest child.
        script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        command = [sys.executable, "-c", script, os.environ["GPUBENCH_BIN"], "report", "big.csv", "--markdown", "big.md", "--html", "big.html"]
        done = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, check=True)
        self.assertLess(int(done.stdout), 500 * 1024)
        self.assertLess((self.dir / "big.md").stat().st_size, 1 << 20)


class Commands(GpubenchTest):
    def test_the_page_s_commands_repeat_the_run(self):
        """A suite has no key for --quick and for the device; the commands to copy contain them."""
        self.ok("--plugin", plugin("ok_vector"), "--quick", "--device", "cpu", "-a", "n=64,128", "--out", "o", "--ceilings", "off")
        page = (self.dir / "o/report.html").read_text(encoding="utf-8")
        commands = [html.unescape(c) for c in re.findall(r'<code class="copy">(gpubench --suite.*?)</code>', page)]
        self.assertEqual(len(commands), 3, commands)  # of the run, and of each case
        for command, cases in zip(sorted(commands), (2, 1, 1)):
            done = self.gpubench(*shlex.split(command)[1:], "--dry-run", cwd=self.dir / "o")
            self.assertRegex(done.out, rf"plan +{cases} cases?, \d variants, .* to 5% at 95% \(quick\)", command)
            self.assertIn("--device cpu", done.out)


if __name__ == "__main__":
    main()
