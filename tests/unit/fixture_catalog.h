/* A catalog (the benches and variants of all plugins) for tests of the plan and the list: "attention" with presets,
 * "softmax" without, "copy" without axes, and the plugin "mine", which adds guests (more variants) to attention. */
#ifndef FIXTURE_CATALOG_H
#define FIXTURE_CATALOG_H

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"

enum { ATTENTION, SOFTMAX, COPY, MINE, PLUGIN_COUNT };

struct fixture {
  struct catalog_plugin plugins[PLUGIN_COUNT];
  struct bench_desc benches[3];
  struct variant_desc variants[PLUGIN_COUNT][8];
  struct catalog catalog;
};

#define SET(to, text) text_copy((to), sizeof(to), (text))

static inline void fixture_axis(struct bench_desc *bench, uint32_t type, const char *name, const char *values,
                                const char *choices) {
  struct axis_desc *axis = &bench->axes[bench->axis_count++];
  axis->type = type;
  SET(axis->name, name);
  SET(axis->values, values);
  SET(axis->choices, choices);
}

static inline void fixture_default(struct bench_desc *bench, const char *backend, const char *values) {
  struct axis_desc *axis = &bench->axes[bench->axis_count - 1];
  SET(axis->defaults[axis->default_count].backend, backend);
  SET(axis->defaults[axis->default_count++].values, values);
}

static inline void fixture_preset(struct bench_desc *bench, const char *name, const char *point, const char *backends) {
  struct preset_desc *preset = &bench->presets[bench->preset_count++];
  SET(preset->name, name);
  SET(preset->point, point);
  SET(preset->backends, backends);
}

static inline void fixture_variant(struct fixture *f, int plugin, int32_t bench, const char *name, const char *backend,
                                   uint32_t flags) {
  struct variant_desc *variant = &f->variants[plugin][f->plugins[plugin].desc.variant_count++];
  SET(variant->name, name);
  SET(variant->backend, backend);
  SET(variant->math, "native");
  SET(variant->contract, bench < 0 ? f->benches[0].contract : f->plugins[plugin].benches[bench].contract);
  variant->bench = bench;
  variant->flags = flags;
}

static inline void fixture_plugin(struct fixture *f, int plugin, const char *id, const char *bench,
                                  const char *contract) {
  struct catalog_plugin *p = &f->plugins[plugin];
  SET(p->desc.id, id);
  SET(p->desc.version, "0.1.0");
  snprintf(p->path, sizeof p->path, "/opt/plugins/%s.so", id);
  p->variants = f->variants[plugin];
  if (bench == NULL) return;
  p->benches = &f->benches[plugin];
  p->desc.bench_count = 1;
  SET(p->benches->name, bench);
  SET(p->benches->contract, contract);
}

static inline void fixture_attention(struct fixture *f) {
  struct bench_desc *bench = &f->benches[ATTENTION];
  fixture_plugin(f, ATTENTION, "attention", "forward", "gpubench.org/attention/forward/1");
  fixture_axis(bench, AXIS_I64, "b", "1", "");
  fixture_axis(bench, AXIS_I64, "h", "2", "");
  fixture_axis(bench, AXIS_I64, "s", "64,128", "");
  fixture_default(bench, "cuda", "1k,2k");
  fixture_axis(bench, AXIS_STR, "dtype", "bf16", "fp32,bf16");
  fixture_preset(bench, "gpt2-1k", "b=16,h=12,s=1024", "cuda");
  fixture_preset(bench, "llama3-8b-4k", "b=2,h=32,s=4096", "cuda, other");
  fixture_preset(bench, "odd", "s=77", "");
  fixture_variant(f, ATTENTION, 0, "cudnn", "cuda", VARIANT_BASELINE);
  fixture_variant(f, ATTENTION, 0, "flash", "cuda", 0);
  fixture_variant(f, ATTENTION, 0, "standard", "cuda", 0);
  fixture_variant(f, ATTENTION, 0, "naive", "cpu", VARIANT_BASELINE);
}

static inline struct fixture *fixture_new(void) {
  struct fixture *f = xcalloc(1, sizeof *f);
  fixture_attention(f);
  fixture_plugin(f, SOFTMAX, "softmax", "rows", "gpubench.org/softmax/rows/1");
  fixture_axis(&f->benches[SOFTMAX], AXIS_I64, "n", "1k:4k:x2", "");
  fixture_axis(&f->benches[SOFTMAX], AXIS_F64, "t", "0.5", "");
  fixture_variant(f, SOFTMAX, 0, "naive", "cpu", 0);
  fixture_variant(f, SOFTMAX, 0, "online", "cuda", 0);
  fixture_variant(f, SOFTMAX, 0, "flash", "cuda", VARIANT_BASELINE);
  fixture_plugin(f, COPY, "copy", "all", "gpubench.org/copy/all/1");
  fixture_variant(f, COPY, 0, "memcpy", "cpu", 0);
  fixture_variant(f, COPY, 0, "copy", "cuda", 0);
  fixture_plugin(f, MINE, "mine", NULL, NULL);
  fixture_variant(f, MINE, -1, "flash", "cuda", 0);
  fixture_variant(f, MINE, -1, "tiled", "cuda", 0);
  fixture_variant(f, MINE, -1, "tiled", "cpu", 0);
  f->catalog = (struct catalog){f->plugins, PLUGIN_COUNT};
  return f;
}

#endif
