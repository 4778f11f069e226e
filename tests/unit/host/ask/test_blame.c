/* Tests which variant is blamed if a worker process dies, hangs or reports an error, by the table in ask/blame.h. No
 * worker is started. */
#include "ask/blame.h"

#include <math.h>
#include <stdlib.h>

#include "ask/run_case.h"
#include "base/memory.h"
#include "unit.h"

enum { COUNT = 4, BASELINE = 0 };

static struct plan_variant variants[COUNT];
static struct variant_result results[COUNT];
static struct plan_case plan_case = {.id = "bench", .key = "bench[n=1]", .variants = variants, .variant_count = COUNT};
static struct case_result result = {.variants = results, .count = COUNT};
static const struct run_case_settings settings;
static struct epoch e;

/* Begins a process (epoch) that measures the variants with these indices in the plan; no variant has a status yet. */
static void asks(uint32_t count, const size_t *asked) {
  for (size_t i = 0; i < COUNT; i++) {
    variants[i] = (struct plan_variant){.against = {.common = i == BASELINE}};
    results[i] = VARIANT_RESULT_NONE;
  }
  epoch_init(&e, &plan_case, &settings, &result);
  e.request = xcalloc(1, sizeof *e.request);
  for (uint32_t i = 0; i < count; i++) {
    e.asked[i] = asked[i];
    snprintf(e.request->variants[i].name, sizeof e.request->variants[i].name, "v%zu", asked[i]);
  }
  e.request->variant_count = count;
}

/* Makes the next epoch run one variant alone. */
static void tries(size_t index) {
  e.kind = EPOCH_ALONE;
  e.apart = index;
  e.asked[0] = index;
  snprintf(e.request->variants[0].name, sizeof e.request->variants[0].name, "v%zu", index);
  e.request->variant_count = 1;
  e.fresh = true;
}

static void asks_all(void) {
  static const size_t all[COUNT] = {0, 1, 2, 3};
  asks(COUNT, all);
}

static void ends(void) {
  free(e.request);
  epoch_free(&e);
}

static void dies(enum ending_kind kind, enum phase phase, int running) {
  struct ending ending = {.kind = kind, .phase = phase, .variant = running, .how = "SIGSEGV"};
  blame_for_death(&e, &ending);
}

static void fails(int exit_code) {
  struct ending ending = {.kind = ENDING_FAILED, .variant = -1, .err = {.exit_code = exit_code, .text = "it broke"}};
  blame_for_failure(&e, &ending);
}

/* Returns one letter per variant of the plan: c crashed, t timeout, e error, o ok, ? suspect (it may have caused the
 * failure), . nothing. */
static const char *statuses(void) {
  static char text[COUNT + 1];
  for (size_t i = 0; i < COUNT; i++)
    text[i] = results[i].settled ? row_status_name(results[i].status)[0] : e.doubts[i].text != NULL ? '?' : '.';
  return text;
}

static void settle(size_t index) {
  variant_result_settle(&results[index], ROW_OK, NULL);
}

static void reports(uint32_t place, enum row_status status, const char *text) {
  struct variant_report report = {.variant = place, .status = status, .phase = PHASE_RUN};
  snprintf(report.message, sizeof report.message, "%s", text);
  blame_for_report(&e, &report);
}

/* If a variant was alone in its process, it is blamed for every end of the process, whatever the status page (memory
 * that tells which callback runs) says. */
