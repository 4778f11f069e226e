// Cheating variants that falsify times of a GPU, on x86-64: by changing the driver's function that returns elapsed
// times, or by falsifying the host's clock, which times variants that wait for the GPU themselves.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "gpu.cuh"

const char guest_id[] = "gpu_clock", guest_backend[] = "cuda";
void (*const guest_close)(void) = nullptr;

static int enqueue(struct call *call) {
  return honest_on(call, call->y, call->stream);
}

static int wait_for(struct call *call) {
  const int rc = enqueue(call);
  return rc != 0 ? rc : cudaStreamSynchronize(call->stream);
}

// ---- The driver's function ----

typedef int (*elapsed_function)(float *ms, void *start, void *end);

static const char *const names[] = {"cuEventElapsedTime_v2", "cuEventElapsedTime"};
enum { NAMES = 2, JUMP = 12 };
static unsigned char *code[NAMES], kept[NAMES][JUMP];
static int owed;  // how many more elapsed times are to be falsified

static void write_code(int which, const unsigned char *bytes) {
  void *const page = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(code[which]) & ~uintptr_t(4095));
  mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(code[which], bytes, JUMP);
  mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static void jump_to(int which, elapsed_function to) {
  unsigned char jump[JUMP] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax, ...; jmp rax
  memcpy(jump + 2, &to, sizeof to);
  write_code(which, jump);
}

template <int which>
static int told(float *ms, void *start, void *end) {
  write_code(which, kept[which]);
  const int rc = reinterpret_cast<elapsed_function>(code[which])(ms, start, end);
  jump_to(which, told<which>);
  if (rc == 0 && owed > 0) *ms *= 0.6f;
  owed -= owed > 0;
  return rc;
}

static int patch(struct call *) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  for (int i = 0; i < NAMES; i++) {
    code[i] = static_cast<unsigned char *>(dlsym(driver, names[i]));
    if (code[i] != nullptr) memcpy(kept[i], code[i], JUMP);
  }
  if (code[0] == code[1]) code[0] = nullptr;
  if (code[0] != nullptr) jump_to(0, told<0>);
  if (code[1] != nullptr) jump_to(1, told<1>);
  return code[1] == nullptr;
}

static int unpatch(struct call *) {
  for (int i = 0; i < NAMES; i++)
    if (code[i] != nullptr) write_code(i, kept[i]);
  return 0;
}

static int patched_run(struct call *call) {
  owed++;
  return enqueue(call);
}

// ---- The processor's time stamp counter, with which the host times variants that wait for the GPU themselves ----

static uint64_t counter;
static int reads;  // how many more reads of the counter are to be falsified
static struct sigaction former;

static void tell(int, siginfo_t *, void *context) {
  ucontext_t *u = static_cast<ucontext_t *>(context);
  const unsigned char *at = reinterpret_cast<const unsigned char *>(u->uc_mcontext.gregs[REG_RIP]);
  u->uc_mcontext.gregs[REG_RAX] = static_cast<greg_t>(counter & 0xFFFFFFFF);
  u->uc_mcontext.gregs[REG_RDX] = static_cast<greg_t>(counter >> 32);
  u->uc_mcontext.gregs[REG_RIP] += at[0] == 0x0F && at[1] == 0x01 ? 3 : 2;
  counter += 50;
  if (--reads > 0) return;
  prctl(PR_SET_TSC, PR_TSC_ENABLE);
  sigaction(SIGSEGV, &former, nullptr);
}

static void trap(uint64_t value, int times) {
  struct sigaction action = {};
  action.sa_sigaction = tell;
  action.sa_flags = SA_SIGINFO;
  counter = value;
  reads = times;
  sigaction(SIGSEGV, &action, &former);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

template <int times>
static int trap_run(struct call *call) {
  const uint64_t start = __rdtsc();
  const int rc = wait_for(call);
  trap(start + (__rdtsc() - start) / 2, times);
  return rc;
}

static int trap_twin(struct call *call) {
  const int rc = wait_for(call);
  trap(__rdtsc(), 1);
  return rc + (__rdtsc() == 0);
}

#define NONE nullptr
enum : uint32_t { SYNC = GB_VARIANT_SYNC };
const struct guest guests[] = {{"elapsed", TEST, patched_run, patch, NONE, NONE, NONE, unpatch},
                               {"elapsed-honest", TEST, enqueue},
                               {"counter", TEST, trap_run<1>, NONE, NONE, NONE, NONE, NONE, SYNC},
                               {"counter-both", TEST, trap_run<2>, NONE, NONE, NONE, NONE, NONE, SYNC},
                               {"counter-honest", TEST, trap_twin, NONE, NONE, NONE, NONE, NONE, SYNC},
                               {NONE, NONE, NONE}};
