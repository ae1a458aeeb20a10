/* directory.h - what --directory names: WordNet, the Open Directory, or a file. */
#ifndef LETHE_LEXICON_DIRECTORY_H
#define LETHE_LEXICON_DIRECTORY_H
#include "model/knowledge/directory.h"

/* "wordnet", "odp:CONTENT" or "odp:CONTENT,STRUCTURE" (the name of CONTENT has no comma), or a file
 * (`./wordnet` is one).  `cache` (NULL: none) is for odp alone: LETHE_EUSAGE with any other, and
 * where a name is missing.  The directory owns all it needs.
 *
 * WordNet's reduces every term.  The other two are asked for a term as it stands; where they do not
 * have it, and WordNet is installed, for the noun that it reduces to (`mice`: `mouse`). */
LETHE_MUST_CHECK lethe_err lethe_directory_open(lethe_ctx *ctx, const char *name, const char *cache,
                                                lethe_directory **out);

#endif
