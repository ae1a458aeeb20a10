/* SPDX-License-Identifier: Apache-2.0 */
/* Random User Behavior Insights: queries and events shuffled over several files, repeated, without
 * partners, damaged, cut off at any byte, against a join by looking at every pair of documents. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "seeds.h"
#include <string.h>
#include <unistd.h>

static uint64_t next(uint64_t *s)
{
    *s += 0x9E3779B97F4A7C15u; // splitmix64
    uint64_t z = *s;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *s, size_t n) { return (size_t)(next(s) % n); }

/* --- what is made --- */

typedef enum kind { ACTION, QUERY, CLICK, OTHER, BAD } kind; /* CLICK: whatever counts as one */

/* One line.  What it says is kept beside what is written, so that nothing has to be parsed. */
typedef struct line {
    kind kind;
    size_t file, number;        /* from 1 in its file */
    char id[8], user[8];        /* a click's user may be empty */
    const char *query, *normal; /* as written, as read */
    const char *when, *time;    /* as written (or a number), as read */
    const char *action;         /* of an event */
    bool has_object;
    char url[16];
    const char *rank;    /* as read */
    bool unranked;       /* its position is something else */
    bool rejected;       /* by the oracle */
    const char *written; /* BAD */
    bool is_document;    /* BAD */
    bool is_click;       /* BAD: the action of a click can be read */
} line;

enum { MAX_LINES = 120, MAX_FILES = 4 };

/* Documents alone or with actions; in hits, one a line; the answer to a search. */
typedef enum form { DOCUMENTS, DUMP, ANSWER } form;

typedef struct plan {
    line lines[MAX_LINES];
    size_t n, n_files;
    form form;
    text files[MAX_FILES];
    size_t n_lines[MAX_FILES];
    size_t line_feeds[MAX_FILES]; /* ANSWER: n_lines is the number of the last hit */
    lethe_read_options reading;
    bool bulk;
} plan;

static const char *const queries[][2] = {
    {"shoes", "shoes"},
    {"Red  Shoes ", "red shoes"},
    {"caf\xC3\xA9", "caf\xC3\xA9"},
    {"say \"hi\" \\ {}", "say \"hi\" \\ {}"},
    {"[1]", "[1]"},
    {"", ""},
    {"  ", ""},
};
static const char *const times[][2] = {
    {"2025-01-24T07:31:52.102+0000", "2025-01-24 07:31:52"},
    {"2025-01-24T07:31:52Z", "2025-01-24 07:31:52"},
    {"2025-01-24 07:31:53", "2025-01-24 07:31:53"},
    {"1717527762080", "2024-06-04 19:02:42"},
};
/* Lines that are rejected, and so is every beginning of them.  Some are known for documents. */
static const struct {
    const char *written;
    bool is_document;
} damaged[] = {
    {"x", false},
    {"[]", false},
    {"{\"user_query\":\"shoes\"", false},
    {"{\"query\":\"shoes\",\"user\":\"a\"}", false},
    {"{\"delete\":{\"_id\":\"1\"}}", false},
    {"{\"user_query\":\"shoes\",\"client_id\":\"a\",\"timestamp\":0}", true},
    {"{\"user_query\":\"shoes\",\"query_id\":\"1\",\"timestamp\":0}", true},
    {"{\"user_query\":\"shoes\",\"query_id\":\"1\",\"client_id\":\"a\"}", true},
    {"{\"user_query\":\"x\",\"query_id\":\"1\",\"client_id\":\"a\",\"timestamp\":\"now\"}", true},
    {"{\"user_query\":\"a\\tb\",\"query_id\":\"1\",\"client_id\":\"a\",\"timestamp\":0}", true},
    {"{\"action_name\":\"click\",\"query_id\":\"1\",\"client_id\":\"a\"}", true},
    {"{\"action_name\":\"click\",\"event_attributes\":{\"object\":{\"object_id\":\"1\"}}}", true},
    {"{\"user_query\":\"a\",\"message_type\":\"I\",\"query_id\":\"1\",\"client_id\":\"a\"}", false},
    {"{} {}", false},
    {"\"\\u0000\"", false},
    {"{\"a\":\"\xFF", false},
};
static const char *const ordinals[][2] = {{"3", "3"}, {"12", "12"}, {"4.0", "4"}, {"null", ""},
                                          {NULL, ""}, {"-1", "?"},  {"2.5", "?"}};

