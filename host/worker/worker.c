/* Serves requests of one parent over a socket. Plugin code and devices are only used in worker processes. */
#include "worker/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/case.h"
#include "case/clear.h"
#include "case/declare.h"
#include "case/minor.h"
#include "case/services/services.h"
#include "device/cpu_memory.h"
#include "exam/exam.h"
#include "exam/fences.h"
#include "machine/nvml_library.h"
#include "measure/measure.h"
#include "plugin/loader.h"
#include "worker/isolation.h"
#include "worker/printed.h"
#include "worker/say.h"

struct worker {
  struct phase_page *page;
  struct plugin **plugins;
  size_t plugin_count;
  struct device *device;
  bool warm;
  struct scratch scratch;
};

/* Loads a plugin unless this process has loaded it already. That happens when workers run within the parent (for
 * debuggers): several of them follow each other in one process, where a plugin must not be opened twice. */
static int load_once(struct worker *w, const char *path, struct plugin **plugin, struct err *err) {
  static struct loaded {
    char *path;
    struct plugin *plugin;
    struct loaded *next;
  } * first;
  for (const struct loaded *at = first; at != NULL; at = at->next)
    if (strcmp(at->path, path) == 0) {
      *plugin = at->plugin;
      return 0;
    }
  const struct loader_host host = {&services_host, say_log, say_changed};
  if (loader_load(path, &host, w->page, plugin, err) != 0) return -1;
  struct loaded *loaded = xcalloc(1, sizeof *loaded);
  *loaded = (struct loaded){xstrdup(path), *plugin, first};
  first = loaded;
  return 0;
}

static int load_plugin(struct worker *w, const char *path, struct err *err) {
  struct plugin *plugin;
  if (load_once(w, path, &plugin, err) != 0) return -1;
  w->plugins = xrealloc(w->plugins, w->plugin_count + 1, sizeof *w->plugins);
  w->plugins[w->plugin_count++] = plugin;
  return 0;
}

static int describe(const struct worker *w, struct err *err) {
  if (w->plugin_count == 0) return err_set(err, EXIT_FAILED, "no plugin is loaded");
  const struct plugin *plugin = w->plugins[w->plugin_count - 1];
  say(MSG_PLUGIN, &plugin->desc, sizeof plugin->desc);
  for (size_t i = 0; i < plugin->bench_count; i++)
    say(MSG_BENCH, &plugin->benches[i]->desc, sizeof plugin->benches[i]->desc);
  for (size_t i = 0; i < plugin->variant_count; i++)
    say(MSG_VARIANT, &plugin->variants[i]->desc, sizeof plugin->variants[i]->desc);
  for (size_t i = 0; i < plugin->setting_count; i++)
    say(MSG_SETTING, &plugin->settings[i]->desc, sizeof plugin->settings[i]->desc);
  return 0;
}

static int set_setting(const struct worker *w, const struct setting_message *message, struct err *err) {
  if (message->plugin >= w->plugin_count || message->setting >= w->plugins[message->plugin]->setting_count)
    return err_set(err, EXIT_FAILED, "request for option %u of plugin %u, which is not here", message->setting,
                   message->plugin);
  struct setting *setting = w->plugins[message->plugin]->settings[message->setting];
  char text[SETTING_SIZE];
  text_copy(text, sizeof text, message->value);
  return setting_parse(&setting->desc, text, setting->desc.name, &setting->value, err);
}

static int open_device(struct worker *w, const char *spec, struct err *err) {
  if (w->device != NULL) return err_set(err, EXIT_DEVICE, "a device is open already");
  phase_enter(w->page, PHASE_DEVICE, -1);
  int rc = device_open(spec, &w->device, err);
  phase_leave(w->page);
  if (rc != 0) return -1;
  process_state_take(WORKER_SOCKET_FD); /* remembers the process state again, because a driver may have set its own
                                           handlers and threads */
  say(MSG_FACTS, &w->device->facts, sizeof w->device->facts);
  for (uint32_t i = 0; i < w->device->other_count; i++)
    say(MSG_OTHER, &w->device->others[i], sizeof w->device->others[i]);
  return 0;
}

