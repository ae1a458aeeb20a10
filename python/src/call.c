/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the library.  It runs in a thread of its own, so that the calling thread can look for
 * signals meanwhile: Ctrl-C ends a call that takes hours. */
#include "binding.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 50, EXIT_MS = 30000 };
static const char capsule_name[] = "arrow_array_stream";

typedef struct call_run {
    const char *request;
    struct ArrowArrayStream *in, **in_at, *out[1];
    size_t n_in, n_out;
    lethe_ctx *ctx;
    char *report;
    lethe_err status;
    PyObject *on_message, *on_progress, *on_row; /* borrowed; None: not wanted */
    /* The first exception in a callback or a signal handler; guarded by the GIL. */
    PyObject *exc_type, *exc_value, *exc_trace;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
} call_run;

/* Guarded by the GIL. */
static long n_running;
static bool exiting; /* the interpreter ends: so do all calls */

/* A child has none of the threads that run the calls of its parent. */
static void child_begin(void) { n_running = 0; }
int binding_call_begin(void) { return pthread_atfork(NULL, NULL, child_begin); }

/* --- callbacks, from any thread --- */

/* Keeps the exception that is set, to be raised when the call has ended, which is soon. */
static void exception_keep(call_run *r)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (r->exc_type) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        r->exc_type = type;
        r->exc_value = value;
        r->exc_trace = trace;
    }
    if (r->ctx) lethe_ctx_cancel(r->ctx);
}

/* Calls `f` with arguments that it takes over; nothing after an exception. */
static void callback(call_run *r, PyObject *f, PyObject *args)
{
    PyObject *result = args && !r->exc_type ? PyObject_CallObject(f, args) : NULL;
    Py_XDECREF(args);
    Py_XDECREF(result);
    if (PyErr_Occurred()) exception_keep(r);
}

static void on_message(void *user, const lethe_message *m)
{
    call_run *r = user;
    if (r->on_message == Py_None) return;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *error = binding_error(m);
    callback(r, r->on_message, error ? Py_BuildValue("(iN)", (int)m->severity, error) : NULL);
    PyGILState_Release(gil);
}

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    call_run *r = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *name = binding_text(phase);
    callback(r, r->on_progress,
             name
                 ? Py_BuildValue("(NKK)", name, (unsigned long long)done, (unsigned long long)total)
                 : NULL);
    PyGILState_Release(gil);
}

static void on_row(void *user, const char *row, size_t i, size_t n)
{
    call_run *r = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *text = binding_text(row);
    callback(r, r->on_row,
             text ? Py_BuildValue("(Nnn)", text, (Py_ssize_t)i, (Py_ssize_t)n) : NULL);
    PyGILState_Release(gil);
}

/* --- streams --- */

static void stream_release(struct ArrowArrayStream *s)
{
    if (s && s->release) s->release(s);
}

static void capsule_free(PyObject *capsule)
{
    struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, capsule_name);
    if (!s) PyErr_Clear();
    stream_release(s);
    free(s);
}

/* Moves the streams out of their capsules, which are then released ones. */
static bool streams_take(call_run *r, PyObject *capsules)
{
    Py_ssize_t n = PySequence_Size(capsules);
    if (n < 0) return false;
    r->in = calloc((size_t)n + 1, sizeof *r->in);
    r->in_at = calloc((size_t)n + 1, sizeof(struct ArrowArrayStream *));
    if (!r->in || !r->in_at) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *capsule = PySequence_GetItem(capsules, i);
        struct ArrowArrayStream *s = capsule ? PyCapsule_GetPointer(capsule, capsule_name) : NULL;
        bool live = s && s->release;
        if (live) {
            r->in[i] = *s;
            s->release = NULL;
            r->in_at[i] = &r->in[i];
            r->n_in++;
        } else if (s) {
            PyErr_SetString(PyExc_ValueError, "the stream was read already");
        }
        Py_XDECREF(capsule);
        if (!live) return false;
    }
    return true;
}

static void streams_free(call_run *r)
{
    for (size_t i = 0; i < r->n_in; i++)
        stream_release(&r->in[i]);
    free(r->in);
    free(r->in_at);
    stream_release(r->out[0]);
    free(r->out[0]);
}

/* A list of the streams that were made. */
static PyObject *streams_out(call_run *r)
{
    PyObject *list = PyList_New(0);
    if (!list || !r->out[0] || !r->out[0]->release) return list;
    PyObject *capsule = PyCapsule_New(r->out[0], capsule_name, capsule_free);
    if (capsule) r->out[0] = NULL;
    if (!capsule || PyList_Append(list, capsule) < 0) Py_CLEAR(list);
    Py_XDECREF(capsule);
    return list;
}

/* --- the thread --- */

static void *thread_main(void *arg)
{
    call_run *r = arg;
    r->status = lethe_call(r->ctx, r->request, r->in_at, r->n_in, r->out, r->n_out, &r->report);
    pthread_mutex_lock(&r->lock);
    r->done = true;
    pthread_cond_signal(&r->ended);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Without the GIL. */
static bool ended_within(call_run *r, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&r->lock);
    int e = 0;
    while (!r->done && e == 0)
        e = pthread_cond_timedwait(&r->ended, &r->lock, &until);
    bool done = r->done;
    pthread_mutex_unlock(&r->lock);
    return done;
}

static void wait_for_end(call_run *r, pthread_t thread)
{
    bool done = false;
    while (!done) {
        Py_BEGIN_ALLOW_THREADS done = ended_within(r, POLL_MS);
        if (done) pthread_join(thread, NULL);
        Py_END_ALLOW_THREADS if (!done && PyErr_CheckSignals() < 0) exception_keep(r);
        if (exiting) lethe_ctx_cancel(r->ctx);
    }
}

