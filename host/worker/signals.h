/* Signals of the parent. The first SIGINT, SIGTERM or SIGHUP asks workers to finish their round of samples, and kills
 * them a second later. The second kills them at once, and the third kills this process. Two within 0.2 s count as one,
 * because timeout(1) and some shells signal twice. SIGHUP stays ignored if it was (nohup); SIGPIPE and SIGXFSZ become
 * errors of the write. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void signals_catch(void);
int signals_last(void);      /* the last signal received, or 0 */
bool signals_insisted(void); /* true after more than one signal */
int signals_continued(void); /* a number that changes whenever this process receives SIGCONT, as after a stop; while
                                it was stopped, nobody watched its workers */

/* If a signal has come, lets the next one kill this process at once, because only reports are left to write. */
void signals_release(void);

/* Asks workers to finish their round, as the first signal does. */
void signals_ask_to_finish(void);
/* Asks workers to finish their round at this time; INT64_MAX: never. `why` is the reason for the user; it is kept, not
 * copied. */
void signals_finish_by(int64_t ns, const char *why);

bool signals_asked_to_finish(void); /* true if workers were asked to finish, by a signal or otherwise */
bool signals_waited(void);          /* true from a second after workers were asked to finish */
bool signals_out_of_time(void);     /* true if workers were asked to finish because of the time, not by a signal */
const char *signals_why(void);      /* the reason why workers were asked to finish, for the user: "interrupted" */

/* Restores the default signal handling in a child, so that plugins do not inherit ours. */
void signals_reset(void);
