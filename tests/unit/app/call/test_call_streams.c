/* SPDX-License-Identifier: Apache-2.0 */
/* Streams through lethe_call(): a log, a table and records come in as streams, and what is
 * published goes out as one; both are what files would have been. */
/* suite: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/mem.h"
#include "lethe/call.h"
#include "app/call/published_stream.h"
#include "arrow_feed.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    lethe_ctx *ctx;
    char dir[64];
    char said[8192]; /* all messages */
} place;

static void hear(void *arg, const lethe_message *m)
{
    place *p = arg;
    size_t n = strlen(p->said);
    snprintf(p->said + n, sizeof p->said - n, "%s:%llu: %s\n", m->file ? m->file : "",
             (unsigned long long)m->line, m->text);
}

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/lethe-test-XXXXXX");
    lethe_settings settings = {.size = sizeof settings,
                               .n_threads = 2,
                               .on_message = hear,
                               .user = p,
                               .spill_dir = p->dir};
    if (!mkdtemp(p->dir) || chdir(p->dir) != 0) return -1;
    if (lethe_ctx_new(&settings, &p->ctx) != LETHE_OK) return -1;
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    char line[128];
    lethe_alloc_fail_at(0);
    lethe_ctx_free(p->ctx);
    snprintf(line, sizeof line, "rm -rf '%s'", p->dir);
    int failed = chdir("/") || system(line);
    free(p);
    return failed;
}

static void file_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static char *file_read(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return text;
}

/* --- tables of text as streams --- */

enum { COLUMNS = 5, ROWS_CAP = 400 };

/* Columns of text, one batch. */
typedef struct text_table {
    size_t n_columns, n_rows;
    const char *names[COLUMNS];
    char bytes[COLUMNS][ROWS_CAP * 40];
    int32_t ends[COLUMNS][ROWS_CAP + 1];
    arrow_node column[COLUMNS], rows;
    const arrow_node *children[COLUMNS], *batch;
    arrow_feed feed;
    struct ArrowArrayStream stream;
} text_table;

static void row_add(text_table *t, const char *const *fields)
{
    assert_true(t->n_rows < ROWS_CAP);
    for (size_t c = 0; c < t->n_columns; c++) {
        int32_t from = t->ends[c][t->n_rows];
        size_t n = strlen(fields[c]);
        memcpy(t->bytes[c] + from, fields[c], n);
        t->ends[c][t->n_rows + 1] = from + (int32_t)n;
    }
    t->n_rows++;
}

static void table_end(text_table *t)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        t->column[c] =
            (arrow_node)TEXT_COLUMN(t->names[c], (int64_t)t->n_rows, t->ends[c], t->bytes[c]);
        t->children[c] = &t->column[c];
    }
    t->rows = (arrow_node){.format = "+s",
                           .name = "",
                           .length = (int64_t)t->n_rows,
                           .n_buffers = 1,
                           .n_children = (int64_t)t->n_columns,
                           .children = t->children};
    t->batch = &t->rows;
    t->feed = (arrow_feed){.batches = &t->batch, .n_batches = 1};
    t->stream = feed_stream(&t->feed);
}

/* A log of 40 users and a few queries each, as a table; the same as CSV into `path`. */
static text_table *log_new(const char *path, const char *const names[COLUMNS])
{
    text_table *t = calloc(1, sizeof *t);
    FILE *f = fopen(path, "w");
    t->n_columns = COLUMNS;
    for (size_t c = 0; c < COLUMNS; c++) {
        t->names[c] = names[c];
        fprintf(f, "%s%s", c ? "," : "", names[c]);
    }
    fputc('\n', f);
    for (int i = 0; i < 200; i++) {
        char user[16], query[40], time[32];
        snprintf(user, sizeof user, "u%d", i * 7 % 40);
        snprintf(query, sizeof query, "common query %d", i % 11);
        if (i % 13 == 0) snprintf(query, sizeof query, "rare %d", i);
        snprintf(time, sizeof time, "2006-03-%02d 10:00:%02d", i % 28 + 1, i % 60);
        bool clicked = i % 3 == 0;
        const char *const fields[] = {user, query, time, clicked ? "2" : "",
                                      clicked ? "http://www.example.com/a" : ""};
        row_add(t, fields);
        for (size_t c = 0; c < COLUMNS; c++)
            fprintf(f, "%s%s", c ? "," : "", fields[c]);
        fputc('\n', f);
    }
    assert_int_equal(fclose(f), 0);
    table_end(t);
    return t;
}

