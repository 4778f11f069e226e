/* Serves one parent over a socket. The only process that runs plugin code or opens a device. */
#include "worker.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "loader.h"
#include "measure.h"
#include "services.h"

struct worker {
  struct phase_page *page;
  struct plugin **plugins;
  size_t plugin_count;
  struct device *device;
  bool warm;
};

static int reply(enum message_type type, const void *payload, size_t size) {
  return wire_send(WORKER_SOCKET_FD, type, payload, size);
}

static void send_log(const char *plugin, int32_t level, const char *text) {
  struct log_message log = {.level = level};
  text_copy(log.plugin, sizeof log.plugin, plugin);
  text_copy(log.text, sizeof log.text, text);
  reply(MSG_LOG, &log, sizeof log);
}

static int load(struct worker *w, const char *path, struct err *err) {
  struct plugin *plugin;
  if (loader_load(path, w->page, &plugin, err) != 0) return -1;
  w->plugins = xrealloc(w->plugins, w->plugin_count + 1, sizeof *w->plugins);
  w->plugins[w->plugin_count++] = plugin;
  reply(MSG_PLUGIN, &plugin->desc, sizeof plugin->desc);
  for (size_t i = 0; i < plugin->bench_count; i++)
    reply(MSG_BENCH, &plugin->benches[i]->desc, sizeof plugin->benches[i]->desc);
  for (size_t i = 0; i < plugin->variant_count; i++)
    reply(MSG_VARIANT, &plugin->variants[i]->desc, sizeof plugin->variants[i]->desc);
  return 0;
}

static int open_device(struct worker *w, const char *spec, struct err *err) {
  if (w->device != NULL) return err_set(err, EXIT_DEVICE, "a device is open already");
  if (device_open(spec, &w->device, err) != 0) return -1;
  reply(MSG_FACTS, &w->device->facts, sizeof w->device->facts);
  return 0;
}

/* The parent is trusted, but a wrong index must not become a wild pointer. */
static bool find_parties(const struct worker *w, const struct case_request *request, struct bench **bench,
                         struct variant **variants, struct err *err) {
  if (w->device == NULL || request->plugin >= w->plugin_count || request->variant_count > CASE_VARIANTS_MAX ||
      request->bench >= w->plugins[request->plugin]->bench_count) {
    err_set(err, EXIT_FAILED, "request for bench %u of plugin %u, which is not here", request->bench, request->plugin);
    return false;
  }
  *bench = w->plugins[request->plugin]->benches[request->bench];
  for (uint32_t i = 0; i < request->variant_count; i++) {
    uint32_t plugin = request->variants[i].plugin, variant = request->variants[i].variant;
    if (plugin >= w->plugin_count || variant >= w->plugins[plugin]->variant_count) {
      err_set(err, EXIT_FAILED, "request for variant %u of plugin %u, which is not here", variant, plugin);
      return false;
    }
    variants[i] = w->plugins[plugin]->variants[variant];
  }
  return true;
}

static struct gb_case *new_case(struct worker *w, const struct case_request *request, const struct bench *bench) {
  struct gb_case *c = xcalloc(1, sizeof *c);
  c->device = w->device;
  c->bench = bench;
  c->point = request->point;
  c->seed = request->seed;
  c->page = w->page;
  text_copy(c->key, sizeof c->key, request->key);
  return c;
}

static void report_support(uint32_t index, const struct outcome *outcome, const char *whose) {
  struct variant_report report = {.variant = index, .error = NAN, .tolerance = NAN};
  bool skipped = outcome->kind == OUTCOME_SKIP;
  report.status = outcome->kind == OUTCOME_OK ? ROW_OK : skipped ? ROW_SKIPPED : ROW_ERROR;
  snprintf(report.message, sizeof report.message, "%s%.1000s", skipped ? "" : whose, outcome->message);
  reply(MSG_REPORT, &report, sizeof report);
}

