/* Is loaded into CUDA processes through CUDA_INJECTION64_PATH and writes the name and the duration of every kernel,
 * as CUPTI sees them, to the file that GPUBENCH_CUPTI_TRACE names. CUPTI is opened at run time. Workers end with
 * _exit(), so a thread keeps asking for complete records: CUPTI's periodic flush delivers only full buffers, and a
 * run that only verifies fills none. */
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, FLUSH_MS = 20, LINE_BYTES = 400 };

static struct {
  CUptiResult (*enable)(CUpti_ActivityKind kind);
  CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
  CUptiResult (*flush)(uint32_t flags);
  CUptiResult (*next)(uint8_t *buffer, size_t bytes, CUpti_Activity **record);
} cupti;

static int out = -1;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *records) {
  *buffer = aligned_alloc(64, BUFFER_BYTES);
  *bytes = *buffer != NULL ? BUFFER_BYTES : 0;
  *records = 0;
}

static void write_kernel(const CUpti_ActivityKernel9 *kernel) {
  char line[LINE_BYTES];
  int length = snprintf(line, sizeof line, "%llu %.300s\n", (unsigned long long)(kernel->end - kernel->start),
                        kernel->name != NULL ? kernel->name : "?");
  if (length > 0 && write(out, line, (size_t)length) < 0) perror("cupti trace");
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
  CUpti_Activity *record = NULL;
  (void)context, (void)stream, (void)bytes;
  while (cupti.next(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
      write_kernel((const CUpti_ActivityKernel9 *)(const void *)record);
  free(buffer);
}

static int find(void *library, const char *name, void *to) {
  void *symbol = dlsym(library, name);
  memcpy(to, &symbol, sizeof symbol);
  return symbol != NULL ? 0 : -1;
}

static void *keep_flushing(void *nothing) {
  const struct timespec period = {.tv_nsec = FLUSH_MS * 1000000L};
  while (nanosleep(&period, NULL) == 0)
    cupti.flush(0);
  return nothing;
}

static int start_flushing(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, keep_flushing, NULL) != 0 || pthread_detach(thread) != 0 ? -1 : 0;
}

/* Opens the library that GPUBENCH_CUPTI_LIBRARY names, or else the one that the loader or the toolkit's folder has. */
static void *open_cupti(void) {
  static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12",
                                      "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
  const char *chosen = getenv("GPUBENCH_CUPTI_LIBRARY");
  if (chosen != NULL) return dlopen(chosen, RTLD_NOW);
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++)
    library = dlopen(names[i], RTLD_NOW);
  return library;
}

/* The CUDA driver calls this. It returns 1 on success. */
int InitializeInjection(void);
int InitializeInjection(void) {
  const char *path = getenv("GPUBENCH_CUPTI_TRACE");
  void *library = open_cupti();
  if (path == NULL || library == NULL) {
    fprintf(stderr, "cupti trace: unavailable: %s\n", path == NULL ? "GPUBENCH_CUPTI_TRACE is not set" : dlerror());
    return 0;
  }
  out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0 || find(library, "cuptiActivityEnable", &cupti.enable) != 0 ||
      find(library, "cuptiActivityRegisterCallbacks", &cupti.callbacks) != 0 ||
      find(library, "cuptiActivityFlushAll", &cupti.flush) != 0 ||
      find(library, "cuptiActivityGetNextRecord", &cupti.next) != 0) {
    fprintf(stderr, "cupti trace: unavailable: %s\n", out < 0 ? path : "the library lacks a function");
    return 0;
  }
  int failed = cupti.callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
               cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS || start_flushing() != 0;
  if (failed) fprintf(stderr, "cupti trace: unavailable: CUPTI refuses (is another profiler there?)\n");
  return !failed;
}
