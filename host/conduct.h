/* RUN, parent side: one case through a worker, and through another one without the culprit when something dies. */
#ifndef CONDUCT_H
#define CONDUCT_H

#include "crew.h"
#include "stats.h"

struct variant_result {
  enum row_status status;
  bool settled; /* its status is final */
  uint64_t extra_bytes;
  double error, tolerance;
  char math[ID_SIZE];
  char message[MSG_SIZE];
  struct slot *slots; /* owned samples */
  size_t slot_count;
};

struct case_result {
  struct variant_result *variants; /* as in the plan's case */
  size_t count;
  struct case_report report; /* of the last epoch */
};

struct conduct_settings {
  double precision, case_time_s;
  uint64_t seed;
  bool quick, verify_only, profile;
};

/* Asks `supports` for every variant and notes its fate. -1: no worker could be had. */
int conduct_supports(struct crew *crew, struct plan_case *plan_case, struct err *err);

/* Runs the case; every variant ends with a status. -1: no worker could be had; what is not settled is ROW_NOT_RUN. */
int conduct_case(struct crew *crew, const struct plan_case *plan_case, const struct conduct_settings *settings,
                 struct case_result *result, struct err *err);
void case_result_free(struct case_result *result);

#endif
