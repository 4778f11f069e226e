/* Measures a case with one process per plugin. Each process is called a seat. Contains the callbacks by which
 * ask/schedule.c gives the processes their orders. */
#include "ask/seats.h"

#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/schedule.h"
#include "base/clock.h"
#include "base/memory.h"
#include "machine/cpu_times.h"
#include "options/device_list.h"
#include "worker/signals.h"

typedef void ended(struct epoch *seat, struct pool_worker *member, struct ending *ending);

struct seat {
  /* a copy of the case's epoch. The request, the indices into it, and the slot that may still get samples are those of
   * this process */
  struct epoch epoch;
  struct pool_worker *member;
  struct ready_message ready;
  bool lost; /* true if the process found that the device is lost */
  struct err err;
};

struct table {
  struct pool *pool;
  struct epoch *e;
  ended *end;
  struct seat *seats;
  uint32_t count;
};

/* ---- Messages of a process ---- */

struct hearing {
  struct table *table;
  struct seat *seat;
};

/* Takes a message of a process. The member `overheads` of an epoch counts over all processes of the case, but each
 * process has a copy of the epoch. So the count is copied to the epoch of this process before the message is taken, and
 * back afterwards. */
static void hear_seat(void *user, const struct message *message) {
  const struct hearing *hearing = user;
  struct epoch *seat = &hearing->seat->epoch, *e = hearing->table->e;
  const void *ready = message->type == MSG_READY ? wire_as(message, sizeof hearing->seat->ready) : NULL;
  if (ready != NULL) memcpy(&hearing->seat->ready, ready, sizeof hearing->seat->ready);
  if (message->type == MSG_READY) return;
  seat->overheads = e->overheads;
  answer_take(seat, message);
  e->overheads = seat->overheads;
}

/* Called when a process waits or has ended. Returns true if the process waits for its next order; otherwise gives its
 * variants their status. */
static bool settle_seat(struct table *t, struct seat *seat, struct ending *ending) {
  answer_end_slot(&seat->epoch);
  if (ending->kind == ENDING_WAITS) return true;
  seat->epoch.killed = t->e->killed;
  seat->epoch.hung = t->e->hung;
  t->end(&seat->epoch, seat->member, ending);
  t->e->killed = seat->epoch.killed;
  t->e->hung = seat->epoch.hung;
  seat->lost = ending_lost_device(ending);
  seat->err = ending->err;
  return false;
}

/* ---- Callbacks of ask/schedule.c ---- */

static bool order_seat(void *user, uint32_t process, const struct order_message *order, struct ready_message *ready) {
  struct table *t = user;
  struct seat *seat = &t->seats[process];
  struct hearing hearing = {t, seat};
  const struct listener listener = {.user = &hearing, .message = hear_seat, .ordered = order->kind != ORDER_END};
  struct ending ending = {.kind = ENDING_DIED, .variant = -1};
  if (seat->member->worker != NULL)
    pool_order(t->pool, seat->member, order, &listener, &ending);
  else
    text_copy(ending.how, sizeof ending.how, "ended while others had their turns");
  *ready = seat->ready;
  return settle_seat(t, seat, &ending);
}

/* Returns the slots of a variant that were measured in this epoch; they are stored after those of earlier epochs. */
static bool seat_slots(void *user, uint32_t process, uint32_t place, const struct slot **all, size_t *count) {
  const struct table *t = user;
  const struct seat *seat = &t->seats[process];
  const struct variant_result *v = epoch_result(&seat->epoch, place);
  if (v == NULL || (v->status != ROW_OK && v->status != ROW_NOT_RUN)) return false;
  size_t first = v->slot_count;
  while (first > 0 && v->slots[first - 1].epoch == t->e->number)
    first--;
  *all = v->slots + first;
  *count = v->slot_count - first;
  return true;
}

static bool interrupted(void *user) {
  (void)user;
  return signals_asked_to_finish();
}

/* ---- Starting the processes ---- */

static bool is_seated(const struct table *t, size_t provider) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->seats[i].epoch.provider == provider) return true;
  return false;
}

