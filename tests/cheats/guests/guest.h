/* Declarations for the plugins in this folder, which test whether gpubench detects cheats. Each file is a plugin that
 * adds variants to a bench of another plugin, as a competitor would; such a variant is called a guest. A guest is
 * written from the public description and source of the bench, and links nothing of gpubench. Some guests cheat. Each
 * of these has an honest twin: a variant with the same code, but without the cheat. ../battery.list tells which guests
 * cheat. Each run measures one guest together with the variants that the bench itself has. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>

#include <gpubench/sugar.h>

/* HOT marks a function that is compiled three times: for AVX-512, for AVX2, and without either. Calls go to the first
 * of these versions that the machine supports. */
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef HOT
#define HOT
#endif

#define GELU "gpubench.org/activations/gelu/1"
#define ROWS "gpubench.org/softmax/rows/1"
#define TEST "gpubench.org/test/cheats/cuda/1"

extern gb_sdk gb;

/* The arguments of a guest's callbacks. */
struct call {
  gb_case *c;
  float *x, *y;
  int64_t n, m; /* n: number of elements; m: number of rows if the inputs are a matrix, otherwise 0 */
  int threads, steps;
  struct CUstream_st *stream;
  void **state; /* the variant's own state, which is NULL until `prepare` sets it */
};

struct guest {
  const char *name, *contract;
  int (*run)(struct call *call); /* returns 0 or an error number, as do the functions below */
  int (*prepare)(struct call *call);
  int (*refresh)(struct call *call);
  int (*before)(struct call *call);
  int (*after)(struct call *call);
  int (*release)(struct call *call);
  uint32_t flags;
  const char *math; /* arithmetic that the guest declares, such as "fp32"; NULL: that of its tensors' type */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct guest guests[]; /* ends with an entry whose name is NULL */
extern const char guest_id[], guest_backend[];
extern void (*const guest_close)(void); /* called when the plugin is closed; NULL: nothing is called */

double guest_now_ns(void);

#ifdef __cplusplus
}
#endif

/* ---- For guests on a CPU ---- */

/* Compute y = GELU(x) in the erf form for elements [first, end): gelu() on `threads` threads, gelu_here() on the
 * calling thread. */
void gelu(const float *x, float *y, int64_t first, int64_t end, int threads);
void gelu_here(const float *x, float *y, int64_t first, int64_t end);

/* Returns a checksum over all bits of elements [first, end), by which a cheat recognizes inputs. */
uint64_t guest_sum(const float *x, int64_t first, int64_t end);

/* Computes y = softmax(x) of one row. */
void softmax_row(const float *x, float *y, int64_t n);

#endif
