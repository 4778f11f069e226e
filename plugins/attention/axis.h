/* AXIS() defines an axis (a parameter) of a bench whose default value on a GPU differs from the one on a CPU. */
#ifndef ATTENTION_AXIS_H
#define ATTENTION_AXIS_H

#include <gpubench/sugar.h>

#define AXIS(id, label, kind, text, legal, on_cpu, on_cuda)                                                  \
  static const gb_axis_default id##_cuda = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = on_cuda}; \
  static const gb_axis id = {GB_SIZE(gb_axis),                                                               \
                             .type = kind,                                                                   \
                             .name = label,                                                                  \
                             .summary = text,                                                                \
                             .choices = legal,                                                               \
                             .values = on_cpu,                                                               \
                             .defaults = (const gb_axis_default *const[]){&id##_cuda, NULL}}

#endif
