"""Contracts with minors: which cases a guest gets, whose mistakes cost what, and what a host does with things of later
versions of the ABI."""

import json
import re
import unittest

from author import compile_plugin
from run import GpubenchTest, main
from safety import whole_rows

OWNER = """
#include <gpubench/sugar.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static gb_sdk gb;
static gb_status vector(gb_case *c, const char *name, uint32_t role) {
  const int64_t n = 1000;
  gb_tensor t = {GB_SIZE(gb_tensor), .role = role, .dtype = GB_DTYPE_F32, .rank = 1, .name = name, .shape = &n};
  t.fill = role == GB_IN ? GB_FILL_UNIFORM : 0, t.fill_b = role == GB_IN ? 1 : 0;
  return gb.tensor->declare(c, &t);
}
static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  return vector(c, "x", GB_IN) == GB_OK ? vector(c, "y", GB_OUT) : GB_EINVAL;
}
static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  static double x[1000];
  (void)self, (void)state;
  gb_status status = gb.tensor->input(c, "x", 0, 1000, x);
  for (int i = 0; i < 1000; i++) x[i] *= 2;
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, 1000, x) : status;
}
static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  (void)self, (void)vstate;
  for (int i = 0; i < 1000; i++) y[i] = 2 * x[i];
  return GB_OK;
}
"""
# Two benches: "scale", of which each value of the axis `came` is a case of that minor, and "clean" without minors.
BENCHES = """
static uint32_t minor_of(const gb_bench *self, gb_case *c) {
  (void)self, (void)c;
  %s
}
static const gb_axis came = {GB_SIZE(gb_axis), .type = GB_I64, .name = "came", .values = "%s"};
static const gb_variant plain = GB_VARIANT("plain", "cpu", "fp32", .run = run, .flags = GB_VARIANT_BASELINE);
static const gb_bench scale = {GB_SIZE(gb_bench), .name = "scale", .contract = "example.org/owner/scale/1",
  .contract_minor = 4, .axes = (const gb_axis *const[]){&came, NULL}, .minor_of = minor_of,
  .setup = setup, .reference = reference, .variants = (const gb_variant *const[]){&plain, NULL}};
static const gb_bench clean = {GB_SIZE(gb_bench), .name = "clean", .contract = "example.org/owner/clean/1",
  .setup = setup, .reference = reference, .variants = (const gb_variant *const[]){&plain, NULL}};
static gb_status owner_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &scale);
  return status == GB_OK ? host->add(host, registry, &clean) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "owner", .version = "1.0.0", .open = owner_open};
"""
HONEST = 'return (uint32_t)gb.point->i64(c, "came");'
GUEST = """
static const gb_variant mine = GB_VARIANT("%(name)s", "cpu", "fp32", .contract_minor = %(minor)s, .run = run);
static gb_status guest_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  (void)setup, (void)reference;
  return status == GB_OK ? host->attach(host, registry, "example.org/owner/scale/1", &mine) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "%(name)s", .version = "1.0.0", .open = guest_open};
"""


class Pair(GpubenchTest):
    def owner(self, minor_of=HONEST, came="0:4:1"):
        return compile_plugin(self, "owner", OWNER + BENCHES % (minor_of, came))

    def guest(self, name, minor):
        return compile_plugin(self, name, OWNER + GUEST % {"name": name, "minor": minor})