static void sure_of_one(void) {
  static const struct {
    enum ending_kind kind;
    enum phase phase;
    int running;
    const char *statuses;
  } ways[] = {{ENDING_DIED, PHASE_RUN, 0, "..c."},     {ENDING_TIMEOUT, PHASE_RUN, 0, "..t."},
              {ENDING_DIED, PHASE_SETUP, -1, "..c."},  {ENDING_DIED, PHASE_REFERENCE, -1, "..c."},
              {ENDING_TIMEOUT, PHASE_IDLE, 0, "..t."}, {ENDING_TIMEOUT, PHASE_REFERENCE, -1, "..t."},
              {ENDING_DIED, PHASE_IDLE, 77, "..c."}};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    asks_all();
    tries(2);
    dies(ways[i].kind, ways[i].phase, ways[i].running);
    ASSERT_EQ_STR(statuses(), ways[i].statuses);
    ASSERT_HAS(results[2].message, "of bench/v2[n=1]");
    ends();
  }
  asks_all();
  tries(2);
  reports(0, ROW_ERROR, "run changed the umask to 0000");
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(statuses(), "..e.");
  ASSERT_EQ_STR(results[2].message, "run changed the umask to 0000");
  ends();
  asks_all();
  tries(2);
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(statuses(), "..e.");
  ASSERT_EQ_STR(results[2].message, "it broke");
  ends();
}

static void a_bench_that_hangs(void) {
  asks_all();
  settle(BASELINE);
  tries(1);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "ot..");
  tries(3);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "ottt");
  ends();
  asks_all();
  tries(1);
  /* a hang in `run` is the variant's, so it does not count as the bench's first hang */
  dies(ENDING_TIMEOUT, PHASE_RUN, 0);
  tries(3);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), ".t.t");
  ends();
  /* after the bench has hung in the processes of two plugins, the process of the third one is measured all the same */
  asks_all();
  variants[1].plugin = 1, variants[2].plugin = variants[3].plugin = 2;
  e.provider = 1;
  tries(1);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  e.provider = 0;
  tries(BASELINE);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "tt..");
  e.provider = 2;
  tries(2);
  dies(ENDING_DIED, PHASE_RUN, 0);
  ASSERT_EQ_STR(statuses(), "ttc.");
  ends();
}

/* A process with several variants dies, hangs or reports an error. In each case the variant that ran is only
 * suspected, because another one may have damaged the process. */
static void one_among_others(void) {
  asks_all();
  dies(ENDING_DIED, PHASE_RUN, 2);
  ASSERT_EQ_STR(statuses(), "..?.");
  ASSERT_TRUE(blame_is_suspect(&e, 2) && !blame_is_suspect(&e, 1));
  dies(ENDING_DIED, PHASE_PREPARE, 2); /* a second failure of a suspect does not replace the first one */
  ASSERT_EQ_STR(e.doubts[2].text, "SIGSEGV in run of bench/v2[n=1]");
  dies(ENDING_TIMEOUT, PHASE_RUN, 1);
  ASSERT_EQ_STR(statuses(), ".??.");
  reports(3, ROW_ERROR, "run changed the umask to 0000");
  ASSERT_EQ_STR(statuses(), ".???");
  ASSERT_EQ_STR(e.doubts[3].text, "run changed the umask to 0000");
  /* the first variant is only suspected as well, because the process had run other variants before */
  reports(BASELINE, ROW_CRASHED, "device fault");
  ASSERT_EQ_STR(statuses(), "????");
  ends();
}

static void the_baseline_had_done_well(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_RUN, BASELINE);
  ASSERT_EQ_STR(statuses(), "o???");
  ends();
  asks_all();
  settle(BASELINE);
  reports(BASELINE, ROW_ERROR, "run changed the umask to 0000");
  ASSERT_EQ_STR(statuses(), "o???");
  ends();
}

static void the_bench_was_running(void) {
  asks_all();
  settle(BASELINE);
  e.fresh = true;
  dies(ENDING_DIED, PHASE_REFERENCE, -1); /* the bench was running, but after variants had run `prepare` */
  ASSERT_EQ_STR(statuses(), "o???");
  ends();
  asks_all();
  /* COUNT is no valid variant: a plugin may write any number to the shared memory */
  dies(ENDING_TIMEOUT, PHASE_SETUP, COUNT);
  ASSERT_EQ_STR(statuses(), "????");
  ends();
}