static void add_seat(struct table *t, size_t provider) {
  if (is_seated(t, provider)) return;
  struct epoch own = *t->e;
  own.provider = provider;
  own.visits = t->count > 0;
  own.asked = xcalloc(own.result->count, sizeof *own.asked);
  t->seats[t->count++] = (struct seat){.epoch = own};
}

/* Adds a seat for each plugin with variants that are to run. The seat of the plugin that defines the bench comes first,
 * and the report of its process describes the case. */
static void add_seats(struct table *t) {
  const struct plan_case *p = t->e->plan_case;
  t->e->kind = epoch_kind_of(t->e);
  for (int own = 1; own >= 0; own--)
    for (size_t i = 0; i < p->variant_count; i++)
      if (epoch_has(t->e, i) && (p->variants[i].plugin == p->plugin) == (own == 1)) add_seat(t, p->variants[i].plugin);
}

size_t seats_of(const struct plan_case *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->variant_count; i++) {
    bool first = p->variants[i].status == ROW_NOT_RUN;
    for (size_t j = 0; j < i; j++)
      first = first && !(p->variants[j].status == ROW_NOT_RUN && p->variants[j].plugin == p->variants[i].plugin);
    count += first;
  }
  return count;
}

/* Starts the process of a plugin, or takes the one that lives, and returns 1. For a suspect (`apart` is set), a process
 * that has run variants before is replaced. Returns 0 if the plugin's process cannot be started, which costs only the
 * plugin's rows, and -1 if no process can be started at all. */
static int start_seat(struct table *t, struct seat *seat, struct err *err) {
  struct err why = {0};
  const struct plan_case *p = t->e->plan_case;
  const bool fresh = t->e->apart != SIZE_MAX;
  if ((fresh ? pool_worker_fresh : pool_worker_alone)(t->pool, p->plugin, seat->epoch.provider, &seat->member, &why) ==
      0)
    return 1;
  if (why.exit_code == EXIT_DEVICE || why.exit_code == EXIT_USAGE || signals_asked_to_finish()) return *err = why, -1;
  for (size_t i = 0; i < t->e->result->count; i++)
    if (epoch_has(&seat->epoch, i) && !t->e->result->variants[i].settled)
      variant_result_settle(&t->e->result->variants[i], ROW_ERROR, why.text);
  return 0;
}

/* Lets a process answer its request until it waits for its first order or has ended; `*waits` becomes true if it waits.
 */
static int begin_seat(struct table *t, struct seat *seat, bool *waits, struct err *err) {
  struct ending ending;
  struct hearing hearing = {t, seat};
  const struct listener listener = {.user = &hearing, .message = hear_seat, .ordered = true};
  const int rc = start_seat(t, seat, err);
  *waits = false;
  if (rc <= 0) return rc;
  epoch_begin(&seat->epoch, seat->member);
  struct case_request *request = seat->epoch.request;
  request->ordered = 1;
  for (size_t i = 0; i < t->e->result->count; i++)
    request->company += epoch_has(t->e, i);
  pool_ask(t->pool, seat->member, MSG_RUN, request, case_request_size(request), &listener, &ending);
  *waits = settle_seat(t, seat, &ending);
  return 0;
}

/* ---- Measuring in several processes in turn ---- */

static uint32_t entry_of(const struct schedule_entry *entries, uint32_t count, const struct table *t, size_t index) {
  for (uint32_t i = 0; i < count; i++)
    if (t->seats[entries[i].process].epoch.asked[entries[i].place] == index) return i;
  return count; /* an index that no entry has, so that a twin (the variant in another build) that is absent is not
                   replaced by another variant */
}

/* Lists the variants of all processes in the plan's order. Their denominators, the variants that their speedups divide
 * by, become indices into the list. */
