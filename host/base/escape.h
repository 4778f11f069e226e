/* Making untrusted text inert where it is shown. The only way by which such text reaches HTML, SVG, XML, Markdown,
 * labels or a terminal. JSON and CSV have writers that do it. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* For element content and quoted attributes of HTML and XML. Control characters, invalid UTF-8, noncharacters and
 * signs that change the direction of text become U+FFFD; tab and newline stay. NULL prints nothing. */
void escape_xml(FILE *out, const char *text);

/* For running text of Markdown and cells of its tables, not at the beginning of a line: on one line, without markup,
 * links, mentions or anything else but the characters. Those that escape_xml() replaces are replaced here too. */
void escape_markdown(FILE *out, const char *text);
/* The same of what printf would write. */
void escape_markdown_printf(FILE *out, const char *format, ...) ERR_PRINTF(2, 3);

/* For a label's value in OpenMetrics, between quotation marks. */
void escape_label(FILE *out, const char *text);

/* For a terminal: one line without control characters, in place. Without UTF-8, every other byte above ASCII too. */
void escape_terminal(char *text, bool utf8);

#endif
