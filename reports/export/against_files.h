/* What a comparison says, for programs. */
#ifndef EXPORT_AGAINST_FILES_H
#define EXPORT_AGAINST_FILES_H

#include <stdio.h>

#include "base/json.h"
#include "compare/compare.h"
#include "record/against.h"

/* An object: verdict, sentence, rows. schema/compare.schema.json describes it. */
void against_json(struct json *json, const char *key, const struct against *against);

int compare_json_write(const struct compare *compare, FILE *out, struct err *err);
int compare_junit_write(const struct compare *compare, FILE *out, struct err *err);
int compare_ctrf_write(const struct compare *compare, FILE *out, struct err *err);

#endif
