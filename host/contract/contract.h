/* What an author must know to write a guest, that is a variant for another plugin's bench: the tensors that the bench's
 * `setup` declares for an example case, and those that it declares for other values of the case's text axes. A worker
 * process calls `setup`; nothing is allocated or measured. */
#pragma once

#include "options/options.h"
#include "options/selection.h"
#include "plan/lineup.h"
#include "worker/pool.h"

/* The tensors that `setup` declared for one case. */
struct declaration {
  struct tensor_desc tensors[TENSORS_MAX];
  uint32_t count;
  struct case_report report; /* holds the nominal work of the case */
};

/* The tensors of the example case with another choice of one axis. */
struct probe {
  uint32_t axis;
  struct axis_value value;
  bool known; /* true if the bench accepts the example with this choice */
  struct declaration declaration;
};

struct contract {
  const struct lineup *lineup;
  const char *backend;
  char key[KEY_SIZE]; /* key of the example case; "" if there is none */
  char why[MSG_SIZE]; /* why the tensors are not known; "" if they are known */
  struct point point;
  struct declaration example;
  struct probe *probes;
  size_t probe_count;
};

void contract_free(struct contract *contract);

/* ---- Properties of a contract; these functions do no I/O ---- */

/* Returns true if the choice of this axis decides the type of a tensor, or which tensors exist. */
bool contract_axis_types(const struct contract *contract, uint32_t axis);

/* Returns the storage type of a tensor for another choice of an axis; 0: it is not known, or there is no such
 * tensor. */
uint32_t contract_probed_dtype(const struct probe *probe, const char *tensor);

/* Returns true if the tensor is row-major without gaps. */
bool contract_is_dense(const struct tensor_desc *tensor);

/* Returns the precision in which variants compute the example if their math mode is "native". */
const char *contract_native(const struct declaration *declaration);

const char *contract_role(uint32_t role); /* returns the name of a tensor's role: "in", ... */
/* Writes how the bench fills a tensor: "normal, mean 104, std dev 4"; "" if the bench does not fill it. */
void contract_fill(const struct tensor_desc *tensor, char *to, size_t size);

/* Prints a plugin's message on stderr. */
void loaded_log(const struct log_message *message);

/* Describes the plugins that the options name or, without such options, all in the plugin directories
 * (plugin/loader.h). */
int loaded_describe(const struct options *options, struct catalog *catalog, struct err *err);

/* Returns true if `name` means the bench. With `whole` it must match the bench's contract or PLUGIN/BENCH; otherwise
 * the name of its plugin or its own name. `is` compares two names, for equality or as a glob. */
bool loaded_is_named(const struct catalog *catalog, const struct lineup *lineup, const char *name, bool whole,
                     bool (*is)(const char *name, const char *text));

/* Fills in `contract` for a bench by calling the bench's `setup`. Does so on the CPU, which every machine has, unless
 * the bench has no variant there or the options select another device. */
int loaded_learn(const struct options *options, const struct catalog *catalog, const struct lineup *lineup,
                 struct contract *contract, struct err *err);
