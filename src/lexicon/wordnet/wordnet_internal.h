/* SPDX-License-Identifier: Apache-2.0 */
/* wordnet_internal.h - the dictionary in memory, for the files wordnet*.c alone. */
#ifndef LETHE_LEXICON_WORDNET_WORDNET_INTERNAL_H
#define LETHE_LEXICON_WORDNET_WORDNET_INTERNAL_H
#include "core/mem.h"
#include "lexicon/wordnet/wordnet.h"

enum {
    LETHE_WN_FIRST_FILE = 3, /* lexnames(5WN): noun.Tops */
    LETHE_WN_LAST_FILE = 28, /* noun.time */
    LETHE_WN_WORD_MAX = 100, /* bytes of a word; with .n.NN it fits LETHE_SYNSET_NAME_MAX */
    LETHE_WN_SENSES_MAX = 999,
};

/* Words to numbers: open addressing over the words' hashes.  A slot is the upper half of a hash and
 * the number plus one; 0 is empty.  Its content is fixed once the dictionary is open, so no look-up
 * can make it slow, and it is less than half full. */
typedef struct lethe_wn_table {
    uint64_t *slots; /* 2^bits */
    unsigned bits;
} lethe_wn_table;

/* Lists end to end: that of i is at[start[i]] .. at[start[i + 1] - 1]. */
typedef struct lethe_wn_lists {
    uint32_t *start, *at;
} lethe_wn_lists;

struct lethe_wordnet {
    uint64_t seed; /* of the hashes */

    uint32_t n_nouns;
    char *text;        /* the words end to end */
    uint32_t *word_at; /* n_nouns + 1: where each begins */
    lethe_wn_table table;
    lethe_wn_lists senses;

    uint32_t n_synsets;
    lethe_wn_lists words, hypernyms;
    uint8_t *file;
    uint32_t top; /* the one synset without a hypernym */

    uint32_t n_exceptions; /* those with a base form that is a noun */
    char *exception_text;
    uint32_t *exception_at;   /* n_exceptions + 1 */
    uint32_t *exception_noun; /* what each is reduced to */
    lethe_wn_table exception_table;
};

/* The three files, as bytes; `name` is for messages. */
enum { LETHE_WN_INDEX, LETHE_WN_DATA, LETHE_WN_EXCEPTIONS, LETHE_WN_FILES };
typedef struct lethe_wn_file {
    const char *name;
    lethe_str text;
} lethe_wn_file;

/* wordnet_parse.c: fills *wn, which was zeroed; without synsets where data.noun is not given; on
 * failure what was got is in it, to be freed. Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_wn_parse(lethe_ctx *ctx, const lethe_wn_file *files,
                                          lethe_wordnet *wn);

/* wordnet_morph.c. */
LETHE_MUST_CHECK lethe_err lethe_wn_table_new(size_t n, lethe_wn_table *out);
uint32_t lethe_wn_tag(const lethe_wordnet *wn, lethe_str word); /* the upper half of its hash */
void lethe_wn_table_put(lethe_wn_table *t, uint32_t tag, uint32_t number);
uint32_t lethe_wn_find(const lethe_wordnet *wn, lethe_str word, uint32_t tag);
/* Reads noun.exc; the nouns must be there. */
LETHE_MUST_CHECK lethe_err lethe_wn_exceptions(lethe_diag *d, const lethe_wn_file *file,
                                               lethe_wordnet *wn);

/* --- fields of a line: wordnet_line.c --- */

/* A line as it is read.  `cause` says what is wrong at `p`; NULL: nothing so far. */
typedef struct lethe_wn_line {
    const char *begin, *p, *end; /* `end`: its LF */
    const char *cause;
} lethe_wn_line;

static inline bool lethe_wn_wrong(lethe_wn_line *l, const char *cause)
{
    l->cause = cause;
    return false;
}

/* The line at `p`.  false: it does not end, or with CR. */
bool lethe_wn_line_at(lethe_wn_line *l, const char *p, const char *end);
/* The next field, and the space behind it where there is one; false, with the cause: it is not such
 * a field.  A word (`lower`: with none of A-Z), a number of 1 to 6 digits, one of so many decimal
 * or hexadecimal digits, one letter. */
bool lethe_wn_word(lethe_wn_line *l, bool lower, lethe_str *out);
bool lethe_wn_count(lethe_wn_line *l, uint32_t *out);
bool lethe_wn_decimal(lethe_wn_line *l, unsigned digits, uint32_t *out);
bool lethe_wn_hex(lethe_wn_line *l, unsigned digits, uint32_t *out);
bool lethe_wn_letter(lethe_wn_line *l, const char *any_of, char *out);
/* LETHE_EINPUT with file, line, column and cause. */
lethe_err lethe_wn_fault(lethe_diag *d, const lethe_wn_file *file, const lethe_wn_line *l);

static inline lethe_str lethe_wn_text(const char *text, const uint32_t *at, uint32_t i)
{
    return (lethe_str){text + at[i], at[i + 1] - at[i]};
}

#endif
