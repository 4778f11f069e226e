/* A plugin that follows every rule that `gpubench check` checks, or breaks the one that the environment variable
 * RULES_FAULT names. Its bench computes y = 2 * x over n floats. It has a workspace, inputs from the bench's own
 * `fill`, and a `verify` in addition to the reference. */
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gpubench/sugar.h>

static gb_sdk gb;
static const char *fault = "";

static int is(const char *name) {
  return strcmp(fault, name) == 0;
}

/* Carries out a fault that exists for every callback, such as "crash-run" or "hang-run". `slot` is the name of the
 * callback. */
static void in_slot(const char *slot) {
  char name[64];
  snprintf(name, sizeof name, "crash-%s", slot);
  if (is(name)) raise(SIGSEGV);
  snprintf(name, sizeof name, "hang-%s", slot);
  while (is(name))
    pause();
  snprintf(name, sizeof name, "print-%s", slot);
  if (is(name)) printf("hello from %s\n", slot);
}

static gb_status mute(const char *slot) {
  char name[64];
  in_slot(slot);
  snprintf(name, sizeof name, "mute-%s", slot);
  return is(name) ? GB_EFAIL : GB_OK;
}

static gb_status fails(gb_case *c, const char *slot) {
  char name[64];
  const gb_status status = mute(slot);
  snprintf(name, sizeof name, "fail-%s", slot);
  return is(name) ? gb_failf(&gb, c, GB_EFAIL, "no milk in the fridge") : status;
}

/* ---- Changes that remain ---- */

/* Sets the number of threads of OpenMP, and loads its library when it is called for the first time. */
static void set_openmp(int threads) {
  void *library = dlopen("libgomp.so.1", RTLD_LAZY),
       *symbol = library != NULL ? dlsym(library, "omp_set_num_threads") : NULL;
  void (*set)(int);
  if (symbol == NULL) abort();
  memcpy(&set, &symbol, sizeof set);
  set(threads);
}

static void caught(int number) {
  (void)number;
}

static void change(const char *slot) {
  char name[64];
  snprintf(name, sizeof name, "signal-%s", slot);
  if (is(name)) signal(SIGUSR1, caught);
  snprintf(name, sizeof name, "environment-%s", slot);
  if (is(name)) setenv("RULES_LEFT", "1", 1);
  snprintf(name, sizeof name, "directory-%s", slot);
  if (is(name) && chdir("/") != 0) abort();
  snprintf(name, sizeof name, "umask-%s", slot);
  if (is(name)) umask(0);
  snprintf(name, sizeof name, "locale-%s", slot);
  if (is(name)) setlocale(LC_ALL, "C.UTF-8");
  if (is("openmp") && strcmp(slot, "open") == 0) set_openmp(7);
  if (is("openmp") && strcmp(slot, "prepare") == 0) set_openmp(3);
  snprintf(name, sizeof name, "file-%s", slot);
  if (is(name)) close(open("left-behind", O_CREAT | O_WRONLY, 0600));
}

/* ---- What remains outside of gb.scratch/1 ---- */

/* Makes a file that is not open afterwards. Its name has a number, and that of the parent process, which is gpubench.
 */
static void leave_file(const char *folder) {
  static unsigned number;
  char path[128];
  snprintf(path, sizeof path, "%s/rules-of-%d-%u", folder, (int)getppid(), number++);
  const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) abort();
  close(fd);
}

/* Maps shared memory under a name that is the same each time. */
static void map_shared(int removed) {
  const int fd = shm_open("/rules-shared", O_CREAT | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) abort();
  char *volatile memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memory[0] = 1;
  close(fd);
  if (!removed) return; /* it stays mapped, so that memory grows, but by less than the rule on memory allows */
  munmap(memory, 4096);
  shm_unlink("/rules-shared");
}

static void use_system_v(int removed) {
  const int segment = is("sysv-segment") || removed ? shmget(IPC_PRIVATE, 4096, 0600) : -1;
  const int set = is("sysv-semaphores") || removed ? semget(IPC_PRIVATE, 2, 0600) : -1;
  const int queue = is("sysv-queue") || removed ? msgget(IPC_PRIVATE, 0600) : -1;
  const struct {
    long type;
    char text[4];
  } message = {1, "abc"};
  if (set >= 0 && semctl(set, 1, SETVAL, 1) != 0) abort();
  if (queue >= 0 && msgsnd(queue, &message, sizeof message.text, 0) != 0) abort();
  if (!removed) return;
  if (shmctl(segment, IPC_RMID, NULL) != 0 || semctl(set, 0, IPC_RMID) != 0 || msgctl(queue, IPC_RMID, NULL) != 0)
    abort();
}

