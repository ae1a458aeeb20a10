/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over arrays of Arrow, and the cuts of releases.  Arrays come and go in the capsules of
 * the Arrow PyCapsule interface. */
#include "binding.h"
#include <stdlib.h>

static const char fn_name[] = "lethe_batch_fn", cut_name[] = "lethe_cut",
                  schema_name[] = "arrow_schema", array_name[] = "arrow_array";

typedef struct batch_fn {
    lethe_ctx *ctx;
    lethe_batch_fn *fn;
    PyObject *cut; /* a capsule that the function refers to; NULL: none */
} batch_fn;

static lethe_ctx *context_new(void)
{
    const lethe_settings settings = {
        .size = sizeof settings, .n_threads = 1, .style = LETHE_OPTIONS_KEYWORDS};
    lethe_ctx *ctx = NULL;
    if (lethe_ctx_new(&settings, &ctx) == LETHE_OK) return ctx;
    PyErr_NoMemory();
    return NULL;
}

/* (status, value or None, error or None); `value` is taken over, and may be NULL after a failure.
 */
static PyObject *answer(lethe_err status, PyObject *value, lethe_ctx *ctx)
{
    if (status == LETHE_OK && !value) return NULL; // an exception is set
    PyObject *error = binding_error(status == LETHE_OK ? NULL : lethe_ctx_error(ctx));
    PyObject *out =
        error ? Py_BuildValue("(iOO)", (int)status, value ? value : Py_None, error) : NULL;
    Py_XDECREF(error);
    Py_XDECREF(value);
    return out;
}

/* --- cuts --- */

static void cut_capsule_free(PyObject *capsule)
{
    lethe_cut_free(PyCapsule_GetPointer(capsule, cut_name));
}

static PyObject *cut_answer(lethe_err status, lethe_cut *cut, lethe_ctx *ctx)
{
    PyObject *capsule = status == LETHE_OK ? PyCapsule_New(cut, cut_name, cut_capsule_free) : NULL;
    if (status == LETHE_OK && !capsule) lethe_cut_free(cut);
    return answer(status, capsule, ctx);
}

PyObject *binding_cut_read(PyObject *self, PyObject *args)
{
    PyObject *path = NULL, *out = NULL;
    lethe_cut *cut = NULL;
    lethe_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    lethe_ctx *ctx = context_new();
    if (ctx) {
        Py_BEGIN_ALLOW_THREADS e = lethe_cut_read(ctx, PyBytes_AsString(path), &cut);
        Py_END_ALLOW_THREADS out = cut_answer(e, cut, ctx);
    }
    lethe_ctx_free(ctx);
    Py_DECREF(path);
    return out;
}

PyObject *binding_cut_of_release(PyObject *self, PyObject *args)
{
    lethe_cut_source from = {.size = sizeof from};
    PyObject *out = NULL;
    lethe_cut *cut = NULL;
    lethe_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "szz", &from.release, &from.hierarchies, &from.taxonomy))
        return NULL;
    lethe_ctx *ctx = context_new();
    if (ctx) {
        Py_BEGIN_ALLOW_THREADS e = lethe_cut_of_release(ctx, &from, &cut);
        Py_END_ALLOW_THREADS out = cut_answer(e, cut, ctx);
    }
    lethe_ctx_free(ctx);
    return out;
}

PyObject *binding_cut_write(PyObject *self, PyObject *args)
{
    PyObject *capsule, *path = NULL, *out = NULL;
    int replace;
    lethe_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&p", &capsule, PyUnicode_FSConverter, &path, &replace))
        return NULL;
    const lethe_cut *cut = PyCapsule_GetPointer(capsule, cut_name);
    lethe_ctx *ctx = cut ? context_new() : NULL;
    if (ctx) {
        Py_BEGIN_ALLOW_THREADS e = lethe_cut_write(ctx, cut, PyBytes_AsString(path), replace != 0);
        Py_END_ALLOW_THREADS Py_INCREF(Py_None);
        out = answer(e, Py_None, ctx);
    }
    lethe_ctx_free(ctx);
    Py_DECREF(path);
    return out;
}

