/* SPDX-License-Identifier: Apache-2.0 */
/* synth_person.c - one user of the synthetic log: how many queries, when, and what is written. */
#include "app/synth/synth_internal.h"
#include "model/log/time.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    SESSION_GAP_S = 1800,
    ALL_TIME = 700, /* of a thousand users: those that are there for all of the three months */
};

#define FIRST_S INT64_C(1141171200) /* 2006-03-01 00:00:00 */
enum { DAYS = 92, DAY_S = 86400, SECONDS = DAYS * DAY_S };

/* When sessions begin, by hour; of 1000. */
static const uint16_t by_hour[24] = {24, 15, 9,  6,  5,  7,  14, 26, 38, 47, 53, 56,
                                     57, 57, 57, 58, 58, 58, 61, 66, 70, 70, 55, 33};

/* How many queries a user issues, in thousandths of the mean: quantiles of a lognormal law with
 * sigma 1.25, at 1/512, 1/128, 2/128, ..., 127/128, and at the end fourteen times the mean. Between
 * them it goes straight, and so their mean is 1000. */
static const uint32_t volume[129] = {
    13,   23,   32,   39,   46,   52,   58,   64,   69,    75,   80,   85,   91,   96,   101,
    107,  112,  117,  123,  128,  133,  139,  144,  150,   156,  161,  167,  173,  179,  185,
    191,  197,  203,  209,  216,  222,  229,  235,  242,   249,  256,  263,  270,  278,  285,
    293,  301,  309,  317,  325,  333,  342,  351,  359,   369,  378,  387,  397,  407,  417,
    427,  438,  449,  460,  472,  483,  495,  507,  520,   533,  546,  560,  574,  588,  603,
    619,  634,  650,  667,  684,  702,  721,  740,  759,   780,  801,  822,  845,  869,  893,
    918,  945,  972,  1001, 1031, 1063, 1096, 1130, 1166,  1204, 1244, 1287, 1332, 1379, 1429,
    1483, 1540, 1601, 1666, 1737, 1813, 1896, 1986, 2085,  2193, 2314, 2449, 2601, 2774, 2974,
    3209, 3488, 3831, 4264, 4838, 5655, 6962, 9681, 14000,
};

/* --- memory --- */

void lethe_synth_person_free(lethe_synth_person *p)
{
    lethe_rng_wipe(&p->rng);
    lethe_buf_free(&p->texts);
    lethe_free(p->typed);
    lethe_free(p->favourites);
    lethe_free(p->times);
    lethe_free(p->visits);
}

/* Room for all that a user of n queries can type: a query and its correction may each be new. */
static lethe_err person_room(lethe_synth_person *p, size_t n)
{
    if (n <= p->cap) return LETHE_OK;
    size_t cap = n + n / 4 + 64;
    void *typed = lethe_realloc(p->typed, cap, sizeof *p->typed);
    if (typed) p->typed = typed;
    void *favourites = lethe_realloc(p->favourites, cap, sizeof *p->favourites);
    if (favourites) p->favourites = favourites;
    void *times = lethe_realloc(p->times, cap, sizeof *p->times);
    if (times) p->times = times;
    void *visits = lethe_realloc(p->visits, cap, sizeof *p->visits);
    if (visits) p->visits = visits;
    if (!typed || !favourites || !times || !visits) return LETHE_ENOMEM;
    p->cap = cap;
    return LETHE_OK;
}

/* --- when --- */

/* Rising, no two alike, all inside the three months: a user's queries differ at least in time. */
static void times_make(lethe_synth_draw *d, uint32_t goes_on, size_t n, lethe_synth_person *p)
{
    uint32_t first_day = 0, n_days = DAYS;
    size_t n_visits = 0, made = 0;
    if (!lethe_synth_chance(d, ALL_TIME)) {
        first_day = lethe_synth_pick(d, DAYS);
        n_days = 1 + lethe_synth_pick(d, DAYS - first_day);
        if ((size_t)n_days * 100 < n) n_days = DAYS - first_day; // nobody asks that much
        if ((size_t)n_days * 100 < n) first_day = 0, n_days = DAYS;
    }
    while (made < n) { // a session: when it begins, and how many queries it has
        size_t length = 1;
        while (made + length < n && length < 100 && lethe_synth_chance(d, goes_on))
            length++;
        uint32_t hour = 0, in_day = lethe_synth_pick(d, 1000);
        while (hour < 23 && in_day >= by_hour[hour])
            in_day -= by_hour[hour++];
        uint32_t day = first_day + lethe_synth_pick(d, n_days);
        uint32_t start = day * DAY_S + hour * 3600 + lethe_synth_pick(d, 3600);
        p->visits[n_visits++] = (uint64_t)start << 32 | length;
        made += length;
    }
    qsort(p->visits, n_visits, sizeof *p->visits, lethe_u64_cmp);
    made = 0;
    for (size_t v = 0; v < n_visits; v++) {
        uint32_t at = (uint32_t)(p->visits[v] >> 32);
        for (uint32_t k = (uint32_t)p->visits[v]; k > 0; k--) {
            p->times[made++] = at;
            at += 5 + lethe_synth_pick(d, 16u << lethe_synth_pick(d, 6));
        }
    }
    uint32_t *t = p->times;
    for (size_t i = 1; i < n; i++) { // nearly in order already: sessions were
        uint32_t x = t[i];
        size_t k = i;
        for (; k > 0 && t[k - 1] > x; k--)
            t[k] = t[k - 1];
        t[k] = x;
    }
    for (size_t i = 1; i < n; i++)
        if (t[i] <= t[i - 1]) t[i] = t[i - 1] + 1;
    uint32_t last = SECONDS - 1;
    for (size_t i = n; i-- > 0 && t[i] > last; last--)
        t[i] = last;
}

