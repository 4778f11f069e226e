/* The diagrams of a page. Each has its figures beside it, which stand for it where it cannot be drawn. */
#ifndef HTML_GALLERY_H
#define HTML_GALLERY_H

#include <time.h>

#include "diagram/diagram.h"
#include "html/page.h"

enum { GALLERY_ROWS_MAX = 120 /* of one table */ };

struct gallery {
  const struct page *page;
  FILE *out;
  bool begun; /* the section's heading is written */
  size_t drawn, failed;
  struct timespec began;
  char why[TEXT_SIZE]; /* why nothing is drawn any more; empty: it is */
};

void gallery_init(struct gallery *g, const struct page *page);

/* Closes the section, where there is one. */
void gallery_end(struct gallery *g);

/* A heading; before the first the section's. */
void gallery_part(struct gallery *g, const char *title);
/* A figure; false, and the reason in the page where it is a new one: there is none. */
bool gallery_draw(struct gallery *g, struct diagram *d, const char *caption);
/* Figures: folded below a drawing, open where there is none. */
void gallery_table_open(struct gallery *g, bool folded, const char *caption, const char *const *heads, size_t count);
void gallery_table_close(struct gallery *g, bool folded);

/* html/gallery_pairwise.c: who beats whom in a bench; `first`: it opens the part. False: there are fewer than three to
 * compare. */
bool gallery_pairwise(struct gallery *g, size_t bench, bool first);
/* html/gallery_graphs.c: what the variants of a bench launch. */
void gallery_graphs(struct gallery *g, size_t bench);
/* html/gallery_machines.c: the machine of each run. */
void gallery_machines(struct gallery *g);

#endif