static void leave_outside(const char *slot) {
  if (strcmp(slot, "open") == 0 && is("shared-open")) map_shared(0);
  if (strcmp(slot, "prepare") != 0) return;
  if (is("shared-file")) leave_file("/dev/shm");
  if (is("var-file")) leave_file("/var/tmp");
  if (is("tmp-file")) leave_file("/tmp");
  if (is("shared-mapped") || is("all-removed")) map_shared(is("all-removed"));
  use_system_v(is("all-removed"));
}

/* ---- What is slow, and allowed ---- */

static volatile int spins;
static pthread_t spinners[2];

static void *spin(void *nothing) {
  while (spins)
    continue;
  return nothing;
}

static void begin_spinning(void) {
  spins = is("spinning");
  for (int i = 0; spins && i < 2; i++)
    pthread_create(&spinners[i], NULL, spin, NULL);
}

static void end_spinning(void) {
  const int some = spins;
  spins = 0;
  for (int i = 0; some && i < 2; i++)
    pthread_join(spinners[i], NULL);
}

static void read_maps(void) {
  static char text[1 << 16];
  const int fd = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && read(fd, text, sizeof text) > 0)
    continue;
  close(fd);
}

static void *sleep_on(void *nothing) {
  for (;;)
    pause();
  return nothing;
}

static void grow(const char *slot) {
  char name[64];
  pthread_t thread;
  snprintf(name, sizeof name, "thread-%s", slot);
  if (is(name)) pthread_create(&thread, NULL, sleep_on, NULL);
  snprintf(name, sizeof name, "descriptor-%s", slot);
  if (is(name) && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) abort();
  snprintf(name, sizeof name, "leak-%s", slot);
  const int slowly = is("leak-slowly") && strcmp(slot, "setup") == 0;
  if (slowly) nanosleep(&(struct timespec){.tv_nsec = 240000000}, NULL);
  if (is(name) || slowly) {
    char *volatile lost = malloc(slowly ? 5000 : 100);
    lost[0] = 1;
  }
  /* Frees seven blocks of a new size each time. glibc keeps up to seven free blocks of each size for the thread, so
   * that the memory in use grows although nothing leaks. */
  if (is("caches") && strcmp(slot, "setup") == 0) {
    static size_t size = 200;
    char *volatile some[7];
    size += 16;
    for (int i = 0; i < 7; i++)
      some[i] = malloc(size);
    for (int i = 0; i < 7; i++)
      free(some[i]);
  }
}

static void all(const char *slot) {
  change(slot);
  grow(slot);
  leave_outside(slot);
}

/* ---- The bench ---- */

static int alive, setups, fills, references;

static int64_t elements(gb_case *c) {
  const int64_t n = gb.point->i64(c, "n");
  return is("statics") && !alive ? n / 2 : n;
}

static gb_status supports(const gb_bench *self, gb_case *c) {
  (void)self;
  if (is("cases")) return gb_failf(&gb, c, GB_SKIP, "not on a Wednesday");
  if (is("mute-skip")) return GB_SKIP;
  static int asked;
  if (is("supports-changes") && asked++ >= 3 && gb.point->i64(c, "n") == 512)
    return gb_failf(&gb, c, GB_SKIP, "asked too often");
  if (is("odd-refused") && gb.point->i64(c, "n") % 2 != 0) return gb_failf(&gb, c, GB_SKIP, "n is odd");
  if (is("odd-one") && gb.point->i64(c, "m") % 16 != 0) return gb_failf(&gb, c, GB_SKIP, "m is no multiple of 16");
  return fails(c, "supports");
}

/* Vectors of more than 2^20 elements came with minor 2 of the contract. */
static uint32_t minor_of(const gb_bench *self, gb_case *c) {
  static uint32_t calls;
  (void)self;
  if (fails(c, "minor_of") != GB_OK) return UINT32_MAX;
  if (is("minor-above")) return 3;
  if (is("minor-twice")) return calls++ % 2;
  if (is("minor-axis")) return (uint32_t)gb.point->i64(c, "no-such-axis");
  return gb.point->i64(c, "n") > 1 << 20 ? 2 : 0;
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor x, y;
  gb_work work;
  setups++;
  GB_CLEAR(x);
  x.role = GB_IN;
  x.dtype = GB_DTYPE_F32;
  x.rank = 1;
  x.name = "x";
  x.shape = &n;
  x.fill = GB_FILL_BENCH;
  y = x;
  y.role = GB_OUT;
  y.name = "y";
  y.fill = 0;
  y.reduction = is("reduction") ? 1000000000000000 : is("reduction-fair") ? 65536 : 1;
  GB_CLEAR(work);
  work.flops = (uint64_t)n + (is("setup-twice") ? (uint64_t)setups : 0);
  if (is("flops")) work.flops *= 10000000;
  if (is("flops-fair")) work.flops *= 16;
  work.bytes_read = is("work-reads") ? 8 * (uint64_t)n : is("work-reads-nothing") ? 0 : 4 * (uint64_t)n;
  work.bytes_written = is("work") ? 4 : is("work-writes") ? 8 * (uint64_t)n : 4 * (uint64_t)n;
  all("setup");
  if (is("odd-setup") && n % 2 != 0) return gb_failf(&gb, c, GB_EFAIL, "n is odd");
  *state = calloc(1, sizeof(int));
  alive = 1;
  gb_status status = fails(c, "setup");
  if (status == GB_OK) status = gb.tensor->declare(c, &x);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  if (status == GB_OK) status = gb.point->work(c, &work);
  if (status != GB_OK) free(*state);
  return status;
}

