/* Sends the messages of a worker to its parent: logs, descriptions, measurements and findings. */
#include "worker/say.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "case/services/services.h"

/* The receiver of messages. Plugins log from any thread, so the lock keeps messages whole. */
static struct {
  pthread_mutex_t lock;
  wire_taker listener; /* NULL: messages are dropped */
  void *user;
  pid_t process;
} channel = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Sends a message. Defers cancellation, because a thread that is cancelled while it sends would leave half a frame and
 * a held lock. */
int say(enum message_type type, const void *payload, size_t size) {
  int rc = 0, before;
  /* a child that a plugin has forked sends nothing: it has only a copy of the lock, but the same socket */
  if (getpid() != channel.process) return 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_mutex_lock(&channel.lock);
  if (channel.listener != NULL) rc = channel.listener(channel.user, type, payload, size);
  pthread_mutex_unlock(&channel.lock);
  pthread_setcancelstate(before, NULL);
  pthread_testcancel();
  return rc;
}

void say_log(const char *plugin, int32_t level, const char *text) {
  struct log_message log = {.level = level};
  text_copy(log.plugin, sizeof log.plugin, plugin);
  text_copy(log.text, sizeof log.text, text);
  say(MSG_LOG, &log, sizeof log);
}

static void send_graph(uint32_t variant, const struct graph_desc *graph) {
  struct graph_message message = {.variant = variant, .graph = *graph};
  say(MSG_GRAPH, &message, sizeof message);
}

static void send_notes(uint32_t variant, const struct note_list *notes) {
  struct notes_message message = {.variant = variant, .notes = *notes};
  say(MSG_NOTES, &message, sizeof message);
}

/* Logs a warning if values were left out of the statistics. */
static void tell_dropped(const char *what, const char *of, uint64_t count) {
  char text[TEXT_SIZE];
  if (count == 0) return;
  snprintf(text, sizeof text, "%s%s: %llu dropped", what, of, (unsigned long long)count);
  say_log("gpubench", GB_LOG_WARNING, text);
}

static void sink_metrics(void *user, uint32_t variant, const struct metric_result *results, uint32_t count) {
  (void)user;
  for (uint32_t i = 0; i < count; i++)
    tell_dropped("values that are no numbers of metric ", results[i].desc.name, results[i].dropped);
  SCOPED struct metrics_message *message = xcalloc(1, sizeof *message);
  message->variant = variant;
  message->count = count;
  memcpy(message->results, results, count * sizeof *results);
  say(MSG_METRICS, message, sizeof *message);
}

static void sink_timeline(void *user, uint32_t variant, const struct timeline *timeline) {
  (void)user;
  tell_dropped("spans beyond what is kept of an iteration", "", timeline->dropped);
  SCOPED struct spans_message *message = xcalloc(1, sizeof *message);
  message->variant = variant;
  message->dropped = timeline->dropped;
  for (uint32_t first = 0; first < timeline->count; first += message->count) {
    uint32_t left = timeline->count - first;
    message->first = first;
    message->count = left < TIMELINE_PORTION ? left : TIMELINE_PORTION;
    memcpy(message->spans, timeline->spans + first, message->count * sizeof *message->spans);
    say(MSG_SPANS, message, offsetof(struct spans_message, spans) + message->count * sizeof *message->spans);
  }
}

static void sink_report(void *user, const struct variant_report *report) {
  (void)user;
  say(MSG_REPORT, report, sizeof *report);
}

static void sink_whole(void *user, const struct case_report *report) {
  (void)user;
  say(MSG_CASE, report, sizeof *report);
}

static void sink_slot(void *user, uint32_t variant, uint32_t round, const struct slot_state *state, const double *ns,
                      uint32_t count) {
  (void)user;
  struct slot_message slot = {.variant = variant, .round = round, .count = count, .state = *state};
  memcpy(slot.ns, ns, count * sizeof *ns);
  say(MSG_SLOT, &slot, offsetof(struct slot_message, ns) + count * sizeof *ns);
}

static void sink_untimed(void *user, const struct untimed_message *message) {
  (void)user;
  say(MSG_UNTIMED, message, sizeof *message);
}

void say_finding(const struct finding *finding) {
  say(MSG_FINDING, finding, sizeof *finding);
}

void say_changed(const char *text) {
  struct finding finding = {.rule = RULE_PROCESS, .outcome = FINDING_FAILED};
  text_copy(finding.text, sizeof finding.text, text);
  say_finding(&finding);
}

void say_tensor(const struct tensor_desc *tensor) {
  say(MSG_TENSOR, tensor, sizeof *tensor);
}

void say_support(uint32_t index, const struct outcome *outcome, const char *whose) {
  struct variant_report report = {.variant = index, .figures = {.error = NAN, .tolerance = NAN}};
  bool skipped = outcome->kind == OUTCOME_SKIP;
  report.status = outcome->kind == OUTCOME_OK ? ROW_OK : skipped ? ROW_SKIPPED : ROW_ERROR;
  report.rule = outcome->rule;
  snprintf(report.message, sizeof report.message, "%s%.1000s", skipped ? "" : whose, outcome->message);
  say(MSG_REPORT, &report, sizeof report);
}

/* Tells the parent that the case is ready, and waits for the MSG_ORDER that says what to measure next. Reads from
 * WIRE_WORKER_FD, because only workers that are processes get such orders. */
static void sink_await(void *user, const struct ready_message *ready, struct order_message *order) {
  struct message message = {0};
  (void)user;
  say(MSG_READY, ready, sizeof *ready);
  const void *payload = wire_receive(WIRE_WORKER_FD, &message) == 0 ? wire_as(&message, sizeof *order) : NULL;
  if (payload == NULL || message.type != MSG_ORDER) _exit(EXIT_FAILED); /* the parent is gone */
  memcpy(order, payload, sizeof *order);
  free(message.payload);
}

static void warn_parent(const char *text) {
  say_log("gpubench", GB_LOG_WARNING, text);
}

void say_to(wire_taker to, void *user) {
  pthread_mutex_lock(&channel.lock);
  channel.listener = to;
  channel.user = user;
  channel.process = getpid();
  pthread_mutex_unlock(&channel.lock);
  services_log = say_log;
  services_graph_sink = send_graph;
  services_note_sink = send_notes;
  case_warn = warn_parent;
}

static void sink_mark(void *user, const struct mark_message *mark) {
  (void)user;
  say(MSG_MARK, mark, sizeof *mark);
}

const struct measure_sink say_sink = {.report = sink_report,
                                      .whole = sink_whole,
                                      .slot = sink_slot,
                                      .metrics = sink_metrics,
                                      .timeline = sink_timeline,
                                      .await = sink_await,
                                      .mark = sink_mark,
                                      .untimed = sink_untimed};
