/* Tests the contrast of the report's colours, computed from the actual style sheet and charts. */
#include "html/assets.h"

#include <string.h>

#include "contrast.h"
#include "svg/draw.h"
#include "svg/svg.h"
#include "unit.h"

enum { SCHEMES = 3 };

static const char *const schemes[SCHEMES] = {"light", "dark", "print"};

/* Returns a colour of a scheme; the style sheet has one `:root{...}` for each scheme. */
static struct rgb color_of(size_t scheme, const char *name) {
  const char *at = html_css;
  char wanted[32];
  for (size_t i = 0; i <= scheme && at != NULL; i++)
    at = strstr(at + (i != 0), ":root{");
  snprintf(wanted, sizeof wanted, "--%s:#", name);
  const char *found = at != NULL ? strstr(at, wanted) : NULL;
  if (found == NULL || found > strchr(at, '}')) {
    UNIT_FAIL("%s has no --%s", schemes[scheme], name);
    return rgb_parse("#000000");
  }
  return rgb_parse(found + strlen(wanted) - 1);
}

static void assert_contrast(size_t scheme, struct rgb text, struct rgb ground, double least, const char *what,
                            const char *on) {
  double contrast = rgb_contrast(text, ground);
  if (contrast < least)
    UNIT_FAIL("%s: %s on %s has %.2f, needs %.1f", schemes[scheme], what, on, contrast, least);
  else
    UNIT_PASS();
}

static void black_on_white_is_21(void) {
  ASSERT_NEAR(rgb_contrast(rgb_parse("#000000"), rgb_parse("#fff")), 21, 1e-9);
  ASSERT_NEAR(rgb_contrast(rgb_parse("#777777"), rgb_parse("#ffffff")), 4.478, 1e-3);
}

/* Every text colour is readable on every background that it can have. */
static void text_can_be_read(void) {
  static const struct {
    const char *text, *grounds[5];
  } pairs[] = {
      {"fg", {"bg", "panel", "badbg", "win"}}, {"soft", {"bg", "panel", "badbg", "win"}},
      {"blue", {"bg", "win", "badbg"}},        {"orange", {"bg", "panel", "win"}},
      {"bad", {"bg", "badbg", "win"}},         {"good", {"bg", "panel"}},
  };
  for (size_t s = 0; s < SCHEMES; s++)
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
      for (size_t j = 0; pairs[i].grounds[j] != NULL; j++)
        assert_contrast(s, color_of(s, pairs[i].text), color_of(s, pairs[i].grounds[j]), 4.5, pairs[i].text,
                        pairs[i].grounds[j]);
}

static void marks_stand_out(void) {
  for (size_t s = 0; s < SCHEMES; s++)
    for (size_t i = 0; i < SVG_COLORS; i++)
      assert_contrast(s, rgb_parse(svg_colors[i]), color_of(s, "bg"), 3, svg_colors[i], "bg");
}

static void soft_text_of_charts_can_be_read(void) {
  ASSERT_HAS(SVG_SOFT, "\"0.78\"");
  for (size_t s = 0; s < SCHEMES; s++) {
    struct rgb ground = color_of(s, "bg");
    assert_contrast(s, rgb_blend(color_of(s, "fg"), ground, SVG_SOFT_OPACITY), ground, 4.5, "soft text of charts",
                    "bg");
  }
}

/* Neighbouring series of a chart must differ without colour as well, for readers who cannot tell colours apart: their
 * lines have different dashes. */
static void neighbours_differ_without_colour(void) {
  for (size_t i = 1; i < 5; i++)
    ASSERT_TRUE(strcmp(svg_dash(i), svg_dash(i - 1)) != 0);
}

UNIT_MAIN("style", UNIT_TEST(black_on_white_is_21), UNIT_TEST(text_can_be_read), UNIT_TEST(marks_stand_out),
          UNIT_TEST(soft_text_of_charts_can_be_read), UNIT_TEST(neighbours_differ_without_colour))
