/* Results of a case, variant by variant: what the parent keeps of the worker's answers. */
#pragma once

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

/* Data of a variant in addition to its times, which a plugin gave through the services gb.note/1, gb.metric/1 and
 * gb.span/1. */
struct variant_extras {
  struct note_list notes;
  /* owned; the metrics of all processes whose samples count, in the order of the processes */
  struct epoch_metric *metrics;
  size_t metric_count;
  struct timeline timeline; /* the timeline from the last process that sent one */
  uint32_t timeline_epoch;
};

/* Writes which metrics lost values because these were not finite: how many values were lost, and how many there were in
 * all. Also writes which metrics have no finite result. Returns false if there are no such metrics. */
bool extras_lost(const struct variant_extras *extras, char *text, size_t size);

struct variant_result {
  enum row_status status;
  bool settled;   /* the variant's status is final */
  bool killed;    /* the variant's process was killed from outside, so the variant is measured again */
  double needs_s; /* if the variant was not run for lack of time: seconds that its calls would have needed; else 0 */
  /* the variant failed when it was measured with others, and there was no time to find out which variant caused that */
  bool unfound;
  struct variant_figures figures; /* figures of the variant's last process, except for those that ask/answer.c combines
                                     over all processes */
  /* time on new inputs, and its uncertainty: means over the `fresh_processes` that measured it; NaN: none did */
  double fresh_ns, fresh_unc_ns;
  uint32_t fresh_processes;
  uint32_t unproven; /* bits of model/proof/unproven.h, from any process of the variant */
  struct untimed_times untimed[UNTIMED_KINDS];
  /* times of batches of calls by the parent's own clock, combined over the processes of the variant (ask/answer.c) */
  struct outside outside;
  struct energy_figures energy; /* figures of the first process that measured energy */
  char message[MSG_SIZE];
  struct slot *slots; /* owned, and so are their samples */
  size_t slot_count;
  uint64_t discarded_samples; /* number of samples that were discarded and repeated after longer pauses (cooldowns) */
  struct graph_desc *graph;   /* the graph in which the variant's `prepare` described its work; owned; NULL: none */
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
  struct variant_result *variants; /* in the order in which the plan's case lists them */
  size_t count;
  struct case_report report; /* the report of the last process that measured the case */
  /* the parent process was stopped for a while during the case (by a signal). Its clock went on, so times that it
   * measured may be too long */
  bool unheard;
};

/* Drops the slots (series of samples) that were timed after a shorter pause (cooldown) than the last slot of the same
 * process. */
void variant_result_rested(struct variant_result *variant);

/* Drops the samples and extras of epoch `from_epoch` (one worker process) and later ones; 0: those of all epochs. */
void variant_result_drop(struct variant_result *variant, uint32_t from_epoch);

/* Drops the samples and metrics of this epoch (one worker process) only. */
void variant_result_forget(struct variant_result *variant, uint32_t epoch);

/* Sets the final status of the variant, unless it already has one. If the status is not OK, drops the variant's
 * samples, also those of earlier processes. With `message` NULL the message stays as it is. */
void variant_result_settle(struct variant_result *variant, enum row_status status, const char *message);

/* Ends the measurement of the variant from this epoch (one worker process) on; samples of earlier ones are kept. */
void variant_result_give_up(struct variant_result *variant, uint32_t epoch, const char *why);

void case_result_free(struct case_result *result);
