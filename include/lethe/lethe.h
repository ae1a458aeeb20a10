/* SPDX-License-Identifier: Apache-2.0 */
/* lethe.h - the whole public API.  Start with job.h; examples/make_release.c is a complete program.
 */
#ifndef LETHE_LETHE_H
#define LETHE_LETHE_H
#include "lethe/base.h"
#include "lethe/context.h"
#include "lethe/job.h"
#include "lethe/json.h"
#include "lethe/log.h"
#include "lethe/option.h"
#include "lethe/tables.h"
#endif
