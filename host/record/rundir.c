/* Makes and extends the files of a run. The CSV format is that of record/csv/csv.h. */
#include "record/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/tree.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"
#include "record/foreign.h"

enum { PARENT_LONGEST = 3800 }; /* longest path of the parent folder; leaves room for the run's own name */

static int rundir_failed(struct err *err, const char *what) {
  return err_set(err, EXIT_FAILED, "%s: %s", what, strerror(errno));
}

static const char *const file_names[RUN_FILE_COUNT] = {"results.csv", "samples.csv", "slots.csv",
                                                       "graph.csv",   METRICS_FILE,  SPANS_FILE};

const char *rundir_file_name(enum run_file which) {
  return file_names[which];
}

const struct csv_table *rundir_table(enum run_file which) {
  static const struct csv_table *const tables[] = {NULL,       &samples_csv, &slots_csv,
                                                   &graph_csv, &metrics_csv, &spans_csv};
  return tables[which];
}

static void path_in_rundir(const struct rundir *dir, const char *name, char *to, size_t size) {
  snprintf(to, size, "%s/%s", dir->path, name);
}

static void begin_rundir(struct rundir *dir) {
  *dir = (struct rundir){.open = true, .fd = -1};
  for (int i = 0; i < RUN_FILE_COUNT; i++)
    dir->files[i].fd = -1;
}

/* ---- Appending rows: they are built in memory, then written at once ---- */

static int make_file(struct rundir *dir, enum run_file which, struct err *err) {
  char path[sizeof dir->path + 64];
  path_in_rundir(dir, file_names[which], path, sizeof path);
  dir->files[which].fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  dir->files[which].end = 0;
  file_hash_begin(file_hashes_of(&dir->hashes, file_names[which]));
  return dir->files[which].fd >= 0 ? 0 : rundir_failed(err, path);
}

