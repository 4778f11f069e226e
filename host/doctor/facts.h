/* What is known of this machine before anything is measured on it: the driver and its GPUs, the processors, room for
 * files, and the tools that are installed. Only read, nothing is started and nothing is imported. */
#ifndef DOCTOR_FACTS_H
#define DOCTOR_FACTS_H

#include "doctor/deep.h"
#include "doctor/tools.h"
#include "machine/cpu_facts.h"
#include "machine/nvml_health.h"

enum { DOCTOR_PCI_MOST = 64 };

/* A GPU as the kernel lists it. */
struct doctor_pci {
  char pci[16];         /* "0000:3b:00.0" */
  char driver[ID_SIZE]; /* that holds it: "nvidia", "vfio-pci"; "": none */
  bool given;           /* its device node is there and this process may open it */
};

struct doctor_facts {
  struct nvml_machine nvml;
  char driver_ended[TEXT_SIZE]; /* not empty: asking the driver came to no end, or to a bad one */
  char kernel_driver[ID_SIZE];  /* the version of NVIDIA's module that is loaded; "": none */
  bool kernel_driver_loaded;
  bool gpu_expected; /* something says that a GPU is meant here: */
  char gpu_expected_why[TEXT_SIZE];
  size_t pci_count;
  struct doctor_pci pci[DOCTOR_PCI_MOST];
  int64_t has_uvm;             /* 1: CUDA's device node is there, 0, -1: there are no device nodes of NVIDIA */
  int64_t counters_admin_only; /* 1: performance counters are for administrators, 0, -1 */
  bool is_admin;
  int64_t wsl;            /* 2, 1: the version of the Windows Subsystem for Linux below this; 0: none */
  char kernel[TEXT_SIZE]; /* its release */
  int64_t cuda_build;     /* of this gpubench: 13000 for 13.0; 0: none */
  struct cpu_facts cpu;
  double shm_free, scratch_free; /* bytes; NaN */
  char scratch[TEXT_SIZE];       /* the folder */
  char scratch_fault[MSG_SIZE];  /* why nothing can be made there; "": it can */
  struct doctor_tool tools[TOOL_COUNT];
  struct doctor_deep deep; /* what --deep measured */
};

/* As the struct is where nothing was read. */
void doctor_facts_unknown(struct doctor_facts *facts);

/* Reads all but `deep`. `root`: below it are /proc, /sys, /dev and what is installed; "" is this machine. The driver is
 * asked by a process of its own, which has that many seconds. */
void doctor_facts_read(const char *root, double seconds, struct doctor_facts *facts);

/* Findings, by a table of rules. */

enum severity {
  SEVERITY_UNFIT,   /* wrong results, no results, or times that are not this GPU's */
  SEVERITY_WARNING, /* times may be others than elsewhere */
  SEVERITY_NOTE,
  SEVERITY_COUNT
};

struct doctor_rule;

struct doctor_finding {
  const struct doctor_rule *rule;
  int64_t gpu; /* by the driver's number; -1: the machine */
  char seen[EXPR_SIZE], expected[TEXT_SIZE], action[EXPR_SIZE];
};

/* One line of the table. What is not known breaks no rule. */
struct doctor_rule {
  const char *id; /* never changes its meaning */
  enum severity severity;
  /* Says what it has seen where the rule is broken, and what it expected where the table does not. One of the two:
   * of the machine, or of each GPU that answers. */
  bool (*of_machine)(const struct doctor_facts *facts, struct doctor_finding *finding);
  bool (*of_gpu)(const struct doctor_facts *facts, const struct nvml_health *gpu, struct doctor_finding *finding);
  const char *expected; /* NULL: the function says it */
  const char *action;   /* {i} is the GPU's number */
};

struct doctor_findings {
  struct doctor_finding *items; /* the worst first, then as in the table */
  size_t count, of[SEVERITY_COUNT];
};

#endif
