/* Tests the optional services (functions that plugins may call) as a plugin sees them: kept values, refused calls,
 * discarded values. */
#include <gpubench/draft.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case/calls.h"
#include "case/services/services.h"
#include "fixture_case.h"
#include "model/services/metric.h"

static struct bed bed;
static gb_drafts drafts;
static struct outcome outcome;

static void begin(enum phase phase) {
  gb_drafts_open(&drafts, gb.host);
  call_begin(bed.c, phase, phase == PHASE_SETUP ? OWNER_BENCH : 0);
}

/* Ends a callback that returns GB_OK. Returns the message if the callback counts as failed nevertheless, else "". */
static const char *ends(void) {
  call_end(bed.c, GB_OK, &outcome);
  return outcome.message;
}

/* ---- gb.note/1 ---- */

static struct note_list noted;
static uint32_t note_calls;

static void take_notes(uint32_t variant, const struct note_list *notes) {
  ASSERT_EQ_INT(variant, 3);
  noted = *notes;
  note_calls++;
}

static void notes_are_kept_if_prepare_is_ok(void) {
  bed_open(&bed);
  services_note_sink = take_notes;
  begin(PHASE_PREPARE);
  ASSERT_EQ_INT(gb_notef(&gb, bed.c, "algo", "%d", 7), GB_OK);
  gb_notef(&gb, bed.c, "path", "a=b;c%%d\n");
  gb_notef(&gb, bed.c, "algo", "%d", 8); /* replaces the value */
  ASSERT_EQ_STR(ends(), "");
  services_note_end(bed.c, 3, true);
  ASSERT_EQ_INT(noted.count, 2);
  char *text = note_text(&noted);
  ASSERT_EQ_STR(text, "algo=8;path=a%3Db%3Bc%25d?");
  const char *at = text;
  char key[ID_SIZE], value[TEXT_SIZE];
  ASSERT_TRUE(note_next(&at, key, sizeof key, value, sizeof value));
  ASSERT_EQ_STR(key, "algo");
  ASSERT_TRUE(note_next(&at, key, sizeof key, value, sizeof value));
  ASSERT_EQ_STR(value, "a=b;c%d?");
  ASSERT_TRUE(!note_next(&at, key, sizeof key, value, sizeof value));
  free(text);
  begin(PHASE_PREPARE);
  gb_notef(&gb, bed.c, "algo", "of one that fails");
  services_note_end(bed.c, 3, false);
  ASSERT_EQ_INT(note_calls, 1);
  begin(PHASE_PREPARE); /* without notes, take_notes() is not called */
  services_note_end(bed.c, 3, true);
  ASSERT_EQ_INT(note_calls, 1);
  services_note_sink = NULL;
  bed_close(&bed);
}

static const char *note(enum phase phase, const char *key, const char *text) {
  begin(phase);
  gb_status status = gb.note->set(bed.c, key, text);
  ASSERT_EQ_INT(status, GB_EINVAL);
  return ends();
}

static void wrong_notes_are_refused(void) {
  char longest[TEXT_SIZE + 1];
  memset(longest, 'x', TEXT_SIZE);
  longest[TEXT_SIZE] = '\0';
  bed_open(&bed);
  ASSERT_EQ_STR(note(PHASE_RUN, "a", "b"), "gb.note/1 set is for prepare, refresh and release, not run");
  ASSERT_EQ_STR(note(PHASE_PREPARE, "no name", "b"), "note key 'no name' is not a valid name");
  ASSERT_EQ_STR(note(PHASE_PREPARE, NULL, "b"), "note key '' is not a valid name");
  bed_close(&bed);
}

static char warned[MSG_SIZE];
static int warnings;

static void take_warning(const char *text) {
  text_copy(warned, sizeof warned, text);
  warnings++;
}

