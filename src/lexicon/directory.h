/* SPDX-License-Identifier: Apache-2.0 */
/* directory.h - the directory of --directory: WordNet or a file. */
#ifndef LETHE_LEXICON_DIRECTORY_H
#define LETHE_LEXICON_DIRECTORY_H
#include "model/knowledge/directory.h"

/* "wordnet", or a file (`./wordnet` is one).  LETHE_EUSAGE without a name, and for odp:..., the
 * Open Directory's RDF files, with the command that converts them.  The directory owns all it
 * needs.
 *
 * WordNet's directory reduces every term.  One from a file is asked for a term as it stands; where
 * it does not have the term, and WordNet is installed, for the noun that the term reduces to
 * (`mice`: `mouse`). */
LETHE_MUST_CHECK lethe_err lethe_directory_open(lethe_ctx *ctx, const char *name,
                                                lethe_directory **out);

#endif
