#include "model/precision.h"

#include <string.h>

static const struct {
  const char *name;
  int bits;
} known[] = {{"fp64", 53}, {"fp32", 24}, {"tf32", 11}, {"3xtf32", 22},
             {"fp16", 11}, {"bf16", 8},  {"fp8", 4},   {"native", 0}};
enum { COUNT = sizeof known / sizeof known[0] };

int precision_bits(const char *math) {
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(known[i].name, math) == 0) return known[i].bits;
  return 0;
}

const char *precision_name(size_t index) {
  return index < COUNT ? known[index].name : NULL;
}
