/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a search of OpenSearch: one JSON document, `{"hits": {"hits": [HIT, ...]}}`, which
 * may be on one line or on many, and as large as the index.  It is read in pieces, and each hit is
 * handed on by itself; of the rest, which is small, the grammar is checked at the end.  Several
 * answers, as scrolling gives them, may follow each other. */
#include "model/log/log_internal.h"
#include "core/parse.h"

typedef enum part {
    BETWEEN,   /* no document is open */
    AROUND,    /* in a document, but not in its array of hits */
    HITS,      /* before a hit */
    HIT,       /* in one */
    BEHIND_HIT /* before a comma, or the array's end */
} part;

struct lethe_ubi_hits {
    part part;
    unsigned depth;                          /* of what is around the hits, or in one */
    bool in_string, escaped, named, in_hits; /* named: a colon stands before; in_hits: in the object
                                                of that name */
    bool found, any;                         /* the array; a hit in it */
    bool too_long;                           /* what is around the hits */
    char last[8];                            /* the last string, as far as it fits */
    size_t n_last;
    lethe_buf around, hit;
    size_t hits_at;                          /* where in `around` the array was */
    uint64_t hit_bytes;                      /* of the hit at hand, however many are kept */
    uint64_t line, first_line, lines_inside; /* of the file, the document's first, in the array */
    uint64_t hit_line;                       /* of the last hit */
    lethe_json_picker *picker;
    lethe_ubi_answer answer;
};

static const char not_json[] = "not valid JSON";
static const char no_hits[] = "a JSON document without hits.hits, the array of a search's hits";
static const char cut_off[] = "the answer to a search is cut off in the middle";
static const char two_arrays[] = "hits.hits stands twice in the answer to a search";
static const char much_around[] = "more than 1 MiB in the answer to a search besides its hits";

lethe_ubi_hits *lethe_ubi_hits_new(void)
{
    static const char *const names[] = {"hits.total.value", "hits.total", "timed_out",
                                        "_shards.failed"};
    lethe_ubi_hits *h = lethe_alloc_zero(1, sizeof *h);
    if (!h) return NULL;
    h->line = 1;
    h->picker = lethe_json_picker_new(names, LETHE_COUNT(names));
    if (h->picker) return h;
    lethe_ubi_hits_free(h);
    return NULL;
}

void lethe_ubi_hits_free(lethe_ubi_hits *h)
{
    if (!h) return;
    lethe_buf_free(&h->around);
    lethe_buf_free(&h->hit);
    lethe_json_picker_free(h->picker);
    lethe_free(h);
}

/* --- around the hits --- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void string_byte(lethe_ubi_hits *h, char c)
{
    if (h->escaped)
        h->escaped = false;
    else if (c == '\\')
        h->escaped = true;
    else if (c == '"')
        h->in_string = false;
    if (h->in_string && h->n_last < sizeof h->last) h->last[h->n_last++] = c;
}

static bool is_named_hits(const lethe_ubi_hits *h)
{
    return h->named && lethe_str_eq((lethe_str){h->last, h->n_last}, LETHE_LIT("hits"));
}

static void document_begin(lethe_ubi_hits *h)
{
    h->part = AROUND;
    h->depth = 0;
    h->in_string = h->named = h->in_hits = h->found = h->any = false;
    h->around.n = 0;
    h->first_line = h->line;
    h->lines_inside = 0;
}

/* All of the document but its hits has been read: is it JSON, and all that was searched for? */
static lethe_err document_end(lethe_ubi_hits *h, lethe_ubi_fault *fault)
{
    lethe_str f[4], text = {(const char *)h->around.at, h->around.n};
    uint64_t total = 0, failed = 0;
    LETHE_TRY(lethe_json_pick(h->picker, text, f, &fault->cause));
    if (fault->cause) {
        size_t at = LETHE_MIN(lethe_json_picker_fault(h->picker), text.n);
        fault->line = h->first_line + (h->found && at > h->hits_at ? h->lines_inside : 0);
        for (size_t i = 0; i < at; i++)
            fault->line += text.at[i] == '\n';
        return LETHE_OK;
    }
    h->part = BETWEEN;
    if (!h->found) *fault = (lethe_ubi_fault){no_hits, h->first_line};
    lethe_str said = f[0].at ? f[0] : f[1];
    if (said.at && lethe_parse_u64(said, &total))
        h->answer.total = LETHE_MAX(h->answer.total, total);
    bool failures = f[3].at && lethe_parse_u64(f[3], &failed) && failed > 0;
    h->answer.partial |= failures || (f[2].at && lethe_str_eq(f[2], LETHE_LIT("true")));
    return LETHE_OK;
}

