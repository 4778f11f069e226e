/* Decides which variant is to blame when something goes wrong in a worker. Variants share a process, and one may break
 * what another one needs. So a variant is only a suspect until it was measured alone, in a process that has loaded only
 * its plugin and the one that defines its bench. If it does well there, it runs once more together with its baseline,
 * the variant that its speedup divides by. If a suspect's result was wrong in one of n verifications, it is verified
 * alone so often that such a fault would show with a probability of 95% (verifications_for()).
 *
 * A fault is a death, a callback that does not return, a wrong result, or an error that the worker reports. The status
 * page or the report says which variant was running. A variant is settled when it has its final status; it may still
 * run as the baseline of others.
 *
 *   measured           running at the fault        consequence                       test_blame.c
 *   all together       an unsettled variant        it becomes a suspect              one_among_others
 *                      a settled variant, that     all become suspects               the_baseline_had_done_well
 *                        is, a baseline that
 *                        did well
 *                      no variant: a callback      all become suspects               the_bench_was_running,
 *                        of the bench, or none                                         nothing_was_running,
 *                                                                                      a_bench_that_reports_an_error
 *                      no variant: `setup`, the    all are blamed                    setup_before_anybody
 *                        first thing that the
 *                        process ran
 *   one alone          anything                    it is blamed                      sure_of_one
 *                      no variant: a callback of   all are blamed: it is the         a_bench_that_hangs
 *                        the bench that does not     bench, and each attempt costs
 *                        return, as once before      as long as the limit
 *                        with another one alone
 *   one that did well  anything                    it keeps its result from alone,   beside_the_baseline
 *   alone, with its                                  and has no speedup
 *   baseline
 *
 * "All" in the table means all unsettled variants. One that did well without its baseline (blame_did_well()) keeps its
 * result when all are blamed (a_bench_that_hangs_costs_no_result, a_result_is_kept_until_the_baseline_runs_too).
 *
 * A variant counts as measured alone only in the first request that its process serves; with --in-process, if the
 * request has no other variant. No variant is blamed
 *   if the user ended the run                                                       e2e/signals
 *   if the device is lost                                                           a_lost_device
 *   for a worker's failure after an error that named a variant                      a_failure_with_a_culprit
 *   for the first death in a case that was caused from outside: it is repeated      e2e/limits
 *
 * A suspect that cannot be measured alone, because the device is lost or time is over, is not_run. host/docs/hangs.md
 * tells how much time suspects get. */
#pragma once

#include "ask/epoch.h"

/* Call it when the worker process has died, or has claimed too early that it is done. */
void blame_for_death(struct epoch *e, const struct ending *ending);

/* Call it when the worker lives, but could not serve the request. */
void blame_for_failure(struct epoch *e, const struct ending *ending);

/* Call it when the worker reports an error of a variant, or a fault of the device. */
void blame_for_report(struct epoch *e, const struct variant_report *report);

/* Returns true if the variant is a suspect, and this epoch does not measure it alone: then the epoch gives it no
 * status. Also true for a variant that was a suspect before and is settled. `place` is its index in the request. */
bool blame_is_suspect(const struct epoch *e, uint32_t place);

/* Returns true if the variant did well without a baseline of it, so that it has a result: it is waiting or cleared (the
 * states in ask/blame.c), or was before it was settled. `index`, here and below: its index in the plan. */
bool blame_did_well(const struct epoch *e, size_t index);

/* Gives up on a suspect that could not be measured alone: its status becomes not_run, and its message says that the
 * cause of the fault was not found. Does nothing if the variant has its final status or did well alone. */
void blame_hold(struct epoch *e, size_t index);

/* Gives a variant that did well the final status ok. If it alone was suspected, its row names the plugins whose
 * variants ran in its process, as they may have caused the fault. The row says "cause not found" if there were none, or
 * no time to verify the variant often enough. See blame_end() if all variants were suspected. */
void blame_clear(struct epoch *e, size_t index);

/* Call it when no more processes will measure the case. If all variants of a process were suspected of one fault, the
 * rows of those that are ok say "cause not found". But if some variant of the case failed, they do not say so, because
 * that variant may have caused the fault. */
void blame_end(struct epoch *e);

/* Chooses the variants that the next process measures: first a suspect that is the baseline of unsettled variants; then
 * together all variants that were never suspects; then the other suspects one by one. A suspect runs alone, and
 * together with its baseline if it did well alone (EPOCH_BESIDE). Returns false when every variant is settled.
 *
 * Some unsettled variant can always be chosen: each waiting one waits for a suspect that does not wait. */
bool blame_choose(struct epoch *e);
