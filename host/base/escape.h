/* Escapes untrusted text for output. All such text in HTML, SVG, XML, Markdown, labels or on a terminal goes through
 * these functions. The JSON and CSV writers escape texts themselves. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Writes element content or quoted attribute values of HTML and XML. Control characters, invalid UTF-8, noncharacters
 * and characters that change the direction of text become U+FFFD; tab and newline stay. NULL prints nothing. */
void escape_xml(FILE *out, const char *text);

/* Writes text for the inside of a Markdown line or table cell; the beginning of a line would need other escapes. The
 * text stays on one line and becomes no markup, link or mention. Characters that escape_xml() replaces are replaced
 * here too. */
void escape_markdown(FILE *out, const char *text);

/* Prints like fprintf(), but escapes the text of each %s with `escape`; the format itself may contain markup. Supports
 * %s, %f and %g (with or without a precision), %d, %zu and %%; any other conversion aborts the program. */
typedef void escape_fn(FILE *out, const char *text);
void escape_print(FILE *out, escape_fn *escape, const char *format, ...) ERR_PRINTF(3, 4);
#define xml_print(out, ...) escape_print(out, escape_xml, __VA_ARGS__)
#define markdown_print(out, ...) escape_print(out, escape_markdown, __VA_ARGS__)

/* Write a text that stands between quotation marks: escape_label() as the value of an OpenMetrics label, escape_dot()
 * as a label in Graphviz's DOT. The caller writes the quotation marks. */
void escape_label(FILE *out, const char *text);
void escape_dot(FILE *out, const char *text);

/* Makes the text one line without control characters, in place. If the terminal has no UTF-8 (`utf8` is false), each
 * character outside of ASCII becomes '?'. */
void escape_terminal(char *text, bool utf8);
/* Returns a function that writes a text as escape_terminal() would change it. */
escape_fn *escape_for_terminal(bool utf8);
