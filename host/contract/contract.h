/* A contract as the author of a guest needs it: what `setup` declares at an example case, and at the other choices of
 * its text axes. Learnt through a worker; nothing is allocated or measured. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "options/selection.h"
#include "plan/lineup.h"
#include "worker/pool.h"

/* What `setup` declared at one point. */
struct declaration {
  struct tensor_desc tensors[TENSORS_MAX];
  uint32_t count;
  struct case_report report; /* the nominal work */
};

/* The example with another choice of one axis. */
struct probe {
  uint32_t axis;
  struct axis_value value;
  bool known; /* the bench takes this point */
  struct declaration declaration;
};

struct contract {
  const struct lineup *lineup;
  const char *backend;
  char key[KEY_SIZE]; /* of the example; "" where there is none */
  char why[MSG_SIZE]; /* the tensors are not known, for this reason; "" where they are */
  struct point point;
  struct declaration example;
  struct probe *probes;
  size_t probe_count;
};

/* Chooses the example, the smallest of the default cases that the bench takes or the one of `selection`'s keys that
 * names this bench, and asks a worker of the pool. -1, exit 2: a key is no case of it. What keeps the worker from
 * answering is in `why`. */
int contract_learn(struct pool *pool, const struct lineup *lineup, const struct selection *selection,
                   const char *backend, struct contract *contract, struct err *err);
void contract_free(struct contract *contract);

/* ---- Pure ---- */

/* Does this axis choose the type of a tensor, or which tensors there are? */
bool contract_axis_types(const struct contract *contract, uint32_t axis);

/* The storage type of a tensor at another choice of an axis; 0: not known, or there is no such tensor. */
uint32_t contract_probed_dtype(const struct probe *probe, const char *tensor);

/* Row-major without gaps. */
bool contract_is_dense(const struct tensor_desc *tensor);

/* What variants of math "native" compute in at the example. */
const char *contract_native(const struct declaration *declaration);

const char *contract_role(uint32_t role); /* "in" */
/* "normal, mean 104, deviation 4". "" where it is not filled. */
void contract_fill(const struct tensor_desc *tensor, char *to, size_t size);

#endif
