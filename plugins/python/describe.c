/* Converts axes and tensors of a case to Python objects. */
#include <stdio.h>

#include "python.h"

#define gb python_gb

void python_drop(PyObject **object) {
  if (*object != NULL) py.Py_DecRef(*object);
  *object = NULL;
}

int python_append(PyObject *list, PyObject *item) {
  const int rc = item != NULL ? py.PyList_Append(list, item) : -1;
  python_drop(&item);
  return rc;
}

static PyObject *axis_object(gb_case *c, const char *name, uint32_t type) {
  if (type == GB_I64) return py.PyLong_FromLongLong(gb.point->i64(c, name));
  if (type == GB_F64) return py.PyFloat_FromDouble(gb.point->f64(c, name));
  return py.PyUnicode_FromString(gb.point->str(c, name));
}

PyObject *python_axes(gb_case *c) {
  PyObject *list = py.PyList_New(0);
  uint32_t type = 0;
  const char *name;
  for (uint32_t i = 0; list != NULL && (name = python_script->axis(c, i, &type)) != NULL; i++)
    if (python_append(list, py.Py_BuildValue("(sN)", name, axis_object(c, name, type))) != 0) python_drop(&list);
  return list;
}

static PyObject *extents_tuple(gb_case *c, const char *name, uint32_t rank,
                               int64_t (*extent)(gb_case *c, const char *name, uint32_t axis)) {
  PyObject *tuple = py.PyTuple_New(rank);
  for (uint32_t i = 0; tuple != NULL && i < rank; i++)
    py.PyTuple_SetItem(tuple, i, py.PyLong_FromLongLong(extent(c, name, i)));
  return tuple;
}

PyObject *python_tensors(gb_case *c) {
  const gb_tensor_ext *t = gb.tensor;
  PyObject *list = py.PyList_New(0);
  for (uint32_t i = 0; list != NULL && i < t->count(c); i++) {
    const char *name = t->name(c, i);
    const uint32_t rank = t->rank(c, name);
    PyObject *item = py.Py_BuildValue("(sIINNN)", name, (unsigned)t->role(c, name), (unsigned)t->dtype(c, name),
                                      py.PyLong_FromVoidPtr(t->data(c, name)), extents_tuple(c, name, rank, t->dim),
                                      extents_tuple(c, name, rank, t->stride));
    if (python_append(list, item) != 0) python_drop(&list);
  }
  return list;
}
