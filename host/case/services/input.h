/* gb.input/1 and gb.progress/1. */
#ifndef CASE_SERVICES_INPUT_H
#define CASE_SERVICES_INPUT_H

#include <gpubench/ext/input.h>
#include <gpubench/ext/progress.h>

extern const gb_input_ext services_input;
extern const gb_progress_ext services_progress;

#endif
