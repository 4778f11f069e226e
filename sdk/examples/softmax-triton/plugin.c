/* A Triton kernel that was compiled ahead of time and runs without Python. It is a guest of softmax/rows, that is a
 * variant of a bench that another plugin defines. To make it yours:
 * 1. write the kernel in kernel.py; 2. list in aot.py the types and blocks to compile and the known properties of the
 * arguments; 3. choose the image for a case here in `find`, and pass the arguments and the grid in `run`. */
#include <cuda_runtime_api.h>
#include <gpubench/sugar.h>
#include <stdlib.h>

struct image {
  const char *dtype;
  int64_t block; /* the longest row that this image's kernel can process, in elements */
  unsigned threads, shared;
  const char *kernel;
  const unsigned char *bytes;
};
#include "images.h" /* written by aot.py: static const struct image images[] */

static gb_sdk gb; /* the host's services */

static const struct image *find(gb_case *c) {
  for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
    if (gb_axis_is(&gb, c, "dtype", images[i].dtype) && gb.point->i64(c, "n") <= images[i].block) return &images[i];
  return NULL;
}

static gb_status mytriton_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const long long n = gb.point->i64(c, "n");
  if (n % 16 != 0) return gb_failf(&gb, c, GB_SKIP, "n is %lld: compiled for multiples of 16", n);
  return find(c) != NULL ? GB_OK : gb_failf(&gb, c, GB_SKIP, "n is %lld: no image holds as much", n);
}

struct loaded {
  const struct image *image;
  cudaLibrary_t library;
  cudaKernel_t kernel;
};

static void mytriton_release(const gb_variant *self, gb_case *c, void *state) {
  (void)self, (void)c;
  struct loaded *loaded = state;
  if (loaded->library != NULL) cudaLibraryUnload(loaded->library);
  free(loaded);
}

static gb_status mytriton_prepare(const gb_variant *self, gb_case *c, void **state) {
  struct loaded *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  loaded->image = find(c);
  cudaError_t error = cudaLibraryLoadData(&loaded->library, loaded->image->bytes, NULL, NULL, 0, NULL, NULL, 0);
  if (error == cudaSuccess) error = cudaLibraryGetKernel(&loaded->kernel, loaded->library, loaded->image->kernel);
  if (error == cudaSuccess) return *state = loaded, GB_OK;
  mytriton_release(self, c, loaded);
  return gb_failf(&gb, c, error == cudaErrorNoKernelImageForDevice ? GB_SKIP : GB_EDEVICE, "load: %s",
                  cudaGetErrorString(error));
}

static gb_status mytriton_run(const gb_variant *self, gb_case *c, void *state) {
  (void)self;
  const struct loaded *loaded = state;
  const void *x = gb.tensor->data(c, "x");
  void *y = gb.tensor->data(c, "y"), *none = NULL;
  int32_t n = (int32_t)gb.point->i64(c, "n");
  void *arguments[] = {&x, &y, &n, &none, &none}; /* the last two are Triton's scratch memory: not needed */
  cudaError_t error =
      cudaLaunchKernel(loaded->kernel, (dim3){(unsigned)gb.point->i64(c, "m"), 1, 1},
                       (dim3){loaded->image->threads, 1, 1}, arguments, loaded->image->shared, gb.cuda->stream(c));
  return error == cudaSuccess ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: %s", cudaGetErrorString(error));
}

static const gb_variant aot = GB_VARIANT("triton-aot", "cuda", "native", .supports = mytriton_supports,
                                         .prepare = mytriton_prepare, .run = mytriton_run, .release = mytriton_release);

static gb_status mytriton_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/softmax/rows/1", &aot) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mytriton", .version = "0.1.0", .open = mytriton_open};
