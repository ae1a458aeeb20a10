/* SPDX-License-Identifier: Apache-2.0 */
/* synth_plant.c - the planted persons of the synthetic log.
 *
 * Of every 64 users one has numbers, one a name with a town, one a pattern.  What they are given
 * follows from the number of their group, by maps that never give two groups the same: so nobody
 * needs to know of anybody else, and yet each is the only one.
 *
 * Nobody real has any of it, but for a name by chance.  Social-security numbers lie in areas 734 to
 * 749, which had never been given to a state when in 2011 numbers began to be drawn at random;
 * cards have the issuer numbers that payment processors use for tests; phone numbers are those kept
 * for fiction (555-01xx); e-mail addresses are at the domains of RFC 2606; surnames and towns are
 * made up (version 1), or common ones put together by chance (version 2).  All are valid by their
 * form, and a detector of personal data should find them. */
#include "app/synth/synth_internal.h"

/* --- who --- */

void lethe_synth_plants_of(const lethe_synth_world *w, uint64_t group, lethe_synth_plants *out)
{
    lethe_rng r = lethe_rng_stream(w->random, "synth-plant", group);
    *out = (lethe_synth_plants){.group = group};
    for (size_t i = 0; i < LETHE_N_PLANTS;) {
        out->who[i] = (uint8_t)lethe_rng_below(&r, LETHE_GROUP);
        bool taken = false;
        for (size_t k = 0; k < i; k++)
            taken = taken || out->who[k] == out->who[i];
        if (!taken) i++;
    }
    lethe_rng_wipe(&r);
}

/* --- writing errands --- */

static lethe_synth_pen errand_begin(lethe_synth_errands *e)
{
    assert(e->used + LETHE_TEXT_ROOM <= sizeof e->text);
    return (lethe_synth_pen){e->text + e->used};
}

static lethe_str errand_end(lethe_synth_errands *e, lethe_synth_pen p)
{
    lethe_str s = {e->text + e->used, (size_t)(p.at - (e->text + e->used))};
    e->used += s.n;
    return s;
}

static void errand_put(lethe_synth_errands *e, lethe_str text, unsigned times)
{
    assert(e->n < LETHE_ERRANDS);
    e->at[e->n].text = text;
    e->at[e->n++].times = times;
}

static void errand_around(lethe_synth_errands *e, const char *before, lethe_str text,
                          const char *after)
{
    lethe_synth_pen p = errand_begin(e);
    lethe_synth_pen_text(&p, before);
    lethe_synth_pen_str(&p, text);
    lethe_synth_pen_text(&p, after);
    errand_put(e, errand_end(e, p), 1);
}

/* --- numbers --- */

static void ssn_write(uint64_t v, unsigned form, lethe_synth_pen *p)
{
    static const char *const between[] = {"-", "-", " ", ""};
    uint64_t serial = v % 9999 + 1, pair = v / 9999 % 99 + 1, area = 734 + v / 9999 / 99;
    lethe_synth_pen_number(p, area, 3);
    lethe_synth_pen_text(p, between[form % 4]);
    lethe_synth_pen_number(p, pair, 2);
    lethe_synth_pen_text(p, between[form % 4]);
    lethe_synth_pen_number(p, serial, 4);
}

static void card_write(uint64_t v, unsigned form, lethe_synth_pen *p)
{
    static const char *const issuers[] = {"400000", "411111", "510510", "555555"};
    static const char between[] = {'\0', ' ', ' ', '-'};
    char digits[20];
    lethe_synth_pen q = {digits};
    lethe_synth_pen_text(&q, issuers[v / 1000000000]);
    lethe_synth_pen_number(&q, v % 1000000000, 9);
    unsigned sum = 0; // Luhn: every other digit, beginning before the last, counts twice
    for (int i = 0; i < 15; i++) {
        unsigned digit = (unsigned)(digits[i] - '0') << (i % 2 == 0);
        sum += digit > 9 ? digit - 9 : digit;
    }
    lethe_synth_pen_number(&q, (10 - sum % 10) % 10, 1);
    for (int i = 0; i < 16; i++) {
        if (i > 0 && i % 4 == 0 && between[form % 4]) lethe_synth_pen_char(p, between[form % 4]);
        lethe_synth_pen_char(p, digits[i]);
    }
}

