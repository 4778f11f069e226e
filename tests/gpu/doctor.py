#!/usr/bin/env python3
"""tests/gpu/doctor.py TREE
Tests `gpubench doctor` against the driver of this machine. Every fact that nvidia-smi reports too must be the same, and
the doctor must name another process that holds the GPU, with its pid. Findings are printed, and so are live figures
(clocks, watts, degrees), next to nvidia-smi's.
Exits with 1 if a fact differs, with 77 without a GPU."""

import ctypes
import json
import os
import subprocess
import sys
import time

# the doctor's name of a fact, and nvidia-smi's
SAME = {"name": "name", "uuid": "uuid", "pci": "pci.bus_id", "ecc": "ecc.mode.current", "ecc_after_reset": "ecc.mode.pending",
        "ecc_corrected": "ecc.errors.corrected.volatile.total", "ecc_uncorrected": "ecc.errors.uncorrected.volatile.total",
        "ecc_corrected_ever": "ecc.errors.corrected.aggregate.total", "ecc_uncorrected_ever": "ecc.errors.uncorrected.aggregate.total",
        "max_sm_clock_mhz": "clocks.max.sm", "application_clock_mhz": "clocks.applications.graphics",
        "default_application_clock_mhz": "clocks.default_applications.graphics", "power_limit_w": "power.limit",
        "default_power_limit_w": "power.default_limit", "persistence": "persistence_mode", "compute_mode": "compute_mode",
        "mig": "mig.mode.current", "mig_after_reset": "mig.mode.pending", "pcie_width": "pcie.link.width.current",
        "pcie_width_max": "pcie.link.width.max", "pcie_generation_max": "pcie.link.gen.max"}
LIVE = {"sm_clock_mhz": "clocks.sm", "performance_state": "pstate", "temperature_c": "temperature.gpu", "power_w": "power.draw",
        "pcie_generation": "pcie.link.gen.current", "throttle": "clocks_throttle_reasons.active"}
REMAPPED = {"remap_pending": "remapped_rows.pending", "remap_failed": "remapped_rows.failure"}


def smi(kind, names):
    """Returns what nvidia-smi reports for these names, one dictionary per GPU; unknown names are left out."""
    def ask(some):
        done = subprocess.run(["nvidia-smi", f"--query-{kind}={','.join(some)}", "--format=csv,noheader,nounits"], capture_output=True,
                              text=True)
        return [dict(zip(some, (value.strip() for value in line.split(", ")))) for line in done.stdout.splitlines()] \
            if done.returncode == 0 else None
    found = ask(names)
    if found is not None:
        return found
    single = [answer for answer in (ask([name]) for name in names) if answer]
    return [{k: v for answer in single for k, v in answer[gpu].items()} for gpu in range(len(single[0]))] if single else []


def alike(fact, value):
    """Returns true if nvidia-smi's value means the same as the doctor's fact."""
    if fact is None:
        return value.strip("[]") in ("N/A", "Not Supported", "Unknown Error", "Requested functionality has been deprecated", "")
    if isinstance(fact, bool):
        return fact == (value in ("Enabled", "Yes", "1"))
    if isinstance(fact, (int, float)):
        try:
            return abs(fact - float(value)) < 0.01
        except ValueError:
            return False
    squeezed = value.lower().replace("_", " ")
    return fact.lower().replace("_", " ") in (squeezed, squeezed[4:])  # nvidia-smi's PCI domain has eight digits


def doctor(tree, *arguments):
    start = time.monotonic()
    done = subprocess.run([f"{tree}/bin/gpubench", "doctor", "--json", "-", *arguments], capture_output=True, text=True)
    seconds = time.monotonic() - start
    try:
        return json.loads(done.stdout), done.returncode, seconds
    except ValueError:
        sys.exit(f"doctor {' '.join(arguments)}: exit {done.returncode}, no JSON: {done.stdout[:300]}{done.stderr[:300]}")


def hold():
    """Acts as the other process: holds a context with memory until the pipe from its parent closes."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    for status in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context),
                   cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64 << 20))):
        if status != 0:
            sys.exit(f"the other process got CUDA's error {status}")
    print("holds", flush=True)
    sys.stdin.read()


def facts_differ(report):
    wrong = 0
    names = list(SAME.values()) + list(LIVE.values())
    for gpu, said, rows in zip(report["gpus"], smi("gpu", names), smi("remapped-rows", list(REMAPPED.values())) or [{}] * 99):
        said = {**said, **rows}
        for fact, name in {**SAME, **REMAPPED}.items():
            if name not in said:
                print(f"  GPU {gpu['index']}: {fact}: {gpu[fact]}; nvidia-smi does not know {name}")
            elif not alike(gpu[fact], said[name]):
                wrong += 1
                print(f"  GPU {gpu['index']}: {fact}: {gpu[fact]}; nvidia-smi's {name}: {said[name]}: DIFFERENT")
        print(f"  GPU {gpu['index']}: {sum(name in said for name in SAME.values())} facts of nvidia-smi's; live: " +
              ", ".join(f"{fact} {gpu[fact]} ({said.get(name)})" for fact, name in LIVE.items()))
        print(f"  GPU {gpu['index']}: nvlinks {gpu['nvlinks_active']} of {gpu['nvlinks']}, remapped {gpu['remapped_rows']}, retired "
              f"{gpu['retired_pages']}, other processes {gpu['other_processes']}")
    if not report["gpus"]:
        wrong += 1
        print("  no GPU in the report")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--hold":
        return hold()
    if not os.path.exists("/dev/nvidiactl"):
        print("skipped: no NVIDIA GPU here")
        return 77
    tree = sys.argv[1]
    report, status, seconds = doctor(tree)
    print(f"doctor: {report['verdict']}, exit {status}, {seconds:.1f} s, driver {report['driver']['version']}, CUDA {report['driver']['cuda']}")
    for finding in report["findings"]:
        print(f"  {finding['severity']} {finding['rule']}: {finding['seen']}")
    wrong = facts_differ(report)
    if (status == 0) != (report["verdict"] == "fit"):
        wrong += 1
        print(f"  exit {status} with the verdict {report['verdict']}: WRONG")

    before = sum(gpu["other_process_count"] or 0 for gpu in report["gpus"])
    with subprocess.Popen([sys.executable, "-B", __file__, "--hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        ready = other.stdout.readline().strip() == "holds"
        report, status, _ = doctor(tree)
        seen = [finding["seen"] for finding in report["findings"] if finding["rule"] == "other_processes"]
        counted = sum(gpu["other_process_count"] or 0 for gpu in report["gpus"])
        other.stdin.close()
        named = any(str(other.pid) in text for text in seen)
        apps = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,name", "--format=csv,noheader"], capture_output=True, text=True)
        print(f"a other process, pid {other.pid}: {seen}; processes before {before}, now {counted}; nvidia-smi: {apps.stdout.split()}")
    if not ready or counted <= before or not named:
        wrong += 1
        print("  the other process is not named: WRONG")
    _, status, seconds = doctor(tree, "--deep")
    print(f"doctor --deep: exit {status}, {seconds:.1f} s")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
