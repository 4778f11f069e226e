#!/usr/bin/env python3
"""tests/speech.py [--list FOLDER]: measures how readable the comments are to newcomers, in ways that apply to any project.

Prints for each folder the share of comments with an odd idiom and the share that begins with a fragment (of comments with four words
or more), and the share of static C functions with a name that another file defines too. Fails if a share exceeds its limit in LIMITS,
which may only be lowered. --list prints the comments that count. This is an aid for the author: a comment that passes these
expressions and does not inform the reader is a defect.

It also fails on retired words (RETIRED) in sources and documents, on READMEs that are too long, and on more lines of over 120
columns than LONG_LINES allows; clang-format keeps C at 120.

Odd idioms and fragments in other projects, by the same expressions: curl/lib 0.5 and 0.3%, libuv/src 0.2 and 0.3, redis/src 0.3 and
0.5, fio 0.4 and 0.6, nvbench 0.2 and 0.2, clap 0.4 and 0.5."""

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FRAGMENT = re.compile(r"^(What|Who|Whoever|Whom|Whose|Where|Of|So|Its|Their|Likewise|Else|Then|As|By|That|Such|Nobody|Nothing|"
                      r"Somebody|None|With|Without|From|Among|Beside|Beyond)\b")
IDIOM = re.compile(r"\b(whoever|whom|so many|so much|of its own|likewise|of theirs|beside|which is whose|"
                   r"what (?:is|was|are|has|it|they)|who (?:is|has|was|did|does)|nobody|somebody|be it|for want of|"
                   r"has to (?:say|be)|come to|is to be|are to be|it may not|held against|of use|of old|by itself|by themselves|"
                   r"from here on|goes? on with|gone on with|no word|words? lack)\b", re.I)

# Percent of comments with an odd idiom, of comments that begin with a fragment, and of static functions that share a name.
LIMITS = {
    "ci": (1, 1),
    "host": (1, 1, 1),
    "plugins": (1, 1, 1),
    "reports": (1, 1, 1),
    "sdk": (3, 1),
    "tests": (1, 1),
}

# Words that were replaced, with the ones to use. reports/CHANGES.md lists the public names among them.
RETIRED = {
    r"floor(?:_unc)?_ns\b": "launch_overhead_ns, launch_overhead_unc_ns",
    r"\b(?:struct floor_time|floored|floor-limited|less the floor|launch floor|GAP_FLOOR|MARK_FLOOR)\b|\(floor\)": "launch overhead",
    r"(?<![\w-])-floor\b": "-launch",
    r"(?<!p)roofs?(?:_|\b)|\b(?:GAP|MARK)_ROOF\b": "ceiling",
    r"\bset_aside\b": "discarded_samples",
    r"\bfew[_ ]compared\b": "few_verified",
    r"\bhidden_share\b": "reuse_limit",
    r"\bpartly unseen\b|\bMARK_UNSEEN\b|(?:->|\.|\[\")unseen\b": "unverified_work",
    r"\bfates?\b|\b(?:against|foreign)_fate\b": "status, outcome, match",
    r"\bmended\b|\bAGAINST_MENDED\b": "fixed",
    r"\bstranger_count\b|_STRANGERS_|\bcode of strangers\b": "other processes, others",
    r"\b(?:plan_elsewhere|gpu_elsewhere|neighbours_look)\b": "unsupported, withheld, interference",
    r"\bstruct turns?\b|\bmeasure_turn\b": "struct slot_task, struct schedule",
    r"\b(?:call_turn|run_turns_\w+|begin_turn|turn_ends_ns)\b": "callback, device",
    r"\b(?:struct|enum) trial\w*|\btrial_(?:s|begin|end|choose)\b|\bTRIAL_(?:SAMPLING|LAST|EVIDENCE)\b": "spot_check, round_stage",
    r"\bverify_look\b|\bstats_is_look\b|\blacks_looks\b|\bLOOKS_(?:TIMES|MOST)\b": "verification, interim",
    r"\bcontestant_set_aside\b|(?:->|\.)aside\b": "kept_from, discarded",
    r"\bTRIAL_(?:TOGETHER|ALONE|BESIDE)\b|\b(?:epoch_trial|trials_until_ns)\b": "epoch_kind, suspects",
}
RETIRED_ANY = re.compile("|".join(RETIRED))
# Each retired word contains one of these, for which a search is much faster.
RETIRED_STEMS = ("floor_", "floored", "floor-", "-floor", "the floor", "launch floor", "(floor)", "FLOOR", "roof", "ROOF", "set_aside", "compared",
                 "hidden_share", "unseen", "UNSEEN", "fate", "mended", "MENDED", "stranger", "STRANGERS", "elsewhere", "neighbours_look", "turn", "trial", "TRIAL", "look", "LOOKS", "aside")