/* A byte outside the array. */
static lethe_err around_byte(lethe_ubi_hits *h, char c, lethe_ubi_fault *fault)
{
    if (h->around.n > LETHE_LINE_MAX) {
        *fault = (lethe_ubi_fault){much_around, h->line};
        return LETHE_OK;
    }
    LETHE_TRY(lethe_buf_put(&h->around, &c, 1));
    if (h->in_string) {
        string_byte(h, c);
    } else if (c == '"') {
        h->in_string = true;
        h->n_last = 0;
    } else if (c == ':' || c == ',') {
        h->named = c == ':';
    } else if (c == '{' || c == '[') {
        bool array = c == '[' && h->depth == 2 && h->in_hits && is_named_hits(h);
        if (c == '{' && h->depth == 1 && is_named_hits(h)) h->in_hits = true;
        h->depth++;
        h->named = false;
        if (array && h->found) *fault = (lethe_ubi_fault){two_arrays, h->line};
        if (!array) return LETHE_OK;
        h->found = true;
        h->hits_at = h->around.n;
        h->lines_inside = h->line;
        h->part = HITS;
    } else if (c == '}' || c == ']') {
        if (h->depth == 2) h->in_hits = false;
        h->depth -= h->depth > 0;
        if (h->depth == 0) return document_end(h, fault);
    }
    return LETHE_OK;
}

/* --- in the array --- */

static lethe_err hits_end(lethe_ubi_hits *h)
{
    h->part = AROUND;
    h->depth = 2;
    h->lines_inside = h->line - h->lines_inside;
    return lethe_buf_put(&h->around, "]", 1);
}

static void hit_begin(lethe_ubi_hits *h)
{
    h->part = HIT;
    h->depth = 0;
    h->any = true;
    h->hit.n = 0;
    h->hit_bytes = 0;
    h->hit_line = LETHE_MAX(h->line, h->hit_line + 1); // several may stand on one line
}

static lethe_err hit_byte(lethe_ubi_hits *h, char c)
{
    if (h->hit_bytes++ < LETHE_LINE_MAX) LETHE_TRY(lethe_buf_put(&h->hit, &c, 1));
    if (h->in_string) {
        string_byte(h, c);
    } else if (c == '"') {
        h->in_string = true;
    } else if (c == '{' || c == '[') {
        h->depth++;
    } else if (c == '}' || c == ']') {
        h->depth--;
        if (h->depth == 0) h->part = BEHIND_HIT;
    }
    return LETHE_OK;
}

/* --- all --- */

static lethe_err take_byte(lethe_ubi_hits *h, char c, lethe_ubi_fault *fault)
{
    if (h->part == BETWEEN && c == '{') document_begin(h);
    if (h->part == HITS && c == '{') hit_begin(h);
    bool silent = h->part != AROUND && h->part != HIT && is_space(c);
    if (silent) return LETHE_OK;
    if (h->part == AROUND) return around_byte(h, c, fault);
    if (h->part == HIT) return hit_byte(h, c);
    if (h->part == BEHIND_HIT && c == ',') {
        h->part = HITS;
        return LETHE_OK;
    }
    if (c == ']' && (h->part == BEHIND_HIT || (h->part == HITS && !h->any))) return hits_end(h);
    *fault = (lethe_ubi_fault){not_json, h->line};
    return LETHE_OK;
}

lethe_err lethe_ubi_hits_next(lethe_ubi_hits *h, lethe_str *text, lethe_ubi_hit *hit, bool *found,
                              lethe_ubi_fault *fault)
{
    *found = false;
    *fault = (lethe_ubi_fault){NULL, 0};
    while (text->n > 0 && !*found && !fault->cause) {
        bool in_hit = h->part == HIT;
        char c = *text->at;
        LETHE_TRY(take_byte(h, c, fault));
        *text = (lethe_str){text->at + 1, text->n - 1};
        h->line += c == '\n';
        *found = in_hit && h->part == BEHIND_HIT;
    }
    if (!*found) return LETHE_OK;
    h->answer.hits++;
    *hit = (lethe_ubi_hit){.text = {(const char *)h->hit.at, h->hit.n},
                           .line = h->hit_line,
                           .too_long = h->hit_bytes > LETHE_LINE_MAX};
    return LETHE_OK;
}

bool lethe_ubi_hits_reached(const lethe_ubi_hits *h) { return h->found; }

lethe_ubi_answer lethe_ubi_hits_end(const lethe_ubi_hits *h, lethe_ubi_fault *fault)
{
    *fault = (lethe_ubi_fault){h->part == BETWEEN ? NULL : cut_off, h->line};
    lethe_ubi_answer a = h->answer;
    a.last_line = LETHE_MAX(h->line, h->hit_line);
    return a;
}
