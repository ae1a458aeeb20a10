/* SPDX-License-Identifier: Apache-2.0 */
/* synth2_user.c - what one user of the synthetic log, version 2, asks in three months. */
#include "app/synth/synth2.h"

/* --- how people behave; shares are of a thousand --- */

enum {
    /* A query is one of the user's favourites (checked again and again), or one of the session
     * (the next page of results), or something new. */
    FAVOURITE = 375,
    AGAIN = 240,
    /* What becomes a favourite: of the head, of popular texts, and of all else. */
    HEAD_FAVOURITE = 440,
    POPULAR_FAVOURITE = 650,
    OTHER_FAVOURITE = 50,

    /* Something new is of the head: each user leans to it by up to twice that, and navigators, who
     * come less often, hardly ask for anything else. */
    HEAD = 22,
    NAVIGATORS = 50,
    NAVIGATOR_HEAD = 930,
    NAVIGATOR_VOLUME = 250, /* of a thousand queries of the mean */
    OTHER_VOLUME = (1000000 - NAVIGATORS * NAVIGATOR_VOLUME) / (1000 - NAVIGATORS),

    /* Or else it is the last text of the session in other words, */
    REFORMULATED = 450,
    /* or it is about home, the family, or a site that hardly anybody goes to; or it is popular; or
     * else of an interest. */
    LOCAL = 40,
    FAMILY = 90,
    SITE = 215,
    POPULAR = 27,

    OWN_FAMILY = 500, /* of texts about people: of the user's family */
    FOCUS = 430,      /* of texts of an interest: about what the user asks about most */
    MISSPELT = 125,   /* of new texts: once with a slip, then as meant */

    CLICKED = 560,      /* of queries */
    CLICKED_MORE = 570, /* of results clicked: another one after it */
    CLICKED_SITE = 150, /* the same where a site was asked for */
    FIRST_RESULT = 665, /* the first result is the first to be clicked */
    FIRST_SITE = 930,
    NEXT_RESULT = 450, /* the next result, or else the next of the rest, ... */

    SESSION_GOES_ON = 430, /* one more query in the same session */
};

static void begin(lethe_synth_now *now)
{
    lethe_synth_draw *d = &now->d;
    const lethe_synth_world *w = now->w;
    bool navigates = lethe_synth_chance(d, NAVIGATORS);
    now->head = navigates ? NAVIGATOR_HEAD : lethe_synth_pick(d, 2 * HEAD);
    now->volume = navigates ? NAVIGATOR_VOLUME : OTHER_VOLUME;
    now->n_interests =
        LETHE_INTERESTS_MIN + lethe_synth_pick(d, LETHE_INTERESTS_MAX - LETHE_INTERESTS_MIN + 1);
    for (uint32_t i = 0; i < now->n_interests; i++) {
        now->interests[i] = w->interests[lethe_synth_pick(d, w->n_interests)];
        for (uint32_t k = 0; k < LETHE_FOCI; k++)
            now->foci[i][k] = lethe_synth2_noun(w, d, now->interests[i], true);
    }
    for (size_t i = 0; i < LETHE_COUNT(now->surnames); i++)
        now->surnames[i] = lethe_synth_pick(d, LETHE_SYNTH_SURNAMES);
}

static void session(lethe_synth_now *now)
{
    now->interest = lethe_synth_rank(&now->d, now->n_interests);
    now->topic = now->interests[now->interest];
    now->first_typed = now->p->n_typed;
}

/* --- something new --- */

static uint32_t noun_pick(lethe_synth_now *now)
{
    if (lethe_synth_chance(&now->d, FOCUS))
        return now->foci[now->interest][lethe_synth_rank(&now->d, LETHE_FOCI)];
    return lethe_synth2_noun(now->w, &now->d, now->topic, true);
}

/* The last text with a word more or less, or the same thing asked in other words. */
static bool reformulate(lethe_synth_now *now, lethe_synth_pen *pen, lethe_synth_text *t)
{
    lethe_synth_draw *d = &now->d;
    const lethe_synth_text *last = &now->p->typed[now->last_of_topic - 1];
    lethe_str text = lethe_synth_typed_text(now->p, last);
    uint32_t town = now->p->errands.town;
    *t = (lethe_synth_text){.to = last->to, .noun = last->noun};
    switch (lethe_synth_pick(d, 4)) {
    case 0:
        return lethe_synth2_text_longer(d, text, town, pen);
    case 1:
        return lethe_synth2_text_shorter(d, text, pen);
    default:
        if (last->noun == LETHE_NONE) return false;
        lethe_synth2_text_about(now->w, d, last->to, last->noun, town, pen);
        return true;
    }
}

static void new_text(lethe_synth_now *now, lethe_synth_pen *pen, lethe_synth_text *t)
{
    lethe_synth_draw *d = &now->d;
    uint32_t kind = lethe_synth_pick(d, 1000), town = now->p->errands.town;
    *t = (lethe_synth_text){.to = now->topic, .noun = LETHE_NONE};
    if (kind < LOCAL) {
        lethe_synth2_text_local(d, town, pen);
    } else if (kind < LOCAL + FAMILY) {
        uint32_t surname = lethe_synth_chance(d, OWN_FAMILY)
                               ? now->surnames[lethe_synth_rank(d, LETHE_COUNT(now->surnames))]
                               : lethe_synth_pick(d, LETHE_SYNTH_SURNAMES);
        lethe_synth2_text_family(d, surname, town, pen);
    } else if (kind < LOCAL + FAMILY + SITE) {
        lethe_synth2_text_site(now->w, d, noun_pick(now), pen);
    } else if (kind < LOCAL + FAMILY + SITE + POPULAR) {
        lethe_synth2_text_popular(now->w, d, pen, t);
        t->target = LETHE_TO_TEXT;
    } else {
        t->noun = noun_pick(now);
        lethe_synth2_text_about(now->w, d, now->topic, t->noun, town, pen);
    }
}