# Files that have to name what was retired: the list for readers, the table of the host, and what tests them.
RETIRED_EXEMPT = re.compile(r"(reports/CHANGES\.md|host/record/renamed\.c|host/options/parse\.c|tests/speech\.py|tests/renames\.py|tests/cheats/test_honest\.py|tests/e2e/test_stored\.py|"
                            r"tests/unit/host/record/test_renamed\.c|tests/(e2e/stored|fuzz/found|fuzz/seeds)/.*|reports/example/.*/results\.csv|"
                            r"reports/example/.*/(slots\.csv|run\.ini|report\.html)|plugins/\w+/LAB\.md)")
RETIRED_SUFFIXES = {".c", ".h", ".cu", ".cuh", ".cpp", ".rs", ".py", ".sh", ".js", ".css", ".json", ".md", ".ini", ".txt", ".cmake", ".csv",
                    ".html", ".svg", ".list"}

README_LINES = 150  # of a plugin
README_BYTES = 15 * 1024  # of reports

# Lines of more than 120 columns in each folder, without documents and data.
LONG_LINES = {"ci": 95, "host": 35, "plugins": 25, "reports": 2, "sdk": 120, "tests": 1100}
LONG_SUFFIXES = {".c", ".h", ".cu", ".cuh", ".cpp", ".rs", ".py", ".sh", ".cmake", ".js", ".css"}

C_SUFFIXES = {".c", ".h", ".cu", ".cuh", ".cpp", ".rs"}
STATIC = re.compile(r"^(?:[A-Z_]+ )?static (?:inline )?[\w *]*?\b(\w+)\((?![^;{]*\);)", re.M)


def c_comments(text):
    strings = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    for found in re.finditer(rf"{strings}|/\*(.*?)\*/|//([^\n]*)", text, re.S):
        if found[1] is not None or found[2] is not None:
            yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*\n\s*\*?\s*", " ", found[1] or found[2] or "")


