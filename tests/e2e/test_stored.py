"""Stored runs stay readable, and command lines in scripts stay valid: "What may change" in reports/docs/files.md."""

import csv
import json
import re
import shutil
import sys
import unittest
from pathlib import Path

from run import GpubenchTest, check_schema, main, plugin, read_csv

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import renames  # noqa: E402

STORED = Path(__file__).resolve().parent / "stored"
RUNS = sorted(STORED.glob("schema-*"))
OUTPUTS = ("csv", "wide-csv", "json", "html", "markdown", "junit", "ctrf", "gbench", "bmf", "openmetrics")


class Stored(GpubenchTest):
    def columns(self, path):
        self.ok("report", path, "--json", "out.json")
        return {column["name"]: (column["kind"], column["unit"]) for column in json.loads((self.dir / "out.json").read_text())["columns"]}

    def copy(self, run, change=lambda names, rows: (names, rows)):
        """Copies the run with its rows changed, and a run.ini that names the plugin's present path."""
        folder = self.dir / "stored"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(run, folder)
        rows = read_csv(run / "results.csv")
        names, rows = change(list(rows[0]), rows)
        with (folder / "results.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, names, lineterminator="\r\n")
            writer.writeheader()
            writer.writerows(rows)
        ini = (run / "run.ini").read_text()
        (folder / "run.ini").write_text(ini.replace("/opt/plugins/ok_vector.so", plugin("ok_vector")))
        return folder

    def test_stored_runs_are_readable(self):
        self.assertGreaterEqual(len(RUNS), 1)
        for run in RUNS:
            with self.subTest(run.name):
                folder = self.copy(run)
                done = self.ok("report", folder, *(arg for name in OUTPUTS for arg in (f"--{name}", f"out.{name}")))
                self.assertEqual(done.err, "")
                check_schema(self.dir / "out.json", "report.schema.json")
                self.assertEqual(list(renames.differences(run / "results.csv", self.dir / "out.csv")), [])
                (environment,) = (entry["environment"] for entry in json.loads((self.dir / "out.json").read_text())["runs"])
                self.assertIn({"name": "device_name", "value": "fake device"}, environment)
                if run.name == "schema-2":
                    self.assertRegex(done.out, r"twice .*slower")
                    self.assertRegex(done.out, r"blocked .*skipped")

    def test_former_names_become_the_present_ones(self):
        folder = self.copy(STORED / "schema-2-late")
        done = self.ok("report", folder, "--json", "out.json")
        self.assertRegex(done.out, r"(?m)^-launch +less what an empty launch takes, 3\.00 \+-0\.50 us")
        self.assertRegex(done.out, r"twice .*undecided \(launch\)")
        self.assertRegex(done.out, r"plain .*correct again, was wrong")
        self.assertNotRegex(done.out, r"-floor|roof|fate")
        made = json.loads((self.dir / "out.json").read_text())
        keys = {entry["name"]: entry["value"] for entry in made["runs"][0]["environment"]}
        self.assertEqual((keys["launch_overhead_ns"], keys["launch_overhead_cold_ns"], keys["option.ceilings"]), ("3000", "3000", "off"))
        self.assertEqual([name for name in keys if "floor" in name or "roof" in name], [])
        shutil.copytree(folder, self.dir / "base")
        self.assertIn("1 not judged", self.ok("compare", self.dir / "base", folder, "--force").out)
        page = self.dir / "page.html"
        self.ok("report", folder, "--html", page)
        self.ok("report", page, "--csv", "page.csv")
        self.assertEqual(list(renames.differences(folder / "results.csv", self.dir / "page.csv")), [])

    def test_no_column_is_lost(self):
        """A column keeps its kind and unit, too, unless the schema gets another number."""
        newest = RUNS[-1]
        names = list(renames.present_row(read_csv(newest / "results.csv")[0]))
        columns = self.columns(self.copy(newest))
        self.assertEqual([name for name in names if name not in columns], [])
        for name, kind in (("median_raw_ns", ("number", "ns")), ("samples", ("integer", "")), ("status", ("text", "")), ("gb_per_s", ("number", "GB/s"))):
            self.assertEqual(columns[name], kind)

    def test_stored_runs_are_compared_and_repeated(self):
        for run in RUNS:
            with self.subTest(run.name):
                folder = self.copy(run)
                again = self.dir / f"again-{run.name}"
                self.ok("--suite", folder / "run.ini", *self.fake(twice=100000), "--out", again)
                key = lambda rows: [(row["case_key"], row["variant"], row["mode"], row["status"]) for row in rows]
                self.assertEqual(key(self.rows(again)), key(self.rows(folder)))
                self.assertIn("plain", self.ok("compare", folder, again, "--force").out)
                self.ok("report", again, "--against", folder)

    def test_former_contracts_are_the_present_one(self):
        """Rows of the contract attention/forward/4 are compared with those of /1, of which it is a minor now."""
        def of(contract):
            return lambda names, rows: (names, [{**row, "contract": contract} for row in rows])

        for former, present in (("gpubench.org/attention/forward/4", "gpubench.org/attention/forward/1"),
                                ("gpubench.org/attention/forward/2", "gpubench.org/attention/forward/1"),
                                ("gpubench.org/data_pipeline/pipeline/2", "gpubench.org/data_pipeline/pipeline/1")):
            shutil.rmtree(self.dir / "base", ignore_errors=True)
            self.copy(RUNS[-1], of(former)).rename(self.dir / "base")
            folder = self.copy(RUNS[-1], of(present))
            compared = self.ok("compare", self.dir / "base", folder)
            self.assertNotIn("contract", compared.out + compared.err)
            self.ok("report", self.dir / "base", "--csv", "out.csv")
            self.assertEqual({row["contract"] for row in read_csv(self.dir / "out.csv")}, {present})
            self.assertNotIn("contract", self.ok("report", folder, "--against", self.dir / "base").out)
        other = self.ok("compare", self.dir / "base", self.copy(RUNS[-1], of("gpubench.org/data_pipeline/pipeline/3")))
        self.assertIn("contract", other.out + other.err)

    def test_other_columns_in_another_order(self):
        def change(names, rows):
            return ["from_tomorrow", *reversed(names)], [{**row, "from_tomorrow": "x"} for row in rows]

        plain = self.ok("report", self.copy(RUNS[-1])).out
        self.assertEqual(self.ok("report", self.copy(RUNS[-1], change)).out, plain)

    def test_a_newer_schema_is_refused(self):
        def newer(names, rows):
            rows[1]["schema"] = "9"
            return names, rows

        folder = self.copy(RUNS[-1], newer)
        why = r"results\.csv:3: schema 9 is of a newer gpubench; this one reads up to \d+$"
        self.assertRegex(self.one_line_error(3, "report", folder), why)
        self.assertRegex(self.one_line_error(3, "compare", folder, RUNS[-1]), why)
        self.assertRegex(self.one_line_error(3, plugin("ok_vector"), "--against", folder, "--device", "cpu"), why)

    def test_renamed_options_are_refused_with_their_names(self):
        for args in (("--roofs", "off"), ("--roofs=off",)):
            self.assertIn("option '--roofs' is called '--ceilings' now", self.one_line_error(2, plugin("ok_vector"), *args))

    def test_no_option_is_lost(self):
        for line in (STORED / "options.txt").read_text().splitlines():
            command, _, options = line.partition(": ")
            there = set(re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", self.ok(command, "--help").out))
            self.assertEqual(set(options.split()) - there, set(), command)


if __name__ == "__main__":
    main()