/* What --actions may say, and the actions that there are. */
static const char *const asked[] = {NULL, NULL, "click,click_through", "click,add_to_cart, x"};
static const char *const event_names[] = {
    "click",      "click_through",   "add_to_cart", "add_to_cart",
    "impression", "big_Impressions", "x",           ""};

static bool is_named(const char *list, const char *action)
{
    char copy[64], *rest = copy;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *name; (name = strsep(&rest, ","));)
        if (strcmp(name + strspn(name, " "), action) == 0) return true;
    return false;
}

static bool is_click_by_name(const line *l)
{
    return strcmp(l->action, "click") == 0 || strcmp(l->action, "click_through") == 0;
}

static void make_event(const plan *p, line *l, uint64_t *s)
{
    l->action = event_names[below(s, LETHE_COUNT(event_names))];
    l->has_object = is_click_by_name(l) || below(s, 3) > 0;
    bool counts = p->reading.actions ? is_named(p->reading.actions, l->action)
                                     : *l->action && !strcasestr(l->action, "impression");
    l->kind = counts && l->has_object ? CLICK : OTHER;
}

static void make_line(plan *p, uint64_t *s, size_t n_ids, size_t bad_one_in, size_t odd_one_in)
{
    line *l = &p->lines[p->n++];
    *l = (line){.kind = OTHER};
    snprintf(l->id, sizeof l->id, "q%zu", below(s, n_ids));
    // a query's id mostly tells its user, text and time, so that repeated ones agree
    uint64_t by_id = (uint64_t)atoi(l->id + 1) * 977 + 3, *of = below(s, odd_one_in) ? &by_id : s;
    snprintf(l->user, sizeof l->user, "u%zu", below(of, 5));
    const char *const *q = queries[below(of, LETHE_COUNT(queries))];
    const char *const *t = times[below(of, LETHE_COUNT(times))];
    l->query = q[0];
    l->normal = q[1];
    l->when = t[0];
    l->time = t[1];
    if (bad_one_in && below(s, bad_one_in) == 0) {
        l->kind = BAD;
        size_t which = below(s, LETHE_COUNT(damaged));
        l->written = damaged[which].written;
        l->is_document = damaged[which].is_document;
        l->is_click = l->is_document && strstr(l->written, "action_name");
        return;
    }
    l->kind = QUERY;
    if (below(s, 10) < 5) return;
    make_event(p, l, s);
    const char *const *o = ordinals[below(s, LETHE_COUNT(ordinals))];
    l->when = o[0];
    l->unranked = o[1][0] == '?';
    l->rank = l->unranked ? "" : o[1];
    snprintf(l->url, sizeof l->url, below(s, 4) ? "B%zu" : "http://b%zu.x/p", below(s, 4));
    if (below(s, 5) == 0) l->user[0] = '\0';
}

/* --- writing it --- */

static void put_string(text *t, const char *p, uint64_t *s)
{
    text_put(t, "\"", 1);
    for (; *p; p++) {
        if (*p == '"' || *p == '\\')
            text_add(t, "\\%c", *p);
        else if ((signed char)*p > 0 && below(s, 12) == 0)
            text_add(t, "\\u%04x", (unsigned)*p);
        else
            text_put(t, p, 1);
    }
    text_put(t, "\"", 1);
}

/* A member, behind a comma unless it is the first, with space here and there. */
static void put_name(text *t, bool *first, const char *name, uint64_t *s)
{
    static const char *const commas[] = {",", ", ", " ,\t"};
    if (!*first) text_add(t, "%s", commas[below(s, 3)]);
    *first = false;
    put_string(t, name, s);
    text_add(t, "%s", below(s, 2) ? ":" : " : ");
}

static void put_member(text *t, bool *first, const char *name, const char *value, uint64_t *s)
{
    put_name(t, first, name, s);
    if (strspn(value, "0123456789") == strlen(value) && *value)
        text_add(t, "%s", value);
    else
        put_string(t, value, s);
}

