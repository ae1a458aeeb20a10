/* SPDX-License-Identifier: Apache-2.0 */
/* lethe.h - the whole public API.  Start with call.h; examples/make_release.c is a complete
 * program.
 */
#ifndef LETHE_LETHE_H
#define LETHE_LETHE_H
#include "lethe/arrow.h"
#include "lethe/base.h"
#include "lethe/batch.h"
#include "lethe/call.h"
#include "lethe/command.h"
#include "lethe/context.h"
#include "lethe/json.h"
#include "lethe/option.h"
#include "lethe/text.h"
#endif
