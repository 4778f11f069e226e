"""Rows of other programs: shown with the run's own rows in every table, kept in its directory, and never counted. If
PyTorch is installed, ci/peers/pytorch.py makes them for cases of the bundled benches."""

import csv
import importlib.util
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from run import BIN, GpubenchTest, main, needs_torch, plugin, read_csv

VECTOR = ("--plugin", plugin("ok_vector"), "-a", "n=100,200")
ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "ci/peers/pytorch.py"
HEADER = "case_key,variant,mode,median_ns,source\n"


class Foreign(GpubenchTest):
    def run_vector(self, *args):
        return self.ok(*VECTOR, *self.fake(scalar=50000), "--quick", *args)

    def write(self, text, name="foreign.csv"):
        path = self.dir / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def keys(self, folder=None):
        return sorted({row["case_key"] for row in self.rows(folder) if "/calibrate" not in row["contract"]})

    def rows_for(self, keys, ns=25000, variant="peer", source="another program", mode="cold"):
        return HEADER + "".join(f'"{key}",{variant},{mode},{ns},{source}\n' for key in keys)

    def first_run(self):
        self.run_vector("--out", "first")
        return self.dir / "first", self.keys(self.dir / "first")

    def test_report_puts_them_beside(self):
        run, keys = self.first_run()
        before = self.ok("report", run, "--junit", "before.xml")
        results = (run / "results.csv").read_bytes()
        done = self.ok("report", run, "--foreign", self.write(self.rows_for(keys)), "--junit", "after.xml")
        self.assertEqual(done.out.count("x, not interleaved, timed by another program"), len(keys), done)
        self.assertNotIn("Foreign rows:", done.out)
        # Every line about the run's own rows is unchanged.
        ours = [line for line in before.out.splitlines() if line.strip()]
        for line in ours[1:]:
            if not line.lstrip().startswith(("n ", "100", "200")):
                self.assertTrue(any(" ".join(line.split()) == " ".join(l.split()) for l in done.out.splitlines()), line)
        self.assertEqual((self.dir / "before.xml").read_bytes(), (self.dir / "after.xml").read_bytes())
        self.assertEqual((run / "results.csv").read_bytes(), results)

    def test_the_directory_holds_them(self):
        run, keys = self.first_run()
        self.ok("report", run, "--foreign", self.write(self.rows_for(keys)))
        self.assertEqual([row["variant"] for row in read_csv(run / "foreign.csv")], ["peer"] * len(keys))
        page = (run / "report.html").read_bytes()
        again = self.ok("report", run)
        self.assertEqual(again.out.count("timed by another program"), len(keys) + 1, again)
        self.assertEqual((run / "report.html").read_bytes(), page)
        # The page alone holds them, too.
        alone = self.dir / "alone.html"
        alone.write_bytes(page)
        done = self.ok("report", alone)
        self.assertEqual(done.out.count("timed by another program"), len(keys) + 1, done)
        # A row of the same name is replaced, others are kept.
        self.ok("report", run, "--foreign", self.write(self.rows_for(keys[:1], 30000) + self.rows_for(
            keys[1:], 7, "other").removeprefix(HEADER)))
        rows = {(r["case_key"], r["variant"]): float(r["median_ns"]) for r in read_csv(run / "foreign.csv")}
        self.assertEqual(rows, {(keys[0], "peer"): 30000, (keys[1], "peer"): 25000, (keys[1], "other"): 7})

    def test_a_run_takes_them(self):
        _, keys = self.first_run()
        done = self.run_vector("--out", "second", "--foreign", self.write(self.rows_for(keys)))
        self.assertEqual(done.out.count("timed by another program"), len(keys) + 1, done)
        self.assertTrue((self.dir / "second/foreign.csv").exists())
        done = self.run_vector("--no-save", "--foreign", self.dir / "foreign.csv")
        self.assertEqual(done.out.count("timed by another program"), len(keys) + 1, done)
        self.assertEqual(self.run_dirs(), [])

    def test_figures(self):
        run, keys = self.first_run()
        text = HEADER.strip() + ",lo_ns,hi_ns,samples,math,verify_error,note\n"
        text += f'"{keys[0]}",peer,cold,25000,torch,24000,26000,200,fp32,1e-7,"a, note"\n'
        self.ok("report", run, "--foreign", self.write(text), "--json", "r.json", "--markdown", "r.md", "-q")
        report = json.loads((self.dir / "r.json").read_text())
        row = report["foreign"][0]
        base = next(r for r in report["rows"] if r["case_key"] == keys[0] and r["variant"] == r["baseline"])
        self.assertAlmostEqual(row["ratio"], base["median_raw_ns"] / 25000, places=9)
        self.assertEqual((row["match"], row["lo_ns"], row["samples"], row["note"]), ("matched", 24000, 200, "a, note"))
        self.assertIn("peer \\(timed by torch, not interleaved\\)", (self.dir / "r.md").read_text())
        if importlib.util.find_spec("jsonschema"):
            import jsonschema
            schema = json.loads((ROOT / "reports/schema/report.schema.json").read_text())
            jsonschema.validate(report, schema, cls=jsonschema.Draft7Validator)

    def test_rows_without_a_case_are_named(self):
        run, keys = self.first_run()
        near = keys[0].replace("n=100", "n=101")
        text = self.rows_for([keys[0], near]) + f'"{keys[0]}",peer,hot,5,another program\n'
        done = self.ok("report", run, "--foreign", self.write(text))
        lines = [line for line in done.out.splitlines() if "Foreign rows:" in line]
        self.assertEqual(len(lines), 1, done)
        self.assertIn("1 of 3 are of no case here: ", lines[0])
        self.assertIn(f"(nearest: '{keys[0]}')", lines[0])
        self.assertIn("1 of 3 are of a case that was not timed in their mode here: ", lines[0])

    def test_refusals(self):
        run, keys = self.first_run()
        bad = {
            "no.csv": None,
            "header.csv": "case_key,variant,mode,median,source\n",
            "nan.csv": HEADER + f'"{keys[0]}",v,cold,nan,s\n',
            "inf.csv": HEADER + f'"{keys[0]}",v,cold,1e999,s\n',
            "negative.csv": HEADER + f'"{keys[0]}",v,cold,-1,s\n',
            "twice.csv": HEADER + 2 * f'"{keys[0]}",v,cold,1,s\n',
            "short.csv": HEADER + f'"{keys[0]}",v,cold,1\n' * 2,
            "nul.csv": (HEADER + "k,v,cold,1,s\0\n").encode(),
            "results.csv": (run / "results.csv").read_bytes(),
        }
        for name, text in bad.items():
            if text is not None:
                self.write(text, name)
            with self.subTest(name):
                self.assertIn(name, self.one_line_error(2, "report", run, "--foreign", self.dir / name))
                self.assertIn(name, self.one_line_error(2, *VECTOR, "--foreign", self.dir / name))
        self.assertEqual(self.run_dirs(), [])
        self.assertFalse((run / "foreign.csv").exists())

    def test_large_and_hostile_files(self):
        run, keys = self.first_run()
        many = HEADER + "".join(f'"{keys[0]}",v{i},cold,{i + 1},s\n' for i in range(100000))
        done = self.ok("report", run, "--foreign", self.write(many), timeout=60)
        self.assertIn("99984 more foreign rows", done.out)
        (run / "foreign.csv").unlink()
        evil = "<script>alert(1)</script>\x1b[31m|=1+1"
        text = io.StringIO()
        csv.writer(text).writerows([HEADER.strip().split(","), [keys[0], evil, "cold", 1, "=cmd()"]])
        done = self.ok("report", run, "--foreign", self.write("\ufeff" + text.getvalue()), "--markdown", "e.md")
        self.assertNotIn("\x1b[31m", done.out)
        self.assertNotIn("<script>alert(1)", (run / "report.html").read_text())
        self.assertNotIn("<script>", (self.dir / "e.md").read_text())
        self.assertIn('"\'=cmd()"', (run / "foreign.csv").read_text())
        self.assertEqual(self.ok("report", run).out, self.ok("report", run).out)

    def test_several_runs(self):
        run, keys = self.first_run()
        self.run_vector("--out", "second")
        done = self.ok("report", run, self.dir / "second", "--foreign", self.write(self.rows_for(keys[:1])),
                       "--html", "both.html")
        self.assertEqual(done.out.count("not interleaved"), 2 + 1, done)
        self.assertFalse((run / "foreign.csv").exists())
        done = self.ok("report", self.dir / "both.html")
        self.assertEqual(done.out.count("not interleaved"), 2 + 1, done)


