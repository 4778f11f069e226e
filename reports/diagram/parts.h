/* What the files of diagram.h share. */
#ifndef DIAGRAM_PARTS_H
#define DIAGRAM_PARTS_H

#include <stdio.h>

#include "diagram/diagram.h"

enum { DIAGRAM_TITLE_MOST = 30, DIAGRAM_LINE_MOST = 34, DIAGRAM_LABEL_MOST = 22, DIAGRAM_LINES_MOST = 3 };

/* diagram/text.c: at most DIAGRAM_LINES_MOST lines of `most` columns, broken at spaces where there are any. */
void diagram_wrap(struct strings *lines, const char *text, size_t most);
/* Columns: one per code point, two for those of Asia. */
size_t diagram_columns(const char *text);

/* diagram/layout.c: fills in all places. */
int diagram_layout(struct diagram *d, struct err *err);
/* Takes the answer of the program apart; false: it is none. */
bool diagram_parse(struct diagram *d, const char *answer);

/* diagram/child.c: hands `request` to the program and returns what it answers, to be freed; NULL and the reason. */
char *diagram_ask(const char *request, size_t size, struct err *err);

/* diagram/draw.c */
void diagram_measure(struct diagram *d);
void diagram_draw(FILE *out, const struct diagram *d);

#endif