static lethe_err call(place *p, const char *request, text_table *in, struct ArrowArrayStream *out,
                      char **report)
{
    struct ArrowArrayStream *const ins[] = {in ? &in->stream : NULL}, *const outs[] = {out};
    p->said[0] = '\0';
    lethe_err e = lethe_call(p->ctx, request, ins, in != NULL, outs, out != NULL, report);
    if (in) assert_null(in->stream.release);
    if (in) assert_int_equal(in->feed.made, in->feed.released);
    return e;
}

static void call_ok(place *p, const char *request, text_table *in, struct ArrowArrayStream *out)
{
    char *report = NULL;
    if (call(p, request, in, out, &report) != LETHE_OK) fail_msg("%s", p->said);
    lethe_text_free(report);
}

/* --- a stream that comes out, as text --- */

static bool is_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->buffers[0];
    return valid && !(valid[i / 8] >> i % 8 & 1);
}

static void value_print(FILE *f, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t i)
{
    if (is_null(a, i)) return;
    if (strcmp(s->format, "l") == 0) {
        fprintf(f, "%lld", (long long)((const int64_t *)a->buffers[1])[i]);
        return;
    }
    const int32_t *ends = a->buffers[1];
    if (strcmp(s->format, "u") == 0) {
        fwrite((const char *)a->buffers[2] + ends[i], 1, (size_t)(ends[i + 1] - ends[i]), f);
        return;
    }
    assert_string_equal(s->format, "+l");
    for (int32_t k = ends[i]; k < ends[i + 1]; k++) {
        if (k > ends[i]) fputc(' ', f);
        value_print(f, s->children[0], a->children[0], k);
    }
}

/* All of it, with tabs between fields and the names first; released afterwards. */
static char *stream_text(struct ArrowArrayStream *in)
{
    char *text = NULL;
    size_t n = 0;
    struct ArrowSchema schema;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(in->get_schema(in, &schema), 0);
    assert_string_equal(schema.format, "+s");
    for (int64_t c = 0; c < schema.n_children; c++)
        fprintf(f, "%s%s", c ? "\t" : "", schema.children[c]->name);
    fputc('\n', f);
    for (;;) {
        struct ArrowArray a;
        int errnum = in->get_next(in, &a);
        if (errnum) fail_msg("%s", in->get_last_error(in));
        if (!a.release) break;
        assert_true(a.length > 0 && a.length <= 65536 && a.n_children == schema.n_children);
        for (int64_t i = 0; i < a.length; i++) {
            for (int64_t c = 0; c < a.n_children; c++) {
                if (c > 0) fputc('\t', f);
                value_print(f, schema.children[c], a.children[c], i);
            }
            fputc('\n', f);
        }
        a.release(&a);
        assert_null(a.release);
    }
    schema.release(&schema);
    in->release(in);
    assert_null(in->release);
    fclose(f);
    return text;
}

/* --- logs --- */

static const char *const aol[] = {"AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"};
#define THRESHOLD                                                                                  \
    "\"steps\": [{\"method\": \"threshold\", \"options\": {\"t\": 3}}], "                          \
    "\"publish\": {\"seed\": 7}"

static void log_in_and_out(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    struct ArrowArrayStream out = {0};
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"path\": \"log.csv\"}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            NULL, NULL);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " THRESHOLD
            ", \"output\": {\"path\": \"b\", \"stream\": 0}}",
            t, &out);
    char *of_file = file_read("a/data.tsv"), *of_stream = file_read("b/data.tsv"),
         *streamed = stream_text(&out);
    assert_string_equal(of_stream, of_file);
    assert_string_equal(streamed, of_file);
    assert_true(strlen(of_file) > 1000);
    free(of_file);
    free(of_stream);
    free(streamed);
    free(t);
}

