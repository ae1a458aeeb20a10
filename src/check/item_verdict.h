/* SPDX-License-Identifier: Apache-2.0 */
/* item_verdict.h - what the notions about sets of items have in common: the verdict, and its
 * counterexample. */
#ifndef LETHE_CHECK_ITEM_VERDICT_H
#define LETHE_CHECK_ITEM_VERDICT_H
#include "check/item_search.h"

/* Reads the folder and decides: as lethe_notion.check.  By share, items stand by themselves; else
 * they are nodes of the taxonomy, and signed.  A counterexample is {"items": ["Beer+", "Wine-"],
 * "support": 1, "needed": 2} or {"items": .., "sensitive": "Viagra", "with": 2, "of": 3}; one of
 * several is "Beer|Wine+".  With kl.sensitive_known, "known" has sensitive items that are known:
 * then the records that have these are the ones that count. */
LETHE_MUST_CHECK lethe_err lethe_item_verdict(lethe_published *p, const lethe_item_question *q,
                                              lethe_json_doc *doc, bool *holds, lethe_json **why);

#endif
