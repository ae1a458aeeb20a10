/* SPDX-License-Identifier: Apache-2.0 */
/* Random logs with hidden texts and URLs: every identifier beside every value, place by place. */
/* suite: threads */
#include "log_attack_harness.h"
#include "seeds.h"

#define ROUNDS seeds(6000)
enum { TEXTS = 7, URLS = 5, DAYS = 3, ROWS = 40, THINGS = 16, LISTED = 10 };
enum { RANK, NEAREST, PAIRS, STRATEGIES };
enum { OF_TEXTS, OF_URLS, KINDS };
static const char *const strategies[] = {"rank", "nearest", "pairs"};
static const char *const kinds[] = {"texts", "urls"};

typedef struct row {
    size_t text, day, url; /* URLS: no click */
    bool published, click; /* click: its URL is published, too */
} row;

typedef struct world {
    size_t n;
    row row[ROWS];
    bool hidden[TEXTS], dropped[TEXTS];
    bool once; /* one click on each URL of a text is published, or none */
    bool has[KINDS];
    bool times;            /* are published */
    bool file;             /* frequencies are given: */
    size_t listed[LISTED]; /* by text; 0: not there; those from TEXTS on nobody issued */
    char original[8192], published[8192], list[512], manifest[512];
} world;

static void draw(uint64_t *seed, world *w)
{
    bool loses = o_below(seed, 4) == 0;
    *w = (world){.n = 2 + o_below(seed, ROWS - 2),
                 .has = {o_below(seed, 4) > 0, o_below(seed, 2) > 0},
                 .times = o_below(seed, 3) > 0,
                 .file = o_below(seed, 3) == 0};
    for (size_t t = 0; t < TEXTS; t++) {
        w->dropped[t] = o_below(seed, 5) == 0;
        w->hidden[t] = w->has[OF_TEXTS] && o_below(seed, 3) > 0;
    }
    for (size_t i = 0; i < w->n; i++) {
        row *r = &w->row[i];
        *r = (row){o_below(seed, 1 + o_below(seed, TEXTS)), o_below(seed, DAYS),
                   o_below(seed, 1 + o_below(seed, URLS + 1)), false, false};
        r->published = !w->dropped[r->text] && !(loses && o_below(seed, 8) == 0);
    }
    for (size_t t = 0; t < LISTED; t++)
        w->listed[t] = o_below(seed, 4) == 0 ? 0 : 1 + o_below(seed, 9);
    w->listed[LISTED - 1] = 1; // a file without a line is none
}

/* The click on a URL of a text that is published, where only one is. */
static bool is_first(const world *w, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (w->row[j].click && w->row[j].text == w->row[i].text && w->row[j].url == w->row[i].url)
            return false;
    return true;
}

static void clicks_draw(uint64_t *seed, world *w)
{
    bool quiet[TEXTS];
    w->once = o_below(seed, 2) == 0;
    for (size_t t = 0; t < TEXTS; t++)
        quiet[t] = w->once && o_below(seed, 4) == 0;
    for (size_t i = 0; i < w->n; i++) {
        row *r = &w->row[i];
        r->click = r->published && r->url < URLS && !w->hidden[r->text] && !quiet[r->text] &&
                   (!w->once || is_first(w, i));
    }
}

static void row_write(world *w, const row *r, size_t *o, size_t *q)
{
    char url[32] = "", id[32] = "", text[64], day[16];
    if (r->url < URLS) {
        snprintf(url, sizeof url, "http://u%zu.com/", r->url);
        if (w->has[OF_URLS])
            snprintf(id, sizeof id, "abcdefghijklmn2%c", 'z' - (int)r->url);
        else
            snprintf(id, sizeof id, "u%zu.com", r->url);
    }
    snprintf(text, sizeof text, "t%zu", r->text);
    snprintf(day, sizeof day, "2006-03-0%zu", r->day + 1);
    *o += (size_t)sprintf(w->original + *o, "p\t%s\t%s 10:00:00\t\t%s\n", text, day, url);
    if (!r->published) return;
    // names of identifiers stand in another order than what they stand for
    if (w->hidden[r->text]) snprintf(text, sizeof text, "#%032zx", TEXTS - r->text);
    *q += (size_t)sprintf(w->published + *q, "u\t%s\t%s\t\t%s\n", text, w->times ? day : "",
                          r->click ? id : "");
}

