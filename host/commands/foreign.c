/* --foreign: from files to runs in memory and to their directories. */
#include "commands/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"

/* The report in the directory shows them, so they belong there. */
static int keep(struct run_data *data, struct err *err) {
  SCOPED char *path = memory_print("%s/" FOREIGN_FILE, data->dir);
  int result = output_write(path, foreign_write, &data->foreign, err);
  bool known = false;
  for (size_t i = 0; i < data->runs[0].files.count; i++)
    known = known || strcmp(data->runs[0].files.items[i], FOREIGN_FILE) == 0;
  if (result == 0 && !known) strings_add(&data->runs[0].files, FOREIGN_FILE);
  return result;
}

int foreign_add(const struct strings *files, struct run_data *data, struct err *err) {
  struct foreign_rows rows;
  if (files->count == 0) return 0;
  if (foreign_load_all(files, &rows, err) != 0) return -1;
  foreign_merge(&data->foreign, &rows, data->run_count == 1 ? 0 : FOREIGN_ANY_RUN);
  run_data_share(data);
  return data->dir != NULL ? keep(data, err) : 0;
}