static void put_noise(text *t, bool *first, uint64_t *s)
{
    static const char *const noise[][2] = {{"application", "\"shop\""},
                                           {"query_attributes", "{\"query_id\":\"wrong\"}"},
                                           {"message", "null"},
                                           {"session_id", "\"client_id\""},
                                           {"query_response_hit_ids", "[\"B1\",{}]"}};
    if (below(s, 2)) return;
    const char *const *n = noise[below(s, LETHE_COUNT(noise))];
    put_name(t, first, n[0], s);
    text_add(t, "%s", n[1]);
}

static void put_attributes(text *t, bool *first, const line *l, uint64_t *s)
{
    static const char *const urls[] = {"url", "object_url", "object_id"};
    bool one = true;
    put_name(t, first, "event_attributes", s);
    text_add(t, "{");
    if (l->when) {
        put_name(t, &one, "position", s);
        text_add(t, "{\"ordinal\":%s}", l->when);
    }
    put_name(t, &one, "object", s);
    size_t which = below(s, 3);
    text_add(t, "{\"%s\":\"%s\"", urls[which], l->url);
    if (which < 2) text_add(t, ",\"object_id\":\"lower\"");
    text_add(t, "}}");
}

static void put_document(text *t, const line *l, uint64_t *s)
{
    bool first = true;
    text_add(t, "{");
    for (size_t i = 0, from = below(s, 5); i < 5; i++) {
        put_noise(t, &first, s);
        switch ((from + i) % 5) {
        case 0:
            put_member(t, &first, "query_id", l->id, s);
            break;
        case 1:
            if (*l->user) put_member(t, &first, "client_id", l->user, s);
            break;
        case 2:
            if (l->kind == QUERY || below(s, 2)) put_member(t, &first, "user_query", l->query, s);
            break;
        case 3:
            if (l->kind == QUERY) put_member(t, &first, "timestamp", l->when, s);
            if (l->action && l->has_object) put_attributes(t, &first, l, s);
            break;
        default:
            if (l->action) put_member(t, &first, "action_name", l->action, s);
            break;
        }
    }
    text_add(t, "}");
}

/* A hit of an answer counts as a line of its own, at least. */
static void put_hit(plan *p, line *l, size_t file, uint64_t *s)
{
    static const char *const heads[] = {"{\"hits\":{\"hits\":[",
                                        "{\n \"took\" : 1,\n \"hits\":{\"hits\":[\n",
                                        "{\"x\":{\"hits\":[{}]},\"hits\": {\n\"hits\": [ "};
    text *t = &p->files[file];
    const char *head = heads[below(s, 3)], *gap = below(s, 2) ? "\n" : "";
    size_t before = t->n;
    if (before == 0)
        text_add(t, "%s", head);
    else
        text_add(t, "%s,%s%s", gap, gap, below(s, 4) ? "" : "\n");
    for (size_t i = before; i < t->n; i++)
        p->line_feeds[file] += t->at[i] == '\n';
    size_t last = p->n_lines[file], here = p->line_feeds[file] + 1;
    l->number = p->n_lines[file] = here > last ? here : last + 1;
    text_add(t, "{\"_id\":\"1\",%s\"_source\" :", gap);
    p->line_feeds[file] += *gap != '\0';
    put_document(t, l, s);
    text_add(t, "}");
}

static void end_answers(plan *p)
{
    for (size_t f = 0; f < p->n_files && p->form == ANSWER; f++) {
        text_add(&p->files[f], "]}}");
        if (p->line_feeds[f] + 1 > p->n_lines[f]) p->n_lines[f] = p->line_feeds[f] + 1;
    }
}

