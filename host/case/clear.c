/* Frees all that a case holds. */
#include "case/clear.h"

#include <stdlib.h>

#include "case/calls.h"
#include "case/input_pool.h"
#include "case/memory.h"
#include "case/tensors.h"
#include "case/witness.h"

/* Removes the case's folder. If that fails, it is removed later with the folder of the process. */
static void clear_scratch(struct gb_case *c) {
  struct err err = {0};
  if (c->scratch_path == NULL) return;
  if (scratch_remove_case(c->scratch, c->scratch_path, &err) != 0 && case_warn != NULL) case_warn(err.text);
  free(c->scratch_path);
}

void case_clear(struct gb_case *c) {
  tensors_forget(c);
  witness_close(c);
  input_pool_close(c);
  case_free_all(c);
  free(c->graph);
  strings_free(&c->nodes_left_out);
  strings_free(&c->metrics_left_out);
  free(c->notes);
  free(c->metrics);
  clear_scratch(c);
  *c = (struct gb_case){0};
}
