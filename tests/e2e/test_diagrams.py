"""Graphs that plugins state (gb.graph/1), graph.csv, and the report's diagrams: with Graphviz, without it, and with a
layout program that misbehaves."""

import os
import random
import statistics
import re
import shutil
import subprocess
import time
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from run import BIN, GpubenchTest, main, plugin, read_csv

PROGRAM = Path(BIN).parent.parent / "lib" / "gpubench" / "gpubench-diagram"
HAVE_GRAPHVIZ = PROGRAM.exists()
SVG = "{http://www.w3.org/2000/svg}"
needs_graphviz = unittest.skipUnless(HAVE_GRAPHVIZ, "built without Graphviz")


def section(page):
    found = re.search(r'<section aria-labelledby="diagrams-title">.*?</section>', page, re.S)
    return found.group(0) if found else ""


def drawings(page):
    return [ET.fromstring(svg) for svg in re.findall(r'<svg class="diagram".*?</svg>', page, re.S)]


def texts(svg):
    return [(t.text or "").strip() for t in svg.iter(SVG + "text")]


def text_of(svg, tag):
    return svg.find(SVG + tag).text or ""


class Graphs(GpubenchTest):
    def test_graph_csv(self):
        self.ok("--plugin", plugin("ok_graph"), "--verify-only")
        rows = read_csv(self.run_dir() / "graph.csv")
        self.assertEqual({r["variant"] for r in rows}, {"plain", "hostile", "large", "circle"})
        plain = [r for r in rows if r["variant"] == "plain"]
        self.assertEqual([(r["part"], r["id"], r["from"], r["to"], r["kind"]) for r in plain],
                         [("node", "x", "", "", "tensor"), ("node", "double", "", "", "host"),
                          ("node", "y", "", "", "tensor"), ("edge", "", "x", "double", ""),
                          ("edge", "", "double", "y", "")])
        self.assertEqual((plain[1]["label"], plain[1]["note"], plain[1]["flops"]), ("y = 2 x", "one pass", "4096"))
        self.assertEqual((plain[3]["label"], plain[3]["bytes"]), ("read once", "16384"))
        large = [r for r in rows if r["variant"] == "large"]
        self.assertEqual([r["part"] for r in large], 64 * ["node"] + 128 * ["edge"])
        self.assertEqual(len([r for r in rows if r["variant"] == "circle"]), 4, "prepared several times, stated once")
        for row in rows:
            for value in row.values():
                self.assertNotRegex(value, r"[\x00-\x1f\x7f]")
                self.assertNotRegex(value, r"^[=+@-]", "would be a formula in a spreadsheet")

    def test_misuse_costs_the_variant(self):
        result = self.gpubench("--plugin", plugin("bad_graph"), "--verify-only")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        expected = {
            "twice": "prepare: graph node 'a' is stated twice",
            "name": "prepare: graph node 'no name' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes",
            "end": "prepare: graph edge: no node 'nowhere' has been stated",
            "itself": "prepare: graph edge from 'a' to itself",
            "late": "run: gb.graph/1 node is for prepare, not run",
        }
        for variant, message in expected.items():
            self.assertEqual((rows[variant]["status"], rows[variant]["message"]), ("error", message))
        self.assertEqual(rows["good"]["status"], "ok")
        for variant, why in (("kind", "graph node 'b': kind is 77, known are 1 to 5"),
                             ("future", r"graph node 'later': graph node: built for a newer ABI: byte 48 of 56 "
                                        r"is not zero, .*")):
            self.assertEqual((rows[variant]["status"], rows[variant]["message"]), ("ok", ""))
            line = rf"(?m)^gpubench: .*graph/graphs/{variant}: left out: {why}$"
            self.assertEqual(len(re.findall(line, result.err)), 1, result)
        stated = [(r["variant"], r["id"]) for r in read_csv(self.run_dir() / "graph.csv")]
        self.assertEqual(stated, [("kind", "a"), ("future", "a")])

    def test_bundled_plugins_state_theirs(self):
        folder = Path(os.environ.get("GPUBENCH_PLUGINS", Path(BIN).parent.parent / "lib" / "gpubench" / "plugins"))
        if not (folder / "attention.so").exists():
            self.skipTest("no bundled plugins here")
        self.ok("--plugin", folder / "attention.so", "--bench", "forward", "--verify-only", "-a", "s=64", "-a", "h=1", "-a", "h_kv=1")
        rows = read_csv(self.run_dir() / "graph.csv")
        steps = {v: [r["id"] for r in rows if r["variant"] == v and r["kind"] == "host"] for v in ("standard", "flash")}
        self.assertEqual(steps, {"standard": ["pack", "scores", "softmax", "product"], "flash": ["flash"]})

    def test_no_save_leaves_nothing(self):
        self.ok("--plugin", plugin("ok_graph"), "--verify-only", "--no-save", env={"TMPDIR": str(self.dir)})
        self.assertEqual([p.name for p in self.dir.iterdir() if p.name.startswith("gpubench-")], [])


