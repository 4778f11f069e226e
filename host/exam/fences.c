#include "exam/fences.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "case/fence.h"
#include "case/tensors.h"

static const struct exam_host *watching;
static const struct gb_case *watched;

void fences_watch(const struct exam_host *host, const struct gb_case *c) {
  watching = host;
  watched = c;
}

/* Returns what the instruction did to the address, if the processor says so (bit 1 of the error code of a page fault,
 * Intel SDM volume 3, 4.7). */
static const char *access_verb(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *u = context;
  return (u->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "wrote to" : "read";
#else
  (void)context;
  return "touched";
#endif
}

/* Returns the tensor that lies in these pages; NULL: they are memory of gb.mem/1. */
static const struct tensor *tensor_in(const struct gb_case *c, const struct allocation *a) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].allocation == a->pages) return &c->tensors[i];
  return NULL;
}

static void tell_access(const struct allocation *a, uintptr_t at, const char *verb) {
  const struct tensor *t = tensor_in(watched, a);
  const uintptr_t first = (uintptr_t)(t != NULL ? t->data : a->memory);
  struct finding finding = {.rule = RULE_BOUNDS, .outcome = FINDING_TRIES};
  snprintf(finding.text, sizeof finding.text, "where it %s byte %lld of %s%s%s, which has %llu", verb,
           (long long)(at - first), t != NULL ? "tensor '" : "memory of gb.mem/1", t != NULL ? t->name : "",
           t != NULL ? "'" : "", (unsigned long long)(t != NULL ? tensor_bytes(t) : a->bytes));
  watching->say(&finding);
}

/* Announces the access, and lets it end the process: it is repeated when the handler returns. A signal that was sent is
 * not repeated, so it is sent again. */
static void name_access(int number, siginfo_t *info, void *context) {
  const uintptr_t at = (uintptr_t)info->si_addr;
  signal(number, SIG_DFL);
  for (size_t i = 0; watched != NULL && info->si_code > 0 && i < watched->allocation_count; i++) {
    const struct allocation *a = &watched->allocations[i];
    const uintptr_t first = (uintptr_t)a->pages - FENCE_BYTES, end = (uintptr_t)a->pages + a->page_bytes + FENCE_BYTES;
    if (a->pages == NULL || at < first || at >= end) continue;
    tell_access(a, at, access_verb(context));
    break;
  }
  if (info->si_code <= 0) raise(number);
}

bool fences_begin(void) {
  static bool begun;
  struct sigaction action = {.sa_sigaction = name_access, .sa_flags = SA_SIGINFO};
  if (begun) return false;
  sigemptyset(&action.sa_mask);
  begun = sigaction(SIGSEGV, &action, NULL) == 0;
  return begun;
}
