/* taxonomy.h - what --taxonomy names: WordNet, or a file. */
#ifndef LETHE_LEXICON_TAXONOMY_H
#define LETHE_LEXICON_TAXONOMY_H
#include "lexicon/wordnet.h"
#include "model/records.h"

/* Makes items of `in` leaves of the tree that `name` names: "wordnet", "wordnet:present" or a file.
 * `wn` (needed by the first two) is borrowed.  Items of WordNet's tree are its words: an item that
 * is none is reduced to one where it can be, and with `merge` (--synonyms merge) replaced by
 * lethe_wordnet_merged(); items that become one are copies of it.  Names in a file are taken by
 * `naming`.  `in` is freed, on failure too; *tree is the caller's.  See lethe_records_bind. */
LETHE_MUST_CHECK lethe_err lethe_taxonomy_bind(lethe_ctx *ctx, const char *name,
                                               const lethe_wordnet *wn, bool merge,
                                               lethe_naming naming, bool strict, lethe_records *in,
                                               lethe_records **out, lethe_tree **tree);

#endif
