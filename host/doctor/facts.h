/* Facts about this machine before anything is measured: the driver and its GPUs, the processors, free space, and
 * installed tools. They are only read; no tool is started or imported. */
#pragma once

#include "doctor/deep.h"
#include "doctor/tools.h"
#include "machine/cpu_facts.h"
#include "machine/nvml_health.h"

enum { DOCTOR_PCI_MOST = 64 };

/* A GPU in the kernel's list of PCI devices. */
struct doctor_pci {
  char pci[16];         /* address of the GPU: "0000:3b:00.0" */
  char driver[ID_SIZE]; /* the kernel driver that is bound to the GPU: "nvidia", "vfio-pci"; "": none */
  bool given;           /* true if the GPU's device node exists and this process may open it */
};

struct doctor_facts {
  struct nvml_machine nvml;
  char driver_ended[TEXT_SIZE]; /* how asking the driver failed: no answer, or a crash; "" if it did not fail */
  char kernel_driver[ID_SIZE];  /* version of NVIDIA's loaded kernel module; "": none */
  bool kernel_driver_loaded;
  bool gpu_expected; /* true if something indicates that this machine should have a GPU; gpu_expected_why says what */
  char gpu_expected_why[TEXT_SIZE];
  size_t pci_count;
  struct doctor_pci pci[DOCTOR_PCI_MOST];
  /* 1: the device node that CUDA needs (nvidia-uvm) exists; 0: it does not; -1: NVIDIA has no device nodes here */
  int64_t has_uvm;
  int64_t counters_admin_only; /* 1: only administrators may read performance counters; 0: all users; -1: not known */
  bool is_admin;
  int64_t wsl;            /* version of the Windows Subsystem for Linux, 1 or 2; 0: this is not WSL */
  char kernel[TEXT_SIZE]; /* release of the kernel */
  int64_t cuda_build;     /* CUDA version that this gpubench was built with: 13000 for 13.0; 0: built without CUDA */
  struct cpu_facts cpu;
  /* free bytes in shared memory and in the folder for scratch directories; NaN: not known */
  double shm_free, scratch_free;
  char scratch[TEXT_SIZE];      /* the folder for scratch directories */
  char scratch_fault[MSG_SIZE]; /* why that folder cannot be used; "" if it can */
  struct doctor_tool tools[TOOL_COUNT];
  struct doctor_deep deep; /* what --deep measures */
};

/* Sets all facts to unknown. */
void doctor_facts_unknown(struct doctor_facts *facts);

/* Reads all facts except `deep`. `root` is put before /proc, /sys, /dev and the paths of tools; "" is this machine. The
 * driver is asked by a separate process, which has `seconds` for that. */
void doctor_facts_read(const char *root, double seconds, struct doctor_facts *facts);

/* ---- Findings: one for each rule that is broken ---- */

enum severity {
  SEVERITY_UNFIT,   /* the machine is unfit: results are wrong or missing, or times are not typical of this GPU model */
  SEVERITY_WARNING, /* times may differ from those of other machines */
  SEVERITY_NOTE,
  SEVERITY_COUNT
};

struct doctor_rule;

struct doctor_finding {
  const struct doctor_rule *rule;
  int64_t gpu; /* the GPU's index, as the driver numbers it; -1: the finding is about the machine */
  char seen[EXPR_SIZE], expected[TEXT_SIZE], action[EXPR_SIZE];
};

/* A row of the table of rules. A rule counts as not broken if a fact that it needs is not known. */
struct doctor_rule {
  const char *id; /* name of the rule, whose meaning never changes */
  enum severity severity;
  /* The two functions return true if the rule is broken. They also write the observed state, and the expected state if
   * `expected` is NULL. Only one of them is set: of_machine is called once, of_gpu for each GPU that answers. */
  bool (*of_machine)(const struct doctor_facts *facts, struct doctor_finding *finding);
  bool (*of_gpu)(const struct doctor_facts *facts, const struct nvml_health *gpu, struct doctor_finding *finding);
  const char *expected; /* the expected state; NULL: the function writes it */
  /* what to do about the finding; {i} stands for the GPU's number */
  const char *action;
};

struct doctor_findings {
  struct doctor_finding *items; /* worst severity first, then in the order of the table */
  size_t count, of[SEVERITY_COUNT];
};