/* Appends the text to a file. If it cannot be written completely, truncates the file to its former end. */
static int append_to_file(struct rundir *dir, enum run_file which, const char *text, size_t size, struct err *err) {
  int fd = dir->files[which].fd;
  struct stat info;
  size_t done = 0;
  errno = 0;
  while (done < size) {
    ssize_t wrote = pwrite(fd, text + done, size - done, dir->files[which].end + (int64_t)done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += (size_t)wrote;
  }
  const char *why = done < size ? strerror(errno) : NULL;
  if (why == NULL && fstat(fd, &info) == 0 && info.st_nlink == 0) why = "it was removed while the run went on";
  if (why == NULL) {
    dir->files[which].end += (int64_t)size;
    file_hash_add(file_hashes_of(&dir->hashes, file_names[which]), text, size);
    return 0;
  }
  bool cut = ftruncate(fd, dir->files[which].end) == 0;
  return err_set(err, EXIT_FAILED, "%s/%s: cannot write: %s%s", dir->path, file_names[which], why,
                 cut || done == 0 ? "" : "; its last row is cut off");
}

/* Ends the text `rows` and appends it to the file. Only frees the text if building it failed (`rc` is not 0). */
static int rows_end(struct rundir *dir, enum run_file which, struct memory_text *rows, int rc, struct err *err) {
  SCOPED char *text = memory_text_end(rows);
  if (rc == 0) rc = append_to_file(dir, which, text, rows->size, err);
  return rc;
}

/* Syncs the file to the disk, so that a power failure loses no finished case. Files that cannot be synced (special
 * files) are left as they are. */
static int settle(struct rundir *dir, enum run_file which, struct err *err) {
  int fd = dir->files[which].fd;
  if (dir->temporary || fd < 0 || dir->files[which].settled == dir->files[which].end) return 0;
  dir->files[which].settled = dir->files[which].end;
  if (fdatasync(fd) == 0 || errno == EINVAL || errno == ENOSYS) return 0;
  return err_set(err, EXIT_FAILED, "%s/%s: %s", dir->path, file_names[which], strerror(errno));
}

/* ---- Making a run directory ---- */

static int write_ignore(const char *parent, struct err *err) {
  char path[4096 + 16];
  snprintf(path, sizeof path, "%s/.gitignore", parent);
  FILE *file = fopen(path, "wx");
  if (file == NULL) return errno == EEXIST ? 0 : rundir_failed(err, path);
  fputs("*\n", file);
  return fclose(file) == 0 ? 0 : rundir_failed(err, path);
}

static int choose_parent(struct rundir *dir, struct err *err) {
  const char *base = getenv("GPUBENCH_OUT");
  text_copy(dir->parent, sizeof dir->parent, base && base[0] ? base : "gpubench-out");
  if (strlen(dir->parent) <= PARENT_LONGEST) return 0;
  return err_set(err, EXIT_USAGE, "GPUBENCH_OUT is longer than %d bytes", PARENT_LONGEST);
}

/* Makes a run directory named TIME-NAME. If that exists because another run started in the same second, appends a
 * number to the name. */
static int make_dated(struct rundir *dir, const char *name, struct err *err) {
  if (choose_parent(dir, err) != 0) return -1;
  if (tree_make(dir->parent, err) != 0 || write_ignore(dir->parent, err) != 0) return -1;
  for (int attempt = 1; attempt < 1000; attempt++) {
    char suffix[16] = "";
    if (attempt > 1) snprintf(suffix, sizeof suffix, "-%d", attempt);
    snprintf(dir->run_id, sizeof dir->run_id, "%.32s-%.128s%s", clock_date("%Y%m%dT%H%M%SZ").text, name, suffix);
    if (snprintf(dir->path, sizeof dir->path, "%.*s/%s", PARENT_LONGEST, dir->parent, dir->run_id) < 0) break;
    if (mkdir(dir->path, 0777) == 0) return 0;
    if (errno != EEXIST) break;
  }
  return rundir_failed(err, dir->path);
}

static int make_exact(struct rundir *dir, const char *out, struct err *err) {
  char parent[4096];
  if (!text_copy(dir->path, sizeof dir->path, out))
    return err_set(err, EXIT_USAGE, "--out %.200s...: path too long", out);
  size_t length = strlen(dir->path);
  while (length > 1 && dir->path[length - 1] == '/')
    dir->path[--length] = '\0';
  char *slash = strrchr(dir->path, '/');
  text_copy(dir->run_id, sizeof dir->run_id, slash ? slash + 1 : dir->path);
  text_copy(parent, sizeof parent, dir->path);
  if (slash != NULL && slash != dir->path) {
    parent[slash - dir->path] = '\0';
    if (tree_make(parent, err) != 0) return -1;
  }
  if (mkdir(dir->path, 0777) == 0) return 0;
  if (errno == EEXIST) return err_set(err, EXIT_USAGE, "--out %s exists; a run needs a new directory", dir->path);
  return rundir_failed(err, dir->path);
}

static int make_temporary(struct rundir *dir, const char *name, struct err *err) {
  const char *base = getenv("TMPDIR");
  snprintf(dir->path, sizeof dir->path, "%.*s/gpubench-XXXXXX", PARENT_LONGEST, base && base[0] == '/' ? base : "/tmp");
  text_copy(dir->run_id, sizeof dir->run_id, name);
  dir->temporary = true;
  return mkdtemp(dir->path) != NULL ? 0 : rundir_failed(err, dir->path);
}

/* Locks the directory for one writer; the lock ends with the process. On a file system that cannot lock, does
 * nothing. */
static int lock_run_folder(struct rundir *dir, struct err *err) {
  dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir->fd < 0) return rundir_failed(err, dir->path);
  if (flock(dir->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return 0;
  return err_set(err, EXIT_FAILED, "%s: another process still writes to it", dir->path);
}

int rundir_make(struct rundir *dir, enum run_file which, struct err *err) {
  struct memory_text rows;
  if (make_file(dir, which, err) != 0) return -1;
  memory_text_begin(&rows);
  int rc = which == FILE_RESULTS ? csv_write_header(rows.out, err)
                                 : csv_table_write_header(rows.out, rundir_table(which), err);
  return rows_end(dir, which, &rows, rc, err);
}

int rundir_place(const struct rundir_options *options, struct rundir *dir, struct err *err) {
  begin_rundir(dir);
  int rc = options->temporary ? make_temporary(dir, options->name, err)
           : options->out     ? make_exact(dir, options->out, err)
                              : make_dated(dir, options->name, err);
  return rc == 0 ? lock_run_folder(dir, err) : -1;
}

int rundir_begin(struct rundir *dir, struct err *err) {
  for (enum run_file i = 0; i < FILE_GRAPH; i++)
    if (rundir_make(dir, i, err) != 0) return -1;
  return 0;
}

int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err) {
  return rundir_place(options, dir, err) == 0 ? rundir_begin(dir, err) : -1;
}

/* Checks that `path` can be made, by making a folder in the first of its parents that exists, and removing it. */
static int check_folders(const char *path, int exit_code, struct err *err) {
  char part[4096];
  struct stat info;
  if (!text_copy(part, sizeof part, path)) return err_set(err, exit_code, "%.200s...: path too long", path);
  while (stat(part, &info) != 0) {
    if (errno != ENOENT) return err_set(err, exit_code, "%s: %s", path, strerror(errno));
    char *slash = strrchr(part, '/');
    if (slash != NULL) slash[slash == part] = '\0';
    if (slash == NULL) text_copy(part, sizeof part, ".");
  }
  /* makes a folder, because permissions alone do not tell whether that is possible: the file system may be read-only */
  SCOPED char *made = memory_print("%s/.gpubench-XXXXXX", part);
  const bool can = mkdtemp(made) != NULL && rmdir(made) == 0;
  if (!can) err_set(err, exit_code, "%s: %s", path, strerror(errno));
  return can ? 0 : -1;
}

int rundir_check(const struct rundir_options *options, struct err *err) {
  struct stat info;
  struct rundir dir = {0};
  if (options->temporary) return 0;
  if (options->out == NULL) return choose_parent(&dir, err) == 0 ? check_folders(dir.parent, EXIT_FAILED, err) : -1;
  if (lstat(options->out, &info) == 0)
    return err_set(err, EXIT_USAGE, "--out %s exists; a run needs a new directory", options->out);
  return check_folders(options->out, EXIT_USAGE, err) == 0 ? 0 : err_context(err, "--out");
}

/* ---- Opening a directory to resume its run ---- */

/* Sets dir->parent, the folder that contains the link `latest`, if the directory's name has the form that make_dated()
 * gives. */
static void find_parent(struct rundir *dir) {
  unsigned day, clock;
  int read = 0;
  char *slash = strrchr(dir->path, '/');
  if (sscanf(dir->run_id, "%8uT%6uZ-%n", &day, &clock, &read) != 2 || read != 17) return;
  text_copy(dir->parent, sizeof dir->parent, slash ? dir->path : ".");
  if (slash != NULL) dir->parent[slash - dir->path] = '\0';
}

int rundir_open(const char *path, struct rundir *dir, struct err *err) {
  struct stat info;
  begin_rundir(dir);
  SCOPED char *real = realpath(path, NULL); /* resolves the link `latest` */
  if (real == NULL) return err_set(err, EXIT_USAGE, "%.200s: %s", path, strerror(errno));
  const bool fits = text_copy(dir->path, sizeof dir->path, real);
  if (!fits) return err_set(err, EXIT_USAGE, "%.200s: %s", path, strerror(ENAMETOOLONG));
  if (stat(dir->path, &info) != 0 || !S_ISDIR(info.st_mode))
    return err_set(err, EXIT_USAGE, "%s is not a run directory", dir->path);
  text_copy(dir->run_id, sizeof dir->run_id, text_file_name(dir->path));
  find_parent(dir);
  return lock_run_folder(dir, err);
}

int rundir_attach(struct rundir *dir, enum run_file which, int64_t end, struct err *err) {
  char path[sizeof dir->path + 64];
  path_in_rundir(dir, file_names[which], path, sizeof path);
  dir->files[which].fd = open(path, O_RDWR | O_CLOEXEC);
  dir->files[which].end = end;
  dir->files[which].settled = -1;
  if (dir->files[which].fd < 0 || ftruncate(dir->files[which].fd, end) != 0) return rundir_failed(err, path);
  return file_hash_take(file_hashes_of(&dir->hashes, file_names[which]), path, err);
}

int rundir_put(struct rundir *dir, const char *name, const char *text, size_t size, struct err *err) {
  char path[sizeof dir->path + 64], draft[sizeof path + 8];
  path_in_rundir(dir, name, path, sizeof path);
  snprintf(draft, sizeof draft, "%s.new", path);
  if (tree_write(draft, text, size, err) != 0) return unlink(draft), -1;
  struct file_hash *hash = file_hashes_of(&dir->hashes, name);
  file_hash_begin(hash);
  file_hash_add(hash, text, size);
  return rename(draft, path) == 0 ? 0 : rundir_failed(err, path);
}

int rundir_unchanged(const struct rundir *dir, struct err *err) {
  return file_hashes_check(&dir->hashes, dir->path, err);
}

/* ---- Adding the results of a case ---- */

int rundir_add_slot(struct rundir *dir, const char *case_key, const char *variant, const char *mode,
                    const struct slot *slot, struct err *err) {
  const struct csv_series series = {case_key, variant, mode};
  struct memory_text rows;
  memory_text_begin(&rows);
  if (rows_end(dir, FILE_SAMPLES, &rows, samples_csv_write(rows.out, &series, slot, err), err) != 0) return -1;
  memory_text_begin(&rows);
  return rows_end(dir, FILE_SLOTS, &rows, slots_csv_write(rows.out, &series, slot, err), err);
}

static int add_graph(struct rundir *dir, const struct record *record, const struct graph_desc *graph, struct err *err) {
  struct memory_text rows;
  if (dir->files[FILE_GRAPH].fd < 0 && rundir_make(dir, FILE_GRAPH, err) != 0) return -1;
  memory_text_begin(&rows);
  return rows_end(dir, FILE_GRAPH, &rows, graph_csv_write(rows.out, record->case_key, record->variant, graph, err),
                  err);
}

static int add_metrics(struct rundir *dir, const struct record *record, const struct variant_extras *extras,
                       struct err *err) {
  const struct csv_series series = {record->case_key, record->variant, record->mode};
  struct memory_text rows;
  int rc = 0;
  if (extras->metric_count == 0) return 0;
  if (dir->files[FILE_METRICS].fd < 0 && rundir_make(dir, FILE_METRICS, err) != 0) return -1;
  memory_text_begin(&rows);
  for (size_t i = 0; i < extras->metric_count && rc == 0; i++)
    if (isfinite(extras->metrics[i].result.value)) /* without a finite value, the status of the row tells why */
      rc = metrics_csv_write(rows.out, &series, extras->metrics[i].epoch, &extras->metrics[i].result, err);
  return rows_end(dir, FILE_METRICS, &rows, rc, err);
}

static int add_spans(struct rundir *dir, const struct record *record, const struct variant_extras *extras,
                     struct err *err) {
  const struct csv_series series = {record->case_key, record->variant, record->mode};
  struct memory_text rows;
  if (extras->timeline.count == 0) return 0;
  if (dir->files[FILE_SPANS].fd < 0 && rundir_make(dir, FILE_SPANS, err) != 0) return -1;
  memory_text_begin(&rows);
  int rc = spans_csv_write(rows.out, &series, extras->timeline_epoch, &extras->timeline, err);
  return rows_end(dir, FILE_SPANS, &rows, rc, err);
}

static int add_extras(struct rundir *dir, const struct record *record, const struct variant_extras *extras,
                      struct err *err) {
  return add_metrics(dir, record, extras, err) != 0 ? -1 : add_spans(dir, record, extras, err);
}

static int add_records(struct rundir *dir, const struct record *records, size_t count, struct err *err) {
  struct memory_text rows;
  int rc = 0;
  memory_text_begin(&rows);
  for (size_t i = 0; i < count && rc == 0; i++)
    rc = csv_write_record(rows.out, &records[i], err);
  return rows_end(dir, FILE_RESULTS, &rows, rc, err);
}

/* Appends a finished case. Syncs the samples to the disk before the rows, so that a case that is in results.csv has all
 * its samples. */
int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err) {
  for (size_t i = 0; i < count; i++)
    if (result->variants[i].graph != NULL && add_graph(dir, &records[i], result->variants[i].graph, err) != 0)
      return -1;
  for (size_t i = 0; i < count; i++)
    if (add_extras(dir, &records[i], &result->variants[i].extras, err) != 0) return -1;
  for (enum run_file i = FILE_SAMPLES; i < RUN_FILE_COUNT; i++)
    if (settle(dir, i, err) != 0) return -1;
  return add_records(dir, records, count, err) == 0 ? settle(dir, FILE_RESULTS, err) : -1;
}