static gb_status fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t n = gb.point->i64(c, "n");
  gb_status status = fails(c, "fill");
  const uint64_t seed = is("fill-fixed") ? 1 : gb.point->seed(c) + (is("fill") ? (uint64_t)fills++ : 0);
  for (int64_t i = 0; i < n && status == GB_OK; i++) {
    const double drawn = 1 + (double)gb.rng->below(seed, 1, (uint64_t)i, 1000) / 1000;
    const double value = is("rotated") ? 1 + (double)((i + (int64_t)(seed % 97)) % n) : drawn;
    status = gb.input->write(c, "x", (uint64_t)i, 1, &value);
  }
  return status;
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t n = gb.point->i64(c, "n"), end = is("last-element") ? n - 1 : n;
  gb_status status = fails(c, "reference");
  references++;
  if (is("slow-reference")) sleep(1);
  const int few = is("few") || is("few-alone") || is("few-verified");
  /* these faults ask for the random number that should select the elements to compare, but ignore it */
  if (few || is("last-element")) (void)gb.point->places(c);
  for (int64_t i = 0; i < end && status == GB_OK; i++) {
    double value;
    if ((is("reference-foreseen") && i == 1) || (few && i != 0 && i != n - 1)) continue;
    status = gb.tensor->input(c, "x", (uint64_t)i, 1, &value);
    value = is("reference-constant") ? 3 : 2 * value;
    if (is("reference-moves") && i == 5) value += 1e-9 * references;
    if (status == GB_OK) status = gb.tensor->expect(c, "y", (uint64_t)i, 1, &value);
  }
  return status;
}

static gb_status verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  for (int64_t i = 0; is("few-verified") && i < gb.point->i64(c, "n"); i++) {
    double x, y;
    if (gb.tensor->input(c, "x", (uint64_t)i, 1, &x) != GB_OK || gb.tensor->output(c, "y", (uint64_t)i, 1, &y) != GB_OK)
      return GB_EFAIL;
    if (y < 1.99 * x || y > 2.01 * x) return gb_failf(&gb, c, GB_EFAIL, "y[%lld] is wrong", (long long)i);
  }
  if (is("verify")) return gb_failf(&gb, c, GB_EFAIL, "the sum of rows is off by 3");
  return fails(c, "verify");
}

static void teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  in_slot("teardown");
  alive = 0;
  change("teardown");
  if (!is("leak-teardown")) free(state);
}

/* ---- The variant ---- */

struct workspace {
  int calls;
  float *kept;
  void *library; /* imitates memory that a library allocates for itself */
};

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  all("prepare");
  gb_status status = fails(c, "prepare");
  if (status != GB_OK) return status;
  float *kept = gb.mem->alloc(c, GB_MEM_HOST, 4 * (uint64_t)gb.point->i64(c, "n"));
  if (kept == NULL && !is("no-memory")) return GB_ENOMEM;
  kept[0] = 0;
  struct workspace *w = calloc(1, sizeof *w);
  if (is("unstated") || is("stated")) w->library = malloc(64 << 20);
  if (is("stated") && gb.mem->claim(c, GB_MEM_HOST, 64 << 20) != GB_OK) return GB_ENOMEM;
  w->kept = kept;
  begin_spinning();
  *vstate = w;
  return GB_OK;
}

static pthread_t late;
static float *late_at;

static void *write_late(void *value) {
  usleep(20000);
  *late_at = *(float *)value;
  free(value);
  return NULL;
}

