/* SPDX-License-Identifier: Apache-2.0 */
/* synth_user.c - what one user of the synthetic log, version 1, asks in three months. */
#include "app/synth/synth_internal.h"

/* --- how people behave; shares are of a thousand --- */

enum {
    /* A query is one of the user's favourites (checked again and again), or one of the last few
     * (the next page of results), or something new. */
    FAVOURITE = 318,
    AGAIN = 115,
    RECENT = 12,
    BECOMES_FAVOURITE = 32,

    /* Something new is of the head: each user leans to it by up to twice that, and navigators, who
     * come less often, hardly ask for anything else. */
    HEAD = 44,
    NAVIGATORS = 50,
    NAVIGATOR_HEAD = 930,
    NAVIGATOR_VOLUME = 250, /* of a thousand queries of the mean */
    OTHER_VOLUME = (1000000 - NAVIGATORS * NAVIGATOR_VOLUME) / (1000 - NAVIGATORS),

    /* Or else it is about home, a person, or a site that hardly anybody goes to; or it is popular;
     * or else of an interest. */
    LOCAL = 50,
    PERSON = 50,
    SITE = 90,
    POPULAR = 195,

    LONGER = 200,  /* of texts of an interest: the last one and a word more */
    MISSPELT = 80, /* of new texts: once with a slip, then as meant */

    CLICKED = 560,      /* of queries */
    CLICKED_MORE = 525, /* of results clicked: another one after it */
    CLICKED_SITE = 200, /* the same where a site was asked for */
    FIRST_RESULT = 450, /* the first result, or else the first of the rest, ... */
    CLICKS_MAX = 10,

    SESSION_GOES_ON = 720, /* one more query in the same session */
};

static void begin(lethe_synth_now *now)
{
    lethe_synth_draw *d = &now->d;
    bool navigates = lethe_synth_chance(d, NAVIGATORS);
    now->head = navigates ? NAVIGATOR_HEAD : lethe_synth_pick(d, 2 * HEAD);
    now->volume = navigates ? NAVIGATOR_VOLUME : OTHER_VOLUME;
    now->n_interests =
        LETHE_INTERESTS_MIN + lethe_synth_pick(d, LETHE_INTERESTS_MAX - LETHE_INTERESTS_MIN + 1);
    for (uint32_t i = 0; i < now->n_interests; i++)
        now->interests[i] = now->w->interests[lethe_synth_pick(d, now->w->n_interests)];
}

static void session(lethe_synth_now *now)
{
    now->topic = now->interests[lethe_synth_rank(&now->d, now->n_interests)];
}

static void new_text(lethe_synth_now *now, lethe_synth_pen *pen, lethe_synth_text *t)
{
    lethe_synth_draw *d = &now->d;
    uint32_t kind = lethe_synth_pick(d, 1000);
    if (kind < LOCAL) {
        lethe_synth_text_local(d, now->p->errands.town, pen, t);
    } else if (kind < LOCAL + PERSON) {
        lethe_synth_text_person(d, pen, t);
    } else if (kind < LOCAL + PERSON + SITE) {
        lethe_synth_text_site(now->w, d, now->topic, pen, t);
    } else if (kind < LOCAL + PERSON + SITE + POPULAR) {
        lethe_synth_text_popular(now->w, d, pen, t);
    } else {
        const lethe_synth_text *last =
            now->last_of_topic ? &now->p->typed[now->last_of_topic - 1] : NULL;
        *t = (lethe_synth_text){.target = LETHE_TO_TOPIC, .to = now->topic};
        if (!last || !lethe_synth_chance(d, LONGER) ||
            !lethe_synth_text_longer(now->w, d, now->topic, lethe_synth_typed_text(now->p, last),
                                     pen))
            lethe_synth_text_topic(now->w, d, now->topic, pen, t);
        now->last_of_topic = now->p->n_typed + 1;
    }
}

