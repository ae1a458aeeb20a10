/* SPDX-License-Identifier: Apache-2.0 */
/* Random small logs, written as TSV, CSV and JSON Lines with random quoting, order of columns and
 * line ends, against an oracle that knows what was written. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "seeds.h"

static uint64_t next(uint64_t *s)
{
    *s += 0x9E3779B97F4A7C15u; // splitmix64
    uint64_t z = *s;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *s, size_t n) { return (size_t)(next(s) % n); }

/* --- what a row is, and what must come of it --- */

typedef enum fate { FINE, EMPTY, REJECTED } fate;

typedef struct made {
    char user[32], query[64], time[40], rank[16], url[48]; /* as written */
    char want[256];                                        /* as a row */
    fate fate;
} made;

/* Texts as written, and as they must be read. */
static const char *const queries[][2] = {
    {"weather", "weather"},
    {"New York", "new york"},
    {"  two  spaces ", "two spaces"},
    {"say \"hi\"", "say \"hi\""},
    {"\"quoted\"", "\"quoted\""},
    {"a,b;c|d", "a,b;c|d"},
    {"CAF\xC3\x89 \xE2\x82\xAC", "caf\xC3\xA9 \xE2\x82\xAC"},
    {"back\\slash {x}", "back\\slash {x}"},
    {"\xE6\x97\xA5\xE6\x9C\xAC", "\xE6\x97\xA5\xE6\x9C\xAC"},
    {"1", "1"},
    {"", ""},
    {"   ", ""},
};
static const char *const times[][2] = {
    {"2006-03-01 16:01:20", "2006-03-01 16:01:20"},
    {"2006-03-01T16:01:20.5+02:00", "2006-03-01 14:01:20"},
    {"1141228880", "2006-03-01 16:01:20"},
    {"1141228880999", "2006-03-01 16:01:20"},
    {"970916105432", "1997-09-16 10:54:32"},
    {"2000-02-29", "2000-02-29 00:00:00"},
    {"2006-02-29 00:00:00", NULL},
    {"soon", NULL},
    {"", NULL},
};
static const char *const users[][2] = {
    {"142", "142"}, {" Bob ", "Bob"}, {"u\xC3\xA9", "u\xC3\xA9"}, {"a,b", "a,b"}, {"", NULL}};
static const char *const ranks[][2] = {
    {"", ""}, {"7", "7"}, {" 12", "12"}, {"007", "7"}, {"x", NULL}};
static const char *const urls[][2] = {
    {"", ""}, {"http://A.com/x?y=1,2", "http://A.com/x?y=1,2"}, {" trimmed ", "trimmed"}};

#define PICK(table) (table)[below(s, rare ? LETHE_COUNT(table) : LETHE_COUNT(table) * 2 / 3)]

static void make_row(made *m, uint64_t *s)
{
    bool rare = below(s, 8) == 0;
    const char *const *u = PICK(users), *const *q = PICK(queries), *const *t = PICK(times);
    const char *const *r = PICK(ranks), *const *l = PICK(urls);
    snprintf(m->user, sizeof m->user, "%s", u[0]);
    snprintf(m->query, sizeof m->query, "%s", q[0]);
    snprintf(m->time, sizeof m->time, "%s", t[0]);
    snprintf(m->rank, sizeof m->rank, "%s", r[0]);
    snprintf(m->url, sizeof m->url, "%s", l[0]);
    m->fate = !u[1] || !t[1] || !r[1] ? REJECTED : *q[1] == '\0' ? EMPTY : FINE;
    if (m->fate == FINE)
        snprintf(m->want, sizeof m->want, "%s|%s|%s|%s|%s", u[1], q[1], t[1], r[1], l[1]);
}

/* --- writing --- */

static const char *fields_of(const made *m, size_t column)
{
    const char *const f[] = {m->user, m->query, m->time, m->rank, m->url};
    return f[column];
}

