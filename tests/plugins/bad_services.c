/* Variants that misuse an experimental function of gpubench, each in one way, and return GB_OK. The variant
 * `litter` makes the removal of its scratch folder difficult: it leaves links to folders and files elsewhere
 * (environment variable SERVICES_BAIT), deep folders, folders without permissions, and a child process that has a
 * file open there. */
#include <fcntl.h>
#include <gpubench/draft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "simple.h"

static gb_drafts drafts;

static gb_registry *my_registry;

/* ---- In prepare ---- */

static void note_name(gb_case *c) {
  gb_notef(&gb, c, "no name", "x");
}

static void note_many(gb_case *c) {
  char key[16];
  for (int i = 0; i < 17; i++) {
    snprintf(key, sizeof key, "k%d", i);
    gb_notef(&gb, c, key, "x");
  }
}

static void note_long(gb_case *c) {
  char text[512];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  gb.note->set(c, "long", text);
}

static void option_late(gb_case *c) {
  gb_option_declare(&gb, my_registry, GB_I64, "late", "1", NULL, NULL, NULL);
  gb.option->i64(c, "late");
}

static void option_type(gb_case *c) {
  gb.option->str(c, "number");
}

static void metric_unknown(gb_case *c) {
  gb.metric->add(c, "nobody", 1);
}

static void metric_declared(gb_case *c) {
  gb_metric_declare(&gb, c, "late", NULL, GB_BETTER_MORE, GB_AGGREGATE_MEAN, NULL);
}

static void span_prepare(gb_case *c) {
  drafts.span->wanted(c);
}

static void (*const in_prepare[])(gb_case *) = {note_name,   note_many,      note_long,       option_late,
                                                option_type, metric_unknown, metric_declared, span_prepare};

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  void (*misuse)(gb_case *) = *(void (*const *)(gb_case *))self->user;
  (void)vstate;
  misuse(c);
  return GB_OK;
}

/* ---- In run ---- */

static gb_status backwards(const gb_variant *self, gb_case *c, void *vstate) {
  if (gb_span_wanted(&drafts, c)) gb_span_add(&drafts, c, "lane", "ends before it begins", 2000, 1000);
  return simple_run(self, c, vstate);
}

static gb_status elsewhen(const gb_variant *self, gb_case *c, void *vstate) {
  if (gb_span_wanted(&drafts, c)) gb_span_add(&drafts, c, "lane", "in another age", INT64_MIN, INT64_MAX);
  return simple_run(self, c, vstate);
}

static gb_status scratch_in_run(const gb_variant *self, gb_case *c, void *vstate) {
  gb.scratch->directory(c);
  return simple_run(self, c, vstate);
}

static gb_status alloc_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  gb.mem->alloc(c, GB_MEM_HOST, 8);
  return GB_OK;
}

static gb_status fail_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  return gb_failf(&gb, c, GB_EFAIL, "nothing is cold");
}

static gb_status umask_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c, (void)vstate;
  umask(0);
  return GB_OK;
}

static gb_status nan_run(const gb_variant *self, gb_case *c, void *vstate) {
  gb.metric->add(c, "m0", NAN);
  gb.metric->add(c, "m1", INFINITY);
  gb.metric->add(c, "m2", 1);
  gb.metric->add(c, "m3", 1e308); /* the sum overflows */
  return simple_run(self, c, vstate);
}

/* ---- Litter ---- */

static void write_text(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0 && write(fd, "text", 4) == 4) close(fd);
}

static void tempt(const char *bait) {
  char path[5000];
  if (bait == NULL) return;
  snprintf(path, sizeof path, "%s/file", bait);
  if (symlink(bait, "folder") != 0 || symlink(path, "link") != 0 || link(path, "hard") != 0) return;
  if (symlink("..", "up") != 0 || symlink("/", "root") != 0 || symlink("itself", "itself") != 0) return;
}

static void dig(void) {
  for (int i = 0; i < 200 && mkdir("d", 0700) == 0 && chdir("d") == 0; i++)
    write_text("file");
}

static gb_status litter(const gb_variant *self, gb_case *c, void **vstate) {
  const char *directory = gb.scratch->directory(c), *hang = getenv("SERVICES_HANG");
  char here[4096];
  (void)self;
  (void)vstate;
  if (directory == NULL) return GB_EFAIL;
  if (getcwd(here, sizeof here) == NULL || chdir(directory) != 0) return gb_failf(&gb, c, GB_EFAIL, "cannot go there");
  tempt(getenv("SERVICES_BAIT"));
  mkdir("closed", 0700);
  write_text("closed/file");
  chmod("closed", 0);
  mkdir("sealed", 0500);
  write_text(".hidden");
  write_text("=new\nline; rm -rf *");
  dig();
  if (chdir(here) != 0) return gb_failf(&gb, c, GB_EFAIL, "cannot come back");
  if (hang != NULL &&
      fork() == 0) { /* the child keeps a file in the scratch directory open and goes on writing to it */
    char path[4200];
    setsid();
    snprintf(path, sizeof path, "%s/held", directory);
    for (int i = 0; i < 6000; i++) {
      const struct timespec nap = {0, 10000000};
      write_text(path);
      nanosleep(&nap, NULL);
    }
    _exit(0);
  }
  if (hang != NULL) {
    const struct timespec nap = {60, 0};
    write_text(hang); /* tells the test that the child is writing */
    nanosleep(&nap, NULL);
  }
  return GB_OK;
}