@needs_torch
class Peers(GpubenchTest):
    def setUp(self):
        super().setUp()
        # The setting of the peers' runs; with another one the device would differ.
        emptied = mock.patch.dict(os.environ, GPUBENCH_FLUSH_BYTES="0")
        emptied.start()
        self.addCleanup(emptied.stop)

    def peers(self, *args):
        done = subprocess.run([sys.executable, "-B", PEERS, *map(str, args)], cwd=self.dir, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def check(self, plugin_name, variant, *cases):
        self.ok("--plugin", plugin_name, "--quick", "--case-time", "0.3", "--out", "run", *cases)
        done = self.peers("run", "--samples", "30", "--case-time", "60", "--no-compile")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        found = [row for row in rows if row["variant"] == variant]
        self.assertEqual(len(found), len({r["case_key"] for r in self.rows(self.dir / "run")
                                          if "/calibrate/" not in r["contract"]}), done.stderr)
        for row in found:
            self.assertLessEqual(float(row["lo_ns"]), float(row["median_ns"]))
            self.assertGreater(float(row["verify_error"]), 0)
        (self.dir / "torch.csv").write_text(done.stdout)
        report = self.ok("report", "run", "--foreign", "torch.csv")
        self.assertIn("timed by PyTorch", report.out)
        self.assertNotIn("Foreign rows:", report.out)

    def test_softmax(self):
        self.check("softmax.so", "torch-softmax", "--bench", "softmax/rows", "-a", "m=64", "-a", "n=1000", "-a", "dtype=fp32,bf16")

    def test_attention(self):
        self.check("attention.so", "torch-by-hand", "--bench", "forward", "-a", "b=1", "-a", "h=2", "-a", "h_kv=1,2", "-a", "s=100",
                   "-a", "d=64", "-a", "dtype=fp32", "-a", "causal=yes,no")

    def test_decode(self):
        self.check("attention.so", "torch-by-hand", "--bench", "decode", "-a", "b=1", "-a", "h=4", "-a", "h_kv=2",
                   "-a", "s_q=1,3", "-a", "s=100", "-a", "d=64", "-a", "dtype=fp32")

    def test_matmul(self):
        self.check("matmul.so", "torch-matmul", "-a", "m=33", "-a", "n=65", "-a", "k=129", "-a", "dtype=fp32,bf16")

    def test_activations(self):
        self.check("activations.so", "torch", "--bench", "gelu", "-a", "n=10001", "-a", "form=erf,tanh", "-a",
                   "dtype=fp32,bf16")

    def test_one_command(self):
        done = subprocess.run([sys.executable, "-B", PEERS, "--gpubench", BIN, "--no-compile", "--samples", "20", "--",
                               "--plugin", "softmax.so", "--bench", "softmax/rows", "--device", "cpu", "--quick", "-a", "m=64", "-a", "n=1000",
                               "-a", "dtype=fp32", "--case-time", "0.3"], cwd=self.dir, capture_output=True, text=True)
        self.assertIn("timed by PyTorch", done.stdout, done.stderr)
        self.assertEqual(len(read_csv(self.run_dir() / "foreign.csv")), 1)

    def test_a_wrong_result_is_left_out(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); sys.argv[1:] = sys.argv[2:]\n"
                "import torch, pytorch\n"
                "right = torch.softmax\n"
                "torch.softmax = lambda t, d: right(t, d) * (1 if t.dtype == torch.float64 else 1.01)\n"
                "sys.exit(pytorch.main())")
        self.ok("--plugin", "softmax.so", "--bench", "softmax/rows", "--quick", "--case-time", "0.3", "--out", "run", "-a", "m=64",
                "-a", "n=1000", "-a", "dtype=fp32")
        done = subprocess.run([sys.executable, "-B", "-c", code, PEERS.parent, "run", "--no-compile"], cwd=self.dir,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.strip().count("\n"), 0, done.stdout)
        self.assertIn("wrong: error 0.01", done.stderr)


if __name__ == "__main__":
    main()
