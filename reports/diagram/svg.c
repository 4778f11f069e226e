/* From a diagram to its SVG. */
#include "diagram/svg.h"

#include "base/memory.h"
#include "diagram/draw.h"
#include "diagram/layout.h"

char *diagram_svg(struct diagram *d, struct err *why) {
  diagram_measure(d);
  if (diagram_layout(d, why) != 0) return NULL;
  struct memory_text drawing;
  diagram_draw(memory_text_begin(&drawing), d);
  return memory_text_end(&drawing);
}
