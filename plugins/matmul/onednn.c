/* oneDNN's matmul, versions 2 and 3. It multiplies in the case's storage type if oneDNN has a kernel for that type on
 * this machine; otherwise this file converts a and b to fp32 before the product, and c back after it. Descriptors are
 * structs in version 2 and opaque in version 3; here pointers to them are kept in both cases. */
#include <stdlib.h>
#include <string.h>

#include "../shared/library.h"
#include "vendor.h"
#include "wide.h"

/* Values from oneDNN's headers. */
enum { SUCCESS = 0, UNIMPLEMENTED = 3 };
enum { ENGINE_CPU = 1, STREAM_DEFAULT = 1 };
enum { ARGUMENT_A = 1, ARGUMENT_B = 33, ARGUMENT_C = 17 };
enum { RUNTIME_SEQUENTIAL = 1, RUNTIME_OPENMP = 2 };
enum { DIMENSIONS_MOST = 12, STRUCT_MOST = 8192 };

struct version {
  int major, minor, patch;
  const char *hash;
  unsigned cpu_runtime, gpu_runtime;
};

struct argument {
  int which;
  void *memory;
};

struct functions {
  const struct version *(*version)(void);
  int (*engine_create)(void **engine, int kind, size_t index);
  int (*engine_destroy)(void *engine);
  int (*stream_create)(void **stream, void *engine, unsigned flags);
  int (*stream_wait)(void *stream);
  int (*stream_destroy)(void *stream);
  int (*memory_create)(void **memory, const void *shape, void *engine, void *data);
  int (*memory_destroy)(void *memory);
  int (*primitive_create)(void **primitive, const void *description);
  int (*primitive_execute)(const void *primitive, void *stream, int count, const struct argument *arguments);
  int (*primitive_destroy)(void *primitive);
  int (*description_destroy)(void *description);
  /* functions of version 2 only */
  int (*shape_init)(void *shape, int rank, const int64_t *extents, int type, const int64_t *strides);
  int (*matmul_init)(void *operation, const void *a, const void *b, const void *bias, const void *c);
  int (*description_create_2)(void **description, const void *operation, const void *attributes, void *engine,
                              const void *hint);
  /* functions of version 3 only */
  int (*shape_create)(void **shape, int rank, const int64_t *extents, int type, const int64_t *strides);
  int (*shape_destroy)(void *shape);
  int (*description_create_3)(void **description, void *engine, const void *a, const void *b, const void *bias,
                              const void *c, const void *attributes);
};

struct onednn {
  void *library;
  struct functions f;
  int (*threads_most)(void); /* omp_get_max_threads of the OpenMP that oneDNN uses; NULL: it uses none */
  void (*set_threads)(int threads);
  struct matmul_problem p;
  struct matmul_wide wide;
  void *engine, *stream, *primitive;
  struct argument arguments[3]; /* a, b and c */
};

static int find_onednn(struct onednn *o, char *why, size_t size) {
  struct functions *f = &o->f;
  const struct {
    const char *name;
    void *to;
    int version; /* the major version that has the function; 0: both have it */
  } wanted[] = {{"dnnl_version", &f->version, 0},
                {"dnnl_engine_create", &f->engine_create, 0},
                {"dnnl_engine_destroy", &f->engine_destroy, 0},
                {"dnnl_stream_create", &f->stream_create, 0},
                {"dnnl_stream_wait", &f->stream_wait, 0},
                {"dnnl_stream_destroy", &f->stream_destroy, 0},
                {"dnnl_memory_create", &f->memory_create, 0},
                {"dnnl_memory_destroy", &f->memory_destroy, 0},
                {"dnnl_primitive_create", &f->primitive_create, 0},
                {"dnnl_primitive_execute", &f->primitive_execute, 0},
                {"dnnl_primitive_destroy", &f->primitive_destroy, 0},
                {"dnnl_primitive_desc_destroy", &f->description_destroy, 0},
                {"dnnl_memory_desc_init_by_strides", &f->shape_init, 2},
                {"dnnl_matmul_desc_init", &f->matmul_init, 2},
                {"dnnl_primitive_desc_create", &f->description_create_2, 2},
                {"dnnl_memory_desc_create_with_strides", &f->shape_create, 3},
                {"dnnl_memory_desc_destroy", &f->shape_destroy, 3},
                {"dnnl_matmul_primitive_desc_create", &f->description_create_3, 3}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    if (wanted[i].version != 0 && wanted[i].version != f->version()->major) continue;
    if (library_find(o->library, wanted[i].name, wanted[i].to, why, size) != 0) return -1;
  }
  return 0;
}

