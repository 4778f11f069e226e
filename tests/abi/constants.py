"""constants.py [INCLUDE_DIR]: tests that generators of bindings find every constant of the public headers. A generator
reads a macro as a constant if it is one literal, in parentheses or not, with a minus sign or not. It silently ignores
anything else, such as a cast or another macro. Every constant must be found here, with the compiler's value. The list
"Bits in use" of sdk/abi/POLICY.md must name the flags of the headers, each with its bit."""

import re
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "sdk/include").resolve()
CC = ["gcc", "-std=c11", f"-I{INCLUDE}", "-xc", "-"]
LITERAL = re.compile(r"""^(\(\s*)?(?:(?P<text>"[^"\\]*")|(?P<minus>-\s*)?(?P<number>0[xX][0-9a-fA-F]+|\d+)(?P<suffix>[uUlL]*))(?(1)\s*\))$""")
POLICY = INCLUDE.parent / "abi/POLICY.md"
FLAGS = {"variants": "GB_VARIANT_", "benches": "GB_BENCH_", "tensors": "GB_TENSOR_"}  # by their name in POLICY.md
HELPERS = {"sugar.h", "draft.h"}  # helpers for a plugin's source, not part of the ABI


def headers():
    found = sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.h") if path.name not in HELPERS)
    return "".join(f"#include <{path}>\n" for path in found)


def compiler(source, *options):
    return subprocess.run([*CC, *options], input=headers() + source, capture_output=True, text=True)


def macros():
    """Maps the name of every GB_ macro without parameters to its definition."""
    said = compiler("", "-E", "-dM").stdout
    return dict(re.findall(r"^#define (GB_[A-Z0-9_]+) +(.+)$", said, re.M))


def compiles(lines):
    """Returns the names whose line of C compiles, with one call of the compiler for all of them."""
    names = sorted(lines)
    first = headers().count("\n") + 1
    said = compiler("".join(lines[name] + "\n" for name in names), "-fsyntax-only", "-fmax-errors=0", "-ftrack-macro-expansion=0", "-w").stderr
    bad = {int(number) for number in re.findall(r"^<stdin>:(\d+):\d+: error", said, re.M)}
    return {name for i, name in enumerate(names) if first + i not in bad}


def read(literal):
    """Reads a literal as a generator of bindings does. Returns its value, or None."""
    match = LITERAL.match(literal)
    if match is None:
        return None
    if match["text"]:
        return match["text"]
    number = match["number"]
    value = int(number, 16 if number[:2].lower() == "0x" else 8 if number[0] == "0" else 10)
    return -value if match["minus"] else value


def bits(values):
    """Returns what the list "Bits in use" of POLICY.md says otherwise than the headers."""
    found = re.search(r"(?ms)^Bits in use.*?: (of variants .*?)\.", POLICY.read_text(encoding="utf-8"))
    if found is None:
        return ["POLICY.md has no list of the bits in use"]
    problems = []
    parts = {of: dict(re.findall(r"([A-Z_]+) (\d+)", names)) for of, names in re.findall(r"of (\w+) ([^;]+)", found[1])}
    for of, prefix in FLAGS.items():
        headers = {name.removeprefix(prefix): str(value) for name, value in values.items() if name.startswith(prefix)}
        if parts.get(of) != headers:
            problems.append(f"bits of {of} in POLICY.md are {parts.get(of)}, in the headers {headers}")
        if any(int(bit) & (int(bit) - 1) for bit in headers.values()) or len(set(headers.values())) < len(headers):
            problems.append(f"flags of {of} are not one bit each: {headers}")
    return problems


def main():
    defined = macros()
    numbers = compiles({name: f"enum {{ e_{name} = ({name}) }};" for name in defined})
    texts = compiles({name: f"static const char s_{name}[] = {name};" for name in set(defined) - numbers})
    values = {name: read(defined[name]) for name in numbers | texts}
    equal = compiles({name: f'_Static_assert(({name}) == ({values[name]}), "");' for name in numbers if values[name] is not None})
    problems = []
    for name in sorted(values):
        if values[name] is None:
            problems.append(f"{name} is {defined[name]}, which no generator of bindings reads: write it as one literal")
        elif name in numbers and name not in equal:
            problems.append(f"{name} is read as {values[name]}, and is not")
    problems += bits(values)
    if len(numbers) < 40 or len(texts) < 7:
        problems.append(f"found only {len(numbers)} numbers and {len(texts)} texts in {INCLUDE}")
    for problem in problems:
        print("constants: FAIL:", problem, file=sys.stderr)
    if not problems:
        others = sorted(set(defined) - numbers - texts)
        print(f"constants: ok: {len(numbers)} numbers and {len(texts)} texts, all read; no constants: {', '.join(others) or 'none'}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
