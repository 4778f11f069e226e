// z = 2x + y in C++11, for float and double from one template. To make it yours: 1. name the problem and its axes in
// `open_plugin`; 2. declare tensors and work in `setup`; 3. say what is right in `reference`; 4. write `run`; 5. list
// its variants in `open_plugin`. What is C++ about it: tables are filled by assignment, as there are no designated
// initializers before C++20, and no exception leaves a callback.
#include <gpubench/sugar.h>

#include <cstring>
#include <exception>
#include <new>
#include <vector>

namespace {

gb_sdk gb;  // the host's services

// All zero but its size: what a field that is not set has to be.
template <typename Table>
Table blank() {
  Table table = Table();
  table.struct_size = sizeof(Table);
  return table;
}

// Around what may throw: the host is C.
template <typename Body>
gb_status guarded(gb_case *c, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return gb_failf(&gb, c, GB_ENOMEM, "out of memory");
  } catch (const std::exception &e) {
    return gb_failf(&gb, c, GB_EFAIL, "%s", e.what());
  } catch (...) {
    return gb_failf(&gb, c, GB_EFAIL, "an exception of no known kind");
  }
}

bool is_double(gb_case *c) {
  return std::strcmp(gb.point->str(c, "dtype"), "fp64") == 0;
}

gb_status setup(const gb_bench *, gb_case *c, void **) {
  const int64_t n = gb.point->i64(c, "n");
  const uint64_t bytes = static_cast<uint64_t>(n) * (is_double(c) ? sizeof(double) : sizeof(float));
  gb_tensor t = blank<gb_tensor>();
  t.role = GB_IN, t.dtype = is_double(c) ? GB_DTYPE_F64 : GB_DTYPE_F32;
  t.rank = 1, t.shape = &n;
  t.fill = GB_FILL_NORMAL, t.fill_b = 1, t.reduction = 2;
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  gb_work work = blank<gb_work>();
  work.flops = 2 * static_cast<uint64_t>(n);
  work.bytes_read = 2 * bytes, work.bytes_written = bytes;
  return gb.point->work(c, &work);
}

gb_status reference(const gb_bench *, gb_case *c, void *) {
  return guarded(c, [c] {
    const size_t n = static_cast<size_t>(gb.point->i64(c, "n"));
    std::vector<double> x(n), y(n);
    gb.tensor->input(c, "x", 0, n, x.data());
    gb.tensor->input(c, "y", 0, n, y.data());
    for (size_t i = 0; i < n; i++)
      y[i] += 2 * x[i];
    return gb.tensor->expect(c, "z", 0, n, y.data());
  });
}

template <typename T>
void axpy(gb_case *c, int64_t step) {
  const T *x = static_cast<const T *>(gb.tensor->data(c, "x")), *y = static_cast<const T *>(gb.tensor->data(c, "y"));
  T *z = static_cast<T *>(gb.tensor->data(c, "z"));
  const int64_t n = gb.point->i64(c, "n");
  for (int64_t first = 0; first < n; first += step)
    for (int64_t i = first; i < n && i < first + step; i++)
      z[i] = 2 * x[i] + y[i];
}

// Variants of one function: `user` says how far they differ.
const int64_t whole = INT64_MAX / 2, tiles = 4096;

gb_status run(const gb_variant *self, gb_case *c, void *) {
  const int64_t step = *static_cast<const int64_t *>(self->user);
  is_double(c) ? axpy<double>(c, step) : axpy<float>(c, step);
  return GB_OK;
}

gb_axis axis(uint32_t type, const char *name, const char *values, const char *choices) {
  gb_axis a = blank<gb_axis>();
  a.type = type, a.name = name, a.values = values, a.choices = choices;
  return a;
}

gb_variant variant(const char *name, const int64_t *step, uint32_t flags) {
  gb_variant v = blank<gb_variant>();
  v.name = name, v.flags = flags, v.backend = "cpu", v.math = "native", v.user = step, v.run = run;
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static const gb_axis n = axis(GB_I64, "n", "1M:16M:x4", nullptr);
  static const gb_axis dtype = axis(GB_STR, "dtype", "fp32", "fp32,fp64");
  static const gb_axis *const axes[] = {&n, &dtype, nullptr};
  static const gb_variant loop = variant("loop", &whole, GB_VARIANT_BASELINE), tiled = variant("tiled", &tiles, 0);
  static const gb_variant *const variants[] = {&loop, &tiled, nullptr};
  static gb_bench bench = blank<gb_bench>();
  bench.name = "axpy", bench.contract = "example.org/mycpp/axpy/1";
  bench.axes = axes, bench.variants = variants;
  bench.setup = setup, bench.reference = reference;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

}  // namespace

// The one symbol that the host looks for; a constant, so that it is there before anything of the plugin runs.
extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_MAGIC, sizeof(gb_plugin), GB_ABI_VERSION, GB_ABI(1, 0), "mycpp",
    "0.1.0",  nullptr,           nullptr,        open_plugin,  nullptr};
