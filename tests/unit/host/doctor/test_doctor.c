/* Tests the rules of gpubench doctor, which looks for faults of a machine. Each fault is planted in a stand-in for
 * NVML (found through LD_LIBRARY_PATH), in a tree like /proc and /sys, or directly in the facts. Its rule must find
 * it, and name the evidence and the remedy. The stand-ins `old` and `broken` imitate an NVML that reports little or
 * nothing. */
#include "doctor/rules.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "doctor/deep.h"
#include "fake_tree.h"
#include "pretend_nvml.h"
#include "unit.h"

static struct pretend *library;
static struct doctor_facts facts;
static struct doctor_findings findings;

#define GPU_FOLDER "/sys/bus/pci/devices/0000:3b:00.0/"

static void plant_gpu(const char *pci, const char *driver, const char *minor) {
  char path[256], text[64];
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", pci);
  fake_file(path, "0x10de\n");
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", pci);
  fake_file(path, "0x030200\n");
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/driver", pci);
  snprintf(text, sizeof text, "../../../../bus/pci/drivers/%s", driver);
  if (symlink(text, fake_path(path)) != 0) UNIT_FAIL("%s: no link", path);
  if (minor == NULL) return;
  snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", pci);
  snprintf(text, sizeof text, "Model: \t\t NVIDIA H100\nDevice Minor: \t %s\n", minor);
  fake_file(path, text);
  snprintf(path, sizeof path, "/dev/nvidia%s", minor);
  fake_file(path, "");
}

static void plant_program(const char *path) {
  fake_file(path, "#!/bin/sh\nexit 1\n");
  chmod(fake_path(path), 0700);
}

/* Sets up a node with an H100 that has no faults. */
static void set_up(void) {
  int kind = library->kind;
  *library = (struct pretend){.kind = kind,
                              .clock = 1980,
                              .temperature = 40,
                              .power = 81000,
                              .limit = 700000,
                              .default_limit = 700000,
                              .application_clock = 1980,
                              .default_application_clock = 1980,
                              .health = PRETEND_WELL};
  fake_begin();
  plant_gpu("0000:3b:00.0", "nvidia", "0");
  fake_file("/dev/nvidiactl", "");
  fake_file("/dev/nvidia-uvm", "");
  fake_file("/dev/shm/empty", "");
  fake_file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n");
  fake_file("/proc/driver/nvidia/params", "EnableMSI: 1\nRmProfilingAdminOnly: 0\n");
  fake_file("/proc/self/status", "Cpus_allowed_list:\t0-3\n");
  fake_file("/sys/devices/system/cpu/online", "0-3\n");
  for (int i = 0; i < 4; i++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
    fake_file(path, "performance\n");
  }
  fake_file("/opt/py/lib/python3.11/site-packages/torch-2.9.0+cu130.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0+cu130\nRequires-Dist: triton==3.5.0; "
            "platform_system == \"Linux\"\n\nVersion: of no account\n");
  fake_file("/opt/py/lib/python3.11/site-packages/torch/version.py",
            "__version__ = '2.9.0+cu130'\ncuda: Optional[str] = '13.0'\n");
  fake_file("/opt/py/lib/python3.11/site-packages/triton-3.5.0.dist-info/METADATA", "Name: triton\nVersion: 3.5.0\n");
  plant_program("/opt/py/bin/python3");
  plant_program("/usr/local/cuda/bin/nvcc");
  plant_program("/usr/local/cuda/bin/ncu");
  fake_file(
      "/usr/local/cuda/version.json",
      "{\n \"cuda\" : {\n  \"version\" : \"13.0.0\"\n },\n \"cuda_nvcc\" : {\n  \"name\" : \"NVCC\",\n  \"version\" : "
      "\"13.0.48\"\n },\n \"nsight_compute\" : {\n  \"version\" : \"2025.3.0.19\"\n }\n}\n");
  plant_program("/opt/nvidia/nsight-systems/2025.3.2/bin/nsys");
  setenv("PATH", "/opt/py/bin:/bin", 1);
  setenv("HOME", "/nowhere", 1);
  setenv("TMPDIR", fake_root, 1);
  static const char *const unset[] = {"CUDA_VISIBLE_DEVICES",
                                      "NVIDIA_VISIBLE_DEVICES",
                                      "SLURM_JOB_GPUS",
                                      "SLURM_STEP_GPUS",
                                      "SLURM_GPUS_ON_NODE",
                                      "CUDA_HOME",
                                      "CUDA_PATH",
                                      "VIRTUAL_ENV",
                                      "CONDA_PREFIX",
                                      "CUDA_MPS_PIPE_DIRECTORY"};
  for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
    unsetenv(unset[i]);
  setenv("CUDA_MPS_PIPE_DIRECTORY", fake_root, 1); /* a folder in which no MPS daemon has a pipe */
}

/* Reads the facts and fixes those that depend on the machine of the test: free space, the CUDA version of the build,
 * the user. */