#define IN_PREPARE(label, index)                                                        \
  static const gb_variant variant_##index = {                                           \
      GB_SIZE(gb_variant),        .name = label,      .backend = "cpu", .math = "fp32", \
      .user = &in_prepare[index], .prepare = prepare, .run = simple_run}
IN_PREPARE("note-name", 0);
IN_PREPARE("note-many", 1);
IN_PREPARE("note-long", 2);
IN_PREPARE("option-late", 3);
IN_PREPARE("option-type", 4);
IN_PREPARE("metric-unknown", 5);
IN_PREPARE("metric-declared", 6);
IN_PREPARE("span-prepare", 7);
static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant variant_backwards = SIMPLE_VARIANT("backwards", backwards);
static const gb_variant variant_elsewhen = SIMPLE_VARIANT("elsewhen", elsewhen);
static const gb_variant variant_scratch = SIMPLE_VARIANT("scratch-run", scratch_in_run);
static const gb_variant variant_nan = SIMPLE_VARIANT("nan", nan_run);
static const gb_variant variant_alloc = {GB_SIZE(gb_variant), .name = "before-alloc", .backend = "cpu",
                                         .math = "fp32",      .before = alloc_before, .run = simple_run};
static const gb_variant variant_fails = {GB_SIZE(gb_variant), .name = "before-fails", .backend = "cpu",
                                         .math = "fp32",      .before = fail_before,  .run = simple_run};
static const gb_variant variant_umask = {GB_SIZE(gb_variant), .name = "before-umask", .backend = "cpu",
                                         .math = "fp32",      .before = umask_before, .run = simple_run};
static const gb_variant variant_litter = {GB_SIZE(gb_variant), .name = "litter",  .backend = "cpu",
                                          .math = "fp32",      .prepare = litter, .run = simple_run};

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  static const uint32_t aggregates[] = {GB_AGGREGATE_MEAN, GB_AGGREGATE_MEAN, GB_AGGREGATE_MEAN, GB_AGGREGATE_SUM};
  char name[8];
  gb_status status = simple_setup(self, c, state);
  for (uint32_t i = 0; i < 4 && status == GB_OK; i++) {
    snprintf(name, sizeof name, "m%u", i);
    status = gb_metric_declare(&gb, c, name, NULL, GB_BETTER_NEITHER, aggregates[i], NULL);
  }
  return status;
}

static gb_status setup_many(const gb_bench *self, gb_case *c, void **state) {
  char name[8];
  for (int i = 0; i < 33; i++) {
    snprintf(name, sizeof name, "m%d", i);
    gb_metric_declare(&gb, c, name, NULL, GB_BETTER_NEITHER, GB_AGGREGATE_MEAN, NULL);
  }
  return simple_setup(self, c, state);
}

static gb_status setup_unknown(const gb_bench *self, gb_case *c, void **state) {
  gb_metric_declare(&gb, c, "m", NULL, 7, GB_AGGREGATE_MEAN, NULL);
  return simple_setup(self, c, state);
}

#define BENCH(label, list, function)                                                                       \
  {                                                                                                        \
    GB_SIZE(gb_bench), .name = label, .contract = "gpubench.org/test/" label "/1", .summary = "y = 2 * x", \
                       .variants = list, .setup = function, .reference = simple_reference                  \
  }
static const gb_variant *const misuses[] = {&good,        &variant_0,         &variant_1,        &variant_2,
                                            &variant_3,   &variant_4,         &variant_5,        &variant_6,
                                            &variant_7,   &variant_backwards, &variant_elsewhen, &variant_scratch,
                                            &variant_nan, &variant_alloc,     &variant_fails,    &variant_umask,
                                            NULL};
static const gb_variant *const plain[] = {&good, NULL}, *const litters[] = {&good, &variant_litter, NULL};
static const gb_bench services = BENCH("misuse", misuses, setup), many = BENCH("many", plain, setup_many),
                      unknown = BENCH("unknown", plain, setup_unknown), littered = BENCH("litter", litters, setup);

static gb_status services_open(const gb_host *host, gb_registry *registry, void **self) {
  const gb_bench *const all[] = {&services, &many, &unknown, &littered};
  (void)self;
  my_registry = registry;
  gb_status status = gb_sdk_open(&gb, host);
  gb_drafts_open(&drafts, host);
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_I64, "number", "4k", NULL, "B", NULL);
  for (int i = 0; i < 4 && status == GB_OK; i++)
    status = host->add(host, registry, all[i]);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "misuse", .version = "1.0", .open = services_open};