/* Notes beyond the limits of this host are left out, and the callback goes on. */
static void notes_beyond_the_limits_are_left_out(void) {
  char longest[TEXT_SIZE + 1], key[] = "ka";
  memset(longest, 'x', TEXT_SIZE);
  longest[TEXT_SIZE] = '\0';
  case_warn = take_warning;
  warnings = 0;
  bed_open(&bed);
  begin(PHASE_PREPARE);
  ASSERT_EQ_INT(gb.note->set(bed.c, "a", longest), GB_OK);
  ASSERT_EQ_STR(warned, "/test: left out: note 'a' has more than 255 bytes");
  ASSERT_EQ_INT(gb.note->set(bed.c, "a", longest), GB_OK);
  ASSERT_EQ_INT(warnings, 1); /* it is told once */
  for (int i = 0; i < NOTES_MAX; i++, key[1]++)
    ASSERT_EQ_INT(gb.note->set(bed.c, key, "x"), GB_OK);
  ASSERT_EQ_INT(warnings, 1);
  ASSERT_EQ_INT(gb.note->set(bed.c, "more", "x"), GB_OK);
  ASSERT_EQ_STR(warned, "/test: left out: note 'more' is one more than 16");
  ASSERT_EQ_INT(bed.c->notes->count, NOTES_MAX);
  ASSERT_EQ_STR(ends(), "");
  case_warn = NULL;
  bed_close(&bed);
}

/* Invalid notes that a broken worker may send are refused. */
static void notes_from_elsewhere_are_checked(void) {
  struct note_list list = {.count = NOTES_MAX + 1};
  ASSERT_TRUE(!note_check(&list));
  list = (struct note_list){.count = 2, .notes = {{"a", "1"}, {"a", "2"}}};
  ASSERT_TRUE(!note_check(&list));
  list = (struct note_list){.count = 1, .notes = {{"a b", "1"}}};
  ASSERT_TRUE(!note_check(&list));
  list = (struct note_list){.count = 1, .notes = {{"a", "\x1b[31m"}}};
  ASSERT_TRUE(note_check(&list));
  ASSERT_EQ_STR(list.notes[0].text, "?[31m");
}

/* ---- gb.metric/1 ---- */

static const char *declare(const char *name, uint32_t better, uint32_t aggregate) {
  begin(PHASE_SETUP);
  gb_metric_declare(&gb, bed.c, name, "B", better, aggregate, NULL);
  return ends();
}

static void metrics_are_declared_in_setup(void) {
  bed_open(&bed);
  ASSERT_EQ_STR(declare("a", GB_BETTER_LESS, GB_AGGREGATE_LAST), "");
  ASSERT_EQ_STR(declare("a", GB_BETTER_LESS, GB_AGGREGATE_LAST), "two metrics are named 'a'");
  ASSERT_HAS(declare("b c", 0, 0), "metric 'b c' is not a valid name");
  for (char name[] = "m00"; bed.c->metrics->count < METRICS_MAX; name[2] == '9' ? name[1]++, name[2] = '0' : name[2]++)
    ASSERT_EQ_STR(declare(name, 0, 0), "");
  ASSERT_EQ_STR(declare("last", 0, 0), "metric 'last' is one more than 32");
  begin(PHASE_RUN);
  gb_metric_declare(&gb, bed.c, "x", NULL, 0, 0, NULL);
  ASSERT_EQ_STR(ends(), "gb.metric/1 declare is for setup, not run");
  bed_close(&bed);
}

/* A metric of a later version of the ABI is left out with its values, and the callbacks go on. */
static void metrics_of_a_later_host_are_left_out(void) {
  char name[] = "n00";
  case_warn = take_warning;
  warnings = 0;
  bed_open(&bed);
  ASSERT_EQ_STR(declare("b", 3, 0), "");
  ASSERT_EQ_STR(warned, "/test: left out: metric 'b': better is 3, known are 0 to 2");
  ASSERT_EQ_STR(declare("c", 0, 6), "");
  ASSERT_EQ_STR(warned, "/test: left out: metric 'c': aggregate is 6, known are 0 to 5");
  ASSERT_EQ_INT(bed.c->metrics->count, 0);
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb.metric->add(bed.c, "b", 1), GB_OK);
  ASSERT_EQ_INT(gb.metric->add(bed.c, "d", 1), GB_EINVAL);
  ASSERT_EQ_STR(ends(), "metric 'd' was not declared in setup");
  for (int i = 2; i < METRICS_MAX; i++, name[2] == '9' ? name[1]++, name[2] = '0' : name[2]++)
    ASSERT_EQ_STR(declare(name, 9, 0), "");
  ASSERT_EQ_STR(declare("z", 9, 0), "metric 'z' is one more than 32");
  case_warn = NULL;
  bed_close(&bed);
}

