/* What the files of this plugin share: the host's services, the module `gpubench`, and exceptions as messages. */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#include <gpubench/ext/script.h>
#include <gpubench/sugar.h>

#include "api.h"

extern gb_sdk python_gb;
extern const gb_script_ext *python_script;
extern PyObject *python_module; /* gpubench.py */
extern PyObject *python_none;

/* The pending exception as a sentence, and what it makes a callback return. */
gb_status python_explain(char *to, size_t size);
/* The same as a message on the case (NULL: of `open`). */
gb_status python_failed(gb_case *c);

/* module.NAME(*args): takes the arguments, also where they are NULL and an exception is pending. */
PyObject *python_call(const char *name, PyObject *args);

/* Lists of (name, value) and of (name, role, dtype, address, shape, strides); NULL with an exception. */
PyObject *python_axes(gb_case *c);
PyObject *python_tensors(gb_case *c);

/* A text (NULL: None or no such thing) and a number that an object has; the text as long as the object. */
const char *python_text(PyObject *object, const char *name);
long python_number(PyObject *object, const char *name);

/* Fill a table in from an object of gpubench.py's; it stays alive. */
gb_status python_variant(PyObject *object, gb_variant *table);
gb_status python_bench(PyObject *object, const gb_variant *const *variants, gb_bench *table);

#endif
