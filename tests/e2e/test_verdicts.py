"""Situations and outputs: the verdict of a comparison is the same on the terminal, with -q, in HTML, Markdown, JUnit,
JSON and as an exit code, for `compare` and for `report --against`; and a planted regression of 30% never passes. The
runs are made on a scripted device and then edited, so nothing depends on real time."""

import csv
import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from run import SCHEMAS, GpubenchTest, check_schema, main, plugin

TIMES = {"plain": 50000, "twice": 100000, "blocked": 50000}
CLEAR, PARTLY, UNJUDGED, NOTHING, SLOWER, INCORRECT = (
    "no regression", "not all judged", "not judged", "nothing compared", "slower", "no longer correct")
EXITS = {CLEAR: 0, PARTLY: 5, UNJUDGED: 5, NOTHING: 5, SLOWER: 1, INCORRECT: 1}
SENTENCES = [(INCORRECT, r"\d+ of \d+ no longer correct: "), (SLOWER, r"\d+ of \d+ slower by more than 2%: "), (NOTHING, r"Nothing (in common|compared)"),
             (UNJUDGED, r"Not judged[, ]"), (PARTLY, r"Not all judged: "), (CLEAR, r"None of \d+ slower by more than 2%; ")]


def verdict_of(sentence):
    found = [verdict for verdict, pattern in SENTENCES if re.match(pattern, sentence)]
    return found[0] if len(found) == 1 else f"unclear: {sentence}"


# ---- Edits of a run directory ----

def rows(change, variant=None):
    """Changes the rows, or those of one variant; a row is dropped if `change` returns False. The samples are deleted,
    because the changed rows no longer follow from them."""
    def edit(run):
        (run / "samples.csv").unlink(missing_ok=True)
        path = run / "results.csv"
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names, all = reader.fieldnames, list(reader)
        kept = [row for row in all if (variant not in (None, row["variant"])) or change(row) is not False]
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, lineterminator="\r\n")
            writer.writeheader()
            writer.writerows(kept)
    return edit


def setting(variant=None, **values):
    return rows(lambda row: row.update(values), variant)


def dropped(variant=None):
    return rows(lambda row: False, variant)


def broken(status, variant=None):
    return setting(variant, status=status, median_raw_ns="", median_ns="", ci95_lo_ns="", ci95_hi_ns="", speedup="", verdict="", message="so it is")


def ini(name, value):
    def edit(run):
        path = run / "run.ini"
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", path.read_text())
        path.write_text(text)
    return edit


def without_samples(run):
    (run / "samples.csv").unlink(missing_ok=True)


def torn(run):
    data = (run / "results.csv").read_bytes()
    (run / "results.csv").write_bytes(data[:-40])


def twice_there(run):
    """Puts an old row before each new one, as in a resumed run."""
    lines = (run / "results.csv").read_bytes().split(b"\r\n")
    old = [line.replace(b'"ok"', b'"not_run"') for line in lines[1:-1]]
    (run / "results.csv").write_bytes(b"\r\n".join(lines[:1] + old + lines[1:]))


CONTENDED, FEW = setting(contended="1"), setting(rounds="3")
WIDE = rows(lambda row: row.update(ci95_lo_ns=float(row["median_raw_ns"]) / 2, ci95_hi_ns=float(row["median_raw_ns"]) * 2))
# `twice` takes 100 us, so the rest is known within 2%; for the other variants it is not.
OVERHEAD = setting(launch_overhead_ns="6500", launch_overhead_unc_ns="100")
DEEP = setting(launch_overhead_ns="99000", launch_overhead_unc_ns="900")  # leaves 1 us of `twice` and nothing of the others
VAGUE = setting(launch_overhead_ns="30000", launch_overhead_unc_ns="")