static void only_timed_values_are_kept(void) {
  struct metric_log logs[METRICS_MAX] = {{0}};
  bed_open(&bed);
  declare("a", GB_BETTER_LESS, GB_AGGREGATE_MEAN);
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb.metric->add(bed.c, "a", 1), GB_OK); /* there is no log */
  bed.c->metric_logs = logs;
  bed.c->kept = (struct kept){.from = 1, .to = 4, .except = 3};
  gb.metric->add(bed.c, "a", 100);
  bed.c->iteration = 1;
  gb.metric->add(bed.c, "a", 2);
  gb.metric->add(bed.c, "a", (double)NAN);
  bed.c->iteration = 2;
  gb.metric->add(bed.c, "a", 4);
  for (bed.c->iteration = 3; bed.c->iteration <= 4; bed.c->iteration++)
    gb.metric->add(bed.c, "a", 100);
  ASSERT_EQ_STR(ends(), "");
  struct metric_result result;
  ASSERT_TRUE(metric_log_result(&logs[0], &bed.c->metrics->metrics[0], &result));
  ASSERT_NEAR(result.value, 3, 0);
  ASSERT_EQ_INT(result.n, 2);
  ASSERT_EQ_INT(result.dropped, 1);
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb.metric->add(bed.c, "nobody", 1), GB_EINVAL);
  ASSERT_EQ_STR(ends(), "metric 'nobody' was not declared in setup");
  begin(PHASE_VERIFY);
  ASSERT_EQ_INT(gb.metric->add(bed.c, "a", 1), GB_OK);
  ASSERT_EQ_STR(ends(), "");
  begin(PHASE_BEFORE);
  gb.metric->add(bed.c, "a", 1);
  ASSERT_EQ_STR(ends(), "gb.metric/1 add is for run, prepare and verify, not before");
  metric_log_free(&logs[0]);
  bed_close(&bed);
}

static double aggregated(uint32_t how, const double *values, size_t count) {
  const struct metric_desc desc = {.aggregate = how, .name = "a"};
  struct metric_log log = {0};
  struct metric_result result;
  for (size_t i = 0; i < count; i++)
    metric_log_add(&log, values[i]);
  bool any = metric_log_result(&log, &desc, &result);
  metric_log_free(&log);
  return any ? result.value : (double)NAN;
}

static void values_become_one_figure(void) {
  static const double values[] = {5, 1, 4, 1, 9};
  static const double expected[] = {4, 4, 20, 1, 9, 9};
  for (uint32_t how = 0; how < AGGREGATE_COUNT; how++)
    ASSERT_NEAR(aggregated(how, values, 5), expected[how], 1e-12);
  ASSERT_TRUE(isnan(aggregated(AGGREGATE_MEAN, values, 0)));
  static const double huge[] = {1e308, 1e308};
  /* the sum is not finite, so the row gets a message instead of a figure */
  ASSERT_TRUE(!isfinite(aggregated(AGGREGATE_SUM, huge, 2)));
}

static void many_values_take_no_more_room(void) {
  enum { MANY = 100000 };
  const struct metric_desc median = {.aggregate = AGGREGATE_MEDIAN, .name = "a"};
  struct metric_log log = {0};
  struct metric_result result;
  for (int i = 0; i < MANY; i++)
    metric_log_add(&log, i);
  ASSERT_TRUE(log.kept_count <= METRIC_KEPT && log.kept_count > METRIC_KEPT / 4);
  ASSERT_TRUE(metric_log_result(&log, &median, &result));
  ASSERT_NEAR(result.value, MANY / 2.0, MANY * 0.001);
  ASSERT_NEAR(result.sd, MANY / sqrt(12), 1);
  ASSERT_EQ_INT(result.n, MANY);
  ASSERT_NEAR(result.max, MANY - 1, 0);
  metric_log_clear(&log);
  ASSERT_TRUE(!metric_log_result(&log, &median, &result));
  metric_log_free(&log);
}

/* ---- gb.span/1 ---- */

static void *add_spans(void *argument) {
  (void)argument;
  for (int i = 0; i < 500; i++)
    gb_span_add(&drafts, bed.c, "other", "x", bed.c->iteration_ns + i, bed.c->iteration_ns + i + 1);
  return NULL;
}