static int sync_device(const struct worker *w, struct err *err) {
  if (w->device == NULL) return 0;
  phase_enter(w->page, PHASE_DEVICE, -1);
  int rc = w->device->ops->sync(w->device, err);
  phase_leave(w->page);
  return rc;
}

static int count_worker_devices(const struct worker *w, struct err *err) {
  uint32_t count = 0;
  phase_enter(w->page, PHASE_DEVICE, -1);
  int rc = device_count(&count, err);
  phase_leave(w->page);
  return rc == 0 ? say(MSG_COUNTED, &count, sizeof count) : -1;
}

/* Looks up the bench and the variants of a request. The parent is trusted, but a wrong index must not become a wild
 * pointer. */
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
  c->memory_limit = request->memory_limit;
  c->scratch = &w->scratch;
  text_copy(c->key, sizeof c->key, request->key);
  return c;
}

/* Asks the bench whether it can compute the case, and with which minor of its contract the case came. Returns the name
 * of the callback that answered last, for messages. */
static const char *ask_bench(struct gb_case *c, uint32_t *minor, struct outcome *says) {
  const struct bench *bench = c->bench;
  *says = (struct outcome){0};
  if (!case_has_devices(c, says->message, sizeof says->message)) {
    says->kind = OUTCOME_SKIP;
  } else if (bench->own.supports != NULL) {
    call_begin(c, PHASE_SUPPORTS, OWNER_BENCH);
    call_end(c, bench->own.supports(bench->theirs, c), says);
  }
  if (says->kind != OUTCOME_OK) return "supports: ";
  minor_ask(c, minor, says);
  return says->kind != OUTCOME_OK ? "minor_of: " : "supports: ";
}

static int answer_support(struct worker *w, const struct case_request *request, uint32_t first, struct err *err) {
  struct bench *bench;
  struct variant *variants[CASE_VARIANTS_MAX];
  struct outcome bench_says, says;
  uint32_t minor = 0;
  if (!find_parties(w, request, &bench, variants, err)) return -1;
  SCOPED struct gb_case *c = new_case(w, request, bench);
  const char *whose = ask_bench(c, &minor, &bench_says);
  for (uint32_t i = 0; i < request->variant_count; i++) {
    says = bench_says;
    if (says.kind == OUTCOME_OK && minor_is_later(variants[i], minor)) {
      says.kind = OUTCOME_SKIP;
      minor_reason(variants[i], minor, says.message, sizeof says.message);
    } else if (says.kind == OUTCOME_OK && variants[i]->own.supports != NULL) {
      call_begin(c, PHASE_SUPPORTS, (int)i);
      c->variant = variants[i];
      call_end(c, variants[i]->own.supports(variants[i]->theirs, c), &says);
    }
    say_support(first + i, &says, whose);
  }
  case_clear(c);
  return 0;
}

/* Returns the request at this offset of the message; NULL if there is no complete one. */
static const struct case_request *request_at(const struct message *message, size_t at) {
  const struct case_request *request = (const void *)(message->payload + at);
  size_t left = message->size - at;
  if (left < offsetof(struct case_request, variants) || request->variant_count > CASE_VARIANTS_MAX) return NULL;
  return case_request_size(request) <= left ? request : NULL;
}

static int answer_supports(struct worker *w, const struct message *message, struct err *err) {
  _Static_assert(sizeof(((struct case_request *)NULL)->variants[0]) % _Alignof(struct case_request) == 0,
                 "requests behind each other are aligned");
  const struct case_request *request;
  uint32_t variants = 0;
  for (size_t at = 0; at < message->size && atomic_load(&w->page->stop) == 0; at += case_request_size(request)) {
    request = request_at(message, at);
    if (request == NULL) return err_set(err, EXIT_FAILED, "a request that ends too early");
    if (answer_support(w, request, variants, err) != 0) return -1;
    variants += request->variant_count;
  }
  return 0;
}

