"""The parts of nightly.sh that read files: run.ini, the output of `gpubench history suspects`, decided.csv.

    keep RUN HISTORY                 copies the run's plugins, with the files that they bring, to
                                     HISTORY/plugins/SHA256/NAME
    prune HISTORY NIGHTS OUT         removes the plugins that neither the newest NIGHTS nightly runs nor the last good
                                     one need, and from OUT the run directories of older nightly runs
    confirm SUSPECTS RUN HISTORY OUT writes suites OUT-1.ini, ... that compare old and new builds of the suspect cases,
                                     and prints their paths
    again SUITE RUN                  writes a suite of those of its cases that RUN left undecided, and prints its path
    fail HISTORY NIGHT OUT TEXT      writes the decisions on the nightly run, with the run itself marked as failed
    summary HISTORY NIGHT STATUS OUT writes OUT.md and OUT.xml: the nightly run in Markdown, and its decided rows
                                     as JUnit

The files are untrusted text: names from them are parsed, never executed."""

import csv
import hashlib
import json
import os
import re
import shutil
import sys
import urllib.parse
import xml.etree.ElementTree as xml
from pathlib import Path

import rows

COLUMNS = ("part", "case_key", "variant", "mode", "devices", "verdict", "step", "again_ns", "accepted", "text")
KEPT_KEYS = ("option", "precision", "case_time")
SHA256 = re.compile(r"[0-9a-f]{64}")
NIGHT = re.compile(r"\d{8}T\d{6}Z-nightly(-\d+)?")
VERDICTS = {0: "ok", 1: "regression", 3: "failed", 5: "unjudged"}


# ---- gpubench's files ----

def sections(path):
    """Returns [(name, {key: value})] of a run.ini or a suite; values are not decoded."""
    found = []
    for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            found.append((line[1:-1], {}))
        elif found and not line.startswith((";", "#")) and "=" in line:
            key, value = line.split("=", 1)
            found[-1][1].setdefault(key.strip(), value.strip())
    return found


def items(value):
    return [urllib.parse.unquote(item.strip()) for item in value.split(",") if item.strip()]


def cases_of(value):
    """Splits a list of case keys, which have commas within brackets. Their own encoding is kept."""
    return [item.strip() for item in re.split(r",(?![^\[\]]*\])", value) if item.strip()]


def encoded(text):
    return urllib.parse.quote(text, safe=" /=[]()_+@:.*-'\"!#$&<>?^`{|}~\\")


def suite_text(named):
    return "\n".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for name, keys in named)


def hashes(run):
    """Maps the id of each plugin of a run to the SHA-256 of its build."""
    environment = dict(sections(Path(run) / "run.ini")).get("environment", {})
    found = {key[len("plugin."):]: SHA256.search(value) for key, value in environment.items() if key.startswith("plugin.")}
    return {key: value.group() for key, value in found.items() if value}


def brought(run):
    """Maps the SHA-256 of each plugin of a run to the names of the files that it brings, relative to its folder."""
    environment = dict(sections(Path(run) / "run.ini")).get("environment", {})
    return {sha: items(environment.get(f"brought.{key}", "")) for key, sha in hashes(run).items()}


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_identity(path, names):
    """Computes the hash of a build as gpubench does (host/plugin/brought.h). Returns "" if a file is missing."""
    own, files = sha256(path), [(name, path.parent / name) for name in sorted(names, key=os.fsencode)]
    if not files or not all(file.is_file() for _, file in files):
        return own if not files else ""
    return hashlib.sha256("".join([f"{own}\n", *(f"{sha256(file)} {name}\n" for name, file in files)]).encode("utf-8", "surrogateescape")).hexdigest()


def candidates(typed):
    """Returns the paths where gpubench may have found the plugin that was given as `typed`."""
    label, equals, file = typed.partition("=")
    file = file if equals and "/" not in label else typed
    if "/" in file:
        return [Path(file)]
    program = Path(os.environ["GPUBENCH"])
    folders = [*os.environ.get("GPUBENCH_PLUGIN_PATH", "").split(":"), program.parent / "../lib/gpubench/plugins"]
    return [Path(folder) / (file + end) for folder in folders if folder != "" for end in ("", ".so", ".py")]