static void setup_before_anybody(void) {
  struct variant_report report = {
      .variant = 2, .status = ROW_ERROR, .phase = PHASE_SETUP, .of_bench = 1, .message = "setup: no"};
  asks_all();
  settle(BASELINE);
  e.fresh = true;
  dies(ENDING_TIMEOUT, PHASE_SETUP, -1);
  ASSERT_EQ_STR(statuses(), "ottt");
  ASSERT_EQ_STR(results[1].message, "SIGSEGV in setup of bench[n=1]");
  ends();
  asks_all();
  e.fresh = true;
  blame_for_report(&e, &report);
  ASSERT_EQ_STR(statuses(), "eeee");
  ends();
}

/* `reference` fails, and each variant of the process gets a report of that. No single variant is the suspect, and none
 * is verified more often than usual: that would only make the bench fail again. */
static void a_bench_that_reports_an_error(void) {
  asks_all();
  settle(BASELINE);
  for (uint32_t place = 0; place < COUNT; place++) {
    struct variant_report report = {.variant = place,
                                    .status = ROW_ERROR,
                                    .phase = place == 0 ? PHASE_REFERENCE : PHASE_RELEASE,
                                    .verifications = 12,
                                    .of_bench = 1,
                                    .message = "reference: no idea"};
    blame_for_report(&e, &report);
    ASSERT_EQ_STR(statuses(), "o???");
  }
  for (size_t i = 1; i < COUNT; i++)
    ASSERT_TRUE(!e.doubts[i].one && e.doubts[i].verifications == 0);
  ends();
}

static void nothing_was_running(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_IDLE, -1);
  ASSERT_EQ_STR(statuses(), "o???");
  ends();
}

static void beside_the_baseline(void) {
  static const size_t pair[] = {BASELINE, 3};
  for (int way = 0; way < 4; way++) {
    asks(2, pair);
    settle(BASELINE);
    e.kind = EPOCH_BESIDE;
    e.apart = 3;
    e.doubts[3] = (struct doubt){.status = ROW_CRASHED, .text = xstrdup("SIGSEGV"), .cleared = 1};
    results[3].status = ROW_OK; /* the variant was ok in the process where it was alone */
    if (way == 0) dies(ENDING_DIED, PHASE_RUN, 0);
    if (way == 1) dies(ENDING_TIMEOUT, PHASE_RUN, 1);
    if (way == 2) reports(1, ROW_ERROR, "run changed the umask to 0000");
    if (way == 3) fails(EXIT_FAILED);
    ASSERT_EQ_STR(statuses(), "o..o");
    ends();
  }
}

static void a_failure_with_a_culprit(void) {
  asks_all();
  reports(3, ROW_CRASHED, "device fault");
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(statuses(), "...?");
  ends();
}

static void a_lost_device(void) {
  asks_all();
  fails(EXIT_DEVICE);
  ASSERT_EQ_STR(statuses(), "....");
  ends();
}

static void a_failure_of_nobody_s(void) {
  asks_all();
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(statuses(), "????");
  ASSERT_EQ_STR(e.doubts[0].text, "it broke");
  ends();
}

static void one_try(void) {
  asks_all();
  dies(ENDING_DIED, PHASE_RUN, 1);
  dies(ENDING_DIED, PHASE_RUN, 2);
  dies(ENDING_DIED, PHASE_RUN, BASELINE);
  settle(1);
  e.doubts[BASELINE].cleared = 2;
  for (size_t i = 0; i < COUNT; i++)
    blame_hold(&e, i);
  ASSERT_EQ_STR(statuses(), "?on."); /* a variant is only called crashed if it crashed alone */
  ASSERT_EQ_STR(results[2].message,
                "in company; cause not found before time was over: SIGSEGV in run of bench/v2[n=1]");
  ASSERT_TRUE(results[2].unfound && !results[1].unfound);
  ends();
}

