/* A bench (a computation) with its variants (implementations): a data pipeline. A batch of samples of different sizes
 * is shuffled, decoded, mirrored, scaled and assembled. The bench itself fills the inputs, because gpubench's random
 * distributions cannot produce them. The threads of a variant work in advance only within a timed call. Results for the
 * next call could be wrong, because its inputs may change before it, and would be computed in untimed work. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gpubench/sugar.h>

enum { RUN_MOST = 8, DEPTH_MOST = 64, THREADS_MOST = 8, SAMPLES_MOST = 4096, MEAN_MOST = 512 };

static const float middle = 127.5F, spread = 1.0F / 58;

static gb_sdk gb;

/* The state of the bench, which its variants read. */
struct sizes {
  /* samples: number in a batch; width: most numbers in a sample; bytes: of all coded samples together */
  int64_t samples, width, bytes;
  bool read; /* true: the inputs have been filled before, so that the next fill need not wait for the simulated disk */
};

/* ---- The work ---- */

struct batch {
  int64_t samples, width;
  /* the coded samples: pairs of bytes, which are the number of repetitions minus one, and the value */
  const unsigned char *codes;
  const int32_t *offsets, *order;
  const float *weights;
  float *pixels, *weight;
  int32_t *lengths, *places; /* places: where the codes of each row go in `packed` */
  unsigned char *packed;
};

static int64_t bytes_of(const struct batch *b, int64_t row) {
  return b->offsets[b->order[row] + 1] - b->offsets[b->order[row]];
}

static void mirror(float *row, int64_t count) {
  for (int64_t i = 0, j = count - 1; i < j; i++, j--) {
    const float value = row[i];
    row[i] = row[j];
    row[j] = value;
  }
}

/* Fills the rest of a row behind its `count` numbers with 0, and mirrors every second sample. Returns `count`. */
static int32_t finish(const struct batch *b, int64_t row, int64_t count, float *to) {
  memset(to + count, 0, (size_t)(b->width - count) * sizeof *to);
  if (b->order[row] % 2 != 0) mirror(to, count);
  return (int32_t)count;
}

/* Decodes a row and returns how many numbers it has. Each pair of codes writes RUN_MOST numbers, whatever its length,
 * and the next pair overwrites the excess. With a branch for each pair instead, the processor would predict the
 * branches when a batch is repeated, and the time saved would look as if results were kept. */
static int32_t decode(const struct batch *b, int64_t row, const unsigned char *codes, float *to) {
  int64_t count = 0;
  for (int64_t i = 0; i < bytes_of(b, row); count += codes[i] + 1, i += 2)
    for (int k = 0; k < RUN_MOST; k++)
      to[count + k] = ((float)codes[i + 1] - middle) * spread;
  return finish(b, row, count, to);
}

static int32_t decode_branching(const struct batch *b, int64_t row, const unsigned char *codes, float *to) {
  int64_t count = 0;
  for (int64_t i = 0; i < bytes_of(b, row); i += 2)
    for (int64_t end = count + codes[i] + 1; count < end; count++)
      to[count] = ((float)codes[i + 1] - middle) * spread;
  return finish(b, row, count, to);
}

static void find_places(const struct batch *b) {
  int32_t place = 0;
  for (int64_t row = 0; row < b->samples; row++) {
    b->places[row] = place;
    place += (int32_t)bytes_of(b, row);
  }
}

/* Writes everything that belongs to a row except its pixels. */
static void copy_row(const struct batch *b, int64_t row, const unsigned char *codes, int32_t length) {
  memcpy(b->packed + b->places[row], codes, (size_t)bytes_of(b, row));
  b->weight[row] = b->weights[b->order[row]];
  b->lengths[row] = length;
}

typedef int32_t decoder(const struct batch *b, int64_t row, const unsigned char *codes, float *to);

static void take_rows(const struct batch *b, int64_t end, decoder *decoding) {
  find_places(b);
  for (int64_t row = 0; row < end; row++) {
    const unsigned char *codes = b->codes + b->offsets[b->order[row]];
    copy_row(b, row, codes, decoding(b, row, codes, b->pixels + row * b->width));
  }
}

/* ---- The bench ---- */