static int run_case(struct worker *w, const struct case_request *request, struct err *err) {
  struct bench *bench;
  struct variant *variants[CASE_VARIANTS_MAX];
  struct case_report report;
  uint32_t culprit;
  if (!find_parties(w, request, &bench, variants, err)) return -1;
  if (w->device != NULL && device_is(w->device, DEVICE_PRETENDED))
    return err_set(err, EXIT_USAGE, "device %s runs nothing: it is for gpubench check", w->device->facts.spec);
  struct gb_case *c = new_case(w, request, bench);
  nvml_siblings(request->idle);
  int rc = measure_case(c, request, variants, w->warm, &say_sink, &report, &culprit, err);
  w->warm = true;
  if (rc == 0) {
    free(c);
    return 0;
  }
  /* tells the parent which variant is at fault before the process ends, so that it blames none of the other variants */
  if (culprit != UINT32_MAX) {
    struct variant_report fault = {.variant = culprit,
                                   .status = ROW_CRASHED,
                                   .phase = c->phase,
                                   .figures = {.error = NAN, .tolerance = NAN, .kernels = -1}};
    snprintf(fault.message, sizeof fault.message, "%.1000s", err->text);
    say(MSG_REPORT, &fault, sizeof fault);
  }
  return -1;
}

/* ---- Examinations ---- */

struct examined {
  struct worker *worker;
  const struct case_request *request;
  const struct bench *bench;
};

static struct gb_case *examined_case(void *user, uint64_t seed) {
  const struct examined *x = user;
  struct gb_case *c = new_case(x->worker, x->request, x->bench);
  c->seed = seed;
  return c;
}

static int examine(struct worker *w, const struct case_request *request, struct err *err) {
  struct bench *bench;
  struct variant *variants[CASE_VARIANTS_MAX] = {NULL};
  if (!find_parties(w, request, &bench, variants, err)) return -1;
  if (request->variant_count > 1) return err_set(err, EXIT_FAILED, "request to examine more than one variant");
  /* remembers the process state again, with the handler that the examinations of this process need */
  if (fences_begin()) process_state_take(WORKER_SOCKET_FD);
  struct examined x = {w, request, bench};
  const struct exam_host host = {examined_case, say_finding, &x};
  w->warm = true;
  return exam_case(&host, request, variants[0], err);
}

static int declare(struct worker *w, const struct case_request *request, struct err *err) {
  struct bench *bench;
  struct variant *none[CASE_VARIANTS_MAX];
  struct case_report report;
  if (!find_parties(w, request, &bench, none, err)) return -1;
  SCOPED struct gb_case *c = new_case(w, request, bench);
  int rc = declare_case(c, say_tensor, &report, err);
  if (rc == 0) say(MSG_CASE, &report, sizeof report);
  return rc;
}

/* Closes the plugins, each once, the one that was loaded last first. */
static void close_plugins(struct worker *w) {
  while (w->plugin_count > 0) {
    const struct plugin *plugin = w->plugins[--w->plugin_count];
    if (plugin->own.close == NULL) continue;
    phase_enter(w->page, PHASE_CLOSE, (int)w->plugin_count);
    plugin->own.close(&plugin->host, plugin->self);
    phase_leave(w->page);
  }
}

static int serve_message(struct worker *w, const struct message *message, struct err *err) {
  const struct setting_message *setting = wire_as(message, sizeof *setting);
  const struct case_request *request = request_at(message, 0);
  const char *text = (const char *)message->payload;
  switch (message->type) {
    case MSG_LOAD:
      return load_plugin(w, text, err);
    case MSG_DESCRIBE:
      return describe(w, err);
    case MSG_DEVICE:
      return open_device(w, text, err);
    case MSG_COUNT:
      return count_worker_devices(w, err);
    case MSG_SUPPORTS:
      return answer_supports(w, message, err);
    case MSG_SET:
      return setting ? set_setting(w, setting, err) : -1;
    case MSG_RUN:
      return request ? run_case(w, request, err) : -1;
    case MSG_DECLARE:
      return request ? declare(w, request, err) : -1;
    case MSG_EXAMINE:
      return request ? examine(w, request, err) : -1;
    case MSG_SYNC:
      return sync_device(w, err);
    case MSG_CLOSE:
      close_plugins(w);
      fflush(NULL); /* flushes, so that the parent reads the output of `close` in this request */
      return 0;
    default:
      return err_set(err, EXIT_FAILED, "unknown request %u", message->type);
  }
}

