/* Where returned outputs lie: read within the time, of objects whose types are known, by functions that no script can
 * replace. So a result that is made when somebody asks for it is made within the time, or is not what was read. */
#ifndef PYTHON_RETURNED_H
#define PYTHON_RETURNED_H

#include "python.h"

struct returned;

/* `state` is gpubench.py's, whose `arrays` are types whose values are as they are and whose `readers` are how the
 * address of the last of them is read. NULL with an exception, or where there is no memory. */
struct returned *returned_new(gb_case *c, PyObject *state);
void returned_free(struct returned *r);

/* Whether it is an object whose values need not be asked for. */
int returned_is_array(const struct returned *r, PyObject *result);

/* Finds out, `times` over, where an array among a call's arguments lies, as it is done for each output of a call.
 * False: there is none among them. */
int returned_rehearse(struct returned *r, PyObject *args, int times);

/* Tells the host where the outputs of this result lie; of what it cannot know it says nothing. The result is held until
 * the next one. */
gb_status returned_tell(struct returned *r, gb_case *c, PyObject *result);

#endif
