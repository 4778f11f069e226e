/* Tensors of a case: the bench declares them, the host allocates them between guard zones and reads them. Indices are
 * logical unless stated otherwise. */
#pragma once

#include "case/case.h"

/* Bytes of the guard zone on each side of a tensor. Stray writes are usually off by a row or a tile, and in most
 * problems this size holds a row. At an end that lies at a fence the zone is smaller: what the alignment leaves. */
enum { GUARD_SIZE = 16384 };

struct tensor *tensor_find(struct gb_case *c,
                           const char *name); /* returns NULL and records a misuse if there is none */
gb_status tensor_declare(struct gb_case *c, const gb_tensor *declaration);
bool tensors_allocate(struct gb_case *c); /* returns false and records a message if there is too little memory */
const char *tensors_pageable(const struct gb_case *c); /* returns the name of a tensor in pageable memory; NULL: none */
uint64_t tensor_bytes(const struct tensor *tensor);    /* bytes of the tensor's storage */
uint64_t tensors_bytes(const struct gb_case *c);       /* bytes of all tensors and snapshots */
/* Returns the kind of memory for a buffer that is copied to or from the tensor in the order of the stream's work. That
 * is the tensor's kind, but device memory for a pinned tensor: CUDA would execute a copy between two places of host
 * memory synchronously, after all enqueued work ("API synchronization behavior", CUDA Runtime API). */
enum memory_kind tensor_beside(const struct tensor *tensor);
uint64_t tensor_piece_bytes(const struct gb_case *c, const struct tensor *tensor); /* bytes of the largest piece */
bool tensor_is_given(const struct tensor *tensor); /* true for an input whose values the bench fills in */
/* Reads `count` elements of a GB_IN or GB_INOUT tensor from `first`, `step` apart, as they were filled. */
int tensor_input(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t step, uint64_t count,
                 double *values, struct err *err);
int tensor_expect(struct gb_case *c, struct tensor *tensor, uint64_t first, uint64_t count, const double *values);

uint64_t tensor_storage_index(const struct tensor *tensor, uint64_t logical);

/* Reads elements of a tensor in any role, as they lie on the device now. Parameters are those of tensor_input(). */
int tensor_download(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t step, uint64_t count,
                    double *values, struct err *err);

/* Reads consecutive elements from a copy of storage that begins with storage element `from`. */
void tensor_load(const struct tensor *tensor, const void *storage, uint64_t from, uint64_t first, uint64_t count,
                 double *values);

/* Counts the bytes of the guard zones that changed. `*first`: the first changed byte, relative to the tensor's first
 * byte. */
int tensor_guards(struct gb_case *c, const struct tensor *tensor, uint64_t *changed, int64_t *first, struct err *err);

/* Drops all expectations. */
void tensors_forget(struct gb_case *c);