static lethe_err next(lethe_synth_now *now, size_t *out)
{
    lethe_synth_person *p = now->p;
    lethe_synth_draw *d = &now->d;
    lethe_synth_pen pen;
    uint32_t how = lethe_synth_pick(d, 1000);
    if (how < FAVOURITE && p->n_favourites > 0) {
        *out = p->favourites[lethe_synth_rank(d, (uint32_t)p->n_favourites)];
        return LETHE_OK;
    }
    if (how >= FAVOURITE && how < FAVOURITE + AGAIN && p->n_typed > 0) {
        *out = p->n_typed - 1 - lethe_synth_rank(d, (uint32_t)LETHE_MIN(p->n_typed, RECENT));
        return LETHE_OK;
    }
    // something new. The texts of the pools are for errands alone: see synth_plant.c.
    lethe_synth_text t;
    LETHE_TRY(lethe_synth_typed_begin(p, &pen));
    char *start = pen.at;
    if (lethe_synth_chance(d, now->head)) {
        lethe_synth_text_head(d, &pen, &t);
    } else {
        do {
            pen.at = start;
            new_text(now, &pen, &t);
        } while (lethe_synth_is_clue(now->w, (lethe_str){start, (size_t)(pen.at - start)}));
    }
    *out = lethe_synth_typed_end(p, &pen, t);
    if (lethe_synth_chance(d, BECOMES_FAVOURITE)) p->favourites[p->n_favourites++] = (uint32_t)*out;
    return lethe_synth_chance(d, MISSPELT) ? lethe_synth_slip(now, *out, out) : LETHE_OK;
}

static uint32_t n_clicks(lethe_synth_now *now, const lethe_synth_text *t)
{
    uint32_t n = lethe_synth_chance(&now->d, CLICKED),
             more = t->target == LETHE_TO_TOPIC ? CLICKED_MORE : CLICKED_SITE;
    while (n > 0 && n < CLICKS_MAX && lethe_synth_chance(&now->d, more))
        n++;
    now->rank = 0;
    return n;
}

static void click(lethe_synth_now *now, const lethe_synth_text *t, uint32_t i, lethe_synth_pen *p)
{
    lethe_synth_text rest = {.target = LETHE_TO_TOPIC, .to = now->topic};
    do
        now->rank++;
    while (now->rank < 500 && !lethe_synth_chance(&now->d, FIRST_RESULT));
    lethe_synth_pen_number(p, now->rank, 1);
    lethe_synth_pen_char(p, '\t');
    lethe_synth_url_first(now->w, &now->d, i == 0 ? t : &rest, lethe_synth_typed_text(now->p, t),
                          p);
}

static const char *state_of(uint32_t town, uint32_t state)
{
    (void)town;
    return lethe_synth_states[state];
}

/* How often people are interested in topics of each lexicographer file (wordnet.h), 3 to 28: */
static const uint8_t wanted[29] = {
    [3] = 1,  /* Tops */[4] = 4,       /* act */[5] = 1,         /* animal */
    [6] = 8,  /* artifact */[7] = 1,   /* attribute */[8] = 2,   /* body */
    [9] = 1,  /* cognition */[10] = 4,                           /* communication */
    [11] = 3, /* event */[12] = 1,     /* feeling */[13] = 8,    /* food */
    [14] = 2, /* group */[15] = 3,     /* location */[16] = 1,   /* motive */
    [17] = 2, /* object */[18] = 3,    /* person */[19] = 1,     /* phenomenon */
    [20] = 1, /* plant */[21] = 4,     /* possession */[22] = 1, /* process */
    [23] = 1, /* quantity */[24] = 1,  /* relation */[25] = 1,   /* shape */
    [26] = 3, /* state */[27] = 1,     /* substance */[28] = 2,  /* time */
};

const lethe_synth_model lethe_synth_model_1 = {
    .wanted = wanted,
    .topic_min = 60,
    .topic_max = 600,
    .topic_kept = 650,
    .session_goes_on = SESSION_GOES_ON,
    .firsts = lethe_synth_firsts,
    .relatives = lethe_synth_relatives,
    .surname = lethe_synth_text_surname,
    .town = lethe_synth_text_town,
    .state_of = state_of,
    .begin = begin,
    .session = session,
    .next = next,
    .n_clicks = n_clicks,
    .click = click,
};
