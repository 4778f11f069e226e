/* What a callback changed of the process, and how bad that is. */
#ifndef PLUGIN_PROCESS_FINDING_H
#define PLUGIN_PROCESS_FINDING_H

#include "base/err.h"

enum process_state_harm {
  PROCESS_STATE_NONE,
  PROCESS_STATE_UNDONE,  /* changed, and put back: the process is as before */
  PROCESS_STATE_LASTING, /* changed, and not to be put back: nobody else should run in this process */
  PROCESS_STATE_CUT,     /* the connection to the parent is gone: nothing can be reported but by dying */
};

struct process_state_finding {
  enum process_state_harm harm;
  char text[512]; /* "changed the umask to 0000, left process 4711 running"; empty where there is no harm */
};

/* One thing more that was changed. */
void process_finding_add(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...)
    ERR_PRINTF(3, 4);

#endif