class Minors(Pair):
    def scale_rows(self, folder):
        return {(int(row["case_key"].split("came=")[1].rstrip("]")), row["variant"]): row
                for row in self.rows(self.dir / folder) if row["bench"] == "owner/scale"}

    def test_guests_have_the_cases_that_they_were_written_for(self):
        guests = {"old": 0, "mine": 2, "same": 4, "newer": 7}
        paths = [self.guest(name, minor) for name, minor in guests.items()]
        self.ok(self.owner(), *paths, "--verify-only", "--out", "o")
        rows = self.scale_rows("o")
        self.assertEqual(set(rows), {(came, name) for came in range(5) for name in ("plain", *guests)})
        for (came, name), row in rows.items():
            minor = guests.get(name, 9)
            self.assertEqual(row["status"], "ok" if came <= minor else "skipped", row)
            why = f"written for minor {minor} of example.org/owner/scale/1; this case came with minor {came}"
            self.assertEqual(row["message"], "" if came <= minor else why)

    def test_in_one_table_interleaved_and_with_a_speedup(self):
        self.ok(self.owner(), self.guest("mine", 2), "--quick", *self.fake(mine=25000), "--out", "o")
        rows = self.scale_rows("o")
        for came in range(3):
            row = rows[came, "mine"]
            self.assertEqual((row["status"], row["baseline"]), ("ok", "plain"))
            self.assertAlmostEqual(self.number(row, "speedup"), 2, delta=0.05)
            key = row["case_key"]
            samples = [s for s in whole_rows(self.dir / "o/samples.csv") if s["case_key"] == key]
            # Later epochs measure each variant alone.
            slots = {(s["round"], s["variant"]) for s in samples if s["epoch"] == "1"}
            rounds = {name: {slot[0] for slot in slots if slot[1] == name} for name in ("plain", "mine")}
            self.assertGreater(len(rounds["plain"]), 1)
            self.assertEqual(rounds["plain"], rounds["mine"])
        for came in (3, 4):
            self.assertEqual((rows[came, "plain"]["status"], rows[came, "mine"]["status"]), ("ok", "skipped"))

    def test_minors_are_listed(self):
        paths = (self.owner(), self.guest("mine", 2))
        text = self.ok("list", *paths).out
        self.assertRegex(text, r"(?m)^  owner/scale  contract example\.org/owner/scale/1, minor 4$")
        self.assertRegex(text, r"(?m)^  owner/clean  contract example\.org/owner/clean/1$")
        self.assertRegex(text, r"(?m)^  guest +mine +cpu +fp32  for example\.org/owner/scale/1, minor 2$")
        (owner, guest) = json.loads(self.ok("list", *paths, "--json").out)["plugins"]
        self.assertEqual([bench["contract_minor"] for bench in owner["benches"]], [4, 0])
        self.assertEqual([variant["contract_minor"] for variant in guest["guests"]], [2])
        wanted = ("list", paths[0], "--contract", "owner/scale")
        self.assertIn("contract example.org/owner/scale/1, minor 4\n", self.ok(*wanted).out)
        self.assertIn("Contract `example.org/owner/scale/1`, minor 4, of bench `owner/scale`.",
                      self.ok(*wanted, "--markdown").out)
        self.ok("new", "made", "--guest", "owner/scale", "--plugin", paths[0])
        self.assertIn(".contract_minor = 4", (self.dir / "made/plugin.c").read_text())

    def test_check_looks_at_both(self):
        owner = self.owner()
        self.assertRegex(self.ok("check", owner, "-v").out, r"(?m)^passed +minors +minor_of is at most contract_minor")
        said = self.ok("check", owner, self.guest("mine", 2), self.guest("newer", 7), "-v").out
        self.assertRegex(said, r"(?m)^not checked +minors +written for minor 7 of example\.org/owner/scale/1; "
                               r"the bench that is loaded has minor 4  ")
        result = self.gpubench("check", self.owner("return 5;"), "-v")
        self.assertEqual(result.exit, 3, result)
        self.assertRegex(result.out, r"(?m)^failed +minors +owner/scale\[came=\d\]: "
                                     r"minor_of: gave 5, and contract_minor of .* is 4")
        # The guest is not to blame for its owner.
        self.assertRegex(self.gpubench("check", self.guest("mine", 2), "--plugin", owner).out, r"\d+ passed, 0 failed")