static uint32_t list_entries(const struct table *t, struct schedule_entry *entries) {
  const struct plan_case *p = t->e->plan_case;
  uint32_t count = 0;
  for (size_t i = 0; i < p->variant_count; i++)
    for (uint32_t s = 0; s < t->count && count < CASE_VARIANTS_MAX; s++) {
      const struct epoch *seat = &t->seats[s].epoch;
      for (uint32_t place = 0; seat->request != NULL && place < seat->request->variant_count; place++)
        if (seat->asked[place] == i && count < CASE_VARIANTS_MAX)
          entries[count++] = (struct schedule_entry){.process = s, .place = place, .against = p->variants[i].against};
    }
  for (uint32_t i = 0; i < count; i++)
    if (entries[i].against.twin != 0)
      entries[i].against.twin = entry_of(entries, count, t, entries[i].against.twin - 1) + 1;
  return count;
}

/* Reads the processor time of this process and of the processes of all seats. */
static void read_seat_times(const struct table *t, struct cpu_times *times) {
  cpu_times_read("", times);
  for (uint32_t i = 0; i < t->count; i++)
    if (t->seats[i].member != NULL && t->seats[i].member->worker != NULL)
      times->own_ns += process_time_ns(t->seats[i].member->worker);
  /* involuntary context switches are not known here, because each process only knows its own */
  times->involuntary = -1;
}

/* Measures the case, once all processes are ready. A round has one slot (series of samples) of each variant that still
 * needs samples, whichever process it runs in. */
static void run_schedule(struct table *t, const struct case_request *request, const bool *waits) {
  struct schedule schedule = {.hands = {t, order_seat, seat_slots, interrupted},
                              .entries = xcalloc(CASE_VARIANTS_MAX, sizeof *schedule.entries),
                              .process_count = t->count,
                              .processes = xcalloc(t->count, sizeof *schedule.processes),
                              .precision = request->precision,
                              .tick_ns = t->pool->facts.tick_ns,
                              .seed = request->seed,
                              .order_seed = request->order_seed,
                              .case_time_s = request->case_time_s,
                              .cooldown = request->cooldown,
                              .verifications = request->verifications,
                              .started_ns = clock_now_ns(),
                              .until_ns = request->until_ns};
  struct cpu_times before, after;
  struct host_usage usage;
  struct case_report *report = &t->e->result->report;
  schedule.entry_count = list_entries(t, schedule.entries);
  for (uint32_t i = 0; i < t->count; i++)
    schedule.processes[i] = (struct schedule_process){waits[i], t->seats[i].ready};
  read_seat_times(t, &before);
  schedule_run(&schedule);
  read_seat_times(t, &after);
  if (schedule.reason != STOP_NONE) {
    report->stop_reason = schedule.reason;
    report->rounds = schedule.rounds;
  }
  if (schedule.reason != STOP_NONE && !devices_are(t->pool->device, DEVICE_SCRIPTED)) {
    cpu_times_between(&before, &after, &usage);
    if (report->host.seconds > 0) host_usage_add(&usage, &report->host);
    report->host = usage;
  }
  free(schedule.entries);
  free(schedule.processes);
}

static void free_table(struct table *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    free(t->seats[i].epoch.request);
    free(t->seats[i].epoch.asked);
  }
  free(t->seats);
}

bool seats_run_epoch(struct pool *pool, struct epoch *e, ended *end, struct err *err) {
  struct table t = {.pool = pool, .e = e, .end = end, .seats = xcalloc(e->plan_case->variant_count, sizeof *t.seats)};
  int rc = 0;
  add_seats(&t);
  SCOPED bool *waits = xcalloc(t.count, sizeof *waits);
  const struct case_request *request = NULL;
  for (uint32_t i = 0; i < t.count && rc == 0; i++) {
    rc = begin_seat(&t, &t.seats[i], &waits[i], err);
    if (waits[i] && request == NULL) request = t.seats[i].epoch.request;
  }
  if (request != NULL) run_schedule(&t, request, waits);
  for (uint32_t i = 0; i < t.count && rc == 0; i++)
    if (t.seats[i].lost) rc = -1, *err = t.seats[i].err;
  free_table(&t);
  return rc == 0;
}