/* --- what --- */

lethe_str lethe_synth_typed_text(const lethe_synth_person *p, const lethe_synth_text *t)
{
    return (lethe_str){(const char *)p->texts.at + t->at, t->n};
}

lethe_err lethe_synth_typed_begin(lethe_synth_person *p, lethe_synth_pen *pen)
{
    LETHE_TRY(lethe_buf_reserve(&p->texts, LETHE_TEXT_ROOM));
    pen->at = (char *)p->texts.at + p->texts.n;
    return LETHE_OK;
}

size_t lethe_synth_typed_end(lethe_synth_person *p, const lethe_synth_pen *pen, lethe_synth_text t)
{
    size_t end = (size_t)(pen->at - (char *)p->texts.at);
    t.asked = false;
    t.at = (uint32_t)p->texts.n;
    t.n = (uint32_t)(end - p->texts.n);
    assert(t.n <= LETHE_TEXT_ROOM / 2);
    p->texts.n = end;
    p->typed[p->n_typed] = t;
    return p->n_typed++;
}

lethe_err lethe_synth_slip(lethe_synth_now *now, size_t from, size_t *out)
{
    lethe_synth_pen pen;
    lethe_synth_person *p = now->p;
    *out = from;
    LETHE_TRY(lethe_synth_typed_begin(p, &pen));
    char *start = pen.at;
    lethe_synth_text t = p->typed[from];
    if (!lethe_synth_text_misspelt(&now->d, lethe_synth_typed_text(p, &t), &pen)) return LETHE_OK;
    if (lethe_synth_is_clue(now->w, (lethe_str){start, (size_t)(pen.at - start)})) return LETHE_OK;
    now->meant = from + 1;
    *out = lethe_synth_typed_end(p, &pen, t);
    return LETHE_OK;
}

static lethe_err errand_type(lethe_synth_now *now, size_t *out)
{
    lethe_synth_pen pen;
    LETHE_TRY(lethe_synth_typed_begin(now->p, &pen));
    size_t i = lethe_synth_pick(&now->d, (uint32_t)now->n_to_do);
    lethe_str text = now->p->errands.at[now->to_do[i]].text;
    lethe_synth_pen_str(&pen, text);
    now->to_do[i] = now->to_do[--now->n_to_do];
    uint64_t about = lethe_synth_text_key(text) % now->w->n_interests; // the same for everybody
    *out = lethe_synth_typed_end(now->p, &pen,
                                 (lethe_synth_text){.target = LETHE_TO_TOPIC,
                                                    .to = now->w->interests[about],
                                                    .noun = LETHE_NONE});
    return LETHE_OK;
}

/* What is typed next, as a place in typed[]; `left` queries are to come, this one among them. */
static lethe_err type_next(lethe_synth_now *now, size_t left, size_t *out)
{
    if (now->n_to_do > 0 && lethe_synth_pick(&now->d, (uint32_t)left) < now->n_to_do)
        return errand_type(now, out);
    if (now->meant) {
        *out = now->meant - 1;
        now->meant = 0;
        return LETHE_OK;
    }
    return now->w->model->next(now, out);
}

/* --- lines --- */