static void spans_are_kept_where_they_are_wanted(void) {
  struct timeline timeline = {0};
  pthread_t thread;
  bed_open(&bed);
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb_span_wanted(&drafts, bed.c), 0);
  ASSERT_TRUE(bed.c->timeline_asked);
  gb_span_add(&drafts, bed.c, "a", NULL, 10, 5); /* there is no timeline */
  ASSERT_EQ_STR(ends(), "");
  bed.c->timeline = &timeline;
  bed.c->iteration_ns = gb_span_now(&drafts);
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb_span_wanted(&drafts, bed.c), 1);
  ASSERT_EQ_INT(pthread_create(&thread, NULL, add_spans, NULL), 0);
  for (int i = 0; i < 500; i++)
    gb_span_add(&drafts, bed.c, "mine", "\x1b", bed.c->iteration_ns - 5, bed.c->iteration_ns + 7);
  pthread_join(thread, NULL);
  ASSERT_EQ_STR(ends(), "");
  ASSERT_EQ_INT(timeline.count, 1000);
  ASSERT_EQ_INT(timeline.lane_count, 2);
  for (uint32_t i = 0; i < timeline.count; i++)
    if (strcmp(timeline.spans[i].lane, "mine") == 0) {
      ASSERT_EQ_INT(timeline.spans[i].begin_ns, -5);
      ASSERT_EQ_INT(timeline.spans[i].end_ns, 7);
      ASSERT_EQ_STR(timeline.spans[i].label, "?");
      break;
    }
  timeline_free(&timeline);
  bed_close(&bed);
}

static const char *span(const char *lane, int64_t begin_ns, int64_t end_ns) {
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb_span_add(&drafts, bed.c, lane, NULL, begin_ns, end_ns), GB_EINVAL);
  return ends();
}

static void wrong_spans_are_refused(void) {
  struct timeline timeline = {0};
  bed_open(&bed);
  bed.c->timeline = &timeline;
  ASSERT_EQ_STR(span("a", 10, 5), "span on 'a' begins at 10 ns and ends before, at 5");
  ASSERT_HAS(span("a", INT64_MIN, INT64_MAX), "span on 'a' lies days away from now");
  ASSERT_HAS(span("a b", 1, 2), "lane 'a b' is not a valid name");
  ASSERT_EQ_INT(timeline.count, 0);
  begin(PHASE_SETUP);
  ASSERT_EQ_INT(gb_span_wanted(&drafts, bed.c), 0);
  ASSERT_EQ_STR(ends(), "gb.span/1 wanted is for run, not setup");
  bed_close(&bed);
}

static void too_many_spans_are_counted(void) {
  struct timeline timeline = {0};
  struct timeline_span one = {.lane = "a"};
  for (int i = 0; i < TIMELINE_SPANS_MAX; i++)
    ASSERT_TRUE(timeline_add(&timeline, &one));
  ASSERT_TRUE(!timeline_add(&timeline, &one));
  ASSERT_EQ_INT(timeline.dropped, 1);
  timeline_free(&timeline);
  for (int i = 0; i < TIMELINE_LANES_MAX + 1; i++) {
    snprintf(one.lane, sizeof one.lane, "lane%d", i);
    ASSERT_EQ_INT(timeline_add(&timeline, &one), i < TIMELINE_LANES_MAX);
  }
  timeline_free(&timeline);
}

/* ---- gb.option/2 ---- */

static const char *option(uint32_t type, const char *name, const char *value, const char *choices) {
  static gb_registry registry;
  registry = (gb_registry){.plugin = &bed.plugin};
  bed.plugin.opening = &registry;
  gb_status status = gb_option_declare(&gb, &registry, type, name, value, choices, NULL, NULL);
  bed.plugin.opening = NULL;
  ASSERT_EQ_INT(status, registry.err.exit_code == 0 ? GB_OK : GB_EINVAL);
  return registry.err.text;
}