def python_comments(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, " ".join(ast.get_docstring(node).split())
    yield from hash_blocks((token.start[0], token.line[:token.start[1]].strip() == "", token.string[1:])
                           for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT)


def shell_comments(text):
    lines = ((number, line.lstrip().startswith("#"), line) for number, line in enumerate(text.splitlines(), 1))
    yield from hash_blocks((number, whole, line.split("#", 1)[1]) for number, whole, line in lines
                           if (whole or re.search(r"\s# ", line)) and not line.startswith("#!"))


def hash_blocks(comments):
    """Merges comments on consecutive lines into one."""
    block, begun, last = [], 0, -1
    for number, whole, text in comments:
        if block and not (whole and number == last + 1):
            yield begun, " ".join(" ".join(block).split())
            block = []
        if not block:
            begun = number
        block.append(text)
        last = number if whole else -1
    if block:
        yield begun, " ".join(" ".join(block).split())


def comments_of(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in C_SUFFIXES:
        found = c_comments(text)
    elif path.suffix == ".py":
        found = python_comments(text)
    elif path.suffix in {".sh", ".cmake"} or path.name == "CMakeLists.txt":
        found = shell_comments(text)
    else:
        return
    for line, comment in found:
        comment = comment.strip(" *-=/!<#")
        if len(comment.split()) >= 4 and "Copyright" not in comment and "SPDX" not in comment:
            yield line, comment


def sources():
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True).stdout.splitlines()
    paths = [Path(name) for name in names] if names else [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    return [path for path in paths if len(path.parts) > 1 and not path.parts[0].startswith((".", "build")) and (ROOT / path).exists()]


def share(part, whole):
    return 100 * part / whole if whole else 0.0


def retired_words(path):
    """Yields the lines of a file that have a retired word, with the word to use."""
    if RETIRED_EXEMPT.fullmatch(str(path)) or path.suffix not in RETIRED_SUFFIXES:
        return
    text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
    for found in RETIRED_ANY.finditer(text) if any(stem in text for stem in RETIRED_STEMS) else ():
        instead = next(instead for word, instead in RETIRED.items() if re.fullmatch(word, found[0]))
        yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: '{found[0]}' is retired: {instead}"


def check_sizes(paths):
    """Yields what is too long."""
    counts = defaultdict(int)
    for path in paths:
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace") if path.suffix in LONG_SUFFIXES | {".md"} else ""
        if path.suffix in LONG_SUFFIXES and "golden" not in path.parts:
            counts[path.parts[0]] += sum(len(line) > 120 for line in text.splitlines())
        if re.fullmatch(r"plugins/\w+/README\.md", str(path)) and text.count("\n") > README_LINES:
            yield f"{path}: {text.count(chr(10))} lines where at most {README_LINES} may be"
        if str(path) == "reports/README.md" and len(text.encode()) > README_BYTES:
            yield f"{path}: {len(text.encode())} bytes where at most {README_BYTES} may be"
    for folder, most in LONG_LINES.items():
        if counts[folder] > most:
            yield f"{folder}: {counts[folder]} lines have more than 120 columns where at most {most} may"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--list", metavar="FOLDER", help="print the comments of this folder that are counted")
    options = parser.parse_args()
    counts, odd, fragments = defaultdict(int), defaultdict(int), defaultdict(int)
    defined = defaultdict(set)
    for path in sources():
        for line, comment in comments_of(ROOT / path):
            is_odd, is_fragment = bool(IDIOM.search(comment)), bool(FRAGMENT.match(comment))
            if options.list and (is_odd or is_fragment) and str(path).startswith(options.list):
                print(f"{path}:{line}: {comment}")
            for folder in {path.parts[0], "/".join(path.parts[:2])} if len(path.parts) > 2 else {path.parts[0]}:
                counts[folder] += 1
                odd[folder] += is_odd
                fragments[folder] += is_fragment
        if path.suffix == ".c" and path.parts[0] in ("host", "reports", "plugins"):
            for name in STATIC.findall((ROOT / path).read_text(encoding="utf-8")):
                defined[name].add(path)
    if options.list:
        return 0
    statics, shared = defaultdict(int), defaultdict(int)
    for name, paths in defined.items():
        for path in paths:
            statics[path.parts[0]] += 1
            shared[path.parts[0]] += len(paths) > 1
    complaints = [line for path in sources() for line in retired_words(path)] + list(check_sizes(sources()))
    print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
    failed = bool(complaints)
    print(f"{'folder':24} comments  odd idiom  fragment  shared static names")
    for folder in sorted(counts):
        rates = share(odd[folder], counts[folder]), share(fragments[folder], counts[folder]), share(shared[folder], statics[folder])
        print(f"{folder:24} {counts[folder]:8} {rates[0]:9.1f}% {rates[1]:8.1f}%", f"{rates[2]:8.1f}%" if statics[folder] else "")
        for what, rate, limit in zip(("odd idioms", "fragments", "shared static names"), rates, LIMITS.get(folder, ())):
            if rate > limit:
                failed = True
                print(f"  {folder}: {what}: {rate:.1f}% where at most {limit}% may be", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