/* Without a path nothing is left, and the stream outlives the context. */
static void rows_alone(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    struct ArrowArrayStream out = {0};
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"path\": \"log.csv\"}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            NULL, NULL);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " THRESHOLD
            ", \"output\": {\"stream\": 0}}",
            t, &out);
    lethe_ctx_free(p->ctx);
    p->ctx = NULL;
    char *of_file = file_read("a/data.tsv");
    assert_int_equal(system("rm -rf a log.csv && test -z \"$(ls)\""), 0);
    char *streamed = stream_text(&out);
    assert_string_equal(streamed, of_file);
    free(of_file);
    free(streamed);
    free(t);
}

/* Columns are found by name, and a header is one even if its names look like values. */
static void headers_as_they_are(void **state)
{
    place *p = *state;
    static const char *const names[][COLUMNS] = {
        {"u1", "some words", "2006-03-01 10:00:00", "1", "x"},
        {"{\"a\": 1", "q", "t", "r", "u"},
        {"#lethe-sealed 1", "a\tb", "c\td", "e\tf", "g\th"}};
    static const char *const columns[] = {"user=u1,query=some words,time=2006-03-01 10:00:00",
                                          "user=1,query=q,time=t,rank=r,url=u",
                                          "user=1,query=2,time=3,rank=4,url=5"};
    for (size_t i = 0; i < 3; i++) {
        char request[512];
        text_table *t = log_new("log.csv", names[i]);
        char *report = NULL;
        snprintf(request, sizeof request,
                 "{\"command\": \"profile\", \"inputs\": [{\"stream\": 0}], "
                 "\"read\": {\"columns\": \"%s\"}}",
                 columns[i]);
        if (call(p, request, t, NULL, &report) != LETHE_OK) fail_msg("%s", p->said);
        if (!strstr(report, "200")) fail_msg("%s", report);
        assert_null(strstr(p->said, "header"));
        lethe_text_free(report);
        free(t);
    }
    // other names without --columns: as in a file, the order of AOL
    static const char *const unknown[] = {"a", "b", "c", "d", "e"};
    text_table *t = log_new("log.csv", unknown);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            t, NULL);
    free(t);
}

static void what_does_not_apply(void **state)
{
    place *p = *state;
    static const struct {
        const char *request, *want;
    } cases[] = {
        {"{\"command\": \"profile\", \"inputs\": [{\"stream\": 0}], \"read\": {\"encoding\": "
         "\"latin1\"}}",
         "applies to files"},
        {"{\"command\": \"profile\", \"inputs\": [{\"stream\": 0}], \"read\": {\"from\": "
         "\"jsonl\"}}",
         "apply to files"},
        {"{\"command\": \"profile\", \"inputs\": [{\"stream\": 0}], \"read\": {\"delimiter\": "
         "\";\"}}",
         "apply to files"},
        {"{\"command\": \"profile\", \"inputs\": [{\"path\": \"x\", \"weight\": \"n\"}]}",
         "weight"},
        {"{\"command\": \"profile\", \"inputs\": [{\"stream\": 0, \"weight\": 3}]}", "weight"},
        {"{\"command\": \"profile\", \"inputs\": [{\"stream\": 1}]}", "there is no stream 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_table *t = log_new("log.csv", aol);
        assert_int_equal(call(p, cases[i].request, t, NULL, NULL), LETHE_EUSAGE);
        if (!strstr(p->said, cases[i].want))
            fail_msg("'%s' does not say '%s'", p->said, cases[i].want);
        free(t);
    }
}

/* Rows in messages: of the stream, not lines of its text. */
static void rejected_rows(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    row_add(t, (const char *const[]){"u1", "q", "no time", "", ""});
    table_end(t);
    t->feed.made = 1;
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            t, NULL);
    if (!strstr(p->said, "stream:0:201: ")) fail_msg("%s", p->said);
    free(t);
}

