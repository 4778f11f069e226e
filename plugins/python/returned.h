/* Finds the addresses of the outputs that a script's function returns. The addresses are read within the measured time,
 * from objects of known types, by functions that no script can replace. A library may return a lazy result, which it
 * computes only when it is read. Reading its address computes it within the measured time; otherwise the data at the
 * address is not yet the result, and verification fails. */
#ifndef PYTHON_RETURNED_H
#define PYTHON_RETURNED_H

#include "python.h"

struct returned;

/* Makes the reader for the outputs of `c`. `state` is an object of gpubench.py: its `arrays` are the types that are
 * never lazy, its `readers` the types and functions with which addresses are read. Returns NULL if an exception is
 * pending, or if there is no memory. */
struct returned *returned_new(gb_case *c, PyObject *state);
void returned_free(struct returned *r);

/* Returns true if the result is an array of a type that is never lazy. */
int returned_is_array(const struct returned *r, PyObject *result);

/* Reads the address of an array `times` times, in the way in which the address of a returned output is read, so that
 * the caller can measure how long this takes. The array is the first one among `args`. Returns false if there is
 * none. */
int returned_rehearse(struct returned *r, PyObject *args, int times);

/* Tells gpubench the addresses of the outputs in `result`. An output whose address cannot be determined is left out.
 * The result's buffers are held until the next call. */
gb_status returned_tell(struct returned *r, gb_case *c, PyObject *result);

#endif
