#include <string.h>

#include "../shared/hot.h"
#include "preprocess.h"

INLINE uint16_t half_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t rounded = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) >> 13; /* rounds to nearest, ties to even */
  /* 112 is the difference between the exponent biases of float and binary16 */
  const uint32_t half = rounded < (112u << 10) ? 0u : rounded - (112u << 10);
  return (uint16_t)(half | (bits >> 16 & 0x8000u));
}

uint16_t preprocess_half(float value) {
  return half_of(value);
}

INLINE void put(const struct preprocess *p, int64_t at, float value) {
  if (p->half)
    ((uint16_t *)p->y)[at] = half_of(value);
  else
    ((float *)p->y)[at] = value;
}

static const uint8_t *image_at(const struct preprocess *p, int64_t i) {
  return p->x + i * image_bytes(&p->shape);
}

/* ---- preprocess_plain(): element by element in the order of the output ------------------------------------------- */

static void plain_image(const struct preprocess *p, int64_t i) {
  const struct image_window window = image_window_of(p->geometry + i * IMAGE_GEOMETRY, &p->shape);
  const uint8_t *x = image_at(p, i);
  const int64_t first = i * image_outputs(&p->shape);
  for (int32_t channel = 0; channel < IMAGE_CHANNELS; channel++)
    for (int32_t row = 0; row < p->shape.crop; row++)
      for (int32_t column = 0; column < p->shape.crop; column++)
        put(p, first + image_target(&p->shape, channel, row, column),
            (float)x[image_source(&p->shape, &window, row, column) + channel] * p->scale.scale[channel] +
                p->scale.bias[channel]);
}

void preprocess_plain(const struct preprocess *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++)
    plain_image(p, i);
}

/* ---- preprocess_rows(): all three channels of a row at once, without branches ------------------------------------ */

enum { ROW = 256 }; /* pixels in one step, few enough that their floats stay in the first-level cache */

/* Splits `count` pixels, beginning at `x`, into three normalised planes. The pixels stay in the order of x. */
INLINE void split(const uint8_t *x, int32_t count, const struct image_scale *s, float (*planes)[ROW]) {
  for (int32_t i = 0; i < count; i++) {
    planes[0][i] = (float)x[3 * i] * s->scale[0] + s->bias[0];
    planes[1][i] = (float)x[3 * i + 1] * s->scale[1] + s->bias[1];
    planes[2][i] = (float)x[3 * i + 2] * s->scale[2] + s->bias[2];
  }
}

INLINE void put_floats(float *y, const float *plane, int32_t count, int32_t mirror) {
  if (!mirror) {
    memcpy(y, plane, (size_t)count * sizeof *y);
    return;
  }
  for (int32_t i = 0; i < count; i++)
    y[i] = plane[count - 1 - i];
}

INLINE void put_halves(uint16_t *y, const float *plane, int32_t count, int32_t mirror) {
  if (mirror)
    for (int32_t i = 0; i < count; i++)
      y[i] = half_of(plane[count - 1 - i]);
  else
    for (int32_t i = 0; i < count; i++)
      y[i] = half_of(plane[i]);
}

/* Preprocesses pixels [from, from + count) of a row of the window, that is of the part of the image that is used. They
 * are numbered in the order of x, before mirroring. */
INLINE void piece(const struct preprocess *p, const struct image_window *w, const uint8_t *x, int64_t at, int32_t from,
                  int32_t count) {
  float planes[IMAGE_CHANNELS][ROW];
  const int64_t plane = (int64_t)p->shape.crop * p->shape.crop;
  const int64_t target = at + (w->mirror ? p->shape.crop - from - count : from);
  split(x + from * IMAGE_CHANNELS, count, &p->scale, planes);
  for (int32_t channel = 0; channel < IMAGE_CHANNELS; channel++)
    if (p->half)
      put_halves((uint16_t *)p->y + target + channel * plane, planes[channel], count, w->mirror);
    else
      put_floats((float *)p->y + target + channel * plane, planes[channel], count, w->mirror);
}

HOT static void rows_image(const struct preprocess *p, int64_t i) {
  const struct image_window w = image_window_of(p->geometry + i * IMAGE_GEOMETRY, &p->shape);
  const int32_t crop = p->shape.crop;
  for (int32_t row = 0; row < crop; row++) {
    const uint8_t *x =
        p->x + i * image_bytes(&p->shape) + ((int64_t)(w.top + row) * p->shape.width + w.left) * IMAGE_CHANNELS;
    const int64_t at = i * image_outputs(&p->shape) + (int64_t)row * crop;
    for (int32_t from = 0; from < crop; from += ROW)
      piece(p, &w, x, at, from, crop - from < ROW ? crop - from : ROW);
  }
}

void preprocess_rows(const struct preprocess *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++)
    rows_image(p, i);
}

/* ---- The consumer ---------------------------------------------------------------------------------------------- */

enum { LANES = IMAGE_WEIGHTS };

/* Returns the weighted sum of an image over all repetitions. Element i is added to lanes[i % LANES]. In one repetition
 * all elements of a lane have the same weight, and from one repetition to the next the weights move on by one lane. */
HOT static float consume_image(const float *y, int64_t count, int32_t repeats, const float *weights) {
  float sum = 0.0f;
  for (int32_t r = 0; r < repeats; r++) {
    float lanes[LANES] = {0.0f};
    const float *w = weights + r % IMAGE_WEIGHTS;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
      for (int j = 0; j < LANES; j++)
        lanes[j] += y[i + j] * w[j];
    for (int j = 0; i + j < count; j++)
      lanes[j] += y[i + j] * w[j];
    for (int j = 0; j < LANES; j++)
      sum += lanes[j];
  }
  return sum;
}

void consume_images(const float *y, const struct image_shape *shape, int32_t repeats, int64_t from, int64_t to,
                    float *sums) {
  float weights[2 * IMAGE_WEIGHTS];
  for (int32_t i = 0; i < 2 * IMAGE_WEIGHTS; i++)
    weights[i] = image_weight(i % IMAGE_WEIGHTS);
  for (int64_t i = from; i < to; i++)
    sums[i] = consume_image(y + i * image_outputs(shape), image_outputs(shape), repeats, weights);
}