class Report(GpubenchTest):
    """Reports of real runs."""

    def setUp(self):
        super().setUp()
        self.ok("--plugin", plugin("ok_graph"), "--verify-only", "--out", "saved")
        self.page = (self.dir / "saved" / "report.html").read_text(encoding="utf-8")

    def test_figures_are_there_in_any_case(self):
        part = section(self.page)
        for words in ("What the variants launch: graph/graphs", "y = 2 x", "read once", "The machine"):
            self.assertIn(words, part)
        self.assertEqual("Not drawn: " in part, not HAVE_GRAPHVIZ)

    @needs_graphviz
    def test_drawings_are_clean(self):
        found = drawings(self.page)
        self.assertGreaterEqual(len(found), 4)
        for svg in found:
            self.assertTrue({"viewBox", "width", "height", "role", "aria-labelledby"} <= set(svg.keys()))
            self.assertTrue(text_of(svg, "title"))
            for element in svg.iter():
                self.assertIn(element.tag.removeprefix(SVG), ("svg", "title", "desc", "g", "polygon", "path", "text"))
                for name, value in element.items():
                    self.assertFalse(name.startswith("on") or name.endswith(("style", "href")), (element.tag, name))
                    if name == "class" and element is not svg:
                        self.assertRegex(value, r"^(graph|cluster|edge( free)?|node \w+ titles\d)$")
                    self.assertNotRegex(value, r"(?i)url\(|javascript:|nan|inf")
        ids = re.findall(r'\bid="([^"]*)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))

    @needs_graphviz
    def test_hostile_text_is_text(self):
        hostile = next(svg for svg in drawings(self.page) if text_of(svg, "title").startswith("graph/graphs, hostile"))
        shown = " ".join(texts(hostile))
        self.assertIn("</text></svg>", shown)
        self.assertIn("\\N \\G \\l", shown)
        tips = [group.find(SVG + "title").text for group in hostile.iter(SVG + "g") if group.find(SVG + "title") is not None]
        self.assertTrue(any("<script>alert(1)</script>" in tip for tip in tips), tips)
        self.assertLess(float(hostile.get("width")), 700, "long text is wrapped and cut")
        self.assertNotIn("<script>alert", self.page)

    @needs_graphviz
    def test_each_variant_has_its_drawing(self):
        titles = [text_of(svg, "title") for svg in drawings(self.page)]
        for title in ("plain: 1 step", "hostile: 3 steps", "circle: 2 steps"):
            self.assertEqual(titles.count("graph/graphs, " + title), 1, titles)
        self.assertFalse([t for t in titles if "silent" in t], "it has stated nothing")

    def test_the_same_bytes_anywhere(self):
        elsewhere = self.dir / "moved" / "away"
        shutil.copytree(self.dir / "saved", elsewhere)
        (elsewhere / "report.html").unlink()
        for _ in range(2):
            self.ok("report", elsewhere)
            self.assertEqual((elsewhere / "report.html").read_text(encoding="utf-8"), self.page)

    def test_the_machine_is_recorded(self):
        ini = (self.dir / "saved" / "run.ini").read_text(encoding="utf-8")
        self.assertRegex(ini, r"(?m)^topology\.package\.0\.threads = [1-9]")


class WithoutGraphviz(GpubenchTest):
    """The binary with another program, or none, in place of gpubench-diagram."""

    def setUp(self):
        super().setUp()
        self.ok("--plugin", plugin("ok_graph"), "--verify-only", "--out", "saved")
        (self.dir / "tree" / "bin").mkdir(parents=True)
        (self.dir / "tree" / "lib" / "gpubench").mkdir(parents=True)
        self.binary = self.dir / "tree" / "bin" / "gpubench"
        shutil.copy(BIN, self.binary)
        self.program = self.dir / "tree" / "lib" / "gpubench" / "gpubench-diagram"

    def report(self, script=None):
        if script is not None:
            self.program.write_text("#!/bin/sh\n" + script + "\n")
            self.program.chmod(0o755)
        began = time.monotonic()
        done = subprocess.run([self.binary, "report", self.dir / "saved"], capture_output=True, text=True)
        self.seconds = time.monotonic() - began
        self.assertEqual(done.returncode, 0, done)
        page = (self.dir / "saved" / "report.html").read_text(encoding="utf-8")
        self.assertNotIn('<svg class="diagram"', page)
        for words in ("What the variants launch: graph/graphs", "read once", "The machine"):
            self.assertIn(words, section(page))
        return section(page)

    def test_absent(self):
        part = self.report()
        self.assertEqual(part.count("Not drawn: "), 1, "said once")
        self.assertIn("this gpubench was built without Graphviz", part)

    def test_libraries_missing(self):
        self.assertIn("libraries (libgvc) are missing here", self.report("exit 127"))

    def test_crash(self):
        self.assertIn("gpubench-diagram died of SIGSEGV", self.report("kill -SEGV $$"))

    def test_hang(self):
        part = self.report("exec sleep 600")
        self.assertIn("no layout within 5 s", part)
        self.assertLess(self.seconds, 40, "it gives up after a few")

    def test_lies(self):
        part = self.report("echo '<svg><script>alert(1)</script></svg>'")
        self.assertIn("gave no SVG that can be read", part)
        self.assertNotIn("<script>alert(1)</script></svg>", part)

    def test_chatter(self):
        self.assertIn("gpubench-diagram: &lt;b&gt;no&lt;/b&gt;", self.report("echo '<b>no</b>'; echo more; exit 1"))


class Synthetic(GpubenchTest):
    """Run directories that the test writes, with known results."""

    FACTORS = {"base": 6.0, "best": 1.0, "second": 1.1, "left": 1.6, "right": 1.6, "twin": 6.0}

    def write(self, samples=True, environment=None):
        rng = random.Random(5)
        rows = ["bench,case_key,variant,status,median_raw_ns,speedup,verdict,baseline,mode,plugin,seed,tick_ns,samples,rounds,min_ns,p95_ns,max_ns"]
        raw = ["case_key,variant,mode,epoch,round,index,ns"]
        for case, key in enumerate(["p/b[n=1]", "p/b[n=2]", "p/b[n=3]"]):
            for variant, factor in self.FACTORS.items():
                # left and right change places in the last case
                tilt = {("left", 2): 1.3, ("right", 0): 1.2, ("right", 1): 1.2}.get((variant, case), 1)
                ns = 100000 * (case + 1) * factor * tilt
                speedup = 100000 * (case + 1) * 6 / ns
                verdict = "" if variant == "base" else "same" if abs(speedup - 1) < 0.005 else "faster"
                taken = [round(ns * (1 + rng.gauss(0, 0.002))) for _ in range(40)]
                raw += [f'"{key}",{variant},cold,1,{i // 2},{i % 2},{t}' for i, t in enumerate(taken)]
                # A row is refused unless its times follow from its samples.
                p95 = statistics.quantiles(taken, n=20, method="inclusive")[-1]
                rows.append(f'p/b,"{key}",{variant},ok,{statistics.median(taken)},{speedup},{verdict},base,cold,p,1,1,40,20,{min(taken)},{p95},{max(taken)}')
        folder = self.dir / "made"
        folder.mkdir()
        (folder / "results.csv").write_text("\r\n".join(rows) + "\r\n", newline="")
        if samples:
            (folder / "samples.csv").write_text("\r\n".join(raw) + "\r\n", newline="")
        pairs = {"run_id": "made", "device": "cuda:0", **(environment or {})}
        (folder / "run.ini").write_text("[environment]\n" + "".join(f"{k} = {v}\n" for k, v in pairs.items()))
        self.ok("report", folder)
        return (folder / "report.html").read_text(encoding="utf-8")

    def arrows(self, page):
        svg = next(s for s in drawings(page) if text_of(s, "title").endswith("which variant beats which"))
        return set(re.findall(r"(\w+) beats (\w+) ", text_of(svg, "desc")))

    @needs_graphviz
    def test_who_beats_whom(self):
        page = self.write()
        self.assertEqual(self.arrows(page), {("best", "second"), ("second", "left"), ("second", "right"),
                                             ("left", "base"), ("left", "twin"), ("right", "base"), ("right", "twin")})
        self.assertIn("left and right: each is faster in some cases (2 and 1), so there is no arrow.", page)

    @needs_graphviz
    def test_rows_alone_speak_against_the_baseline_only(self):
        page = self.write(samples=False)
        self.assertEqual(self.arrows(page), {(v, "base") for v in ("best", "second", "left", "right")})

    @needs_graphviz
    def test_a_server(self):
        environment = {"device_uuid": "GPU-1", "memory_bytes": "150754820096"}
        for i in range(2):
            environment |= {f"topology.node.{i}.memory_bytes": "1099511627776", f"topology.node.{i}.distance": "10 21",
                            f"topology.package.{i}.node": i, f"topology.package.{i}.cores": "56",
                            f"topology.package.{i}.threads": "112"}
        for i in range(8):
            environment |= {f"topology.gpu.{i}.uuid": f"GPU-{i}", f"topology.gpu.{i}.name": "<H200> & \\N",
                            f"topology.gpu.{i}.node": i // 4, f"topology.gpu.{i}.link_max": "32.0 GT/s PCIe x16",
                            f"topology.gpu.{i}.bridges": f"0000:{i // 2}0:01.0/0000:{i}1:00.0"}
        page = self.write(environment=environment)
        svg = next(s for s in drawings(page) if text_of(s, "title") == "The machine")
        words = texts(svg)
        self.assertEqual(words.count("<H200> & \\N"), 8)
        self.assertEqual(words.count("PCIe 5.0 x16"), 8)
        self.assertEqual(words.count("PCIe switch"), 4)
        self.assertEqual(words.count("measured here"), 1)
        self.assertEqual(words.count("distance 21"), 1)

    def test_damaged_graphs_are_named(self):
        self.write()
        (self.dir / "made" / "graph.csv").write_text("no,such,columns\r\n")
        self.assertRegex(self.one_line_error(3, "report", self.dir / "made"), r"graph\.csv:1: the columns are")


if __name__ == "__main__":
    main()
