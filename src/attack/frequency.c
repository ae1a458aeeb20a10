/* SPDX-License-Identifier: Apache-2.0 */
/* frequency.c - what do identifiers stand for, if it is known how often texts occur?
 * R. Kumar, J. Novak, B. Pang and A. Tomkins, "On anonymizing query logs via token-based hashing",
 * WWW 2007: hashes are matched to what they stand for by how often they occur, alone and beside
 * others.  Here for whole texts (hashes of `threshold --rare hash`, QueryIDs of sealed logs that
 * cannot be opened) and for URLs that were replaced by identifiers.
 *
 * The adversary has a list of values with their frequencies: --frequencies for texts, else the
 * original's own, which is the worst case.  Texts that the release shows as they are cannot be
 * hidden ones, and are taken off the list.  An identifier with n rows is
 *
 *   rank     the value at the same place, both sides in the order of their frequencies
 *   nearest  the value whose expected count is nearest to n: its share of the list, times the rows
 *            of all identifiers
 *   pairs    the value that occurs as often beside the same things: a URL after each published
 *            text, a text at each time as it is published.  Only the original's own counts tell
 *
 * and of equal ones each is as likely.  Chances are summed, not drawn.  The strategy that gets most
 * rows right is the answer.
 *
 * What is true: a step hides all rows of a text or none.  So an identifier stands for one of the
 * values that have as many rows beside each of the same things in the original (of a URL: in the
 * rows whose texts are published); which of several, its name cannot tell, and each is as likely.
 * An identifier that no value fits is unconfirmed, and counts as not found: a step has merged or
 * changed values, or left out some of their rows.  Texts that were hidden as one, since they have
 * the same words, are one value; so are the URLs of a host, where scrub has cut them.
 *
 * Where `disconnect --min-urls` published one click on each URL of a text, or none, how often a URL
 * was clicked for a text is hidden on purpose: only whether it was counts, beside the texts that
 * show identifiers.
 *
 * Rows of both logs meet in the sorter, by text and then by value.  Memory: 32 bytes for each
 * identifier and value, 40 for each while they are counted. */
#include "attack/attack.h"
#include "attack/pages.h"
#include "attack/strategies.h"
#include "algo/text/same_words.h"
#include "core/sort.h"
#include "io/sort/sorter.h"
#include "model/knowledge/weights.h"
#include "model/log/sealed.h"
#include <sodium.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

enum { RANK, NEAREST, PAIRS, STRATEGIES };
static const char *const strategies[STRATEGIES] = {"rank", "nearest", "pairs"};

/* What a record of the second sorter is about: its first byte. */
enum { TEXTS, URLS, KINDS };
static const char *const kind_names[KINDS] = {"texts", "urls"};
static const char value_tag[KINDS + 1] = "tu", id_tag[KINDS + 1] = "TU";

enum { SHOWN = 1, ROW = 2, LISTED = 3 }; /* the first sorter: by text */
enum { BESIDES = 1, BESIDE = 2 };        /* the second: by value */
enum { SIGNATURE = 16 };

/* An identifier, or a value that it may stand for. */
struct thing {
    uint8_t signature[SIGNATURE]; /* of what its rows stand beside */
    uint64_t count;               /* these rows */
    uint64_t listed;              /* of a value: how often, by the list */
};

struct worker {
    lethe_buf record, host, page;
    lethe_buf ids[KINDS], values[KINDS]; /* struct thing each */
    lethe_same_words same;
    char padding[64];
};

struct matching {
    lethe_comparison *c;
    bool has[KINDS];             /* are such identifiers published? */
    bool hosts;                  /* URLs were cut to hosts before they became identifiers */
    bool once;                   /* those of URLs in one row for each text, or in none */
    lethe_time_unit times;       /* as published */
    lethe_wordnet *wn;           /* texts with the same words were hidden as one; NULL: not so */
    lethe_query_weights *listed; /* --frequencies; NULL: not given */
    uint32_t t;                  /* of a sealed log: so many shares open a query; else 0 */
    lethe_sorter *by_text;       /* text NUL SHOWN [id]; ROW time NUL url; LISTED weight(8) */
    lethe_sorter *by_value;      /* tag value NUL BESIDES number(8); BESIDE thing */
    unsigned n_workers;
    struct worker *workers;
};

