/* The callbacks of a bench that a script defines: they pass the tensors and references (the expected outputs) from
 * Python to gpubench. */
#include <stdint.h>
#include <stdlib.h>

#include "python.h"

#define gb python_gb

enum { RANK_MOST = 8 };

static gb_status bench_ended(gb_case *c, PyObject *result) {
  if (result == NULL) return python_failed(c);
  py.Py_DecRef(result);
  return GB_OK;
}

static const char *tuple_text_at(PyObject *tuple, ptrdiff_t place) {
  PyObject *item = py.PyTuple_GetItem(tuple, place);
  return item == NULL || item == python_none ? NULL : py.PyUnicode_AsUTF8AndSize(item, NULL);
}

static long long tuple_number_at(PyObject *tuple, ptrdiff_t place) {
  return py.PyLong_AsLongLong(py.PyTuple_GetItem(tuple, place));
}

static double tuple_real_at(PyObject *tuple, ptrdiff_t place) {
  return py.PyFloat_AsDouble(py.PyTuple_GetItem(tuple, place));
}

static gb_status bench_supports(const gb_bench *self, gb_case *c) {
  PyObject *axes = python_axes(c);
  if (axes == NULL) return python_failed(c);
  return bench_ended(c, python_call("_bench_supports", py.Py_BuildValue("(ONs)", self->user, axes, gb.point->key(c))));
}

static uint32_t bench_minor_of(const gb_bench *self, gb_case *c) {
  PyObject *axes = python_axes(c);
  PyObject *minor = axes != NULL
                        ? python_call("_bench_minor_of", py.Py_BuildValue("(ONs)", self->user, axes, gb.point->key(c)))
                        : NULL;
  if (minor == NULL) return python_failed(c), UINT32_MAX;
  const long number = py.PyLong_AsLong(minor);
  py.Py_DecRef(minor);
  return (uint32_t)number;
}

/* ---- setup ---- */

static gb_status declare_tensor(gb_case *c, PyObject *said) {
  int64_t shape[RANK_MOST];
  PyObject *extents = py.PyTuple_GetItem(said, 9);
  const ptrdiff_t rank = py.PyTuple_Size(extents);
  if (rank < 1 || rank > RANK_MOST)
    return gb_failf(&gb, c, GB_EINVAL, "tensor '%s' has rank %td: 1 to %d", tuple_text_at(said, 0), rank, RANK_MOST);
  for (ptrdiff_t i = 0; i < rank; i++)
    shape[i] = tuple_number_at(extents, i);
  gb_tensor t;
  GB_CLEAR(t);
  t.name = tuple_text_at(said, 0), t.shape = shape, t.rank = (uint32_t)rank;
  t.role = (uint32_t)tuple_number_at(said, 1), t.dtype = (uint32_t)tuple_number_at(said, 2);
  t.fill = (uint32_t)tuple_number_at(said, 3), t.flags = (uint32_t)tuple_number_at(said, 4);
  t.fill_a = tuple_real_at(said, 5), t.fill_b = tuple_real_at(said, 6);
  t.reduction = (uint64_t)tuple_number_at(said, 7), t.tolerance = tuple_real_at(said, 8);
  if (t.role == GB_OUT || t.role == GB_SCRATCH) t.fill = 0, t.fill_a = t.fill_b = 0;
  if (t.role == GB_IN || t.role == GB_SCRATCH) t.reduction = 0, t.tolerance = 0, t.flags = 0;
  return gb.tensor->declare(c, &t);
}

static gb_status state_bench_work(gb_case *c, PyObject *said) {
  gb_work work;
  GB_CLEAR(work);
  work.flops = (uint64_t)tuple_number_at(said, 0);
  work.bytes_read = (uint64_t)tuple_number_at(said, 1), work.bytes_written = (uint64_t)tuple_number_at(said, 2);
  work.items = (uint64_t)tuple_number_at(said, 3), work.item_unit = tuple_text_at(said, 4);
  return gb.point->work(c, &work);
}

static gb_status bench_setup(const gb_bench *self, gb_case *c, void **state) {
  PyObject *axes = python_axes(c);
  if (axes == NULL) return python_failed(c);
  PyObject *made = python_call("_bench_setup", py.Py_BuildValue("(ONs)", self->user, axes, gb.point->key(c)));
  if (made == NULL) return python_failed(c);
  PyObject *tensors = py.PyTuple_GetItem(made, 1);
  gb_status status = GB_OK;
  for (ptrdiff_t i = 0; i < py.PyTuple_Size(tensors) && status == GB_OK; i++)
    status = declare_tensor(c, py.PyTuple_GetItem(tensors, i));
  if (status == GB_OK) status = state_bench_work(c, py.PyTuple_GetItem(made, 2));
  *state = status == GB_OK ? made : NULL;
  if (status != GB_OK) py.Py_DecRef(made);
  return status;
}

static void teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c;
  if (state != NULL) py.Py_DecRef((PyObject *)state);
}

/* ---- reference ---- */

static uint64_t tensor_elements(gb_case *c, const char *name) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < gb.tensor->rank(c, name); i++)
    count *= (uint64_t)gb.tensor->dim(c, name, i);
  return count;
}

/* Fetches the values of the inputs into `values`, whose arrays the caller frees, and appends the names of the inputs
 * and the addresses of these arrays to `list`. */
