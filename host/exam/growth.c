/* Finds leaks: resources whose use grows from case to case, or from call to call. The first cases and calls are
 * ignored, because libraries start threads, open files and fill caches once. */
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/process_stat.h"
#include "case/contents.h"
#include "case/tensors.h"
#include "exam/stations.h"
#include "plugin/process_state.h"

enum { CYCLES = 10, CALLS = 10, JUDGED_LEAST = 8 };

struct reading {
  struct process_state_counts counts;
  int64_t heap, resident, device; /* bytes in use on the heap, in the process's resident memory, on the device */
};

/* Reads the resources that the process uses. `before` is the previous reading, or NULL. If there are more threads than
 * in that reading, waits for threads that are ending, because these hold memory as well. */
static struct reading read_process(struct device *device, const struct reading *before) {
  struct reading r;
  if (before == NULL)
    process_state_count(&r.counts);
  else
    process_state_count_after(&before->counts, &r.counts);
  r.heap = resident_heap(), r.resident = resident_bytes(0);
  const int64_t left = device->ops->memory_free(device);
  const bool own = device->facts.memory_bytes > 0 && device->ops->peek != NULL && left >= 0;
  r.device = own ? device->facts.memory_bytes - left : 0;
  return r;
}

/* Returns true if, in the second half of the readings, the count at `offset` grows with each reading, and by at least
 * `least` in total. Writes the total to `by`. */
static bool count_grows(const struct reading *readings, uint32_t count, size_t offset, int64_t least, int64_t *by) {
  const char *at = (const char *)readings + offset;
  int64_t before = 0, smallest = INT64_MAX, now;
  *by = 0;
  for (uint32_t i = count / 2; i < count; i++, before = now) {
    memcpy(&now, at + i * sizeof *readings, sizeof now);
    if (i == count / 2) continue;
    if (now - before < smallest) smallest = now - before;
    *by += now - before;
  }
  return count >= JUDGED_LEAST && smallest > 0 && *by >= least;
}

