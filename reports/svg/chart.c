/* Which drawing shows these figures. */
#include "svg/bars.h"
#include "svg/dots.h"
#include "svg/lines.h"

void svg_chart(FILE *out, const struct svg_chart *chart) {
  if (chart->category_count == 1)
    svg_bars(out, chart);
  else if (chart->x != NULL)
    svg_lines(out, chart);
  else
    svg_dots(out, chart);
}