/* A line for each click, or one without. */
static lethe_err lines_write(lethe_synth_now *now, uint64_t user, const lethe_synth_text *t,
                             uint32_t time, lethe_buf *log, lethe_synth_counts *counts)
{
    char when[20];
    lethe_str text = lethe_synth_typed_text(now->p, t);
    uint32_t n = now->w->model->n_clicks(now, t), n_lines = n ? n : 1;
    lethe_time_format(FIRST_S + time, LETHE_TIME_EXACT, when);
    LETHE_TRY(lethe_buf_reserve(log, (size_t)n_lines * LETHE_TEXT_ROOM));
    lethe_synth_pen pen = {(char *)log->at + log->n};
    for (uint32_t i = 0; i < n_lines; i++) {
        lethe_synth_pen_number(&pen, user + 1, 1);
        lethe_synth_pen_char(&pen, '\t');
        lethe_synth_pen_str(&pen, text);
        lethe_synth_pen_char(&pen, '\t');
        lethe_synth_pen_text(&pen, when);
        lethe_synth_pen_char(&pen, '\t');
        if (n > 0)
            now->w->model->click(now, t, i, &pen);
        else
            lethe_synth_pen_char(&pen, '\t');
        lethe_synth_pen_char(&pen, '\n');
    }
    log->n = (size_t)(pen.at - (char *)log->at);
    counts->rows += n_lines;
    counts->queries++;
    return LETHE_OK;
}

static lethe_err truth_write(const lethe_synth_errands *e, uint64_t user, lethe_buf *truth)
{
    LETHE_TRY(
        lethe_buf_reserve(truth, sizeof e->text + (size_t)LETHE_TEXT_ROOM * LETHE_SYNTH_POOLS));
    lethe_synth_pen pen = {(char *)truth->at + truth->n};
    lethe_synth_pen_number(&pen, user + 1, 1);
    lethe_synth_pen_char(&pen, '\t');
    lethe_synth_pen_text(&pen, lethe_plant_names[e->kind]);
    for (size_t i = 0; i < e->n_clues; i++) {
        lethe_synth_pen_char(&pen, '\t');
        lethe_synth_pen_str(&pen, e->clues[i]);
    }
    lethe_synth_pen_char(&pen, '\n');
    truth->n = (size_t)(pen.at - (char *)truth->at);
    return LETHE_OK;
}

/* How many queries, from the table of 128 steps of 2^25. */
static size_t n_queries(lethe_synth_draw *d, uint32_t per_mille, double queries_per_user)
{
    uint32_t u = lethe_synth_draw_u32(d), step = u >> 25, rest = u & 0x1ffffff;
    uint64_t share = volume[step] + ((uint64_t)(volume[step + 1] - volume[step]) * rest >> 25),
             thousandths = (uint64_t)((double)(share * per_mille) * queries_per_user) / 1000;
    size_t n = thousandths / 1000 + (lethe_synth_pick(d, 1000) < thousandths % 1000);
    return LETHE_MAX(n, 1);
}

/* A planted person has room for all errands, the others run those there is room for. */
static size_t errands_begin(lethe_synth_now *now, size_t n)
{
    const lethe_synth_errands *e = &now->p->errands;
    for (size_t i = 0; i < e->n; i++) {
        assert(now->n_to_do + e->at[i].times <= sizeof now->to_do);
        for (unsigned k = 0; k < e->at[i].times; k++)
            now->to_do[now->n_to_do++] = (uint8_t)i;
    }
    if (e->kind != LETHE_N_PLANTS) return LETHE_MAX(n, 2 * now->n_to_do);
    now->n_to_do = LETHE_MIN(now->n_to_do, n / 5);
    return n;
}

lethe_err lethe_synth_person_write(const lethe_synth_world *w, const lethe_synth_plants *planting,
                                   double queries_per_user, uint64_t user, lethe_synth_person *p,
                                   lethe_buf *log, lethe_buf *truth, lethe_synth_counts *counts)
{
    p->rng = lethe_rng_stream(w->random, "synth-user", user);
    p->texts.n = p->n_typed = p->n_favourites = 0;
    lethe_synth_now now = {.w = w, .p = p, .d = {.rng = &p->rng}};
    const lethe_synth_errands *e = &p->errands;
    lethe_synth_errands_of(w, planting, user, &now.d, &p->errands);
    w->model->begin(&now);
    size_t n = errands_begin(&now, n_queries(&now.d, now.volume, queries_per_user)), at = 0;
    LETHE_TRY(person_room(p, 2 * n));
    times_make(&now.d, w->model->session_goes_on, n, p);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || p->times[i] - p->times[i - 1] > SESSION_GAP_S) { // a new session
            now.last_of_topic = now.meant = 0;
            w->model->session(&now);
        }
        LETHE_TRY(type_next(&now, n - i, &at));
        p->typed[at].asked = true;
        LETHE_TRY(lines_write(&now, user, &p->typed[at], p->times[i], log, counts));
    }
    if (e->kind == LETHE_N_PLANTS) return LETHE_OK;
    counts->planted[e->kind]++;
    return truth ? truth_write(e, user, truth) : LETHE_OK;
}
