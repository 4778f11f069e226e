/* Counts the results of comparisons and decides about the exit code. */
#include "commands/gate.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void gate_add(struct gate *gate, const struct compare *compare) {
  gate->threshold = compare->options.threshold;
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_run *run = &compare->runs[i];
    if (run->common == 0 && gate->apart[0] == '\0')
      snprintf(gate->apart, sizeof gate->apart, "'%.60s' and '%.60s'", compare->base_label, run->label);
    gate->slower += run->slower;
    gate->lost += run->outcomes[AGAINST_BROKEN];
    gate->runs++;
    gate->untimed_runs += run->outcomes[AGAINST_BOTH] == 0;
    gate->unchecked_runs += run->checked == 0;
    gate->unchecked += run->unchecked;
    for (enum gap gap = GAP_NONE; gap < GAPS; gap++)
      gate->gaps[gap] += run->gaps[gap];
  }
}

void gate_add_alone(struct gate *gate) {
  gate->runs++;
  gate->untimed_runs++;
  gate->unchecked_runs++;
}

static int fail_unjudged(const struct gate *gate, struct err *err) {
  char text[TEXT_SIZE] = "";
  size_t count = 0;
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++) {
    count += gate->gaps[gap];
    if (gate->gaps[gap] != 0) phrase_add(text, sizeof text, ", ", "%zu %s", gate->gaps[gap], gap_name(gap));
  }
  if (count == 0) return 0;
  return err_set(err, EXIT_UNJUDGED, "%zu row%s could not be judged: %s; --allow-unjudged lets them pass", count,
                 count == 1 ? "" : "s", text);
}

static int fail_unchecked(const struct gate *gate, struct err *err) {
  if (gate->unchecked == 0) return 0;
  return err_set(err, EXIT_UNJUDGED,
                 "%zu row%s correct in the base but not checked now; --allow-unjudged lets them pass", gate->unchecked,
                 gate->unchecked == 1 ? " was" : "s were");
}

int gate_judge(const struct gate *gate, const struct options *options, struct err *err) {
  if (gate->apart[0] != '\0')
    return err_set(err, EXIT_USAGE, "%s have no case, variant and mode in common", gate->apart);
  if (options->compare.fail_on == NULL || strcmp(options->compare.fail_on, "none") == 0) return 0;
  const bool times = strcmp(options->compare.fail_on, "slower") == 0;
  if (gate->lost != 0)
    return err_set(err, EXIT_REGRESSION, "%zu result%s no longer correct", gate->lost,
                   gate->lost == 1 ? " is" : "s are");
  if (times && gate->slower != 0)
    return err_set(err, EXIT_REGRESSION, "%zu confident regression%s beyond %g%%", gate->slower,
                   gate->slower == 1 ? "" : "s", 100 * gate->threshold);
  const size_t empty = times ? gate->untimed_runs : gate->unchecked_runs;
  if (gate->runs == 0 || empty != 0)
    return err_set(err, EXIT_UNJUDGED, "--fail-on %s has nothing to compare%s, so it does not pass",
                   options->compare.fail_on, empty < gate->runs ? " in one of the runs" : "");
  if (options->compare.allow_unjudged) return 0;
  return times ? fail_unjudged(gate, err) : fail_unchecked(gate, err);
}