# ---- Binaries ----

MAIN = ".plugin"  # names the plugin among the files of a build that has several


def stored(history, sha):
    """Returns the path of the plugin with this hash, or None."""
    folder = Path(history) / "plugins" / sha
    if not SHA256.fullmatch(sha or "") or not folder.is_dir():
        return None
    files = [folder / (folder / MAIN).read_text(encoding="utf-8")] if (folder / MAIN).is_file() else sorted(folder.iterdir())
    return files[0].resolve() if files and files[0].is_file() else None


def copy_build(path, names, folder):
    """Copies the plugin and the files that it brings, keeping their relative positions. Returns the plugin's path
    within `folder`."""
    ups = max((name.count("../") for name in names), default=0)
    home = Path(*path.parent.parts[-ups:]) if ups else Path()
    for file, to in [(path, home / path.name), *((path.parent / name, Path(os.path.normpath(home / name))) for name in names)]:
        if to.is_absolute() or to.parts[0] == "..":
            raise ValueError(f"{file} lies too far from {path}")
        (folder / to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / to)
        (folder / to).chmod(0o755)  # gpubench refuses a plugin that others may write to
    return home / path.name


def keep(run, history):
    wanted = brought(run)
    for _, keys in sections(Path(run) / "run.ini"):
        for path in (path.resolve() for typed in items(keys.get("plugin", "")) for path in candidates(typed) if path.is_file()):
            for sha, names in wanted.items():
                if stored(history, sha) or build_identity(path, names) != sha:
                    continue
                far = [name for name in names if name.startswith("/")]
                if far:  # a copy would load whatever that path holds in a later night
                    print(f"nightly: {path} is not kept: it finds {far[0]} by its whole path; link it with a path from $ORIGIN", file=sys.stderr)
                    continue
                folder = Path(history) / "plugins" / sha
                draft = folder.with_name(f".{sha}")
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir(parents=True)
                main = copy_build(path, names, draft)
                if names:
                    (draft / MAIN).write_text(str(main), encoding="utf-8")
                draft.rename(folder)
    return 0


def decided(history, night):
    path = Path(history) / "nights" / night / "decided.csv"
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def verdict_of(history, night):
    return next((row for row in decided(history, night) if row["part"] == "night"), {"verdict": "", "text": ""})


def prune(history, count, out):
    nights = sorted(path.name for path in (Path(history) / "nights").iterdir() if not path.name.startswith("."))
    good = [night for night in nights if verdict_of(history, night)["verdict"] == "ok"]
    wanted = {sha for night in {*nights[-int(count):], *good[-1:]} for sha in hashes(Path(history) / "nights" / night).values()}
    for folder in (Path(history) / "plugins").glob("*"):
        if folder.name not in wanted and SHA256.fullmatch(folder.name.lstrip(".")):
            shutil.rmtree(folder)
    for folder in Path(out).glob("[0-9]*T[0-9]*Z-nightly*"):
        if NIGHT.match(folder.name) and NIGHT.match(folder.name).group() not in nights[-int(count):]:
            shutil.rmtree(folder)
    return 0


# ---- Confirmation ----

def conditions(run):
    """Maps each case to the options of its section that say how it is measured."""
    found = {}
    for _, keys in sections(Path(run) / "run.ini"):
        for case in cases_of(keys.get("case", "")):
            found[case] = {key: keys[key] for key in KEPT_KEYS if key in keys}
    return found


def parts_of(suspects, run, history):
    """Divides the suspects into suites so that in each a plugin has one old build only. Returns a list of {(plugins,
    variant, mode, conditions): [case]}."""
    how, ids, parts, taken = conditions(run), hashes(run), [], []
    for suspect in suspects:
        old, new = (stored(history, suspect.get(f"{age}_sha256") or ids.get(suspect["plugin"], "")) for age in ("old", "new"))
        host = suspect["bench"].partition("/")[0]
        files = [f"old={old}", f"new={new}"]
        if host != suspect["plugin"]:
            files.append(str(stored(history, ids.get(host, ""))))
        if not suspect.get("old_sha256") or None in (old, new) or "None" in files or "@" in suspect["variant"]:
            print(f"nightly: no old and new build of {suspect['case_key']} {suspect['variant']} to be confirmed with", file=sys.stderr)
            continue
        for index in range(len(parts) + 1):
            if index == len(parts):
                parts.append({})
                taken.append({})
            if taken[index].setdefault(suspect["plugin"], files) == files:
                break
        key = (", ".join(map(encoded, files)), suspect["variant"], suspect["mode"], tuple(how.get(suspect["case_key"], {}).items()))
        parts[index].setdefault(key, []).append(suspect["case_key"])
    return parts


