/* SPDX-License-Identifier: Apache-2.0 */
/* wordnet_oracle.h - the dictionary read a second time, plainly; trees and paths made by the word
 * of the definitions; and small dictionaries made up. */
#ifndef LETHE_TESTS_WORDNET_ORACLE_H
#define LETHE_TESTS_WORDNET_ORACLE_H
#include "lexicon/wordnet/wordnet.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDNET_DIR "/usr/share/wordnet"

static inline char *oracle_slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*n + 1);
    assert_int_equal(fread(text, 1, *n, f), *n);
    text[*n] = 0;
    fclose(f);
    return text;
}

/* --- messages --- */

static struct said {
    char file[256], text[512];
    uint64_t line;
    unsigned n;
} said;

static inline void hear(void *none, const lethe_message *m)
{
    (void)none;
    if (m->severity != LETHE_ERROR) return;
    snprintf(said.file, sizeof said.file, "%s", m->file ? m->file : "");
    snprintf(said.text, sizeof said.text, "%s", m->text);
    said.line = m->line;
    said.n++;
}

static inline lethe_ctx *new_ctx(unsigned n_threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = n_threads, .on_message = hear};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

/* --- the files, read plainly --- */

typedef struct oracle_synset {
    long offset;
    unsigned file;
    char **word; /* in lower case, each once */
    size_t n_words;
    long *up; /* offsets, then numbers */
    size_t n_up;
} oracle_synset;

typedef struct oracle_noun {
    char *word;
    long *sense; /* offsets, then numbers */
    size_t n;
} oracle_noun;

typedef struct oracle {
    oracle_synset *synset;
    size_t n_synsets;
    oracle_noun *noun;
    size_t n_nouns;
} oracle;

static inline void oracle_synset_line(oracle *o, char *line)
{
    oracle_synset *s = &o->synset[o->n_synsets++];
    char *save, *field = strtok_r(line, " ", &save);
    s->offset = strtol(field, NULL, 10);
    s->file = (unsigned)strtoul(strtok_r(NULL, " ", &save), NULL, 10);
    strtok_r(NULL, " ", &save);
    size_t n = strtoul(strtok_r(NULL, " ", &save), NULL, 16);
    s->word = calloc(n, sizeof *s->word);
    for (size_t i = 0; i < n; i++) {
        char *word = strtok_r(NULL, " ", &save);
        strtok_r(NULL, " ", &save);
        for (char *p = word; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        size_t j = 0;
        while (j < s->n_words && strcmp(s->word[j], word) != 0)
            j++;
        if (j == s->n_words) s->word[s->n_words++] = strdup(word);
    }
    n = strtoul(strtok_r(NULL, " ", &save), NULL, 10);
    s->up = calloc(n + 1, sizeof *s->up);
    for (size_t i = 0; i < n; i++) {
        char *symbol = strtok_r(NULL, " ", &save);
        long offset = strtol(strtok_r(NULL, " ", &save), NULL, 10);
        strtok_r(NULL, " ", &save);
        strtok_r(NULL, " ", &save);
        if (strcmp(symbol, "@") == 0 || strcmp(symbol, "@i") == 0) s->up[s->n_up++] = offset;
    }
}

static inline void oracle_noun_line(oracle *o, char *line)
{
    oracle_noun *noun = &o->noun[o->n_nouns++];
    char *save, *field = strtok_r(line, " ", &save);
    noun->word = strdup(field);
    strtok_r(NULL, " ", &save);
    noun->n = strtoul(strtok_r(NULL, " ", &save), NULL, 10);
    size_t skip = strtoul(strtok_r(NULL, " ", &save), NULL, 10) + 2;
    while (skip-- > 0)
        strtok_r(NULL, " ", &save);
    noun->sense = calloc(noun->n, sizeof *noun->sense);
    for (size_t i = 0; i < noun->n; i++)
        noun->sense[i] = strtol(strtok_r(NULL, " ", &save), NULL, 10);
}

static inline long oracle_number(const oracle *o, long offset)
{
    size_t from = 0, to = o->n_synsets;
    while (from < to) {
        size_t mid = (from + to) / 2;
        if (o->synset[mid].offset == offset) return (long)mid;
        if (o->synset[mid].offset < offset)
            from = mid + 1;
        else
            to = mid;
    }
    fail_msg("no synset at %ld", offset);
    return -1;
}

static inline void oracle_lines(oracle *o, lethe_str text, void (*take)(oracle *, char *))
{
    char *copy = malloc(text.n + 1), *save;
    memcpy(copy, text.at, text.n);
    copy[text.n] = 0;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "  ", 2) != 0) take(o, line);
    free(copy);
}

