/* Prints a trend on the terminal. */
#include "terminal/terminal.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "terminal/lines.h"

/* Draws the times of the last TREND_SPARKS nights (nightly runs), one character for each night. The height of a
 * character shows where the time is between the lowest and the highest; a night without a time is a dot. */
static void trend_spark(const struct trend_row *row, size_t nights, bool utf8, char *to, size_t size) {
  static const char *const blocks[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                       "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
  static const char *const signs[] = {"_", ",", "-", "~", "=", "+", "*", "#"};
  const size_t from = nights > TREND_SPARKS ? nights - TREND_SPARKS : 0;
  double least = INFINITY, most = 0;
  for (size_t i = from; i < nights; i++) {
    const double ns = row->series->points[i].ns;
    if (isnan(ns)) continue;
    least = fmin(least, ns);
    most = fmax(most, ns);
  }
  /* the scale covers at least 2%, so that small noise looks small */
  const double span = fmax(most - least, 0.02 * most);
  const double bottom = fmax(0, (most + least) / 2 - span / 2);
  to[0] = '\0';
  for (size_t i = from; i < nights; i++) {
    const double ns = row->series->points[i].ns;
    const int level = isnan(ns) ? 0 : (int)fmin(7, 8 * (ns - bottom) / span);
    const char *sign = isnan(ns) ? (utf8 ? "\xC2\xB7" : ".") : utf8 ? blocks[level] : signs[level];
    if (strlen(to) + strlen(sign) < size) strcat(to, sign);
  }
}

static void print_level(const struct trend_row *row, FILE *out) {
  if (isnan(row->ns)) return;
  const struct number_unit unit = number_time_unit(row->ns);
  const struct number interval = number_interval(row->lo / unit.ns, row->hi / unit.ns, row->ns / unit.ns);
  fprintf(out, " %s%s%s", number_time(row->ns).text, interval.text[0] ? " " : "", interval.text);
}

static void print_more(const struct trend_row *row, const struct trend_look *look, FILE *out) {
  char text[TEXT_SIZE], detectable[64] = "";
  trend_grounds(row, text, sizeof text);
  if (text[0] != '\0') fprintf(out, "; %s", text);
  if (look->verbose && !isnan(row->now->detectable))
    snprintf(detectable, sizeof detectable, "%sdetects %.1f%%", trend_has_change(row) || text[0] ? "; " : "  ",
             100 * row->now->detectable);
  fputs(detectable, out);
}

static bool is_news(enum trend_kind kind) {
  return kind == TREND_BROKEN || kind == TREND_MISSING;
}

static void print_change(const struct trend *trend, const struct trend_row *row, const struct trend_look *look,
                         FILE *out) {
  char text[TEXT_SIZE], cause[4 * TEXT_SIZE];
  if (!trend_has_change(row)) {
    if (row->kind == TREND_STEADY) return;
    fputs("  ", out);
    grid_styled(out, is_news(row->kind) ? GRID_ORANGE : GRID_FAINT, look->color, trend_kind_word(row->kind));
    return;
  }
  const bool slower = row->change > 0;
  const char *glyph = slower ? (look->utf8 ? "\xE2\x96\xBC" : "v") : look->utf8 ? "\xE2\x96\xB2" : "^";
  snprintf(text, sizeof text, "%s %+.1f%% %s", glyph, 100 * row->change, trend_kind_word(row->kind));
  fputs("  ", out);
  grid_styled(out, slower ? GRID_ORANGE : GRID_BLUE, look->color, text);
  if (row->first_bad < trend->data->night_count)
    fprintf(out, " since %.10s", trend->data->nights[row->first_bad].started);
  trend_cause(trend, row, cause, sizeof cause);
  if (cause[0] != '\0') table_say(out, look->utf8, ", %s", cause);
}

static void print_series_line(const struct trend *trend, const struct trend_row *row, const struct trend_look *look,
                              FILE *out) {
  char name[TREND_NAME], spark[4 * TREND_SPARKS + 1];
  trend_name(row, name, sizeof name);
  table_text(out, GRID_BOLD, look->color, look->utf8, name);
  trend_spark(row, trend->data->night_count, look->utf8, spark, sizeof spark);
  fprintf(out, "\n  %s", spark);
  print_level(row, out);
  print_change(trend, row, look, out);
  print_more(row, look, out);
  fputc('\n', out);
}

static size_t print_series_list(const struct trend *trend, const struct trend_look *look, FILE *out) {
  size_t shown = 0, changed = 0;
  for (size_t i = 0; i < trend->count; i++) {
    const struct trend_row *row = &trend->rows[i];
    const bool quiet = (row->kind == TREND_STEADY || row->kind == TREND_GONE) && row->open == TREND_CLOSED;
    const bool plain = quiet || row->series->yardstick;
    changed += !plain;
    if (!look->verbose && (plain || shown == TREND_LINES_MAX)) continue;
    print_series_line(trend, row, look, out);
    shown++;
  }
  if (changed > shown) fprintf(out, "and %zu more; -v shows all\n", changed - shown);
  return shown;
}

static void print_nights(const struct trend *trend, const struct trend_look *look, FILE *out) {
  const struct history_data *data = trend->data;
  char marks[2 * TEXT_SIZE], line[4 * TEXT_SIZE];
  size_t absent = 0;
  for (size_t i = 0; i < data->night_count; i++)
    absent += trend->absent[i];
  snprintf(line, sizeof line, "%zu, from %.10s to %.10s", data->night_count, data->nights[0].started,
           data->nights[data->night_count - 1].started);
  if (absent > 0) phrase_add(line, sizeof line, "; ", "%zu days between them without one", absent);
  table_line(out, look->utf8, "nights", line);
  for (size_t i = data->night_count > TREND_WINDOW ? data->night_count - TREND_WINDOW : 0; i < data->night_count; i++) {
    const struct history_night *night = &data->nights[i];
    trend_marks(trend, i, marks, sizeof marks);
    if (night->fault[0] == '\0' && marks[0] == '\0') continue;
    snprintf(line, sizeof line, "%.10s %s%s%s", night->started, night->fault, night->fault[0] && marks[0] ? "; " : "",
             marks);
    table_line(out, look->utf8, night->fault[0] ? "not whole" : "machine", line);
  }
}

void trend_print(const struct trend *trend, FILE *out, const struct trend_look *look) {
  char sentence[MSG_SIZE * 2];
  trend_sentence(trend, sentence, sizeof sentence);
  table_text(out, GRID_BOLD, look->color, look->utf8, sentence);
  fputc('\n', out);
  if (look->quiet || trend->data->night_count == 0) return;
  fputc('\n', out);
  if (print_series_list(trend, look, out) > 0) fputc('\n', out);
  print_nights(trend, look, out);
  if (trend_count_open(trend, trend->data->night_count - 1, TREND_ASKS) > 0)
    fputs(
        "note        Nights only suspect: measure the old and the new plugin side by side, old=FILE new=FILE; history "
        "suspects says which, history decide takes the answer.\n",
        out);
}
