/* A filter that exposes the statistics for comparison with other implementations: reads lines "FUNCTION NUMBER...",
 * prints a line of results for each. The comment at each function names the numbers that follow its name in a line; a
 * list of values comes last. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/restarts.h"

struct numbers {
  double *values;
  size_t count;
};

static void print(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    printf("%s%.17g", i > 0 ? " " : "", values[i]);
}

static struct numbers rest(const struct numbers *in, size_t from) {
  return (struct numbers){in->values + from, in->count - from};
}

static void quantile(const struct numbers *in) { /* p, values */
  struct numbers v = rest(in, 1);
  stats_sort(v.values, v.count);
  print(&(double){stats_quantile(v.values, v.count, in->values[0])}, 1);
}

static void student(const struct numbers *in) { /* level, df */
  print(&(double){stats_student(in->values[0], in->values[1])}, 1);
}

static void student_tail(const struct numbers *in) { /* t, df */
  print(&(double){stats_student_tail(in->values[0], in->values[1])}, 1);
}

static void binomial(const struct numbers *in) { /* k, n, p */
  print(&(double){stats_binomial(in->values[0], in->values[1], in->values[2])}, 1);
}

static void quantile_interval(const struct numbers *in) { /* p, worth, values */
  struct numbers v = rest(in, 2);
  stats_sort(v.values, v.count);
  struct interval ci = stats_quantile_interval(v.values, v.count, in->values[0], in->values[1]);
  print((const double[]){ci.lo, ci.hi}, 2);
}

static void inflation(const struct numbers *in) { /* values */
  print(&(double){stats_inflation(in->values, in->count)}, 1);
}

static void centre(const struct numbers *in) { /* values */
  struct centre c = stats_centre(in->values, in->count);
  print((const double[]){c.value, c.error, c.df}, 3);
}

static void slope(const struct numbers *in) { /* xs, ys */
  size_t count = in->count / 2;
  struct trend_point *points = calloc(count + 1, sizeof *points);
  for (size_t i = 0; i < count; i++)
    points[i] = (struct trend_point){.x = in->values[i], .y = in->values[count + i]};
  print(&(double){stats_slope(points, count)}, 1);
  free(points);
}

static void holm(const struct numbers *in) { /* input: alpha, p-values; prints 0 or 1 for each p-value */
  struct numbers p = rest(in, 1);
  bool *reject = calloc(p.count + 1, sizeof *reject);
  stats_holm(p.values, p.count, in->values[0], reject);
  for (size_t i = 0; i < p.count; i++)
    printf("%s%d", i > 0 ? " " : "", reject[i]);
  free(reject);
}

/* Makes slots of `each` values, one per round. The caller frees them. */
static struct slot *slots_of(const struct numbers *values, size_t each, size_t *count) {
  *count = values->count / each;
  struct slot *slots = calloc(*count + 1, sizeof *slots);
  for (size_t i = 0; i < *count; i++)
    slots[i] = (struct slot){.round = (uint32_t)i, .count = (uint32_t)each, .ns = values->values + i * each};
  return slots;
}

static void summary(const struct numbers *in) { /* tick, samples in a slot, samples */
  struct numbers v = rest(in, 2);
  size_t count;
  struct slot *slots = slots_of(&v, (size_t)in->values[1], &count);
  struct distribution s;
  stats_summary(slots, count, in->values[0], 1, &s);
  print((const double[]){s.mean, s.stddev, s.cv, s.skew, s.mad, s.p05, s.p25, s.median, s.p75, s.p95, s.p99, s.p999,
                         (double)s.outliers, (double)s.outliers_far, s.drift, s.n_eff},
        16);
  free(slots);
}

static void ratio(const struct numbers *in) { /* input: samples per slot, baseline's samples, as many of the other */
  struct numbers v = rest(in, 1), a = {v.values, v.count / 2}, b = {v.values + v.count / 2, v.count / 2};
  size_t count;
  struct slot *base = slots_of(&a, (size_t)in->values[0], &count), *other = slots_of(&b, (size_t)in->values[0], &count);
  struct ratio r;
  stats_ratio(base, count, other, count, 0, 1, &r);
  print((const double[]){r.speedup, r.lo95, r.hi95, r.lo99, r.hi99, stats_ratio_p(&r, 0), stats_ratio_p(&r, 0.002)}, 7);
  free(base);
  free(other);
}

static struct restart_side side_of(const struct numbers *logs) {
  double mean = 0, squares = 0, n = (double)logs->count;
  for (size_t i = 0; i < logs->count; i++)
    mean += logs->values[i] / n;
  for (size_t i = 0; i < logs->count; i++)
    squares += (logs->values[i] - mean) * (logs->values[i] - mean);
  return (struct restart_side){
      .restarts = logs->count, .log_ns = mean, .sd = logs->count > 1 ? sqrt(squares / (n - 1)) : NAN};
}

static void across(const struct numbers *in) { /* input: number of the baseline's log times, these, the other's */
  struct numbers v = rest(in, 1), a = {v.values, (size_t)in->values[0]}, b = rest(&v, a.count);
  struct restart_side base = side_of(&a), other = side_of(&b);
  struct ratio r;
  stats_across(&base, &other, &r);
  print((const double[]){r.theta, r.error, r.df, log(r.lo95), log(r.hi95), stats_ratio_p(&r, 0)}, 6);
}

static const struct {
  const char *name;
  size_t least; /* how many numbers the function needs at least */
  void (*function)(const struct numbers *in);
} functions[] = {{"quantile", 2, quantile},
                 {"student", 2, student},
                 {"student_tail", 2, student_tail},
                 {"binomial", 3, binomial},
                 {"quantile_interval", 3, quantile_interval},
                 {"inflation", 3, inflation},
                 {"centre", 3, centre},
                 {"slope", 2, slope},
                 {"holm", 2, holm},
                 {"summary", 3, summary},
                 {"ratio", 3, ratio},
                 {"across", 3, across}};

static int answer(char *line) {
  char *save, *name = strtok_r(line, " \n", &save), *word;
  struct numbers in = {calloc(strlen(line) + strlen(save) + 1, sizeof(double)), 0};
  while ((word = strtok_r(NULL, " \n", &save)) != NULL)
    in.values[in.count++] = strtod(word, NULL);
  int known = 0;
  for (size_t i = 0; name != NULL && i < sizeof functions / sizeof functions[0]; i++)
    if (strcmp(functions[i].name, name) == 0 && in.count >= functions[i].least) {
      functions[i].function(&in);
      known = 1;
    }
  printf("\n");
  free(in.values);
  return known ? 0 : 1;
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  int unknown = 0;
  while (getline(&line, &size, stdin) > 0)
    unknown += answer(line);
  free(line);
  return unknown > 0;
}
