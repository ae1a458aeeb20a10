/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens are persons, which places: a linear classifier over the tokens in a window of five.
 *
 * What stands before the end of a finding is not looked at after it, so that the decisions about a
 * rest of a text are those about the rest alone (pii.h). */
#include "text/pii/names_internal.h"

enum tag { NONE, PERSON, PLACE };

/* --- features --- */

enum {
    CLASSES = 8, /* of a score */
    WORD_CLASSES = 5,
    REDUCED = 39,
    CONTEXT = 1024,
    NEIGHBOURS = 4,
    STRENGTHS = 4, /* of a name, in a reduced class */
    SUFFIX_BITS = 12,
    PAIR_BITS = 13,
    FIRST_SPECIAL = 36, /* reduced classes from here on are of no word */
};

/* Where the features of each kind begin, in the order of names_model.py. */
enum {
    F_BIAS = 0,
    F_CLASS = F_BIAS + 1,
    F_REDUCED = F_CLASS + CLASSES * CLASSES * CLASSES * WORD_CLASSES,
    F_CONTEXT = F_REDUCED + NEIGHBOURS * REDUCED,
    F_SELF = F_CONTEXT + NEIGHBOURS * CONTEXT,
    F_PAIR_BEFORE = F_SELF + CONTEXT,
    F_PAIR_BEHIND = F_PAIR_BEFORE + CLASSES * CLASSES,
    F_AROUND_INITIAL = F_PAIR_BEHIND + CLASSES * CLASSES,
    F_PREVIOUS = F_AROUND_INITIAL + CLASSES * CLASSES,
    F_SUFFIX = F_PREVIOUS + 3 * REDUCED,
    F_GAPS = F_SUFFIX + (1 << SUFFIX_BITS),
    F_BEFORE_NAME = F_GAPS + 64,
    F_BEHIND_NAME = F_BEFORE_NAME + STRENGTHS * CONTEXT,
    F_BETWEEN = F_BEHIND_NAME + STRENGTHS * CONTEXT,
    F_MULTI = F_BETWEEN + REDUCED * REDUCED,
    F_INITIAL = F_MULTI + 2,
    F_TWO_BEFORE = F_INITIAL + 2,
    F_BOTH_SIDES = F_TWO_BEFORE + (1 << PAIR_BITS),
    F_ACCENT = F_BOTH_SIDES + (1 << PAIR_BITS),
    F_NAME_REDUCED = F_ACCENT + 2 * STRENGTHS,
    F_END = F_NAME_REDUCED + NEIGHBOURS * STRENGTHS * REDUCED,
};

typedef struct sums {
    int32_t person, place;
} sums;

static void add(sums *s, unsigned feature)
{
    const int16_t *weights = lethe_names_weights + (size_t)2 * feature;
    s->person += weights[0];
    s->place += weights[1];
}

static unsigned hash_to(uint32_t x, unsigned bits) { return x * 2654435761u >> (32 - bits); }

/* Given name and surname. */
static unsigned pair(const lethe_name_token *given, const lethe_name_token *surname)
{
    return given->profile->class[LETHE_NAME_GIVEN] * (unsigned)CLASSES +
           surname->profile->class[LETHE_NAME_SURNAME];
}

static unsigned strength_of(const lethe_name_token *t)
{
    return t->profile->reduced < FIRST_SPECIAL ? t->profile->reduced / 9u : 0;
}

/* What the token says by itself. */
static void add_own(sums *s, const lethe_name_token *t)
{
    const uint8_t *c = t->profile->class;
    add(s, F_BIAS);
    unsigned class = ((c[0] * (unsigned)CLASSES + c[1]) * CLASSES + c[2]) * WORD_CLASSES + c[3];
    add(s, F_CLASS + class);
    if (t->profile->context) add(s, F_SELF + t->profile->context);
    if (t->kind == LETHE_NAME_IS_WORD && !t->multi) add(s, F_SUFFIX + t->suffix);
    add(s, F_MULTI + t->multi);
    add(s, F_INITIAL + (t->kind == LETHE_NAME_INITIAL));
    add(s, F_ACCENT + (t->accent ? STRENGTHS : 0u) + strength_of(t));
}

/* What its neighbours say, each by itself. */
static void add_neighbours(sums *s, const lethe_name_token *t,
                           const lethe_name_token *const near[NEIGHBOURS])
{
    unsigned strength = strength_of(t);
    for (unsigned k = 0; k < NEIGHBOURS; k++) {
        const lethe_name_profile *p = near[k]->profile;
        add(s, F_REDUCED + k * REDUCED + p->reduced);
        add(s, F_NAME_REDUCED + (k * STRENGTHS + strength) * REDUCED + p->reduced);
        if (p->context) add(s, F_CONTEXT + k * CONTEXT + p->context);
    }
}