/* Options name files alone. */
static void options_name_files(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    assert_int_equal(call(p,
                          "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], \"steps\": "
                          "[{\"method\": \"scrub\", \"options\": {\"list\": \"stream:0\"}}], "
                          "\"output\": {\"path\": \"a\"}}",
                          t, NULL, NULL),
                     LETHE_EIO);
    if (!strstr(p->said, "./stream:0")) fail_msg("%s", p->said);
    free(t);
}

/* A weight makes the rows that it stands for. */
static void weighted(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    int64_t often[200];
    file_write("all.csv", "AnonID,Query,QueryTime,ItemRank,ClickURL\n");
    FILE *f = fopen("all.csv", "a");
    for (size_t i = 0; i < 200; i++) {
        often[i] = (int64_t)(i % 4 + 1);
        for (int64_t k = 0; k < often[i]; k++)
            for (size_t c = 0; c < COLUMNS; c++)
                fprintf(f, "%.*s%s", (int)(t->ends[c][i + 1] - t->ends[c][i]),
                        t->bytes[c] + t->ends[c][i], c + 1 < COLUMNS ? "," : "\n");
    }
    fclose(f);
    const arrow_node count = PLAIN_COLUMN("l", "count", 200, often);
    const arrow_node *children[] = {t->children[0], &count,         t->children[1],
                                    t->children[2], t->children[3], t->children[4]};
    t->rows.children = children;
    t->rows.n_children = 6;
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"path\": \"all.csv\"}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            NULL, NULL);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0, \"weight\": "
            "\"count\"}], " THRESHOLD ", \"output\": {\"path\": \"b\"}}",
            t, NULL);
    char *a = file_read("a/data.tsv"), *b = file_read("b/data.tsv");
    assert_string_equal(a, b);
    free(a);
    free(b);
    free(t);
}

/* A weight belongs to the stream before it. */
static void weight_of_a_job(void **state)
{
    place *p = *state;
    text_table *t = log_new("log.csv", aol);
    lethe_job *job = lethe_job_new(p->ctx, "profile");
    assert_int_equal(lethe_job_weight(job, "count"), LETHE_EUSAGE);
    lethe_job_free(job);
    job = lethe_job_new(p->ctx, "profile");
    lethe_job_input_file(job, "log.csv");
    assert_int_equal(lethe_job_weight(job, "count"), LETHE_EUSAGE);
    lethe_job_free(job);
    job = lethe_job_new(p->ctx, "profile");
    lethe_job_input_stream(job, &t->stream);
    assert_int_equal(lethe_job_weight(job, "count"), LETHE_OK);
    p->said[0] = '\0';
    assert_int_equal(lethe_job_run(job, NULL), LETHE_EINPUT); // there is no such column
    assert_non_null(strstr(p->said, "count"));
    assert_null(t->stream.release);
    lethe_job_free(job);
    free(t);
}

/* Streams are named by their numbers in the request, whatever their order. */
static void numbers_of_streams(void **state)
{
    place *p = *state;
    text_table *a = log_new("log.csv", aol), *b = log_new("log.csv", aol);
    b->feed.fail_next = EIO;
    b->feed.error = "gone";
    p->said[0] = '\0';
    assert_int_equal(lethe_call(p->ctx,
                                "{\"command\": \"profile\", \"inputs\": [{\"stream\": 1}, "
                                "{\"stream\": 0}]}",
                                (struct ArrowArrayStream *[]){&a->stream, &b->stream}, 2, NULL, 0,
                                NULL),
                     LETHE_EIO);
    if (!strstr(p->said, "'stream:1'")) fail_msg("%s", p->said);
    assert_int_equal(a->feed.made, a->feed.released);
    assert_int_equal(b->feed.made, b->feed.released);
    free(a);
    free(b);
}