static void put_line(plan *p, line *l, size_t file, uint64_t *s)
{
    static const char *const actions[] = {"{\"index\":{\"_index\":\"ubi_x\"}}",
                                          " {\"create\" : {} }", "{\"index\":{\"_id\":\"{}\"}}"};
    text *t = &p->files[file];
    l->file = file;
    if (p->form == ANSWER) {
        put_hit(p, l, file, s);
        return;
    }
    l->number = ++p->n_lines[file];
    if (l->kind == ACTION)
        text_add(t, "%s", actions[below(s, 3)]);
    else if (l->kind == BAD)
        text_add(t, "%s", l->written);
    else if (p->form == DUMP) {
        text_add(t, "{\"_index\":\"i\",\"_source\":");
        put_document(t, l, s);
        text_add(t, ",\"_score\":null}");
    } else
        put_document(t, l, s);
    text_add(t, below(s, 8) ? "\n" : "\r\n");
}

/* Cuts the last file at some byte.  The line in which that is becomes another: what is left of it
 * is whole (but for its line end), or is nothing, or does not parse. */
static void cut(plan *p, uint64_t *s)
{
    text *t = &p->files[p->n_files - 1];
    size_t at = below(s, t->n + 1), n = 0, begin = 0;
    for (size_t i = 0; i < at; i++)
        if (t->at[i] == '\n') {
            n++;
            begin = i + 1;
        }
    const char *lf = memchr(t->at + begin, '\n', t->n - begin);
    size_t end = lf ? (size_t)(lf - t->at) : t->n;
    bool whole = at >= end - (end > begin && t->at[end - 1] == '\r');
    t->at[at] = '\0';
    t->n = at;
    size_t keep = 0;
    for (size_t i = 0; i < p->n; i++) {
        line l = p->lines[i];
        if (l.file == p->n_files - 1 && l.number > n + (at > begin)) continue;
        if (l.file == p->n_files - 1 && l.number == n + 1 && !whole) {
            l.kind = BAD;
            l.is_document = l.is_click = false;
        }
        p->lines[keep++] = l;
    }
    p->n = keep;
    p->n_lines[p->n_files - 1] = n + (at > begin);
}

/* A click gets a query that is there, if there is one, and mostly its user. */
static void give_query(plan *p, line *l, uint64_t *s, size_t odd_one_in)
{
    const line *q = NULL;
    for (const line *j = p->lines; j < l; j++)
        if (j->kind == QUERY && (!q || below(s, 3) == 0)) q = j;
    if (!q) {
        l->kind = OTHER;
        l->action = "impression";
        return;
    }
    memcpy(l->id, q->id, sizeof l->id);
    if (*l->user && below(s, odd_one_in)) memcpy(l->user, q->user, sizeof l->user);
}

static void make_plan(plan *p, uint64_t *s)
{
    *p = (plan){.n_files = 1 + below(s, 3), .bulk = below(s, 2)};
    size_t n = 1 + below(s, 58), n_ids = 1 + below(s, 40);
    static const size_t bad[] = {0, 0, 60, 5}, odd[] = {8, 60, 500};
    size_t bad_one_in = bad[below(s, 4)], odd_one_in = odd[below(s, 3)];
    p->form = (form)below(s, 3);
    if (p->form == ANSWER) {
        p->bulk = false;
        bad_one_in = 0;
    }
    p->reading = (lethe_read_options){.format = LETHE_FORMAT_UBI,
                                      .encoding = "utf-8",
                                      .strict = below(s, 6) == 0,
                                      .actions = asked[below(s, LETHE_COUNT(asked))]};
    if (below(s, 4) == 0) {
        p->reading.has_users_with = true;
        p->reading.users_with_min = below(s, 3);
        p->reading.users_with_max = p->reading.users_with_min + below(s, 3);
    }
    for (size_t f = 0; f < p->n_files; f++)
        text_put(&p->files[f], "", 0);
    for (size_t i = 0; i < n; i++) {
        if (p->bulk) p->lines[p->n++] = (line){.kind = ACTION};
        make_line(p, s, n_ids, bad_one_in, odd_one_in);
        if (p->lines[p->n - 1].kind == CLICK && below(s, odd_one_in))
            give_query(p, &p->lines[p->n - 1], s, odd_one_in);
    }
    size_t stride = p->bulk ? 2 : 1; // an action stays before its document
    for (size_t i = p->n / stride - 1; i > 0; i--) {
        line keep[2];
        size_t k = below(s, i + 1);
        memcpy(keep, &p->lines[i * stride], stride * sizeof *keep);
        memmove(&p->lines[i * stride], &p->lines[k * stride], stride * sizeof *keep);
        memcpy(&p->lines[k * stride], keep, stride * sizeof *keep);
    }
    for (size_t i = 0; i < p->n; i++)
        put_line(p, &p->lines[i], i / stride * stride * p->n_files / p->n, s);
    if (p->form == ANSWER)
        end_answers(p);
    else if (below(s, 3) == 0)
        cut(p, s);
}