static void finds_wrong(uint32_t place, uint32_t verifications) {
  struct variant_report report = {.variant = place,
                                  .status = ROW_WRONG,
                                  .phase = PHASE_RUN,
                                  .verifications = verifications,
                                  .message = "in a timed slot: 'y': error"};
  blame_for_report(&e, &report);
}

/* If a fault was seen in one of n checks, the suspect is checked alone so often that a fault of the same frequency
 * would be found with a probability of 95%. */
static void wrong_among_others(void) {
  static const uint32_t seen[] = {0, 1, 2, 3, 10, 100}, wanted[] = {0, 1, 5, 8, 29, 299};
  for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
    asks_all();
    settle(BASELINE);
    finds_wrong(2, seen[i]);
    ASSERT_EQ_STR(statuses(), "o.?.");
    ASSERT_EQ_INT(e.doubts[2].verifications, wanted[i]);
    if (seen[i] > 1) ASSERT_TRUE(pow(1 - 1.0 / seen[i], wanted[i]) <= 0.05);
    e.kind = EPOCH_ALONE, e.apart = 2;
    e.doubts[2].verified = wanted[i];
    blame_clear(&e, 2);
    ASSERT_EQ_STR(statuses(), "o.o.");
    char often[64] = "", text[MSG_SIZE];
    if (wanted[i] > 0) snprintf(often, sizeof often, " in %u verification%s", wanted[i], wanted[i] == 1 ? "" : "s");
    snprintf(text, sizeof text, "in company; cause not found%s alone (beside v0, v1, v3: in a timed slot: 'y': error)",
             often);
    ASSERT_EQ_STR(results[2].message, text);
    ends();
  }
  asks_all();
  finds_wrong(2, 10);
  e.doubts[2].verified = 28;
  blame_clear(&e, 2);
  ASSERT_EQ_STR(
      results[2].message,
      "in company; cause not found in 28 of 29 verifications alone (beside v0, v1, v3: in a timed slot: 'y': error)");
  ends();
  asks_all();
  tries(2);
  finds_wrong(0, 1);
  ASSERT_EQ_STR(statuses(), "..w.");
  ASSERT_EQ_STR(results[2].message, "in a timed slot: 'y': error");
  ends();
}

/* If a variant fails only together with others, its message names the plugins of the others, each once. If it was
 * merely one of many suspects, its message says nothing about the others. */
static void company_is_named(void) {
  struct catalog_plugin plugins[3] = {{.desc.id = "owner"}, {.desc.id = "guest"}, {.desc.id = "third"}};
  const struct catalog catalog = {plugins, 3};
  asks_all();
  variants[1].plugin = variants[3].plugin = 1;
  variants[2].plugin = 2;
  e.catalog = &catalog;
  finds_wrong(2, 1);
  e.doubts[2].verified = 1;
  blame_clear(&e, 2);
  ASSERT_HAS(results[2].message, "harmed by what ran beside it: owner, guest (in company: ");
  dies(ENDING_DIED, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "??o?");
  blame_clear(&e, 1);
  ASSERT_EQ_STR(results[1].message, "");
  ends();
}

/* A variant that was right in a process without its baseline waits until the baseline was measured alone. If the
 * baseline is right, both run together again. Otherwise the variant keeps its result. */
static void waiting_for_the_baseline(void) {
  for (int well = 0; well < 2; well++) {
    asks_all();
    finds_wrong(BASELINE, 1);
    ASSERT_TRUE(epoch_waits_for_suspect(&e, 1));
    ASSERT_TRUE(!epoch_waits_for_suspect(&e, BASELINE));
    for (size_t i = 1; i < COUNT; i++) {
      results[i].status = ROW_OK;
      e.waits[i] = 1;
    }
    ASSERT_TRUE(blame_choose(&e));
    ASSERT_EQ_INT(e.apart, BASELINE);
    ASSERT_EQ_STR(statuses(), "?...");
    variant_result_settle(&results[BASELINE], well ? ROW_OK : ROW_WRONG, NULL);
    ASSERT_EQ_INT(blame_choose(&e), well);
    ASSERT_EQ_STR(statuses(), well ? "o..." : "wooo");
    if (well) ASSERT_TRUE(e.apart == SIZE_MAX && e.waits[1] == 0);
    ends();
  }
}

