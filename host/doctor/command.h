/* The doctor command: is this machine fit for measurements? */
#pragma once

#include "options/options.h"

/* Runs the command and returns the exit code: 6 if the machine is unfit. */
int doctor_command(const struct options *options, struct err *err);