# Name; edits of the base; edits of the new run, which is 30% slower in one row unless "same" is given; options;
# verdict; exit code, or None for that of the verdict.
SITUATIONS = [
    ("judged", [], [], (), SLOWER, None),
    ("judged, same", [], ["same"], (), CLEAR, None),
    ("judged, faster", ["slow"], ["same"], (), CLEAR, None),
    ("busy now", [], [CONTENDED], (), UNJUDGED, None),
    ("busy, same", [], ["same", CONTENDED], (), UNJUDGED, None),
    ("busy then", [CONTENDED], [], (), UNJUDGED, None),
    ("busy in one row", [], [setting("twice", contended="1")], (), PARTLY, None),
    ("busy, a gate on results", [], [CONTENDED], ("--fail-on", "wrong"), UNJUDGED, 0),
    ("busy, forced", [], [CONTENDED], ("--force",), SLOWER, None),
    ("busy, allowed", [], [CONTENDED], ("--allow-unjudged",), UNJUDGED, 0),
    ("busy, no gate", [], [CONTENDED], ("--fail-on", "none"), UNJUDGED, 0),
    ("unlike driver", [], [ini("driver", "2.0"), setting(driver="2.0")], (), UNJUDGED, None),
    ("unlike driver, same", [], ["same", ini("driver", "2.0"), setting(driver="2.0")], (), UNJUDGED, None),
    ("unlike device", [], [ini("device_name", "Other device")], (), UNJUDGED, None),
    ("unlike seed", [ini("seed", "7")], [], (), UNJUDGED, None),
    ("unlike precision", [ini("precision", "0.02")], [], (), UNJUDGED, None),
    ("unlike, forced", [], [ini("driver", "2.0")], ("--force",), SLOWER, None),
    ("another driver in one row", [], [setting("twice", driver="2.0")], (), PARTLY, None),
    ("another contract in one row", [], [setting("twice", contract="example.org/x/y/2")], (), PARTLY, None),
    ("quick", [], [ini("quick", "1"), setting(quick="1")], (), UNJUDGED, None),
    ("quick in both", [ini("quick", "1"), setting(quick="1")], [ini("quick", "1"), setting(quick="1")], (), SLOWER, None),
    ("few rounds", [], [FEW], (), UNJUDGED, None),
    ("few rounds, forced", [FEW], [], ("--force",), UNJUDGED, None),
    ("few rounds in one row", [setting("twice", rounds="5")], [], (), PARTLY, None),
    ("rounds not known", [], [setting("twice", rounds="")], (), PARTLY, None),
    ("interrupted", [], [setting(stop_reason="interrupted")], (), UNJUDGED, None),
    ("interrupted before the slow row", [], [broken("not_run", "twice"), setting("twice", stop_reason="interrupted")], (), PARTLY, None),
    ("interrupted before all rows", [], [broken("not_run")], (), NOTHING, None),
    ("above the ceiling", [], ["same", setting("twice", above_ceiling="1.5")], (), PARTLY, None),
    ("one skipped", [], [broken("skipped", "twice")], (), PARTLY, None),
    ("all skipped", [], [broken("skipped")], (), NOTHING, None),
    ("all skipped, allowed", [], [broken("skipped")], ("--allow-unjudged",), NOTHING, 5),
    ("skipped in the base", [broken("skipped", "twice")], [], (), CLEAR, None),
    ("all skipped in the base", [broken("skipped")], [], (), NOTHING, None),
    ("a status that nobody knows", [], [broken("splendid", "twice")], (), PARTLY, None),
    ("such a status in the base", [setting("twice", status="splendid")], [], (), PARTLY, None),
    ("wrong", [], [broken("wrong", "twice")], (), INCORRECT, None),
    ("wrong, on a busy machine", [], [broken("wrong", "twice"), CONTENDED], (), INCORRECT, None),
    ("wrong, allowed", [], ["same", broken("wrong", "twice")], ("--allow-unjudged",), INCORRECT, None),
    ("crashed", [], [broken("crashed", "plain")], (), INCORRECT, None),
    ("timed out, unlike", [], [broken("timeout", "plain"), ini("driver", "2.0")], (), INCORRECT, None),
    ("wrong in both", [broken("wrong", "plain")], ["same", broken("wrong", "plain")], (), CLEAR, None),
    ("right again", [broken("wrong", "plain")], ["same"], (), CLEAR, None),
    ("guest missing", [], [dropped("twice")], (), PARTLY, None),
    ("guest missing, a gate on results", [], [dropped("twice")], ("--fail-on", "wrong"), PARTLY, 5),
    ("guest missing, the rest busy", [], [dropped("twice"), CONTENDED], (), UNJUDGED, None),
    ("a new guest", [dropped("plain")], ["same"], (), CLEAR, None),
    ("nothing in common", [dropped("plain"), dropped("blocked")], [dropped("twice")], (), NOTHING, 2),
    ("empty", [], [dropped()], (), NOTHING, 2),
    ("empty base", [dropped()], [], (), NOTHING, 2),
    ("torn", [], ["same", torn], (), PARTLY, None),
    ("a median that is none", [], [setting("twice", median_raw_ns="")], (), PARTLY, None),
    ("no interval", [without_samples], [without_samples, setting("twice", ci95_lo_ns="", ci95_hi_ns="")], (), PARTLY, None),
    ("too noisy", [without_samples], [without_samples, WIDE], (), UNJUDGED, None),
    ("too noisy, forced", [without_samples, WIDE], [], ("--force",), UNJUDGED, None),
    ("a launch overhead", [OVERHEAD], [OVERHEAD], (), SLOWER, None),
    ("a launch overhead, same", [OVERHEAD], ["same", OVERHEAD], (), PARTLY, None),
    ("a launch overhead, not known how well", [VAGUE], ["same", VAGUE], (), UNJUDGED, None),
    ("a launch overhead that leaves nothing", [DEEP], [DEEP], (), UNJUDGED, None),
    ("a launch overhead that leaves nothing in the base", [DEEP], [], (), UNJUDGED, None),
    ("a launch overhead that leaves nothing, forced", [DEEP], [DEEP], ("--force",), UNJUDGED, None),
    ("a launch overhead that leaves nothing, same", [DEEP], ["same", DEEP], (), UNJUDGED, None),
    ("resumed", [], [twice_there], (), SLOWER, None),
    ("verified only", [], ["checked"], (), NOTHING, None),
    ("verified only, a gate on results", [], ["checked"], ("--fail-on", "wrong"), NOTHING, 0),
]