/* Does what ask/run_case.c does when the chosen variant succeeds in its process. Returns the index of the variant. */
static size_t does_well(void) {
  const size_t index = e.apart;
  e.kind = epoch_kind_of(&e);
  results[index].status = ROW_OK;
  if (e.kind == EPOCH_ALONE && epoch_has_company(&e, index))
    e.doubts[index].cleared = e.number;
  else if (epoch_waits_for_suspect(&e, index))
    e.waits[index] = e.number;
  else
    blame_clear(&e, index);
  e.number++;
  return index;
}

/* Lets the process die, so that all variants are suspected of the failure. The first `baselines` variants are the
 * possible baselines of all variants. */
static void all_suspected(size_t baselines) {
  asks_all();
  for (size_t i = 0; i < COUNT; i++)
    variants[i].against.common = i < baselines;
  dies(ENDING_DIED, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "????");
}

/* Suspects that are baselines of each other could wait for each other for ever. Instead, each is measured alone once,
 * the last one gets its status, and the others are measured once more together with it. */
static void baselines_of_each_other(void) {
  for (size_t baselines = 2; baselines < COUNT; baselines++) {
    all_suspected(baselines);
    for (size_t i = 0; i < baselines; i++) {
      ASSERT_TRUE(blame_choose(&e));
      ASSERT_EQ_INT(e.apart, i);
      ASSERT_TRUE(epoch_kind_of(&e) == EPOCH_ALONE);
      does_well();
    }
    ASSERT_TRUE(results[baselines - 1].settled);
    for (size_t i = 0; i + 1 < baselines; i++) {
      ASSERT_TRUE(blame_choose(&e));
      ASSERT_EQ_INT(e.apart, i);
      ASSERT_TRUE(epoch_kind_of(&e) == EPOCH_BESIDE && epoch_has_company(&e, i));
      does_well();
    }
    while (blame_choose(&e) && e.number < 20)
      does_well();
    ASSERT_EQ_STR(statuses(), "oooo");
    ends();
  }
}

/* A suspect that succeeded alone waits while a possible baseline of it is still a suspect. Here all four variants are
 * suspects, and three of them are baselines. If one of these three fails alone or is given up, the other variants must
 * get their results all the same. */
static void a_baseline_drops_out(void) {
  static const enum row_status lost[] = {ROW_CRASHED, ROW_TIMEOUT, ROW_NOT_RUN};
  for (size_t way = 0; way < 3 * 3; way++) {
    all_suspected(3);
    while (blame_choose(&e) && e.number < 20)
      if (e.apart == way % 3 && !blame_did_well(&e, e.apart))
        variant_result_settle(&results[e.apart], lost[way / 3], NULL);
      else
        does_well();
    for (size_t i = 0; i < COUNT; i++)
      ASSERT_EQ_INT(results[i].status, i == way % 3 ? lost[way / 3] : ROW_OK);
    ends();
  }
}

/* Variants 0, 1 and 2 are possible baselines of all; 0 is ok, and 1 and 2 are suspects. Variant 1 succeeds alone, then
 * together with variant 0. Because variant 2 is still a suspect, variant 1 waits for it. In the end all are ok. */
static void who_ran_beside_one_baseline_waits_for_the_other(void) {
  asks_all();
  for (size_t i = 0; i < COUNT; i++)
    variants[i].against.common = i < 3;
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_RUN, 1);
  dies(ENDING_DIED, PHASE_RUN, 2);
  settle(3);
  for (int run = 0; run < 2; run++) {
    ASSERT_TRUE(blame_choose(&e));
    ASSERT_EQ_INT(e.apart, 1);
    ASSERT_EQ_INT(epoch_kind_of(&e), run == 0 ? EPOCH_ALONE : EPOCH_BESIDE);
    does_well();
  }
  ASSERT_TRUE(e.waits[1] != 0 && e.doubts[1].cleared != 0 && !results[1].settled);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(e.apart, 2);
  while (blame_choose(&e) && e.number < 20)
    does_well();
  ASSERT_EQ_STR(statuses(), "oooo");
  ends();
}