/* ---- Closing ---- */

static int close_file(struct rundir *dir, enum run_file which, struct err *err) {
  int fd = dir->files[which].fd, rc = settle(dir, which, err);
  dir->files[which].fd = -1;
  if (fd >= 0 && close(fd) != 0 && rc == 0) rc = rundir_failed(err, file_names[which]);
  return rc;
}

static int close_files(struct rundir *dir, struct err *err) {
  int rc = 0;
  if (!dir->open) return 0;
  for (enum run_file i = 0; i < RUN_FILE_COUNT; i++)
    if (close_file(dir, i, err) != 0) rc = -1;
  if (dir->fd >= 0) close(dir->fd);
  dir->fd = -1;
  return rc;
}

static void point_latest(const struct rundir *dir) {
  char latest[4200], draft[4300];
  snprintf(latest, sizeof latest, "%s/latest", dir->parent);
  snprintf(draft, sizeof draft, "%s/.latest-%d", dir->parent, (int)getpid());
  /* the link is optional, so failing to set it is no error */
  if (symlink(dir->run_id, draft) == 0 && rename(draft, latest) != 0) unlink(draft);
}

int rundir_close(struct rundir *dir, struct err *err) {
  int rc = close_files(dir, err);
  if (rc == 0 && dir->parent[0] != '\0' && getenv("CI") == NULL) point_latest(dir);
  return rc;
}

void rundir_discard(struct rundir *dir) {
  static const char *const also[] = {"run.ini", "report.html", FOREIGN_FILE};
  struct err ignored = {0};
  char path[sizeof dir->path + 64];
  close_files(dir, &ignored);
  if (!dir->temporary) return;
  for (size_t i = 0; i < RUN_FILE_COUNT + sizeof also / sizeof also[0]; i++) {
    path_in_rundir(dir, i < RUN_FILE_COUNT ? file_names[i] : also[i - RUN_FILE_COUNT], path, sizeof path);
    unlink(path);
  }
  rmdir(dir->path);
}