PyObject *binding_cut_columns(PyObject *self, PyObject *capsule)
{
    (void)self;
    const lethe_cut *cut = PyCapsule_GetPointer(capsule, cut_name);
    if (!cut) return NULL;
    size_t n = lethe_cut_columns(cut);
    PyObject *names = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; names && i < n; i++) {
        lethe_str s = lethe_cut_column(cut, i);
        PyObject *name = PyUnicode_DecodeUTF8(s.at, (Py_ssize_t)s.n, "replace");
        if (!name || PyList_SetItem(names, (Py_ssize_t)i, name) < 0) Py_CLEAR(names);
    }
    return names ? Py_BuildValue("(NN)", PyBool_FromLong(lethe_cut_is_of_sets(cut)), names) : NULL;
}

/* --- functions --- */

static void fn_free(batch_fn *f)
{
    if (!f) return;
    lethe_batch_free(f->fn);
    lethe_ctx_free(f->ctx);
    Py_XDECREF(f->cut);
    free(f);
}

static void fn_capsule_free(PyObject *capsule) { fn_free(PyCapsule_GetPointer(capsule, fn_name)); }

/* Of a request, or of a cut where that is a capsule. */
PyObject *binding_batch_new(PyObject *self, PyObject *what)
{
    const char *request = NULL;
    const lethe_cut *cut = NULL;
    (void)self;
    if (PyCapsule_CheckExact(what))
        cut = PyCapsule_GetPointer(what, cut_name);
    else
        request = PyUnicode_AsUTF8AndSize(what, NULL);
    if (!request && !cut) return NULL;
    batch_fn *f = calloc(1, sizeof *f);
    if (!f) return PyErr_NoMemory();
    f->ctx = context_new();
    if (!f->ctx) {
        free(f);
        return NULL;
    }
    lethe_err e =
        cut ? lethe_batch_of_cut(f->ctx, cut, &f->fn) : lethe_batch_new(f->ctx, request, &f->fn);
    PyObject *capsule = e == LETHE_OK ? PyCapsule_New(f, fn_name, fn_capsule_free) : NULL;
    if (capsule && cut) {
        Py_INCREF(what);
        f->cut = what;
    }
    if (capsule) return answer(e, capsule, f->ctx);
    PyObject *out = answer(e, NULL, f->ctx);
    fn_free(f);
    return out;
}

static void schema_capsule_free(PyObject *capsule)
{
    struct ArrowSchema *s = PyCapsule_GetPointer(capsule, schema_name);
    if (s && s->release) s->release(s);
    free(s);
}

static void array_capsule_free(PyObject *capsule)
{
    struct ArrowArray *a = PyCapsule_GetPointer(capsule, array_name);
    if (a && a->release) a->release(a);
    free(a);
}

/* Both are taken over. */
static PyObject *pair(struct ArrowSchema *schema, struct ArrowArray *array)
{
    PyObject *s = PyCapsule_New(schema, schema_name, schema_capsule_free);
    PyObject *a = s ? PyCapsule_New(array, array_name, array_capsule_free) : NULL;
    if (!s) {
        schema->release(schema);
        free(schema);
    }
    if (!a) {
        array->release(array);
        free(array);
        Py_XDECREF(s);
        return NULL;
    }
    return Py_BuildValue("(NN)", s, a);
}

PyObject *binding_batch_apply(PyObject *self, PyObject *args)
{
    PyObject *capsules[3];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &capsules[0], &capsules[1], &capsules[2])) return NULL;
    batch_fn *f = PyCapsule_GetPointer(capsules[0], fn_name);
    const struct ArrowSchema *schema = f ? PyCapsule_GetPointer(capsules[1], schema_name) : NULL;
    const struct ArrowArray *in = schema ? PyCapsule_GetPointer(capsules[2], array_name) : NULL;
    if (!in) return NULL;
    struct ArrowSchema *out_schema = calloc(1, sizeof *out_schema);
    struct ArrowArray *out = calloc(1, sizeof *out);
    lethe_err e = LETHE_OK;
    if (!out_schema || !out) {
        free(out_schema);
        free(out);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS e = lethe_batch_apply(f->fn, schema, in, out_schema, out);
    Py_END_ALLOW_THREADS if (e == LETHE_OK) return answer(e, pair(out_schema, out), f->ctx);
    free(out_schema);
    free(out);
    return answer(e, NULL, f->ctx);
}
