/* A simulated worker inside this process, which does what a script of bytes says. It replaces worker/reaper.c and, by
 * the linker's --wrap, poll() and recv(). All other code between the socket and the rows of results is gpubench's own.
 *
 * Each letter is a step; other bytes are skipped. When a worker ends, the next worker continues the script.
 *   p b v f r s c l g e d   sends a whole frame: plugin, bench, variant, facts, report, slot, case, log,
 *                           graph, failed, done. Frames are well-formed unless changed by:
 *   @ SPOT LENGTH BYTES     writes bytes over a member of the next frame (`spots`)
 *   ~ BYTE                  sets all bytes of the next frame
 *   # LOW HIGH              sets the next frame's size
 *   % TYPE                  sets the next frame's type
 *   * LENGTH BYTES          sends bytes without a frame and closes the socket
 *   P PHASE VARIANT SINCE   writes to the status page; SINCE 1 is now, others are the highest byte of the time
 *   o LENGTH BYTES          prints
 *   x LOW HIGH              ends with this status, as wait() returns it; 0xFF 0xFF: cannot be killed */
#ifndef HOSTILE_WORKER_H
#define HOSTILE_WORKER_H

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "fuzz.h"
#include "model/message.h"
#include "model/phase.h"
#include "worker/reaper.h"
#include "worker/wire.h"

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
ssize_t __real_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);

static struct {
  const uint8_t *at, *end; /* the rest of the script */
  int socket, output;      /* the worker's ends of the socket and of the output pipe; -1 while no worker runs */
  struct phase_page *page;
  int status;
  bool stubborn;
} worker = {.socket = -1};

/* ---- The script ---- */

static inline uint8_t script_byte(void) {
  return worker.at < worker.end ? *worker.at++ : 0;
}

static inline uint16_t script_word(void) {
  uint16_t low = script_byte();
  return (uint16_t)(low | script_byte() << 8);
}

static inline const uint8_t *script_bytes(size_t *length) {
  const uint8_t *bytes;
  *length = script_byte();
  if (*length > (size_t)(worker.end - worker.at)) *length = (size_t)(worker.end - worker.at);
  bytes = worker.at;
  worker.at += *length;
  return bytes;
}

/* ---- Frames ---- */

enum { SPOTS_MAX = 16, PAYLOAD_MAX = 1 << 18 };
_Static_assert(sizeof(struct bench_desc) <= PAYLOAD_MAX, "the largest frame");

#define AT(type, member) (uint32_t) offsetof(struct type, member)

