/* SPDX-License-Identifier: Apache-2.0 */
/* binding.h - the functions of the module _lethe, which the package lethe is built on.  Everything
 * here is of the limited API of CPython 3.10. */
#ifndef LETHE_BINDING_H
#define LETHE_BINDING_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "lethe/lethe.h"

PyObject *binding_call(PyObject *self, PyObject *args, PyObject *keywords);
int binding_call_begin(void); /* once; not 0: out of memory */
PyObject *binding_end_calls(PyObject *self, PyObject *unused);
PyObject *binding_release_rows(PyObject *self, PyObject *args);
PyObject *binding_texts_new(PyObject *self, PyObject *args);
PyObject *binding_texts_run(PyObject *self, PyObject *args);
PyObject *binding_batch_new(PyObject *self, PyObject *what);
PyObject *binding_batch_apply(PyObject *self, PyObject *args);
PyObject *binding_cut_read(PyObject *self, PyObject *args);
PyObject *binding_cut_of_release(PyObject *self, PyObject *args);
PyObject *binding_cut_write(PyObject *self, PyObject *args);
PyObject *binding_cut_columns(PyObject *self, PyObject *capsule);

/* (code, text, option, file, line), or None for NULL; NULL after an exception. */
PyObject *binding_error(const lethe_message *m);
/* Text that may not be UTF-8; None for NULL. */
PyObject *binding_text(const char *text);

#endif
