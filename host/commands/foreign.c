/* --foreign: from files to runs in memory and to their directories. */
#include "commands/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"

int cmd_foreign_load(const struct strings *files, struct foreign_rows *rows, struct err *err) {
  *rows = (struct foreign_rows){0};
  for (size_t i = 0; i < files->count; i++) {
    struct foreign_rows next;
    if (foreign_load(files->items[i], &next, err) != 0) {
      foreign_free(rows);
      return -1;
    }
    foreign_merge(rows, &next, FOREIGN_ANY_RUN);
  }
  return 0;
}

static int write_rows(const void *what, FILE *out, struct err *err) {
  const struct foreign_rows *rows = what;
  int result = foreign_write_header(out, err);
  for (size_t i = 0; i < rows->count && result == 0; i++)
    result = foreign_write_row(out, &rows->items[i], err);
  return result;
}

int cmd_foreign_text(const struct foreign_rows *rows, char **text, size_t *size, struct err *err) {
  *text = NULL;
  FILE *out = open_memstream(text, size);
  if (out == NULL) return err_set(err, EXIT_FAILED, "out of memory for foreign rows");
  int result = write_rows(rows, out, err);
  if (fclose(out) != 0 && result == 0) result = err_set(err, EXIT_FAILED, "out of memory for foreign rows");
  return result;
}

/* The report in the directory shows them, so they belong there. */
static int keep(struct run_data *data, struct err *err) {
  size_t size = strlen(data->dir) + sizeof "/" FOREIGN_FILE;
  char *path = xcalloc(size, 1);
  snprintf(path, size, "%s/" FOREIGN_FILE, data->dir);
  int result = output_write(path, write_rows, &data->foreign, err);
  bool known = false;
  for (size_t i = 0; i < data->runs[0].files.count; i++)
    known = known || strcmp(data->runs[0].files.items[i], FOREIGN_FILE) == 0;
  if (result == 0 && !known) strings_add(&data->runs[0].files, FOREIGN_FILE);
  free(path);
  return result;
}

int cmd_foreign_add(const struct strings *files, struct run_data *data, struct err *err) {
  struct foreign_rows rows;
  if (files->count == 0) return 0;
  if (cmd_foreign_load(files, &rows, err) != 0) return -1;
  foreign_merge(&data->foreign, &rows, data->run_count == 1 ? 0 : FOREIGN_ANY_RUN);
  run_data_share(data);
  return data->dir != NULL ? keep(data, err) : 0;
}
