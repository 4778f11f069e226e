/* Reads the facts of the machine. */
#include "doctor/facts.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/environment.h"
#include "machine/kernel_files.h"
#include "machine/scratch.h"
#include "machine/topology.h"

/* ---- Asking the driver, in a separate process ---- */

/* Waits for the process that queries the driver. `ended` says what went wrong; "" if nothing did. */
static void wait_for_driver(pid_t pid, double seconds, char *ended, size_t size) {
  int64_t until_ns = clock_now_ns() + (int64_t)(seconds * 1e9);
  int status = 0;
  pid_t done;
  while ((done = waitpid(pid, &status, WNOHANG)) == 0 && clock_now_ns() < until_ns)
    usleep(5000);
  if (done == 0) {
    kill(pid, SIGKILL); /* kills the process without waiting for it, because a process that hangs in the kernel does not
                           end */
    snprintf(ended, size, "no answer from the driver within %.3g s", seconds);
  } else if (done == pid && WIFSIGNALED(status)) {
    char name[32];
    text_signal(WTERMSIG(status), name, sizeof name);
    snprintf(ended, size, "the driver's library crashed while it was asked: %s", name);
  } else if (done != pid || WEXITSTATUS(status) != 0) {
    snprintf(ended, size, "the driver's library ended the process that asked it");
  }
}

static void ask_driver(const char *root, double seconds, struct doctor_facts *facts) {
  struct nvml_machine *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    nvml_machine_read(root, shared);
    _exit(0);
  }
  if (pid > 0) wait_for_driver(pid, seconds, facts->driver_ended, sizeof facts->driver_ended);
  if (pid > 0 && facts->driver_ended[0] == '\0') facts->nvml = *shared;
  munmap(shared, sizeof *shared);
}

/* Reads the version from a line such as "NVRM version: NVIDIA UNIX x86_64 Kernel Module 580.65.06 Sun Jul 27 ...". */
static void read_kernel_driver(const char *root, struct doctor_facts *facts) {
  char line[TEXT_SIZE];
  facts->kernel_driver_loaded = tree_text(root, line, sizeof line, "/proc/driver/nvidia/version");
  for (char *rest = line, *word; (word = strsep(&rest, " ")) != NULL && facts->kernel_driver[0] == '\0';)
    if (isdigit((unsigned char)word[0]) && strchr(word, '.') != NULL)
      text_copy(facts->kernel_driver, sizeof facts->kernel_driver, word);
}

/* ---- GPUs as the kernel lists them ---- */

static bool may_access(const char *root, const char *node, int how) {
  char path[4096];
  return (size_t)snprintf(path, sizeof path, "%s%s", root, node) < sizeof path && access(path, how) == 0;
}

static bool node_exists(const char *root, const char *node) {
  return may_access(root, node, F_OK);
}

static void read_pci(const char *root, const char *address, struct doctor_pci *pci) {
  char path[4096], target[1024], number[16], node[32];
  text_copy(pci->pci, sizeof pci->pci, address);
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/driver", root, address);
  ssize_t length = readlink(path, target, sizeof target - 1);
  target[length > 0 ? length : 0] = '\0';
  text_copy(pci->driver, sizeof pci->driver, text_file_name(target));
  text_sanitize(pci->driver);
  snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", address);
  if (!tree_value(root, path, "Device Minor", number, sizeof number) || tree_parse(number) < 0) return;
  snprintf(node, sizeof node, "/dev/nvidia%lld", (long long)tree_parse(number));
  pci->given = may_access(root, node, R_OK | W_OK);
}

static void read_pcis(const char *root, struct doctor_facts *facts) {
  struct pairs pairs = {0};
  topology_read(root, &pairs);
  for (; facts->pci_count < DOCTOR_PCI_MOST; facts->pci_count++) {
    char name[ID_SIZE];
    snprintf(name, sizeof name, "topology.gpu.%zu.pci", facts->pci_count);
    const char *address = pairs_get(&pairs, name);
    if (address == NULL) break;
    read_pci(root, address, &facts->pci[facts->pci_count]);
  }
  pairs_free(&pairs);
}

