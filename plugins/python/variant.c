/* The callbacks of a variant that a script defines. `run` only calls the script's function; the arguments are made in
 * `prepare`, which is not timed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "returned.h"

#define gb python_gb

struct state {
  /* an object of gpubench.py for this variant; the function that `run` calls; its arguments */
  PyObject *state, *call, *args;
  struct returned *returned; /* finds returned outputs; NULL: outputs are written in place */
  PyObject *result;          /* the result of the last call, if outputs are returned */
};

static gb_status call_ended(gb_case *c, PyObject *result) {
  if (result == NULL) return python_failed(c);
  py.Py_DecRef(result);
  return GB_OK;
}

static gb_status script_supports(const gb_variant *self, gb_case *c) {
  PyObject *axes = python_axes(c);
  if (axes == NULL) return python_failed(c);
  return call_ended(c, python_call("_supports", py.Py_BuildValue("(ONs)", self->user, axes, gb.point->key(c))));
}

/* ---- prepare and release ---- */

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Adds a note to the variant's row in the results: the time of a call of an empty Python function, the least of several
 * rounds. No variant in Python can be faster. */
static gb_status note_call(gb_case *c, const struct state *s) {
  enum { ROUNDS = 7, CALLS = 1000 };
  double least = 1;
  PyObject *nothing = py.PyObject_GetAttrString(python_module, "_nothing");
  for (int round = 0; round < ROUNDS && nothing != NULL; round++) {
    const double start = now_s();
    for (int i = 0; i < CALLS && nothing != NULL; i++) {
      PyObject *result = py.PyObject_Call(nothing, s->args, NULL);
      if (result != NULL)
        py.Py_DecRef(result);
      else
        python_drop(&nothing);
    }
    const double took = (now_s() - start) / CALLS;
    least = took < least ? took : least;
  }
  if (nothing == NULL) return python_failed(c);
  python_drop(&nothing);
  return gb_notef(&gb, c, "python_call", "%.3f us for an empty function", least * 1e6);
}

/* Adds a note to the variant's row in the results: the time that it takes to find the address of a returned output.
 * This time is part of the measured time. */
static gb_status note_returned(gb_case *c, const struct state *s) {
  enum { ROUNDS = 7, CALLS = 1000 };
  double least = 1;
  for (int round = 0; round < ROUNDS; round++) {
    const double start = now_s();
    if (!returned_rehearse(s->returned, s->args, CALLS)) return GB_OK;
    const double took = (now_s() - start) / CALLS;
    least = took < least ? took : least;
  }
  return gb_notef(&gb, c, "python_returned", "%.3f us to find where an output lies", least * 1e6);
}

static gb_status set_variant_notes(gb_case *c, const struct state *s) {
  gb_status status = GB_OK;
  PyObject *notes = python_call("_notes", py.Py_BuildValue("(O)", s->state));
  if (notes == NULL) return python_failed(c);
  for (ptrdiff_t i = 0; i + 1 < py.PyTuple_Size(notes) && status == GB_OK; i += 2) {
    const char *key = py.PyUnicode_AsUTF8AndSize(py.PyTuple_GetItem(notes, i), NULL);
    const char *text = py.PyUnicode_AsUTF8AndSize(py.PyTuple_GetItem(notes, i + 1), NULL);
    status = key != NULL && text != NULL ? gb_notef(&gb, c, key, "%s", text) : python_failed(c);
  }
  py.Py_DecRef(notes);
  return status;
}

static void clear_state(struct state *s) {
  returned_free(s->returned);
  python_drop(&s->result), python_drop(&s->args), python_drop(&s->call), python_drop(&s->state);
  free(s);
}

/* Returns the addresses that _prepare() of gpubench.py needs: the stream (0 on the CPU), the functions for progress and
 * scratch folders, and the case, which is their argument. */
static PyObject *device_place(const gb_variant *self, gb_case *c) {
  const int on_gpu = self->backend != NULL && strcmp(self->backend, "cuda") == 0;
  return py.Py_BuildValue("(KKKK)", (unsigned long long)(uintptr_t)(on_gpu ? gb.cuda->stream(c) : NULL),
                          (unsigned long long)(uintptr_t)gb.progress->step,
                          (unsigned long long)(uintptr_t)gb.scratch->directory, (unsigned long long)(uintptr_t)c);
}