static const struct frame {
  char letter;
  enum message_type type;
  size_t size;
  uint32_t spots[SPOTS_MAX]; /* offsets of the members that the step `@` may overwrite; unused ones are 0 */
} frames[] = {
    {'p',
     MSG_PLUGIN,
     sizeof(struct plugin_desc),
     {AT(plugin_desc, id), AT(plugin_desc, version), AT(plugin_desc, summary), AT(plugin_desc, bench_count),
      AT(plugin_desc, variant_count)}},
    {'b',
     MSG_BENCH,
     sizeof(struct bench_desc),
     {AT(bench_desc, name), AT(bench_desc, contract), AT(bench_desc, axis_count), AT(bench_desc, preset_count),
      AT(bench_desc, axes[0].type), AT(bench_desc, axes[0].default_count), AT(bench_desc, axes[0].name),
      AT(bench_desc, axes[0].choices), AT(bench_desc, axes[0].values), AT(bench_desc, axes[0].defaults[0].backend),
      AT(bench_desc, axes[0].defaults[0].values), AT(bench_desc, axes[1].type), AT(bench_desc, axes[1].name),
      AT(bench_desc, presets[0].name), AT(bench_desc, presets[0].point), AT(bench_desc, presets[0].backends)}},
    {'v',
     MSG_VARIANT,
     sizeof(struct variant_desc),
     {AT(variant_desc, name), AT(variant_desc, backend), AT(variant_desc, math), AT(variant_desc, contract),
      AT(variant_desc, bench), AT(variant_desc, flags)}},
    {'f',
     MSG_FACTS,
     sizeof(struct device_facts),
     {AT(device_facts, backend), AT(device_facts, spec), AT(device_facts, name), AT(device_facts, uuid),
      AT(device_facts, driver), AT(device_facts, memory_bytes), AT(device_facts, tick_ns)}},
    {'r',
     MSG_REPORT,
     sizeof(struct variant_report),
     {AT(variant_report, variant), AT(variant_report, status), AT(variant_report, phase),
      AT(variant_report, figures.kernels), AT(variant_report, figures.extra_bytes), AT(variant_report, figures.error),
      AT(variant_report, figures.tolerance), AT(variant_report, figures.math), AT(variant_report, message)}},
    {'s',
     MSG_SLOT,
     offsetof(struct slot_message, ns) + 3 * sizeof(double),
     {AT(slot_message, variant), AT(slot_message, round), AT(slot_message, count), AT(slot_message, state.position),
      AT(slot_message, state.throttle), AT(slot_message, state.sm_clock_mhz), AT(slot_message, state.power_w),
      AT(slot_message, ns), AT(slot_message, ns[1]), AT(slot_message, ns[2])}},
    {'c',
     MSG_CASE,
     sizeof(struct case_report),
     {AT(case_report, stop_reason), AT(case_report, rounds), AT(case_report, flops), AT(case_report, bytes_read),
      AT(case_report, tensor_bytes), AT(case_report, seconds_setup), AT(case_report, cooldown),
      AT(case_report, launch_overhead_ns), AT(case_report, launch_overhead_unc_ns), AT(case_report, conditions),
      AT(case_report, conditions.throttle), AT(case_report, conditions.note), AT(case_report, host),
      AT(case_report, host.involuntary), AT(case_report, item_unit)}},
    {'l',
     MSG_LOG,
     sizeof(struct log_message),
     {AT(log_message, level), AT(log_message, plugin), AT(log_message, text)}},
    {'g',
     MSG_GRAPH,
     sizeof(struct graph_message),
     {AT(graph_message, variant), AT(graph_message, graph.node_count), AT(graph_message, graph.edge_count),
      AT(graph_message, graph.nodes[0].kind), AT(graph_message, graph.nodes[0].id),
      AT(graph_message, graph.nodes[0].label), AT(graph_message, graph.nodes[1].id),
      AT(graph_message, graph.edges[0].from), AT(graph_message, graph.edges[0].to),
      AT(graph_message, graph.edges[0].label)}},
    {'e', MSG_FAILED, sizeof(struct err), {AT(err, exit_code), AT(err, text)}},
    {'d', MSG_DONE, 0, {0}},
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

#define SET(to, text) text_copy((to), sizeof(to), (text))

static inline void describe_bench(struct bench_desc *b) {
  SET(b->name, "scale");
  SET(b->contract, "test/scale/1");
  b->axis_count = 2;
  b->preset_count = 1;
  b->axes[0].type = AXIS_I64;
  b->axes[0].default_count = 1;
  SET(b->axes[0].name, "n");
  SET(b->axes[0].values, "1k,2k");
  SET(b->axes[0].defaults[0].backend, "cpu");
  SET(b->axes[0].defaults[0].values, "1k");
  b->axes[1].type = AXIS_STR;
  SET(b->axes[1].name, "dtype");
  SET(b->axes[1].choices, "fp32,bf16");
  SET(b->axes[1].values, "fp32");
  SET(b->presets[0].name, "small");
  SET(b->presets[0].point, "n=8");
  SET(b->presets[0].backends, "cpu");
}

static inline void state_graph(struct graph_desc *g) {
  g->node_count = 2;
  g->edge_count = 1;
  g->nodes[0].kind = GRAPH_TENSOR;
  g->nodes[1].kind = GRAPH_KERNEL;
  SET(g->nodes[0].id, "x");
  SET(g->nodes[0].label, "input");
  SET(g->nodes[1].id, "scale");
  g->edges[0] = (struct graph_edge){.to = 1, .bytes = 4096};
}

/* Fills in a well-formed payload. */
static inline void fill_frame(char letter, void *payload) {
  union {
    struct plugin_desc *p;
    struct variant_desc *v;
    struct device_facts *f;
    struct variant_report *r;
    struct slot_message *s;
    struct case_report *c;
    struct log_message *l;
    struct graph_message *g;
    struct err *e;
  } to = {payload};
  if (letter == 'b') describe_bench(payload);
  if (letter == 'p')
    *to.p = (struct plugin_desc){.id = "vector", .version = "1.0", .bench_count = 1, .variant_count = 2};
  if (letter == 'v')
    *to.v = (struct variant_desc){.name = "plain", .backend = "cpu", .math = "fp32", .contract = "test/scale/1"};
  if (letter == 'f') *to.f = (struct device_facts){.backend = "cpu", .spec = "cpu", .name = "a cpu", .tick_ns = 1};
  if (letter == 'r')
    *to.r = (struct variant_report){.status = ROW_OK, .figures = {.error = 1e-7, .tolerance = 1e-6, .math = "fp32"}};
  if (letter == 's') to.s->count = 3, to.s->ns[0] = 100, to.s->ns[1] = 101, to.s->ns[2] = 99;
  if (letter == 'c') *to.c = (struct case_report){.stop_reason = STOP_PRECISION, .flops = 1000, .bytes_read = 500};
  if (letter == 'l') *to.l = (struct log_message){.plugin = "vector", .text = "a line"};
  if (letter == 'g') state_graph(&to.g->graph);
  if (letter == 'e') *to.e = (struct err){.exit_code = EXIT_FAILED, .text = "the bench refused"};
}

/* ---- Steps ---- */

static struct {
  unsigned char payload[PAYLOAD_MAX];
  const uint8_t *patches[8];
  size_t patch_count;
  int filler, size, type; /* -1: unchanged */
} next;

static inline void begin_frame(void) {
  next.patch_count = 0;
  next.filler = next.size = next.type = -1;
}

/* Starts a script. All workers that are started afterwards take their steps from it. */
static inline void begin_script(const uint8_t *data, size_t size) {
  worker.at = data;
  worker.end = data + size;
  begin_frame();
}

/* Sends the rest of a frame that is larger than the socket's buffer, piece by piece as the parent reads. */
static struct {
  const unsigned char *at;
  size_t left;
} unsent;

static inline void send_rest(void) {
  while (unsent.left > 0) {
    const ssize_t sent = send(worker.socket, unsent.at, unsent.left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    unsent.at += sent;
    unsent.left -= (size_t)sent;
  }
}

static inline void send_frame(const struct frame *frame) {
  const uint8_t *rest = worker.at;
  size_t size = next.size >= 0 ? (size_t)next.size : frame->size;
  memset(next.payload, next.filler >= 0 ? next.filler : 0, frame->size > size ? frame->size : size);
  if (next.filler < 0) fill_frame(frame->letter, next.payload);
  for (size_t i = 0; i < next.patch_count; i++) {
    worker.at = next.patches[i];
    uint32_t spot = frame->spots[script_byte() % SPOTS_MAX];
    size_t length;
    const uint8_t *bytes = script_bytes(&length);
    memcpy(next.payload + spot, bytes, length);
  }
  worker.at = rest;
  const struct wire_head head = wire_head(next.type >= 0 ? (uint32_t)next.type : frame->type, size);
  send(worker.socket, &head, sizeof head, MSG_NOSIGNAL | MSG_DONTWAIT);
  unsent.at = next.payload;
  unsent.left = size;
  send_rest();
  begin_frame();
}

static inline void scribble(void) {
  uint8_t phase = script_byte(), variant = script_byte(), since = script_byte();
  phase_enter(worker.page, (enum phase)phase, 0);
  if (phase == 0xFF) atomic_store(&worker.page->phase, 0);
  atomic_store(&worker.page->variant, (int8_t)variant);
  atomic_store(&worker.page->since_ns, since == 1 ? clock_now_ns() : (int64_t)((uint64_t)since << 56));
}

static inline void end_worker(int status) {
  worker.stubborn = status == 0xFFFF;
  worker.status = status;
  shutdown(worker.socket, SHUT_WR);
}

/* Performs one step of the script that sends no whole frame. Returns true if the worker has ended. */
static inline bool take_step(uint8_t letter) {
  size_t length;
  const uint8_t *bytes;
  switch (letter) {
    case '@':
      if (next.patch_count < sizeof next.patches / sizeof next.patches[0]) next.patches[next.patch_count++] = worker.at;
      script_byte();
      script_bytes(&length);
      return false;
    case '~':
      next.filler = script_byte();
      return false;
    case '#':
      next.size = script_word();
      return false;
    case '%':
      next.type = script_byte();
      return false;
    case 'P':
      scribble();
      return false;
    case 'o':
      bytes = script_bytes(&length);
      MUST(write(worker.output, bytes, length) >= 0);
      return false;
    case '*':
      bytes = script_bytes(&length);
      send(worker.socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
      end_worker(0);
      return true;
    case 'x':
      end_worker(script_word());
      return true;
    default:
      return false;
  }
}

/* Performs steps of the script until one has sent a frame or ended the worker. */
static inline void play(void) {
  while (worker.at < worker.end) {
    uint8_t letter = script_byte();
    for (size_t i = 0; i < FRAMES; i++)
      if (letter == (uint8_t)frames[i].letter) {
        send_frame(&frames[i]);
        return;
      }
    if (take_step(letter)) return;
  }
  end_worker(0);
}

/* Replaces poll(): when the parent waits, reads the parent's requests and performs the worker's next steps. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout) {
  static char told[1 << 16];
  (void)timeout;
  while (__real_recv(worker.socket, told, sizeof told, MSG_DONTWAIT) > 0)
    continue;
  play();
  return __real_poll(fds, count, 0);
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags) {
  send_rest();
  return __real_recv(fd, to, size, flags);
}

/* ---- In place of worker/reaper.c ---- */

/* Copy of the struct in worker/child.c. */
struct ends {
  int socket[2], output[2], page;
};

static inline bool is_a(int fd, mode_t kind) {
  struct stat info;
  return fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

int reaper_start(struct reaper *reaper, const struct scratch *scratch, void (*enter)(const void *), const void *context,
                 struct err *err) {
  const struct ends *e = context;
  (void)scratch, (void)enter, (void)err;
  MUST(is_a(e->socket[1], S_IFSOCK) && is_a(e->output[1], S_IFIFO) && is_a(e->page, S_IFREG));
  worker.page = mmap(NULL, sizeof *worker.page, PROT_READ | PROT_WRITE, MAP_SHARED, e->page, 0);
  MUST(worker.socket < 0 && worker.page != MAP_FAILED);
  worker.socket = dup(e->socket[1]);
  worker.output = dup(e->output[1]);
  worker.status = 0;
  worker.stubborn = false;
  *reaper = (struct reaper){.pid = 1, .leash = -1};
  return 0;
}

static inline void bury_worker(struct reaper *reaper, int *status) {
  munmap(worker.page, sizeof *worker.page);
  close(worker.socket);
  close(worker.output);
  worker.socket = -1;
  unsent.left = 0;
  *status = worker.status;
  *reaper = (struct reaper){.leash = -1};
}

bool reaper_wait(struct reaper *reaper, int patience_ms, int *status) {
  (void)patience_ms;
  if (worker.stubborn) return false;
  bury_worker(reaper, status);
  return true;
}

bool reaper_end(struct reaper *reaper, int *status) {
  bury_worker(reaper, status);
  return !worker.stubborn;
}

/* Functions for the start of a process. This program starts none, so nothing is inherited and no limit is reached. */
void inherited_take(void) {}

void inherited_restore(void) {}

int exhausted_err(int error, struct err *err) {
  return err_set(err, EXIT_FAILED, "cannot start a worker process: %s", strerror(error));
}

int exhausted_files(void) {
  return 0;
}

#endif
