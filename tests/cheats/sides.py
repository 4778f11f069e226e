"""Compares the same runs by two builds for honest.py: rows with another status, verdict or time, and the durations of
the runs."""

import math
import re
import statistics

from runs import AGAIN, WORDS, number, why_refused

LOST_PER_ROW = 0.01  # share of rows that may lose their verdict
PRICE = 1.10  # times as long as before
SAME = math.log(1.02)  # a time that differs by less is the same
SHOWN = 20


def by_key(result):
    """Maps rows by case, variant and mode. A guest's row may be shown as NAME or as NAME@PLUGIN."""
    return {(row["case_key"], row["variant"].partition("@")[0], row["mode"]): row for row in result["rows"]}


def is_open(row):
    return row["verdict"] in AGAIN or row["verdict"].startswith("undecided")


def spoiled(result):
    """Returns how many rows say nothing because the machine was busy."""
    return sum(row["verdict"] in AGAIN or row["contended"] == "1" or row["status"] == "not_run" for row in result["rows"])


def change_of_status(before, now):
    """Returns None | "wrong" | "ok now" | "not run before" | "lost" (the time did not suffice)."""
    was, is_ = before["status"], now["status"]
    if was == is_:
        return None
    if was == "not_run":
        return "not run before"
    return "ok now" if is_ == "ok" else "lost" if is_ == "not_run" else "wrong"


def change_of_word(before, now):
    """Classifies the change of a verdict. If noise left the row open in one of the two runs, that is neither loss nor
    gain."""
    was, is_ = before["verdict"], now["verdict"]
    if before["baseline"] != now["baseline"]:
        return "another baseline"
    if was in WORDS:
        if is_ in WORDS:
            return "kept" if is_ == was else "contradicts" if "same" not in (was, is_) else "another word"
        return "open now" if is_open(now) else "lost"
    if is_ in WORDS:
        return "gained"
    return "open before, no word now" if is_open(before) and not is_open(now) else None


def is_apart(before, now):
    """Returns True if the medians differ by more than their intervals, and by more than 2%."""
    ratio = number(now["median_raw_ns"]) / number(before["median_raw_ns"])
    disjoint = number(now["ci95_lo_ns"]) > number(before["ci95_hi_ns"]) or number(now["ci95_hi_ns"]) < number(before["ci95_lo_ns"])
    return disjoint and abs(math.log(ratio)) > SAME


