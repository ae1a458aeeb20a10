/* SPDX-License-Identifier: Apache-2.0 */
/* The module _lethe: what of the C library cannot be said in Python. */
#include "binding.h"
#include <string.h>

PyObject *binding_text(const char *text)
{
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *binding_error(const lethe_message *m)
{
    if (!m) Py_RETURN_NONE;
    PyObject *text = binding_text(m->text), *option = binding_text(m->option),
             *file = binding_text(m->file), *out = NULL;
    if (text && option && file)
        out =
            Py_BuildValue("(iOOOK)", (int)m->code, text, option, file, (unsigned long long)m->line);
    Py_XDECREF(text);
    Py_XDECREF(option);
    Py_XDECREF(file);
    return out;
}

static PyCFunction with_keywords(PyCFunctionWithKeywords f)
{
    return (PyCFunction)(void (*)(void))f; // as METH_KEYWORDS wants it
}

static PyObject *version(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyUnicode_FromString(lethe_version());
}

PyMODINIT_FUNC PyInit__lethe(void);

PyMODINIT_FUNC PyInit__lethe(void)
{
    static PyMethodDef methods[] = {
        {"call", NULL, METH_VARARGS | METH_KEYWORDS,
         "call(request, streams=(), n_out=0, on_message=None, on_progress=None, on_row=None, "
         "threads=0, memory=0, spill_dir=None, details=False, wordnet_dir=None)\n\n"
         "Runs a request in JSON: (status, report or None, output streams, error or None)."},
        {"end_calls", binding_end_calls, METH_NOARGS,
         "Cancels all calls that run, now and later, and waits for their end."},
        {"release_rows", binding_release_rows, METH_VARARGS,
         "release_rows(folder): (status, stream or None, error or None)."},
        {"texts_new", binding_texts_new, METH_VARARGS,
         "texts_new(kinds, list): (status, texts or None, error or None)."},
        {"texts_run", binding_texts_run, METH_VARARGS,
         "texts_run(texts, operation, list of str or None): (status, list or None, error or "
         "None)."},
        {"batch_new", binding_batch_new, METH_O,
         "batch_new(request or cut): (status, function or None, error or None)."},
        {"batch_apply", binding_batch_apply, METH_VARARGS,
         "batch_apply(function, schema, array): (status, (schema, array) or None, error or None)."},
        {"cut_read", binding_cut_read, METH_VARARGS,
         "cut_read(path): (status, cut or None, error or None)."},
        {"cut_of_release", binding_cut_of_release, METH_VARARGS,
         "cut_of_release(folder, hierarchies, taxonomy): (status, cut or None, error or None)."},
        {"cut_write", binding_cut_write, METH_VARARGS,
         "cut_write(cut, path, replace): (status, None, error or None)."},
        {"cut_columns", binding_cut_columns, METH_O,
         "cut_columns(cut): (is it of sets, names of its columns)."},
        {"version", version, METH_NOARGS, "The version of the library."},
        {NULL, NULL, 0, NULL},
    };
    static struct PyModuleDef module = {
        PyModuleDef_HEAD_INIT,
        .m_name = "_lethe",
        .m_doc = "The C library; see the package lethe.",
        .m_size = 0,
        .m_methods = methods,
    };
    methods[0].ml_meth = with_keywords(binding_call);
    if (binding_call_begin() != 0) return PyErr_NoMemory();
    return PyModule_Create(&module);
}
