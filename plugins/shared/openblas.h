/* The functions of OpenBLAS that the plugins call. The library is not linked but opened at run time (library.h). For
 * the bundled plugins. */
#ifndef PLUGINS_OPENBLAS_H
#define PLUGINS_OPENBLAS_H

#include <stddef.h>

enum { OPENBLAS_ROW_MAJOR = 101, OPENBLAS_AS_IT_IS = 111, OPENBLAS_TRANSPOSED = 112 };

struct openblas {
  void *library;
  void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc);
  void (*set_threads)(int threads);
  char *(*config)(void); /* returns the version and build options */
  char path[1024];       /* path of the library that was opened */
};

/* Opens OpenBLAS. Returns 0, or -1 with the reason in `why` if it is missing. */
int openblas_open(struct openblas *o, char *why, size_t size);

/* Unloads the library, which ends its threads. */
void openblas_close(struct openblas *o);

#endif
