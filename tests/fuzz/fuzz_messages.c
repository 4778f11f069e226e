/* Plays a worker process that sends its parent arbitrary messages, from the description of a plugin to the results.
 * Covers the parent's code for these messages: describe, plan, pool, run_case, analyse and the files of the run. */
#include "hostile_worker.h"

#include "analyse/analyse.h"
#include "ask/describe.h"
#include "ask/run_case.h"
#include "ask/supports.h"
#include "base/memory.h"
#include "options/selection.h"
#include "plan/build.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"
#include "record/run_load.h"

enum { SAMPLES, SLOTS, GRAPH, RESULTS, FILES };

/* The run's files, in memory. */
static struct {
  FILE *out;
  char *text;
  size_t size;
} files[FILES];

static char plugin[4096];

/* Makes an empty file in place of a plugin; nothing opens it. */
static void make_plugin(void) {
  const char *where = getenv("TMPDIR");
  snprintf(plugin, sizeof plugin, "%s/gpubench-fuzz-XXXXXX", where != NULL ? where : "/tmp");
  int fd = mkstemp(plugin);
  MUST(fd >= 0);
  close(fd);
}

static void remove_plugin(void) {
  unlink(plugin);
}

/* ---- Files of the run ---- */

static void open_files(void) {
  struct err err = {0};
  for (size_t i = 0; i < FILES; i++)
    files[i].out = open_memstream(&files[i].text, &files[i].size);
  csv_table_write_header(files[SAMPLES].out, &samples_csv, &err);
  csv_table_write_header(files[SLOTS].out, &slots_csv, &err);
  csv_table_write_header(files[GRAPH].out, &graph_csv, &err);
  csv_write_header(files[RESULTS].out, &err);
}

static void keep_slot(void *user, const struct plan_case *p, size_t variant, const struct slot *slot) {
  const struct csv_series series = {p->key, p->variants[variant].name, mode_name(p->mode)};
  struct err err = {0};
  (void)user;
  MUST(variant < p->variant_count && slot->count > 0);
  for (uint32_t i = 0; i < slot->count; i++)
    MUST(slot->ns[i] >= 0 && isfinite(slot->ns[i]));
  samples_csv_write(files[SAMPLES].out, &series, slot, &err);
  slots_csv_write(files[SLOTS].out, &series, slot, &err);
}

/* Checks that the files that were written can be read. */
static void read_files(void) {
  static int (*const readers[FILES])(FILE *, const char *, struct run_data *, struct err *) = {
      samples_csv_read, slots_csv_read, graph_csv_read, run_file_results};
  struct run_data data = {.run_count = 1};
  data.runs = xcalloc(1, sizeof *data.runs);
  for (size_t i = 0; i < FILES; i++) {
    struct err err = {0};
    fclose(files[i].out);
    struct fuzz_file file = fuzz_file((const uint8_t *)files[i].text, files[i].size);
    FILE *in = fopen(file.path, "r");
    if (readers[i](in, file.path, &data, &err) != 0) {
      fprintf(stderr, "%s\n%s\n", err.text, files[i].text);
      abort();
    }
    fclose(in);
    close(file.fd);
    free(files[i].text);
  }
  run_data_free(&data);
}

/* ---- The run ---- */

static void log_line(const struct log_message *message) {
  MUST(fuzz_printable(message->plugin) && fuzz_printable(message->text));
}

static void check_result(const struct plan_case *p, const struct case_result *result) {
  for (size_t i = 0; i < result->count; i++) {
    const struct variant_result *v = &result->variants[i];
    MUST(v->settled && v->status < ROW_UNKNOWN && fuzz_printable(v->message) && fuzz_printable(v->figures.math));
    MUST(v->status == ROW_OK || v->slot_count == 0);
    MUST(p->variants[i].status == ROW_NOT_RUN || v->status == p->variants[i].status);
  }
}

static void record_case(const struct plan_case *p, const struct case_result *result, const struct pool *pool) {
  const struct run_identity identity = {
      .run_id = "run", .host = "here", .facts = &pool->facts, .catalog = pool->catalog, .ceilings = CEILINGS_UNKNOWN};
  struct record *records = xcalloc(p->variant_count, sizeof *records);
  struct err err = {0};
  analyse_case(p, result, &identity, records);
  for (size_t i = 0; i < p->variant_count; i++) {
    csv_write_record(files[RESULTS].out, &records[i], &err);
    const struct graph_desc *graph = result->variants[i].graph;
    if (graph != NULL) graph_csv_write(files[GRAPH].out, p->key, p->variants[i].name, graph, &err);
    record_free(&records[i]);
  }
  free(records);
  MUST(err.exit_code == 0);
}

static bool run_case(struct pool *pool, struct plan_case *p) {
  const struct run_case_settings settings = {.slot = keep_slot, .precision = 0.01, .case_time_s = 1, .restarts = 2};
  struct case_result result;
  struct err err = {0};
  if (ask_supports(pool, p, 1, &err) != 0) {
    fuzz_refused(&err, pool->opened ? EXIT_FAILED : EXIT_USAGE, EXIT_DEVICE);
    return false;
  }
  bool ran = ask_run_case(pool, p, &settings, &result, &err) == 0;
  if (ran) check_result(p, &result);
  if (!ran) fuzz_refused(&err, EXIT_FAILED, EXIT_DEVICE);
  record_case(p, &result, pool);
  case_result_free(&result);
  return ran;
}

/* Returns false if an axis has a range or a long list of values: it makes many cases, which is correct but slow. */
static bool is_small(const struct catalog *catalog) {
  size_t commas = 0;
  for (uint32_t b = 0; b < catalog->plugins[0].desc.bench_count; b++) {
    const struct bench_desc *bench = &catalog->plugins[0].benches[b];
    for (uint32_t i = 0; i < bench->axis_count; i++)
      for (const char *s = bench->axes[i].values; *s != '\0'; s++) {
        if (*s == ':') return false;
        commas += *s == ',';
      }
  }
  return commas <= 8;
}

static void run_plan(const struct catalog *catalog) {
  struct pool pool = {.catalog = catalog, .device = "cpu", .timeout_s = 60, .recovery_s = 1e-9, .log = log_line};
  struct selection all;
  struct plan plan = {0};
  struct err err = {0};
  selection_init(&all, "command line");
  int rc = plan_build(catalog, &all, 1, "cpu", &plan, &err);
  if (rc != 0) fuzz_refused(&err, EXIT_USAGE, EXIT_FAILED);
  for (size_t i = 0; i < plan.count && i < 2; i++)
    if (!run_case(&pool, &plan.cases[i])) break;
  pool_free(&pool);
  plan_free(&plan);
  selection_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct catalog catalog = {0};
  struct err err = {0};
  size_t index;
  if (plugin[0] == '\0') {
    make_plugin();
    atexit(remove_plugin);
  }
  begin_script(data, size);
  open_files();
  if (describe_plugin(&catalog, plugin, LOADER_ALL, 60, &index, &err) != 0)
    fuzz_refused(&err, EXIT_USAGE, EXIT_DEVICE);
  else if (is_small(&catalog))
    run_plan(&catalog);
  read_files();
  catalog_free(&catalog);
  MUST(worker.socket < 0);
  return 0;
}