/* --- the oracle --- */

typedef struct truth {
    lethe_err err;
    uint64_t rows, empty, rejected, filtered, others, repeated, unranked, again, unasked, ranks;
    const line *lowest; /* rejected */
    text text;          /* of the rows */
} truth;

static uint64_t origin_of(const plan *p, const line *l)
{
    uint64_t base = 0;
    for (size_t f = 0; f < l->file; f++)
        base += p->n_lines[f];
    return base + l->number - 1;
}

/* The query of that id: the first one. */
static const line *query_of(const plan *p, const char *id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->lines[i].kind == QUERY && strcmp(p->lines[i].id, id) == 0) return &p->lines[i];
    return NULL;
}

static bool same_query(const line *a, const line *b)
{
    return strcmp(a->user, b->user) == 0 && strcmp(a->normal, b->normal) == 0;
}

static bool good_click(const plan *p, const line *l)
{
    const line *q = l->kind == CLICK ? query_of(p, l->id) : NULL;
    return q && (!*l->user || strcmp(l->user, q->user) == 0);
}

static bool is_clicked(const plan *p, const line *q)
{
    for (size_t i = 0; i < p->n; i++)
        if (good_click(p, &p->lines[i]) && query_of(p, p->lines[i].id) == q) return true;
    return false;
}

static bool same_click(const plan *p, const line *a, const line *b)
{
    return good_click(p, a) && good_click(p, b) && strcmp(a->id, b->id) == 0 &&
           strcmp(a->url, b->url) == 0;
}

/* Has its query clicked that before? */
static bool is_again(const plan *p, const line *l)
{
    for (const line *b = p->lines; b < l; b++)
        if (same_click(p, b, l)) return true;
    return false;
}

/* The best of all ranks of what was clicked. */
static const char *best_rank(const plan *p, const line *l)
{
    const char *best = "";
    for (size_t i = 0; i < p->n; i++) {
        const char *rank = p->lines[i].rank;
        if (!same_click(p, &p->lines[i], l) || !*rank) continue;
        if (!*best || atoi(rank) < atoi(best)) best = rank;
    }
    return best;
}

/* The line is a row, of which query? */
static const line *row_of(const plan *p, const line *l)
{
    if (good_click(p, l)) return is_again(p, l) ? NULL : query_of(p, l->id);
    return l->kind == QUERY && query_of(p, l->id) == l && !is_clicked(p, l) ? l : NULL;
}

/* User, text and time that have a click, each once. */
static size_t clicked_queries(const plan *p, const char *user)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const line *q = good_click(p, &p->lines[i]) ? query_of(p, p->lines[i].id) : NULL;
        if (!q || strcmp(q->user, user) != 0 || !*q->normal) continue;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = good_click(p, &p->lines[j]) && same_query(query_of(p, p->lines[j].id), q) &&
                   strcmp(query_of(p, p->lines[j].id)->time, q->time) == 0;
        n += !seen;
    }
    return n;
}

