#include "summary/conditions.h"

#include <stdio.h>
#include <string.h>

bool conditions_quick(const struct run_data *data) {
  const char *quick = run_data_get(data, "quick");
  if (quick != NULL && strcmp(quick, "0") != 0 && strcmp(quick, "no") != 0 && quick[0] != '\0') return true;
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].quick > 0) return true;
  return false;
}

void conditions_throttled(const struct run_data *data, char *to, size_t size) {
  size_t rows = 0;
  double most = 0;
  to[0] = '\0';
  for (size_t i = 0; i < data->count; i++) {
    double share = data->records[i].throttled_share;
    if (!(share > 0)) continue;
    rows++;
    if (share > most) most = share;
  }
  if (rows == 0) return;
  snprintf(to, size, "throttled in %zu of %zu rows, there in up to %.*f%% of the rounds", rows, data->count,
           most >= 0.0995 ? 0 : 1, 100 * most);
}