static gb_status fetch_inputs(gb_case *c, double **values, PyObject *list) {
  for (uint32_t i = 0; i < gb.tensor->count(c); i++) {
    const char *name = gb.tensor->name(c, i);
    const uint32_t role = gb.tensor->role(c, name);
    if (role != GB_IN && role != GB_INOUT) continue;
    const uint64_t count = tensor_elements(c, name);
    values[i] = malloc(count * sizeof **values);
    if (values[i] == NULL) return gb_failf(&gb, c, GB_ENOMEM, "reference: no memory for '%s'", name);
    const gb_status status = gb.tensor->input(c, name, 0, count, values[i]);
    if (status != GB_OK) return status;
    if (python_append(list, py.Py_BuildValue("(sN)", name, py.PyLong_FromVoidPtr(values[i]))) != 0)
      return python_failed(c);
  }
  return GB_OK;
}

static gb_status expect_outputs(gb_case *c, PyObject *outputs) {
  if (outputs == NULL) return python_failed(c);
  gb_status status = GB_OK;
  for (ptrdiff_t i = 0; i < py.PyTuple_Size(outputs) && status == GB_OK; i++) {
    PyObject *output = py.PyTuple_GetItem(outputs, i);
    const char *name = tuple_text_at(output, 0);
    const void *values = py.PyBytes_AsString(py.PyTuple_GetItem(output, 1));
    status = name != NULL && values != NULL ? gb.tensor->expect(c, name, 0, tensor_elements(c, name), values)
                                            : python_failed(c);
  }
  py.Py_DecRef(outputs);
  return status;
}

static gb_status bench_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const uint32_t count = gb.tensor->count(c);
  double **values = calloc(count, sizeof *values);
  PyObject *list = py.PyList_New(0), *made = py.PyTuple_GetItem(state, 0);
  gb_status status = values != NULL && list != NULL && made != NULL ? fetch_inputs(c, values, list) : python_failed(c);
  if (status == GB_OK)
    status = expect_outputs(c, python_call("_bench_reference", py.Py_BuildValue("(OO)", made, list)));
  if (list != NULL) py.Py_DecRef(list);
  for (uint32_t i = 0; values != NULL && i < count; i++)
    free(values[i]);
  free(values);
  return status;
}

/* ---- The structs that describe a script's bench to gpubench; they and their Python objects are never freed ------ */

/* Allocates `count` structs of `size` bytes and a NULL-terminated list of pointers to them, in one block of memory.
 * Returns the list, or NULL if there is no memory. */
static void *listed(size_t count, size_t size) {
  void **list = calloc(1, (count + 1) * sizeof *list + count * size);
  for (size_t i = 0; list != NULL && i < count; i++)
    list[i] = (char *)(list + count + 1) + i * size;
  return list;
}

static const gb_axis_default *const *axis_defaults(PyObject *said) {
  const size_t count = (size_t)py.PyTuple_Size(said);
  gb_axis_default **list = listed(count, sizeof **list);
  for (size_t i = 0; list != NULL && i < count; i++) {
    PyObject *item = py.PyTuple_GetItem(said, (ptrdiff_t)i);
    GB_CLEAR(*list[i]);
    list[i]->backend = tuple_text_at(item, 0), list[i]->values = tuple_text_at(item, 1);
  }
  return (const gb_axis_default *const *)list;
}

static const gb_axis *const *axes_of(PyObject *said) {
  const size_t count = (size_t)py.PyTuple_Size(said);
  gb_axis **list = listed(count, sizeof **list);
  for (size_t i = 0; list != NULL && i < count; i++) {
    PyObject *item = py.PyTuple_GetItem(said, (ptrdiff_t)i);
    GB_CLEAR(*list[i]);
    list[i]->name = tuple_text_at(item, 0), list[i]->type = (uint32_t)tuple_number_at(item, 1);
    list[i]->unit = tuple_text_at(item, 2), list[i]->summary = tuple_text_at(item, 3);
    list[i]->choices = tuple_text_at(item, 4), list[i]->values = tuple_text_at(item, 5);
    list[i]->defaults = axis_defaults(py.PyTuple_GetItem(item, 6));
  }
  return (const gb_axis *const *)list;
}

static const gb_preset *const *presets_of(PyObject *said) {
  const size_t count = (size_t)py.PyTuple_Size(said);
  gb_preset **list = listed(count, sizeof **list);
  for (size_t i = 0; list != NULL && i < count; i++) {
    PyObject *item = py.PyTuple_GetItem(said, (ptrdiff_t)i);
    GB_CLEAR(*list[i]);
    list[i]->name = tuple_text_at(item, 0), list[i]->summary = tuple_text_at(item, 1);
    list[i]->point = tuple_text_at(item, 2), list[i]->backends = tuple_text_at(item, 3);
  }
  return (const gb_preset *const *)list;
}

gb_status python_bench(PyObject *object, const gb_variant *const *variants, gb_bench *table) {
  PyObject *axes = py.PyObject_GetAttrString(object, "axes");
  PyObject *presets = py.PyObject_GetAttrString(object, "presets");
  if (axes == NULL || presets == NULL) return python_failed(NULL);
  py.Py_IncRef(object);
  GB_CLEAR(*table);
  table->name = python_text(object, "name");
  table->contract = python_text(object, "contract");
  table->contract_minor = (uint32_t)python_number(object, "contract_minor");
  table->summary = python_text(object, "summary");
  table->axes = axes_of(axes);
  table->presets = presets_of(presets);
  table->variants = variants;
  table->user = object;
  table->supports = python_number(object, "asks") ? bench_supports : NULL;
  table->minor_of = python_number(object, "tells_minors") ? bench_minor_of : NULL;
  table->setup = bench_setup, table->reference = bench_reference, table->teardown = teardown;
  return table->axes != NULL && table->presets != NULL && table->name != NULL && table->contract != NULL
             ? GB_OK
             : python_failed(NULL);
}