/* What they say together. */
static void add_together(sums *s, const lethe_name_token *t,
                         const lethe_name_token *const near[NEIGHBOURS], int previous)
{
    const lethe_name_token *b2 = near[0], *b1 = near[1], *a1 = near[2], *a2 = near[3];
    unsigned before = b1->profile->context, behind = a1->profile->context,
             strength = strength_of(t);
    bool starts = b1->kind == LETHE_NAME_EDGE;
    add(s, F_PAIR_BEFORE + pair(b1, t));
    add(s, F_PAIR_BEHIND + pair(t, a1));
    if (b1->kind == LETHE_NAME_INITIAL) add(s, F_AROUND_INITIAL + pair(b2, t));
    if (a1->kind == LETHE_NAME_INITIAL) add(s, F_AROUND_INITIAL + pair(t, a2));
    add(s, F_PREVIOUS + (unsigned)previous * REDUCED + t->profile->reduced);
    add(s, F_GAPS + starts * 32u + t->gap * 8u + a1->gap * 2u + (t->owned > 0));
    add(s, F_BETWEEN + b1->profile->reduced * (unsigned)REDUCED + a1->profile->reduced);
    if (before) add(s, F_BEFORE_NAME + strength * CONTEXT + before);
    if (behind) add(s, F_BEHIND_NAME + strength * CONTEXT + behind);
    if (before) add(s, F_TWO_BEFORE + hash_to(b2->profile->context * CONTEXT + before, PAIR_BITS));
    if (before || behind) add(s, F_BOTH_SIDES + hash_to(before * CONTEXT + behind, PAIR_BITS));
}

/* --- the walk --- */

static bool is_unknown(const lethe_name_token *t)
{
    const uint8_t *c = t->profile->class;
    return t->kind == LETHE_NAME_IS_WORD && !(c[0] | c[1] | c[2] | c[3]);
}
static bool stands_alone(const lethe_name_token *t)
{
    return t[-1].kind == LETHE_NAME_EDGE && t[1].kind == LETHE_NAME_EDGE;
}

/* A country or state belongs to the town before it.  An unknown word alone is a brand, a host or a
 * misspelt word at least as often as a name, and nothing beside it tells. */
static enum tag decide(const lethe_name_token *t, int previous)
{
    const lethe_name_token *const near[NEIGHBOURS] = {t - 2, t - 1, t + 1, t + 2};
    if (!t->profile->candidate || (t->profile->region && previous != PLACE)) return NONE;
    if (is_unknown(t) && stands_alone(t)) return NONE;
    sums s = {-lethe_names_thresholds[0], -lethe_names_thresholds[1]};
    add_own(&s, t);
    add_neighbours(&s, t, near);
    add_together(&s, t, near, previous);
    if (s.person <= 0 && s.place <= 0) return NONE;
    return s.person >= s.place ? PERSON : PLACE;
}

void lethe_name_walk_begin(lethe_name_walk *w, const lethe_pii_view *v)
{
    lethe_name_reader_begin(&w->reader, v);
    w->tokens[0] = w->tokens[1] = lethe_name_edge;
    w->n = w->middle = 2;
    w->run.n = 0;
    w->run.has_word = false;
    w->run.tag = NONE;
}

/* Reads until two tokens stand behind the middle. */
static void read_on(lethe_name_walk *w)
{
    if (w->middle + 3 > LETHE_NAME_BUFFER) {
        w->n -= w->middle - 2;
        memmove(w->tokens, w->tokens + w->middle - 2, w->n * sizeof *w->tokens);
        w->middle = 2;
    }
    for (; w->n < w->middle + 3; w->n++)
        if (!lethe_name_reader_next(&w->reader, &w->tokens[w->n]))
            w->tokens[w->n] = lethe_name_edge;
}

/* Ends the run before the middle: is it a finding?  Initials alone are none.  What stands before is
 * not looked at any more.
 */
static bool end_run(lethe_name_walk *w, lethe_finding *out)
{
    lethe_pii kind = w->run.tag == PERSON ? LETHE_PII_PERSON : LETHE_PII_PLACE;
    bool wanted = w->run.has_word && (w->reader.view->kinds >> kind & 1);
    lethe_name_token *t = &w->tokens[w->middle];
    *out = (lethe_finding){w->run.at, w->run.end - w->run.at, kind};
    w->run.n = 0;
    w->run.has_word = false;
    w->run.tag = NONE;
    t[-2] = t[-1] = lethe_name_edge;
    t->gap = LETHE_NAME_TIGHT;
    return wanted;
}

bool lethe_name_walk_next(lethe_name_walk *w, size_t limit, lethe_finding *out)
{
    for (;; w->middle++) {
        read_on(w);
        const lethe_name_token *t = &w->tokens[w->middle];
        if (w->run.n == 0 && t->at >= limit) return false;
        bool goes_on = w->run.n > 0 && t->near && w->run.n < LETHE_NAME_RUN_MAX;
        enum tag tag = goes_on ? decide(t, w->run.tag) : NONE;
        if (w->run.n > 0 && (!goes_on || (int)tag != w->run.tag)) {
            if (end_run(w, out)) return true;
            goes_on = false;
        }
        if (!goes_on) tag = decide(t, NONE);
        if (tag == NONE) continue;
        if (w->run.n++ == 0) w->run.at = t->at;
        w->run.end = t->end;
        w->run.has_word |= t->kind == LETHE_NAME_IS_WORD;
        w->run.tag = (int)tag;
    }
}