/* --- rows --- */

static lethe_err put(struct matching *m, lethe_sorter *to, unsigned w, char tag, lethe_str key,
                     char what, lethe_str first, const lethe_str *second)
{
    lethe_buf *b = &m->workers[w].record;
    b->n = 0;
    if ((tag && lethe_buf_put(b, &tag, 1) != LETHE_OK) || lethe_buf_str(b, key) != LETHE_OK ||
        lethe_buf_put(b, "", 1) != LETHE_OK || lethe_buf_put(b, &what, 1) != LETHE_OK ||
        lethe_buf_str(b, first) != LETHE_OK ||
        (second && (lethe_buf_put(b, "", 1) != LETHE_OK || lethe_buf_str(b, *second) != LETHE_OK)))
        return lethe_no_memory(m->c->ctx);
    return lethe_sorter_put(to, w, b->at, b->n);
}

static lethe_err put_number(struct matching *m, lethe_sorter *to, unsigned w, char tag,
                            lethe_str key, char what, uint64_t number)
{
    uint8_t bytes[8];
    lethe_be64_put(bytes, number);
    return put(m, to, w, tag, key, what, (lethe_str){(const char *)bytes, sizeof bytes}, NULL);
}

/* What counts as one text; lives until the worker's next call. */
static lethe_err text_key(struct matching *m, unsigned w, lethe_str text, lethe_str *key)
{
    *key = text;
    if (!m->wn) return LETHE_OK;
    if (lethe_same_words_key(&m->workers[w].same, m->wn, text, key) == LETHE_OK) return LETHE_OK;
    return lethe_no_memory(m->c->ctx);
}

static lethe_err on_original(void *arg, unsigned w, const lethe_row *row)
{
    struct matching *m = arg;
    char time[20];
    lethe_str key, url = row->url, when = {time, lethe_time_format(row->time, m->times, time)};
    struct worker *k = &m->workers[w];
    LETHE_TRY(text_key(m, w, row->query, &key));
    if (m->hosts && lethe_page_of_host(row->url, &k->host, &k->page, &url) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    return put(m, m->by_text, w, 0, key, ROW, when, &url);
}

static lethe_err on_published(void *arg, unsigned w, const lethe_row *row)
{
    struct matching *m = arg;
    char time[20];
    lethe_str key, when = {time, lethe_time_format(row->time, m->times, time)};
    if (m->has[TEXTS] && lethe_is_text_hash(row->query))
        return put(m, m->by_value, w, id_tag[TEXTS], row->query, BESIDE, when, NULL);
    LETHE_TRY(text_key(m, w, row->query, &key));
    if (m->has[URLS] && row->url.n > 0)
        LETHE_TRY(put(m, m->by_value, w, id_tag[URLS], row->url, BESIDE, key, NULL));
    return put(m, m->by_text, w, 0, key, SHOWN, row->url, NULL);
}

/* A query that could be opened. */
static lethe_err on_opened(void *arg, unsigned w, const lethe_row *row)
{
    struct matching *m = arg;
    return put(m, m->by_text, w, 0, row->query, SHOWN, (lethe_str){"", 0}, NULL);
}

static lethe_err on_sealed(void *arg, unsigned w, const lethe_sealed_row *row)
{
    struct matching *m = arg;
    LETHE_TRY(put_number(m, m->by_value, w, id_tag[TEXTS], row->id, BESIDES, row->index));
    return put(m, m->by_value, w, id_tag[TEXTS], row->id, BESIDE, row->time_text, NULL);
}

static lethe_err listed_put(struct matching *m)
{
    lethe_str key;
    for (uint32_t i = 0; m->listed && i < lethe_query_weights_count(m->listed); i++) {
        LETHE_TRY(text_key(m, 0, lethe_query_weights_query(m->listed, i), &key));
        LETHE_TRY(
            put_number(m, m->by_text, 0, 0, key, LISTED, lethe_query_weights_at(m->listed, i)));
    }
    return LETHE_OK;
}

/* --- by text: is it hidden, and what was clicked for it? --- */

static lethe_err texts_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct matching *m = arg;
    lethe_str record, before = {NULL, 0};
    bool shown = false, clicked = false; // clicked: with an identifier
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        lethe_str text = {record.at, strnlen(record.at, record.n)};
        const char *at = record.at + text.n + 1, *end = record.at + record.n;
        bool same = before.at && before.n > text.n && memcmp(before.at, text.at, text.n + 1) == 0;
        char what = *at++;
        shown = (same && shown) || what == SHOWN;
        clicked = (same && clicked) || (what == SHOWN && at < end);
        if (what == SHOWN) continue;
        if (what == LISTED) {
            if (!shown && m->has[TEXTS])
                LETHE_TRY(put_number(m, m->by_value, w, value_tag[TEXTS], text, BESIDES,
                                     lethe_be64_get((const uint8_t *)at)));
            continue;
        }
        lethe_str time = {at, strnlen(at, (size_t)(end - at))};
        lethe_str url = {at + time.n + 1, (size_t)(end - at) - time.n - 1};
        if (!shown && m->has[TEXTS])
            LETHE_TRY(put(m, m->by_value, w, value_tag[TEXTS], text, BESIDE, time, NULL));
        if (!m->has[URLS] || url.n == 0) continue;
        LETHE_TRY((m->once ? clicked : shown)
                      ? put(m, m->by_value, w, value_tag[URLS], url, BESIDE, text, NULL)
                      : put_number(m, m->by_value, w, value_tag[URLS], url, BESIDES, 1));
    }
    return lethe_sorted_err(it);
}