static void text_write(world *w)
{
    size_t o = 0, q = 0, n = 0;
    for (size_t i = 0; i < w->n; i++)
        row_write(w, &w->row[i], &o, &q);
    for (size_t t = 0; t < LISTED; t++)
        if (w->listed[t]) n += (size_t)sprintf(w->list + n, "t%zu\t%zu\n", t, w->listed[t]);
    snprintf(w->manifest, sizeof w->manifest,
             "{\"claims\":[{\"notion\":\"query-threshold\",\"rare\":\"%s\"}%s],"
             "\"steps\":[{\"parameters\":{\"same\":\"exact\",\"time\":\"%s\",\"urls\":\"%s\"}}]}",
             w->has[OF_TEXTS] ? "hash" : "drop",
             w->once ? ",{\"notion\":\"disconnected\",\"m\":2}" : "", w->times ? "day" : "drop",
             w->has[OF_URLS] ? "id" : "host");
}

/* An identifier or a value: how often it stands beside what. */
typedef struct thing {
    size_t beside[TEXTS + DAYS], count, listed;
} thing;

typedef struct things {
    thing at[THINGS];
    size_t n;
} things;

static bool is_shown(const world *w, size_t text)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->row[i].text == text && w->row[i].published && !w->hidden[text]) return true;
    return false;
}

static bool is_clicked(const world *w, size_t text)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->row[i].text == text && w->row[i].click) return true;
    return false;
}

static void thing_add(things *to, const thing *t)
{
    if (t->count > 0 || t->listed > 0) to->at[to->n++] = *t;
}

static void texts_of(const world *w, things *ids, things *values)
{
    for (size_t t = 0; t < LISTED; t++) {
        thing id = {0}, value = {0};
        for (size_t i = 0; i < w->n; i++) {
            if (w->row[i].text != t) continue;
            size_t day = w->times ? w->row[i].day : 0;
            value.beside[day]++;
            value.count++;
            id.beside[day] += w->row[i].published;
            id.count += w->row[i].published;
        }
        value.listed = w->file ? w->listed[t] : value.count;
        if (t < TEXTS && w->hidden[t]) thing_add(ids, &id);
        if (t >= TEXTS ? w->file : !is_shown(w, t)) thing_add(values, &value);
    }
}

static void urls_of(const world *w, things *ids, things *values)
{
    for (size_t u = 0; u < URLS; u++) {
        thing id = {0}, value = {0};
        for (size_t i = 0; i < w->n; i++) {
            const row *r = &w->row[i];
            if (r->url != u) continue;
            value.listed++;
            bool seen = w->once ? is_clicked(w, r->text) : is_shown(w, r->text);
            value.beside[r->text] = w->once ? seen : value.beside[r->text] + seen;
            value.count += seen;
            id.beside[r->text] += r->click;
            id.count += r->click;
        }
        thing_add(ids, &id);
        thing_add(values, &value);
    }
}

/* How many of them come before for certain, and how many may stand at the same places. */
static void places(const things *all, bool listed, size_t n, size_t *before, size_t *same)
{
    *before = *same = 0;
    for (size_t i = 0; i < all->n; i++) {
        size_t other = listed ? all->at[i].listed : all->at[i].count;
        *before += other > n;
        *same += other == n;
    }
}

static double same_place(const things *ids, const things *values, const thing *id, const thing *v)
{
    size_t i, i_same, j, j_same;
    double chance = 0;
    places(ids, false, id->count, &i, &i_same);
    places(values, true, v->listed, &j, &j_same);
    for (size_t place = 0; place < THINGS; place++)
        if (place >= i && place < i + i_same && place >= j && place < j + j_same)
            chance += 1 / (double)i_same / (double)j_same;
    return v->listed ? chance : 0;
}

static size_t far(const things *ids, const things *values, const thing *id, const thing *v)
{
    size_t rows = 0, all = 0;
    for (size_t i = 0; i < ids->n; i++)
        rows += ids->at[i].count;
    for (size_t i = 0; i < values->n; i++)
        all += values->at[i].listed;
    size_t x = id->count * all, y = v->listed * rows;
    return x > y ? x - y : y - x;
}

static double nearest(const things *ids, const things *values, const thing *id, const thing *v)
{
    size_t as_near = 0, own = far(ids, values, id, v);
    if (v->listed == 0) return 0;
    for (size_t i = 0; i < values->n; i++) {
        if (values->at[i].listed == 0) continue;
        size_t other = far(ids, values, id, &values->at[i]);
        if (other < own) return 0;
        as_near += other == own;
    }
    return 1 / (double)as_near;
}

