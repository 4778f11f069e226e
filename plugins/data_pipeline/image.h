/* Defines how an image is preprocessed: a square part of it, the window, is cut out, may be mirrored, and its 8-bit
 * pixels in the order height, width, channel become normalised floats in the order channel, height, width. CPU code,
 * GPU code and the reference use these functions. They neither allocate memory nor use the plugin interface. */
#ifndef DATA_PIPELINE_IMAGE_H
#define DATA_PIPELINE_IMAGE_H

#include <stdint.h>

#ifdef __CUDACC__
#define IMAGE_FN static __host__ __device__ inline
#else
#define IMAGE_FN static inline
#endif

#define IMAGE_CHANNELS 3
#define IMAGE_GEOMETRY 3 /* integers that describe the window of an image: its position, and whether it is mirrored */

/* Mean and standard deviation of ImageNet's channels, for pixels in [0, 1]: y = (x / 255 - mean) / deviation. */
#define IMAGE_MEANS \
  { 0.485, 0.456, 0.406 }
#define IMAGE_DEVIATIONS \
  { 0.229, 0.224, 0.225 }

struct image_shape {
  int32_t height, width, crop; /* size of the whole image; crop: width and height of the square that is cut out */
};

struct image_window {
  int32_t top, left, mirror;
};

/* y = x * scale + bias, for each channel. */
struct image_scale {
  float scale[IMAGE_CHANNELS], bias[IMAGE_CHANNELS];
};

/* Returns the window of an image: the part that is cut out and used. The three non-negative random integers in `raw`
 * are reduced to its position in the image and a flag for mirroring. */
IMAGE_FN struct image_window image_window_of(const int32_t *raw, const struct image_shape *shape) {
  struct image_window window;
  window.top = raw[0] % (shape->height - shape->crop + 1);
  window.left = raw[1] % (shape->width - shape->crop + 1);
  window.mirror = raw[2] & 1;
  return window;
}

/* Returns the index, in the whole image, of the first channel of pixel (row, column) of the window. */
IMAGE_FN int32_t image_source(const struct image_shape *shape, const struct image_window *window, int32_t row,
                              int32_t column) {
  const int32_t x = window->mirror ? shape->crop - 1 - column : column;
  return ((window->top + row) * shape->width + window->left + x) * IMAGE_CHANNELS;
}

/* Returns the index of an element in an output image. */
IMAGE_FN int32_t image_target(const struct image_shape *shape, int32_t channel, int32_t row, int32_t column) {
  return (channel * shape->crop + row) * shape->crop + column;
}

IMAGE_FN int64_t image_bytes(const struct image_shape *shape) {
  return (int64_t)shape->height * shape->width * IMAGE_CHANNELS;
}

IMAGE_FN int64_t image_outputs(const struct image_shape *shape) {
  return (int64_t)shape->crop * shape->crop * IMAGE_CHANNELS;
}

/* ---- The consumer, the last stage of the pipeline: repeated weighted sums of an image's floats ------------------ */

#define IMAGE_WEIGHTS 64

/* Returns the index of the weight for element `i` in repetition `r`. It depends on both, so that a variant cannot
 * compute one repetition only and multiply its sum. */
IMAGE_FN int32_t image_weight_index(int64_t i, int32_t r) {
  return (int32_t)((i + r) % IMAGE_WEIGHTS);
}

IMAGE_FN float image_weight(int32_t index) {
  return 1.0f + (float)((index * 37) % IMAGE_WEIGHTS - 32) / 64.0f;
}

#ifndef __CUDACC__
static inline struct image_scale image_scale_of(void) {
  static const double means[] = IMAGE_MEANS, deviations[] = IMAGE_DEVIATIONS;
  struct image_scale s;
  for (int i = 0; i < IMAGE_CHANNELS; i++) {
    s.scale[i] = (float)(1.0 / (255.0 * deviations[i]));
    s.bias[i] = (float)(-means[i] / deviations[i]);
  }
  return s;
}

static inline double image_value(uint8_t x, int channel) {
  static const double means[] = IMAGE_MEANS, deviations[] = IMAGE_DEVIATIONS;
  return (x / 255.0 - means[channel]) / deviations[channel];
}
#endif

#endif