/* --- by value --- */

/* The thing at hand. */
struct counting {
    struct thing thing;
    uint64_t besides;         /* the sum of what stands for no row */
    uint64_t shares, highest; /* of an identifier: different ones */
    crypto_generichash_state state;
};

static lethe_err thing_done(struct matching *m, unsigned w, char tag, struct counting *g)
{
    int kind = tag == value_tag[URLS] || tag == id_tag[URLS] ? URLS : TEXTS;
    bool is_id = tag == id_tag[kind];
    if (is_id && m->t > 0 && g->shares >= m->t) return LETHE_OK; // it can be opened
    bool from_list = kind == TEXTS && m->listed;
    g->thing.listed = g->besides + (from_list ? 0 : g->thing.count);
    crypto_generichash_final(&g->state, g->thing.signature, SIGNATURE);
    lethe_buf *to = is_id ? &m->workers[w].ids[kind] : &m->workers[w].values[kind];
    return lethe_buf_put(to, &g->thing, sizeof g->thing) == LETHE_OK ? LETHE_OK
                                                                     : lethe_no_memory(m->c->ctx);
}

/* Records come value by value, what stands beside it in the order of bytes. */
static lethe_err values_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct matching *m = arg;
    struct counting g;
    lethe_str record, before = {NULL, 0};
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        size_t key = strnlen(record.at, record.n);
        bool same = before.at && before.n > key && memcmp(before.at, record.at, key + 1) == 0;
        if (before.at && !same) LETHE_TRY(thing_done(m, w, before.at[0], &g));
        if (!same) {
            memset(&g, 0, sizeof g);
            crypto_generichash_init(&g.state, NULL, 0, SIGNATURE);
        }
        const uint8_t *at = (const uint8_t *)record.at + key + 1;
        if (*at == BESIDES) {
            uint64_t number = lethe_be64_get(at + 1);
            g.besides += number;
            g.shares += number > g.highest; // of an identifier, rising
            g.highest = LETHE_MAX(g.highest, number);
            continue;
        }
        g.thing.count++;
        bool again = same && lethe_str_eq(record, before);
        if (again && m->once && record.at[0] == value_tag[URLS]) continue;
        // its end is part of it
        crypto_generichash_update(&g.state, at, record.n - key - 1);
        crypto_generichash_update(&g.state, (const uint8_t *)"", 1);
    }
    LETHE_TRY(lethe_sorted_err(it));
    return before.at ? thing_done(m, w, before.at[0], &g) : LETHE_OK;
}

