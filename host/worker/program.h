/* What a worker's process runs: this binary anew; or, where it has scripts, a Python that has the worker as a library.
 */
#ifndef WORKER_PROGRAM_H
#define WORKER_PROGRAM_H

/* Replaces this process; returns where that fails. `python`: the interpreter, or NULL. The others are the worker's
 * arguments. */
void program_become(const char *python, char *parent, char *scratch);

#endif