def mean_of(ratios):
    """Returns (verdict, geometric mean, factor within which it is known) of ratios. Uses three standard errors, because
    there are many plugins, and few of their ratios are independent."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    half = 3 * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
    word = "same" if abs(mean) + half < SAME else "differs" if abs(mean) - half > SAME else "undecided"
    return word, math.exp(mean), math.exp(half)


class Rows:
    """Rows of both builds, pair by pair."""

    def __init__(self):
        self.both, self.found, self.ratios, self.overheads, self.contended, self.alone = 0, {}, {}, {}, 0, 0

    def note(self, kind, line):
        if kind:
            self.found.setdefault(kind, []).append(line)

    def add(self, name, before, now):
        """Adds the results of one run by each build."""
        if why_refused(now):
            self.note("wrong", f"{name}: {why_refused(now)}")
        olds, news = by_key(before), by_key(now)
        self.alone += len(news.keys() - olds.keys())
        for key, old in olds.items():
            where = f"{name} {' '.join(key)}"
            if key not in news:
                self.note("wrong", f"{where}: {old['status']}, no row now")
                continue
            self.both += 1
            self.pair(where, old, news[key])

    def pair(self, where, old, new):
        status = change_of_status(old, new)
        self.note(status, f"{where}: {old['status']} -> {new['status']}: {(old if new['status'] == 'ok' else new)['message'][:200]}")
        if old["status"] != "ok" or new["status"] != "ok":
            return
        word = change_of_word(old, new)
        why = ": ".join(filter(None, (new["verdict"] or "no word", new.get("unproven"), new["message"][:120])))
        self.note(word, f"{where}: {old['verdict']} ({old['speedup'][:5]}x) -> {why} ({new['speedup'][:5]}x)")
        if "1" in (old["contended"], new["contended"]):
            self.contended += 1
        elif number(old["median_raw_ns"]) and number(new["median_raw_ns"]):
            self.times(where, old, new)

    def times(self, where, old, new):
        ratio = number(new["median_raw_ns"]) / number(old["median_raw_ns"])
        self.ratios.setdefault(new["plugin"], []).append(ratio)
        if is_apart(old, new):
            self.note("apart", f"{ratio:.3f} {where}")
        if number(old["launch_overhead_ns"]) and number(new["launch_overhead_ns"]):
            self.overheads.setdefault(new["mode"], []).append(number(new["launch_overhead_ns"]) / number(old["launch_overhead_ns"]))

    def report(self):
        """Prints the comparison. Returns the complaints."""
        count = lambda kind: len(self.found.get(kind, ()))  # noqa: E731
        print(f"\nrows by both builds {self.both}, by this one alone {self.alone}; another status {count('wrong')}, ok now {count('ok now')}, "
              f"not run before {count('not run before')}")
        print(f"words kept {count('kept')}, lost {count('lost')}, gained {count('gained')}, another {count('another word')}, contradicting "
              f"{count('contradicts')}, open now {count('open now')}, open before and none now {count('open before, no word now')}, "
              f"another baseline {count('another baseline')}")
        for kind in ("wrong", "ok now", "lost", "open before, no word now", "contradicts", "another word", "gained"):
            for line in self.found.get(kind, ()):
                print(f"  {kind}: {line}")
        self.report_times()
        wrong = [f"another status: {line}" for line in self.found.get("wrong", ())]
        if count("lost") > LOST_PER_ROW * self.both:
            wrong.append(f"{count('lost')} of {self.both} rows lost their word, at most 1 in 100 may")
        for plugin, ratios in self.ratios.items():
            if mean_of(ratios)[0] == "differs":
                wrong.append(f"the times of {plugin} are {mean_of(ratios)[1]:.3f} times those before")
        return wrong

    def report_times(self):
        apart = sorted(self.found.get("apart", ()), key=lambda line: -abs(math.log(float(line.split()[0]))))
        print(f"medians further apart than 2% and their intervals: {len(apart)} of {sum(map(len, self.ratios.values()))} rows, "
              f"{self.contended} more of a busy machine")
        for line in apart[:SHOWN]:
            print(f"  {line}")
        for what, groups in (("medians of", self.ratios), ("overheads in mode", self.overheads)):
            for name, ratios in sorted(groups.items()):
                word, mean, factor = mean_of(ratios)
                print(f"  {what} {name}: {mean:.4f} times those before, within a factor of {factor:.4f}, {len(ratios)} rows: {word}")


# ---- Seconds ----


def announced(result):
    found = re.search(r"; at most ([\d.]+) s", result["plan"])
    return float(found[1]) if found else math.nan


def bounds(name, results):
    """Prints the announced and actual durations. Returns a complaint for each run that took longer."""
    broken = [result for result in results if not result["seconds"] <= announced(result)]
    took = ", ".join(f"{result['seconds']:.1f} of {announced(result):.3g} s" for result in results)
    print(f"{name:28} {took}{'  TOO LONG' if broken else ''}")
    return [f"{name}: took {result['seconds']:.1f} s, announced {announced(result):.3g}" for result in broken]


def price(name, pairs):
    """Prints the durations before and now. Returns a complaint if it is too long. Takes the lower of two ratios, so
    that load on the machine is not blamed."""
    befores, nows = ([result["seconds"] for result in side] for side in zip(*pairs))
    ratios = min(nows) / min(befores), statistics.median(nows) / statistics.median(befores)
    print(f"{name:28} {min(befores):6.1f} s before, {min(nows):6.1f} s now: {ratios[0]:.3f} times; medians {ratios[1]:.3f} times, {len(pairs)} pairs")
    return [f"{name}: {min(ratios):.3f} times as long as before"] if min(ratios) > PRICE else []
