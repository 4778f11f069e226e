/* Figures, cells and names of a comparison in words. compare/sentence.c has the first sentence. */
#include "compare/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/unproven.h"
#include "summary/summary.h"

void compare_say_name(const struct compare_voice *voice, const char *format, ...) {
  char text[MSG_SIZE * 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  voice->name(voice, text);
}

void compare_where(const struct compare_voice *voice, const struct compare *compare, const struct compare_row *row) {
  voice->name(voice, text_or_empty(row->base->variant));
  fputs(" at ", voice->out);
  compare_say_name(voice, "%s%s%s", compare->many_benches ? text_or_empty(row->base->bench) : "",
                   compare->many_benches ? " " : "", row->label);
  if (compare->many_modes) {
    fputs(", ", voice->out);
    voice->name(voice, text_or_empty(row->base->mode));
  }
  if (compare->many_devices) {
    fputs(" on ", voice->out);
    voice->name(voice, text_or_empty(row->base->devices));
  }
}

/* ---- Figures ---- */

void compare_change(const struct compare_ratio *ratio, char *to, size_t size) {
  double change = 100 * (1 / ratio->speedup - 1), lo = 100 * (1 / ratio->hi95 - 1), hi = 100 * (1 / ratio->lo95 - 1);
  int decimals = fabs(change) >= 99.95 ? 0 : fabs(change) < 9.95 && hi - lo < 0.1 ? 2 : 1;
  int used = snprintf(to, size, "%.*f%%", decimals, change);
  if (isfinite(lo) && isfinite(hi) && used > 0 && (size_t)used < size)
    snprintf(to + used, size - (size_t)used, " [%.*f, %.*f]", decimals, lo, decimals, hi);
}

void compare_speedup(const struct compare_ratio *ratio, char *to, size_t size) {
  const struct number interval = number_interval(ratio->lo95, ratio->hi95, ratio->speedup);
  snprintf(to, size, "%sx%s%s", number_ratio(ratio->speedup, ratio->speedup).text, interval.text[0] != '\0' ? " " : "",
           interval.text);
}

static void compare_left(const struct compare_ratio *ratio, char *to, size_t size) {
  const struct ratio *less = &ratio->less;
  const struct compare_ratio left = {.speedup = less->speedup, .lo95 = less->lo95, .hi95 = less->hi95};
  snprintf(to, size, "not known");
  if (less->speedup > 0) compare_speedup(&left, to, size);
}

void compare_run_line(const struct compare_voice *voice, const char *name, const struct run_data *data,
                      const struct compare_range *restarts) {
  const char *started = run_data_get(data, "started_utc"), *device = run_data_get(data, "device_name");
  if (device == NULL && data->count != 0) device = data->records[0].device_name;
  compare_say_name(voice, "%s", name);
  const char *const texts[] = {", ", started, ", on ", device};
  for (size_t i = 0; i < 4; i += 2) {
    if (texts[i + 1] == NULL) continue;
    fputs(texts[i], voice->out);
    compare_say_name(voice, "%s", texts[i + 1]);
  }
  fprintf(voice->out, ", %zu row%s", data->count, data->count == 1 ? "" : "s");
  if (restarts->most == 0) return;
  fputs(", ", voice->out);
  if (restarts->least != restarts->most) fprintf(voice->out, "%zu to ", restarts->least);
  fprintf(voice->out, "%zu restart%s", restarts->most, restarts->most == 1 ? "" : "s");
}

bool compare_restarts_vary(const struct compare_run *run) {
  return run->base_restarts.least != run->base_restarts.most || run->restarts.least != run->restarts.most;
}

/* ---- Cells --------------------------------------------------------------------------------------------------- */

static void say_message(const struct compare_voice *voice, const struct record *record) {
  if (record == NULL || record->message == NULL) return;
  fputs(": ", voice->out);
  compare_say_name(voice, "%.200s%s", record->message, strlen(record->message) > 200 ? "..." : "");
}

void compare_status(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell) {
  enum row_status before = row_status_of(base), after = cell->row != NULL ? row_status_of(cell->row) : ROW_UNKNOWN;
  if (cell->fate == AGAINST_ONLY_BASE) {
    fputs("not in this run", voice->out);
  } else if (cell->fate == AGAINST_MENDED) {
    fprintf(voice->out, "correct again, was %s", row_status_words(before));
    say_message(voice, base);
  } else if (after != ROW_OK) {
    fprintf(voice->out, "%s%s", before == after ? "in both " : "", row_status_words(after));
    say_message(voice, cell->row);
  } else if (before != ROW_OK) {
    fprintf(voice->out, "was %s", row_status_words(before));
    say_message(voice, base);
  } else {
    fputs("correct, not timed in both", voice->out);
  }
}

struct mark {
  const char *what, *before, *after; /* without `after` it is said as it is */
};

bool compare_marks(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell) {
  const struct record *row = cell->row;
  size_t count = 0;
  if (cell->fate != AGAINST_BOTH) return false;
  char left[192] = "", why[MSG_SIZE];
  unproven_words(cell->unproven, why, sizeof why);
  if (cell->ratio.floored) compare_left(&cell->ratio, left, sizeof left);
  const bool otherwise = cell->unlike != NULL && strcmp(cell->unlike, "contract") != 0;
  const struct mark marks[] = {
      {"because", why, NULL},
      {"less the floor", left, NULL},
      {"contract", text_or_empty(base->contract), text_or_empty(row->contract)},
      {"math", text_or_empty(base->math), text_or_empty(row->math)},
      {"base", text_or_empty(base->conditions), NULL},
      {"conditions", text_or_empty(row->conditions), NULL},
      {"another", otherwise ? cell->unlike : "", NULL},
  };
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const struct mark *mark = &marks[i];
    if (mark->after != NULL ? strcmp(mark->before, mark->after) == 0 : mark->before[0] == '\0') continue;
    if (voice == NULL) return true;
    fprintf(voice->out, "%s%s ", count++ ? "; " : "", mark->what);
    compare_say_name(voice, "%.300s", mark->before);
    if (mark->after == NULL) continue;
    fputs(" -> ", voice->out);
    compare_say_name(voice, "%.120s", mark->after);
  }
  return count != 0;
}

void compare_rest(const struct compare *compare, size_t first, char *to, size_t size) {
  size_t words[5] = {0}, other = 0, used = 0;
  to[0] = '\0';
  for (size_t i = first; i < compare->row_count; i++)
    for (size_t j = 0; j < compare->run_count; j++) {
      const struct compare_cell *cell = &compare->rows[i].cells[j];
      if (cell->fate == AGAINST_BOTH && cell->word != VERDICT_NONE)
        words[cell->word]++;
      else
        other++;
    }
  for (enum verdict word = VERDICT_SAME; word <= VERDICT_UNDECIDED; word++)
    if (words[word] != 0 && used < size)
      used +=
          (size_t)snprintf(to + used, size - used, "%s%zu %s", used ? ", " : "", words[word], stats_verdict_name(word));
  if (other != 0 && used < size) snprintf(to + used, size - used, "%s%zu without a verdict", used ? ", " : "", other);
}