static inline oracle *oracle_new(lethe_str index, lethe_str data)
{
    oracle *o = calloc(1, sizeof *o);
    o->synset = calloc(data.n / 20 + 1, sizeof *o->synset);
    o->noun = calloc(index.n / 20 + 1, sizeof *o->noun);
    oracle_lines(o, data, oracle_synset_line);
    oracle_lines(o, index, oracle_noun_line);
    for (size_t s = 0; s < o->n_synsets; s++)
        for (size_t i = 0; i < o->synset[s].n_up; i++)
            o->synset[s].up[i] = oracle_number(o, o->synset[s].up[i]);
    for (size_t i = 0; i < o->n_nouns; i++)
        for (size_t j = 0; j < o->noun[i].n; j++)
            o->noun[i].sense[j] = oracle_number(o, o->noun[i].sense[j]);
    return o;
}

static inline void oracle_free(oracle *o)
{
    for (size_t s = 0; s < o->n_synsets; s++) {
        for (size_t i = 0; i < o->synset[s].n_words; i++)
            free(o->synset[s].word[i]);
        free(o->synset[s].word);
        free(o->synset[s].up);
    }
    for (size_t i = 0; i < o->n_nouns; i++) {
        free(o->noun[i].word);
        free(o->noun[i].sense);
    }
    free(o->synset);
    free(o->noun);
    free(o);
}

static inline oracle *oracle_installed(void)
{
    size_t n[2];
    char *index = oracle_slurp(WORDNET_DIR "/index.noun", &n[0]);
    char *data = oracle_slurp(WORDNET_DIR "/data.noun", &n[1]);
    oracle *o = oracle_new((lethe_str){index, n[0]}, (lethe_str){data, n[1]});
    free(index);
    free(data);
    return o;
}

static inline int oracle_cmp_noun(const void *key, const void *noun)
{
    return strcmp(key, ((const oracle_noun *)noun)->word);
}

/* -1: no such noun. */
static inline long oracle_find(const oracle *o, const char *word)
{
    oracle_noun *noun = bsearch(word, o->noun, o->n_nouns, sizeof *o->noun, oracle_cmp_noun);
    return noun ? noun - o->noun : -1;
}

static inline void oracle_name(const oracle *o, long s, char *out, size_t cap)
{
    long noun = oracle_find(o, o->synset[s].word[0]);
    size_t sense = 0;
    while (o->noun[noun].sense[sense] != s)
        sense++;
    snprintf(out, cap, "%s.n.%02zu", o->noun[noun].word, sense + 1);
}

/* --- small dictionaries --- */

typedef struct fake_synset {
    unsigned file;
    const char *words; /* parted by spaces */
    const char *up;    /* hypernyms: numbers, parted by spaces */
} fake_synset;

typedef struct fake_files {
    char *text[3]; /* index, data, exceptions */
    size_t n[3];
} fake_files;

