/* Declarations that the files of this plugin share: the functions that gpubench offers to plugins, the Python module
 * `gpubench`, and the conversion of Python exceptions to messages. */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#include <gpubench/ext/script.h>
#include <gpubench/sugar.h>

#include "api.h"

extern gb_sdk python_gb;
extern const gb_script_ext *python_script;
extern PyObject *python_module; /* the module gpubench.py */
extern PyObject *python_none;

/* Writes the pending exception as a message, and returns the status for the callback. */
gb_status python_explain(char *to, size_t size);
/* Passes the pending exception to gpubench as a message, and returns the status for the callback. `c` is the case that
 * failed, or NULL if `open` failed. */
gb_status python_failed(gb_case *c);

/* Calls the function `name` of gpubench.py with the tuple `args`, and releases `args`. If `args` is NULL, which means
 * that an exception is pending, returns NULL. */
PyObject *python_call(const char *name, PyObject *args);

/* Releases a reference, if there is one, and sets it to NULL. */
void python_drop(PyObject **object);
/* Appends the item and releases it. Returns -1 with an exception if that fails, or if the item is NULL. */
int python_append(PyObject *list, PyObject *item);

/* python_axes() returns a list of (name, value), python_tensors() a list of (name, role, dtype, address, shape,
 * strides). Both return NULL with an exception on failure. */
PyObject *python_axes(gb_case *c);
PyObject *python_tensors(gb_case *c);

/* Read an attribute of an object. The text is NULL for None or a missing attribute; it lives as long as the object. */
const char *python_text(PyObject *object, const char *name);
long python_number(PyObject *object, const char *name);

/* Fill the struct that gpubench reads from an object of gpubench.py. The object is kept alive, because the struct
 * points into it. */
gb_status python_variant(PyObject *object, gb_variant *table);
gb_status python_bench(PyObject *object, const gb_variant *const *variants, gb_bench *table);

#endif