static gb_status pipeline_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  if (gb.point->i64(c, "samples") % 2 != 0)
    return gb_failf(&gb, c, GB_SKIP, "samples: two and two make up their sizes");
  gb_status status = gb_axis_within(&gb, c, "samples", 2, SAMPLES_MOST);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "mean", 1, MEAN_MOST);
  return status == GB_OK ? gb_axis_within(&gb, c, "depth", 1, DEPTH_MOST) : status;
}

static gb_status declare_tensors(gb_case *c, const struct sizes *s) {
  const int64_t ends = s->samples + 1, rows[] = {s->samples, s->width};
  const gb_tensor tensors[] = {
      {.role = GB_IN, .dtype = GB_DTYPE_U8, .name = "codes", .shape = &s->bytes, .fill = GB_FILL_BENCH},
      {.role = GB_IN, .dtype = GB_DTYPE_I32, .name = "offsets", .shape = &ends, .fill = GB_FILL_BENCH},
      {.role = GB_IN, .dtype = GB_DTYPE_I32, .name = "order", .shape = &s->samples, .fill = GB_FILL_BENCH},
      {.role = GB_IN, .dtype = GB_DTYPE_F32, .name = "weights", .shape = &s->samples, .fill = GB_FILL_BENCH},
      {.role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 2, .name = "pixels", .shape = rows, .memory = GB_MEM_PINNED},
      {.role = GB_OUT, .dtype = GB_DTYPE_F32, .name = "weight", .shape = rows, .flags = GB_TENSOR_EXACT},
      {.role = GB_OUT, .dtype = GB_DTYPE_I32, .name = "lengths", .shape = rows},
      {.role = GB_OUT, .dtype = GB_DTYPE_U8, .name = "packed", .shape = &s->bytes, .flags = GB_TENSOR_EXACT},
  };
  gb_status status = GB_OK;
  for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && status == GB_OK; i++) {
    gb_tensor t = tensors[i];
    t.struct_size = (uint32_t)sizeof t;
    t.rank = t.rank != 0 ? t.rank : 1;
    t.memory = t.memory != 0 ? t.memory : GB_MEM_HOST;
    status = gb.tensor->declare(c, &t);
  }
  return status;
}

static gb_status pipeline_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  const int64_t samples = gb.point->i64(c, "samples"), mean = gb.point->i64(c, "mean");
  struct sizes *s = malloc(sizeof *s);
  if (s == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  *s = (struct sizes){.samples = samples, .width = 2 * mean * RUN_MOST, .bytes = 2 * mean * samples};
  gb_status status = declare_tensors(c, s);
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "bytes/sample", "B", GB_BETTER_NEITHER, GB_AGGREGATE_MEAN, "coded");
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "queue-depth", "samples", GB_BETTER_MORE, GB_AGGREGATE_MEAN, "ready when asked");
  const uint64_t each = sizeof(int32_t) + sizeof(float);
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = (uint64_t)s->bytes + (uint64_t)samples * (each + 4) + 4,
                        .bytes_written = (uint64_t)s->bytes + (uint64_t)samples * (each + 4 * (uint64_t)s->width),
                        .items = (uint64_t)samples, .item_unit = "samples"};
  if (status == GB_OK) status = gb.point->work(c, &work);
  if (status == GB_OK) *state = s;
  if (status != GB_OK) free(s);
  return status;
}

static void pipeline_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  free(state);
}

/* Fills the offsets of the samples. Two consecutive samples together have twice the mean length, so that the tensors
 * have the same size for any seed. */
static void fill_offsets(const struct sizes *s, uint64_t seed, double *offsets) {
  const int64_t mean = s->bytes / s->samples / 2;
  for (int64_t i = 0; i < s->samples; i++) {
    const int64_t off = (int64_t)gb.rng->below(seed, 1, (uint64_t)i / 2, (uint64_t)mean);
    offsets[i + 1] = offsets[i] + (double)(2 * (i % 2 == 0 ? mean - off : mean + off));
  }
}

static void fill_order(const struct sizes *s, uint64_t seed, double *order) {
  for (int64_t i = 0; i < s->samples; i++) {
    const uint64_t j = gb.rng->below(seed, 2, (uint64_t)i, (uint64_t)i + 1);
    order[i] = order[j];
    order[j] = (double)i;
  }
}

/* Fills the weights. Some of them are special numbers: NaN, -0, infinity, and a denormal. */
static void fill_weights(const struct sizes *s, uint64_t seed, double *weights) {
  const double odd[] = {NAN, -0.0, INFINITY, 1e-45};
  for (int64_t i = 0; i < s->samples; i++) {
    const uint64_t draw = gb.rng->below(seed, 3, (uint64_t)i, 1 << 20);
    weights[i] = draw % 8 < 4 ? odd[draw % 8] : (double)draw / (1 << 20);
  }
}