/* What reads its input several times: compares, measures, attacks, publishes. */
static void other_commands(void **state)
{
    place *p = *state;
    static const char *const requests[] = {
        "{\"command\": \"measure\", \"release\": \"a\", \"inputs\": [{\"stream\": 0}]}",
        "{\"command\": \"attack\", \"release\": \"a\", \"inputs\": [{\"stream\": 0}]}",
        "{\"command\": \"suggest\", \"inputs\": [{\"stream\": 0}], \"options\": {\"goal\": "
        "\"counts\"}}",
        "{\"command\": \"publish\", \"inputs\": [{\"stream\": 0}], \"options\": {\"goal\": "
        "\"counts\"}, \"output\": {\"path\": \"c\"}}",
        "{\"command\": \"compare\", \"inputs\": [{\"stream\": 0}], \"options\": {\"methods\": "
        "\"threshold\", \"t\": 5}, \"output\": {\"path\": \"d\"}}",
        "{\"command\": \"profile\", \"inputs\": [{\"stream\": 0}]}",
    };
    text_table *t = log_new("log.csv", aol);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " THRESHOLD
            ", \"output\": {\"path\": \"a\"}}",
            t, NULL);
    free(t);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        t = log_new("log.csv", aol);
        char *report = NULL;
        lethe_err e = call(p, requests[i], t, NULL, &report);
        if (e != LETHE_OK && e != LETHE_ANSWER_NO) fail_msg("%s: %s", requests[i], p->said);
        lethe_text_free(report);
        free(t);
    }
}

/* --- records and tables --- */

static void records_in_and_out(void **state)
{
    place *p = *state;
    static char bytes[4000];
    static int32_t ends[401], lists[201];
    struct ArrowArrayStream out = {0};
    FILE *f = fopen("sets.csv", "w");
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 2; k++) {
            int at = 2 * i + k;
            int n = snprintf(bytes + ends[at], 8, "i%d", (i % 4 + k) % 6);
            ends[at + 1] = ends[at] + n;
            fprintf(f, "%.*s%s", n, bytes + ends[at], k ? "\n" : ",");
        }
        lists[i + 1] = 2 * i + 2;
    }
    fclose(f);
    FILE *tree = fopen("tree.tsv", "w");
    for (int i = 0; i < 6; i++)
        fprintf(tree, "i%d\t%s\n", i, i < 3 ? "low" : "high");
    fputs("low\tall\nhigh\tall\n", tree);
    fclose(tree);
    const arrow_node items = TEXT_COLUMN("item", 400, ends, bytes);
    const arrow_node list = {.format = "+l",
                             .name = "items",
                             .length = 200,
                             .n_buffers = 2,
                             .buffers = {NULL, lists},
                             .n_children = 1,
                             .children = (const arrow_node *[]){&items}};
    const arrow_node rows = ROWS(200, &list);
    text_table *t = calloc(1, sizeof *t);
    t->batch = &rows;
    t->feed = (arrow_feed){.batches = &t->batch, .n_batches = 1};
    t->stream = feed_stream(&t->feed);
#define SSG                                                                                        \
    "\"steps\": [{\"method\": \"ssg\", \"options\": {\"k\": 5, \"taxonomy\": \"tree.tsv\"}}], "    \
    "\"publish\": {\"seed\": 7}, "
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"path\": \"sets.csv\"}], "
            "\"read\": {\"from\": \"records\", \"delimiter\": \",\"}, " SSG
            "\"output\": {\"path\": \"a\"}}",
            NULL, NULL);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " SSG
            "\"output\": {\"path\": \"b\", \"stream\": 0}}",
            t, &out);
    char *a = file_read("a/data.txt"), *b = file_read("b/data.txt"), *streamed = stream_text(&out);
    assert_string_equal(a, b);
    assert_memory_equal(streamed, "items\n", 6);
    assert_string_equal(streamed + 6, a);
    free(a);
    free(b);
    free(streamed);
    free(t);
}