static void options_are_declared_and_read(void) {
  bed_open(&bed);
  ASSERT_EQ_STR(option(GB_I64, "size", "4k", "1:"), "");
  ASSERT_EQ_STR(option(GB_F64, "share", "0.25", NULL), "");
  ASSERT_EQ_STR(option(GB_STR, "how", "mmap", "read,mmap"), "");
  ASSERT_EQ_STR(option(GB_STR, "path", "", NULL), "");
  ASSERT_EQ_STR(option(GB_STR, "path", "", NULL), "two options are named 'path'");
  ASSERT_HAS(option(GB_I64, "x", "0", "1:64"), "option 'x': its default: 0 is below 1, the least");
  ASSERT_HAS(option(GB_I64, "x", "3", "few"), "'few' is not a range");
  ASSERT_HAS(option(GB_STR, "x", "c", "a,b"), "'c' is not among a,b");
  ASSERT_HAS(option(GB_I64, "x", "1,2", NULL), "is 2 values, not one");
  ASSERT_HAS(option(9, "x", "1", NULL), "option 'x' has type 9, known are GB_I64, GB_F64 and GB_STR");
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb.option->i64(bed.c, "size"), 4096);
  ASSERT_NEAR(gb.option->f64(bed.c, "share"), 0.25, 0);
  ASSERT_EQ_STR(gb.option->str(bed.c, "how"), "mmap");
  ASSERT_EQ_STR(ends(), "");
  begin(PHASE_RUN);
  ASSERT_EQ_STR(gb.option->str(bed.c, "size"), "");
  ASSERT_EQ_STR(ends(), "option 'size' is i64, asked for as str");
  begin(PHASE_RUN);
  ASSERT_EQ_INT(gb.option->i64(bed.c, "nowhere"), 0);
  ASSERT_EQ_STR(ends(), "gb.option/2: 'nowhere' was not declared in open");
  for (size_t i = 0; i < bed.plugin.setting_count; i++)
    free(bed.plugin.settings[i]);
  free(bed.plugin.settings);
  bed_close(&bed);
}

static void options_are_for_open(void) {
  gb_registry gone = {.plugin = &bed.plugin};
  bed_open(&bed);
  ASSERT_EQ_INT(gb_option_declare(&gb, &gone, GB_I64, "x", "1", NULL, NULL, NULL), GB_EINVAL);
  ASSERT_EQ_INT(bed.plugin.setting_count, 0);
  bed_close(&bed);
}

/* ---- gb.scratch/1 ---- */

static void a_case_has_its_folder(void) {
  struct scratch scratch;
  struct stat info;
  struct err err = {0};
  char base[] = "/tmp/gpubench-scratchtest-XXXXXX", path[4096], file[4200];
  ASSERT_TRUE(mkdtemp(base) != NULL);
  bed_open(&bed);
  scratch_choose(base, &scratch);
  bed.c->scratch = &scratch;
  begin(PHASE_RUN);
  ASSERT_TRUE(gb.scratch->directory(bed.c) == NULL);
  ASSERT_HAS(ends(), "gb.scratch/1 directory is for setup, prepare, before, reference and verify, not run");
  begin(PHASE_PREPARE);
  const char *directory = gb.scratch->directory(bed.c);
  ASSERT_TRUE(directory != NULL && gb.scratch->directory(bed.c) == directory);
  ASSERT_TRUE(gb.scratch->free_bytes(bed.c) > 0);
  ASSERT_EQ_STR(ends(), "");
  text_copy(path, sizeof path, directory);
  ASSERT_TRUE(stat(path, &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 07777) == 0700);
  snprintf(file, sizeof file, "%s/file", path);
  FILE *made = fopen(file, "w");
  if (made != NULL) fclose(made);
  bed_close(&bed);
  ASSERT_TRUE(stat(path, &info) != 0);
  int fd = scratch_open_base(&scratch);
  ASSERT_EQ_INT(scratch_remove(fd, scratch.name, 0, &err), 0);
  close(fd);
  ASSERT_EQ_INT(rmdir(base), 0);
}

UNIT_MAIN("services, optional", UNIT_TEST(notes_are_kept_if_prepare_is_ok), UNIT_TEST(wrong_notes_are_refused),
          UNIT_TEST(notes_beyond_the_limits_are_left_out), UNIT_TEST(notes_from_elsewhere_are_checked),
          UNIT_TEST(metrics_are_declared_in_setup), UNIT_TEST(metrics_of_a_later_host_are_left_out),
          UNIT_TEST(only_timed_values_are_kept), UNIT_TEST(values_become_one_figure),
          UNIT_TEST(many_values_take_no_more_room), UNIT_TEST(spans_are_kept_where_they_are_wanted),
          UNIT_TEST(wrong_spans_are_refused), UNIT_TEST(too_many_spans_are_counted),
          UNIT_TEST(options_are_declared_and_read), UNIT_TEST(options_are_for_open), UNIT_TEST(a_case_has_its_folder))
