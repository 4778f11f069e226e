"""Plugins that a test writes itself, compiled by hand as their authors might do."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")
RUSTC = shutil.which("rustc")


def compile_plugin(test, name, text):
    """Compiles NAME.so into the test's folder, using only the SDK's headers and without a warning. Returns its path."""
    source, made = test.dir / f"{name}.c", test.dir / f"{name}.so"
    source.write_text(text)
    done = subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-fPIC", "-shared",
                           "-fvisibility=hidden", f"-I{ROOT}/sdk/include", str(source), "-o", str(made)],
                          text=True, capture_output=True)
    test.assertEqual(done.returncode, 0, done.stderr + text)
    return str(made)


def compile_rust(test, name, source):
    """Compiles a Rust plugin by two commands: the SDK as a crate, and the plugin. Returns its path."""
    crate, made = test.dir / "libgpubench.rlib", test.dir / f"{name}.so"
    for line in (("rlib", "--crate-name", "gpubench", "-o", crate, ROOT / "sdk/rust/gpubench.rs"),
                 ("cdylib", "--crate-name", name, "--extern", f"gpubench={crate}", "-o", made, source)):
        done = subprocess.run([RUSTC, "--edition", "2021", "-C", "opt-level=3", "-D", "warnings", "--crate-type", *line],
                              text=True, capture_output=True)
        test.assertEqual((done.returncode, done.stderr), (0, ""))
    return str(made)


def guest(test, name, contract, body, opens="", backend="cpu", head="", minor=0):
    """Compiles a guest with one variant, both called NAME. BODY is the code that `run` executes before it returns
    GB_OK, OPENS the first code of `open`, HEAD code before both functions, MINOR that of the contract. Returns its
    path."""
    return compile_plugin(test, name, f"""
#include <gpubench/sugar.h>
#include <stdlib.h>
static gb_sdk gb;
{head}
static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {{
  (void)self, (void)c, (void)vstate;
  {body}
  return GB_OK;
}}
static const gb_variant mine = {{GB_SIZE(gb_variant), .name = "{name}", .backend = "{backend}", .math = "fp32",
                                .run = run, .contract_minor = {minor}}};
static gb_status mine_open(const gb_host *host, gb_registry *registry, void **self) {{
  (void)self;
  {opens}
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "{contract}", &mine) : status;
}}
const gb_plugin gb_plugin_v1 = {{GB_PLUGIN_HEAD, .id = "{name}", .version = "1.0.0", .open = mine_open}};
""")