static gb_status script_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  PyObject *axes = python_axes(c), *tensors = python_tensors(c);
  struct state *s = axes != NULL && tensors != NULL ? calloc(1, sizeof *s) : NULL;
  if (s == NULL) {
    const int python = axes == NULL || tensors == NULL;
    python_drop(&axes), python_drop(&tensors);
    return python ? python_failed(c) : gb_failf(&gb, c, GB_ENOMEM, "no memory for a variant's state");
  }
  PyObject *device = device_place(self, c);
  s->state = python_call("_prepare", py.Py_BuildValue("(ONNsN)", self->user, axes, tensors, gb.point->key(c), device));
  s->call = s->state != NULL ? py.PyObject_GetAttrString(s->state, "call") : NULL;
  s->args = s->call != NULL ? py.PyObject_GetAttrString(s->state, "args") : NULL;
  const int returns = s->args != NULL && python_number(s->state, "returns") != 0;
  s->returned = returns ? returned_new(c, s->state) : NULL;
  gb_status status = s->args != NULL && (s->returned != NULL || !returns) ? note_call(c, s) : python_failed(c);
  if (status == GB_OK && s->returned != NULL) status = note_returned(c, s);
  if (status == GB_OK) status = set_variant_notes(c, s);
  const long extra = status == GB_OK ? python_number(s->state, "extra") : 0;
  if (extra > 0) status = gb.mem->claim(c, GB_MEM_DEVICE, (uint64_t)extra);
  if (status != GB_OK) return clear_state(s), status;
  *vstate = s;
  return GB_OK;
}

static gb_status script_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct state *s = vstate;
  return call_ended(c, python_call("_refresh", py.Py_BuildValue("(O)", s->state)));
}

static void script_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  struct state *s = vstate;
  returned_free(s->returned);
  s->returned = NULL;
  python_drop(&s->result); /* before s->state is released, because the memory of the result goes back to that object */
  PyObject *result = python_call("_release", py.Py_BuildValue("(O)", s->state));
  if (result == NULL) {
    char why[1000], text[1100];
    python_explain(why, sizeof why);
    snprintf(text, sizeof text, "release of %s: %s", self->name, why);
    gb.host->log(gb.host, GB_LOG_WARNING, text);
  }
  python_drop(&result);
  clear_state(s);
}

/* ---- run ---- */

static gb_status script_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct state *s = vstate;
  PyObject *result = py.PyObject_Call(s->call, s->args, NULL);
  if (result == NULL) return python_failed(c);
  const int good = result == python_none;
  py.Py_DecRef(result);
  return good ? GB_OK
              : gb_failf(&gb, c, GB_EFAIL,
                         "returned a value, and says nothing of that: outputs are written in place, or returned with "
                         "returns=True");
}

/* Calls the variant, and tells gpubench where the returned outputs are. A result that is not a plain array may be lazy
 * (computed only when it is read). Its address is therefore read here, within the measured time, because that computes
 * it. The preceding result is released after the new one was made, as in a loop `y = f(x)` in Python. */
static gb_status run_returning(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  struct state *s = vstate;
  PyObject *result = py.PyObject_Call(s->call, s->args, NULL), *former = s->result;
  if (result == NULL) return python_failed(c);
  if (!returned_is_array(s->returned, result)) {
    PyObject *exported = python_call("_export", py.Py_BuildValue("(ON)", s->state, result));
    if (exported == NULL) return python_failed(c);
    result = exported;
  }
  s->result = result;
  const gb_status status = returned_tell(s->returned, c, result);
  python_drop(&former);
  return status;
}

static gb_status script_after(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct state *s = vstate;
  if (s->result == NULL) return gb_failf(&gb, c, GB_EFAIL, "nothing was returned yet");
  return call_ended(c, python_call("_deliver", py.Py_BuildValue("(OO)", s->state, s->result)));
}

/* ---- The table ---- */

const char *python_text(PyObject *object, const char *name) {
  PyObject *value = py.PyObject_GetAttrString(object, name);
  if (value == python_none) python_drop(&value);
  if (value == NULL) return NULL;
  return py.PyUnicode_AsUTF8AndSize(value, NULL); /* lives as long as the object */
}

long python_number(PyObject *object, const char *name) {
  PyObject *value = py.PyObject_GetAttrString(object, name);
  const long number = value != NULL ? py.PyLong_AsLong(value) : 0;
  if (value != NULL) py.Py_DecRef(value);
  return number;
}

gb_status python_variant(PyObject *object, gb_variant *table) {
  const long returns = python_number(object, "returns"), refreshes = python_number(object, "refreshes");
  py.Py_IncRef(object);
  GB_CLEAR(*table);
  table->flags = (uint32_t)python_number(object, "flags");
  table->name = python_text(object, "name");
  table->summary = python_text(object, "summary");
  table->backend = python_text(object, "backend");
  table->math = python_text(object, "math");
  table->contract_minor = (uint32_t)python_number(object, "contract_minor");
  table->user = object;
  table->supports = python_number(object, "asks") ? script_supports : NULL;
  table->prepare = script_prepare;
  table->refresh = refreshes ? script_refresh : NULL;
  table->run = returns ? run_returning : script_run;
  table->after = returns ? script_after : NULL;
  table->release = script_release;
  return table->name != NULL && table->backend != NULL && table->math != NULL ? GB_OK : python_failed(NULL);
}
