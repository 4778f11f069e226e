/* What a comparison says, for programs: the parts that the JSON and the JUnit XML of a report and of `gpubench compare`
 * share. */
#ifndef EXPORT_AGAINST_FILES_H
#define EXPORT_AGAINST_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "compare/compare.h"
#include "record/against.h"

/* An object: verdict, sentence, rows. schema/compare.schema.json describes it. */
void against_json(struct json *json, const char *key, const struct against *against);

struct junit_count {
  size_t tests, failures, errors, skipped;
};
/* Adds what the suite of a comparison holds: the verdict, and the rows that have to be judged. */
void against_junit_count(const struct against *against, struct junit_count *count);
/* `name`: the run that was compared, or empty where there is one. */
void against_junit(const struct against *against, const char *name, FILE *out);

int compare_json_write(const struct compare *compare, FILE *out, struct err *err);
int compare_junit_write(const struct compare *compare, FILE *out, struct err *err);

#endif