/* Area codes are [2-9][0-8][0-9] but for the N11s: 89 of each first digit. */
static void phone_write(uint64_t v, unsigned form, lethe_synth_pen *p)
{
    static const char *const forms[][2] = {{"", "-"}, {"(", ") "}, {"1-", "-"}, {"", "."}};
    const char *const *f = forms[form % 4];
    uint64_t line = v % 100, area = v / 100 % 89, first = 2 + v / 8900;
    lethe_synth_pen_text(p, f[0]);
    lethe_synth_pen_number(p, first * 100 + area + (area >= 11), 3);
    lethe_synth_pen_text(p, f[1]);
    lethe_synth_pen_text(p, f[1][0] == '.' ? "555.01" : "555-01");
    lethe_synth_pen_number(p, line, 2);
}

static void email_write(const lethe_synth_model *m, uint64_t group, lethe_synth_draw *d,
                        lethe_synth_pen *p)
{
    static const char *const domains[] = {"example.com", "example.net", "example.org"};
    lethe_synth_pen_text(p, m->firsts[lethe_synth_pick(d, LETHE_SYNTH_FIRSTS)]);
    lethe_synth_pen_char(p, '.');
    m->surname(lethe_synth_pick(d, LETHE_SYNTH_SURNAMES), true, p);
    lethe_synth_pen_number(p, group, 1); // so that it is the only one
    lethe_synth_pen_char(p, '@');
    lethe_synth_pen_text(p, domains[lethe_synth_pick(d, 3)]);
}

static void numbers_plant(const lethe_synth_world *w, uint64_t group, lethe_synth_draw *d,
                          lethe_synth_errands *e)
{
    static const char *const before[] = {"social security number ", "stolen card ",
                                         "whose number is ", "email "};
    unsigned kinds = 1u << lethe_synth_pick(d, 4); // bits: ssn, card, phone, e-mail
    if (lethe_synth_chance(d, 300)) kinds |= 1u << lethe_synth_pick(d, 4);
    // each number is given once: where they have run out, there is an address
    if (group >= LETHE_SYNTH_SSNS) kinds &= ~1u;
    if (group >= LETHE_SYNTH_CARDS) kinds &= ~2u;
    if (group >= LETHE_SYNTH_PHONES) kinds &= ~4u;
    if (!kinds) kinds = 8;
    for (unsigned k = 0; k < 4; k++) {
        if (!(kinds >> k & 1)) continue;
        lethe_synth_pen p = errand_begin(e);
        unsigned form = lethe_synth_pick(d, 4);
        if (k == 0) ssn_write(lethe_synth_permuted(&w->ssn, group), form, &p);
        if (k == 1) card_write(lethe_synth_permuted(&w->card, group), form, &p);
        if (k == 2) phone_write(lethe_synth_permuted(&w->phone, group), form, &p);
        if (k == 3) email_write(w->model, group, d, &p);
        lethe_str number = errand_end(e, p);
        e->clues[e->n_clues++] = number;
        errand_put(e, number, 1 + lethe_synth_pick(d, 3));
        if (lethe_synth_chance(d, 500)) errand_around(e, before[k], number, "");
    }
}

/* --- a name and a town --- */

static lethe_str name_of(const lethe_synth_model *m, lethe_synth_errands *e, const char *first,
                         uint32_t surname)
{
    lethe_synth_pen p = errand_begin(e);
    lethe_synth_pen_text(&p, first);
    lethe_synth_pen_char(&p, ' ');
    m->surname(surname, true, &p);
    return errand_end(e, p);
}