static int answer_supports(struct worker *w, const struct case_request *request, struct err *err) {
  struct bench *bench;
  struct variant *variants[CASE_VARIANTS_MAX];
  struct outcome bench_says = {0}, says;
  if (!find_parties(w, request, &bench, variants, err)) return -1;
  struct gb_case *c = new_case(w, request, bench);
  if (bench->own.supports != NULL) {
    call_begin(c, PHASE_SUPPORTS, OWNER_BENCH);
    call_end(c, bench->own.supports(bench->theirs, c), &bench_says);
  }
  for (uint32_t i = 0; i < request->variant_count; i++) {
    says = bench_says;
    if (says.kind == OUTCOME_OK && variants[i]->own.supports != NULL) {
      call_begin(c, PHASE_SUPPORTS, (int)i);
      call_end(c, variants[i]->own.supports(variants[i]->theirs, c), &says);
    }
    report_support(i, &says, "supports: ");
  }
  case_clear(c);
  free(c);
  return 0;
}

static void sink_report(void *user, const struct variant_report *report) {
  (void)user;
  reply(MSG_REPORT, report, sizeof *report);
}

static void sink_slot(void *user, uint32_t variant, uint32_t round, const double *ns, uint32_t count) {
  (void)user;
  struct slot_message slot = {.variant = variant, .round = round, .count = count};
  memcpy(slot.ns, ns, count * sizeof *ns);
  reply(MSG_SLOT, &slot, offsetof(struct slot_message, ns) + count * sizeof *ns);
}

static int run_case(struct worker *w, const struct case_request *request, struct err *err) {
  static const struct measure_sink sink = {NULL, sink_report, sink_slot};
  struct bench *bench;
  struct variant *variants[CASE_VARIANTS_MAX];
  struct case_report report;
  uint32_t culprit;
  if (!find_parties(w, request, &bench, variants, err)) return -1;
  struct gb_case *c = new_case(w, request, bench);
  int rc = measure_case(c, request, variants, w->warm, &sink, &report, &culprit, err);
  w->warm = true;
  if (rc == 0) {
    reply(MSG_CASE, &report, sizeof report);
    free(c);
    return 0;
  }
  if (culprit != UINT32_MAX) { /* this process ends; the parent tells the others' samples from this one's fault */
    struct variant_report fault = {
        .variant = culprit, .status = ROW_CRASHED, .phase = c->phase, .error = NAN, .tolerance = NAN};
    snprintf(fault.message, sizeof fault.message, "%.1000s", err->text);
    reply(MSG_REPORT, &fault, sizeof fault);
  }
  return -1;
}

static int serve(struct worker *w, const struct message *message, struct err *err) {
  const struct case_request *request = wire_as(message, sizeof *request);
  const char *text = (const char *)message->payload;
  switch (message->type) {
    case MSG_LOAD:
      return load(w, text, err);
    case MSG_DEVICE:
      return open_device(w, text, err);
    case MSG_SUPPORTS:
      return request ? answer_supports(w, request, err) : -1;
    case MSG_RUN:
      return request ? run_case(w, request, err) : -1;
    default:
      return err_set(err, EXIT_FAILED, "unknown request %u", message->type);
  }
}

static struct phase_page *map_page(void) {
  void *page = mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_PAGE_FD, 0);
  if (page == MAP_FAILED) _exit(EXIT_FAILED);
  close(WORKER_PAGE_FD);
  return page;
}

_Noreturn void worker_main(int parent_pid) {
  struct worker w = {.page = map_page()};
  struct message message;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_pid) _exit(EXIT_FAILED); /* it died before the line above */
  signal(SIGINT, SIG_IGN);                         /* the terminal sends it to the whole group; the parent decides */
  services_log = send_log;
  while (wire_receive(WORKER_SOCKET_FD, &message) == 0) {
    struct err err = {0};
    int rc = serve(&w, &message, &err);
    if (rc == 0)
      reply(MSG_DONE, NULL, 0);
    else
      reply(MSG_FAILED, &err, sizeof err);
    free(message.payload);
  }
  fflush(NULL);
  _exit(EXIT_OK); /* exit() would run destructors of plugins and of the CUDA runtime */
}
