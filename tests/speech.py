#!/usr/bin/env python3
"""tests/speech.py [--list FOLDER]: measures how readable the comments are to newcomers, in ways that apply to any project.

Prints for each folder the share of comments with an odd idiom and the share that begins with a fragment (of comments with four words
or more), and the share of static C functions with a name that another file defines too. Fails if a share exceeds its limit in LIMITS,
which may only be lowered. --list prints the comments that count. This is an aid for the author: a comment that passes these
expressions and does not inform the reader is a defect.

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
    failed = False
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