/* The time for measuring suspects alone is over. A baseline that succeeded alone and waits for the other baseline keeps
 * its result. The message of its row still names the failure that made it a suspect. */
static void no_time_for_the_other_baseline(void) {
  static const struct run_case_settings late = {.suspects_until_ns = 1};
  all_suspected(2);
  e.doubts[0].one = true;
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(does_well(), 0);
  e.settings = &late;
  ASSERT_TRUE(!blame_choose(&e));
  ASSERT_EQ_STR(statuses(), "onnn");
  ASSERT_HAS(results[0].message, "in company; cause not found alone (beside v1, v2, v3: SIGSEGV in reference of");
  ends();
}

/* A variant has samples from a process without its baseline, and must be measured again together with it. If that
 * process ends early, the variant must keep the samples. */
static void results_are_kept_meanwhile(void) {
  asks_all();
  finds_wrong(BASELINE, 1);
  results[1].status = ROW_OK;
  results[1].slots = xcalloc(1, sizeof *results[1].slots);
  results[1].slots[0].epoch = e.waits[1] = e.number++;
  results[1].slot_count = 1;
  variant_result_settle(&results[BASELINE], ROW_OK, NULL);
  ASSERT_TRUE(blame_choose(&e) && epoch_has(&e, 1));
  variant_result_give_up(&results[1], e.number, "the end");
  ASSERT_EQ_INT(results[1].status, ROW_OK);
  ASSERT_EQ_INT(results[1].slot_count, 1);
  variant_result_drop(&results[1], 0);
  ends();
}

/* After the bench has hung twice, no further variant is measured. A variant that succeeded alone and waits for its
 * baseline keeps its result. */
static void a_bench_that_hangs_costs_no_result(void) {
  all_suspected(3);
  for (int i = 0; i < 2; i++) {
    ASSERT_TRUE(blame_choose(&e));
    if (i == 0) does_well();
  }
  tries(1);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  tries(2);
  dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
  ASSERT_EQ_STR(statuses(), "ottt");
  ends();
}

/* One failure makes all variants suspects. If all of them succeed alone, the message of each row tells of the failure.
 * If one of them fails alone, it may have been the cause, and the rows of the others have no message. */
static void nobody_is_found(void) {
  static const struct err none;
  for (size_t failed = 0; failed <= COUNT; failed++) {
    all_suspected(1);
    while (blame_choose(&e) && e.number < 20)
      if (e.apart == failed)
        variant_result_settle(&results[failed], ROW_CRASHED, "SIGSEGV");
      else
        does_well();
    ask_end(&e, 0, &none);
    free(e.request);
    for (size_t i = 0; i < COUNT; i++) {
      char text[MSG_SIZE] = "", *others[] = {"v1, v2, v3", "v0, v2, v3", "v0, v1, v3", "v0, v1, v2"};
      if (failed == COUNT)
        snprintf(text, sizeof text, "in company; cause not found (beside %s: SIGSEGV in reference of bench[n=1])",
                 others[i]);
      ASSERT_EQ_STR(results[i].message, i == failed ? "SIGSEGV" : text);
    }
  }
}

/* Variants that succeeded are to run once more in a process with their baseline. They keep their results if the bench
 * fails in `setup` of that process. They also keep them if the bench hangs for the second time before that process
 * starts. */
