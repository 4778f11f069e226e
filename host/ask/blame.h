/* Who is to blame for what goes wrong in a worker. Several variants run in one process, and one may break what another
 * falls over: who is only probably at fault is a suspect. It is tried alone, in a process of its own, and if it does
 * well there once more beside what its speedup divides by.
 *
 * What goes wrong is a death, a callback that does not return, or an error that the worker reports: of a callback, of
 * the device, or of what a callback has left changed of the process, after which that process ends. Whose turn it was
 * stands in the shared page or in the report; those that are open have no status yet.
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
 * Wrong results are as reported, whoever else was there: what was computed is wrong. Where a suspect cannot be tried
 * since the device is lost, what it was suspected of counts (one_try). */
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

/* Holds against a variant what it was suspected of, unless its fate is settled or it did well alone. */
void blame_hold(struct epoch *e, size_t index);

/* Chooses who runs next: a suspected baseline, whom the others need; all of whom nothing is suspected; then the
 * suspects one by one. False when everything is settled. */
bool blame_choose(struct epoch *e);

#endif