static void judge(const plan *p, line *l, truth *t)
{
    const line *q = row_of(p, l);
    bool last = l->number == p->n_lines[l->file];
    if (l->kind == ACTION)
        l->rejected = last;
    else if (l->kind == QUERY)
        l->rejected = query_of(p, l->id) != l && !same_query(query_of(p, l->id), l);
    else
        l->rejected =
            l->kind == BAD || (l->kind == CLICK && !good_click(p, l) && is_click_by_name(l));
    t->again += good_click(p, l) && !q;
    t->unasked += l->kind == CLICK && !good_click(p, l) && !is_click_by_name(l);
    t->others += l->kind == OTHER;
    t->unranked += l->kind == CLICK && l->unranked;
    t->repeated += l->kind == QUERY && query_of(p, l->id) != l && !l->rejected;
    t->rejected += l->rejected;
    if (l->rejected && !t->lowest) t->lowest = l;
    if (!q) return;
    t->empty += !*q->normal;
    t->rows += *q->normal != '\0';
    if (!*q->normal) return;
    const char *rank = l->kind == CLICK ? best_rank(p, l) : "",
               *sign = l->kind == CLICK && l->url[0] == 'B' ? "=" : "";
    t->ranks += *rank != '\0';
    size_t clicked = clicked_queries(p, q->user);
    if (p->reading.has_users_with &&
        (clicked < p->reading.users_with_min || clicked > p->reading.users_with_max)) {
        t->filtered++;
        return;
    }
    text_add(&t->text, "%llu|%s|%s|%s|%s|%s%s\n", (unsigned long long)origin_of(p, l), q->user,
             q->normal, q->time, rank, sign, l->kind == CLICK ? l->url : "");
}

/* Are there events, and none of those that are asked for? */
static bool asks_in_vain(const plan *p)
{
    size_t events = 0, found = 0;
    for (size_t i = 0; i < p->n && p->reading.actions; i++) {
        const line *l = &p->lines[i];
        bool event = l->kind == CLICK || l->kind == OTHER || (l->kind == BAD && l->is_click);
        events += event;
        found += event && is_named(p->reading.actions, l->kind == BAD ? "click" : l->action);
    }
    return events > 0 && found == 0;
}

static truth find_out(plan *p)
{
    truth t = {.err = LETHE_OK};
    text_put(&t.text, "", 0);
    for (size_t i = 0; i < p->n; i++)
        judge(p, &p->lines[i], &t);
    uint64_t lines = t.rows + t.empty + t.rejected;
    if (lines == 0 || t.rejected > lines / 10) t.err = LETHE_EINPUT;
    if (p->reading.strict && t.rejected) t.err = LETHE_EINPUT;
    if (asks_in_vain(p)) t.err = LETHE_EINPUT;
    for (size_t f = 0; f < p->n_files; f++) {
        size_t documents = 0;
        for (size_t i = 0; i < p->n; i++)
            documents += p->lines[i].file == f && p->lines[i].kind != ACTION &&
                         (p->lines[i].kind != BAD || p->lines[i].is_document);
        if (documents == 0) t.err = LETHE_EINPUT; // empty, or something else
    }
    return t;
}

/* --- the comparison --- */

static char dir[] = "/tmp/lethe-ubi-prop-XXXXXX";

static void path_of(char out[64], size_t file) { snprintf(out, 64, "%s/%zu", dir, file); }

static void write_files(const plan *p)
{
    for (size_t f = 0; f < p->n_files; f++) {
        char path[64];
        path_of(path, f);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(p->files[f].at, 1, p->files[f].n, out), p->files[f].n);
        assert_int_equal(fclose(out), 0);
    }
}

static void walk(const plan *p, outcome *o, unsigned threads, uint64_t memory)
{
    char paths[MAX_FILES][64];
    const char *at[MAX_FILES];
    lethe_log *log = NULL;
    outcome_begin(o);
    lethe_ctx *ctx = outcome_ctx(o, threads, memory);
    assert_non_null(ctx);
    for (size_t f = 0; f < p->n_files; f++) {
        path_of(paths[f], f);
        at[f] = paths[f];
    }
    assert_int_equal(lethe_log_files(ctx, at, p->n_files, &p->reading, &log), LETHE_OK);
    outcome_walk(o, ctx, log);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
}

static bool says(const outcome *o, uint64_t n, const char *one, const char *many)
{
    char note[100];
    snprintf(note, sizeof note, "N %llu %s", (unsigned long long)n, n == 1 ? one : many);
    return n > 0 ? strstr(o->messages.at, note) != NULL
                 : !strstr(o->messages.at, one) && !strstr(o->messages.at, many);
}

