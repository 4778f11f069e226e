/* Who is to blame for what goes wrong in a worker. Several variants run in one process, and one may break what another
 * falls over: who is only probably at fault is a suspect, to be tried apart in a process of its own.
 *
 * When the process is gone, or has said too early that it is done. It is sure where somebody was tried apart, where
 * only one was asked about, and where a callback outlasted its limit. Whose turn it was stands in the shared page;
 * where somebody is tried apart it was his. Those that are open have no status yet.
 *
 *   sure  whose turn it was                  then                       test_blame.c
 *   yes   of one that is open                it is blamed               sure_of_one
 *   yes   of a settled one, or nobody's      all open ones are blamed   sure_of_nobody_in_particular
 *   no    of one that is open                it is a suspect            one_among_others
 *   no    of a settled one: a baseline that  all open ones are          the_baseline_had_done_well
 *         has done well                        suspects
 *   no    nobody's, in a callback of the     all open ones are blamed   the_bench_was_running
 *         bench
 *   no    nobody's, between callbacks        all open ones are          nothing_was_running
 *                                              suspects
 *
 * When the process lives:
 *
 *   it has reported on all                   each is as reported        e2e/run
 *   one error behind another's               the later one is a suspect: an_error_behind_anothers
 *                                              CUDA's runtime hands the code of a failed call to whoever asks next
 *   it failed, and somebody is settled       that was the culprit,      a_failure_with_a_culprit
 *                                              nobody else is blamed
 *   it failed, for the device is lost        nobody is blamed           a_lost_device
 *   it failed otherwise                      all are: it was the bench  a_failure_of_the_bench
 *
 * When the user had it ended nobody is blamed: e2e/signals. Who was tried apart has had the one try: what he was
 * suspected of counts, unless he did well (one_try). */
#ifndef ASK_BLAME_H
#define ASK_BLAME_H

#include "ask/epoch.h"

/* The process is gone: blames whoever is at fault. */
void blame_for_death(struct epoch *e, const struct ending *ending);

/* The worker lives, but could not do what it was asked. */
void blame_for_failure(struct epoch *e, const struct ending *ending);

/* True when an error that is reported may be another variant's; then this one is a suspect. */
bool blame_another(struct epoch *e, const struct variant_report *report);

/* Waits to be tried apart? `place`: in the request. */
bool blame_is_suspect(const struct epoch *e, uint32_t place);

/* Holds against a variant what it was suspected of, unless its fate is settled. */
void blame_hold(const struct epoch *e, size_t index);

/* Chooses who runs next: a suspected baseline, whom the others need; all of whom nothing is suspected; then the
 * suspects one by one. False when everything is settled. */
bool blame_choose(struct epoch *e);

#endif