static void look(double seconds) {
  doctor_facts_read(fake_root, seconds, &facts);
  facts.shm_free = facts.scratch_free = 1e12;
  facts.cuda_build = 13000;
  facts.is_admin = false;
}

static void judge(void) {
  doctor_findings_free(&findings);
  doctor_judge(&facts, &findings);
}

static void tear_down(void) {
  doctor_findings_free(&findings);
  fake_end();
}

static void list(char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < findings.count; i++)
    phrase_add(to, size, "; ", "%s: %s", findings.items[i].rule->id, findings.items[i].seen);
}

/* ---- A machine without faults ---- */

static void a_clean_machine_has_no_finding(void) {
  char all[4096];
  set_up();
  look(60);
  judge();
  list(all, sizeof all);
  ASSERT_EQ_STR(all, "");
  ASSERT_TRUE(doctor_is_fit(&findings, true));
  tear_down();
}

static void its_facts_are_known(void) {
  set_up();
  look(60);
  const struct nvml_health *gpu = &facts.nvml.gpus[0];
  ASSERT_EQ_INT(facts.nvml.count, 1);
  ASSERT_EQ_INT(facts.nvml.cuda, 13000);
  ASSERT_EQ_STR(facts.nvml.driver, "580.65.06");
  ASSERT_EQ_STR(facts.kernel_driver, "580.65.06");
  ASSERT_EQ_STR(gpu->name, "NVIDIA H100");
  ASSERT_EQ_STR(gpu->uuid, "GPU-1234");
  ASSERT_EQ_STR(gpu->pci, "0000:3b:00.0");
  ASSERT_EQ_INT(gpu->links, 18);
  ASSERT_EQ_INT(gpu->slices, -1);
  ASSERT_NEAR(gpu->margin_c, 46, 0); /* NVML's newer query would say 41 */
  ASSERT_EQ_INT(facts.pci_count, 1);
  ASSERT_EQ_STR(facts.pci[0].driver, "nvidia");
  ASSERT_TRUE(facts.pci[0].given && facts.has_uvm == 1 && facts.counters_admin_only == 0);
  ASSERT_EQ_STR(facts.tools[TOOL_TORCH].version, "2.9.0+cu130");
  ASSERT_EQ_INT(facts.tools[TOOL_TORCH].cuda, 13000);
  ASSERT_EQ_STR(facts.tools[TOOL_TORCH].wants_triton, "3.5.0");
  ASSERT_EQ_STR(facts.tools[TOOL_TRITON].version, "3.5.0");
  ASSERT_EQ_STR(facts.tools[TOOL_NVCC].version, "13.0.48");
  ASSERT_EQ_INT(facts.tools[TOOL_NVCC].cuda, 13000);
  ASSERT_EQ_STR(facts.tools[TOOL_NCU].version, "2025.3.0.19");
  ASSERT_EQ_STR(facts.tools[TOOL_NSYS].version, "2025.3.2");
  tear_down();
}

/* ---- One fault each ---- */

#define MEMBER(member, value) .offset = offsetof(struct pretend, member), .set = true, .to = (value)
#define HEALTH(member, value) MEMBER(health.member, value)

static void without(const char *path) {
  if (remove(fake_path(path)) != 0) UNIT_FAIL("%s: not there", path);
}

