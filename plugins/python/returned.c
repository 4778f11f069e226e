#include "returned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define gb python_gb

enum { OUTPUTS_MOST = 16, CONTIGUOUS = 0x38 /* PyBUF_C_CONTIGUOUS */ };

/* The first members of Py_buffer, as they are since Python 3.3; the other members are private to Python. */
struct view {
  void *memory;
  PyObject *of;
  ptrdiff_t bytes;
  unsigned char rest[104];
};

/* The first members of DLPack's DLManagedTensor. */
struct managed {
  void *data;
  int32_t device_type, device, dimensions;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
};

struct returned {
  PyObject *arrays, *ndarray, *tensor, *list, *tuple;
  PyObject *address, *is_dense;          /* methods of torch.Tensor's base class, written in C++ */
  uint32_t count, outputs[OUTPUTS_MOST]; /* outputs: the index of each output among the case's tensors */
  uint64_t bytes[OUTPUTS_MOST];
  struct view views[OUTPUTS_MOST];
};

static PyObject *attribute_of(PyObject *readers, const char *name) {
  return py.PyObject_GetAttrString(readers, name);
}

static uint64_t output_bytes(gb_case *c, const char *name) {
  static const uint64_t sizes[] = {0, 8, 4, 2, 2, 4, 1, 1};
  const uint32_t dtype = gb.tensor->dtype(c, name);
  uint64_t bytes = dtype < sizeof sizes / sizeof sizes[0] ? sizes[dtype] : 0;
  for (uint32_t axis = 0; axis < gb.tensor->rank(c, name); axis++)
    bytes *= (uint64_t)gb.tensor->dim(c, name, axis);
  return bytes;
}

static void find_outputs(struct returned *r, gb_case *c) {
  for (uint32_t i = 0; i < gb.tensor->count(c) && r->count < OUTPUTS_MOST; i++) {
    const char *name = gb.tensor->name(c, i);
    const uint32_t role = gb.tensor->role(c, name);
    if (role != GB_OUT && role != GB_INOUT) continue;
    r->bytes[r->count] = output_bytes(c, name);
    r->outputs[r->count++] = i;
  }
}

struct returned *returned_new(gb_case *c, PyObject *state) {
  struct returned *r = calloc(1, sizeof *r);
  PyObject *readers = r != NULL ? attribute_of(state, "readers") : NULL;
  if (readers == NULL) return free(r), NULL;
  r->arrays = attribute_of(state, "arrays");
  r->ndarray = attribute_of(readers, "ndarray");
  r->tensor = attribute_of(readers, "tensor");
  r->address = attribute_of(readers, "address");
  r->is_dense = attribute_of(readers, "is_dense");
  r->list = attribute_of(readers, "list");
  r->tuple = attribute_of(readers, "tuple");
  py.Py_DecRef(readers);
  if (r->arrays == NULL || r->ndarray == NULL || r->tensor == NULL || r->address == NULL || r->is_dense == NULL ||
      r->list == NULL || r->tuple == NULL)
    return returned_free(r), NULL;
  find_outputs(r, c);
  return r;
}

static void let_go(struct returned *r) {
  for (uint32_t i = 0; i < r->count; i++)
    if (r->views[i].of != NULL) {
      py.PyBuffer_Release(&r->views[i]);
      r->views[i].of = NULL;
    }
}

void returned_free(struct returned *r) {
  if (r == NULL) return;
  let_go(r);
  PyObject *const held[] = {r->arrays, r->ndarray, r->tensor, r->address, r->is_dense, r->list, r->tuple};
  for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
    if (held[i] != NULL) py.Py_DecRef(held[i]);
  free(r);
}

/* Returns the type of an object as a borrowed reference, which stays valid because the object keeps its type alive. */
static PyObject *python_type_of(PyObject *object) {
  PyObject *type = py.PyObject_Type(object);
  py.Py_DecRef(type);
  return type;
}

int returned_is_array(const struct returned *r, PyObject *result) {
  PyObject *type = python_type_of(result);
  for (ptrdiff_t i = 0; i < py.PyTuple_Size(r->arrays); i++)
    if (py.PyTuple_GetItem(r->arrays, i) == type) return 1;
  return 0;
}

/* Returns the address of an array's data through the buffer protocol. The view is kept, because numpy does not replace
 * the memory of an array that has one. */
static const void *address_of_array(struct returned *r, uint32_t i, PyObject *value) {
  struct view *view = &r->views[i];
  if (py.PyObject_GetBuffer(value, view, CONTIGUOUS) == 0)
    return (uint64_t)view->bytes == r->bytes[i] ? view->memory : NULL;
  py.PyErr_Clear();
  view->of = NULL;
  return NULL;
}

static const void *address_of_tensor(const struct returned *r, PyObject *value) {
  PyObject *dense = py.PyObject_CallFunctionObjArgs(r->is_dense, value, NULL);
  const int is_dense = dense != NULL && py.PyObject_IsTrue(dense) == 1;
  if (dense != NULL) py.Py_DecRef(dense);
  PyObject *number = is_dense ? py.PyObject_CallFunctionObjArgs(r->address, value, NULL) : NULL;
  const long long address = number != NULL ? py.PyLong_AsLongLong(number) : 0;
  if (number != NULL) py.Py_DecRef(number);
  py.PyErr_Clear();
  return address > 0 ? (const void *)(uintptr_t)address : NULL;
}

/* Returns the address of a result that was exported as a DLPack capsule. Nothing changes the address in the capsule
 * after the export. */
static const void *address_of_export(PyObject *value) {
  PyObject *capsule = py.PyObject_GetAttrString(value, "capsule");
  const struct managed *m = capsule != NULL ? py.PyCapsule_GetPointer(capsule, "dltensor") : NULL;
  const char *address = m != NULL && m->strides == NULL ? (const char *)m->data + m->offset : NULL;
  if (capsule != NULL) py.Py_DecRef(capsule);
  py.PyErr_Clear();
  return address;
}

static const void *address_of(struct returned *r, uint32_t i, PyObject *value) {
  PyObject *type = python_type_of(value);
  if (type == r->ndarray) return address_of_array(r, i, value);
  if (type == r->tensor) return address_of_tensor(r, value);
  return address_of_export(value);
}

int returned_rehearse(struct returned *r, PyObject *args, int times) {
  for (ptrdiff_t i = 0; i < py.PyTuple_Size(args); i++) {
    PyObject *value = py.PyTuple_GetItem(args, i);
    if (r->count == 0 || !returned_is_array(r, value)) continue;
    for (int turn = 0; turn < times; turn++) {
      (void)address_of(r, 0, value);
      let_go(r);
    }
    return 1;
  }
  return 0;
}

static gb_status tell_address(struct returned *r, gb_case *c, uint32_t i, PyObject *value) {
  const void *address = i < r->count ? address_of(r, i, value) : NULL;
  return address != NULL ? gb.tensor->lies_at(c, r->outputs[i], address) : GB_OK;
}

gb_status returned_tell(struct returned *r, gb_case *c, PyObject *result) {
  gb_status status = GB_OK;
  PyObject *type = python_type_of(result);
  let_go(r);
  if (type != r->tuple && type != r->list) return tell_address(r, c, 0, result);
  const ptrdiff_t count = type == r->tuple ? py.PyTuple_Size(result) : py.PyList_Size(result);
  for (ptrdiff_t i = 0; i < count && status == GB_OK; i++)
    status = tell_address(r, c, (uint32_t)i,
                          type == r->tuple ? py.PyTuple_GetItem(result, i) : py.PyList_GetItem(result, i));
  return status;
}
