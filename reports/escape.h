/* Making untrusted text inert where it is shown. The only way by which such text reaches HTML, SVG or a terminal. */
#ifndef REPORTS_ESCAPE_H
#define REPORTS_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

/* For element content and quoted attributes of HTML and XML. Control characters, invalid UTF-8, noncharacters and
 * signs that change the direction of text become U+FFFD; tab and newline stay. NULL prints nothing. */
void escape_xml(FILE *out, const char *text);

/* For a terminal: one line without control characters, in place. Without UTF-8, every other byte above ASCII too. */
void escape_terminal(char *text, bool utf8);

#endif