static inline int fake_cmp(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline size_t fake_count(const char *words)
{
    size_t n = *words != 0;
    for (; *words; words++)
        n += *words == ' ';
    return n;
}

/* The line of a synset; `at`: where each stands. */
static inline void fake_line(FILE *out, const fake_synset *s, long own, const long *at)
{
    char *words = strdup(s->words), *ups = strdup(s->up), *save;
    fprintf(out, "%08ld %02u n %02zx ", own, s->file, fake_count(words));
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        fprintf(out, "%s 0 ", w);
    fprintf(out, "%03zu ", fake_count(ups));
    for (char *u = strtok_r(ups, " ", &save); u; u = strtok_r(NULL, " ", &save))
        fprintf(out, "@ %08ld n 0000 ", at ? at[atoi(u)] : 0L);
    fprintf(out, "| what it means  \n");
    free(words);
    free(ups);
}

/* Is `word` one of s's words, whatever its capitals? */
static inline bool fake_has(const fake_synset *s, const char *word)
{
    char *words = strdup(s->words), *save;
    bool has = false;
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        has = has || strcasecmp(w, word) == 0;
    free(words);
    return has;
}

/* Senses are numbered in the order of the synsets, or the other way round for words whose last
 * letter is odd, so that first words do not always have their synset as first sense. */
static inline void fake_index_line(FILE *out, const char *word, const fake_synset *s, size_t n,
                                   const long *at)
{
    size_t senses = 0;
    bool back = word[strlen(word) - 1] % 2 == 1;
    for (size_t i = 0; i < n; i++)
        senses += fake_has(&s[i], word);
    fprintf(out, "%s n %zu 2 @ ~ %zu 0 ", word, senses, senses);
    for (size_t k = 0; k < n; k++) {
        size_t i = back ? n - 1 - k : k;
        if (fake_has(&s[i], word)) fprintf(out, "%08ld ", at[i]);
    }
    fprintf(out, " \n");
}

static inline size_t fake_words(const fake_synset *s, size_t n, char **words)
{
    size_t n_words = 0, kept = 0;
    char *save;
    for (size_t i = 0; i < n; i++) {
        char *copy = strdup(s[i].words);
        for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
            words[n_words] = strdup(w);
            for (char *p = words[n_words++]; *p; p++)
                *p = (char)tolower((unsigned char)*p);
        }
        free(copy);
    }
    qsort(words, n_words, sizeof *words, fake_cmp);
    for (size_t i = 0; i < n_words; i++)
        if (kept > 0 && strcmp(words[kept - 1], words[i]) == 0)
            free(words[i]);
        else
            words[kept++] = words[i];
    return kept;
}

/* The three files; `licence`: with lines before the first. */
static inline fake_files fake_make(const fake_synset *s, size_t n, const char *exceptions,
                                   bool licence)
{
    static const char text[] = "  1 a licence  \n  2 and more of it  \n";
    fake_files f;
    long *at = calloc(n + 1, sizeof *at);
    size_t n_words = 0;
    for (size_t i = 0; i < n; i++)
        n_words += fake_count(s[i].words);
    FILE *data = open_memstream(&f.text[1], &f.n[1]);
    if (licence) fputs(text, data);
    for (size_t i = 0; i < n; i++) { // a line is as long whatever the offsets in it
        at[i] = ftell(data);
        fake_line(data, &s[i], at[i], NULL);
    }
    rewind(data);
    if (licence) fputs(text, data);
    for (size_t i = 0; i < n; i++)
        fake_line(data, &s[i], at[i], at);
    fclose(data);
    char **words = calloc(n_words + 1, sizeof *words);
    n_words = fake_words(s, n, words);
    FILE *index = open_memstream(&f.text[0], &f.n[0]);
    if (licence) fputs(text, index);
    for (size_t i = 0; i < n_words; i++) {
        fake_index_line(index, words[i], s, n, at);
        free(words[i]);
    }
    fclose(index);
    f.text[2] = strdup(exceptions);
    f.n[2] = strlen(exceptions);
    free(words);
    free(at);
    return f;
}

static inline void fake_free(fake_files *f)
{
    for (int i = 0; i < 3; i++)
        free(f->text[i]);
}

static inline lethe_err fake_open(lethe_ctx *ctx, const fake_files *f, lethe_wordnet **out)
{
    return lethe_wordnet_memory(ctx, (lethe_str){f->text[0], f->n[0]},
                                (lethe_str){f->text[1], f->n[1]}, (lethe_str){f->text[2], f->n[2]},
                                out);
}

static const fake_synset fake_small[] = {
    {3, "entity", ""},
    {3, "thing object", "0"},
    {13, "food nutrient", "1"},
    {13, "fruit", "2"},
    {13, "apple", "3"},
    {20, "plant flora Plant", "1"},
    {20, "apple orchard_tree", "5 1"},
    {13, "cider", "2 4"},
    {13, "nutrient", "2"},
};
enum { FAKE_SMALL = sizeof fake_small / sizeof *fake_small };
static const char *const fake_names[] = {"index.noun", "data.noun", "noun.exc"};

#endif
