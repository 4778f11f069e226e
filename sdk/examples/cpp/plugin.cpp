// Benchmarks the class of axpy.hpp, in C++11, for float and double from one template. To make it yours: 1. replace
// axpy.hpp by your class, and name the problem and its axes in `open_plugin`; 2. declare tensors and work in `setup`;
// 3. state the right outputs in `reference`; 4. make your object in `prepare` and call it in `run`; 5. list the
// variants in `open_plugin`. C++ differs from C in two ways: tables are cleared and filled by assignment, because
// designated initializers need C++20, and no exception leaves a callback.
#include <gpubench/sugar.h>

#include <exception>
#include <new>
#include <vector>

#include "axpy.hpp"

namespace {

gb_sdk gb;  // the host's services

// Runs code that may throw, and turns exceptions into messages: the host is C.
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
  return gb_axis_is(&gb, c, "dtype", "fp64") != 0;
}

// ---- The problem ----

gb_status setup(const gb_bench *, gb_case *c, void **) {
  const int64_t n = gb.point->i64(c, "n");
  const uint64_t bytes = static_cast<uint64_t>(n) * (is_double(c) ? sizeof(double) : sizeof(float));
  gb_tensor t;
  GB_CLEAR(t);
  t.role = GB_IN, t.dtype = is_double(c) ? GB_DTYPE_F64 : GB_DTYPE_F32;
  t.rank = 1, t.shape = &n;
  t.fill = GB_FILL_NORMAL, t.fill_b = 1, t.reduction = 2;
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  gb_work work;
  GB_CLEAR(work);
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

// ---- Timed code ----

// An object of the measured class with its arguments. One base type serves float and double.
struct Call {
  virtual ~Call() {}
  virtual void operator()() const = 0;
};

template <typename T>
struct CallOf : Call {
  CallOf(gb_case *c, size_t tile)
      : axpy(2, tile),
        x(static_cast<const T *>(gb.tensor->data(c, "x"))),
        y(static_cast<const T *>(gb.tensor->data(c, "y"))),
        z(static_cast<T *>(gb.tensor->data(c, "z"))),
        n(static_cast<size_t>(gb.point->i64(c, "n"))) {}
  void operator()() const override {
    axpy(x, y, z, n);
  }

  const Axpy<T> axpy;
  const T *const x, *const y;
  T *const z;
  const size_t n;
};

gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  return guarded(c, [=] {
    const size_t tile = *static_cast<const size_t *>(self->user);
    Call *call = is_double(c) ? static_cast<Call *>(new CallOf<double>(c, tile)) : new CallOf<float>(c, tile);
    *vstate = call;
    return GB_OK;
  });
}

gb_status run(const gb_variant *, gb_case *c, void *vstate) {
  return guarded(c, [=] {
    (*static_cast<const Call *>(vstate))();
    return GB_OK;
  });
}

void release(const gb_variant *, gb_case *, void *vstate) {
  delete static_cast<Call *>(vstate);
}

// ---- The tables ----

// Tile sizes of the two variants, to which gb_variant.user points; everything else in them is the same.
const size_t whole = 0, tiles = 4096;

gb_axis axis(uint32_t type, const char *name, const char *values, const char *choices) {
  gb_axis a;
  GB_CLEAR(a);
  a.type = type, a.name = name, a.values = values, a.choices = choices;
  return a;
}

gb_variant variant(const char *name, const size_t *tile, uint32_t flags) {
  gb_variant v;
  GB_CLEAR(v);
  v.name = name, v.flags = flags, v.backend = "cpu", v.math = "native", v.user = tile;
  v.prepare = prepare, v.run = run, v.release = release;
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static const gb_axis n = axis(GB_I64, "n", "1M:16M:x4", nullptr);
  static const gb_axis dtype = axis(GB_STR, "dtype", "fp32", "fp32,fp64");
  static const gb_axis *const axes[] = {&n, &dtype, nullptr};
  static const gb_variant loop = variant("loop", &whole, GB_VARIANT_BASELINE), tiled = variant("tiled", &tiles, 0);
  static const gb_variant *const variants[] = {&loop, &tiled, nullptr};
  static gb_bench bench;
  GB_CLEAR(bench);
  bench.name = "axpy", bench.contract = "example.org/mycpp/axpy/1";
  bench.axes = axes, bench.variants = variants;
  bench.setup = setup, bench.reference = reference;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

}  // namespace

// The one symbol that the host looks for. It is a constant, so that it exists before any code of the plugin runs.
extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mycpp", "0.1.0", open_plugin);