static gb_status request_onednn(const struct matmul_request *r, struct onednn *o) {
  /* Debian 13 has libdnnl.so.3.6, without the link libdnnl.so.3. */
  static const char *const names[] = {"libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2"};
  static const char *const folders[] = {NULL};
  char path[1024], why[512] = "";
  for (size_t i = 0; i < sizeof names / sizeof *names && o->library == NULL; i++)
    o->library = library_open(names[i], folders, path, sizeof path, why, sizeof why);
  if (o->library == NULL || find_onednn(o, why, sizeof why) != 0) {
    gb_failf(r->sdk, r->c, GB_SKIP, "no oneDNN here (Debian: libdnnl2, libdnnl3.6): %s", why);
    return GB_SKIP;
  }
  const struct version *v = o->f.version();
  if (v->cpu_runtime == RUNTIME_OPENMP) {
    if (library_find(o->library, "omp_set_num_threads", &o->set_threads, why, sizeof why) != 0 ||
        library_find(o->library, "omp_get_max_threads", &o->threads_most, why, sizeof why) != 0)
      return gb_failf(r->sdk, r->c, GB_SKIP, "oneDNN's OpenMP is not found: %s", why);
  } else if (v->cpu_runtime != RUNTIME_SEQUENTIAL) {
    return gb_failf(r->sdk, r->c, GB_SKIP, "%s has neither OpenMP nor one thread: its threads cannot be told", path);
  }
  gb_status status = gb_notef(r->sdk, r->c, "library", "%s", library_path_end(path));
  if (status == GB_OK)
    status = gb_notef(r->sdk, r->c, "version", "%d.%d.%d, %s", v->major, v->minor, v->patch,
                      v->cpu_runtime == RUNTIME_OPENMP ? "OpenMP" : "one thread");
  return status;
}

/* ---- The product ------------------------------------------------------------------------------------------------ */

static int onednn_type(int32_t dtype) {
  static const int types[] = {[MATMUL_FP32] = 3, [MATMUL_FP16] = 1, [MATMUL_BF16] = 2};
  return types[dtype];
}

/* Describes a [rows][columns] array whose elements are `step` apart within a row, and whose rows are `pitch` apart. */
static int describe_array(const struct functions *f, void **shape, int64_t rows, int64_t columns, int64_t pitch,
                          int64_t step, int type) {
  const int64_t extents[DIMENSIONS_MOST] = {rows, columns}, strides[DIMENSIONS_MOST] = {pitch, step};
  if (f->shape_create != NULL) return f->shape_create(shape, 2, extents, type, strides);
  *shape = calloc(1, STRUCT_MOST);
  return *shape == NULL ? UNIMPLEMENTED : f->shape_init(*shape, 2, extents, type, strides);
}

static void forget_shape(const struct functions *f, void *shape) {
  if (shape == NULL) return;
  if (f->shape_destroy != NULL)
    f->shape_destroy(shape);
  else
    free(shape);
}

static int describe_matmul(const struct onednn *o, void **description, void *const *shapes) {
  const struct functions *f = &o->f;
  if (f->description_create_3 != NULL)
    return f->description_create_3(description, o->engine, shapes[0], shapes[1], NULL, shapes[2], NULL);
  void *operation = calloc(1, STRUCT_MOST);
  if (operation == NULL) return UNIMPLEMENTED;
  int code = f->matmul_init(operation, shapes[0], shapes[1], NULL, shapes[2]);
  if (code == SUCCESS) code = f->description_create_2(description, operation, NULL, o->engine, NULL);
  free(operation);
  return code;
}

/* Builds the product for arrays of type `dtype`. onednn_close() frees the objects that it makes, also after a
 * failure. */
