/* Short texts of a judgement. */
#include "compare/against_words.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { HEAD_MOST = 24 /* characters of a column's heading */ };

void against_head(const struct run_data *data, char *to, size_t size) {
  const char *head = NULL;
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    const char *own = against_fact(data->runs[i].against, "head");
    head = head == NULL || strcmp(head, own) == 0 ? own : "base";
  }
  const char *end_of_head = text_or_empty(head);
  for (size_t i = 0; i < HEAD_MOST && *end_of_head != '\0'; i++) {
    size_t length = text_utf8_length(end_of_head);
    end_of_head += length != 0 ? length : 1;
  }
  snprintf(to, size, "vs %.*s%s", head != NULL ? (int)(end_of_head - head) : 0, text_or_empty(head),
           *end_of_head != '\0' ? "..." : "");
}

struct number against_ratio(const struct against_row *row) {
  struct number ratio = number_ratio(row->speedup, row->speedup);
  if (ratio.text[0] != '\0') strcat(ratio.text, "x");
  return ratio;
}

struct number against_interval(const struct against_row *row) {
  return number_interval(row->lo, row->hi, row->speedup);
}

void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size) {
  const char *threshold = against_fact(against, "threshold");
  bool beyond = row->beyond && threshold[0] != '\0';
  snprintf(to, size, "%s%s%.16s%s", stats_verdict_name(row->word), beyond ? " >" : "", beyond ? threshold : "",
           beyond ? "%" : "");
}

enum against_verdict against_worst(const struct run_data *data) {
  enum against_verdict worst = AGAINST_CLEAR;
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    const enum against_verdict verdict = against_verdict(data->runs[i].against);
    if (verdict > worst) worst = verdict;
  }
  return worst;
}
