/* Diagrams: who beats whom, what the variants launch, the machine. */
#include "html/gallery.h"

void html_diagrams(const struct page *page) {
  struct gallery g;
  gallery_init(&g, page);
  bool compared = false;
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (!page->summary.benches[i].yardstick) compared = gallery_pairwise(&g, i, !compared) || compared;
  if (compared) fputs("</div>\n", page->out);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (!page->summary.benches[i].yardstick) gallery_graphs(&g, i);
  gallery_machines(&g);
  gallery_end(&g);
}
