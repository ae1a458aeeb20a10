/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of texts: scrub, normal form, words key and host.  The GIL is held only while strings are
 * taken apart and made. */
#include "binding.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024 };
static const char capsule_name[] = "lethe_texts";

typedef lethe_err (*text_fn)(lethe_texts *t, lethe_str in, lethe_str *out);

typedef struct texts {
    lethe_ctx *ctx;
    lethe_texts *texts;
} texts;

typedef struct batch {
    lethe_str in[BATCH];
    size_t end[BATCH]; /* of each result in `bytes` */
    size_t n;
    char *bytes;
    size_t n_bytes, cap_bytes;
} batch;

static void texts_free(texts *t)
{
    if (!t) return;
    lethe_texts_free(t->texts);
    lethe_ctx_free(t->ctx);
    free(t);
}

static void capsule_free(PyObject *capsule)
{
    texts_free(PyCapsule_GetPointer(capsule, capsule_name));
}

static PyObject *answer(lethe_err status, PyObject *value, lethe_ctx *ctx)
{
    PyObject *error = binding_error(status == LETHE_OK ? NULL : lethe_ctx_error(ctx));
    PyObject *out = error ? Py_BuildValue("(iOO)", (int)status, value, error) : NULL;
    Py_XDECREF(error);
    return out;
}

PyObject *binding_texts_new(PyObject *self, PyObject *args)
{
    const char *kinds, *list;
    const lethe_settings settings = {
        .size = sizeof settings, .n_threads = 1, .style = LETHE_OPTIONS_KEYWORDS};
    (void)self;
    if (!PyArg_ParseTuple(args, "zz", &kinds, &list)) return NULL;
    texts *t = calloc(1, sizeof *t);
    if (!t || lethe_ctx_new(&settings, &t->ctx) != LETHE_OK) {
        free(t);
        return PyErr_NoMemory();
    }
    lethe_err e = lethe_texts_new(t->ctx, kinds, list, &t->texts);
    PyObject *capsule = e == LETHE_OK ? PyCapsule_New(t, capsule_name, capsule_free) : NULL,
             *out =
                 capsule || e != LETHE_OK ? answer(e, capsule ? capsule : Py_None, t->ctx) : NULL;
    if (!capsule) texts_free(t);
    Py_XDECREF(capsule);
    return out;
}

/* --- running --- */

static lethe_err bytes_put(batch *b, lethe_str s)
{
    if (b->cap_bytes - b->n_bytes < s.n) {
        size_t cap = 2 * b->cap_bytes + s.n + 4096;
        char *bytes = realloc(b->bytes, cap);
        if (!bytes) return LETHE_ENOMEM;
        b->bytes = bytes;
        b->cap_bytes = cap;
    }
    if (s.n) memcpy(b->bytes + b->n_bytes, s.at, s.n);
    b->n_bytes += s.n;
    return LETHE_OK;
}

/* Without the GIL. */
static lethe_err batch_run(batch *b, texts *t, text_fn f)
{
    b->n_bytes = 0;
    for (size_t i = 0; i < b->n; i++) {
        lethe_str out = {"", 0};
        lethe_err e = b->in[i].at ? f(t->texts, b->in[i], &out) : LETHE_OK;
        if (e == LETHE_OK) e = bytes_put(b, out);
        if (e != LETHE_OK) return e;
        b->end[i] = b->n_bytes;
    }
    return LETHE_OK;
}

/* The next texts of the list, whose bytes the strings themselves keep. */
static bool batch_fill(batch *b, PyObject *list, Py_ssize_t from)
{
    Py_ssize_t n = PyList_Size(list);
    for (b->n = 0; b->n < BATCH && from < n; b->n++, from++) {
        PyObject *item = PyList_GetItem(list, from);
        Py_ssize_t length = 0;
        const char *text = NULL;
        if (!item) return false;
        if (item != Py_None && !(text = PyUnicode_AsUTF8AndSize(item, &length))) return false;
        b->in[b->n] = (lethe_str){text, (size_t)length};
    }
    return true;
}

static bool batch_append(const batch *b, PyObject *results)
{
    size_t from = 0;
    for (size_t i = 0; i < b->n; from = b->end[i++]) {
        PyObject *text = b->in[i].at
                             ? PyUnicode_DecodeUTF8(b->bytes ? b->bytes + from : "",
                                                    (Py_ssize_t)(b->end[i] - from), "strict")
                             : NULL;
        if (!text && PyErr_Occurred()) return false;
        int failed = PyList_Append(results, text ? text : Py_None);
        Py_XDECREF(text);
        if (failed) return false;
    }
    return true;
}

/* LETHE_EINTERNAL with an exception. */
static lethe_err list_run(texts *t, text_fn f, batch *b, PyObject *list, PyObject *results)
{
    lethe_err e = LETHE_OK;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i += (Py_ssize_t)b->n) {
        if (PyErr_CheckSignals() < 0 || !batch_fill(b, list, i)) return LETHE_EINTERNAL;
        Py_BEGIN_ALLOW_THREADS e = batch_run(b, t, f);
        Py_END_ALLOW_THREADS if (e != LETHE_OK) return e;
        if (!batch_append(b, results)) return LETHE_EINTERNAL;
    }
    return LETHE_OK;
}

static text_fn operation(const char *name)
{
    static const struct {
        const char *name;
        text_fn fn;
    } all[] = {{"scrub", lethe_texts_scrub},
               {"normal", lethe_texts_normal},
               {"words_key", lethe_texts_words_key},
               {"host", lethe_texts_host}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) return all[i].fn;
    PyErr_Format(PyExc_ValueError, "there is no operation '%s'", name);
    return NULL;
}

PyObject *binding_texts_run(PyObject *self, PyObject *args)
{
    PyObject *capsule, *given, *out = NULL;
    const char *name;
    (void)self;
    if (!PyArg_ParseTuple(args, "OsO", &capsule, &name, &given)) return NULL;
    texts *t = PyCapsule_GetPointer(capsule, capsule_name);
    text_fn f = t ? operation(name) : NULL;
    if (!f) return NULL;
    batch *b = calloc(1, sizeof *b);
    // a copy: nobody else can change it while the GIL is free
    PyObject *list = b ? PySequence_List(given) : PyErr_NoMemory(),
             *results = list ? PyList_New(0) : NULL;
    if (results) {
        lethe_err e = list_run(t, f, b, list, results);
        if (!PyErr_Occurred()) out = answer(e, e == LETHE_OK ? results : Py_None, t->ctx);
    }
    Py_XDECREF(results);
    Py_XDECREF(list);
    if (b) free(b->bytes);
    free(b);
    return out;
}