static gb_status fill_codes(gb_case *c, int64_t sample, const double *offsets) {
  const uint64_t seed = gb.point->seed(c), first = (uint64_t)offsets[sample], end = (uint64_t)offsets[sample + 1];
  double codes[4 * MEAN_MOST];
  for (uint64_t i = first; i < end; i++)
    codes[i - first] = (double)gb.rng->below(seed, 4, i, i % 2 == 0 ? RUN_MOST : 256);
  return gb.input->write(c, "codes", first, end - first, codes);
}

/* If the samples are fetched for the first time, waits as a slow disk would make a program wait. */
static void wait_for_disk(gb_case *c, const struct sizes *s) {
  const int64_t us = s->read ? 0 : gb.option->i64(c, "fetch_ms") * 1000 / s->samples;
  const struct timespec nap = {us / 1000000, us % 1000000 * 1000};
  if (us > 0) nanosleep(&nap, NULL);
}

static gb_status pipeline_fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct sizes *s = state;
  const uint64_t seed = gb.point->seed(c), samples = (uint64_t)s->samples;
  double *numbers = calloc(3 * samples + 1, sizeof *numbers);
  if (numbers == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  double *offsets = numbers + 2 * samples;
  fill_order(s, seed, numbers);
  fill_weights(s, seed, numbers + samples);
  fill_offsets(s, seed, offsets);
  gb_status status = gb.input->write(c, "order", 0, samples, numbers);
  if (status == GB_OK) status = gb.input->write(c, "weights", 0, samples, numbers + samples);
  if (status == GB_OK) status = gb.input->write(c, "offsets", 0, samples + 1, offsets);
  for (int64_t i = 0; i < s->samples && status == GB_OK; i++) {
    wait_for_disk(c, s);
    status = fill_codes(c, i, offsets);
    if (status == GB_OK) status = gb.progress->step(c, (uint64_t)i + 1, samples);
  }
  s->read = true;
  free(numbers);
  return status;
}

/* Decodes a row in float64. Returns how many numbers the row has. */
static int64_t decode_exactly(const double *codes, int64_t bytes, bool mirrored, int64_t width, double *to) {
  int64_t count = 0, at = 0;
  for (int64_t i = 0; i < bytes; i += 2)
    count += (int64_t)codes[i] + 1;
  memset(to, 0, (size_t)width * sizeof *to);
  for (int64_t i = 0; i < bytes; i += 2)
    for (int64_t end = at + (int64_t)codes[i] + 1; at < end; at++)
      to[mirrored ? count - 1 - at : at] = (codes[i + 1] - (double)middle) / 58;
  return count;
}

static gb_status expect_rows(gb_case *c, const struct sizes *s, const double *offsets, const double *order,
                             double *row) {
  double codes[4 * MEAN_MOST];
  uint64_t place = 0;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < s->samples && status == GB_OK; i++) {
    const int64_t sample = (int64_t)order[i];
    const uint64_t first = (uint64_t)offsets[sample], bytes = (uint64_t)offsets[sample + 1] - first;
    double weight;
    status = gb.tensor->input(c, "codes", first, bytes, codes);
    if (status == GB_OK) status = gb.tensor->input(c, "weights", (uint64_t)sample, 1, &weight);
    const double length = (double)decode_exactly(codes, (int64_t)bytes, sample % 2 != 0, s->width, row);
    if (status == GB_OK) status = gb.tensor->expect(c, "pixels", (uint64_t)(i * s->width), (uint64_t)s->width, row);
    if (status == GB_OK) status = gb.tensor->expect(c, "packed", place, bytes, codes);
    if (status == GB_OK) status = gb.tensor->expect(c, "weight", (uint64_t)i, 1, &weight);
    if (status == GB_OK) status = gb.tensor->expect(c, "lengths", (uint64_t)i, 1, &length);
    place += bytes;
  }
  return status;
}