static void answer(struct worker *w, const struct message *message) {
  struct err err = {0};
  int rc = serve_message(w, message, &err);
  if (rc == 0)
    say(MSG_DONE, NULL, 0);
  else
    say(MSG_FAILED, &err, sizeof err);
}

/* ---- A worker within the parent ---- */

struct worker *worker_new(struct phase_page *page, const struct scratch *scratch) {
  struct worker *w = xcalloc(1, sizeof *w);
  w->page = page;
  w->scratch = *scratch;
  return w;
}

void worker_answer(struct worker *w, const struct message *message, wire_taker to, void *user) {
  say_to(to, user);
  answer(w, message);
  /* drops all messages that come later, because a thread that the plugin left running may still send some */
  say_to(NULL, NULL);
}

void worker_free(struct worker *w) {
  if (w->device != NULL) w->device->ops->close(w->device);
  free(w->plugins);
  free(w);
}

/* ---- A worker in a separate process ---- */

static int send_to_parent(void *user, enum message_type type, const void *payload, size_t size) {
  (void)user;
  if (wire_send(WORKER_SOCKET_FD, type, payload, size) != 0) _exit(EXIT_FAILED); /* the parent is gone */
  return 0;
}

static struct phase_page *map_page(void) {
  void *page = mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_PAGE_FD, 0);
  if (page == MAP_FAILED) _exit(EXIT_FAILED);
  close(WORKER_PAGE_FD);
  return page;
}

/* Splits the path "base/name" of the scratch directory that the parent has chosen. */
static void take_scratch(struct scratch *scratch, const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash != NULL ? (size_t)(slash - path) : 0;
  if (slash == NULL || length >= sizeof scratch->base) return;
  text_copy(scratch->base, length + 1, path);
  text_copy(scratch->name, sizeof scratch->name, slash + 1);
  /* an isolated worker's directory was made before this program was executed */
  scratch->made = getenv(ISOLATION_VARIABLE) != NULL;
}

/* Waits for a request; returns false if the parent is gone. Uses poll(), because a blocking recv() also wakes this
 * process whenever the parent has read a frame from the other direction of the socket, although no request came. */
static bool wait_for_request(void) {
  struct pollfd parent = {.fd = WORKER_SOCKET_FD, .events = POLLIN};
  int ready;
  do
    ready = poll(&parent, 1, -1);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

_Noreturn void worker_main(int parent_pid, const char *scratch) {
  struct worker w = {.page = map_page()};
  struct message message;
  /* line-buffered, so that the parent reads output while the callback that printed it still runs */
  setvbuf(stdout, NULL, _IOLBF, 0);
  call_callback_ended = printed_callback_ended;
  take_scratch(&w.scratch, scratch);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_pid) _exit(EXIT_FAILED); /* the parent died before the line above */
  prctl(PR_SET_CHILD_SUBREAPER, 1);                /* makes this process the parent of orphans that plugins leave */
  /* opens these files now, because that is not possible after isolation_seal() */
  if (getenv(ISOLATION_VARIABLE) != NULL) cpu_pages_open();
  isolation_seal();
  process_state_take(WORKER_SOCKET_FD);
  if (wire_seal_own(WORKER_SOCKET_FD, MSG_SEAL) != 0) _exit(EXIT_FAILED);
  say_to(send_to_parent, NULL);
  while (wait_for_request() && wire_receive(WORKER_SOCKET_FD, &message) == 0) {
    answer(&w, &message);
    free(message.payload);
  }
  close_plugins(&w); /* the parent expects no more answers, but waits a while for this process to end */
  fflush(NULL);
  _exit(EXIT_OK); /* not exit(), which would run destructors of plugins and of the CUDA runtime */
}