/* Where no row has a rank, that is no note any more. */
static bool says_ranks(const outcome *o, const truth *t)
{
    char warning[60];
    if (t->unranked == 0 || t->ranks > 0)
        return says(o, t->unranked, "click whose position", "clicks whose positions");
    snprintf(warning, sizeof warning, "W no click has a rank: %llu have",
             (unsigned long long)t->unranked);
    return strstr(o->messages.at, warning) != NULL;
}

static bool as_it_must(const plan *p, const truth *t, const outcome *o)
{
    const lethe_read_counts *c = &o->counts;
    if (o->err != t->err) return false;
    if (t->err != LETHE_OK) {
        if (!p->reading.strict || !t->lowest || strstr(o->messages.at, "is empty")) return true;
        char path[64], lowest[100];
        path_of(path, t->lowest->file);
        snprintf(lowest, sizeof lowest, "E %s:%zu:", path, t->lowest->number);
        return strncmp(o->messages.at, lowest, strlen(lowest)) == 0;
    }
    return c->rows == t->rows && c->empty == t->empty && c->rejected == t->rejected &&
           c->filtered == t->filtered && c->lines == c->rows + c->empty + c->rejected &&
           strcmp(o->rows.at, t->text.at) == 0 &&
           says(o, t->others, "event that is no click", "events that are no clicks") &&
           says(o, t->repeated, "query document that", "query documents that") &&
           says(o, t->again, "event that repeats a click", "events that repeat clicks") &&
           says(o, t->unasked, "event other than a click", "events other than clicks") &&
           says_ranks(o, t);
}

static void show(const plan *p, const truth *t, const outcome *o, uint64_t seed)
{
    for (size_t f = 0; f < p->n_files; f++)
        print_error("--- file %zu\n%s", f, p->files[f].at);
    print_error("--- err %d, wanted %d; rows %llu empty %llu rejected %llu, wanted %llu %llu %llu\n"
                "--- said\n%s--- rows\n%s--- wanted\n%s",
                o->err, t->err, (unsigned long long)o->counts.rows,
                (unsigned long long)o->counts.empty, (unsigned long long)o->counts.rejected,
                (unsigned long long)t->rows, (unsigned long long)t->empty,
                (unsigned long long)t->rejected, o->messages.at, o->rows.at, t->text.at);
    fail_msg("seed %llu", (unsigned long long)seed);
}

static void any_documents_are_joined_as_they_were_meant(void **state)
{
    (void)state;
    plan *p = malloc(sizeof *p);
    size_t n_good = 0, n_bad = 0, n_cases = seeds(4000);
    assert_non_null(p);
    assert_non_null(mkdtemp(dir));
    for (uint64_t seed = 1; seed <= n_cases; seed++) {
        uint64_t s = seed;
        outcome o;
        make_plan(p, &s);
        write_files(p);
        truth t = find_out(p);
        walk(p, &o, 1, (uint64_t)64 << 20);
        if (!as_it_must(p, &t, &o)) show(p, &t, &o, seed);
        n_good += o.err == LETHE_OK && o.counts.rows > 5;
        n_bad += o.err != LETHE_OK;
        for (unsigned threads = 2; seed % 16 == 0 && threads <= 7; threads += 5) {
            outcome many;
            walk(p, &many, threads, (uint64_t)1 << 20);
            if (many.err != o.err || strcmp(many.messages.at, o.messages.at) != 0 ||
                strcmp(many.rows.at, o.rows.at) != 0 ||
                (o.err == LETHE_OK && memcmp(&many.counts, &o.counts, sizeof o.counts) != 0))
                show(p, &t, &many, seed);
            outcome_end(&many);
        }
        outcome_end(&o);
        free(t.text.at);
        for (size_t f = 0; f < p->n_files; f++)
            free(p->files[f].at);
    }
    for (size_t f = 0; f < MAX_FILES; f++) {
        char path[64];
        path_of(path, f);
        unlink(path);
    }
    rmdir(dir);
    free(p);
    // both ways out were taken often
    if (n_good < n_cases / 4 || n_bad < n_cases / 10) fail_msg("%zu, %zu", n_good, n_bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_documents_are_joined_as_they_were_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