static text_table *table_new(const char *path)
{
    text_table *t = calloc(1, sizeof *t);
    FILE *f = fopen(path, "w");
    t->n_columns = 3;
    t->names[0] = "age";
    t->names[1] = "sex";
    t->names[2] = "disease";
    fputs("age,sex,disease\n", f);
    for (int i = 0; i < 120; i++) {
        char age[8];
        snprintf(age, sizeof age, "%d", 20 + i % 30);
        const char *const fields[] = {age, i % 2 ? "f" : "m", i % 3 ? "flu, mild" : "cold"};
        row_add(t, fields);
        fprintf(f, "%s,%s,\"%s\"\n", fields[0], fields[1], fields[2]);
    }
    fclose(f);
    table_end(t);
    return t;
}

/* The reports are those of a file, but for its name. */
static void commands_of_tables(void **state)
{
    place *p = *state;
    static const char *const requests[] = {
        "{\"command\": \"check\", \"inputs\": [%s], \"options\": {\"qi\": \"age,sex\", \"k\": 3}}",
        "{\"command\": \"profile\", \"inputs\": [%s], \"read\": {\"from\": \"table\"}, "
        "\"options\": {\"qi\": \"age,sex\"}}",
        "{\"command\": \"hierarchy\", \"inputs\": [%s], \"options\": {\"column\": \"age\", "
        "\"output\": \"h.csv\", \"force\": true}}",
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        text_table *t = table_new("t.csv");
        char request[400], *reports[2] = {NULL, NULL};
        snprintf(request, sizeof request, requests[i], "{\"path\": \"t.csv\"}");
        lethe_err of_file = call(p, request, NULL, NULL, &reports[0]);
        if (!reports[0]) fail_msg("%s: %s", request, p->said);
        snprintf(request, sizeof request, requests[i], "{\"stream\": 0}");
        lethe_err of_stream = call(p, request, t, NULL, &reports[1]);
        if (of_stream != of_file) fail_msg("%s: %s", request, p->said);
        if (!reports[1]) fail_msg("%s: %s", request, p->said);
        for (int k = 0; k < 2; k++) { // what it took is not compared
            char *seconds = strstr(reports[k], "\"seconds\"");
            if (seconds) *seconds = '\0';
        }
        assert_string_equal(reports[0], reports[1]);
        lethe_text_free(reports[0]);
        lethe_text_free(reports[1]);
        free(t);
    }
}

static void tables_in_and_out(void **state)
{
    place *p = *state;
    text_table *t = table_new("t.csv");
    struct ArrowArrayStream out = {0};
#define LPLUS                                                                                      \
    "\"steps\": [{\"method\": \"lplus\", \"options\": {\"qi\": \"age,sex\", \"sa\": \"disease\", " \
    "\"k\": 4, \"theta\": \"9/10\", \"ranges\": \"age=5,10\"}}], "
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"path\": \"t.csv\"}], " LPLUS
            "\"output\": {\"path\": \"a\"}}",
            NULL, NULL);
    call_ok(p,
            "{\"command\": \"release\", \"inputs\": [{\"stream\": 0}], " LPLUS
            "\"output\": {\"path\": \"b\", \"stream\": 0}}",
            t, &out);
    char *a = file_read("a/data.csv"), *b = file_read("b/data.csv"), *streamed = stream_text(&out);
    assert_string_equal(a, b);
    assert_memory_equal(streamed, "age\tsex\tdisease\n", 16);
    assert_non_null(strstr(streamed, "\tflu, mild\n")); // without its quotes
    size_t lines = 0;
    for (const char *c = a; *c; c++)
        lines += *c == '\n';
    for (const char *c = streamed; *c; c++)
        lines -= *c == '\n';
    assert_true(lines == 0);
    free(a);
    free(b);
    free(streamed);
    free(t);
}

/* --- what a release may look like: files alone --- */

static void published(place *p, const char *file, const char *text, struct ArrowArrayStream *out)
{
    char path[64];
    assert_int_equal(system("rm -rf r && mkdir r"), 0);
    snprintf(path, sizeof path, "r/%s", file);
    file_write(path, text);
    p->said[0] = '\0';
    if (lethe_published_stream(p->ctx, "r", out) != LETHE_OK) fail_msg("%s", p->said);
    assert_int_equal(system("rm -rf r"), 0);
}

