/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - what suggest.c decides by; publish/ takes its facts of records and tables. */
#ifndef LETHE_APP_SUGGEST_SUGGEST_H
#define LETHE_APP_SUGGEST_SUGGEST_H
#include "core/mem.h"
#include "release/release.h"

/* Texts are built in an arena; whether memory was lacking is checked once, at the end. */
typedef struct lethe_text_arena {
    lethe_arena *a;
    bool failed;
} lethe_text_arena;
LETHE_PRINTF(2, 3) const char *lethe_text_printf(lethe_text_arena *t, const char *fmt, ...);

/* An input in numbers, as far as the choice of a method depends on them. */
typedef struct lethe_suggest_facts {
    lethe_shape shape;
    uint64_t persons; /* users, owners of records, rows */
    uint64_t rows;    /* queries, records, rows */
    bool wordnet;     /* are its dictionary files there? */

    /* of a log */
    uint64_t texts, clicks, personal; /* personal: queries in which a detector finds something */
    double nouns;                     /* share of the words */
    double alone;                     /* share of the users who have a text nobody else issued */
    bool has_times, has_several;      /* has_several: does any user have two different queries? */
    uint64_t t;  /* a threshold that leaves a fair share; 0: no text has two users */
    double left; /* share of the queries that it leaves, and how many texts */
    uint64_t left_texts;
    uint64_t t_of_k; /* the least t, k or more, that leaves a text; 0: none does */

    /* of records */
    uint64_t items, n_items; /* distinct, all */
    double known;            /* share of the distinct ones that are nouns of WordNet */

    /* of a table */
    double top;         /* share of the commonest sensitive value; 0: there is no such column */
    const char *ranges; /* --ranges for columns of numbers that have no hierarchy; NULL: none */
    const char *bare;   /* a column of many values that still has none; NULL: there is no such */

    uint64_t k;        /* a fair one; 0: fewer than two persons */
    const char *theta; /* for sensitive columns; NULL: none, or none makes sense */
    bool several;      /* sensitive columns */
} lethe_suggest_facts;

/* Reads the input once and counts.  `metrics` gets figures, `report` the counts; strings of *out
 * live in t->a. */
LETHE_MUST_CHECK lethe_err lethe_suggest_facts_gather(lethe_ctx *ctx,
                                                      const lethe_suggest_options *s,
                                                      lethe_text_arena *t, lethe_json_doc *doc,
                                                      lethe_json *report, lethe_json *metrics,
                                                      lethe_suggest_facts *out);

/* The text of an option that was given; NULL: it was not. */
const char *lethe_suggest_given(const lethe_suggest_options *s, const char *name);

#endif
