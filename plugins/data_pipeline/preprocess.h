/* Preprocessing of images on the CPU and the GPU, as defined in image.h. The functions take raw pointers and sizes and
 * do not use the plugin interface. Arrays are dense: x [n, height, width, 3], geometry [n, 3], y [n, 3, crop, crop]. */
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
  float *work[2]; /* preprocess_cuda_work() floats each; used by preprocess_cuda_separate() only */
  struct image_shape shape;
  struct image_scale scale;
  int64_t n;
  int32_t half; /* true: y is fp16, otherwise fp32 */
};

/* Preprocess images [from, to). preprocess_plain() works element by element and preprocess_rows() by rows
 * of pixels. */
void preprocess_plain(const struct preprocess *p, int64_t from, int64_t to);
void preprocess_rows(const struct preprocess *p, int64_t from, int64_t to);

/* For each of the images [from, to), computes the weighted sum of its preprocessed floats in `y` over `repeats`
 * repetitions, and stores it in sums[number of the image]. */
void consume_images(const float *y, const struct image_shape *shape, int32_t repeats, int64_t from, int64_t to,
                    float *sums);

/* Converts to fp16 (IEEE binary16) and rounds to nearest. `value` must be zero or in the range of normal fp16
 * numbers. */
uint16_t preprocess_half(float value);

/* These functions enqueue kernels on `stream` and return a cudaError_t as int. */
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
