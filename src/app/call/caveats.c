/* SPDX-License-Identifier: Apache-2.0 */
/* All caveats that releases of a method can have, for help and manual pages: those of every
 * release, those of the defaults, and those that a single option adds. */
#include "app/call/command.h"
#include <stdio.h>
#include <string.h>

enum { CAVEATS_MAX = 64, CAVEAT_CHARS = 1024 };

typedef struct caveat {
    const char *text;
    char with[80]; /* "With --suppress vioSA: ", or "" */
} caveat;
typedef struct caveat_list {
    caveat at[CAVEATS_MAX];
    size_t n;
} caveat_list;

static void add(caveat_list *all, const char *text, const lethe_option *o, const char *value)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].text, text) == 0) return;
    if (all->n == CAVEATS_MAX) return;
    caveat *c = &all->at[all->n++];
    *c = (caveat){.text = text};
    if (!o || strncmp(text, "--", 2) == 0) return; // the text itself names the option
    snprintf(c->with, sizeof c->with, "With %s%s%s%s: ", o->name[1] ? "--" : "-", o->name,
             *value ? " " : "", value);
}

/* Adds the caveats of a run with this value, defaults otherwise. */
static void try_value(caveat_list *all, const lethe_method *m, lethe_values *v, size_t i,
                      const char *value, bool named)
{
    const char *texts[LETHE_WARNS_MAX];
    lethe_values_init(v, m->options, v->at);
    if (lethe_values_set(v, i, value, NULL) != LETHE_OK) return;
    for (size_t k = 0, n = m->warns(v, texts); k < n; k++)
        add(all, texts[k], &m->options[i], named ? value : "");
}

static void try_words(caveat_list *all, const lethe_method *m, lethe_values *v, size_t i,
                      const char *words)
{
    char word[64];
    for (const char *w = words; w && *w; w += strcspn(w, "|"), w += *w == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(w, "|"), w);
        try_value(all, m, v, i, word, true);
    }
}

static void try_option(caveat_list *all, const lethe_method *m, lethe_values *v, size_t i)
{
    const lethe_option *o = &m->options[i];
    char least[32], most[32];
    snprintf(least, sizeof least, "%.15g", o->min);
    snprintf(most, sizeof most, "%.15g", o->max);
    try_words(all, m, v, i, o->word);
    if (o->type == LETHE_OPT_CHOICE) try_words(all, m, v, i, o->arg);
    if (o->type == LETHE_OPT_COUNT || o->type == LETHE_OPT_REAL) {
        try_value(all, m, v, i, least, false);
        try_value(all, m, v, i, most, false);
    }
    if (o->type == LETHE_OPT_FLAG) try_value(all, m, v, i, "1", false);
    if (o->type == LETHE_OPT_TEXT || o->type == LETHE_OPT_PATH) try_value(all, m, v, i, "x", false);
}

static void caveats_of(const lethe_method *m, caveat_list *all)
{
    const char *texts[LETHE_WARNS_MAX];
    size_t n_options = lethe_option_count(m->options);
    lethe_values v;
    lethe_value *at = lethe_alloc_zero(n_options + 1, sizeof *at);
    all->n = 0;
    for (const char *const *c = m->caveats; c && *c; c++)
        add(all, *c, NULL, "");
    if (at && m->warns) {
        lethe_values_init(&v, m->options, at);
        for (size_t k = 0, n = m->warns(&v, texts); k < n; k++)
            add(all, texts[k], NULL, "");
        for (size_t i = 0; i < n_options; i++)
            try_option(all, m, &v, i);
    }
    if (m->ids)
        add(all,
            "--urls host or keep: the release shows which sites were clicked for which queries.",
            NULL, "");
    lethe_free(at);
}

void lethe_caveats_each(const char *method, void (*each)(void *user, const char *text), void *user)
{
    const lethe_method *m = lethe_method_find(method);
    caveat_list all = {.n = 0};
    if (m) caveats_of(m, &all);
    for (size_t i = 0; i < all.n; i++) {
        char text[CAVEAT_CHARS];
        snprintf(text, sizeof text, "%s%s", all.at[i].with, all.at[i].text);
        each(user, text);
    }
}
