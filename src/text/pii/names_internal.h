/* SPDX-License-Identifier: Apache-2.0 */
/* names_internal.h - how persons and places are found.  Not for use outside this folder.
 *
 * A text is cut into tokens.  A table that is compiled in (tools/embed-names, from data/) says how
 * common the word of a token is as a given name, as a surname, as a town and as an ordinary word;
 * the score of the first three is how much likelier the word is as such than as a word, in bits.  A
 * linear classifier (M. Collins, "Discriminative Training Methods for Hidden Markov Models", EMNLP
 * 2002: an averaged perceptron) decides from left to right, from the scores of a token and of two
 * on each side, and from the words beside it.  tools/names_model.py is the same in Python: the
 * weights were trained with it, and a test compares the two.
 *
 * A word: letters of ASCII and from U+00E0 to U+017F, which are folded to ASCII, with apostrophes
 * between them, at most 20 after that; an initial is a word of one letter.  Words of a town of
 * several words (up to five), separated by a space, a hyphen or ". ", are one token.  Anything else
 * between spaces and signs (numbers, other scripts, what has a '@', a '_' or a point inside between
 * spaces and / ? & = #, or is longer than 200 bytes) is a token that is no name. */
#ifndef LETHE_TEXT_PII_NAMES_INTERNAL_H
#define LETHE_TEXT_PII_NAMES_INTERNAL_H
#include "text/pii/pii_internal.h"

enum {
    LETHE_NAME_WORD_MAX = 20, /* letters */
    LETHE_NAME_TOWN_WORDS = 5,
    LETHE_NAME_CHUNK_MAX = 200,
    LETHE_NAME_RUN_MAX = 8, /* tokens of one finding */
    LETHE_NAME_USUAL = 3,   /* as a word: one that is not rare */
    LETHE_NAME_REGION = 15, /* as a word: a country or state */
};

/* --- what is known about words (names_table.c, which the build makes) --- */

typedef struct lethe_name_entry {
    uint16_t print;   /* lower half of the hash */
    uint16_t profile; /* index of lethe_names_profiles; 0: there is no word in this slot */
} lethe_name_entry;

enum { LETHE_NAME_GIVEN, LETHE_NAME_SURNAME, LETHE_NAME_TOWN, LETHE_NAME_WORD };

typedef struct lethe_name_profile {
    /* log2 of the count as given name, surname, town and word, from 1 on; 0: not known as such. */
    uint8_t level[4];
    /* 0: not known as such; else 1 for a score below -4 bits, 2 from -4, 3 from 0, 4 from 3, 5 from
     * 6, 6 from 9, 7 from 12.  The last, of the word: 0 unknown, 1 to level 2, 2 to 5, 3 to 8, 4.
     */
    uint8_t class[4];
    uint8_t reduced;  /* the class as a neighbour sees it */
    bool candidate;   /* may be tagged at all */
    bool region;      /* a country or state: only behind a town, as part of it */
    bool starts;      /* a town of several words begins with it */
    bool second;      /* it is the second word of one */
    bool several;     /* is such a town */
    uint16_t context; /* number as a word of the context; 0: none */
} lethe_name_profile;

enum { LETHE_NAME_SLOT_BITS = 19, LETHE_NAME_UNKNOWN = 1 };
/* 2^19 slots: a word has that of the upper bits of its hash, or the next free one. */
extern const lethe_name_entry lethe_names_entries[];
extern const lethe_name_profile lethe_names_profiles[]; /* that of unknown words is the second */
extern const int16_t lethe_names_weights[];             /* by feature: person, place */
extern const size_t lethe_names_n_weights;
extern const int32_t lethe_names_thresholds[2];

/* The profile of a folded word or town, `n` bytes; NULL: not known. */
const lethe_name_profile *lethe_name_look_up(const char *word, size_t n);

/* --- tokens --- */

enum lethe_name_kind { LETHE_NAME_IS_WORD, LETHE_NAME_INITIAL, LETHE_NAME_OTHER, LETHE_NAME_EDGE };
enum lethe_name_gap { LETHE_NAME_TIGHT, LETHE_NAME_COMMA, LETHE_NAME_STOP, LETHE_NAME_SIGN };

typedef struct lethe_name_token {
    size_t at, end;
    const lethe_name_profile *profile;
    uint16_t suffix;   /* number of its last three letters */
    uint8_t owned;     /* bytes of the 's behind it */
    uint8_t kind, gap; /* gap: what stands between it and the token before */
    bool near : 1;     /* the token before ends two bytes before it or nearer */
    bool joins : 1;    /* only " ", "-" or ". " stands there */
    bool accent : 1;   /* has a letter past ASCII */
    bool multi : 1;    /* a town of several words */
} lethe_name_token;

/* What stands at both ends of a text. */
extern const lethe_name_token lethe_name_edge;

/* Tokens of a text from left to right.  Two edges stand at each mask and at the end. */
typedef struct lethe_name_reader {
    const lethe_pii_view *view;
    size_t at;        /* read up to here */
    size_t chunk_end; /* of what stands around `at` without a space, a mask or / ? & = # */
    unsigned edges;   /* still to be given */
    struct {
        bool known; /* false: an edge */
        size_t end, next;
    } before;       /* the token read last, and where the gap behind it begins */
    size_t n_ahead; /* tokens read ahead, for towns of several words */
    lethe_name_token ahead[LETHE_NAME_TOWN_WORDS];
} lethe_name_reader;

void lethe_name_reader_begin(lethe_name_reader *r, const lethe_pii_view *v);
/* false: the text has ended, and its edges were given. */
bool lethe_name_reader_next(lethe_name_reader *r, lethe_name_token *out);

/* --- the walk --- */

enum { LETHE_NAME_BUFFER = 16 };

typedef struct lethe_name_walk {
    lethe_name_reader reader;
    lethe_name_token tokens[LETHE_NAME_BUFFER];
    size_t n, middle; /* tokens; the one to decide on next, which has two on each side */
    struct {
        size_t at, end, n; /* n: tokens; 0: no run is open */
        bool has_word;     /* not initials alone */
        int tag;
    } run;
} lethe_name_walk;

void lethe_name_walk_begin(lethe_name_walk *w, const lethe_pii_view *v);
/* The first person or place, of the view's kinds, that begins before `limit`; false: none does. */
bool lethe_name_walk_next(lethe_name_walk *w, size_t limit, lethe_finding *out);

#endif
