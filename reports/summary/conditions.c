#include "summary/conditions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary/row.h"

bool conditions_quick(const struct run_data *data) {
  const char *quick = run_data_get(data, "quick");
  if (quick != NULL && strcmp(quick, "0") != 0 && strcmp(quick, "no") != 0 && quick[0] != '\0') return true;
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].quick > 0) return true;
  return false;
}

void conditions_isolated(const struct run_data *data, char *to, size_t size) {
  const char *isolated = run_data_get(data, "isolated");
  bool any = isolated != NULL && isolated[0] != '\0';
  for (size_t i = 0; i < data->count; i++)
    any = any || data->records[i].isolated > 0;
  to[0] = '\0';
  if (!any) return;
  snprintf(to, size, "isolated: each plugin in a process of its own, slots in turn%s%s", isolated != NULL ? "; " : "",
           isolated != NULL ? isolated : "");
}

void conditions_throttled(const struct run_summary *summary, char *to, size_t size) {
  size_t rows = 0;
  double most = 0;
  to[0] = '\0';
  for (size_t i = 0; i < summary->bench_count; i++)
    for (struct bench_walk at = {.bench = &summary->benches[i]}; bench_walk(&at);) {
      if (summary->benches[i].yardstick || !row_contends(at.row) || !(at.row->throttled_share > 0)) continue;
      rows++;
      most = fmax(most, at.row->throttled_share);
    }
  if (rows == 0) return;
  snprintf(to, size, "throttled in %zu of %zu results, there in up to %.*f%% of the rounds", rows, summary->timed,
           most >= 0.0995 ? 0 : 1, 100 * most);
}