static void leave_for_later(float *y, int64_t at) {
  float *value = malloc(sizeof *value);
  *value = y[at];
  late_at = &y[at];
  y[at] = 0;
  pthread_create(&late, NULL, write_late, value);
  pthread_detach(late);
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  struct workspace *w = vstate;
  const int64_t n = elements(c);
  float *x = gb.tensor->data(c, "x"), *y = gb.tensor->data(c, "y");
  gb_status status = fails(c, "run");
  if (status != GB_OK) return status;
  all("run");
  w->calls++;
  for (int64_t i = is("there") && y[0] == y[0] ? n : 0; i < n; i++)
    y[i] = is("reference-constant") ? 3 : 2 * x[i];
  if (is("values")) y[n / 2] += 1;
  if (is("writes")) memset(&y[n / 2], 0xFF, sizeof *y);
  if (is("bounds") || (is("choice") && strcmp(gb.point->str(c, "kind"), "wide") == 0)) y[n] = 1;
  if (is("bounds-before")) y[-1] = 1;
  if (is("beyond")) y[n + 16384] = 1;
  if (is("before")) y[-10000] = 1;
  if (is("reads-beyond")) w->kept[0] = *(volatile float *)&x[n];
  if (is("workspace-beyond")) w->kept[n + 2048] = 1;
  if (is("smaps")) read_maps();
  /* imitates a kernel that lacks the loop for the remaining elements */
  for (int64_t i = is("odd") ? n / 8 * 8 : n; i < n; i++)
    y[i] = 0;
  if (is("inputs")) x[1] = 1.5F;
  if (is("repeat") && w->calls > 4) y[3] = -1;
  if (is("complete")) leave_for_later(y, n - 1);
  if (is("fresh") && w->kept[0] != 0) memcpy(y, w->kept, (size_t)n * sizeof *y);
  if (is("fresh") && w->kept[0] == 0) memcpy(w->kept, y, (size_t)n * sizeof *y);
  if (is("log")) gb.host->log(gb.host, GB_LOG_INFO, "one more call");
  if (is("services")) gb.mem->alloc(c, GB_MEM_HOST, 16);
  if (is("services-axis")) gb.point->i64(c, "no-such-axis");
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  in_slot("release");
  change("release");
  end_spinning();
  free(((struct workspace *)vstate)->library);
  if (!is("leak-release")) free(vstate);
}

static gb_variant plain = {GB_SIZE(gb_variant), .name = "plain", .backend = "cpu",  .math = "fp32",
                           .prepare = prepare,  .run = run,      .release = release};
static const gb_variant *const variants[] = {&plain, NULL};
static const gb_axis axis_n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .summary = "elements",
                               .values = "256,512"};
static const gb_axis axis_m = {GB_SIZE(gb_axis), .type = GB_I64, .name = "m", .values = "16"};
static const gb_axis axis_kind = {GB_SIZE(gb_axis), .type = GB_STR, .name = "kind", .choices = "narrow,wide,long",
                                  .values = "narrow"};
static const gb_axis *axes[] = {&axis_n, NULL, NULL};
static const gb_preset small = {GB_SIZE(gb_preset), .name = "small", .point = "n=64"};
static const gb_preset *const presets[] = {&small, NULL};
static gb_bench bench = {GB_SIZE(gb_bench),   .name = "scale",      .contract = "gpubench.org/test/rules/1",
                         .contract_minor = 2, .minor_of = minor_of, .axes = axes,
                         .presets = presets,  .variants = variants, .supports = supports,
                         .setup = setup,      .fill = fill,         .reference = reference,
                         .verify = verify,    .teardown = teardown};

static gb_status rules_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const char *wanted = getenv("RULES_FAULT");
  if (wanted != NULL) fault = wanted;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = fails(NULL, "open");
  all("open");
  if (is("slow-open")) sleep(2);
  const char *backend = getenv("RULES_BACKEND");
  if (backend != NULL) plain.backend = backend;
  if (is("odd-one")) axes[1] = &axis_m;
  if (is("choice") || is("choices")) axes[1] = &axis_kind;
  if (is("contract")) bench.contract = "gpubench.org/test/rules";
  if (is("few-alone")) bench.verify = NULL;
  if (is("unchecked")) bench.reference = NULL; /* `verify` is then the only check, and accepts everything */
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

static void rules_close(const gb_host *host, void *self) {
  (void)host;
  (void)self;
  in_slot("close");
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "rules", .version = "1.0.0", .open = rules_open,
                                          .close = rules_close};

#ifdef EXPORT_MORE
GB_EXPORT int rules_helper(void);
int rules_helper(void) {
  return 1;
}
#endif

#ifdef RELOCATE_TEXT
__asm__(".text\n.balign 8\n.quad gb_plugin_v1\n");
#endif

#ifdef USE_HOST
extern int gb_host_internal(void) __attribute__((weak));
int (*rules_internal)(void);
__attribute__((constructor)) static void find(void) {
  rules_internal = gb_host_internal;
}
#endif