class Hostile(Pair):
    """A `minor_of` that is wrong is named, and costs the cases of its own bench alone."""

    def costs(self, minor_of, status, message, *more, guest=True):
        paths = [self.owner(minor_of, "1"), *([self.guest("mine", 2)] if guest else [])]
        out = f"o{len(list(self.dir.iterdir()))}"
        result = self.gpubench(*paths, "--out", out, *(more or ("--verify-only",)))
        self.assertEqual(result.exit, 3, result)
        rows = self.rows(self.dir / out)
        self.assertEqual({row["status"] for row in rows if row["bench"] == "owner/clean"}, {"ok"}, result)
        bad = [row for row in rows if row["bench"] == "owner/scale"]
        self.assertEqual(len(bad), len(paths))
        for row in bad:
            self.assertEqual(row["status"], status, row)
            self.assertRegex(row["message"], message)

    def test_too_large(self):
        message = r"^minor_of: gave 4294967295, and contract_minor of example\.org/owner/scale/1 is 4$"
        self.costs("return UINT32_MAX;", "error", message)
        self.costs("return UINT32_MAX;", "error", message, guest=False)

    def test_not_the_same_each_time(self):
        self.costs("static uint32_t calls; return calls++ % 3;", "error",
                   r"^minor_of: gave \d and then \d for one case$")

    def test_a_crash(self):
        self.costs("return *(volatile uint32_t *)0;", "crashed", r"^SIGSEGV in minor_of$")

    def test_a_hang(self):
        self.costs("for (volatile int forever = 1; forever;) continue;\n  return 0;", "timeout",
                   r"no return within 1 s in minor_of", "--verify-only", "--timeout", "1")

    def test_a_wrong_question(self):
        self.costs('return (uint32_t)gb.point->i64(c, "gone");', "error",
                   r"^minor_of: bench 'scale' has no axis 'gone'$")
        self.costs('return gb.tensor->data(c, "x") != NULL;', "error", r"^minor_of: .* has no tensor 'x'$")
        self.costs("return (uint32_t)gb.point->seed(c);", "error",
                   r"^minor_of: gb\.case/1 seed: nothing is filled in minor_of$")

    def test_another_answer_when_the_case_runs(self):
        """The answers are counted in a file, because several processes ask."""
        lies = f"""FILE *file = fopen("{self.dir}/answers%d", "a+");
          fputc('x', file);
          const long answers = ftell(file);
          fclose(file);
          return answers <= 2 ? 1 : 3;"""
        self.gpubench(self.owner(lies % 1, "1"), self.guest("mine", 2), "--verify-only", "--out", "o")
        rows = {(row["bench"], row["variant"]): (row["status"], row["message"]) for row in self.rows(self.dir / "o")}
        self.assertEqual(rows, {
            ("owner/scale", "plain"): ("ok", ""), ("owner/clean", "plain"): ("ok", ""),
            ("owner/scale", "mine"): ("error", "minor_of of bench owner/scale gave 3, and at most 2 when the case "
                                      "was planned")})
        self.costs(lies.replace("? 1 : 3", "? 1 : 9") % 2, "error",
                   r"^minor_of: gave 9, and contract_minor of .* is 4$")

    def test_a_crash_when_the_case_runs(self):
        self.costs(f"""FILE *file = fopen("{self.dir}/answers", "a+");
          fputc('x', file);
          const long answers = ftell(file);
          fclose(file);
          if (answers > 2) abort();
          return 0;""", "crashed", r"SIGABRT in minor_of")


class Grammar(GpubenchTest):
    """A contract id is DOMAIN/PATH/N. Which texts are none is tested in unit/plugin/abi."""

    def refused(self, contract, why):
        bench = f"""
static const gb_bench bench = {{GB_SIZE(gb_bench), .name = "scale", .contract = {contract}, .setup = setup,
  .reference = reference}};
static const gb_variant mine = GB_VARIANT("mine", "cpu", "fp32", .run = run);
static gb_status bad_open(const gb_host *host, gb_registry *registry, void **self) {{
  (void)self, (void)bench, (void)mine;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? %s : status;
}}
const gb_plugin gb_plugin_v1 = {{GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = bad_open}};
"""
        for name, call in (("add", "host->add(host, registry, &bench)"),
                           ("attach", f"host->attach(host, registry, {contract}, &mine)")):
            path = compile_plugin(self, name, OWNER + bench % call)
            self.assertRegex(self.refusal(3, f"{name}.so", "list", "--plugin", path), why)

    def test_ids_are_refused_with_the_reason(self):
        self.refused('"x y\\n\\"z\\",=1"', r"contract 'x y\?\"z\",=1' is no DOMAIN/PATH/N, such as .*: "
                                          r"'x y\?\"z\",=1' is not a valid name$")
        self.refused('"example.org/scale"', r"contract 'example\.org/scale' .*: it has 2 parts, at least 3$")
        self.refused('"example.org/mine/scale/01"', r"it ends in '01', not in its major, a number from 1 to 999999999")
        self.refused('"' + 50 * "bcdef" + 'abcd"', r"contract 'bcdef.*: it has 254 bytes, at most 127$")


