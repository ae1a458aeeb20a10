/* SPDX-License-Identifier: Apache-2.0 */
/* How well are personal data found, and how fast?
 *
 *   bench_pii LOG
 *
 * How well: the sentences of presidio_synth_dataset_v2.json.zst in the folder LETHE_DATA,
 * normalised as queries are.  A labelled span is looked for in its normalised sentence from where
 * the normalised text before it ends.  By overlap: a span is recalled if a finding of its own kind
 * shares a byte with it, and hidden if one of any kind does; a finding is right if it shares a byte
 * with a span of its kind.  Spans of types that no detector looks for are counted as `hidden` too,
 * without precision.  One line a type of span or kind of finding.
 *
 * How fast: the log's queries, masked from memory in one thread; again with a list of 100,000
 * phrases, and again with persons and places; and the data set's sentences, which are full of
 * findings.  How well persons and places are found, tools/evaluate-names says.  Yardstick:
 * normalising the same texts.  The fastest of five, in processor time. */
#include "io/read/fields.h"
#include "io/json/json.h"
#include "io/read/source.h"
#include "text/normalize.h"
#include "text/pii/pii.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, MAX_FIELDS = 8, LOG_BYTES = 64 << 20, N_PHRASES = 100000, N_TYPES = 32 };

static void say(void *none, const lethe_message *m)
{
    (void)none;
    fprintf(stderr, "bench_pii: %s\n", m->text);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The whole of a file, at most `max` bytes of it. */
static lethe_err read_file(lethe_diag *d, const char *path, size_t max, lethe_buf *out)
{
    lethe_source *s;
    LETHE_TRY(lethe_source_open(d, path, &s));
    lethe_err e = LETHE_OK;
    for (size_t n = 1; e == LETHE_OK && n > 0 && out->n < max; out->n += n) {
        e = lethe_buf_reserve(out, 1 << 16);
        if (e == LETHE_OK) e = lethe_source_read(s, out->at + out->n, 1 << 16, &n);
        if (e != LETHE_OK) n = 0;
    }
    lethe_source_close(s);
    return e;
}

/* --- how well --- */

typedef struct type {
    const char *name; /* of the data set */
    int kind;         /* of ours; -1: none */
    unsigned spans, recalled, hidden;
} type;

typedef struct score {
    type types[N_TYPES];
    size_t n_types;
    unsigned found[LETHE_N_PII], right[LETHE_N_PII];
    uint64_t plain, plain_found; /* sentences without a span, and those with a finding */
} score;

typedef struct span {
    size_t at, end;
    type *type;
} span;

static int kind_of(const char *name)
{
    static const struct {
        const char *name;
        lethe_pii kind;
    } map[] = {
        {"EMAIL_ADDRESS", LETHE_PII_EMAIL},    {"CREDIT_CARD", LETHE_PII_CARD},
        {"DOMAIN_NAME", LETHE_PII_URL},        {"US_SSN", LETHE_PII_SSN},
        {"PHONE_NUMBER", LETHE_PII_PHONE},     {"IP_ADDRESS", LETHE_PII_IP},
        {"STREET_ADDRESS", LETHE_PII_ADDRESS}, {"IBAN_CODE", LETHE_PII_IBAN},
    };
    for (size_t i = 0; i < LETHE_COUNT(map); i++)
        if (strcmp(map[i].name, name) == 0) return (int)map[i].kind;
    return -1;
}

static type *type_of(score *s, lethe_str name)
{
    for (size_t i = 0; i < s->n_types; i++)
        if (lethe_str_eq(lethe_str_of(s->types[i].name), name)) return &s->types[i];
    if (s->n_types == N_TYPES) exit(3);
    type *t = &s->types[s->n_types++];
    t->name = strndup(name.at, name.n);
    t->kind = kind_of(t->name);
    return t;
}

/* The first `n` code points. */
static lethe_str head(lethe_str s, int64_t n)
{
    size_t i = 0;
    while (i < s.n && (n > 0 || ((uint8_t)s.at[i] & 0xC0) == 0x80))
        n -= ((uint8_t)s.at[i++] & 0xC0) != 0x80;
    return (lethe_str){s.at, i};
}

static size_t find_from(lethe_str text, size_t from, lethe_str what)
{
    if (from > text.n) return text.n;
    const char *p = memmem(text.at + from, text.n - from, what.at, what.n);
    return p ? (size_t)(p - text.at) : text.n;
}

static size_t place_spans(score *s, const lethe_json *sentence, lethe_str raw, lethe_str text,
                          span *out, size_t max)
{
    const lethe_json *spans = lethe_json_get(sentence, "spans");
    lethe_buf a = {0}, b = {0};
    lethe_str before, value;
    bool invalid;
    size_t n = 0;
    for (size_t i = 0; i < lethe_json_count(spans) && n < max; i++) {
        const lethe_json *v = lethe_json_at(spans, i);
        int64_t start = lethe_json_int(lethe_json_get(v, "start_position"));
        if (lethe_normalize(head(raw, start), &a, &before, &invalid) != LETHE_OK ||
            lethe_normalize(lethe_json_text(lethe_json_get(v, "entity_value")), &b, &value,
                            &invalid) != LETHE_OK)
            exit(4);
        size_t at = find_from(text, before.n, value);
        type *t = type_of(s, lethe_json_text(lethe_json_get(v, "entity_type")));
        t->spans++;
        if (at < text.n) out[n++] = (span){at, at + value.n, t};
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
    return n;
}

static void score_sentence(score *s, lethe_str text, const span *spans, size_t n)
{
    enum { SPANS = 64 };
    bool recalled[SPANS] = {0}, hidden[SPANS] = {0};
    lethe_detector d = {LETHE_PII_ALL, NULL};
    lethe_finding f;
    size_t from = 0;
    for (; lethe_pii_next(&d, text, from, &f); from = f.at + f.n) {
        bool right = false;
        for (size_t i = 0; i < n; i++) {
            if (f.at >= spans[i].end || f.at + f.n <= spans[i].at) continue;
            hidden[i] = true;
            recalled[i] |= spans[i].type->kind == (int)f.kind;
            right |= spans[i].type->kind == (int)f.kind;
        }
        s->found[f.kind]++;
        s->right[f.kind] += right;
        if (!right && getenv("BENCH_PII_WRONG"))
            fprintf(stderr, "%s '%.*s' in: %.*s\n", lethe_pii_names[f.kind], (int)f.n,
                    text.at + f.at, (int)text.n, text.at);
    }
    s->plain += n == 0;
    s->plain_found += n == 0 && from > 0;
    for (size_t i = 0; i < n; i++) {
        spans[i].type->recalled += recalled[i];
        spans[i].type->hidden += hidden[i];
        if (!recalled[i] && spans[i].type->kind >= 0 && getenv("BENCH_PII_MISSED"))
            fprintf(stderr, "%s %s '%.*s'\n", spans[i].type->name, hidden[i] ? "hidden" : "missed",
                    (int)(spans[i].end - spans[i].at), text.at + spans[i].at);
    }
}

static void print_score(const score *s)
{
    for (int k = 0; k < LETHE_PII_LIST; k++) {
        unsigned spans = 0, recalled = 0, hidden = 0;
        for (size_t i = 0; i < s->n_types; i++) {
            if (s->types[i].kind != k) continue;
            spans = s->types[i].spans;
            recalled = s->types[i].recalled;
            hidden = s->types[i].hidden;
        }
        printf("{\"what\":\"%s\",\"found\":%u", lethe_pii_names[k], s->found[k]);
        if (spans > 0)
            printf(",\"right\":%u,\"precision\":%.3f,\"spans\":%u,\"recalled\":%u,"
                   "\"recall\":%.3f,\"hidden\":%u,\"hidden_share\":%.3f",
                   s->right[k], s->found[k] ? (double)s->right[k] / s->found[k] : 0.0, spans,
                   recalled, (double)recalled / spans, hidden, (double)hidden / spans);
        puts("}");
    }
    for (size_t i = 0; i < s->n_types; i++) {
        const type *t = &s->types[i];
        if (t->kind < 0)
            printf("{\"what\":\"%s\",\"spans\":%u,\"hidden\":%u,\"hidden_share\":%.3f}\n", t->name,
                   t->spans, t->hidden, (double)t->hidden / t->spans);
    }
    printf("{\"what\":\"no span\",\"sentences\":%llu,\"with_finding\":%llu}\n",
           (unsigned long long)s->plain, (unsigned long long)s->plain_found);
}

/* --- how fast --- */

typedef struct texts {
    lethe_buf bytes;
    lethe_str *at;
    size_t n, cap, total;
} texts;

static void add_text(texts *t, lethe_str s)
{
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 1024;
        t->at = realloc(t->at, t->cap * sizeof *t->at);
        if (!t->at) exit(4);
    }
    t->at[t->n++] = s;
    t->total += s.n;
}

static double time_mask(const texts *t, const lethe_detector *d, uint64_t *findings)
{
    lethe_buf buf = {0};
    lethe_str out;
    double best = 1e30;
    for (int run = 0; run < RUNS; run++) {
        uint64_t found[LETHE_N_PII] = {0};
        double start = cpu_s();
        for (size_t i = 0; i < t->n; i++)
            if (lethe_pii_mask(d, t->at[i], &buf, &out, found) != LETHE_OK) exit(4);
        best = LETHE_MIN(best, cpu_s() - start);
        *findings = 0;
        for (int k = 0; k < LETHE_N_PII; k++)
            *findings += found[k];
    }
    lethe_buf_free(&buf);
    return best;
}

static double time_normalize(const texts *t)
{
    lethe_buf buf = {0};
    lethe_str out;
    bool invalid;
    double best = 1e30;
    for (int run = 0; run < RUNS; run++) {
        double start = cpu_s();
        for (size_t i = 0; i < t->n; i++)
            if (lethe_normalize(t->at[i], &buf, &out, &invalid) != LETHE_OK) exit(4);
        best = LETHE_MIN(best, cpu_s() - start);
    }
    lethe_buf_free(&buf);
    return best;
}

static void print_speed(const char *what, const texts *t, const lethe_detector *d)
{
    uint64_t findings;
    double mask = time_mask(t, d, &findings), normal = time_normalize(t);
    printf("{\"what\":\"%s\",\"yardstick\":\"normalize\",\"ratio\":%.3f,\"mb_per_s\":%.0f,"
           "\"ns_per_text\":%.1f,\"yardstick_mb_per_s\":%.0f,\"texts\":%zu,\"bytes\":%zu,"
           "\"findings\":%llu}\n",
           what, normal / mask, 1e-6 * (double)t->total / mask, 1e9 * mask / (double)t->n,
           1e-6 * (double)t->total / normal, t->n, t->total, (unsigned long long)findings);
}

/* Phrases of two made-up words. */
static lethe_phrases *make_phrases(lethe_diag *d)
{
    lethe_buf b = {0};
    lethe_phrases *p = NULL;
    char line[64];
    for (unsigned i = 0; i < N_PHRASES; i++) {
        uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        int n = 0;
        for (int k = 0; k < 12; k++, x = x >> 5 | x << 59) {
            if (k == 6) line[n++] = ' ';
            line[n++] = (char)('a' + x % 26);
        }
        line[n++] = '\n';
        if (lethe_buf_put(&b, line, (size_t)n) != LETHE_OK) exit(4);
    }
    if (lethe_phrases_memory(d, (lethe_str){(const char *)b.at, b.n}, &p) != LETHE_OK) exit(4);
    lethe_buf_free(&b);
    return p;
}

static void read_queries(lethe_diag *d, const char *path, texts *t)
{
    lethe_str f[MAX_FIELDS], line, normal;
    uint32_t n;
    bool invalid;
    lethe_buf buf = {0};
    lethe_err e = read_file(d, path, LOG_BYTES, &t->bytes);
    if (e != LETHE_OK) exit(lethe_exit_status(e));
    lethe_tsv w = lethe_tsv_begin((lethe_str){(const char *)t->bytes.at, t->bytes.n}, '\t');
    while (lethe_tsv_next(&w, f, MAX_FIELDS, &n, &line))
        if (n > 1 && lethe_normalize(f[1], &buf, &normal, &invalid) == LETHE_OK &&
            normal.at == f[1].at)
            add_text(t, f[1]);
    lethe_buf_free(&buf);
}

/* Scores the data set, and keeps its sentences for the measurement of speed. */
static void read_sentences(lethe_diag *d, const char *folder, texts *t)
{
    char path[4096];
    score s = {0};
    lethe_buf raw = {0}, buf = {0};
    lethe_json_doc *doc;
    lethe_json *all;
    span spans[64];
    snprintf(path, sizeof path, "%s/presidio_synth_dataset_v2.json.zst", folder);
    if (read_file(d, path, SIZE_MAX, &raw) != LETHE_OK ||
        lethe_json_parse(d, path, (lethe_str){(const char *)raw.at, raw.n}, &doc, &all) != LETHE_OK)
        return;
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        const lethe_json *v = lethe_json_at(all, i);
        lethe_str full = lethe_json_text(lethe_json_get(v, "full_text")), text;
        bool invalid;
        if (lethe_normalize(full, &buf, &text, &invalid) != LETHE_OK) exit(4);
        score_sentence(&s, text, spans, place_spans(&s, v, full, text, spans, LETHE_COUNT(spans)));
        add_text(t, (lethe_str){strndup(text.at, text.n), text.n});
    }
    print_score(&s);
    lethe_json_doc_free(doc);
    lethe_buf_free(&raw);
    lethe_buf_free(&buf);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_pii LOG\n");
        return 2;
    }
    lethe_diag *d = lethe_diag_new(say, NULL);
    if (!d) return 4;
    texts queries = {0}, sentences = {0};
    const char *folder = getenv("LETHE_DATA");
    if (folder) read_sentences(d, folder, &sentences);
    if (sentences.n == 0) fprintf(stderr, "bench_pii: no data set: precision is not measured\n");
    read_queries(d, argv[1], &queries);
    lethe_phrases *phrases = make_phrases(d);
    lethe_detector forms = {LETHE_PII_ALL, NULL}, both = {LETHE_PII_ALL, phrases},
                   every = {LETHE_PII_EVERY, NULL};
    print_speed("queries", &queries, &forms);
    print_speed("queries with 100000 phrases", &queries, &both);
    print_speed("queries, persons and places too", &queries, &every);
    if (sentences.n > 0) print_speed("sentences", &sentences, &forms);
    if (sentences.n > 0) print_speed("sentences, persons and places too", &sentences, &every);
    return 0;
}
