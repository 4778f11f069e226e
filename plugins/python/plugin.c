/* Runs plugins that are written in Python. gpubench loads a copy of this plugin for each script, in a process that is a
 * Python interpreter. Everything that can be done in Python is in sdk/python/gpubench.py instead of here. See
 * README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Open ------------------------------------------------------------------------------------------------------- */

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

/* The variants and benches of a script, converted to the tables that gpubench reads. The tables, and the Python objects
 * from which they are made, live until the process ends. */
struct offered {
  PyObject *variants, *benches;
  size_t variant_count, bench_count;
  gb_variant *variant_tables;
  gb_bench *bench_tables;
  const gb_variant **lists; /* the lists of all benches, one after the other; each ends with NULL */
};

static gb_status take_loaded(struct offered *o, PyObject *loaded) {
  o->variants = py.PyTuple_GetItem(loaded, 0), o->benches = py.PyTuple_GetItem(loaded, 1);
  o->variant_count = (size_t)py.PyTuple_Size(o->variants), o->bench_count = (size_t)py.PyTuple_Size(o->benches);
  o->variant_tables = calloc(o->variant_count + 1, sizeof *o->variant_tables);
  o->bench_tables = calloc(o->bench_count + 1, sizeof *o->bench_tables);
  o->lists = calloc(o->variant_count + o->bench_count + 1, sizeof *o->lists);
  if (o->variant_tables == NULL || o->bench_tables == NULL || o->lists == NULL)
    return gb_failf(&gb, NULL, GB_ENOMEM, "no memory for %zu variants", o->variant_count);
  return GB_OK;
}

static const char *contract_of(PyObject *offers, size_t i) {
  return python_text(py.PyTuple_GetItem(offers, (ptrdiff_t)i), "contract");
}

/* Adds a bench (benchmark) of the script, with those of the script's variants (implementations) that name the bench's
 * contract, which is its versioned id. Sets `own` for these variants. A variant for which no bench of the script sets
 * `own` belongs to a bench of another plugin. */
static gb_status add_bench(struct offered *o, gb_registry *registry, size_t i, char *own, const gb_variant ***list) {
  const char *contract = contract_of(o->benches, i);
  const gb_variant **first = *list;
  if (contract == NULL) return python_failed(NULL);
  for (size_t v = 0; v < o->variant_count; v++) {
    const char *wanted = contract_of(o->variants, v);
    if (own[v] || wanted == NULL || strcmp(wanted, contract) != 0) continue;
    own[v] = 1, *(*list)++ = &o->variant_tables[v];
  }
  (*list)++;
  const gb_status status = python_bench(py.PyTuple_GetItem(o->benches, (ptrdiff_t)i), first, &o->bench_tables[i]);
  return status == GB_OK ? gb.host->add(gb.host, registry, &o->bench_tables[i]) : status;
}

static gb_status offer_loaded(struct offered *o, gb_registry *registry) {
  char *own = calloc(o->variant_count + 1, 1);
  const gb_variant **list = o->lists;
  gb_status status = own != NULL ? GB_OK : gb_failf(&gb, NULL, GB_ENOMEM, "no memory for a script");
  for (size_t v = 0; v < o->variant_count && status == GB_OK; v++)
    status = python_variant(py.PyTuple_GetItem(o->variants, (ptrdiff_t)v), &o->variant_tables[v]);
  for (size_t i = 0; i < o->bench_count && status == GB_OK; i++)
    status = add_bench(o, registry, i, own, &list);
  for (size_t v = 0; v < o->variant_count && status == GB_OK; v++)
    if (!own[v]) status = gb.host->attach(gb.host, registry, contract_of(o->variants, v), &o->variant_tables[v]);
  free(own);
  return status;
}

static gb_status run_script(gb_registry *registry, void **self) {
  uint64_t bytes = 0;
  const char *path = python_script->path(gb.host), *text = python_script->text(gb.host, &bytes);
  if (path == NULL || text == NULL) return gb_failf(&gb, NULL, GB_EINVAL, "there is no script to run");
  PyObject *args = py.PyTuple_New(2);
  py.PyTuple_SetItem(args, 0, py.PyUnicode_FromString(path));
  py.PyTuple_SetItem(args, 1, py.PyBytes_FromStringAndSize(text, (ptrdiff_t)bytes));
  PyObject *loaded = python_call("_load", args);
  if (loaded == NULL) return python_failed(NULL);
  struct offered *offered = calloc(1, sizeof *offered);
  if (offered == NULL) return gb_failf(&gb, NULL, GB_ENOMEM, "no memory for a script");
  *self = offered;
  const gb_status status = take_loaded(offered, loaded);
  return status == GB_OK ? offer_loaded(offered, registry) : status;
}

static gb_status python_open(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  python_script = gb_need(&gb, GB_EXT_SCRIPT, &status);
  if (status == GB_OK) status = open_module();
  return status == GB_OK ? run_script(registry, self) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "python", .version = "0.1.0", .open = python_open};
