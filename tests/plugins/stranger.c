/* Variants that this plugin adds to the bench of ok_vector.c, for tests of the option --isolate. They compute
 * correctly, and also try what untrusted code must not do to gpubench, to its files and to other processes. An attempt
 * that succeeds is logged as "could ...". $STRANGER_RUN is the folder of the run. */
#include <dirent.h>
#include <fcntl.h>
#include <gpubench/sugar.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

extern const gb_plugin gb_plugin_v1;
static gb_sdk gb;
static const gb_host *host;
static int calls;

static void could(const char *what, const char *whom) {
  char text[4200];
  snprintf(text, sizeof text, "could %s %s", what, whom);
  host->log(host, GB_LOG_WARNING, text);
}

/* ---- Tricks ---- */

static void try_memory(const char *pid) {
  char path[64];
  long word = 0;
  const struct iovec here = {&word, sizeof word}, there = {(void *)&gb_plugin_v1, sizeof word};
  snprintf(path, sizeof path, "/proc/%s/mem", pid);
  const int fd = open(path, O_RDWR);
  if (fd >= 0) could("open the memory of", pid);
  if (process_vm_readv(atoi(pid), &here, 1, &there, 1, 0) > 0) could("read the memory of", pid);
  if (ptrace(PTRACE_SEIZE, atoi(pid), NULL, NULL) == 0) could("trace", pid);
  if (fd >= 0) close(fd);
}

static void try_signal(const char *pid) {
  if (kill(atoi(pid), 0) == 0) could("signal", pid);
}

/* Calls `try` for each process of gpubench other than this one, such as the parent process and other workers. The
 * processes are found by their name. */
static void for_others(void (*try)(const char *pid)) {
  const struct dirent *entry;
  DIR *all = opendir("/proc");
  while (all != NULL && (entry = readdir(all)) != NULL) {
    char path[300], name[64] = "";
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || atoi(entry->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file != NULL && fgets(name, sizeof name, file) != NULL && strncmp(name, "gpubench", 8) == 0) try(entry->d_name);
    if (file != NULL) fclose(file);
  }
  if (all != NULL) closedir(all);
}

static void try_file(const char *folder, const char *name, int how, const char *what) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const int fd = open(path, how, 0600);
  if (fd < 0) return;
  could(what, path);
  close(fd);
}

static void traces(void) {
  for_others(try_memory);
}

static void kills(void) {
  for_others(try_signal);
}

static void writes(void) {
  const char *run = getenv("STRANGER_RUN");
  try_file(run, "results.csv", O_WRONLY, "open for writing");
  try_file(run, "samples.csv", O_WRONLY | O_APPEND, "append to");
  try_file(run, "planted", O_WRONLY | O_CREAT, "make");
  try_file(".", "planted", O_WRONLY | O_CREAT, "make");
  try_file("/tmp", "gpubench-planted", O_WRONLY | O_CREAT, "make");
  try_file("/dev/shm", "gpubench-planted", O_WRONLY | O_CREAT, "make");
  if (chmod(run, 0777) == 0) could("change the mode of", run);
}

static void reads(void) {
  const char *run = getenv("STRANGER_RUN");
  try_file(run, "results.csv", O_RDONLY, "read");
  try_file(run, "run.ini", O_RDONLY, "read");
}

static void dies(void) {
  if (calls > 4) raise(SIGSEGV);
}

static void hangs(void) {
  for (volatile int on = calls > 4; on;)
    continue;
}

static void *spin(void *unused) {
  for (volatile int on = 1; on;)
    continue;
  return unused;
}

static void spins(void) {
  pthread_t thread;
  if (calls == 3 && pthread_create(&thread, NULL, spin, NULL) == 0) pthread_detach(thread);
}

/* Starts a process that leaves this session and becomes an orphan. */
static void leaves(void) {
  if (calls != 3 || fork() != 0) return;
  setsid();
  if (fork() == 0) spin(NULL);
  _exit(0);
}

static void nothing(void) {}

/* ---- The plugin ---- */

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const float *x = gb.tensor->data(c, "x"), a = (float)gb.point->f64(c, "a");
  float *y = gb.tensor->data(c, "y");
  int64_t n = gb.tensor->dim(c, "y", 0);
  for (int64_t i = 0; i < n; i++)
    y[i] = a * x[i];
  calls++;
  (*(void (**)(void))self->user)();
  return GB_OK;
}

struct trick {
  const char *name;
  void (*try)(void);
};
static struct trick tricks[] = {{"traces", traces}, {"kills", kills},   {"writes", writes},
                                {"reads", reads},   {"dies", dies},     {"hangs", hangs},
                                {"spins", spins},   {"leaves", leaves}, {"nothing", nothing}};
enum { TRICKS = sizeof tricks / sizeof tricks[0] };
static gb_variant variants[TRICKS];

static gb_status open_stranger(const gb_host *from, gb_registry *registry, void **self) {
  (void)self;
  host = from;
  gb_status status = gb_sdk_open(&gb, from);
  for (int i = 0; i < TRICKS && status == GB_OK; i++) {
    variants[i] = (gb_variant){GB_SIZE(gb_variant), .name = tricks[i].name, .backend = "cpu",
                               .math = "fp32",      .user = &tricks[i].try, .run = run};
    status = from->attach(from, registry, "gpubench.org/test/vector/scale/1", &variants[i]);
  }
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "stranger", .version = "1.0.0", .open = open_stranger};