static void a_result_is_kept_until_the_baseline_runs_too(void) {
  for (int hangs = 0; hangs < 2; hangs++) {
    asks_all();
    if (hangs) variants[2].against.twin = 1 + 1; /* the baseline of variant 2 is variant 1 */
    finds_wrong(BASELINE, 1);
    if (hangs) finds_wrong(1, 1);
    for (size_t i = hangs ? 2 : 1; i < COUNT; i++) {
      results[i].status = ROW_OK;
      e.waits[i] = e.number;
    }
    e.number++;
    ASSERT_TRUE(blame_choose(&e));
    ASSERT_EQ_INT(e.apart, BASELINE);
    settle(BASELINE);
    ASSERT_TRUE(blame_choose(&e));
    ASSERT_TRUE(e.waits[3] == 0 && blame_did_well(&e, 3));
    if (hangs) {
      ASSERT_EQ_INT(e.apart, 1);
      e.hung = 1;
      tries(1);
      dies(ENDING_TIMEOUT, PHASE_REFERENCE, -1);
      ASSERT_EQ_STR(statuses(), "otoo");
    } else {
      ASSERT_TRUE(epoch_kind_of(&e) == EPOCH_TOGETHER);
      e.fresh = true;
      dies(ENDING_DIED, PHASE_SETUP, -1);
      ASSERT_EQ_STR(statuses(), "oooo");
    }
    ends();
  }
}

/* When the time for measuring suspects alone is over, the remaining suspects are not measured, and none of them is
 * called crashed or wrong. */
static void no_time_for_suspects(void) {
  static const struct run_case_settings late = {.suspects_until_ns = 1};
  asks_all();
  finds_wrong(1, 1);
  finds_wrong(2, 1);
  e.settings = &late;
  e.doubts[2].cleared = 1;
  e.doubts[2].verified = 1;
  settle(BASELINE);
  settle(3);
  ASSERT_TRUE(!blame_choose(&e));
  ASSERT_EQ_STR(statuses(), "onoo");
  ASSERT_HAS(results[1].message, "in company; cause not found before time was over");
  ASSERT_HAS(results[2].message, "in company; cause not found in 1 verification alone");
  ends();
}

/* blame_choose() chooses what the next process measures: first a suspected baseline alone, because all speedups need
 * it; then all variants that are not suspects, together; then each suspect alone. */
static void who_runs_next(void) {
  asks_all();
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_TRUE(e.apart == SIZE_MAX);
  dies(ENDING_DIED, PHASE_RUN, 2);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_TRUE(e.apart == SIZE_MAX);
  dies(ENDING_DIED, PHASE_RUN, BASELINE);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(e.apart, BASELINE);
  settle(BASELINE);
  settle(1);
  settle(3);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(e.apart, 2);
  settle(2);
  ASSERT_TRUE(!blame_choose(&e));
  ends();
}

UNIT_MAIN("blame", UNIT_TEST(who_ran_beside_one_baseline_waits_for_the_other), UNIT_TEST(sure_of_one),
          UNIT_TEST(a_bench_that_hangs), UNIT_TEST(one_among_others), UNIT_TEST(the_baseline_had_done_well),
          UNIT_TEST(the_bench_was_running), UNIT_TEST(setup_before_anybody), UNIT_TEST(a_bench_that_reports_an_error),
          UNIT_TEST(nothing_was_running), UNIT_TEST(beside_the_baseline), UNIT_TEST(a_failure_with_a_culprit),
          UNIT_TEST(a_lost_device), UNIT_TEST(a_failure_of_nobody_s), UNIT_TEST(one_try), UNIT_TEST(wrong_among_others),
          UNIT_TEST(company_is_named), UNIT_TEST(waiting_for_the_baseline), UNIT_TEST(baselines_of_each_other),
          UNIT_TEST(a_baseline_drops_out), UNIT_TEST(no_time_for_the_other_baseline),
          UNIT_TEST(results_are_kept_meanwhile), UNIT_TEST(a_bench_that_hangs_costs_no_result),
          UNIT_TEST(a_result_is_kept_until_the_baseline_runs_too), UNIT_TEST(nobody_is_found),
          UNIT_TEST(no_time_for_suspects), UNIT_TEST(who_runs_next))
