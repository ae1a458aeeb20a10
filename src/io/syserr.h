/* SPDX-License-Identifier: Apache-2.0 */
/* syserr.h - errors of the system as messages. */
#ifndef LETHE_IO_SYSERR_H
#define LETHE_IO_SYSERR_H
#include "core/ctx.h"

/* LETHE_EIO with "cannot VERB 'NAME': CAUSE", the cause that of `errnum` in lower case. */
lethe_err lethe_fail_sys(lethe_diag *d, const char *verb, const char *name, int errnum);
#define lethe_fail_sys(x, ...) (lethe_fail_sys)(LETHE_DIAG(x), __VA_ARGS__)

#endif
