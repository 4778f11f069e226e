/* Runs plugins that are written in Python: the host loads a copy of this one for each script, in a process that is a
 * Python. What can be done in Python is done there, by sdk/python/gpubench.py. README.md */
#include <stdio.h>
#include <stdlib.h>

#include "python.h"

gb_sdk python_gb;
const gb_script_ext *python_script;
PyObject *python_module, *python_none;

#define gb python_gb

/* ---- Exceptions ---- */

gb_status python_explain(char *to, size_t size) {
  PyObject *type = NULL, *value = NULL, *trace = NULL;
  py.PyErr_Fetch(&type, &value, &trace);
  if (type == NULL) return snprintf(to, size, "Python failed without an exception"), GB_EFAIL;
  py.PyErr_NormalizeException(&type, &value, &trace);
  if (trace != NULL) py.PyException_SetTraceback(value, trace);
  PyObject *said = value != NULL ? python_call("_explain", py.Py_BuildValue("(O)", value)) : NULL;
  const char *text = said != NULL ? py.PyUnicode_AsUTF8AndSize(py.PyTuple_GetItem(said, 1), NULL) : NULL;
  const gb_status status = text != NULL ? (gb_status)py.PyLong_AsLong(py.PyTuple_GetItem(said, 0)) : GB_EFAIL;
  snprintf(to, size, "%s", text != NULL ? text : "an exception that cannot be told");
  py.PyErr_Clear();
  PyObject *const all[] = {type, value, trace, said};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] != NULL) py.Py_DecRef(all[i]);
  return status;
}

gb_status python_failed(gb_case *c) {
  char text[1000];
  const gb_status status = python_explain(text, sizeof text);
  return gb.host->fail(gb.host, c, status, text);
}

PyObject *python_call(const char *name, PyObject *args) {
  PyObject *function = args != NULL ? py.PyObject_GetAttrString(python_module, name) : NULL;
  PyObject *result = function != NULL ? py.PyObject_Call(function, args, NULL) : NULL;
  if (function != NULL) py.Py_DecRef(function);
  if (args != NULL) py.Py_DecRef(args);
  return result;
}

/* ---- From open to close ---- */

static gb_status open_module(void) {
  const char *missing = python_api_open();
  if (missing != NULL)
    return gb_failf(&gb, NULL, GB_ENOTSUP, "runs scripts in a process that is a Python; this one has no %s", missing);
  if (!py.PyGILState_Check()) return gb_failf(&gb, NULL, GB_EFAIL, "the host's thread does not hold Python's lock");
  python_module = py.PyImport_ImportModule("gpubench");
  if (python_module == NULL) return python_failed(NULL);
  python_none = py.PyObject_GetAttrString(python_module, "_none");
  return python_none != NULL ? GB_OK : python_failed(NULL);
}

static gb_status attach(gb_registry *registry, PyObject *variant, gb_variant *table) {
  PyObject *contract = py.PyObject_GetAttrString(variant, "contract");
  const char *text = contract != NULL ? py.PyUnicode_AsUTF8AndSize(contract, NULL) : NULL;
  if (text == NULL) return python_failed(NULL);
  const gb_status status = python_variant(variant, table);
  return status == GB_OK ? gb.host->attach(gb.host, registry, text, table) : status;
}

static gb_status run_script(gb_registry *registry, void **self) {
  uint64_t bytes = 0;
  const char *path = python_script->path(gb.host), *text = python_script->text(gb.host, &bytes);
  if (path == NULL || text == NULL) return gb_failf(&gb, NULL, GB_EINVAL, "there is no script to run");
  PyObject *args = py.PyTuple_New(2);
  py.PyTuple_SetItem(args, 0, py.PyUnicode_FromString(path));
  py.PyTuple_SetItem(args, 1, py.PyBytes_FromStringAndSize(text, (ptrdiff_t)bytes));
  PyObject *variants = python_call("_load", args);
  if (variants == NULL) return python_failed(NULL);
  const ptrdiff_t count = py.PyTuple_Size(variants);
  gb_variant *tables = calloc((size_t)count, sizeof *tables);
  if (tables == NULL) return gb_failf(&gb, NULL, GB_ENOMEM, "no memory for %td variants", count);
  gb_status status = GB_OK;
  for (ptrdiff_t i = 0; i < count && status == GB_OK; i++)
    status = attach(registry, py.PyTuple_GetItem(variants, i), &tables[i]);
  *self = tables; /* until the process ends, as what they are made of */
  return status;
}

static gb_status python_open(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  python_script = gb_need(&gb, GB_EXT_SCRIPT, &status);
  if (status == GB_OK) status = open_module();
  return status == GB_OK ? run_script(registry, self) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "python", .version = "0.1.0", .open = python_open};