/* Calls of other threads would be cut off with the interpreter, and leave their files behind. */
PyObject *binding_end_calls(PyObject *self, PyObject *unused)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
    (void)self;
    (void)unused;
    exiting = true;
    for (int i = 0; n_running > 0 && i < EXIT_MS / POLL_MS; i++) {
        Py_BEGIN_ALLOW_THREADS nanosleep(&pause, NULL);
        Py_END_ALLOW_THREADS
    }
    Py_RETURN_NONE;
}

/* Signals are for Python's threads. */
static bool thread_run(call_run *r)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&r->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&r->lock, NULL);
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, thread_main, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        wait_for_end(r, thread);
    else
        PyErr_SetString(PyExc_OSError, "cannot start a thread");
    pthread_cond_destroy(&r->ended);
    pthread_mutex_destroy(&r->lock);
    return started;
}

/* --- the call --- */

static bool context_new(lethe_settings *settings, lethe_ctx **out)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // threads of the context inherit it
    lethe_err e = lethe_ctx_new(settings, out);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (e == LETHE_ENOMEM)
        PyErr_NoMemory();
    else if (e != LETHE_OK)
        PyErr_SetString(PyExc_OSError, "cannot start threads, or there are no random numbers");
    return e == LETHE_OK;
}

static bool exception_raise(call_run *r)
{
    if (!r->exc_type) return false;
    PyErr_Restore(r->exc_type, r->exc_value, r->exc_trace);
    r->exc_type = r->exc_value = r->exc_trace = NULL;
    return true;
}

static PyObject *result(call_run *r)
{
    PyObject *report = binding_text(r->report), *streams = streams_out(r),
             *error = binding_error(lethe_ctx_error(r->ctx)), *out = NULL;
    if (report && streams && error)
        out = Py_BuildValue("(iOOO)", (int)r->status, report, streams, error);
    Py_XDECREF(report);
    Py_XDECREF(streams);
    Py_XDECREF(error);
    return out;
}

static PyObject *call(call_run *r, lethe_settings *settings, PyObject *capsules)
{
    PyObject *out = NULL;
    if (!streams_take(r, capsules) || !context_new(settings, &r->ctx)) return NULL;
    n_running++;
    if (!r->exc_type && thread_run(r) && !r->exc_type) out = result(r);
    Py_BEGIN_ALLOW_THREADS lethe_ctx_free(r->ctx);
    Py_END_ALLOW_THREADS n_running--;
    if (exception_raise(r)) Py_CLEAR(out);
    return out;
}

PyObject *binding_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"request",     "streams", "n_out",       "on_message",
                            "on_progress", "on_row",  "threads",     "memory",
                            "spill_dir",   "details", "wordnet_dir", NULL};
    call_run r = {.on_message = Py_None, .on_progress = Py_None, .on_row = Py_None};
    PyObject *capsules = NULL;
    int n_out = 0, details = 0;
    unsigned threads = 0;
    unsigned long long memory = 0;
    const char *spill_dir = NULL, *wordnet_dir = NULL;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|OiOOOIKzpz", names, &r.request, &capsules,
                                     &n_out, &r.on_message, &r.on_progress, &r.on_row, &threads,
                                     &memory, &spill_dir, &details, &wordnet_dir))
        return NULL;
    if (n_out < 0 || n_out > 1) {
        PyErr_SetString(PyExc_ValueError, "n_out is 0 or 1");
        return NULL;
    }
    r.n_out = (size_t)n_out;
    if (n_out && !(r.out[0] = calloc(1, sizeof *r.out[0]))) return PyErr_NoMemory();
    lethe_settings settings = {.size = sizeof settings,
                               .n_threads = threads,
                               .memory_bytes = memory,
                               .spill_dir = spill_dir,
                               .wordnet_dir = wordnet_dir,
                               .on_message = on_message,
                               .on_progress = r.on_progress != Py_None ? on_progress : NULL,
                               .on_row = r.on_row != Py_None ? on_row : NULL,
                               .user = &r,
                               .details = details != 0,
                               .style = LETHE_OPTIONS_KEYWORDS};
    PyObject *none = capsules ? NULL : PyTuple_New(0),
             *out = capsules || none ? call(&r, &settings, capsules ? capsules : none) : NULL;
    Py_XDECREF(none);
    lethe_text_free(r.report);
    streams_free(&r);
    return out;
}

PyObject *binding_release_rows(PyObject *self, PyObject *args)
{
    const lethe_settings settings = {
        .size = sizeof settings, .n_threads = 1, .style = LETHE_OPTIONS_KEYWORDS};
    PyObject *path = NULL, *capsule = NULL, *error = NULL, *out = NULL;
    lethe_ctx *ctx = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    struct ArrowArrayStream *s = calloc(1, sizeof *s);
    if (!s || lethe_ctx_new(&settings, &ctx) != LETHE_OK) {
        free(s);
        Py_DECREF(path);
        return PyErr_NoMemory();
    }
    lethe_err e = lethe_release_rows(ctx, PyBytes_AsString(path), s);
    if (e == LETHE_OK) capsule = PyCapsule_New(s, capsule_name, capsule_free);
    if (!capsule) {
        stream_release(s);
        free(s);
    }
    if (capsule || e != LETHE_OK)
        error = binding_error(e == LETHE_OK ? NULL : lethe_ctx_error(ctx));
    if (error) out = Py_BuildValue("(iOO)", (int)e, capsule ? capsule : Py_None, error);
    Py_XDECREF(error);
    Py_XDECREF(capsule);
    Py_DECREF(path);
    lethe_ctx_free(ctx);
    return out;
}
