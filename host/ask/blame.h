/* Who is to blame for what goes wrong in a worker. Several variants run in one process, and one may break what another
 * falls over, or write into its outputs: a variant is a suspect until it was tried alone, in a process that has loaded
 * its bench's owner and its own provider; if it does well there it runs once more beside what its speedup divides by.
 * It is told only what was seen alone. A wrong result that was seen in one of n looks is looked for in so many looks
 * alone that one as frequent would be seen with 95% (looks_for()), while there is time.
 *
 * What goes wrong is a death, a callback that does not return, a wrong result, or an error that the worker reports: of
 * a callback, of the device, or of what a callback has left changed of the process, after which that process ends.
 * Whose turn it was stands in the shared page or in the report; those that are open have no status yet.
 *
 *   who takes part     whose turn it was           then                              test_blame.c
 *   all together       of one that is open         it is a suspect                   one_among_others
 *                      of a settled one: a         all open ones are suspects        the_baseline_had_done_well
 *                        baseline that did well
 *                      nobody's: in a callback     all open ones are suspects        the_bench_was_running,
 *                        of the bench's, or none                                       nothing_was_running
 *                      nobody's, in `setup`, and   all are blamed                    setup_before_anybody
 *                        the process had run
 *                        nothing before
 *   one, alone         anybody's                   it is blamed                      sure_of_one
 *                      nobody's: for the second    all are blamed: it is the         a_bench_that_hangs
 *                        time in this case a         bench, and each try costs as
 *                        callback of the bench's     long as the limit
 *                        does not return
 *   one that had done  anybody's                   it keeps what it did alone, and   beside_the_baseline
 *   well alone, beside                               has no speedup
 *   what it divides by
 *
 * A process is alone only with its first request. Nobody is blamed
 *   where the user had it ended                                                     e2e/signals
 *   where the device is lost                                                        a_lost_device
 *   for a worker's failure behind an error that has named somebody                  a_failure_with_a_culprit
 *   for the first death in a case that came from outside: it is repeated            e2e/limits
 * Who cannot be tried, since the device is lost or time is over, is not run, "in company; cause not found". Trials may
 * take what is left to the case, half as much again, and what the run has to spare (run_limit_trials_until()). */
#ifndef ASK_BLAME_H
#define ASK_BLAME_H

#include "ask/epoch.h"

/* The process is gone, or has said too early that it is done. */
void blame_for_death(struct epoch *e, const struct ending *ending);

/* The worker lives, but could not do what it was asked. */
void blame_for_failure(struct epoch *e, const struct ending *ending);

/* An error, or a fault of the device, is reported. */
void blame_for_report(struct epoch *e, const struct variant_report *report);

/* Waits to be tried apart? `place`: in the request. */
bool blame_is_suspect(const struct epoch *e, uint32_t place);

/* Gives up on a suspect that was not tried alone: it is not called what it was suspected of. Nothing where its fate is
 * settled or it did well alone. */
void blame_hold(struct epoch *e, size_t index);

/* A variant that did well is ok. Of one that was a suspect the row says that it was harmed, and by whom that may have
 * been; or that the cause was not found, where it was not looked at as often as that takes. */
void blame_clear(struct epoch *e, size_t index);

/* Chooses who runs next: a suspected baseline, which the others need; all of which nothing is suspected; then the
 * suspects one by one. False when everything is settled. */
bool blame_choose(struct epoch *e);

#endif