static void put_csv(text *t, const char *field, char delimiter, uint64_t *s)
{
    bool must = strchr(field, delimiter) || strchr(field, '"');
    if (!must && below(s, 3)) {
        text_put(t, field, strlen(field));
        return;
    }
    text_put(t, "\"", 1);
    for (const char *p = field; *p; p++)
        text_put(t, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    text_put(t, "\"", 1);
}

static void put_json(text *t, const char *field, uint64_t *s)
{
    text_put(t, "\"", 1);
    for (const char *p = field; *p; p++) {
        if (*p == '"' || *p == '\\')
            text_add(t, "\\%c", *p);
        else if ((signed char)*p > 0 && below(s, 10) == 0)
            text_add(t, "\\u%04x", (unsigned)*p);
        else
            text_put(t, p, 1);
    }
    text_put(t, "\"", 1);
}

typedef enum form { TSV, CSV, JSONL } form;

/* One log, as it is written and as it is to be read. */
typedef struct plan {
    form form;
    char delimiter;
    size_t order[5]; /* which column stands i-th */
    bool header;
    bool crlf;
    char columns[80];
    lethe_read_options reading;
} plan;

static const char *const keys[] = {"user", "query", "time", "rank", "url"};

static void make_plan(plan *p, uint64_t *s)
{
    *p = (plan){.form = (form)below(s, 3), .header = below(s, 2), .crlf = below(s, 2)};
    p->delimiter = p->form == TSV ? '\t' : ",;|\t"[below(s, 4)];
    for (size_t i = 0; i < 5; i++)
        p->order[i] = i;
    bool shuffled = below(s, 2);
    for (size_t i = 4; i > 0 && shuffled; i--) {
        size_t k = below(s, i + 1), x = p->order[i];
        p->order[i] = p->order[k];
        p->order[k] = x;
    }
    // told by position, by name, or found out
    size_t told = shuffled && !p->header ? 1 : below(s, p->header ? 3 : 2);
    if (p->form == JSONL) told = below(s, 2) * 2;
    size_t n = 0;
    for (size_t i = 0; i < 5 && told > 0; i++)
        n += (size_t)snprintf(p->columns + n, sizeof p->columns - n, "%s%s=%s%.0zu", n ? "," : "",
                              keys[p->order[i]], told == 2 ? keys[p->order[i]] : "",
                              told == 2 ? (size_t)0 : i + 1);
    if (told > 0) p->reading.columns = p->columns;
    p->reading.format = p->form == TSV   ? LETHE_FORMAT_AOL
                        : p->form == CSV ? LETHE_FORMAT_CSV
                                         : LETHE_FORMAT_JSONL;
    if (p->form == CSV) p->reading.delimiter = p->delimiter;
    if (p->form != CSV && below(s, 2) && (p->form == JSONL || p->header))
        p->reading.format = LETHE_FORMAT_GUESS;
}

static void put_line(text *t, const plan *p, const char *const f[5], uint64_t *s)
{
    const char delimiter[2] = {p->delimiter, '\0'};
    if (p->form == JSONL) text_put(t, "{", 1);
    for (size_t i = 0; i < 5; i++) {
        const char *field = f[p->order[i]];
        if (p->form == JSONL)
            text_add(t, "%s\"%s\":", i ? "," : "", keys[p->order[i]]);
        else if (i)
            text_put(t, delimiter, 1);
        if (p->form == TSV)
            text_put(t, field, strlen(field));
        else if (p->form == CSV)
            put_csv(t, field, p->delimiter, s);
        else
            put_json(t, field, s);
    }
    if (p->form == JSONL) text_put(t, "}", 1);
    text_put(t, p->crlf ? "\r\n" : "\n", p->crlf ? 2 : 1);
}

/* The first line of a file without a header must not look like one. */
static void spoil_no_start(made *m)
{
    *m = (made){
        .user = "1", .query = "q", .time = "5", .fate = FINE, .want = "1|q|1970-01-01 00:00:05||"};
}

static void check_log(uint64_t seed)
{
    uint64_t s = seed;
    plan p;
    make_plan(&p, &s);
    text in = {0}, want = {0};
    text_put(&want, "", 0);
    size_t n = 1 + below(&s, 30), counts[3] = {0};
    if (p.header && p.form != JSONL) put_line(&in, &p, keys, &s);
    for (size_t i = 0; i < n; i++) {
        made m;
        make_row(&m, &s);
        if (i == 0) spoil_no_start(&m);
        const char *const f[] = {fields_of(&m, 0), fields_of(&m, 1), fields_of(&m, 2),
                                 fields_of(&m, 3), fields_of(&m, 4)};
        put_line(&in, &p, f, &s);
        counts[m.fate]++;
        if (m.fate == FINE) text_add(&want, "%zu|%s\n", i, m.want);
    }
    if (below(&s, 3) == 0) in.n -= p.crlf ? 2 : 1; // no final line end
    outcome o;
    outcome_begin(&o);
    static const unsigned threads[] = {1, 1, 2, 7};
    outcome_of(&o, (lethe_str){in.at, in.n}, &p.reading, threads[below(&s, 4)]);
    bool too_many = counts[REJECTED] > n / 10;
    if (o.err != (too_many ? LETHE_EINPUT : LETHE_OK) || strcmp(o.rows.at, want.at) != 0 ||
        o.counts.lines != n || o.counts.rows != counts[FINE] || o.counts.empty != counts[EMPTY] ||
        o.counts.rejected != counts[REJECTED] || o.counts.invalid_utf8 != 0)
        fail_msg("seed %llu: error %d, columns '%s'\n%.*s\nrows:\n%s\nwant:\n%s\n%s",
                 (unsigned long long)seed, o.err, p.columns, (int)in.n, in.at, o.rows.at, want.at,
                 o.messages.at);
    outcome_end(&o);
    free(in.at);
    free(want.at);
}

static void any_log_reads_back_as_it_was_meant(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(6000); seed++)
        check_log(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_log_reads_back_as_it_was_meant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