static void no_kernel_driver(void) {
  without("/proc/driver/nvidia/version");
  without(GPU_FOLDER "driver");
  if (symlink("../../../../bus/pci/drivers/nouveau", fake_path(GPU_FOLDER "driver")) != 0) UNIT_FAIL("no link");
  library->init_code = 9;
}
static void no_gpu_on_the_bus(void) {
  without(GPU_FOLDER "vendor");
  library->health.count = 0;
}
static void no_sign_of_a_gpu(void) {
  no_gpu_on_the_bus();
  without("/proc/driver/nvidia/version");
  without("/dev/nvidiactl");
  without("/dev/nvidia0");
  library->init_code = 9;
}
static void another_gpu(void) {
  plant_gpu("0000:5e:00.0", "nvidia", "1");
}
static void a_passed_through_gpu(void) {
  plant_gpu("0000:5e:00.0", "vfio-pci", NULL);
}
static void no_uvm(void) {
  without("/dev/nvidia-uvm");
}
static void two_gpus(void) {
  library->health.count = 2;
  plant_gpu("0000:3c:00.0", "nvidia", "1");
}
static void a_silent_gpu(void) {
  two_gpus();
  library->health.silent = 1;
}
static void fewer_links(void) {
  two_gpus();
  library->health.active_of_last = 17;
}
static void some_links(void) {
  library->health.active_of_last = 12;
}
static void no_links(void) {
  library->health.active_of_last = 0;
}
static void empty_mig(void) {
  library->health.mig = library->health.mig_next = 1;
  library->health.slices = 0;
}
static void mig_with_slices(void) {
  empty_mig();
  library->health.slices = 3;
}
static void a_small_margin(void) {
  library->health.slowdown = PRETEND_NOT;
  library->health.margin = 5;
}
static void ecc_off(void) {
  library->health.ecc = library->health.ecc_next = 0;
}
static void an_other_process(void) {
  library->compute = (struct pretend_list){.count = 1, .pids = {1}};
  fake_file("/proc/1/comm", "evil\033[31m<b>\n");
}
static void mps_clients(void) {
  library->mps = (struct pretend_list){.count = 1, .pids = {(unsigned)getpid()}};
}
static void another_governor(void) {
  fake_file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
}
static void small_quota(void) {
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", "0::/job\n");
  fake_file("/sys/fs/cgroup/job/cpu.max", "50000 100000\n");
}
static void a_load(void) {
  fake_file("/proc/loadavg", "8.10 4.00 2.00 1/345 6789\n");
}
static void tasks_that_run(void) {
  fake_file("/proc/loadavg", "0.10 0.00 0.00 8/345 6789\n");
}
static void an_old_triton(void) {
  fake_file("/opt/py/lib/python3.11/site-packages/triton-3.5.0.dist-info/METADATA", "Name: triton\nVersion: 3.4.0\n");
}
static void a_new_torch(void) {
  fake_file("/opt/py/lib/python3.11/site-packages/torch/version.py", "cuda: Optional[str] = '14.1'\n");
}
static void a_new_cupy(void) {
  fake_file("/opt/py/lib/python3.11/site-packages/cupy_cuda14x-15.0.0.dist-info/METADATA", "Version: 15.0.0\n");
}
static void wsl_1(void) {
  fake_file("/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
}
static void wsl_2(void) {
  fake_file("/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
  library->health.persistence = 0;
}
static void wsl_2_with_a_kernel_of_its_own(void) {
  fake_file("/proc/sys/kernel/osrelease", "6.6.1-mine\n");
  fake_file("/dev/dxg", "");
  fake_file("/usr/lib/wsl/lib/libcuda.so", "");
}
static void a_new_nvcc(void) {
  without("/usr/local/cuda/version.json");
  fake_file("/usr/local/cuda/include/cuda.h", "#define __cuda__\n#define CUDA_VERSION 14020\n");
}
static void admins_only(void) {
  fake_file("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
}
static void no_scratch(void) {
  setenv("TMPDIR", "/nowhere/at/all", 1);
}
static void late_cuda(void) {
  facts.cuda_build = 14000;
}
static void later_cuda(void) {
  facts.cuda_build = 13010;
}
static void little_shm(void) {
  facts.shm_free = 64e6;
}
static void little_scratch(void) {
  facts.scratch_free = 5e8;
}

/* Fills in the facts that the short measurement of `gpubench doctor --deep` would find. */
static void measured(double ns, double shown_ns, const char *wrong) {
  facts.deep = (struct doctor_deep){.asked = true, .count = 2};
  for (int i = 0; i < 2; i++)
    facts.deep.yardsticks[i] = (struct doctor_yardstick){
        .what = "calibrate/read[bytes=1] vector, cold", .ns = NAN, .shown_ns = 5e5, .nights = 3};
  struct doctor_yardstick *y = &facts.deep.yardsticks[1];
  *y = (struct doctor_yardstick){
      .what = "calibrate/copy[bytes=1] pack, cold", .ns = ns, .shown_ns = shown_ns, .nights = 3};
  text_copy(y->wrong, sizeof y->wrong, wrong);
}
static void slow_yardstick(void) {
  measured(6e5, 5e5, "");
}
static void wrong_yardstick(void) {
  measured(NAN, 5e5, "wrong: 'y': error 1");
}
static void failed_yardsticks(void) {
  facts.deep = (struct doctor_deep){.asked = true, .fault = "gpubench calibrate.so ended with 4: in use"};
}
static void unknown_model(void) {
  measured(6e5, NAN, "");
  text_copy(facts.deep.yardsticks[0].device, TEXT_SIZE, "NVIDIA H100, 80 GB");
  for (int i = 0; i < 2; i++)
    facts.deep.yardsticks[i].nights = 0, facts.deep.yardsticks[i].shown_ns = NAN;
}
static void slow_for_its_model(void) {
  measured(6e5, 5e5, "");
  facts.deep.yardsticks[1].nights = 0;
}

static const struct planted {
  const char *rule;
  enum severity severity;
  void (*plant)(void); /* called before the facts are read */
  void (*edit)(void);  /* changes the facts that were read */
  size_t offset;       /* in struct pretend */
  bool set;
  unsigned to;
  const char *seen, *expected, *action;
} planted[] = {
    {"driver_silent", SEVERITY_UNFIT, HEALTH(crashes, 1), .seen = "crashed while it was asked: SIGABRT",
     .expected = "an answer", .action = "reboot the node"},
    {"driver_missing", SEVERITY_UNFIT, no_kernel_driver, .seen = "0000:3b:00.0 (held by nouveau)",
     .expected = "NVIDIA's kernel driver", .action = "modprobe nvidia"},
    {"nvml_missing", SEVERITY_UNFIT, MEMBER(init_code, 18), .seen = "the kernel driver 580.65.06 is loaded",
     .expected = "same version", .action = "reboot after its update"},
    {"gpu_missing", SEVERITY_UNFIT, no_gpu_on_the_bus, .seen = "no GPU, though /dev/nvidiactl is here",
     .expected = "a GPU", .action = "lspci"},
    {"gpu_lost", SEVERITY_UNFIT, another_gpu, .seen = "not known to the driver: 0000:5e:00.0", .expected = "every GPU",
     .action = "fell off the bus"},
    {"gpu_withheld", SEVERITY_NOTE, a_passed_through_gpu, .seen = "0000:5e:00.0 (held by vfio-pci)",
     .expected = "every GPU", .action = "nothing, where the scheduler"},
    {"no_gpu", SEVERITY_NOTE, no_sign_of_a_gpu, .seen = "no GPU of NVIDIA", .expected = "of the CPU",
     .action = "nothing, unless"},
    {"uvm_missing", SEVERITY_NOTE, no_uvm, .seen = "/dev/nvidiactl without", .expected = "/dev/nvidia-uvm",
     .action = "nvidia-modprobe -u"},
    {"cuda_too_new", SEVERITY_UNFIT, .edit = late_cuda, .seen = "driver 580.65.06 goes up to CUDA 13.0",
     .expected = "CUDA 14.0, which this gpubench is built for", .action = "update the driver"},
    {"cuda_newer", SEVERITY_WARNING, .edit = later_cuda, .seen = "goes up to CUDA 13.0", .expected = "CUDA 13.1",
     .action = "update the driver"},
    {"torch_too_new", SEVERITY_WARNING, a_new_torch, .seen = "goes up to CUDA 13.0",
     .expected = "CUDA 14.1, which torch 2.9.0+cu130 is built for", .action = "torch built for its CUDA"},
    {"nvcc_too_new", SEVERITY_WARNING, a_new_nvcc, .seen = "goes up to CUDA 13.0",
     .expected = "CUDA 14.2, which nvcc 14.2", .action = "older toolkit"},
    {"cupy_too_new", SEVERITY_WARNING, a_new_cupy, .seen = "goes up to CUDA 13.0",
     .expected = "CUDA 14.0, which cupy 15.0.0 is built for", .action = "install a cupy"},
    {"wsl", SEVERITY_NOTE, wsl_1, .seen = "version 1 (4.4.0-19041-Microsoft)", .expected = "version 2",
     .action = "--set-version NAME 2"},
    {"wsl", SEVERITY_NOTE, wsl_2, .seen = "version 2 (5.15.90.1-microsoft-standard-WSL2)", .expected = "launches take",
     .action = "in Windows"},
    {"wsl", SEVERITY_NOTE, wsl_2_with_a_kernel_of_its_own, .seen = "version 2 (6.6.1-mine)", .expected = "launches",
     .action = "in Windows"},
    {"triton_unlike", SEVERITY_WARNING, an_old_triton, .seen = "triton 3.4.0",
     .expected = "triton 3.5.0, which torch 2.9.0+cu130 asks for", .action = "pip install"},
    {"gpu_silent", SEVERITY_UNFIT, a_silent_gpu, .seen = "NVML: ", .expected = "an answer",
     .action = "--gpu-reset -i 1"},
    {"ecc_uncorrected", SEVERITY_UNFIT, HEALTH(uncorrected, 3), .seen = "3 uncorrected ECC errors since",
     .expected = "none since", .action = "--gpu-reset -i 0"},
    {"retirement_pending", SEVERITY_UNFIT, HEALTH(retirement_pending, 1), .seen = "to be retired",
     .expected = "no page waiting", .action = "--gpu-reset -i 0"},
    {"remap_failed", SEVERITY_UNFIT, HEALTH(remap_failed, 1), .seen = "failed", .expected = "spare rows",
     .action = "replaced"},
    {"remap_pending", SEVERITY_UNFIT, HEALTH(remap_pending, 1), .seen = "to be remapped", .expected = "no row waiting",
     .action = "--gpu-reset -i 0"},
    {"throttled_hardware", SEVERITY_UNFIT, MEMBER(reasons, 0x48),
     .seen = "clocks held down now: ", .expected = "hardware does not hold down", .action = "fans"},
    {"too_hot", SEVERITY_UNFIT, MEMBER(temperature, 88), .seen = "89 C, -2 below", .expected = "more than 5 C below",
     .action = "fans"},
    {"prohibited", SEVERITY_UNFIT, HEALTH(compute_mode, 2), .seen = "Prohibited", .expected = "Default",
     .action = "nvidia-smi -i 0 -c DEFAULT"},
    {"mig_empty", SEVERITY_UNFIT, empty_mig, .seen = "no slice", .expected = "slices, or MIG off",
     .action = "mig -i 0 -cgi"},
    {"pcie_width", SEVERITY_UNFIT, HEALTH(width, 8), .seen = "PCIe x8", .expected = "x16", .action = "reseat"},
    {"nvlink_less", SEVERITY_UNFIT, fewer_links, .seen = "17 of 18 NVLinks", .expected = "18, as another GPU",
     .action = "nvlink -s -i 1"},
    {"ecc_ever", SEVERITY_WARNING, HEALTH(ever_uncorrected, 2), .seen = "2 uncorrected ECC errors in the GPU's life",
     .expected = "none ever", .action = "watch"},
    {"ecc_corrected", SEVERITY_WARNING, HEALTH(corrected, 1), .seen = "1 corrected ECC error since",
     .expected = "none since", .action = "watch"},
    {"ecc_off", SEVERITY_WARNING, ecc_off, .seen = "ECC off", .expected = "as this GPU comes",
     .action = "nvidia-smi -i 0 -e 1"},
    {"ecc_changes", SEVERITY_WARNING, HEALTH(ecc_next, 0), .seen = "ECC on, after a reset off", .expected = "one mode",
     .action = "--gpu-reset -i 0"},
    {"retired_pages", SEVERITY_WARNING, HEALTH(retired, 4), .seen = "4 pages", .expected = "none", .action = "watch"},
    {"throttled", SEVERITY_WARNING, MEMBER(reasons, 0x4), .seen = "power cap", .expected = "nothing holds down",
     .action = "PERFORMANCE -i 0"},
    {"warm", SEVERITY_WARNING, a_small_margin, .seen = "41 C, 5 below", .expected = "more than 5 C below",
     .action = "cool"},
    {"persistence", SEVERITY_WARNING, HEALTH(persistence, 0), .seen = "persistence mode off",
     .expected = "persistence mode on", .action = "nvidia-smi -i 0 -pm 1"},
    {"exclusive", SEVERITY_WARNING, HEALTH(compute_mode, 3), .seen = "Exclusive", .expected = "Default",
     .action = "nvidia-smi -i 0 -c DEFAULT"},
    {"mig", SEVERITY_WARNING, mig_with_slices, .seen = "MIG on", .expected = "MIG off", .action = "-mig 0"},
    {"mig_changes", SEVERITY_WARNING, HEALTH(mig_next, 1), .seen = "MIG off, after a reset on", .expected = "one mode",
     .action = "--gpu-reset -i 0"},
    {"mps", SEVERITY_WARNING, mps_clients, .seen = "MPS on: 1 client", .expected = "no MPS",
     .action = "nvidia-cuda-mps-control"},
    {"other_processes", SEVERITY_WARNING, an_other_process, .seen = "1 other process on the GPU: pid 1 (evil?[31m<b>)",
     .expected = "no process", .action = "end"},
    {"pcie_generation", SEVERITY_WARNING, HEALTH(generation, 3), .seen = "generation 3", .expected = "generation 5",
     .action = "reseat"},
    {"nvlink_inactive", SEVERITY_WARNING, some_links, .seen = "12 of 18", .expected = "all of them",
     .action = "nvidia-fabricmanager"},
    {"power_limit", SEVERITY_WARNING, MEMBER(limit, 500000), .seen = "power limit 500 W",
     .expected = "its default, 700 W", .action = "nvidia-smi -i 0 -pl"},
    {"clocks_held", SEVERITY_WARNING, MEMBER(reasons, 0x2), .seen = "held by a setting", .expected = "the GPU chooses",
     .action = "-rgc"},
    {"clocks_held", SEVERITY_WARNING, MEMBER(application_clock, 1200), .seen = "1200 MHz, its default is 1980",
     .expected = "the GPU chooses", .action = "-rac"},
    {"remapped_rows", SEVERITY_NOTE, HEALTH(rows, 2), .seen = "2 rows", .expected = "none", .action = "watch"},
    {"nvlink_none", SEVERITY_NOTE, no_links, .seen = "0 of 18", .expected = "where they are wired",
     .action = "nothing for one GPU"},
    {"governor", SEVERITY_WARNING, another_governor, .seen = "governor powersave on 1 of 4 threads",
     .expected = "performance", .action = "cpupower"},
    {"quota", SEVERITY_WARNING, small_quota, .seen = "a quota of 0.5 CPUs", .expected = "1 or more: one for each GPU",
     .action = "--cpus"},
    {"load", SEVERITY_WARNING, a_load, .seen = "load 8.10 on 4 threads", .expected = "some of the threads idle",
     .action = "top"},
    {"load", SEVERITY_WARNING, tasks_that_run, .seen = "7 other tasks running on 4 threads",
     .expected = "some of the threads idle", .action = "top"},
    {"shm", SEVERITY_WARNING, .edit = little_shm, .seen = "64 MB free in /dev/shm", .expected = "256 MB free",
     .action = "--shm-size"},
    {"scratch_unusable", SEVERITY_WARNING, no_scratch, .seen = "/nowhere/at/all", .expected = "a folder",
     .action = "TMPDIR"},
    {"scratch_full", SEVERITY_WARNING, .edit = little_scratch, .seen = "500 MB free in /tmp/gpubench-tree",
     .expected = "1 GB free", .action = "TMPDIR"},
    {"yardstick_slow", SEVERITY_UNFIT, .edit = slow_yardstick,
     .seen = "calibrate/copy[bytes=1] pack, cold: 600.0 us, 20% more",
     .expected = "500.0 us to within 10%, the median of 3", .action = "PERFORMANCE"},
    {"yardstick_slow", SEVERITY_UNFIT, .edit = slow_for_its_model, .seen = "600.0 us, 20% more than this model takes",
     .expected = "500.0 us to within 10%, as gpubench's reference has it", .action = "PERFORMANCE"},
    {"yardstick_wrong", SEVERITY_UNFIT, .edit = wrong_yardstick, .seen = "pack, cold: wrong: 'y': error 1",
     .expected = "right", .action = "looked at"},
    {"yardsticks_failed", SEVERITY_WARNING, .edit = failed_yardsticks, .seen = "ended with 4: in use",
     .expected = "calibrate", .action = "gpubench calibrate.so"},
    {"no_reference", SEVERITY_NOTE, .edit = unknown_model, .seen = "no reference for NVIDIA H100",
     .expected = "this model", .action = "history add"},
    {"counters", SEVERITY_NOTE, admins_only, .seen = "for administrators", .expected = "for all users",
     .action = "NVreg_RestrictProfilingToAdminUsers=0"},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static void each_fault_is_found_alone_and_named_with_its_action(void) {
  char all[4096];
  for (size_t i = 0; i < PLANTED; i++) {
    const struct planted *p = &planted[i];
    set_up();
    if (p->set) memcpy((char *)library + p->offset, &p->to, sizeof p->to);
    if (p->plant != NULL) p->plant();
    look(60);
    if (p->edit != NULL) p->edit();
    judge();
    list(all, sizeof all);
    if (findings.count != 1 || strcmp(findings.items[0].rule->id, p->rule) != 0)
      UNIT_FAIL("%s is planted, found: '%.3000s'", p->rule, all);
    else {
      ASSERT_EQ_INT(findings.items[0].rule->severity, p->severity);
      ASSERT_EQ_INT(findings.of[p->severity], 1);
      ASSERT_HAS(findings.items[0].seen, p->seen);
      ASSERT_HAS(findings.items[0].expected, p->expected);
      ASSERT_HAS(findings.items[0].action, p->action);
      ASSERT_TRUE(doctor_is_fit(&findings, false) == (p->severity != SEVERITY_UNFIT));
      ASSERT_TRUE(doctor_is_fit(&findings, true) == (p->severity == SEVERITY_NOTE));
    }
    tear_down();
  }
}

static void every_rule_is_planted(void) {
  for (size_t i = 0; i < doctor_rule_count; i++) {
    bool found = false;
    for (size_t j = 0; j < PLANTED; j++)
      found = found || strcmp(planted[j].rule, doctor_rules[i].id) == 0;
    if (!found) UNIT_FAIL("nothing plants %s", doctor_rules[i].id);
    ASSERT_TRUE(strchr(doctor_rules[i].action, '\n') == NULL);
    for (size_t j = 0; j < i; j++)
      if (strcmp(doctor_rules[i].id, doctor_rules[j].id) == 0) UNIT_FAIL("%s is there twice", doctor_rules[i].id);
  }
  ASSERT_TRUE(doctor_rule_count >= 25);
}

/* ---- WSL ---- */

static const char *action_of(const char *rule) {
  for (size_t i = 0; i < findings.count; i++)
    if (strcmp(findings.items[i].rule->id, rule) == 0) return findings.items[i].action;
  return "(not found)";
}

/* Under WSL, no advice may mention a driver, service or bus of Linux, because WSL has none of them. */
static void what_is_to_be_done_below_windows_can_be_done(void) {
  static const char *const impossible[] = {"modprobe", "dmesg",    "reboot the node",   "lspci", "nvidia-persistenced",
                                           "Xid",      "cpupower", "update the driver,"};
  for (size_t i = 0; i < PLANTED; i++) {
    const struct planted *p = &planted[i];
    const bool of_the_bus = strncmp(p->rule, "driver_missing", 14) == 0 || strncmp(p->rule, "gpu_lost", 8) == 0 ||
                            strcmp(p->rule, "nvml_missing") == 0 || strcmp(p->rule, "uvm_missing") == 0 ||
                            strcmp(p->rule, "counters") == 0; /* WSL has no such bus, module or node */
    set_up();
    if (p->set) memcpy((char *)library + p->offset, &p->to, sizeof p->to);
    if (p->plant != NULL) p->plant();
    fake_file("/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
    look(60);
    if (p->edit != NULL) p->edit();
    judge();
    for (size_t j = 0; j < sizeof impossible / sizeof *impossible && !of_the_bus; j++)
      if (strstr(action_of(p->rule), impossible[j]) != NULL) UNIT_FAIL("%s: %s", p->rule, action_of(p->rule));
    tear_down();
  }
}

static void a_gpu_is_looked_for_in_windows(void) {
  set_up();
  no_sign_of_a_gpu();
  fake_file("/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
  look(60);
  judge();
  ASSERT_HAS(action_of("no_gpu"), "driver in Windows, and none in Linux");
  fake_file("/dev/dxg", "");
  look(60);
  judge();
  ASSERT_HAS(action_of("gpu_missing"), "driver in Windows, and none in Linux");
  ASSERT_HAS(action_of("gpu_missing"), "/usr/lib/wsl/lib");
  tear_down();
  set_up();
  another_governor();
  library->limit = 600000;
  fake_file("/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
  look(60);
  judge();
  ASSERT_HAS(action_of("power_limit"), "in Windows, as administrator: nvidia-smi -i 0 -pl");
  ASSERT_HAS(action_of("governor"), "powercfg");
  tear_down();
}

/* Other kernels that Microsoft builds are not WSL's. */
static void not_everything_of_microsoft_is_wsl(void) {
  static const char *const kernels[] = {"5.15.0-1041-azure\n", "6.6.29.1-1.azl3\n", "6.1.0-18-amd64\n", "\n",
                                        "microsoft\n"};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    set_up();
    fake_file("/proc/sys/kernel/osrelease", kernels[i]);
    look(60);
    if (facts.wsl != 0) UNIT_FAIL("%s: %lld", kernels[i], (long long)facts.wsl);
    tear_down();
  }
}

/* ---- Libraries and packages ---- */

#define PACKAGES "/opt/py/lib/python3.11/site-packages/"

static void is_found(enum tool tool, const char *version, long long cuda) {
  look(60);
  ASSERT_EQ_STR(facts.tools[tool].version, version);
  ASSERT_EQ_INT(facts.tools[tool].cuda, cuda);
}

static void libraries_and_packages_are_found(void) {
  set_up();
  for (enum tool tool = TOOL_CUPY; tool <= TOOL_CUDNN; tool++)
    is_found(tool, "", -1);
  fake_file(PACKAGES "cupy_cuda12x-13.4.1.dist-info/METADATA", "Name: cupy-cuda12x\nVersion: 13.4.1\n");
  is_found(TOOL_CUPY, "13.4.1", 12000);
  fake_file(PACKAGES "pycuda-2025.1.dist-info/METADATA", "Version: 2025.1\n");
  is_found(TOOL_PYCUDA, "2025.1", -1);
  fake_file(PACKAGES "nvidia_cudnn_frontend-1.14.0.dist-info/METADATA", "Version: 1.14.0\n");
  is_found(TOOL_CUDNN, "", -1); /* the front end is not cuDNN */
  fake_file(PACKAGES "nvidia_cudnn_cu13-9.13.0.50.dist-info/METADATA", "Version: 9.13.0.50\n");
  is_found(TOOL_CUDNN, "9.13.0.50", -1);
  fake_file(PACKAGES "nvidia_cublas-13.1.0.3.dist-info/METADATA", "Version: 13.1.0.3\n");
  is_found(TOOL_CUBLAS, "13.1.0.3", -1);
  fake_file("/usr/lib/x86_64-linux-gnu/libcudnn.so", "");
  is_found(TOOL_CUDNN, "9.13.0.50", -1); /* libcudnn.so alone, for the linker, names no version */
  fake_file("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "");
  fake_file("/usr/lib/x86_64-linux-gnu/libcudnn.so.9.5.1", "");
  is_found(TOOL_CUDNN, "9.5.1", -1);
  fake_file("/usr/local/cuda/lib64/libcublas.so.13.0.0.19", "");
  fake_file("/usr/local/cuda/lib64/libcublas.so.13\033[31m", "");
  is_found(TOOL_CUBLAS, "13.0.0.19", -1);
  ASSERT_HAS(facts.tools[TOOL_CUBLAS].where, "/usr/local/cuda/lib64/libcublas.so.13.0.0.19");
  tear_down();
}

/* ---- Few facts, many faults ---- */

static void a_driver_that_hangs_is_left_alone(void) {
  set_up();
  library->health.hangs = 1;
  look(0.05);
  judge();
  ASSERT_EQ_INT(findings.count, 1);
  ASSERT_EQ_STR(findings.items[0].rule->id, "driver_silent");
  ASSERT_EQ_STR(findings.items[0].seen, "no answer from the driver within 0.05 s");
  tear_down();
}

static void what_a_driver_does_not_say_is_no_finding(void) {
  char all[4096];
  set_up();
  library->failing = 3;
  look(60);
  judge();
  list(all, sizeof all);
  ASSERT_EQ_STR(all, "");
  ASSERT_EQ_INT(facts.nvml.count, -1);
  library->failing = 0;
  struct pretend_health *health = &library->health;
  for (unsigned *at = &health->ecc; at <= &health->margin; at++)
    *at = PRETEND_NOT;
  look(60);
  judge();
  list(all, sizeof all);
  ASSERT_EQ_STR(all, "");
  ASSERT_EQ_INT(facts.nvml.count, 1);
  tear_down();
}

static void facts_of_nothing_break_no_rule(void) {
  doctor_facts_unknown(&facts);
  judge();
  ASSERT_EQ_INT(findings.count, 0);
  facts.nvml.count = NVML_GPUS_MOST;
  judge();
  ASSERT_EQ_INT(findings.count, 0);
  doctor_findings_free(&findings);
}

static void the_worst_comes_first(void) {
  set_up();
  two_gpus();
  library->health.width = 8;
  library->health.persistence = 0;
  library->health.rows = 1;
  look(60);
  judge();
  ASSERT_EQ_INT(findings.count, 6);
  ASSERT_EQ_INT(findings.of[SEVERITY_UNFIT], 2);
  for (size_t i = 1; i < findings.count; i++)
    ASSERT_TRUE(findings.items[i - 1].rule->severity <= findings.items[i].rule->severity);
  ASSERT_EQ_INT(findings.items[0].gpu, 0);
  ASSERT_EQ_INT(findings.items[1].gpu, 1);
  tear_down();
}

static void hostile_files_do_no_harm(void) {
  char all[4096];
  set_up();
  snprintf(library->health.name, sizeof library->health.name, "\033[31m<script>%s", "\xff\x01");
  fake_file("/proc/driver/nvidia/version", "");
  fake_file("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 99999999999999999999\n");
  fake_file("/opt/py/lib/python3.11/site-packages/triton-3.5.0.dist-info/METADATA", "Version: $(reboot)\n");
  fake_file("/opt/py/lib/python3.11/site-packages/torch/version.py", "cuda = '\ncuda = '99999999999.9'\n");
  fake_file("/usr/local/cuda/version.json", "{\"cuda_nvcc\":\n\"version\"\n\"version\" : \"\033]0;\"\n");
  look(60);
  judge();
  list(all, sizeof all);
  ASSERT_EQ_STR(all, "");
  ASSERT_TRUE(strpbrk(facts.nvml.gpus[0].name, "\033\xff\x01") == NULL);
  ASSERT_EQ_STR(facts.tools[TOOL_TRITON].version, "");
  ASSERT_EQ_STR(facts.tools[TOOL_NVCC].version, "");
  ASSERT_HAS(facts.tools[TOOL_NVCC].where, "/bin/nvcc");
  tear_down();
}

/* ---- Libraries that report little ---- */

static void an_old_library_breaks_no_rule(void) {
  char all[4096];
  set_up();
  look(60);
  judge();
  list(all, sizeof all);
  if (library->kind == PRETEND_OLD) {
    ASSERT_EQ_STR(all, "");
  } else {
    ASSERT_HAS(all, "nvml_missing: NVML: libnvidia-ml.so.1 has no nvmlInit_v2; the kernel driver 580.65.06 is loaded");
    ASSERT_EQ_INT(findings.count, 1);
  }
  tear_down();
}

static void models_are_known_by_their_whole_name(void) {
  static const char copy[] = "calibrate/copy[bytes=1073741824] pack, cold";
  ASSERT_TRUE(doctor_reference_ns("NVIDIA H200, 150 GB, 700 W", copy) == 493e3);
  ASSERT_TRUE(isnan(doctor_reference_ns("NVIDIA H200, 150 GB, 500 W", copy)));
  ASSERT_TRUE(isnan(doctor_reference_ns("NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1] pack, cold")));
}

int main(void) {
  static const struct unit_test whole[] = {
      UNIT_TEST(a_clean_machine_has_no_finding),
      UNIT_TEST(its_facts_are_known),
      UNIT_TEST(each_fault_is_found_alone_and_named_with_its_action),
      UNIT_TEST(every_rule_is_planted),
      UNIT_TEST(what_is_to_be_done_below_windows_can_be_done),
      UNIT_TEST(a_gpu_is_looked_for_in_windows),
      UNIT_TEST(not_everything_of_microsoft_is_wsl),
      UNIT_TEST(libraries_and_packages_are_found),
      UNIT_TEST(a_driver_that_hangs_is_left_alone),
      UNIT_TEST(what_a_driver_does_not_say_is_no_finding),
      UNIT_TEST(facts_of_nothing_break_no_rule),
      UNIT_TEST(the_worst_comes_first),
      UNIT_TEST(hostile_files_do_no_harm),
      UNIT_TEST(models_are_known_by_their_whole_name),
  };
  static const struct unit_test little[] = {UNIT_TEST(an_old_library_breaks_no_rule)};
  void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  library = handle != NULL ? dlsym(handle, "pretend") : NULL;
  if (library == NULL) {
    fputs("the pretend libnvidia-ml.so.1 is not in LD_LIBRARY_PATH\n", stderr);
    return 1;
  }
  if (library->kind != PRETEND_FULL) return unit_run("doctor", little, 1);
  return unit_run("doctor", whole, sizeof whole / sizeof *whole);
}
