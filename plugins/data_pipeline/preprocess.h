/* Preprocessing on the CPU and the GPU: raw pointers and sizes, nothing of the plugin ABI. What is computed is in
 * image.h. Arrays are dense: x [n, height, width, 3], geometry [n, 3], y [n, 3, crop, crop]. */
#ifndef DATA_PIPELINE_PREPROCESS_H
#define DATA_PIPELINE_PREPROCESS_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct preprocess {
  const uint8_t *x;
  const int32_t *geometry;
  void *y;
  float *work[2]; /* of preprocess_work() floats each: for the separate kernels */
  struct image_shape shape;
  struct image_scale scale;
  int64_t n;
  int32_t half; /* y: fp16, else fp32 */
};

/* Images [from, to). */
void preprocess_plain(const struct preprocess *p, int64_t from, int64_t to);
void preprocess_rows(const struct preprocess *p, int64_t from, int64_t to);

/* Weighted sums of images [from, to) of fp32 outputs, repeated `repeats` times, into sums[from ...]. */
void consume_images(const float *y, const struct image_shape *shape, int32_t repeats, int64_t from, int64_t to,
                    float *sums);

/* The nearest binary16, for numbers that are normal there, and zero. */
uint16_t preprocess_half(float value);

/* CUDA: enqueued on `stream`; a cudaError_t as int. */
int preprocess_cuda_fused(const struct preprocess *p, struct CUstream_st *stream);
int preprocess_cuda_separate(const struct preprocess *p, struct CUstream_st *stream);
int consume_cuda(const float *y, const struct image_shape *shape, int32_t repeats, int64_t n, float *sums,
                 struct CUstream_st *stream);
const char *preprocess_cuda_error(int code);
int64_t preprocess_cuda_work(const struct preprocess *p, int which);

#ifdef __cplusplus
}
#endif
#endif