static const uint32_t favourite[] = {[LETHE_TO_TOPIC] = OTHER_FAVOURITE,
                                     [LETHE_TO_SITE] = HEAD_FAVOURITE,
                                     [LETHE_TO_TEXT] = POPULAR_FAVOURITE};

/* What others ask too comes first: the first favourites are asked most. */
static void favourite_put(lethe_synth_person *p, uint32_t typed, lethe_synth_target target)
{
    size_t last = p->n_favourites++, at = target == LETHE_TO_TOPIC ? last : 0;
    p->favourites[last] = p->favourites[at];
    p->favourites[at] = typed;
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
    if (how >= FAVOURITE && how < FAVOURITE + AGAIN && p->n_typed > now->first_typed) {
        *out = p->n_typed - 1 - lethe_synth_rank(d, (uint32_t)(p->n_typed - now->first_typed));
        return LETHE_OK;
    }
    lethe_synth_text t = {.noun = LETHE_NONE};
    LETHE_TRY(lethe_synth_typed_begin(p, &pen));
    char *start = pen.at;
    bool head = lethe_synth_chance(d, now->head);
    if (head) {
        lethe_synth2_text_head(d, &pen);
        t.target = LETHE_TO_SITE;
    } else { // the texts of the pools are for errands alone: see synth_plant.c
        do {
            pen.at = start;
            if (!now->last_of_topic || !lethe_synth_chance(d, REFORMULATED) ||
                !reformulate(now, &pen, &t))
                new_text(now, &pen, &t);
        } while (lethe_synth_is_clue(now->w, (lethe_str){start, (size_t)(pen.at - start)}));
        now->last_of_topic = p->n_typed + 1;
    }
    *out = lethe_synth_typed_end(p, &pen, t);
    if (lethe_synth_chance(d, favourite[t.target])) favourite_put(p, (uint32_t)*out, t.target);
    return lethe_synth_chance(d, MISSPELT) ? lethe_synth_slip(now, *out, out) : LETHE_OK;
}

/* --- clicks --- */

static uint32_t n_clicks(lethe_synth_now *now, const lethe_synth_text *t)
{
    lethe_synth_draw *d = &now->d;
    if (!lethe_synth_chance(d, CLICKED)) return 0;
    now->answers = lethe_synth2_ask(lethe_synth_typed_text(now->p, t));
    bool site = now->answers.site.n > 0;
    uint32_t n = 0, rank = 1;
    if (!lethe_synth_chance(d, site ? FIRST_SITE : FIRST_RESULT)) rank++;
    do {
        while (n > 0 || rank > 1) { // from the result before it down the list
            if (lethe_synth_chance(d, NEXT_RESULT)) break;
            rank++;
        }
        if (rank > now->answers.n_results) break;
        now->ranks[n++] = rank++;
    } while (lethe_synth_chance(d, site ? CLICKED_SITE : CLICKED_MORE));
    return n;
}

static void click(lethe_synth_now *now, const lethe_synth_text *t, uint32_t i, lethe_synth_pen *p)
{
    (void)t;
    lethe_synth_pen_number(p, now->ranks[i], 1);
    lethe_synth_pen_char(p, '\t');
    lethe_synth2_result(&now->answers, now->ranks[i], p);
}

/* How often people are interested in topics of each kind. */
static const uint8_t wanted[LETHE_ABOUTS] = {
    [LETHE_ABOUT_ANIMAL] = 2,  [LETHE_ABOUT_PLANT] = 2,    [LETHE_ABOUT_FOOD] = 4,
    [LETHE_ABOUT_ILLNESS] = 3, [LETHE_ABOUT_MEDICINE] = 1, [LETHE_ABOUT_SURGERY] = 1,
    [LETHE_ABOUT_BODY] = 1,    [LETHE_ABOUT_PLACE] = 3,    [LETHE_ABOUT_GOODS] = 4,
    [LETHE_ABOUT_VEHICLE] = 2, [LETHE_ABOUT_CLOTHES] = 1,  [LETHE_ABOUT_MUSIC] = 1,
    [LETHE_ABOUT_SPORT] = 2,   [LETHE_ABOUT_JOB] = 2,      [LETHE_ABOUT_FAMOUS] = 1,
    [LETHE_ABOUT_MONEY] = 2,   [LETHE_ABOUT_EVENT] = 1,    [LETHE_ABOUT_READING] = 1,
    [LETHE_ABOUT_STUDY] = 1,   [LETHE_ABOUT_BUSINESS] = 2, [LETHE_ABOUT_SUBSTANCE] = 1,
};

const lethe_synth_model lethe_synth_model_2 = {
    .wanted = wanted,
    .roots = lethe_synth2_roots,
    .topic_min = 20,
    .topic_max = 250,
    .topic_kept = 600,
    .session_goes_on = SESSION_GOES_ON,
    .firsts = lethe_synth2_firsts,
    .relatives = lethe_synth2_relatives,
    .surname = lethe_synth2_surname,
    .town = lethe_synth2_town,
    .state_of = lethe_synth2_state,
    .begin = begin,
    .session = session,
    .next = next,
    .n_clicks = n_clicks,
    .click = click,
};
