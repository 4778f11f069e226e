/* What running a case came to, variant by variant: what the parent keeps of a worker's answers. */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <math.h>

#include "model/message.h"
#include "model/proof/outside.h"
#include "model/proof/untimed.h"
#include "stats/energy.h"
#include "stats/stats.h"

struct epoch_metric {
  uint32_t epoch;
  struct metric_result result;
};

/* What the draft services of a variant hand to the parent, beside its times. */
struct variant_extras {
  struct note_list notes;
  struct epoch_metric *metrics; /* owned; of all processes that count, in their order */
  size_t metric_count;
  struct timeline timeline; /* of the last process that gave one */
  uint32_t timeline_epoch;
};

/* Says which metrics lack values that are not finite, of how many, and which have no figure. False: none. */
bool extras_lost(const struct variant_extras *extras, char *text, size_t size);

struct variant_result {
  enum row_status status;
  bool settled;                   /* its status is final */
  bool killed;                    /* and comes from outside: it is to be measured again */
  double needs_s;                 /* it is not run, since its calls would have taken so long; 0: that is not why */
  bool unfound;                   /* something is wrong in company, and there was no time to find out what */
  struct variant_figures figures; /* of the last of its processes; slots that were verified in all of them */
  double fresh_ns, fresh_unc_ns;  /* the mean over the processes that had such samples, so many; NaN: none had */
  uint32_t fresh_processes;
  uint32_t unproven; /* bits of model/proof/unproven.h, of any of its processes */
  struct untimed_times untimed[UNTIMED_KINDS];
  struct outside outside;       /* of any of its processes */
  struct energy_figures energy; /* of the first process that asked for them */
  char message[MSG_SIZE];
  struct slot *slots; /* owned samples */
  size_t slot_count;
  uint64_t set_aside;       /* samples that were repeated with more rest */
  struct graph_desc *graph; /* what its `prepare` stated; owned; NULL: nothing */
  struct variant_extras extras;
};

#define VARIANT_RESULT_NONE                                 \
  ((struct variant_result){.status = ROW_NOT_RUN,           \
                           .figures = VARIANT_FIGURES_NONE, \
                           .fresh_ns = NAN,                 \
                           .fresh_unc_ns = NAN,             \
                           .outside = OUTSIDE_NONE,         \
                           .energy = ENERGY_UNKNOWN})

struct case_result {
  struct variant_result *variants; /* as in the plan's case */
  size_t count;
  struct case_report report; /* of the last epoch */
  bool unheard;              /* the host was stopped meanwhile: what its clock says is of other times */
};

/* Sets aside what was timed with less rest than the last slot. */
void variant_result_rested(struct variant_result *variant);

/* Takes back what this epoch and later ones measured; 0: all of them. */
void variant_result_drop(struct variant_result *variant, uint32_t from_epoch);

/* Takes back what this epoch alone measured. */
void variant_result_forget(struct variant_result *variant, uint32_t epoch);

/* Its status is final, unless one is already. What is not OK has no samples, former processes' neither. `message` NULL:
 * as it is. */
void variant_result_settle(struct variant_result *variant, enum row_status status, const char *message);

/* It will not be measured any more; what processes before this epoch measured holds. */
void variant_result_give_up(struct variant_result *variant, uint32_t epoch, const char *why);

void case_result_free(struct case_result *result);

#endif