class Verdicts(GpubenchTest):
    def measure(self, name, seed, *args, **times):
        sections = "".join(f"[{variant}]\nns = {ns}\nsample_sd = 0.004\nslot_sd = 0.001\n" for variant, ns in {**TIMES, **times}.items())
        (self.dir / f"{name}.ini").write_text(f"[device]\nname = Test device\ndriver = 1.0\ntick_ns = 32\nseed = {seed}\n{sections}")
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/{name}.ini", "--out", f"runs/{name}", "-q", *args)

    def make(self, side, kind, edits):
        """Copies a measured run and edits it; the first item of `edits` may be the name of the run."""
        if edits and isinstance(edits[0], str):
            kind, edits = edits[0], edits[1:]
        shutil.rmtree(self.dir / side, ignore_errors=True)
        shutil.copytree(self.dir / "runs" / kind, self.dir / side)
        for edit in edits:
            edit(self.dir / side)
        if not (self.dir / side / "samples.csv").exists():
            (self.dir / side / "slots.csv").unlink()

    # ---- The verdict in each output ----

    def junit(self, path):
        root = ElementTree.parse(path).getroot()
        (case,) = [case for case in root.iter("testcase") if (case.get("classname"), case.get("name")) == ("comparison", "verdict")]
        (suite,) = [suite for suite in root if case in suite]
        (said,) = [p.get("value") for p in suite.iter("property") if p.get("name") == "verdict"]
        for kind, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(kind)), len(list(suite.iter(element))))
            self.assertIn(root.get(kind), (None, str(len(list(root.iter(element))))))
        outcome = next((child for child in case if child.tag != "system-out"), None)
        self.assertEqual(outcome.get("type") if outcome is not None else CLEAR, said)
        self.assertEqual(outcome is None, said == CLEAR)
        return said, outcome.tag if outcome is not None else "passed"

    def top_badge(self, page):
        return re.search(r'<h1><span class="badge (\w+)"><span aria-hidden="true">[^<]*</span> ([^<]*)</span>', page).groups()

    def files(self):
        return [arg for name in ("html", "markdown", "junit", "json") for arg in (f"--{name}", f"out.{name}")]

    def of_compare(self, options, exit):
        command = ("compare", "base", "new", *options)
        done, quiet = self.gpubench(*command, *self.files()), self.gpubench(*command, "-q")
        self.assertEqual((done.exit, quiet.exit), (exit, exit), done)
        text = {name: (self.dir / f"out.{name}").read_text() for name in ("html", "markdown", "json")}
        kind, badge = self.top_badge(text["html"])
        self.assertEqual(kind == "good", badge == CLEAR)
        self.assertEqual(quiet.out.count("\n"), 1)
        data = json.loads(text["json"])
        self.assertEqual(data["runs"][0]["against"]["verdict"], data["verdict"])
        said, self.outcome = self.junit(self.dir / "out.junit")
        return {"terminal": verdict_of(done.out), "-q": verdict_of(quiet.out), "html": badge, "junit": said, "json": data["verdict"],
                "markdown": verdict_of(text["markdown"].removeprefix("### gpubench: "))}

    def of_report(self, options, exit):
        command = ("report", "new", "--against", "./base", *options)
        done, quiet = self.gpubench(*command, *self.files()), self.gpubench(*command, "-q")
        self.assertEqual((done.exit, quiet.exit), (exit, exit), done)
        text = {name: (self.dir / f"out.{name}").read_text() for name in ("html", "markdown", "json")}
        kind, badge = re.search(r'<b>Against</b> <span class="badge (\w+)"><span aria-hidden="true">[^<]*</span> ([^<]*)</span>', text["html"]).groups()
        self.assertEqual(kind == "good", badge == CLEAR)
        if badge != CLEAR:
            self.assertEqual(self.top_badge(text["html"])[0], "bad")
        said, outcome = self.junit(self.dir / "out.junit")
        self.assertEqual(outcome, self.outcome)
        glyph, first = re.match(r"## (.) (.*)", text["markdown"]).groups()
        self.assertEqual(first.startswith(f"{badge}: "), badge != CLEAR)
        if badge != CLEAR:
            self.assertEqual(glyph, "✗")
        against = re.search(r"(?m)^against     .*\n            (.*)$", done.out).group(1)
        markdown = re.search(r"(?m)^### against .*\n\n(.*)$", text["markdown"]).group(1)
        data = json.loads(text["json"])
        (run,) = data["runs"]
        self.assertEqual(data["verdict"], run["against"]["verdict"])
        return {"terminal": verdict_of(against), "-q": verdict_of(quiet.out.splitlines()[-1]), "html": badge, "junit": said, "json": run["against"]["verdict"],
                "markdown": verdict_of(markdown)}

    def test_situations_by_outputs(self):
        self.measure("base", 3)
        self.measure("same", 4)
        self.measure("slow", 5, twice=130000)
        self.measure("checked", 4, "--verify-only")
        self.assertGreaterEqual(len(SITUATIONS), 25)
        self.assertEqual(len({situation[0] for situation in SITUATIONS}), len(SITUATIONS))
        for name, base, new, options, verdict, exit in SITUATIONS:
            with self.subTest(name):
                self.make("base", "base", base)
                self.make("new", "slow", new)
                options = options if "--fail-on" in options else ("--fail-on", "slower", *options)
                exit = EXITS[verdict] if exit is None else exit
                for said in (self.of_compare(options, exit), self.of_report(options, exit)):
                    self.assertEqual(said, dict.fromkeys(said, verdict))
                # JUnit reports an unjudged comparison as an error, unless that is allowed.
                expected = {CLEAR: "passed", SLOWER: "failure", INCORRECT: "failure"}.get(verdict, "error")
                self.assertEqual(self.outcome, "skipped" if verdict == UNJUDGED and "--allow-unjudged" in options else expected)
                self.validate()

    def validate(self):
        """Validates the outputs of the last report and of a new comparison, if jsonschema and xmllint are installed."""
        self.gpubench("compare", "base", "new", "--json", "compare.json", "--junit", "compare.junit", "-q")
        if shutil.which("xmllint"):
            done = subprocess.run(["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd", self.dir / "compare.junit", self.dir / "out.junit"], capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        check_schema(self.dir / "compare.json", "compare.schema.json")
        check_schema(self.dir / "out.json", "report.schema.json")

    def of_the_run(self, args, exit):
        """Makes a run and its report. Returns the outcome in JSON, the badge, and whether JUnit has a failure or an
        error."""
        shutil.rmtree(self.dir / "run", ignore_errors=True)
        done = self.gpubench("--plugin", plugin("ok_vector"), *self.fake(), "--out", "run", *args)
        self.assertEqual(done.exit, exit, done)
        self.ok("report", "run", *self.files())
        root = ElementTree.parse(self.dir / "out.junit").getroot()
        self.assertEqual(int(root.get("tests")), len(list(root.iter("testcase"))))
        red = int(root.get("failures")) + int(root.get("errors")) > 0
        return json.loads((self.dir / "out.json").read_text())["outcome"], *self.top_badge((self.dir / "out.html").read_text()), red

    def test_a_run_that_fails_has_no_good_badge(self):
        (self.dir / "nonsense.so").write_text("nonsense")
        self.assertEqual(self.of_the_run(("--preset", "small"), 0), ("passed", "good", "passed", False))
        self.assertEqual(self.of_the_run(("--preset", "small", "--plugin", "./nonsense.so"), 3), ("incomplete", "bad", "incomplete", True))
        odd = ("--preset", "odd", "--require", "blocked")  # which `blocked` skips
        self.assertEqual(self.of_the_run(odd, 3), ("failed", "bad", "failed", True))
        self.assertEqual(self.of_the_run((*odd, "--require", "twice"), 3), ("failed", "bad", "failed", True))

    def test_of_several_runs_the_worst_counts(self):
        self.measure("base", 3)
        self.measure("slow", 5, twice=130000)
        self.measure("same", 4)
        self.make("base", "base", [])
        self.make("busy", "slow", [CONTENDED, ini("name", "busy")])
        self.make("slow", "slow", [])
        self.make("same", "same", [])
        for runs, verdict in ((["busy", "slow"], SLOWER), (["slow", "busy"], SLOWER), (["same", "busy"], UNJUDGED), (["same", "same/results.csv"], CLEAR)):
            done = self.gpubench("compare", "base", *runs, "--fail-on", "slower", "--html", "out.html", "--json", "out.json", "--junit", "out.junit")
            self.assertEqual(done.exit, EXITS[verdict], done)
            self.assertEqual(self.top_badge((self.dir / "out.html").read_text())[1], verdict)
            data = json.loads((self.dir / "out.json").read_text())
            self.assertEqual((data["verdict"], len(data["runs"])), (verdict, 2))
            self.assertEqual(len(list(ElementTree.parse(self.dir / "out.junit").getroot())), 2)

    def test_processes_of_processors(self):
        """A single process on a cpu shows mostly the load of that minute: the same code, measured half a minute later,
        was called 59% slower. Three processes on each side can be judged by how much they differ."""
        def run(name, restarts):
            self.ok("--plugin", plugin("ok_vector"), "--device", "cpu", "--ceilings", "off", "--quick", "--axis", "n=64k", "--restarts",
                    str(restarts), "--out", f"runs/{name}")
        for name, restarts in (("one", 1), ("three", 3), ("more", 3)):
            run(name, restarts)
        for base, new in (("one", "three"), ("three", "one")):
            done = self.gpubench("compare", f"runs/{base}", f"runs/{new}", "--fail-on", "slower", "--json", "out.json")
            self.assertEqual(done.exit, EXITS[UNJUDGED], done)
            rows = json.loads((self.dir / "out.json").read_text())["runs"][0]["against"]["rows"]
            self.assertLessEqual({row["not_judged"] for row in rows}, {"undecided (one process)", "busy machine", "too few rounds"}, done)
        self.gpubench("compare", "runs/three", "runs/more", "--json", "out.json")
        rows = json.loads((self.dir / "out.json").read_text())["runs"][0]["against"]["rows"]
        self.assertNotIn("undecided (one process)", {row["not_judged"] for row in rows})

    def test_a_run_is_not_compared_with_itself(self):
        self.measure("base", 3)
        (self.dir / "link").symlink_to("runs/base")
        for other in ("runs/base", "link"):
            self.assertIn("are the same run", self.one_line_error(2, "compare", "runs/base", other, "--fail-on", "slower"))

    def words_of(self, *runs):
        """Returns the verdicts that all outputs give for `twice` in its first case, its star, the sentences about
        multiple comparisons, and the counts in JSON."""
        done = self.ok("report", *runs, *self.files(), "--csv", "out.csv")
        text = {name: (self.dir / f"out.{name}").read_text() for name in ("html", "markdown", "junit", "json")}
        data = json.loads(text["json"])
        is_it = lambda row: row["variant"] == "twice" and "n=512" in row["case_key"]
        row = next(filter(is_it, data["rows"]))
        with open(self.dir / "out.csv", newline="", encoding="utf-8") as file:
            words = {row["verdict"], *(row["verdict"] for row in csv.DictReader(file) if is_it(row))}
        plain = {"terminal": done.out, **{name: html.unescape(re.sub(r"(?s)<style.*?</style>|<[^>]*>|\\", "", text[name])) for name in ("html", "markdown", "junit")}}
        rest = {name: re.sub(r"(?m)^.*(geomean|geometric mean|Many words).*$", "", said) for name, said in plain.items()}
        words.update(word for said in rest.values() for word in [re.search(r"undecided \(one of many\)|\bfaster\b(?! than| where| in )", said).group()])
        said = {(re.search(r"\d+ comparisons share .*?: .*?(?=\.|$)", plain[name], re.M) or [""])[0] for name in ("html", "markdown", "terminal")}
        return words, row["fastest"], said, [(count["compared"], count["undecided"]) for count in data["multiple_comparisons"]]

    def test_a_word_lost_among_many_is_lost_in_every_output(self):
        """A verdict with p = 0.008 among eight comparisons, and among two."""
        self.ok("--plugin", plugin("ok_vector"), "-a", "n=512,1024,2048,4096", "-a", "a=0.5", *self.fake(twice=25000), "--out", "run")
        others = lambda row: row.update(speedup_p="0.5", verdict="undecided", fastest="0")
        def edit(row):
            if row["speedup"] and row["variant"] != row["baseline"]:
                others(row)
            if "n=512," in row["case_key"]:
                row["fastest"] = str(int(row["variant"] == "twice"))
                if row["variant"] == "twice":
                    row.update(speedup_p="0.008", verdict="faster")
                elif row["variant"] != row["baseline"]:
                    row["verdict"] = "same"
        rows(edit)(self.dir / "run")
        for run in ("run", "out.html"):  # also in the page that was made of it
            said = "8 comparisons share an error of 5% (Holm's rule): 1 is undecided for it"
            self.assertEqual(self.words_of(run), ({"undecided (one of many)"}, 0, {said}, [(8, 1)]))
        rows(lambda row: "n=512," in row["case_key"])(self.dir / "run")
        self.assertEqual(self.words_of("run/results.csv"), ({"faster"}, 1, {""}, [(2, 0)]))

    def test_the_schemas_say_the_same_of_a_comparison(self):
        of_report, of_compare = (json.loads((SCHEMAS / f"{name}.schema.json").read_text())["definitions"] for name in ("report", "compare"))
        self.assertEqual(of_report["comparison"], of_compare["comparison"])


if __name__ == "__main__":
    main()
