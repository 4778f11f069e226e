/* Tensors of a case: declared by the bench; allocated between guard zones, filled, poisoned, restored, read. Indices
 * are logical unless said. */
#ifndef CASE_TENSORS_H
#define CASE_TENSORS_H

#include "case/case.h"

/* On both sides of a tensor: a row of most problems, for what goes astray does so by a row or a tile. */
enum { GUARD_SIZE = 16384 };

struct tensor *tensor_find(struct gb_case *c, const char *name); /* NULL: misuse recorded */
gb_status tensor_declare(struct gb_case *c, const gb_tensor *declaration);
bool tensors_allocate(struct gb_case *c);                            /* false: not enough memory, message recorded */
int tensors_fill(struct gb_case *c, uint64_t seed, struct err *err); /* refills; forgets expectations */
int tensors_repair(struct gb_case *c, struct err *err);              /* inputs and guards as after tensors_fill() */

/* These are ordered on the stream and need not be complete when they return. */
int tensors_poison(struct gb_case *c, struct err *err);                /* outputs */
int tensors_rewrite(struct gb_case *c, struct err *err);               /* the same, but what they hold is kept */
int tensors_restore(struct gb_case *c, struct err *err);               /* inout */
int tensors_guard(struct gb_case *c, struct err *err);                 /* guards as after tensors_fill() */
int tensors_change(struct gb_case *c, uint64_t seed, struct err *err); /* inputs */

/* Fills again those inputs that are not what tensors_fill() or tensors_adopt() left. */
int tensors_mend(struct gb_case *c, struct err *err);

/* What tensors_change() has put into the inputs is from here on what was filled; expectations are forgotten.
 * `*changed`: an input that is no longer so, or NULL. */
int tensors_adopt(struct gb_case *c, const char **changed, struct err *err);
bool tensors_need_restore(const struct gb_case *c);
bool tensors_have_inputs(const struct gb_case *c);
uint64_t tensors_bytes(const struct gb_case *c);
int tensor_read(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t count, double *values,
                struct err *err);
int tensor_expect(struct gb_case *c, struct tensor *tensor, uint64_t first, uint64_t count, const double *values);

uint64_t tensor_storage_index(const struct tensor *tensor, uint64_t logical);

/* Elements as they lie on the device, whatever the role. */
int tensor_download(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t count, double *values,
                    struct err *err);

/* How many bytes of the guard zones have changed, and where the first lies relative to the tensor's first byte. */
int tensor_guards(struct gb_case *c, const struct tensor *tensor, uint64_t *changed, int64_t *first, struct err *err);

/* What outputs are filled with before a verified run. 0xFF is NaN in every float type. To an integer it may be the
 * right value: of those there are two, and no value is right by being left alone with both. */
enum { POISON_BYTE = 0xFF, OTHER_POISON_BYTE = 0x5A };
unsigned char tensor_poison_byte(const struct gb_case *c, const struct tensor *tensor);
bool tensor_is_integer(const struct tensor *tensor);

/* Drops all expectations. */
void tensors_forget(struct gb_case *c);

#endif