static gb_status pipeline_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct sizes *s = state;
  const uint64_t samples = (uint64_t)s->samples;
  double *numbers = malloc((2 * samples + 1 + (uint64_t)s->width) * sizeof *numbers);
  if (numbers == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  gb_status status = gb.tensor->input(c, "offsets", 0, samples + 1, numbers);
  double *order = numbers + samples + 1;
  if (status == GB_OK) status = gb.tensor->input(c, "order", 0, samples, order);
  if (status == GB_OK) status = expect_rows(c, s, numbers, order, order + samples);
  free(numbers);
  return status;
}

/* Checks that the lengths are possible, and adds a metric. */
static gb_status pipeline_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct sizes *s = state;
  double *lengths = malloc((size_t)s->samples * sizeof *lengths);
  if (lengths == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  gb_status status = gb.tensor->output(c, "lengths", 0, (uint64_t)s->samples, lengths);
  for (int64_t i = 0; i < s->samples && status == GB_OK; i++)
    if (lengths[i] < 1 || lengths[i] > (double)s->width)
      status = gb_failf(&gb, c, GB_EFAIL, "row %d has %g of at most %d numbers", (int)i, lengths[i], (int)s->width);
  free(lengths);
  return status == GB_OK ? gb.metric->add(c, "bytes/sample", (double)s->bytes / (double)s->samples) : status;
}

/* ---- One thread ---- */

static gb_status find_batch(gb_case *c, struct batch *b) {
  const struct sizes *s = gb.point->state(c);
  *b = (struct batch){.samples = s->samples,
                      .width = s->width,
                      .codes = gb.tensor->data(c, "codes"),
                      .offsets = gb.tensor->data(c, "offsets"),
                      .order = gb.tensor->data(c, "order"),
                      .weights = gb.tensor->data(c, "weights"),
                      .pixels = gb.tensor->data(c, "pixels"),
                      .weight = gb.tensor->data(c, "weight"),
                      .lengths = gb.tensor->data(c, "lengths"),
                      .packed = gb.tensor->data(c, "packed"),
                      .places = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)s->samples * sizeof(int32_t))};
  return b->places != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status one_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  struct batch *b = *vstate = gb.mem->alloc(c, GB_MEM_HOST, sizeof *b);
  return b != NULL ? find_batch(c, b) : GB_ENOMEM;
}

static gb_status one_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct batch *b = vstate;
  (void)self;
  (void)c;
  take_rows(b, b->samples, decode);
  return GB_OK;
}

static gb_status branching_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct batch *b = vstate;
  (void)self;
  (void)c;
  take_rows(b, b->samples, decode_branching);
  return GB_OK;
}

static gb_status short_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct batch *b = vstate;
  (void)self;
  (void)c;
  take_rows(b, b->samples - 1, decode);
  return GB_OK;
}

/* A wrong variant that adds 0 to each weight, which turns -0 into 0. */
static gb_status tidy_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct batch *b = vstate;
  const gb_status status = one_run(self, c, vstate);
  for (int64_t row = 0; row < b->samples; row++)
    b->weight[row] += 0.0F;
  return status;
}

/* ---- Threads and a queue, which exist from `prepare` to `release` ---- */

struct queue {
  struct batch batch;
  pthread_mutex_t mutex;
  pthread_cond_t asked, ready;
  /* next: the next row that a thread takes; row: the row that each place of the queue holds */
  int64_t next, row[DEPTH_MOST];
  int32_t length[DEPTH_MOST];
  float *slots;
  int idle[DEPTH_MOST], full[DEPTH_MOST], idle_count, full_count, thread_count;
  bool ends;
  pthread_t threads[THREADS_MOST];
};

static void *work_ahead(void *argument) {
  struct queue *q = argument;
  const struct batch *b = &q->batch;
  pthread_mutex_lock(&q->mutex);
  while (!q->ends) {
    if (q->next == b->samples || q->idle_count == 0) {
      pthread_cond_wait(&q->asked, &q->mutex);
      continue;
    }
    const int64_t row = q->next++;
    const int slot = q->idle[--q->idle_count];
    pthread_mutex_unlock(&q->mutex);
    q->row[slot] = row;
    q->length[slot] = decode(b, row, b->codes + b->offsets[b->order[row]], q->slots + slot * b->width);
    pthread_mutex_lock(&q->mutex);
    q->full[q->full_count++] = slot;
    pthread_cond_signal(&q->ready);
  }
  pthread_mutex_unlock(&q->mutex);
  return NULL;
}