static void files_as_streams(void **state)
{
    place *p = *state;
    static const struct {
        const char *file, *text, *want;
    } cases[] = {
        {"data.tsv", "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\nu\tq\t\t\t\nu\tr\t2006\t3\tx\n",
         "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\nu\tq\t\t\t\nu\tr\t2006\t3\tx\n"},
        {"data.tsv",
         "#lethe-sealed 1 t=3 n=10 scheme=shamir\nAnonID\tQueryID\tShare\tBox\tQueryTime\n"
         "u\ti\t1:ab\tbox\t\n",
         "AnonID\tQueryID\tShare\tBox\tQueryTime\nu\ti\t1:ab\tbox\t\n"},
        {"data.csv", "a,\"b,\"\"c\"\n1,\"2,3\"\n,x\n", "a\tb,\"c\n1\t2,3\n\tx\n"},
        {"data.csv", "a\n\n?\n", "a\n\n?\n"},
        {"data.txt", "\na b b\nc\n", "items\n\na b b\nc\n"},
        {"data.txt", "", "items\n"},
        {"counts.tsv", "Item\tCount\nred wine\t9223372036854775807\nx\t1\n",
         "item\tcount\nred wine\t9223372036854775807\nx\t1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ArrowArrayStream out;
        published(p, cases[i].file, cases[i].text, &out);
        char *text = stream_text(&out);
        assert_string_equal(text, cases[i].want);
        free(text);
    }
}

/* The data in parts: rows of all, and what is wrong is said before the first. */
static void parts_as_streams(void **state)
{
    place *p = *state;
    struct ArrowArrayStream out;
    assert_int_equal(system("rm -rf r && mkdir r"), 0);
    file_write("r/part-00000.csv", "a,b\n");
    file_write("r/part-00001.csv", "1,2\n3,4\n");
    file_write("r/part-00002.csv", "5,6\n");
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_OK);
    char *text = stream_text(&out);
    assert_string_equal(text, "a\tb\n1\t2\n3\t4\n5\t6\n");
    free(text);
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_OK);
    assert_int_equal(system("rm -rf r/part-00002.csv"), 0);
    struct ArrowArray a;
    assert_int_equal(out.get_next(&out, &a), ENOENT);
    assert_null(a.release);
    out.release(&out);
    assert_int_equal(system("rm -rf r/part-00000.csv"), 0);
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_EINPUT);
    assert_non_null(strstr(p->said, "a part of the data is missing"));
    assert_int_equal(system("rm -rf r"), 0);
}

static void malformed_files(void **state)
{
    place *p = *state;
    static const struct {
        const char *file, *text, *want;
    } cases[] = {
        {"data.tsv", "AnonID\tQuery\tItemRank\nu\tq\n", "data.tsv: line 2: its fields"},
        {"data.tsv", "AnonID\tQuery\tItemRank\nu\tq\t1\nu\tq\tx\n", "line 3: a number"},
        {"data.tsv", "AnonID\tQuery\tItemRank\nu\tq\t1", "line 2: its end is missing"},
        {"data.csv", "a,b\n1,2,3\n", "data.csv: line 2: its fields"},
        {"data.csv", "a,b\n1,\"2\n", "line 2: its fields"},
        {"data.txt", "a  b\n", "line 1: an item is empty"},
        {"data.txt", "a \n", "line 1: an item is empty"},
        {"counts.tsv", "Item\tCount\nx\t\n", "line 2: a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ArrowArrayStream out;
        struct ArrowArray a;
        published(p, cases[i].file, cases[i].text, &out);
        assert_null(out.get_last_error(&out));
        for (int k = 0; k < 2; k++) {
            assert_int_equal(out.get_next(&out, &a), EINVAL);
            assert_null(a.release);
            if (!strstr(out.get_last_error(&out), cases[i].want))
                fail_msg("'%s' does not say '%s'", out.get_last_error(&out), cases[i].want);
        }
        out.release(&out);
    }
    struct ArrowArrayStream out = {0};
    assert_int_equal(system("rm -rf r && mkdir r"), 0);
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_EIO);
    assert_int_equal(lethe_published_stream(p->ctx, "none", &out), LETHE_EIO);
    file_write("r/data.csv", "");
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_EINPUT);
    assert_non_null(strstr(p->said, "header is missing"));
    file_write("r/counts.tsv", "Item\n");
    assert_int_equal(system("rm r/data.csv"), 0);
    assert_int_equal(lethe_published_stream(p->ctx, "r", &out), LETHE_EINPUT);
    assert_null(out.release);
}

