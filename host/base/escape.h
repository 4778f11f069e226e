/* Escapes untrusted text for output. All such text in HTML, SVG, XML, Markdown, labels or on a terminal goes through
 * these functions. The JSON and CSV writers escape it themselves. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Writes element content or quoted attribute values of HTML and XML. Control characters, invalid UTF-8, noncharacters
 * and characters that change the direction of text become U+FFFD; tab and newline stay. NULL prints nothing. */
void escape_xml(FILE *out, const char *text);

/* Writes running text of Markdown or a cell of its tables, but not the beginning of a line. The text stays on one line
 * and becomes no markup, link or mention. Characters that escape_xml() replaces are replaced here too. */
void escape_markdown(FILE *out, const char *text);
/* Escapes the text that printf() would write. */
void escape_markdown_printf(FILE *out, const char *format, ...) ERR_PRINTF(2, 3);

/* Writes a label's value in OpenMetrics, between quotation marks. */
void escape_label(FILE *out, const char *text);

/* Makes the text one line without control characters, in place. If the terminal has no UTF-8, every other byte above
 * ASCII is replaced too. */
void escape_terminal(char *text, bool utf8);

#endif
