/* SPDX-License-Identifier: Apache-2.0 */
/* taxonomy.h - the taxonomy of --taxonomy: WordNet, or a file. */
#ifndef LETHE_LEXICON_TAXONOMY_H
#define LETHE_LEXICON_TAXONOMY_H
#include "lexicon/wordnet/wordnet.h"
#include "model/records/records.h"

/* How items become leaves. */
typedef struct lethe_binding {
    const char *name; /* "wordnet", "wordnet:present" or a file; NULL: a tree without meaning, every
                         item a leaf below its root, in the order of their bytes */
    const lethe_wordnet *wn; /* for the first two; borrowed */
    bool merge;              /* --synonyms merge: replaced by lethe_wordnet_merged() */
    lethe_naming naming;     /* of the names in a file */
    bool strict;
    /* Items of this list become marks, as lethe_records_mark has it; NULL: there is none.  Of
     * WordNet's tree they keep their leaves, which nothing stands at then; for WordNet's nouns the
     * list is brought to them before (lethe_sensitive_nouns). */
    const lethe_sensitive *sensitive;
    char *digest; /* LETHE_TREE_DIGEST bytes: of the tree as it is named, without leaves that items
                     of the input add; NULL: not wanted */
} lethe_binding;

/* Makes items of `in` leaves of the tree that `how` names.  Items of WordNet's tree are its words:
 * an item that is none is reduced to one where it can be; items that become one are copies of it.
 * `in` is freed, on failure too; *tree is the caller's.  See lethe_records_bind and, for what a
 * list may not have, lethe_sensitive_apart. */
LETHE_MUST_CHECK lethe_err lethe_taxonomy_bind_as(lethe_ctx *ctx, const lethe_binding *how,
                                                  lethe_records *in, lethe_records **out,
                                                  lethe_tree **tree);
/* The same without a list. */
LETHE_MUST_CHECK lethe_err lethe_taxonomy_bind(lethe_ctx *ctx, const char *name,
                                               const lethe_wordnet *wn, bool merge,
                                               lethe_naming naming, bool strict, lethe_records *in,
                                               lethe_records **out, lethe_tree **tree);

/* Puts the noun that an item is taken for in place of each of the list that is taken for one;
 * `of_queries`: as words of queries are (lethe_log_to_records), else as items of records. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_nouns(lethe_ctx *ctx, const lethe_wordnet *wn,
                                                 bool merge, bool of_queries,
                                                 lethe_sensitive *list);

#endif
