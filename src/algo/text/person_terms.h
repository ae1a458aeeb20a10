/* SPDX-License-Identifier: Apache-2.0 */
/* person_terms.h - persons and their terms: an original and its release as the same kind of thing,
 * whatever their shapes, so that they can be laid side by side.
 *
 * A term of a log is a word of a query (text/words.h), as it stands; masks are none, and each query
 * counts once, lines of one user with the same text and time being one.  A term of a file of
 * records is an item, as it stands.  Nothing is reduced, looked up or left out for a taxonomy's
 * sake. */
#ifndef LETHE_ALGO_TEXT_PERSON_TERMS_H
#define LETHE_ALGO_TEXT_PERSON_TERMS_H
#include "model/data.h"

/* One record a person, in the persons' order and with their numbers and names, of all items of
 * their records, copies too.  `raw` is not bound to a tree, and is not changed. */
LETHE_MUST_CHECK lethe_err lethe_terms_of_records(lethe_ctx *ctx, const lethe_records *raw,
                                                  lethe_records **out);

/* The original's: one record for each person with a term at all (of records: for each), items
 * being numbers in `items`.  Made when first asked for, and kept in c->terms. */
LETHE_MUST_CHECK lethe_err lethe_terms_original(lethe_comparison *c, const lethe_records **out);

/* Those of a release that is a log, open or sealed: one record for each published user with a term.
 * Of a sealed log, what can be opened.  Keyed hashes, where a claim speaks of them, and names of
 * categories are no terms.  *n_users: all published users, with a term or without. */
LETHE_MUST_CHECK lethe_err lethe_terms_published(lethe_comparison *c, lethe_records **out,
                                                 uint64_t *n_users);
/* Those of a release of counts: one record for each item with a term.  (*weight)[i], in `a`: the
 * count of record i. */
LETHE_MUST_CHECK lethe_err lethe_terms_counted(lethe_comparison *c, lethe_arena *a,
                                               lethe_records **out, uint32_t **weight);
/* Are names of categories published in place of texts (microagg --synthetic)? */
bool lethe_terms_are_labels(const lethe_json *manifest);

/* --- terms and leaves of a taxonomy --- */

/* The term that stands at a leaf: its name, or that of the inner node whose own leaf it is
 * (lethe_tree_grow). */
lethe_str lethe_leaf_term(const lethe_tree *t, uint32_t leaf);
/* The leaf at which an item of that name stands; LETHE_NONE: nowhere. */
uint32_t lethe_term_leaf(const lethe_tree *t, lethe_str term);

#endif
