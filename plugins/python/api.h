/* The C API of CPython, in whose process this plugin runs. It is looked up at run time, so that one build serves all
 * versions of Python from 3.9 on, and no Python is needed to build it. Only functions are used; no struct of Python is
 * accessed. */
#ifndef PYTHON_API_H
#define PYTHON_API_H

#include <stddef.h>

typedef struct _object PyObject;

#define PYTHON_FUNCTIONS(X)                                                                   \
  X(int, PyGILState_Check, (void))                                                            \
  X(PyObject *, PyImport_ImportModule, (const char *name))                                    \
  X(PyObject *, PyObject_GetAttrString, (PyObject * of, const char *name))                    \
  X(PyObject *, PyObject_Call, (PyObject * what, PyObject * args, PyObject * named))          \
  X(PyObject *, PyObject_Type, (PyObject * of))                                               \
  X(PyObject *, PyObject_CallFunctionObjArgs, (PyObject * what, ...))                         \
  X(int, PyObject_IsTrue, (PyObject * what))                                                  \
  X(int, PyObject_GetBuffer, (PyObject * of, void *view, int flags))                          \
  X(void, PyBuffer_Release, (void *view))                                                     \
  X(void *, PyCapsule_GetPointer, (PyObject * capsule, const char *name))                     \
  X(PyObject *, Py_BuildValue, (const char *format, ...))                                     \
  X(PyObject *, PyUnicode_FromString, (const char *text))                                     \
  X(const char *, PyUnicode_AsUTF8AndSize, (PyObject * text, ptrdiff_t * size))               \
  X(PyObject *, PyBytes_FromStringAndSize, (const char *bytes, ptrdiff_t size))               \
  X(char *, PyBytes_AsString, (PyObject * bytes))                                             \
  X(PyObject *, PyLong_FromVoidPtr, (void *address))                                          \
  X(PyObject *, PyLong_FromLongLong, (long long value))                                       \
  X(PyObject *, PyFloat_FromDouble, (double value))                                           \
  X(double, PyFloat_AsDouble, (PyObject * value))                                             \
  X(long long, PyLong_AsLongLong, (PyObject * value))                                         \
  X(long, PyLong_AsLong, (PyObject * value))                                                  \
  X(PyObject *, PyTuple_New, (ptrdiff_t size))                                                \
  X(int, PyTuple_SetItem, (PyObject * tuple, ptrdiff_t place, PyObject * item))               \
  X(PyObject *, PyTuple_GetItem, (PyObject * tuple, ptrdiff_t place))                         \
  X(ptrdiff_t, PyTuple_Size, (PyObject * tuple))                                              \
  X(PyObject *, PyList_New, (ptrdiff_t size))                                                 \
  X(int, PyList_Append, (PyObject * list, PyObject * item))                                   \
  X(PyObject *, PyList_GetItem, (PyObject * list, ptrdiff_t place))                           \
  X(ptrdiff_t, PyList_Size, (PyObject * list))                                                \
  X(void, Py_IncRef, (PyObject * object))                                                     \
  X(void, Py_DecRef, (PyObject * object))                                                     \
  X(void, PyErr_Clear, (void))                                                                \
  X(void, PyErr_Fetch, (PyObject * *type, PyObject * *value, PyObject * *trace))              \
  X(void, PyErr_NormalizeException, (PyObject * *type, PyObject * *value, PyObject * *trace)) \
  X(int, PyException_SetTraceback, (PyObject * value, PyObject * trace))

struct python_api {
#define MEMBER(type, name, arguments) type(*name) arguments;
  PYTHON_FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct python_api py;

/* Looks up all functions. Returns NULL, or the name of a missing one. */
const char *python_api_open(void);

#endif