/* They ask for themselves, for others of the name, and for what there is in town. */
static void name_plant(const lethe_synth_world *w, uint64_t group, lethe_synth_draw *d,
                       lethe_synth_errands *e)
{
    uint64_t v = lethe_synth_permuted(&w->names, group);
    uint32_t first = (uint32_t)(v % LETHE_SYNTH_FIRSTS),
             state = lethe_synth_pick(d, LETHE_SYNTH_STATES);
    v /= LETHE_SYNTH_FIRSTS;
    uint32_t surname = (uint32_t)(v % LETHE_SYNTH_SURNAMES);
    e->town = (uint32_t)(v / LETHE_SYNTH_SURNAMES);
    lethe_synth_pen p = errand_begin(e);
    w->model->town(e->town, &p);
    lethe_str town = errand_end(e, p),
              name = name_of(w->model, e, w->model->firsts[first], surname);
    e->clues[0] = name;
    e->clues[1] = town;
    e->n_clues = 2;
    errand_put(e, name, 2 + lethe_synth_pick(d, 4));
    errand_put(e, town, 1 + lethe_synth_pick(d, 2));
    for (unsigned i = 0; i < 2; i++) {
        const char *relative = w->model->relatives[lethe_synth_pick(d, LETHE_SYNTH_RELATIVES)];
        errand_put(e, name_of(w->model, e, relative, surname), 1 + lethe_synth_pick(d, 2));
    }
    const char *in = w->model->state_of(e->town, state), st[4] = {' ', in[0], in[1], '\0'};
    errand_around(e, "", town, st);
    errand_around(e, "homes sold in ", town, st);
    p = errand_begin(e);
    lethe_synth_pen_str(&p, name);
    lethe_synth_pen_char(&p, ' ');
    lethe_synth_pen_str(&p, town);
    lethe_synth_pen_text(&p, st);
    errand_put(e, errand_end(e, p), 1);
}

void lethe_synth_errands_of(const lethe_synth_world *w, const lethe_synth_plants *p, uint64_t user,
                            lethe_synth_draw *d, lethe_synth_errands *out)
{
    out->kind = LETHE_N_PLANTS;
    out->n = out->n_clues = out->used = 0;
    out->town = lethe_synth_rank(d, LETHE_SYNTH_TOWNS);
    // each name and each pattern is given once, and then no more
    static const uint64_t n_plants[LETHE_N_PLANTS] = {[LETHE_PLANT_NUMBER] = UINT64_MAX,
                                                      [LETHE_PLANT_NAME] = LETHE_SYNTH_NAMES,
                                                      [LETHE_PLANT_PATTERN] = LETHE_SYNTH_PATTERNS};
    for (unsigned k = 0; k < LETHE_N_PLANTS; k++)
        if (p->who[k] == user % LETHE_GROUP && p->group < n_plants[k]) out->kind = (lethe_plant)k;
    if (out->kind == LETHE_PLANT_NUMBER) numbers_plant(w, p->group, d, out);
    if (out->kind == LETHE_PLANT_NAME) name_plant(w, p->group, d, out);
    if (out->kind == LETHE_PLANT_PATTERN) {
        // A person's clues are a word of the Reed-Solomon code of dimension 3 over GF(31),
        // evaluated at 1 to 8: two polynomials of degree below 3 agree in two places at most, so
        // that no two persons have three clues in common.  All others issue two texts of the pools
        // at most.  So three of a person's clues are the person's alone, while each by itself is
        // asked by everybody.
        uint32_t q = LETHE_SYNTH_POOL, v = (uint32_t)lethe_synth_permuted(&w->pattern, p->group),
                 a = v % q, b = v / q % q, c = v / q / q;
        for (uint32_t x = 1; x <= LETHE_SYNTH_POOLS; x++) {
            lethe_str clue = lethe_str_of(lethe_synth_pool[x - 1][(a + b * x + c * x * x) % q]);
            out->clues[out->n_clues++] = clue;
            errand_put(out, clue, 1 + lethe_synth_chance(d, 300));
        }
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t pool = lethe_synth_pick(d, LETHE_SYNTH_POOLS);
        const char *text = lethe_synth_pool[pool][lethe_synth_pick(d, LETHE_SYNTH_POOL)];
        errand_put(out, lethe_str_of(text), 1);
    }
}
