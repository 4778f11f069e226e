"""Every option of every command with invalid values, and refused plugins together with unknown names: the documented
exit code, a message that names the option, no signal, and no report of a sanitizer in a sanitized build. The options
come from --help."""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from run import GpubenchTest, main, plugin

VECTOR = plugin("ok_vector")
LONG = "x" * 5000
COMMANDS = ("run", "list", "report", "compare", "new", "check", "history", "trend", "doctor")
SANITIZER = re.compile(r"Sanitizer|runtime error:|\bfree\(\)|corrupted|Assertion")

# Invalid names: no plugin has such a name, no such folder exists, or a file is given for a folder.
NAMES = ("", "no such", "\n", "%n%s", LONG)
FILES = ("", ".", "nowhere/x", f"{VECTOR}/x", LONG)
FOLDERS = ("", "file", "file/x", "/proc/x", LONG)  # to be created, or to exist
NUMBERS = ("", "4 GB x", "-1", "1e999", LONG)
WORDS = ("", "nonsense", "auto ", "%n%s", LONG)
SPECIAL = {
    "--axis": ("", "zz", "zz=1", "n=", "n=1:10:0"),
    "--tag": ("", "=", "no value", "=x", "a b=c"),
    "--name": ("", "../x", "a b", "\n", LONG),
    "--option": ("", "x", "x=1", "nosuch.x=1", ".="),
    "--python": ("",),  # without a script it is not used
    "--ceilings": FILES,
    "--resume": FILES,
    "--against": FILES,
}


def values(option, argument):
    if option in SPECIAL:
        return SPECIAL[option]
    if argument in ("FILE", "FILE.ini", "F.json", "[LABEL=]FILE"):
        return FILES
    if argument == "DIR":
        return FOLDERS
    if argument in ("TIME", "SHARE", "SIZE", "N", "I/N", "N|all"):
        return NUMBERS
    return WORDS if "|" in argument else NAMES


class Options(GpubenchTest):
    def setUp(self):
        super().setUp()
        (self.dir / "file").write_text("text")
        quick = ("run", VECTOR, "--preset", "small", "--variant", "plain", "--verify-only", "--ceilings", "off")
        for name in ("a", "b"):
            self.ok(*quick, "--out", name)
        self.gpubench("history", "add", "nights", "a")  # it reports that nothing was timed
        self.ends = {
            "run": quick, "list": ("list", VECTOR), "report": ("report", "a"), "compare": ("compare", "a", "b"), "new": ("new", "demo"),
            "check": ("check", VECTOR), "trend": ("trend", "nights"), "doctor": ("doctor", "--deep"), "history": ("history", "prune", "nights")}

    def walk(self, lines):
        """lines: pairs of (command line, regular expression that the message must match)."""
        def look(line):
            args, named = line
            return args, named, self.gpubench(*args, env={"MALLOC_PERTURB_": "165"})
        with ThreadPoolExecutor(4) as pool:
            for args, named, result in pool.map(look, lines):
                shown = [str(arg)[:40] for arg in args]
                with self.subTest(args=shown):
                    self.assertNotRegex(result.out + result.err, SANITIZER)
                    self.assertEqual(result.exit, 2, f"{shown}\n{result}")
                    last = result.err.splitlines()[-1]
                    self.assertRegex(last, "^gpubench: ")
                    self.assertRegex(last, named)
                    self.assertNotRegex(last, r"[\x00-\x1f]")
        self.assertEqual({p.name for p in self.dir.iterdir()} - {"gpubench-out", "cache"}, {"file", "a", "b", "nights"}, "refused, and yet something was made")

    def options_of(self, command):
        found = re.findall(r"(?m)^  (?:(-\w), )?(--[\w-]+)(?: (\S+))?(?=  |$)", self.ok(command, "--help").out)
        self.assertGreater(len(found), 5, command)
        return found

    def command_line(self, command, option, value):
        base = self.ends[command]
        if command == "history":  # each option belongs to one of its actions
            base = {"--decided": ("history", "add", "nights", "a"), "--keep": base}.get(option, ("history", "suspects", "nights"))
        # An option of the base command line is not given twice.
        base = tuple(word for i, word in enumerate(base) if option not in base[max(0, i - 1):i + 1])
        return (*base, *((option, value) if value is not None else (f"{option}=x",)))

    def test_every_option_with_bad_values(self):
        for command in COMMANDS:
            lines = []
            for letter, option, argument in self.options_of(command):
                named = f"{option[2:]}|{letter} " if letter else option[2:]
                for value in values(option, argument) if argument else (None,):
                    lines.append((self.command_line(command, option, value), named))
            self.walk(lines)

    def test_a_refused_plugin_beside_an_unknown_name(self):
        refused = [plugin(name) for name in ("bad_none", "bad_v2", "bad_load_symbol", "bad_load_crash", "bad_open_message")] + ["./file"]
        unknown = ("nosuch", "./nosuch.so", "a=nosuch")
        lines = []
        for bad, name in product(refused, unknown):
            for pair in ((bad, name), (name, bad), (bad, VECTOR, name), (VECTOR, bad, name)):
                lines += [((command, *pair), "nosuch") for command in ("run", "check")]
        self.walk(lines)
        for bad in refused:  # `list` reports the first fault
            self.walk([(("list", "nosuch", bad), "nosuch"), (("list", VECTOR, "nosuch", bad), "nosuch")])
            self.one_line_error(3, "list", bad, "nosuch")


if __name__ == "__main__":
    main()
