/* gb.script/1: what a plugin that runs scripts is told of its script. */
#ifndef CASE_SERVICES_SCRIPT_H
#define CASE_SERVICES_SCRIPT_H

#include <gpubench/ext/script.h>

extern const gb_script_ext services_script;

#endif