static void end_threads(struct queue *q) {
  pthread_mutex_lock(&q->mutex);
  q->ends = true;
  pthread_cond_broadcast(&q->asked);
  pthread_mutex_unlock(&q->mutex);
  for (int i = 0; i < q->thread_count; i++)
    pthread_join(q->threads[i], NULL);
  pthread_mutex_destroy(&q->mutex);
  pthread_cond_destroy(&q->asked);
  pthread_cond_destroy(&q->ready);
}

static gb_status begin_threads(gb_case *c, struct queue *q, int count) {
  pthread_mutex_init(&q->mutex, NULL);
  pthread_cond_init(&q->asked, NULL);
  pthread_cond_init(&q->ready, NULL);
  for (; q->thread_count < count; q->thread_count++)
    if (pthread_create(&q->threads[q->thread_count], NULL, work_ahead, q) != 0) {
      end_threads(q);
      return gb_failf(&gb, c, GB_EFAIL, "no thread");
    }
  return GB_OK;
}

static gb_status queue_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  struct queue *q = *vstate = gb.mem->alloc(c, GB_MEM_HOST, sizeof *q);
  if (q == NULL) return GB_ENOMEM;
  *q = (struct queue){.idle_count = (int)gb.point->i64(c, "depth")};
  for (int i = 0; i < q->idle_count; i++)
    q->idle[i] = i;
  gb_status status = find_batch(c, &q->batch);
  if (status != GB_OK) return status;
  q->next = q->batch.samples;
  q->slots = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)q->idle_count * (uint64_t)q->batch.width * sizeof *q->slots);
  return q->slots != NULL ? begin_threads(c, q, gb_threads(&gb, c, THREADS_MOST)) : GB_ENOMEM;
}

static void queue_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  end_threads(vstate);
}

static gb_status queue_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct queue *q = vstate;
  const struct batch *b = &q->batch;
  int64_t ready = 0;
  (void)self;
  find_places(b);
  pthread_mutex_lock(&q->mutex);
  q->next = 0;
  pthread_cond_broadcast(&q->asked);
  for (int64_t done = 0; done < b->samples; done++) {
    ready += q->full_count;
    while (q->full_count == 0)
      pthread_cond_wait(&q->ready, &q->mutex);
    const int slot = q->full[--q->full_count];
    pthread_mutex_unlock(&q->mutex);
    const int64_t row = q->row[slot];
    memcpy(b->pixels + row * b->width, q->slots + slot * b->width, (size_t)b->width * sizeof *b->pixels);
    copy_row(b, row, b->codes + b->offsets[b->order[row]], q->length[slot]);
    pthread_mutex_lock(&q->mutex);
    q->idle[q->idle_count++] = slot;
    pthread_cond_signal(&q->asked);
  }
  pthread_mutex_unlock(&q->mutex);
  return gb.metric->add(c, "queue-depth", (double)ready / (double)b->samples);
}

/* ---- The samples are read from a file that is not in the page cache ---- */

struct file {
  struct batch batch;
  int fd;
  unsigned char *codes; /* coded bytes of one sample, as read from the file */
};

/* Writes the present samples to the file. */
static gb_status file_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct file *f = vstate;
  const struct sizes *s = gb.point->state(c);
  if (pwrite(f->fd, f->batch.codes, (size_t)s->bytes, 0) == s->bytes && fdatasync(f->fd) == 0) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "cannot write %lld bytes of samples", (long long)s->bytes);
}

static gb_status file_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct file *f = *vstate = gb.mem->alloc(c, GB_MEM_HOST, sizeof *f);
  const char *directory = gb.scratch->directory(c);
  char path[4200];
  if (f == NULL) return GB_ENOMEM;
  if (directory == NULL) return GB_EFAIL;
  gb_status status = find_batch(c, &f->batch);
  f->codes = gb.mem->alloc(c, GB_MEM_HOST, 4 * MEAN_MOST);
  if (status != GB_OK || f->codes == NULL) return GB_ENOMEM;
  snprintf(path, sizeof path, "%s/samples", directory);
  f->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (f->fd < 0) return gb_failf(&gb, c, GB_EFAIL, "cannot make %s", path);
  status = file_refresh(self, c, f);
  if (status != GB_OK) close(f->fd);
  return status;
}

static void file_release(const gb_variant *self, gb_case *c, void *vstate) {
  const struct file *f = vstate;
  (void)self;
  (void)c;
  close(f->fd); /* gpubench removes the file */
}

