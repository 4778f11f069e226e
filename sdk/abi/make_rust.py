#!/usr/bin/env python3
"""make_rust.py [INCLUDE_DIR]: prints the ABI as Rust declarations, sdk/rust/abi.rs, from the layout lock and the constants in
the headers. It replaces bindgen, so that no tool must be installed; other languages can be served in the same way."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE.parent / "include"
PLAIN = {"int32_t": "i32", "int64_t": "i64", "uint32_t": "u32", "uint64_t": "u64", "double": "f64", "char": "c_char", "void": "c_void"}
KEYWORDS = {"self": "this", "type": "type_", "match": "match_", "fn": "fn_", "use": "use_"}
HEAD = """// The ABI of gpubench plugins for Rust, written by sdk/abi/make_rust.py. What the slots mean, when they are entered and what
// they may do is said in the C headers, gpubench/gpubench.h and gpubench/ext/*.h.
#![allow(non_camel_case_types)]

use std::mem::{size_of, transmute};
use std::os::raw::{c_char, c_void};
"""

NEW = """
impl {struct} {{
    /// All zero but its size: what a field that is not set has to be.
    pub const NEW: Self = {{
        let mut new: Self = unsafe {{ transmute([0u8; size_of::<Self>()]) }};
        new.struct_size = size_of::<Self>() as u32;
        new
    }};
}}

unsafe impl Sync for {struct} {{}}"""


def named(type):
    """Translates a C type such as `const gb_axis *const *`: a Rust pointer is const if its C target is const."""
    tokens = re.findall(r"\w+|\*", type)
    base = [token for token in tokens if token not in ("*", "const", "struct")][0]
    text, const = PLAIN.get(base, base), False
    for token in tokens:
        if token == "const":
            const = True
        elif token == "*":
            text, const = f"*{'const' if const else 'mut'} {text}", False
    return text


def parameter(text):
    type, name = re.match(r"(.*?)(\w+)$", text).groups()
    return f"{KEYWORDS.get(name, name)}: {named(type)}"


def rust(type, filled):
    """Translates the type of a field. `filled`: a function pointer that is never NULL."""
    slot = re.match(r"(.*?)\(\*\)\((.*)\)$", type)
    if not slot:
        return named(type)
    result, parameters = slot[1].strip(), slot[2]
    given = [] if parameters == "void" else [parameter(text) for text in re.split(r",\s*", parameters)]
    gives = "" if result == "void" else f" -> {named(result)}"
    entry = f"unsafe extern \"C\" fn({', '.join(given)}){gives}"
    return entry if filled else f"Option<{entry}>"


def is_hosts(struct):
    return struct == "gb_host" or struct.endswith("_ext")


def constants(headers):
    """Yields the constants as the headers write them; the suffix of a number gives its type."""
    for name, literal in re.findall(r"^#define (GB_[A-Z0-9_]+) +(\"[^\"]*\"|\(?-?\w+\)?)(?= |$)", headers, re.M):
        number = re.fullmatch(r"\(?(-?)(0x[0-9a-fA-F]+|\d+)(u?)\)?", literal)
        if literal[0] == '"':
            yield f'pub const {name}: &str = "{literal[1:-1]}\\0";'
        elif number:
            yield f"pub const {name}: {'u32' if number[3] else 'i32'} = {number[1]}{number[2]};"


def main():
    # Made anew, because the headers may be other ones than the tree's.
    lock = subprocess.run([HERE / "make_layout.sh", INCLUDE], text=True, stdout=subprocess.PIPE, check=True).stdout
    files = [INCLUDE / "gpubench/gpubench.h", *sorted(INCLUDE.glob("gpubench/ext/*.h"))]
    structs = {}
    for struct, field, type in re.findall(r"^TYPE\((\w+), (\w+), (.*)\);$", lock, re.M):
        structs.setdefault(struct, []).append((field, rust(type, is_hosts(struct))))
    print(HEAD)
    for name, type in re.findall(r"^ALIAS\((\w+), (\w+)\);$", lock, re.M):
        print(f"pub type {name} = {PLAIN[type]};")
    print()
    print("\n".join(constants("".join(path.read_text() for path in files))))
    used = set(re.findall(r"\b(gb_\w+|CU\w+)\b", " ".join(type for fields in structs.values() for _, type in fields)))
    for opaque in sorted(used - set(structs) - {"gb_status"}):
        print(f"\n#[repr(C)]\npub struct {opaque} {{\n    _opaque: [u8; 0],\n}}")
    for struct, fields in structs.items():
        body = "".join(f"    pub {KEYWORDS.get(field, field)}: {type},\n" for field, type in fields)
        print(f"\n#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {struct} {{\n{body}}}")
        if not is_hosts(struct):
            print(NEW.format(struct=struct))


if __name__ == "__main__":
    main()