/* --- the guesses --- */

struct sums {
    uint64_t ids, rows, values, unconfirmed;
    double right_ids[STRATEGIES], right_rows[STRATEGIES];
};

/* All identifiers of a kind, and all values. */
struct sides {
    struct thing *id, *value;
    size_t n_ids, n_values;
    uint64_t *counts; /* of the identifiers, rising */
    uint64_t *listed; /* of the values on the list, rising: */
    size_t n_listed;
    wide rows, all; /* their sums */
};

static int by_signature(const void *a, const void *b)
{
    const struct thing *x = a, *y = b;
    int order = memcmp(x->signature, y->signature, SIGNATURE);
    if (order != 0) return order;
    return (x->listed > y->listed) - (x->listed < y->listed);
}

/* Those that are equal to `x`: [from, to). */
struct block {
    size_t from, to;
};

static size_t first_above(const uint64_t *at, size_t n, uint64_t x, bool or_equal)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at[middle] < x || (!or_equal && at[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct block block_of(const uint64_t *at, size_t n, uint64_t x)
{
    return (struct block){first_above(at, n, x, true), first_above(at, n, x, false)};
}

/* The chance that an identifier of `count` rows and a value listed so often have the same place,
 * counted from the greatest, where each order of equal ones is as likely. */
static double same_place(const struct sides *s, uint64_t count, uint64_t listed)
{
    struct block i = block_of(s->counts, s->n_ids, count),
                 v = block_of(s->listed, s->n_listed, listed);
    size_t from = LETHE_MAX(s->n_ids - i.to, s->n_listed - v.to),
           to = LETHE_MIN(s->n_ids - i.from, s->n_listed - v.from);
    if (from >= to) return 0;
    return (double)(to - from) / ((double)(i.to - i.from) * (double)(v.to - v.from));
}

static wide distance(const struct sides *s, uint64_t count, uint64_t listed)
{
    wide x = count * s->all, y = listed * s->rows;
    return x > y ? x - y : y - x;
}

/* How many values of the list are nearest, and how near. */
static size_t nearest_to(const struct sides *s, uint64_t count, wide *near)
{
    size_t low = 0, high = s->n_listed, n = 0;
    while (low < high) { // the first that is expected as often or more often
        size_t middle = low + (high - low) / 2;
        if (s->listed[middle] * s->rows < count * s->all)
            low = middle + 1;
        else
            high = middle;
    }
    *near = ~(wide)0;
    for (size_t side = 0; side < 2; side++) {
        if (side ? low == s->n_listed : low == 0) continue;
        uint64_t listed = s->listed[side ? low : low - 1];
        struct block b = block_of(s->listed, s->n_listed, listed);
        wide far = distance(s, count, listed);
        if (far < *near) n = 0;
        if (far <= *near) n += b.to - b.from;
        *near = LETHE_MIN(*near, far);
    }
    return n;
}

/* Identifiers [i, i + m) stand for values [v, v + k): which for which, nothing tells. */
static void class_judge(const struct sides *s, size_t i, size_t m, size_t v, size_t k, bool pairs,
                        struct sums *to)
{
    uint64_t count = s->id[i].count;
    double p[STRATEGIES] = {0};
    wide near;
    size_t n_near = nearest_to(s, count, &near);
    for (size_t j = v; j < v + k; j++) {
        uint64_t listed = s->value[j].listed;
        if (listed == 0) continue;
        p[RANK] += same_place(s, count, listed);
        if (distance(s, count, listed) == near) p[NEAREST] += 1 / (double)n_near;
    }
    if (pairs) p[PAIRS] = 1;
    for (int strategy = 0; strategy < STRATEGIES; strategy++) {
        double right = p[strategy] / (double)k * (double)m;
        to->right_ids[strategy] += right;
        to->right_rows[strategy] += right * (double)count;
    }
}

static lethe_err kind_judge(struct matching *m, int kind, lethe_arena *a, struct sums *to)
{
    struct sides s = {0};
    for (unsigned w = 0; w < m->n_workers; w++) {
        s.n_ids += m->workers[w].ids[kind].n / sizeof *s.id;
        s.n_values += m->workers[w].values[kind].n / sizeof *s.value;
    }
    s.id = lethe_new(a, struct thing, s.n_ids + 1);
    s.value = lethe_new(a, struct thing, s.n_values + 1);
    s.counts = lethe_new(a, uint64_t, s.n_ids + 1);
    s.listed = lethe_new(a, uint64_t, s.n_values + 1);
    if (!s.id || !s.value || !s.counts || !s.listed) return lethe_no_memory(m->c->ctx);
    s.n_ids = s.n_values = 0;
    for (unsigned w = 0; w < m->n_workers; w++) {
        struct worker *k = &m->workers[w];
        if (k->ids[kind].n) memcpy(s.id + s.n_ids, k->ids[kind].at, k->ids[kind].n);
        if (k->values[kind].n) memcpy(s.value + s.n_values, k->values[kind].at, k->values[kind].n);
        s.n_ids += k->ids[kind].n / sizeof *s.id;
        s.n_values += k->values[kind].n / sizeof *s.value;
    }
    for (size_t i = 0; i < s.n_ids; i++)
        s.rows += s.counts[i] = s.id[i].count;
    for (size_t i = 0; i < s.n_values; i++) {
        if (s.value[i].listed == 0) continue;
        s.all += s.listed[s.n_listed++] = s.value[i].listed;
    }
    qsort(s.counts, s.n_ids, sizeof *s.counts, lethe_u64_cmp);
    qsort(s.listed, s.n_listed, sizeof *s.listed, lethe_u64_cmp);
    qsort(s.id, s.n_ids, sizeof *s.id, by_signature);
    qsort(s.value, s.n_values, sizeof *s.value, by_signature);
    *to = (struct sums){.ids = s.n_ids, .rows = (uint64_t)s.rows, .values = s.n_listed};
    for (size_t i = 0, v = 0, next, end; i < s.n_ids; i = next, v = end) {
        const uint8_t *signature = s.id[i].signature;
        for (next = i; next < s.n_ids && !memcmp(s.id[next].signature, signature, SIGNATURE);)
            next++;
        while (v < s.n_values && memcmp(s.value[v].signature, signature, SIGNATURE) < 0)
            v++;
        for (end = v; end < s.n_values && !memcmp(s.value[end].signature, signature, SIGNATURE);)
            end++;
        if (end == v)
            to->unconfirmed += next - i;
        else
            class_judge(&s, i, next - i, v, end - v, kind == URLS || !m->listed, to);
    }
    return LETHE_OK;
}

/* --- the answer --- */

static double share(double n, uint64_t all) { return all ? n / (double)all : 0; }

static double blind(const struct sums *s)
{
    return s->values ? (double)s->rows / (double)s->values : 0;
}

static void answer(const struct matching *m, const struct sums *s, lethe_json_doc *doc,
                   lethe_json *out)
{
    struct sums all = {0};
    double success[STRATEGIES], random = 0;
    for (int k = 0; k < KINDS; k++) {
        all.ids += s[k].ids;
        all.rows += s[k].rows;
        all.unconfirmed += s[k].unconfirmed;
        random += blind(&s[k]);
        for (int i = 0; i < STRATEGIES; i++) {
            all.right_ids[i] += s[k].right_ids[i];
            all.right_rows[i] += s[k].right_rows[i];
        }
    }
    for (int i = 0; i < STRATEGIES; i++)
        success[i] = share(all.right_rows[i], all.rows);
    size_t best = lethe_strategy_best(success, STRATEGIES);
    lethe_set_real(doc, out, "success", success[best]);
    lethe_set_real(doc, out, "baseline", share(random, all.rows));
    lethe_set_real(doc, out, "ids_right", share(all.right_ids[best], all.ids));
    lethe_set_count(doc, out, "ids", all.ids);
    lethe_set_count(doc, out, "rows", all.rows);
    lethe_set_count(doc, out, "unconfirmed", all.unconfirmed);
    lethe_set_text(doc, out, "strategy", strategies[best]);
    lethe_json *each = lethe_json_object(doc);
    for (int i = 0; i < STRATEGIES; i++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", success[i]);
        lethe_set_real(doc, one, "ids_right", share(all.right_ids[i], all.ids));
        lethe_json_set(doc, each, strategies[i], one);
    }
    lethe_json_set(doc, out, "strategies", each);
    lethe_json *hidden = lethe_json_object(doc);
    for (int k = 0; k < KINDS; k++) {
        if (!m->has[k]) continue;
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", share(s[k].right_rows[best], s[k].rows));
        lethe_set_real(doc, one, "baseline", share(blind(&s[k]), s[k].rows));
        lethe_set_real(doc, one, "ids_right", share(s[k].right_ids[best], s[k].ids));
        lethe_set_count(doc, one, "ids", s[k].ids);
        lethe_set_count(doc, one, "rows", s[k].rows);
        lethe_set_count(doc, one, "candidates", s[k].values);
        lethe_set_count(doc, one, "unconfirmed", s[k].unconfirmed);
        lethe_json_set(doc, hidden, kind_names[k], one);
    }
    lethe_json_set(doc, out, "hidden", hidden);
    if (all.ids == 0) // nothing to be found is not the same as nothing found
        lethe_set_text(doc, out, "note", "no text or URL is hidden behind an identifier");
    else if (all.unconfirmed == all.ids)
        lethe_set_text(doc, out, "note",
                       "no identifier stands for all rows of one text or URL of the original: "
                       "nothing can be confirmed");
    lethe_set_text(doc, out, "meaning", lethe_adversary_frequency.meaning);
}

/* --- the whole --- */

static lethe_str parameter(const lethe_json *step, const char *name)
{
    return lethe_json_text(lethe_json_get(lethe_json_get(step, "parameters"), name));
}

static bool has_ids(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    return n > 0 && lethe_str_eq(parameter(lethe_json_at(steps, n - 1), "urls"), LETHE_LIT("id"));
}

static const char *lacks(const lethe_comparison *c)
{
    const lethe_json *manifest = c->published->manifest;
    if (c->published->shape == LETHE_SHAPE_SEALED || has_ids(manifest) ||
        lethe_claims_allow_hashes(lethe_json_get(manifest, "claims")))
        return NULL;
    return "neither hashes of texts nor identifiers of URLs are published";
}

/* Has scrub cut URLs to hosts? */
static bool cuts_urls(const lethe_json *claims)
{
    bool cuts = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *kinds = lethe_json_get(lethe_json_at(claims, i), "kinds");
        for (size_t k = 0; k < lethe_json_count(kinds); k++)
            cuts = cuts || lethe_str_eq(lethe_json_text(lethe_json_at(kinds, k)), LETHE_LIT("url"));
    }
    return cuts;
}

/* Does the release show one click on each URL of a text, or none? */
static bool shows_once(const lethe_json *claims)
{
    bool once = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        once = once || lethe_json_int(lethe_json_get(lethe_json_at(claims, i), "m")) > 0;
    return once;
}

/* What the release hides, and how coarse its times are. */
static lethe_err form_read(struct matching *m)
{
    static const char *const units[] = {"day", "hour", "exact", "drop", "week", "month"};
    const lethe_json *manifest = m->c->published->manifest,
                     *steps = lethe_json_get(manifest, "steps");
    bool sealed = m->c->published->shape == LETHE_SHAPE_SEALED, words = false;
    m->has[TEXTS] = sealed || lethe_claims_allow_hashes(lethe_json_get(manifest, "claims"));
    m->has[URLS] = !sealed && has_ids(manifest);
    m->hosts = m->has[URLS] && cuts_urls(lethe_json_get(manifest, "claims"));
    m->once = m->has[URLS] && shows_once(lethe_json_get(manifest, "claims"));
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_json *step = lethe_json_at(steps, i);
        words = words || lethe_str_eq(parameter(step, "same"), LETHE_LIT("words"));
        for (size_t u = 0; u < LETHE_COUNT(units); u++)
            if (lethe_str_eq(parameter(step, "time"), lethe_str_of(units[u])))
                m->times = (lethe_time_unit)u;
    }
    return words ? lethe_wordnet_open_words(m->c->ctx, NULL, &m->wn) : LETHE_OK;
}

