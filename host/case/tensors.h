/* What instance.c and verify.c need of tensors.c beyond case/case.h. */
#ifndef CASE_TENSORS_H
#define CASE_TENSORS_H

#include "case/case.h"

/* On both sides of a tensor: a row of most problems, for what goes astray does so by a row or a tile. */
enum { GUARD_SIZE = 16384 };

uint64_t tensor_storage_index(const struct tensor *tensor, uint64_t logical);

/* Elements as they lie on the device, whatever the role. */
int tensor_download(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t count, double *values,
                    struct err *err);

/* How many bytes of the guard zones have changed, and where the first lies relative to the tensor's first byte. */
int tensor_guards(struct gb_case *c, const struct tensor *tensor, uint64_t *changed, int64_t *first, struct err *err);

/* What outputs are filled with before a verified run. 0xFF is NaN in every float type. To an integer it may be the
 * right value: there it is another one on every second seed, and no value is right by being left alone on both. */
unsigned char tensor_poison_byte(const struct gb_case *c, const struct tensor *tensor);

/* Drops all expectations. */
void tensors_forget(struct gb_case *c);

#endif