# Two benches of one plugin, of which the first uses something of a later host.
LATER = """
static const gb_variant plain = GB_VARIANT("plain", "cpu", "fp32", .run = run, .flags = GB_VARIANT_BASELINE);
%s
static const gb_bench clean = {GB_SIZE(gb_bench), .name = "clean", .contract = "example.org/later/clean/1",
  .setup = setup, .reference = reference, .variants = (const gb_variant *const[]){&plain, NULL}};
static gb_status later_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, (const gb_bench *)&later);
  return status == GB_OK ? host->add(host, registry, &clean) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "later", .version = "1.0.0", .open = later_open};
"""
BENCH = """.struct_size = sizeof(gb_bench), .name = "scale", .contract = "example.org/later/scale/1",
  .reference = reference, .variants = (const gb_variant *const[]){&plain, NULL}"""


class Later(GpubenchTest):
    """What a later version of the ABI has costs itself alone."""

    def both(self, declarations):
        path = compile_plugin(self, "later", OWNER + LATER % declarations)
        out = f"o{len(list(self.dir.iterdir()))}"
        result = self.ok(path, "--verify-only", "--out", out)
        rows = {row["bench"]: row for row in self.rows(self.dir / out)}
        self.assertEqual((rows["later/clean"]["status"], rows["later/clean"]["message"]), ("ok", ""), result)
        return result, rows.get("later/scale")

    def bench_is_left_out(self, declarations, why):
        result, row = self.both(declarations)
        self.assertIsNone(row)
        self.assertRegex(result.err, rf"(?m)^gpubench: warning: plugin 'later': left out bench 'scale': {why}$")

    def test_benches(self):
        for member, why in ((".flags = 64", "flag 0x40 is unknown to this host"),
                            (".flags = 16", "flag 0x10 is unknown to this host"),
                            (".reserved = 1", "bench: reserved is 1, must be 0")):
            self.bench_is_left_out(f"static const gb_bench later = {{{BENCH}, .setup = setup, {member}}};", why)
        self.bench_is_left_out("static const struct { gb_bench known; uint64_t more; } later = {{" +
                               BENCH.replace("sizeof(gb_bench)", "sizeof(gb_bench) + 8") + ", .setup = setup}, 1};",
                               r"bench: built for a newer ABI: byte \d+ of \d+ is not zero, this host knows \d+ bytes")

    def test_axes_and_presets(self):
        axis = """static const struct { gb_axis known; uint64_t more; } n = {{.struct_size = sizeof n, .type = %s,
          .name = "n", .values = "1"}, %d};
          static const gb_bench later = {""" + BENCH + """, .setup = setup,
          .axes = (const gb_axis *const[]){&n.known, NULL}};"""
        self.bench_is_left_out(axis % ("4", 0), "axis 'n' has type 4, known are GB_I64, GB_F64 and GB_STR")
        self.bench_is_left_out(axis % ("GB_I64", 1),
                               r"axis 'n': axis: built for a newer ABI: byte 56 of 64 is not zero, .*")
        preset = """static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1"};
          static const struct { gb_preset known; uint64_t more; } p = {{.struct_size = sizeof p, .name = "p",
          .point = "n=2"}, 1};
          static const gb_bench later = {""" + BENCH + """, .setup = setup, .axes = (const gb_axis *const[]){&n, NULL},
          .presets = (const gb_preset *const[]){&p.known, NULL}};"""
        self.bench_is_left_out(preset, r"preset 'p': preset: built for a newer ABI: byte 40 of 48 is not zero, .*")

    def case_is_skipped(self, declare, why):
        result, row = self.both("""
          static gb_status later_setup(const gb_bench *self, gb_case *c, void **state) {
            int64_t n = 4;
            gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN, .dtype = GB_DTYPE_F32, .rank = 1, .name = "t",
                           .shape = &n, .fill = GB_FILL_NORMAL, .fill_b = 1};
            gb_work work = {GB_SIZE(gb_work)};
            if (setup(self, c, state) != GB_OK) return GB_EINVAL;
            (void)work, (void)t;
            """ + declare + """
          }
          static const gb_bench later = {""" + BENCH + ", .setup = later_setup};")
        self.assertEqual((row["status"], row["message"]), ("skipped", f"setup: {why}"), result)

    def test_tensors_and_work(self):
        passed_on = "return gb.tensor->declare(c, &t);"
        self.case_is_skipped("t.dtype = 9;" + passed_on, "tensor 't': dtype 9 is unknown to this host")
        self.case_is_skipped("t.fill = 4; gb.tensor->declare(c, &t); return GB_OK;",
                             "tensor 't': fill 4 is unknown to this host")
        self.case_is_skipped("t.role = GB_OUT; t.fill = 0; t.fill_b = 0; t.flags = 2;" + passed_on,
                             "tensor 't': flag 0x2 is unknown to this host")
        self.case_is_skipped("t.role = 5;" + passed_on, "tensor 't': role 5, known are 1 to 4")
        self.case_is_skipped('t.dtype = 9; if (gb.tensor->declare(c, &t) != GB_ENOTSUP) abort();'
                             'return gb_failf(&gb, c, GB_EFAIL, "no such type");',
                             "tensor 't': dtype 9 is unknown to this host")
        self.case_is_skipped("work.reserved = 1; return gb.point->work(c, &work);", "work: reserved is 1, must be 0")

    def test_graphs_metrics_and_notes(self):
        result, row = self.both("""
          static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
            (void)self, (void)vstate;
            char text[300] = "";
            if (gb_node(&gb, c, 9, "new", NULL, NULL, 0, 0) != GB_OK ||
                gb_node(&gb, c, GB_NODE_HOST, "old", NULL, NULL, 0, 0) != GB_OK ||
                gb_edge(&gb, c, "new", "old", NULL, 0) != GB_OK || gb.metric->add(c, "m", 1) != GB_OK)
              return GB_EFAIL;
            for (int i = 0; i < 299; i++) text[i] = 'x';
            return gb.note->set(c, "long", text);
          }
          static const gb_variant stating = GB_VARIANT("stating", "cpu", "fp32", .run = run, .prepare = prepare);
          static gb_status later_setup(const gb_bench *self, gb_case *c, void **state) {
            if (gb_metric_declare(&gb, c, "m", NULL, 0, 9, NULL) != GB_OK) return GB_EFAIL;
            return setup(self, c, state);
          }
          static const gb_bench later = {""" + BENCH.replace("&plain", "&stating") + ", .setup = later_setup};")
        self.assertEqual((row["status"], row["message"], row["notes"]), ("ok", "", ""))
        for line in ("later/scale/stating: left out: graph node 'new': kind is 9, known are 1 to 5",
                     "later/scale/stating: left out: note 'long' has more than 255 bytes",
                     "later/scale: left out: metric 'm': aggregate is 9, known are 0 to 5"):
            self.assertEqual(len(re.findall(f"(?m)^gpubench: .*{re.escape(line)}$", result.err)), 1, result)

    def test_the_former_layout_is_refused(self):
        """Structs as drafts of the ABI had them, without minors."""
        short = BENCH.replace("sizeof(gb_bench)", "sizeof(gb_bench) - 16")
        bench = f"static const gb_bench later = {{{short}, .setup = setup}};"
        path = compile_plugin(self, "later", OWNER + LATER % bench)
        self.assertRegex(self.refusal(3, "later.so", "--plugin", path), r"bench: struct_size is 120, ABI 1\.0 has 136$")
        guest = OWNER + (GUEST % {"name": "mine", "minor": 0}).replace(
            "&mine) :", "&former) :").replace("static gb_status guest_open", """
static const gb_variant former = {.struct_size = sizeof(gb_variant) - 8, .name = "mine", .backend = "cpu"};
static gb_status guest_open""").replace("(void)setup,", "(void)mine, (void)setup,")
        path = compile_plugin(self, "mine", guest)
        line = self.refusal(3, "mine.so", "--plugin", path)
        self.assertRegex(line, r"variant: struct_size is \d+, ABI 1\.0 has \d+$")


if __name__ == "__main__":
    main()