static lethe_err release_read(struct matching *m)
{
    lethe_comparison *c = m->c;
    lethe_ctx_phase(c->ctx, "the release", 0);
    if (c->published->shape == LETHE_SHAPE_SEALED) {
        lethe_sealed_form form = {0};
        lethe_sealed_counts counts = {0};
        LETHE_TRY(lethe_sealed_published(c->ctx, c->published->dirfd, "data.tsv",
                                         &(lethe_sealed_walk){.row = on_sealed, .arg = m}, &form,
                                         &counts));
        m->t = form.t;
        return lethe_log_walk(c->ctx, c->opened, &(lethe_row_visitor){.row = on_opened, .arg = m});
    }
    lethe_log *log = NULL;
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err e = lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = on_published, .arg = m});
    lethe_log_free(log);
    return e;
}

static lethe_err attack_run(struct matching *m, lethe_json_doc *doc, lethe_json *out)
{
    lethe_comparison *c = m->c;
    const lethe_value *file = lethe_value_of(c->values, "frequencies");
    uint64_t memory = lethe_ctx_memory(c->ctx) / 4;
    struct sums sums[KINDS] = {{0}};
    m->workers = lethe_alloc_zero(m->n_workers, sizeof *m->workers);
    if (!m->workers) return lethe_no_memory(c->ctx);
    LETHE_TRY(form_read(m));
    if (file->present) LETHE_TRY(lethe_query_weights_read(c->ctx, file->text, &m->listed));
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, memory, &m->by_text));
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, memory, &m->by_value));
    lethe_ctx_phase(c->ctx, "the original", 0);
    LETHE_TRY(lethe_log_walk(c->ctx, c->original.log,
                             &(lethe_row_visitor){.row = on_original, .arg = m}));
    LETHE_TRY(listed_put(m));
    LETHE_TRY(release_read(m));
    lethe_ctx_phase(c->ctx, "counting", 0);
    LETHE_TRY(lethe_sorter_each(m->by_text, texts_part, m));
    LETHE_TRY(lethe_sorter_each(m->by_value, values_part, m));
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? LETHE_OK : lethe_no_memory(c->ctx);
    for (int k = 0; e == LETHE_OK && k < KINDS; k++)
        e = kind_judge(m, k, a, &sums[k]);
    lethe_arena_free(a);
    if (e == LETHE_OK) answer(m, sums, doc, out);
    return e;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct matching m = {.c = c, .n_workers = lethe_ctx_threads(c->ctx)};
    lethe_err e = attack_run(&m, doc, out);
    for (unsigned w = 0; m.workers && w < m.n_workers; w++) {
        struct worker *k = &m.workers[w];
        lethe_buf *const bufs[] = {&k->record,        &k->ids[TEXTS],   &k->ids[URLS],
                                   &k->values[TEXTS], &k->values[URLS], &k->host,
                                   &k->page};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_same_words_free(&k->same);
    }
    lethe_free(m.workers);
    lethe_sorter_free(m.by_text);
    lethe_sorter_free(m.by_value);
    lethe_query_weights_free(m.listed);
    lethe_wordnet_free(m.wn);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "frequencies",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "how often texts occur, as query TAB number; without it, as in the original"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_frequency = {
    .name = "frequency",
    .summary = "can identifiers be matched to texts and URLs by how often they occur?",
    .threat = LETHE_THREAT_INFERENCE,
    .trials = "ids",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED,
    .options = options,
    .lacks = lacks,
    .meaning = "share of the rows with an identifier in place of a text or URL for which the right "
               "one is named by how often it occurs, by the best of three strategies: the rank of "
               "the frequencies, the nearest expected count, or what occurs as often beside the "
               "same texts or times; baseline: one of the texts or URLs that are possible chosen "
               "at random",
    .run = run,
};