static int build_product(struct onednn *o, int32_t dtype, const void *a, const void *b, void *c) {
  const struct matmul_problem *p = &o->p;
  const struct functions *f = &o->f;
  void *shapes[3] = {NULL}, *description = NULL;
  void *data[3];
  memcpy(&data[0], &a, sizeof a);
  memcpy(&data[1], &b, sizeof b);
  data[2] = c;
  int code = describe_array(f, &shapes[0], p->m, p->k, p->k, 1, onednn_type(dtype));
  if (code == SUCCESS) code = describe_array(f, &shapes[1], p->k, p->n, 1, p->k, onednn_type(dtype));
  if (code == SUCCESS) code = describe_array(f, &shapes[2], p->m, p->n, p->n, 1, onednn_type(dtype));
  if (code == SUCCESS) code = describe_matmul(o, &description, shapes);
  if (code == SUCCESS) code = f->primitive_create(&o->primitive, description);
  for (int i = 0; i < 3 && code == SUCCESS; i++)
    code = f->memory_create(&o->arguments[i].memory, shapes[i], o->engine, data[i]);
  if (description != NULL) f->description_destroy(description);
  for (int i = 0; i < 3; i++)
    forget_shape(f, shapes[i]);
  return code;
}

/* Builds the product in the case's own type, or in fp32 if oneDNN has no kernel for that type (fp8, for example). */
static gb_status build_best(const struct matmul_request *r, struct onednn *o) {
  const struct matmul_problem *p = &o->p;
  int code = UNIMPLEMENTED;
  if (p->dtype != MATMUL_E4M3) code = build_product(o, p->dtype, p->a, p->b, p->c);
  const int own = code == SUCCESS;
  if (code == UNIMPLEMENTED && p->dtype != MATMUL_FP32) {
    if (matmul_wide_claim(r, &o->wide) != GB_OK) return GB_ENOMEM;
    code = build_product(o, MATMUL_FP32, o->wide.a, o->wide.b, o->wide.c);
  }
  if (code != SUCCESS) return gb_failf(r->sdk, r->c, GB_SKIP, "oneDNN has no such product: status %d", code);
  return gb_notef(r->sdk, r->c, "arithmetic", "%s", own ? "its own for this type" : "fp32, converted before and after");
}

static void onednn_close(void *state) {
  struct onednn *o = state;
  const struct functions *f = &o->f;
  for (int i = 0; i < 3; i++)
    if (o->arguments[i].memory != NULL) f->memory_destroy(o->arguments[i].memory);
  if (o->primitive != NULL) f->primitive_destroy(o->primitive);
  if (o->stream != NULL) f->stream_destroy(o->stream);
  if (o->engine != NULL) f->engine_destroy(o->engine);
  library_close(o->library);
  free(o);
}

/* Sets how many threads oneDNN uses, which is the thread count of its OpenMP library for the calling thread. Returns
 * the previous count, which threads_put_back() restores. */
static int threads_take(const struct onednn *o) {
  if (o->set_threads == NULL) return 0;
  const int before = o->threads_most();
  o->set_threads(o->p.threads);
  return before;
}

static void threads_put_back(const struct onednn *o, int before) {
  if (o->set_threads != NULL) o->set_threads(before);
}

static gb_status open_product(const struct matmul_request *r, struct onednn *o) {
  gb_status status = request_onednn(r, o);
  if (status != GB_OK) return status;
  if (o->f.engine_create(&o->engine, ENGINE_CPU, 0) != SUCCESS ||
      o->f.stream_create(&o->stream, o->engine, STREAM_DEFAULT) != SUCCESS)
    return gb_failf(r->sdk, r->c, GB_SKIP, "oneDNN has no engine for this CPU");
  const int before = threads_take(o);
  status = build_best(r, o);
  threads_put_back(o, before);
  return status;
}

static gb_status onednn_open(const struct matmul_request *r, void **state) {
  struct onednn *o = calloc(1, sizeof *o);
  if (o == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  o->p = *r->p;
  o->arguments[0].which = ARGUMENT_A;
  o->arguments[1].which = ARGUMENT_B;
  o->arguments[2].which = ARGUMENT_C;
  const gb_status status = open_product(r, o);
  if (status != GB_OK)
    onednn_close(o);
  else
    *state = o;
  return status;
}

static gb_status onednn_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct onednn *o = state;
  matmul_widen(&o->wide, &o->p);
  const int before = threads_take(o);
  int code = o->f.primitive_execute(o->primitive, o->stream, 3, o->arguments);
  if (code == SUCCESS) code = o->f.stream_wait(o->stream);
  threads_put_back(o, before);
  matmul_narrow(&o->wide, &o->p);
  return code == SUCCESS ? GB_OK : gb_failf(sdk, c, GB_EDEVICE, "oneDNN: status %d", code);
}

const struct matmul_vendor matmul_onednn = {onednn_open, onednn_run, onednn_close};