def confirm(suspects, run, history, out):
    said = json.loads(Path(suspects).read_text(encoding="utf-8"))
    if said.get("schema") != "gpubench-suspects-1":
        sys.exit(f"nightly: {suspects} is no gpubench-suspects-1")
    for number, part in enumerate(parts_of(said["suspects"], run, history), 1):
        path = Path(f"{out}-{number}.ini")
        path.write_text(suite_text([(f"suspect-{i}", {"plugin": plugins, "case": ", ".join(cases), "variant": encoded(variant), "mode": mode, **dict(how)})
                           for i, ((plugins, variant, mode, how), cases) in enumerate(part.items(), 1)]), encoding="utf-8")
        print(path)
    return 0


def again(suite, run):
    unsure = {(row.key, row.variant, row.mode) for row in rows.rows_of(run, "new") if row.status == "ok" and row.undecided}
    left = []
    for name, keys in sections(suite):
        cases = [case for case in cases_of(keys["case"]) if (case, urllib.parse.unquote(keys["variant"]), keys["mode"]) in unsure]
        if cases:
            left.append((name, {**keys, "case": ", ".join(cases)}))
    if left:
        path = Path(suite).with_suffix(".again.ini")
        path.write_text(suite_text(left), encoding="utf-8")
        print(path)
    return 0


# ---- Results ----

def fail(history, night, out, text):
    kept = [row for row in decided(history, night) if row["part"] == "row"]
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows([{"part": "night", "verdict": "failed", "text": text}, *({key: row[key] for key in COLUMNS} for row in kept)])
    return 0


def clean(text):
    return re.sub(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]", "?", text)


def marked(text):
    """Escapes Markdown's special characters."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", clean(text))


def percent(step):
    return f"{float(step):+.1%}" if step else ""


def summary(history, night, status, out):
    found = [row for row in decided(history, night) if row["part"] == "row" and row["verdict"]]
    said = verdict_of(history, night)
    order = {"slower": 0, "undecided": 1, "faster": 2, "same": 3}
    found.sort(key=lambda row: (order[row["verdict"]], -float(row["step"] or 0)))
    text = f"## {VERDICTS.get(int(status), 'failed')}: {night}\n\n{marked(said['text'])}\n\n"
    if found:
        text += "| case | variant | mode | old against new, tonight | step |\n|---|---|---|---|---|\n"
        text += "".join("| " + " | ".join(marked(cell) for cell in (row["case_key"], row["variant"], row["mode"], row["verdict"], percent(row["step"]))) + " |\n" for row in found)
    Path(out + ".md").write_text(text + "\n", encoding="utf-8")
    suite = xml.Element("testsuite", name="gpubench nightly", tests=str(len(found) + 1))
    case = xml.SubElement(suite, "testcase", classname="nightly", name="verdict")
    if int(status) != 0:
        xml.SubElement(case, "failure", message=f"{VERDICTS.get(int(status), 'failed')}: {clean(said['text'])}")
    for row in found:
        case = xml.SubElement(suite, "testcase", classname=clean(row["case_key"].partition("[")[0]), name=clean(f"{row['case_key']} {row['variant']} {row['mode']}"))
        if row["verdict"] == "slower":
            xml.SubElement(case, "failure", message=f"{percent(row['step'])} against the build before it, measured in turns")
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    xml.ElementTree(suite).write(out + ".xml", encoding="utf-8", xml_declaration=True)
    return 0


COMMANDS = {function.__name__: function for function in (keep, prune, confirm, again, fail, summary)}

if __name__ == "__main__":
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
