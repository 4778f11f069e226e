"""gpubench doctor on a node made of files and a stand-in for NVML: text, JSON, exit codes, hostile names.

What each rule finds is tested in tests/unit/host/doctor."""

import json
import os
import re
from pathlib import Path

from run import BIN, PLUGINS, GpubenchTest, check_schema, main

PRETEND = Path(BIN).parents[1] / "tests/pretend_nvml/FULL"
FIT, UNFIT = 0, 6


class Doctor(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.root = self.dir / "node"
        gpu = "sys/bus/pci/devices/0000:3b:00.0"
        for path, text in {
            f"{gpu}/vendor": "0x10de\n",
            f"{gpu}/class": "0x030200\n",
            "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n",
            "proc/driver/nvidia/params": "RmProfilingAdminOnly: 0\n",
            "proc/driver/nvidia/gpus/0000:3b:00.0/information": "Device Minor: \t 0\n",
            "proc/self/status": "Cpus_allowed_list:\t0-1\n",
            "sys/devices/system/cpu/online": "0-1\n",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
            "dev/nvidia0": "", "dev/nvidiactl": "", "dev/nvidia-uvm": "", "dev/shm/empty": "",
        }.items():
            self.plant(path, text)
        os.symlink("../../../../bus/pci/drivers/nvidia", self.root / gpu / "driver")

    def plant(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def node(self, gpu=b""):
        """Returns an environment with a stand-in for NVML that has one healthy GPU, except for the members in `gpu`."""
        (self.dir / "nvml").write_bytes(b"cuda 99000\n" + gpu)
        return {"LD_LIBRARY_PATH": str(PRETEND), "PRETEND_NVML": str(self.dir / "nvml"), "TMPDIR": str(self.dir), "COLUMNS": "4000",
                "CUDA_MPS_PIPE_DIRECTORY": str(self.dir), "PATH": "/nowhere", "VIRTUAL_ENV": "", "CONDA_PREFIX": "",
                "GPUBENCH_PLUGIN_PATH": str(PLUGINS / "small")}

    def doctor(self, *args, exit, gpu=b""):
        result = self.gpubench("doctor", "--root", self.root, *args, env=self.node(gpu))
        self.assertEqual(result.exit, exit, result)
        return result

    def json(self, *args, **kwargs):
        """Returns the report as JSON, and its findings by rule."""
        result = self.doctor("--json", "-", *args, **kwargs)
        (self.dir / "doctor.json").write_text(result.out)
        check_schema(self.dir / "doctor.json", "doctor.schema.json")
        report = json.loads(result.out)
        return report, {finding["rule"]: finding for finding in report["findings"]}

    # ---- The output ----

    def test_a_node_that_is_well(self):
        result = self.doctor(exit=FIT)
        self.assertEqual(result.err, "")
        self.assertEqual(result.out.splitlines()[-1], "fit: 0 unfit, 0 warnings, 0 notes", result)
        self.assertRegex(result.out, r"(?m)^machine +2 threads, governor performance, driver 580\.65\.06 \(CUDA 99\.0\)$")
        self.assertRegex(result.out, r"(?m)^GPU 0 +NVIDIA H100, 0000:3b:00\.0, 1980 MHz, 41 C, 81 W of 700 W, PCIe 5 x16, 18 of 18 NVLinks, ECC on$")
        self.doctor("--strict", exit=FIT)
        report, rules = self.json(exit=FIT)
        self.assertEqual((report["verdict"], rules), ("fit", {}))
        gpu = report["gpus"][0]
        self.assertEqual((gpu["uuid"], gpu["ecc_uncorrected"], gpu["power_limit_w"], gpu["mig_slices"]), ("GPU-1234", 0, 700, None))
        self.assertEqual(report["pci"], [{"address": "0000:3b:00.0", "driver": "nvidia", "given": True}])

    def test_faults_make_it_unfit(self):
        self.plant("proc/1/comm", "python3\n")
        gpu = b"uncorrected 3\npersistence 0\nwidth 8\nstranger 1\n"
        result = self.doctor(exit=UNFIT, gpu=gpu)
        lines = result.out.splitlines()
        self.assertEqual(lines[-1], "unfit: 2 unfit, 2 warnings, 0 notes", result)
        self.assertIn("unfit     GPU 0: 3 uncorrected ECC errors since the driver was loaded; expected none since the driver was loaded; "
                      "do: nvidia-smi --gpu-reset -i 0; where they come back have the GPU replaced  [ecc_uncorrected]", lines)
        self.assertIn("unfit     GPU 0: PCIe x8; expected x16, which GPU and slot can; do: reseat the GPU or its riser; where it stays "
                      "have the slot or the GPU replaced  [pcie_width]", lines)
        self.assertIn("1 other process on the GPU: pid 1 (python3)", result.out)
        report, rules = self.json(exit=UNFIT, gpu=gpu)
        self.assertEqual(report["verdict"], "unfit")
        self.assertEqual({rule: finding["severity"] for rule, finding in rules.items()},
                         {"ecc_uncorrected": "unfit", "pcie_width": "unfit", "persistence": "warning", "other_processes": "warning"})
        self.assertEqual(rules["persistence"]["gpu"], 0)
        self.assertEqual(rules["persistence"]["action"], "nvidia-smi -i 0 -pm 1, or run nvidia-persistenced")
        for finding in report["findings"]:
            self.assertIn(f"{finding['seen']}; expected {finding['expected']}; do: {finding['action']}  [{finding['rule']}]", result.out)

    def test_warnings_count_with_strict(self):
        gpu = b"persistence 0\n"
        self.assertIn("fit: 0 unfit, 1 warning, 0 notes", self.doctor(exit=FIT, gpu=gpu).out)
        self.assertIn("unfit: 0 unfit, 1 warning, 0 notes (--strict)", self.doctor("--strict", exit=UNFIT, gpu=gpu).out)
        self.assertEqual(self.json("--strict", exit=UNFIT, gpu=gpu)[0]["strict"], True)

    def test_notes_do_not_count(self):
        self.assertIn("[nvlink_none]", self.doctor("--strict", exit=FIT, gpu=b"active_of_last 0\n").out)

    def test_quietly(self):
        self.assertEqual(self.doctor("-q", exit=FIT, gpu=b"persistence 0\n").out, "fit: 0 unfit, 1 warning, 0 notes\n")
        lines = self.doctor("-q", exit=UNFIT, gpu=b"persistence 0\nremap_failed 1\n").out.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("[remap_failed]", lines[0])

    def test_several_gpus(self):
        self.assertIn("[gpu_silent]", self.doctor(exit=UNFIT, gpu=b"count 2\nsilent 1\n").out)
        report, rules = self.json(exit=UNFIT, gpu=b"count 3\nactive_of_last 12\n")
        self.assertEqual(len(report["gpus"]), 3)
        self.assertEqual((rules["nvlink_less"]["gpu"], rules["nvlink_less"]["uuid"]), (2, "GPU-1234-2"))

    # ---- Faulty and hostile drivers ----

    def test_a_driver_that_never_answers(self):
        result = self.doctor("--timeout", "200ms", exit=UNFIT, gpu=b"hangs 1\n")
        self.assertIn("no answer from the driver within 0.2 s", result.out)
        self.assertIn("[driver_silent]", result.out)

    def test_a_library_that_crashes(self):
        report, rules = self.json(exit=UNFIT, gpu=b"crashes 1\n")
        self.assertRegex(rules["driver_silent"]["seen"], "SIGABRT")
        self.assertEqual(report["gpus"], [])

    def test_a_library_of_another_version(self):
        self.assertIn("[nvml_missing]", self.doctor(exit=UNFIT, gpu=b"init_code 18\n").out)

    def test_hostile_names(self):
        self.plant("proc/1/comm", b"\x1b]0;owned\x07</script>\xff\n")
        gpu = b"name \x1b[31m<img src=x onerror=alert(1)>\xc2\x9b\xff&\"\nstranger 1\n"
        for args in ((), ("--json", "-")):
            out = self.doctor(*args, exit=FIT, gpu=gpu).out
            self.assertEqual([c for c in out if c != "\n" and not c.isprintable()], [], out)
            self.assertIn("owned", out)
        self.assertNotIn("<", out)  # in the JSON, which may be embedded in a page
        self.assertNotIn("&", out)
        report, rules = self.json(exit=FIT, gpu=gpu)
        self.assertIn("<img src=x", report["gpus"][0]["name"])
        self.assertIn("</script>", rules["other_processes"]["seen"])

    def test_this_machine(self):
        """On any machine: one of the two exit codes, and a valid report."""
        result = self.gpubench("doctor", "--json", "out.json")
        self.assertIn(result.exit, (FIT, UNFIT), result)
        check_schema(self.dir / "out.json", "doctor.schema.json")
        verdict = json.loads((self.dir / "out.json").read_text())["verdict"]
        self.assertEqual(result.exit, {"fit": FIT, "unfit": UNFIT}[verdict])
        self.assertTrue(result.out.splitlines()[-1].startswith(f"{verdict}: "), result)

    # ---- --deep ----

    def deep(self, ns, exit):
        """Returns the findings by rule, and the yardstick for reading, when it takes this time. Skips the test on a
        machine that is too busy to measure it."""
        self.fake(vector=ns)
        for _ in range(4):
            result = self.gpubench("doctor", "--root", self.root, "--json", "deep.json", "--deep", "--history", "nights", "--device",
                                   f"fake:{self.dir}/fake.ini", env=self.node())
            check_schema(self.dir / "deep.json", "doctor.schema.json")
            report = json.loads((self.dir / "deep.json").read_text())
            reading = next((y for y in report["deep"]["yardsticks"] if re.match(r"calibrate/read\[bytes=\d+\] vector,", y["what"])),
                          None)  # the run's time ended before it
            if reading is not None and reading["ns"] is not None and reading["nights"]:
                self.assertEqual(result.exit, exit, result)
                self.assertRegex(result.out, r"(?m)^yardstick calibrate/read\[bytes=\d+\] vector, \w+: .* us; .* us over 1 night$")
                return {finding["rule"]: finding for finding in report["findings"]}, reading
            self.assertEqual(result.exit, FIT, result)
        self.skipTest("busy machine")

    def test_yardsticks_beside_their_history(self):
        self.ok("run", "calibrate.so", "--bench", "read", "--quick", "-q", "--out", "one", *self.fake(vector=100000),
                env={"GPUBENCH_PLUGIN_PATH": str(PLUGINS / "small")})
        self.ok("history", "add", "nights", "one")
        rules, reading = self.deep(100000, FIT)
        self.assertEqual(rules, {})
        self.assertAlmostEqual(reading["ns"] / reading["shown_ns"], 1, delta=0.05)
        rules, reading = self.deep(130000, UNFIT)
        self.assertEqual(list(rules), ["yardstick_slow"])
        self.assertRegex(rules["yardstick_slow"]["seen"], r"^calibrate/read\[bytes=\d+\] vector, \w+: 1[23]\d\.\d us, (29|30|31)% more than it was$")
        self.assertEqual([p.name for p in self.dir.glob("gpubench-doctor-*")], [])

    def test_yardsticks_that_cannot_be_measured(self):
        rules = self.json("--deep", "--device", "fake:none.ini", exit=FIT)[1]
        self.assertRegex(rules["yardsticks_failed"]["seen"], r"ended with 4: gpubench: .*none\.ini")

    # ---- The command line ----

    def test_mistakes(self):
        for args, sentence in {
            ("here",): "doctor looks at this machine: it takes no 'here'",
            ("--quick",): "--quick does not apply to 'doctor'",
            ("--json",): "--json needs FILE",
            ("--timeout", "soon"): "--timeout",
            ("--strickt",): "nearest '--strict'",
            ("-q", "-v"): "contradict",
            ("--history", "nights"): "--history needs --deep",
            ("--device", "cpu"): "--device needs --deep",
        }.items():
            with self.subTest(args):
                self.assertIn(sentence, self.one_line_error(2, "doctor", *args))
        self.assertIn("no/such", self.one_line_error(2, "doctor", "--json", "no/such/file"))
        self.assertIn("nowhere", self.one_line_error(2, "doctor", "--deep", "--history", "nowhere"))
        self.assertIn("--strict does not apply to 'run'", self.one_line_error(2, "run", "--strict"))

    def test_help_and_manual(self):
        out = self.ok("doctor", "--help").out
        for word in ("--strict", "--root DIR", "--timeout TIME", "--json FILE", "6 doctor: the machine is unfit"):
            self.assertIn(word, " ".join(out.split()))
        page = next(Path(BIN).parents[1].glob("**/man1/gpubench.1")).read_text()
        self.assertIn(".B gpubench\ndoctor", page)
        for shell in ("bash-completion/completions/gpubench", "zsh/site-functions/_gpubench", "fish/vendor_completions.d/gpubench.fish"):
            self.assertIn("doctor", next(Path(BIN).parents[1].glob(f"**/{shell}")).read_text())


if __name__ == "__main__":
    main()
