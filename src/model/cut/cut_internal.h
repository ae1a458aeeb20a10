/* SPDX-License-Identifier: Apache-2.0 */
/* cut_internal.h - what the reader asks of the builder. */
#ifndef LETHE_MODEL_CUT_CUT_INTERNAL_H
#define LETHE_MODEL_CUT_CUT_INTERNAL_H
#include "model/cut/cut.h"

/* Why the line added last cannot follow the one before; NULL: it can. */
const char *lethe_cut_last_fault(const lethe_cut_builder *b);

#endif
