/* The man page and the completions of shells, generated from the table of options when gpubench is built. */
#pragma once

#include <stdio.h>

void manual_page(FILE *out);
void manual_bash(FILE *out);
void manual_zsh(FILE *out);
void manual_fish(FILE *out);
