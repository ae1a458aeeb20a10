/* SPDX-License-Identifier: Apache-2.0 */
/* check_sealed_harness.h - sealed logs as rows of columns, sealed honestly and then broken at will,
 * written as a release's data and put before the checker. */
#ifndef LETHE_TESTS_CHECK_SEALED_HARNESS_H
#define LETHE_TESTS_CHECK_SEALED_HARNESS_H
#include "check/check.h"
#include "io/json/json.h"
#include "log_oracle.h"
#include "sealed_harness.h"

enum { CS_ROWS = 64 };

typedef struct cs_row {
    char user[64], id[40], share[80], box[256], time[24], rank[8], url[64];
} cs_row;

typedef struct cs_file {
    lethe_sealed_form form;
    cs_row rows[CS_ROWS];
    size_t n;
} cs_file;

static inline void cs_copy(char *to, size_t cap, lethe_str s)
{
    sealed_must(s.n < cap);
    memcpy(to, s.at, s.n);
    to[s.n] = '\0';
}

/* A row as it must be; the time as it is to be written. */
static inline cs_row *cs_add(cs_file *f, const lethe_sealer *s, const char *user, const char *query,
                             const char *time)
{
    lethe_buf room = {0};
    lethe_seal seal;
    sealed_must(f->n < CS_ROWS);
    cs_row *r = &f->rows[f->n++];
    *r = (cs_row){0};
    sealed_must(lethe_seal_query(s, lethe_str_of(user), lethe_str_of(query), 0, &room, &seal) ==
                LETHE_OK);
    cs_copy(r->user, sizeof r->user, lethe_str_of(user));
    cs_copy(r->id, sizeof r->id, seal.id);
    cs_copy(r->share, sizeof r->share, seal.share);
    cs_copy(r->box, sizeof r->box, seal.box);
    cs_copy(r->time, sizeof r->time, lethe_str_of(time));
    if (f->form.clicks) {
        cs_copy(r->rank, sizeof r->rank, LETHE_LIT("1"));
        cs_copy(r->url, sizeof r->url, LETHE_LIT("www.a.com"));
    }
    lethe_buf_free(&room);
    return r;
}

static inline uint32_t cs_index(const cs_row *r) { return (uint32_t)atoi(r->share); }

static inline void cs_line(const cs_file *f, const cs_row *r, char out[640])
{
    int n = snprintf(out, 640, "%s\t%s\t%s\t%s\t%s", r->user, r->id, r->share, r->box, r->time);
    if (f->form.clicks) snprintf(out + n, 640 - (size_t)n, "\t%s\t%s", r->rank, r->url);
}

static lethe_sealed_form cs_form; /* of the file being sorted: qsort hands nothing on */
static inline int cs_by_line(const void *a, const void *b)
{
    char x[640], y[640];
    cs_file f = {.form = cs_form};
    cs_line(&f, a, x);
    cs_line(&f, b, y);
    return strcmp(x, y);
}

/* Sorts the rows, so that row i is in line i + 3. */
static inline void cs_sort(cs_file *f)
{
    cs_form = f->form;
    qsort(f->rows, f->n, sizeof *f->rows, cs_by_line);
}

/* The whole file, rows as they stand. */
static inline void cs_text(const cs_file *f, lethe_buf *out)
{
    char line[640];
    sealed_begin(out, f->form);
    for (size_t i = 0; i < f->n; i++) {
        cs_line(f, &f->rows[i], line);
        sealed_put(out, lethe_str_of(line));
        sealed_put(out, LETHE_LIT("\n"));
    }
}

static inline void cs_claim(lethe_sealed_form form, char out[128])
{
    snprintf(out, 128, "{\"notion\":\"sealed\",\"t\":%u,\"n\":%u,\"scheme\":\"%s\",\"clicks\":%s}",
             form.t, form.n, lethe_scheme_names[form.scheme], form.clicks ? "true" : "false");
}

/* --- the checker's answer --- */

typedef struct cs_answer {
    lethe_err err;
    bool holds;
    char why[512], figures[256]; /* as JSON; empty: none */
} cs_answer;

static inline void cs_write(const lethe_json *v, char *out, size_t cap)
{
    char *text = v ? lethe_json_write(v, 0, NULL) : NULL;
    snprintf(out, cap, "%s", text ? text : "");
    lethe_json_text_free(text);
}

/* Decides over data.tsv in `dirfd`. */
static inline cs_answer cs_check(lethe_ctx *ctx, int dirfd, const char *claim_text,
                                 const lethe_log_form *form)
{
    cs_answer a = {.err = LETHE_OK};
    lethe_json_doc *claim_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *why = NULL, *figures = lethe_json_object(doc);
    sealed_must(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim) ==
                LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_SEALED, .form = form, .figures = figures};
    a.err = lethe_notion_sealed.check(&p, claim, doc, &a.holds, &why);
    cs_write(why, a.why, sizeof a.why);
    if (lethe_json_count(figures) > 0) cs_write(figures, a.figures, sizeof a.figures);
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(doc);
    return a;
}

#endif
