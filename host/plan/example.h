/* Cases to look at a bench by: the smallest of its default ones, or one that is named. Pure. */
#ifndef PLAN_EXAMPLE_H
#define PLAN_EXAMPLE_H

#include "options/selection.h"
#include "plan/lineup.h"

enum { EXAMPLES_MAX = 8 }; /* for a bench may refuse some */

/* The smallest first, by the product of their whole numbers. */
struct examples {
  struct {
    struct point point;
    char key[KEY_SIZE];
    double size;
  } items[EXAMPLES_MAX];
  size_t count;
};

/* A guess at how much memory a point takes, to tell small ones from large ones. */
double example_size(const struct point *point);

/* Where keys of the selection name this bench: those. Exit 2: such a key is no case of it. */
int examples_find(const struct lineup *lineup, const struct selection *selection, const char *backend,
                  struct examples *examples, struct err *err);

#endif
