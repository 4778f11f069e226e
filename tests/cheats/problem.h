/* The bench for which this folder has cheating variants: y[i] = f(x[i]) over n floats, and one integer output. f is so
 * expensive that a variant gains time by skipping it. A trick is a way to look faster without doing the work. Each file
 * of tricks has a table of them, and each trick is a variant. The tests require that no trick gets a speedup. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>

#include <gpubench/sugar.h>

enum { STEPS = 32 };

extern gb_sdk gb;

/* What a variant remembers from call to call. */
struct memory {
  int64_t calls, known;     /* number of earlier calls; number of calls directly before this one on the same inputs */
  int64_t streak;           /* number of calls since the last long pause; the host pauses before timed calls */
  double left_ns, pause_ns; /* left_ns: when the last call ended; pause_ns: shortest pause so far */
  double seen;              /* identifies the inputs: a sum of elements, a seed, or an address */
  const char *frame;        /* address of the stack frame in the last call */
  unsigned char mark;       /* the byte before the output */
  bool marked;              /* true if that byte has changed since the last long pause */
  float *kept, *later;      /* n values each */
};

struct trick {
  const char *name;
  void (*act)(gb_case *c, struct memory *m);
  void (*before)(gb_case *c, struct memory *m);  /* NULL: none */
  void (*prepare)(gb_case *c, struct memory *m); /* NULL: none */
  void (*release)(struct memory *m);             /* NULL: none */
  void (*refresh)(gb_case *c, struct memory *m); /* NULL: none */
  uint32_t flags;                                /* GB_VARIANT_* */
};

/* Each table ends with a trick without a name. Its first trick is honest, and speedups are relative to that one. */
extern const struct trick remember_tricks[], elsewhere_tricks[], slip_tricks[], manner_tricks[];

/* Adds a bench whose variants are these tricks. The caller must have set name, contract, setup and reference of
 * `bench`. */
gb_status problem_add(const gb_host *host, gb_registry *registry, gb_bench *bench, const struct trick *tricks);
gb_status statements_add(const gb_host *host, gb_registry *registry);
gb_status foresee_add(const gb_host *host, gb_registry *registry);

gb_status problem_setup(const gb_bench *self, gb_case *c, void **state);
gb_status problem_reference(const gb_bench *self, gb_case *c, void *state);

float f(float x);
int64_t size(gb_case *c);
const float *input(gb_case *c);
float *output(gb_case *c);
void work(const float *x, float *y, int64_t count);   /* y[i] = f(x[i]) */
void compute(gb_case *c, int64_t first, int64_t end); /* y[first] to y[end - 1], but not the integer output */
void finish(gb_case *c);                              /* writes the integer */
void honest(gb_case *c, struct memory *m);

/* Returns how many calls directly before this one had the same inputs. Inputs are recognized by a sum over a 64th of
 * their elements. */
int64_t known(gb_case *c, struct memory *m);
double now_ns(void);

#endif
