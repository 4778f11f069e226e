/* Signals of the parent: the first SIGINT, SIGTERM or SIGHUP asks workers to finish their round, and a second later
 * ends them; the second ends them at once; a third one kills this process. Two within a fifth of a second are one:
 * timeout(1) and some shells send to the process and to its group. SIGHUP stays ignored where it was (nohup); SIGPIPE
 * and SIGXFSZ become errors of the write. */
#ifndef WORKER_SIGNALS_H
#define WORKER_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

void signals_catch(void);
int signals_last(void);      /* the last signal received, or 0 */
bool signals_insisted(void); /* more than one */
int signals_continued(
    void); /* changes when this process goes on that was stopped, by whomever: its clock was not heard */

/* After a signal the next one kills this process at once: nothing is left but reports. */
void signals_release(void);

/* Asks workers to finish their round, as the first signal does, for a reason of our own. */
void signals_ask_to_finish(void);
/* From this time on, INT64_MAX: never; `why` is for people and stays theirs. */
void signals_finish_by(int64_t ns, const char *why);

bool signals_asked_to_finish(void); /* by whomever */
bool signals_waited(void);          /* and it was long enough ago */
bool signals_out_of_time(void);     /* by no signal */
const char *signals_why(void);      /* then, for people: "interrupted" */

/* In a child: what this process ignores or catches is no business of a plugin's. */
void signals_reset(void);

#endif
