/* Tensors of a case: declared by the bench; allocated between guard zones, read. Indices
 * are logical unless said. */
#ifndef CASE_TENSORS_H
#define CASE_TENSORS_H

#include "case/case.h"

/* On both sides of a tensor: a row of most problems, for what goes astray does so by a row or a tile. */
enum { GUARD_SIZE = 16384 };

struct tensor *tensor_find(struct gb_case *c, const char *name); /* NULL: misuse recorded */
gb_status tensor_declare(struct gb_case *c, const gb_tensor *declaration);
bool tensors_allocate(struct gb_case *c);              /* false: not enough memory, message recorded */
const char *tensors_pageable(const struct gb_case *c); /* one that lies in pageable memory; NULL: none */
uint64_t tensor_bytes(const struct tensor *tensor);    /* of its storage */
uint64_t tensors_bytes(const struct gb_case *c);       /* of all, snapshots included */
/* What is copied to a tensor and from it in the order of a stream: from one place of the host's to another CUDA copies
 * at once, when all that was enqueued has run ("API synchronization behavior" in the CUDA runtime's manual). */
enum memory_kind tensor_beside(const struct tensor *tensor);
uint64_t tensor_piece_bytes(const struct gb_case *c, const struct tensor *tensor); /* room for a piece */
bool tensor_is_given(const struct tensor *tensor); /* an input whose values are the bench's own */
/* `count` elements from `first`, `step` apart: of GB_IN and GB_INOUT, as they were filled. */
int tensor_input(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t step, uint64_t count,
                 double *values, struct err *err);
int tensor_expect(struct gb_case *c, struct tensor *tensor, uint64_t first, uint64_t count, const double *values);

uint64_t tensor_storage_index(const struct tensor *tensor, uint64_t logical);

/* The same as they lie on the device, whatever the role. */
int tensor_download(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t step, uint64_t count,
                    double *values, struct err *err);

/* Elements side by side of storage that has been copied, from its element `from` on. */
void tensor_load(const struct tensor *tensor, const void *storage, uint64_t from, uint64_t first, uint64_t count,
                 double *values);

/* How many bytes of the guard zones have changed, and where the first lies relative to the tensor's first byte. */
int tensor_guards(struct gb_case *c, const struct tensor *tensor, uint64_t *changed, int64_t *first, struct err *err);

/* Drops all expectations. */
void tensors_forget(struct gb_case *c);

#endif
