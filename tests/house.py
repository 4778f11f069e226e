#!/usr/bin/env python3
"""tests/house.py: checks what host/README.md, host/docs and reports/README.md state about the tree. Their tables list
every room exactly once; every file that they name exists; every function of host/docs/where.md is defined in the file
that is named with it, and its tests exist."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOUSES = ("host", "reports")
PAGES = sorted(page for house in HOUSES for page in (ROOT / house / "docs").glob("*.md"))
TEXT = {house: (ROOT / house / "README.md").read_text(encoding="utf-8") for house in HOUSES}


def section(house, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT[house], re.S | re.M).group(1)


def rows(text):
    lines = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines() if line.startswith("|")]
    return lines[2:]  # skips the heading and the rule below it


def is_test(name):
    """Returns true if there is a test of this name."""
    kind, _, rest = name.partition("/")
    if kind in ("e2e", "stats"):  # not each has a file of its own
        listed = (ROOT / "tests" / kind / "CMakeLists.txt").read_text(encoding="utf-8")
        return f"e2e_test({rest} " in listed or f"NAME {name} " in listed
    room, _, last = rest.rpartition("/")
    places = {"unit": [f"tests/unit/{house}/{room}/test_{last}.c" for house in HOUSES], "browser": [f"tests/browser/{last}_test.py"],
              "gpu": [f"tests/gpu/{last}.sh"]}
    return any((ROOT / place).is_file() for place in places[kind]) or f"NAME {name} " in (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")


def rooms(house):
    return sorted(f.name for f in (ROOT / house).iterdir() if f.is_dir() and f.name != "docs")


def find(name):
    """Finds a file that is named as in an #include, or relative to the repository."""
    return next((ROOT / place / name for place in ("host", "reports", "") if (ROOT / place / name).is_file()), None)


def defines(path, function):
    text = path.read_text(encoding="utf-8")
    return re.search(rf"^\w[^;={{}}]*\b{function}\([^;{{]*\)\s*{{", text, re.M) is not None


class House(unittest.TestCase):
    def test_each_room_has_its_sentence(self):
        for house in HOUSES:
            named = [row[0].strip("`") for row in rows(section(house, "The rooms"))]
            self.assertEqual(sorted(named), rooms(house), house)
            for room, purpose in ((row[0], row[1]) for row in rows(section(house, "The rooms"))):
                self.assertGreater(len(purpose), 10, room)

    def test_files_that_are_named_are_there(self):
        named = 0
        for house in HOUSES:
            for name in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:c|h|cu|sh|py|json|css|js|html|sql))`", TEXT[house]):
                if name == "tools/compare.py":  # a file of Google Benchmark
                    continue
                self.assertIsNotNone(find(name), f"{house}/README.md names {name}")
                named += 1
        for page in PAGES:
            for name in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:c|h|cu|sh|py|json|css|js|html|sql))`", page.read_text(encoding="utf-8")):
                if name != "tools/compare.py":
                    self.assertIsNotNone(find(name), f"{page} names {name}")
        self.assertGreater(named, 20)

    def test_questions_have_answers(self):
        tables = (ROOT / "host/docs/where.md").read_text(encoding="utf-8").split("\n## ")[1:]
        questions = [row for table in tables for row in rows(table)]
        self.assertGreaterEqual(len(questions), 10)
        for question, file, function, tests in questions:
            path = find(file.strip("`"))
            self.assertIsNotNone(path, f"{question} {file}")
            self.assertTrue(defines(path, function.strip("`()")), f"{question} {file} does not define {function}")
            self.assertRegex(tests, "`", question)

    def test_tests_that_are_named_are_there(self):
        for page in PAGES:
            for name in re.findall(r"`((?:unit|e2e|stats|browser|gpu)/[a-z0-9_/]+)`", page.read_text(encoding="utf-8")):
                self.assertTrue(is_test(name), f"{page} names {name}")

    def test_functions_of_the_trips_are_there(self):
        sources = [f for house in HOUSES for f in (ROOT / house).rglob("*.c")]
        functions = re.findall(r"`(\w+)\(\)`", section("host", "Three trips"))
        self.assertGreater(len(functions), 8)
        for function in functions:
            self.assertTrue(any(defines(f, function) for f in sources), function)

    def test_length(self):
        self.assertLessEqual(len(TEXT["host"].splitlines()), 140)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