static gb_status file_before(const gb_variant *self, gb_case *c, void *vstate) {
  const struct file *f = vstate;
  (void)self;
  if (posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED) == 0) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "the file stays in memory");
}

static gb_status file_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct file *f = vstate;
  const struct batch *b = &f->batch;
  (void)self;
  find_places(b);
  for (int64_t row = 0; row < b->samples; row++) {
    const int64_t bytes = bytes_of(b, row);
    if (pread(f->fd, f->codes, (size_t)bytes, b->offsets[b->order[row]]) != bytes)
      return gb_failf(&gb, c, GB_EFAIL, "row %d: the file is too short", (int)row);
    copy_row(b, row, f->codes, decode(b, row, f->codes, b->pixels + row * b->width));
  }
  return GB_OK;
}

/* ---- A cheat that returns results of the call before, as if it had computed them in advance ---- */

struct former {
  struct batch batch;
  float *pixels;
  bool ready;
};

static gb_status former_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  struct former *f = *vstate = gb.mem->alloc(c, GB_MEM_HOST, sizeof *f);
  gb_status status = f != NULL ? find_batch(c, &f->batch) : GB_ENOMEM;
  if (status != GB_OK) return status;
  f->ready = false;
  f->pixels = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)(f->batch.samples * f->batch.width) * sizeof *f->pixels);
  return f->pixels != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status former_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct former *f = vstate;
  const struct batch *b = &f->batch;
  (void)self;
  (void)c;
  take_rows(b, b->samples, decode);
  for (int64_t i = 0; i < b->samples * b->width; i++) {
    const float now = b->pixels[i];
    if (f->ready) b->pixels[i] = f->pixels[i];
    f->pixels[i] = now;
  }
  f->ready = true;
  return GB_OK;
}

/* ---- Tables ---- */

static const gb_variant one =
    GB_VARIANT("one", "cpu", "fp32", .flags = GB_VARIANT_BASELINE, .prepare = one_prepare, .run = one_run);
static const gb_variant branching =
    GB_VARIANT("branching", "cpu", "fp32", .flags = GB_VARIANT_BY_NAME, .prepare = one_prepare, .run = branching_run);
static const gb_variant queue =
    GB_VARIANT("queue", "cpu", "fp32", .prepare = queue_prepare, .run = queue_run, .release = queue_release);
static const gb_variant file =
    GB_VARIANT("file", "cpu", "fp32", .flags = GB_VARIANT_DERIVED, .prepare = file_prepare, .refresh = file_refresh,
               .before = file_before, .run = file_run, .release = file_release);
static const gb_variant shorter =
    GB_VARIANT("short", "cpu", "fp32", .flags = GB_VARIANT_BY_NAME, .prepare = one_prepare, .run = short_run);
static const gb_variant tidy =
    GB_VARIANT("tidy", "cpu", "fp32", .flags = GB_VARIANT_BY_NAME, .prepare = one_prepare, .run = tidy_run);
static const gb_variant former =
    GB_VARIANT("former", "cpu", "fp32", .flags = GB_VARIANT_BY_NAME, .prepare = former_prepare, .run = former_run);
static const gb_axis axis_samples = {GB_SIZE(gb_axis), .type = GB_I64, .name = "samples", .values = "64"};
static const gb_axis axis_mean = {GB_SIZE(gb_axis), .type = GB_I64, .name = "mean", .unit = "codes", .values = "32"};
static const gb_axis axis_depth = {GB_SIZE(gb_axis), .type = GB_I64, .name = "depth", .unit = "samples", .values = "8"};
static const gb_bench bench = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_NO_ROOF,
    .name = "batch",
    .contract = "gpubench.org/test/pipeline/batch/1",
    .summary = "samples of different sizes decoded into a batch",
    .axes = GB_LIST(gb_axis, &axis_samples, &axis_mean, &axis_depth),
    .variants = GB_LIST(gb_variant, &one, &branching, &queue, &file, &shorter, &tidy, &former),
    .supports = pipeline_supports,
    .setup = pipeline_setup,
    .fill = pipeline_fill,
    .reference = pipeline_reference,
    .verify = pipeline_verify,
    .teardown = pipeline_teardown};

static gb_status pipeline_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK)
    status = gb_option_declare(&gb, registry, GB_I64, "fetch_ms", "0", "0:60000", "ms", "of the first fill");
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "pipeline", .version = "1.0.0", .open = pipeline_open};
