/* From runs to their comparison. Pure. */
#ifndef COMPARE_BUILD_H
#define COMPARE_BUILD_H

#include "compare/compare.h"

/* To be freed with compare_free(). */
void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare);

#endif