static void read_device_nodes(const char *root, struct doctor_facts *facts) {
  char value[16];
  if (node_exists(root, "/dev/nvidiactl")) facts->has_uvm = node_exists(root, "/dev/nvidia-uvm");
  if (tree_value(root, "/proc/driver/nvidia/params", "RmProfilingAdminOnly", value, sizeof value))
    facts->counters_admin_only = tree_parse(value);
  facts->is_admin = geteuid() == 0;
}

/* Recognises WSL by kernel releases such as "4.4.0-19041-Microsoft" and "5.15.90.1-microsoft-standard-WSL2", and by
 * device nodes, because users' own kernels may have any name. */
static void read_wsl(const char *root, struct doctor_facts *facts) {
  if (!tree_text(root, facts->kernel, sizeof facts->kernel, "/proc/sys/kernel/osrelease")) return;
  if (strstr(facts->kernel, "-Microsoft") != NULL)
    facts->wsl = 1;
  else if (strstr(facts->kernel, "-microsoft-") != NULL || strstr(facts->kernel, "WSL2") != NULL ||
           (node_exists(root, "/dev/dxg") && node_exists(root, "/usr/lib/wsl/lib")))
    facts->wsl = 2;
}

/* ---- Free space ---- */

static double free_bytes(const char *root, const char *path) {
  struct statvfs info;
  char whole[4096];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  return statvfs(whole, &info) == 0 ? (double)info.f_bavail * (double)info.f_frsize : NAN;
}

static void read_room(const char *root, struct doctor_facts *facts) {
  struct scratch scratch;
  struct err err = {0};
  scratch_choose(NULL, &scratch);
  if (scratch_check_base(scratch.base, &err) != 0)
    text_copy(facts->scratch_fault, sizeof facts->scratch_fault, err.text);
  text_copy(facts->scratch, sizeof facts->scratch, scratch.base);
  text_sanitize(facts->scratch);
  text_sanitize(facts->scratch_fault);
  facts->scratch_free = free_bytes("", scratch.base);
  facts->shm_free = free_bytes(root, "/dev/shm");
}

void doctor_facts_unknown(struct doctor_facts *facts) {
  *facts = (struct doctor_facts){.has_uvm = -1, .counters_admin_only = -1, .shm_free = NAN, .scratch_free = NAN};
  facts->cpu = (struct cpu_facts){.online = -1,
                                  .mhz = NAN,
                                  .mhz_min = NAN,
                                  .mhz_max = NAN,
                                  .boost = -1,
                                  .smt = -1,
                                  .hypervisor = -1,
                                  .siblings = -1,
                                  .quota_cpus = NAN,
                                  .load1 = NAN,
                                  .runnable = -1};
  nvml_machine_unknown(&facts->nvml);
  for (enum tool tool = 0; tool < TOOL_COUNT; tool++)
    facts->tools[tool].cuda = -1;
}

void doctor_facts_read(const char *root, double seconds, struct doctor_facts *facts) {
  doctor_facts_unknown(facts);
  /* asks the driver first, because that may create the device nodes that are checked afterwards */
  ask_driver(root, seconds, facts);
  read_kernel_driver(root, facts);
  read_pcis(root, facts);
  read_device_nodes(root, facts);
  read_wsl(root, facts);
  facts->gpu_expected = environment_expects_gpu(root, facts->gpu_expected_why, sizeof facts->gpu_expected_why);
  facts->cuda_build = environment_cuda_build();
  cpu_facts_read(root, &facts->cpu);
  cpu_facts_read_load(root, &facts->cpu);
  read_room(root, facts);
  doctor_tools_read(root, facts->tools);
}
