"""A variant of hangs.c in Python. Its `run` never returns in the case that HANGS_IN names, or in all cases if it is
empty; in other cases it is correct."""

import os

import gpubench


class Snare:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        which = os.environ.get("HANGS_IN")
        self.hangs = not which or int(which) == case.axes["which"]

    def run(self):
        while self.hangs:
            pass
        self.y[:] = 2 * self.x


for bench in ("alone", "nine", "three"):
    gpubench.variant(f"gpubench.org/test/hangs/{bench}/1", arrays="numpy", name="snare")(Snare)