static const struct {
  enum rule rule;
  size_t offset;
  int64_t least; /* growth below this is ignored; more than 1 for resources that cannot be counted exactly */
  const char *kind;
} kinds[] = {{RULE_THREADS, offsetof(struct reading, counts.threads), 1, "threads"},
             {RULE_DESCRIPTORS, offsetof(struct reading, counts.files), 1, "open descriptors"},
             {RULE_MEMORY, offsetof(struct reading, heap), 1, "bytes of the heap"},
             {RULE_MEMORY, offsetof(struct reading, resident), INT64_C(1) << 20, "resident bytes"},
             {RULE_MEMORY, offsetof(struct reading, device), INT64_C(4) << 20, "bytes of the device"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_suspicious(const struct reading *readings, uint32_t count) {
  int64_t by;
  bool suspicious = false;
  for (size_t i = 0; i < KINDS; i++)
    suspicious = suspicious || count_grows(readings, count, kinds[i].offset, kinds[i].least, &by);
  return suspicious;
}

/* Returns true if there are enough readings: `usual` ones, or twice as many if some count seems to grow. Growth that is
 * due to chance, such as the allocator's caches for threads that come and go, has ended by then. */
static bool is_enough(const struct reading *readings, uint32_t count, uint32_t usual) {
  return count == usual ? !is_suspicious(readings, count) : count == 2 * usual;
}

static void find_growth(struct exam *e, const struct reading *readings, uint32_t count, const char *what) {
  int64_t by;
  for (size_t i = 0; i < KINDS; i++) {
    const enum rule rule = kinds[i].rule;
    /* once a leak of threads was found, other growth is not reported, because each thread takes memory */
    if (e->found[rule] || e->found[RULE_THREADS]) continue;
    if (!count_grows(readings, count, kinds[i].offset, kinds[i].least, &by)) continue;
    exam_find(e, rule, FINDING_FAILED, "%lld more %s from the %uth to the %uth %s", (long long)by, kinds[i].kind,
              count / 2 + 1, count, what);
  }
}

/* ---- Growth from case to case ---- */

static int call_once(struct sitting *s, enum rule rule, struct err *err) {
  double ns;
  struct slot_task task = {.timing = (enum timing)s->request.mode.timing, .count = 1, .single = true, .ns = &ns};
  if (tensors_restore(s->c, err) != 0 || measure_take(&s->m, sitting_variant(s), &task, err) != 0)
    return sitting_spoilt(s, err);
  if (s->c->device->ops->sync(s->c->device, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, rule) ? 0 : 1;
}

/* Reports writes into the guards of a tensor. Those into memory of gb.mem/1 are reported by contestant_release(). */
static int find_overruns(struct sitting *s, struct err *err) {
  for (uint32_t i = 0; i < s->c->tensor_count; i++) {
    const struct tensor *t = &s->c->tensors[i];
    uint64_t changed = 0;
    int64_t first = 0;
    if (tensor_guards(s->c, t, &changed, &first, err) != 0) return sitting_spoilt(s, err);
    if (changed == 0 || s->exam->found[RULE_BOUNDS]) continue;
    exam_find(s->exam, RULE_BOUNDS, FINDING_FAILED,
              "wrote outside tensor '%s': %llu bytes beside it changed, the first at byte %lld of it", t->name,
              (unsigned long long)changed, (long long)first);
  }
  return 0;
}

/* Sets a case up with fences at `fence`, runs it once and takes it down. */
static int live_one_case(struct exam *e, enum fence fence, struct device **device, struct err *err) {
  struct sitting s;
  e->fence = fence;
  int rc = sitting_begin(&s, e, e->request->seed, err);
  e->fence = FENCE_NONE;
  if (rc != 0) return rc;
  if (!sitting_goes_on(&s, RULE_LIFETIMES)) rc = 1;
  if (rc == 0 && e->variant != NULL) rc = call_once(&s, RULE_LIFETIMES, err);
  if (rc == 0 && e->variant != NULL) rc = find_overruns(&s, err);
  if (rc < 0) return rc;
  *device = s.c->device;
  sitting_end(&s);
  return rc;
}

enum { UNSTATED_MOST = 16 << 20 }; /* bytes of the heap that `prepare` may take without telling the host */

static void find_unstated(struct exam *e) {
  if (e->prepares < 3 || e->unstated_bytes <= UNSTATED_MOST || e->found[RULE_MEMORY]) return;
  exam_find(e, RULE_MEMORY, FINDING_FAILED,
            "prepare takes %lld bytes of the heap that it does not state: use `alloc` or `claim` of gb.mem/1",
            (long long)e->unstated_bytes);
}

int station_lifetimes(struct exam *e, double seconds, struct err *err) {
  struct reading readings[2 * CYCLES];
  int64_t start = clock_now_ns();
  struct device *device;
  uint32_t count = 0;
  int rc = 0;
  while (rc == 0 && !is_enough(readings, count, CYCLES)) {
    const int64_t begun = clock_now_ns();
    rc = live_one_case(e, count % 2 == 0 ? FENCE_BEFORE : FENCE_BEHIND, &device, err);
    if (rc == 0) readings[count] = read_process(device, count > 0 ? &readings[count - 1] : NULL);
    count += rc == 0;
    start += rc == 0 ? watch_pause(clock_now_ns() - begun) : 0;
    if (count < CYCLES && clock_seconds_since(start) > seconds) break;
  }
  if (rc != 0) return rc;
  /* cut: the time limit was reached before there were enough readings to judge */
  const bool cut = count < CYCLES && (count < JUDGED_LEAST || is_suspicious(readings, count));
  if (!cut) find_growth(e, readings, count, "case");
  find_unstated(e);
  exam_pass(e, RULE_LIFETIMES);
  for (enum rule rule = RULE_THREADS; rule <= RULE_MEMORY; rule++)
    if (!cut)
      exam_pass(e, rule);
    else if (!e->found[rule])
      exam_find(e, rule, FINDING_NOT_CHECKED, "%u cases took %.1f s: a smaller one shows more", count,
                clock_seconds_since(start));
  return 0;
}

/* ---- Growth from call to call ---- */

int station_calls(struct sitting *s, struct err *err) {
  struct reading readings[2 * CALLS];
  uint32_t count = 0;
  int rc = 0;
  while (rc == 0 && !is_enough(readings, count, CALLS)) {
    rc = call_once(s, RULE_REPEAT, err);
    readings[count] = read_process(s->c->device, count > 0 ? &readings[count - 1] : NULL);
    count++;
  }
  if (rc == 0) find_growth(s->exam, readings, count, "call of run");
  return rc;
}