typedef struct sums {
    double ids, rows, candidates, unconfirmed, right_ids[STRATEGIES], right_rows[STRATEGIES];
} sums;

static void kind_sum(const things *ids, const things *values, bool pairs, sums *s)
{
    *s = (sums){0};
    for (size_t v = 0; v < values->n; v++)
        s->candidates += values->at[v].listed > 0;
    for (size_t i = 0; i < ids->n; i++) {
        const thing *id = &ids->at[i];
        double fit = 0, right[STRATEGIES] = {0};
        for (size_t v = 0; v < values->n; v++) {
            const thing *value = &values->at[v];
            if (memcmp(id->beside, value->beside, sizeof id->beside) != 0) continue;
            fit++;
            right[RANK] += same_place(ids, values, id, value);
            right[NEAREST] += nearest(ids, values, id, value);
            right[PAIRS] = pairs; // one of those that fit, and one of these it is
        }
        s->ids++;
        s->rows += (double)id->count;
        s->unconfirmed += fit == 0;
        for (int k = 0; k < STRATEGIES && fit > 0; k++) {
            s->right_ids[k] += right[k] / fit;
            s->right_rows[k] += right[k] / fit * (double)id->count;
        }
    }
}

static size_t answer_check(const world *w, const lethe_json *out, uint64_t seed)
{
    things ids[KINDS] = {{.n = 0}}, values[KINDS] = {{.n = 0}};
    sums s[KINDS], all = {0};
    double success[STRATEGIES], blind = 0;
    if (w->has[OF_TEXTS]) texts_of(w, &ids[OF_TEXTS], &values[OF_TEXTS]);
    if (w->has[OF_URLS]) urls_of(w, &ids[OF_URLS], &values[OF_URLS]);
    for (int k = 0; k < KINDS; k++) {
        kind_sum(&ids[k], &values[k], k == OF_URLS || !w->file, &s[k]);
        all.ids += s[k].ids;
        all.rows += s[k].rows;
        all.unconfirmed += s[k].unconfirmed;
        if (s[k].candidates > 0) blind += s[k].rows / s[k].candidates;
        for (int i = 0; i < STRATEGIES; i++)
            all.right_rows[i] += s[k].right_rows[i];
    }
    for (int i = 0; i < STRATEGIES; i++)
        success[i] = all.rows > 0 ? all.right_rows[i] / all.rows : 0;
    size_t best = la_best(out, "strategy", "success", strategies, success, STRATEGIES, seed);
    la_is(out, "baseline", all.rows > 0 ? blind / all.rows : 0, seed);
    la_is(out, "ids", all.ids, seed);
    la_is(out, "rows", all.rows, seed);
    la_is(out, "unconfirmed", all.unconfirmed, seed);
    for (int k = 0; k < KINDS; k++) {
        char path[64];
        if (!w->has[k]) continue;
        snprintf(path, sizeof path, "hidden/%s/candidates", kinds[k]);
        la_is(out, path, s[k].candidates, seed);
        snprintf(path, sizeof path, "hidden/%s/ids_right", kinds[k]);
        la_is(out, path, s[k].ids > 0 ? s[k].right_ids[best] / s[k].ids : 0, seed);
    }
    return all.rows > 0 ? best : STRATEGIES;
}

static void identifiers_are_named(void **state)
{
    (void)state;
    heard h;
    unsigned won[STRATEGIES + 1] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        static world w;
        draw(&seed, &w);
        clicks_draw(&seed, &w);
        text_write(&w);
        if (w.published[0] == '\0') continue;
        la_case c = {.adversary = &lethe_adversary_frequency,
                     .original = w.original,
                     .published = w.published,
                     .manifest = w.manifest,
                     .file = w.file ? w.list : NULL,
                     .options = {w.file ? "frequencies=@" : NULL}};
        lethe_ctx *ctx = heard_ctx(&h, 1 + (unsigned)(round % 3));
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        if (la_run(ctx, &c, doc, out) != LETHE_OK)
            fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
        won[answer_check(&w, out, round)]++;
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    for (size_t i = 0; i < STRATEGIES; i++)
        assert_true(won[i] > ROUNDS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(identifiers_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