/* More than a batch; children are moved out, and live on by themselves. */
static void batches(void **state)
{
    place *p = *state;
    struct ArrowArrayStream out;
    struct ArrowArray a, child;
    size_t cap = 70000 * 12, n = 0;
    char *text = malloc(cap);
    n += (size_t)snprintf(text, cap, "Item\tCount\n");
    for (int i = 0; i < 70000; i++)
        n += (size_t)snprintf(text + n, cap - n, "i%d\t1\n", i);
    published(p, "counts.tsv", text, &out);
    free(text);
    assert_int_equal(out.get_next(&out, &a), 0);
    assert_true(a.length == 65536 && a.n_children == 2 && a.children[0]->length == 65536);
    child = *a.children[0];
    a.children[0]->release = NULL;
    a.release(&a);
    const int32_t *ends = child.buffers[1];
    assert_memory_equal((const char *)child.buffers[2] + ends[65535], "i65535", 6);
    child.release(&child);
    assert_int_equal(out.get_next(&out, &a), 0);
    assert_true(a.length == 70000 - 65536);
    a.release(&a);
    assert_int_equal(out.get_next(&out, &a), 0);
    assert_null(a.release);
    out.release(&out);
}

static void allocations_fail(void **state)
{
    place *p = *state;
    static const struct {
        const char *file, *text;
    } cases[] = {{"r/data.csv", "a,\"b\"\n1,\"2,3\"\n"},
                 {"r/data.txt", "a b\n"},
                 {"r/part-00000.tsv", "AnonID\tQuery\nu\tq\n"},
                 {"r/counts.tsv", "Item\tCount\nx\t1\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool done = false;
        assert_int_equal(system("rm -rf r && mkdir r"), 0);
        file_write(cases[i].file, cases[i].text);
        for (uint64_t n = 1; !done; n++) {
            struct ArrowArrayStream out;
            struct ArrowSchema schema = {0};
            struct ArrowArray a = {0};
            lethe_alloc_fail_at(n);
            lethe_err e = lethe_published_stream(p->ctx, "r", &out);
            int schema_err = ENOMEM, next_err = ENOMEM;
            if (e == LETHE_OK) schema_err = out.get_schema(&out, &schema);
            if (e == LETHE_OK) next_err = out.get_next(&out, &a);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            assert_true(schema_err == 0 || schema_err == ENOMEM);
            assert_true(next_err == 0 || next_err == ENOMEM);
            done = e == LETHE_OK && schema_err == 0 && next_err == 0;
            if (schema.release) schema.release(&schema);
            if (a.release) a.release(&a);
            if (e == LETHE_OK) out.release(&out);
            assert_true(n < 200);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(log_in_and_out),
        TEST(rows_alone),
        TEST(headers_as_they_are),
        TEST(what_does_not_apply),
        TEST(rejected_rows),
        TEST(options_name_files),
        TEST(weighted),
        TEST(weight_of_a_job),
        TEST(numbers_of_streams),
        TEST(other_commands),
        TEST(records_in_and_out),
        TEST(tables_in_and_out),
        TEST(commands_of_tables),
        TEST(files_as_streams),
        TEST(parts_as_streams),
        TEST(malformed_files),
        TEST(batches),
        TEST(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
