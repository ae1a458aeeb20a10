/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over columns: what they make of rows, requests and arrays that are refused, and memory
 * that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "batch_harness.h"
#include "core/mem.h"
#include "release_harness.h"

enum { REQUEST = 2048, CELLS_MAX = 16 };

typedef struct place {
    ground g;
    lethe_ctx *ctx;
    bh_heap heap;
} place;

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    g_begin(&p->g);
    p->ctx = g_ctx(&p->g, 2);
    int fd = open(p->g.key, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "0123456789abcdef0123456789abcdef", 32) != 32) return -1;
    close(fd);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    lethe_alloc_fail_at(0);
    bh_free(&p->heap);
    lethe_ctx_free(p->ctx);
    g_end(&p->g);
    free(p);
    return 0;
}

static const char *json_of(const place *p, const char *form)
{
    static char text[REQUEST];
    size_t n = 0;
    for (const char *s = form; *s && n + 1 < sizeof text; s++) {
        if (*s == '%')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", p->g.dir);
        else
            text[n++] = *s == '\'' ? '"' : *s;
    }
    text[n] = '\0';
    return text;
}

static lethe_batch_fn *fn_of(place *p, const char *form)
{
    lethe_batch_fn *fn = NULL;
    p->g.said[0] = '\0';
    if (lethe_batch_new(p->ctx, json_of(p, form), &fn) != LETHE_OK)
        fail_msg("%s: %s", form, p->g.said);
    return fn;
}

/* NULL ends the texts; "(null)" is null. */
static arrow_node *column(place *p, const char *name, bh_form form, const char *const *text)
{
    lethe_str value[CELLS_MAX];
    size_t n = 0;
    for (; text[n]; n++)
        value[n] = strcmp(text[n], "(null)") == 0 ? (lethe_str){NULL, 0}
                                                  : (lethe_str){text[n], strlen(text[n])};
    return bh_column(&p->heap, name, value, n, form, 1);
}
#define COLUMN(p, name, ...) column(p, name, BH_SMALL, (const char *const[]){__VA_ARGS__, NULL})

static void values_are(const struct ArrowArray *a, const char *const *want)
{
    int64_t i = 0;
    for (; want[i]; i++) {
        const char *text = strcmp(want[i], "(null)") == 0 ? NULL : want[i];
        lethe_str got = bh_value(a, i);
        if (i >= a->length || !bh_is(got, text))
            fail_msg("value %lld is '%.*s', not '%s'", (long long)i, (int)got.n,
                     got.at ? got.at : "", want[i]);
    }
    assert_int_equal(a->length, i);
}
#define VALUES(a, ...) values_are(a, (const char *const[]){__VA_ARGS__, NULL})

/* --- what is made --- */

static void texts_become_what_methods_make_of_them(void **state)
{
    static const struct {
        const char *request, *in[8], *want[8];
    } cases[] = {
        {"{'function':'normal'}",
         {" Caf\xc3\xa9  AU", "(null)", ""},
         {"caf\xc3\xa9 au", "(null)", ""}},
        {"{'function':'scrub'}",
         {"call 212-555-0187", "joe@aol.com", "(null)"},
         {"call [phone]", "[email]", "(null)"}},
        {"{'function':'scrub','options':{'kinds':['email']}}",
         {"call 212-555-0187", "joe@aol.com"},
         {"call 212-555-0187", "[email]"}},
        {"{'function':'scrub','options':{'kinds':'email','list':null}}",
         {"joe@aol.com"},
         {"[email]"}},
        {"{'function':'host'}",
         {"http://www.CDC.gov/x", "none", "(null)", "http://abcdefghijklmnop/"},
         {"www.cdc.gov", "", "(null)", ""}},
        {"{'function':'clicked-host'}",
         {"http://www.CDC.gov/x", "none", "(null)", "http://abcdefghijklmnop/", ""},
         {"www.cdc.gov", "", "(null)", "abcdefghijklmnop", ""}},
        {"{'function':'text-hash','key-file':'%/key','options':{'same':'exact'}}",
         {"Red  cars", "red cars", "cars red", "(null)", " "},
         {"#2e1a87abf41c48933a645c4dcaedfda2", "#2e1a87abf41c48933a645c4dcaedfda2",
          "#46b6b3c70fff3fc23743397d50d958f7", "(null)", "(null)"}},
        {"{'function':'text-hash','key-file':'%/key'}",
         {"Red  cars", "car \"red\"!", "cars blue", "(null)", " ", "#"},
         {"#b67427745745e39226c792114b048716", "#b67427745745e39226c792114b048716",
          "#80035c8241d89d191fede7ab11ee2f0d", "(null)", "(null)",
          "#2a7408cb88426b4537ecab121686c793"}},
        {"{'function':'pseudonym','key-file':'%/key'}",
         {"u1", " u1 ", "(null)", "", "a\tb", "u2"},
         {"fhggg2pndggeqiyk", "fhggg2pndggeqiyk", "(null)", "(null)", "(null)",
          "72p3clh5sn6voyrk"}},
    };
    place *p = *state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        for (int form = 0; form < BH_FORMS; form++) {
            bh_result r;
            lethe_batch_fn *fn = fn_of(p, cases[i].request);
            assert_int_equal(bh_apply_all(fn, column(p, "q", (bh_form)form, cases[i].in), &r),
                             LETHE_OK);
            assert_string_equal(r.schema.format, "u");
            assert_string_equal(r.schema.name, "q");
            values_are(&r.array, cases[i].want);
            bh_release(&r);
            lethe_batch_free(fn);
        }
}

static void other_types_are_read_as_text(void **state)
{
    static const int64_t numbers[] = {17, -4};
    static const arrow_node whole = PLAIN_COLUMN("l", "u", 2, numbers);
    static const arrow_node none = {.format = "n", .name = "u", .length = 2, .null_count = 2};
    static const arrow_node empty = {.format = "u", .name = "u", .n_buffers = 3};
    place *p = *state;
    bh_result r, as_text;
    lethe_batch_fn *fn = fn_of(p, "{'function':'pseudonym','key-file':'%/key'}");
    assert_int_equal(bh_apply_all(fn, &whole, &r), LETHE_OK);
    assert_int_equal(bh_apply_all(fn, COLUMN(p, "u", "17", "-4"), &as_text), LETHE_OK);
    for (int64_t i = 0; i < 2; i++)
        assert_true(bh_same(bh_value(&r.array, i), bh_value(&as_text.array, i)));
    bh_release(&r);
    bh_release(&as_text);
    assert_int_equal(bh_apply_all(fn, &none, &r), LETHE_OK);
    VALUES(&r.array, "(null)", "(null)");
    bh_release(&r);
    assert_int_equal(bh_apply_all(fn, &empty, &r), LETHE_OK);
    assert_int_equal(r.array.length, 0);
    bh_release(&r);
    lethe_batch_free(fn);
}

static const arrow_node *log_rows(place *p, const char *const names[4])
{
    const arrow_node *columns[] = {
        COLUMN(p, names[0], "u1", "u2", "(null)", "u1", "u3"),
        COLUMN(p, names[1], "Lyme  disease", "lyme disease", "x", "(null)", "y"),
        COLUMN(p, names[2], "2006-03-01 10:00:00", "(null)", "2006-03-01", "2006-03-01",
               "yesterday"),
        COLUMN(p, names[3], "http://a.com/x", "(null)", "", "", "")};
    return bh_rows(&p->heap, columns, 4, 5);
}

static void rows_are_sealed(void **state)
{
    static const char *const ours[] = {"user", "query", "time", "url"}, *const aol[] = {"AnonID",
                                                                                        "Query",
                                                                                        "QueryTime",
                                                                                        "ClickURL"};
    place *p = *state;
    bh_result r, again;
    lethe_batch_fn *fn = fn_of(
        p, "{'function':'seal','key-file':'%/key','options':{'t':2,'n':3,'keep-clicks':true}}");
    assert_int_equal(bh_apply_all(fn, log_rows(p, ours), &r), LETHE_OK);
    assert_int_equal(r.array.n_children, 7);
    assert_string_equal(r.schema.children[1]->name, "QueryID");
    struct ArrowArray **c = r.array.children;
    // one text has one id and one box, whoever asks; what no log has is null
    assert_true(bh_same(bh_value(c[1], 0), bh_value(c[1], 1)));
    assert_true(bh_same(bh_value(c[3], 0), bh_value(c[3], 1)));
    assert_false(bh_same(bh_value(c[0], 0), bh_value(c[0], 1)));
    VALUES(c[4], "2006-03-01", "(null)", "(null)", "(null)", "(null)");
    VALUES(c[6], "a.com", "(null)", "(null)", "(null)", "(null)");
    for (int64_t i = 2; i < 5; i++)
        assert_null(bh_value(c[0], i).at);
    assert_int_equal(bh_apply_all(fn, log_rows(p, aol), &again), LETHE_OK);
    for (int64_t k = 0; k < 7; k++)
        for (int64_t i = 0; i < 5; i++)
            assert_true(bh_same(bh_value(c[k], i), bh_value(again.array.children[k], i)));
    bh_release(&r);
    bh_release(&again);
    lethe_batch_free(fn);
}

static void cut_write(place *p, const char *text)
{
    char path[320];
    snprintf(path, sizeof path, "%s/cut", p->g.dir);
    g_write(path, text);
}

static void rows_are_generalized(void **state)
{
    place *p = *state;
    bh_result r;
    cut_write(p, "#lethe-cut 1 table\n"
                 "age\trange\t20-24\t20-24\n"
                 "age\tvalue\t?\t?\n"
                 "town\tvalue\ta\tnorth\n");
    lethe_batch_fn *fn = fn_of(p, "{'function':'cut','cut':'%/cut'}");
    const arrow_node *columns[] = {COLUMN(p, "secret", "s", "s", "s", "s"),
                                   COLUMN(p, "town", "a", " a ", "north", "(null)"),
                                   COLUMN(p, "age", "021", "25", "(null)", "x\ty")};
    assert_int_equal(bh_apply_all(fn, bh_rows(&p->heap, columns, 3, 4), &r), LETHE_OK);
    assert_int_equal(r.array.n_children, 2);
    assert_string_equal(r.schema.children[0]->name, "age");
    VALUES(r.array.children[0], "20-24", "(null)", "?", "(null)");
    VALUES(r.array.children[1], "north", "north", "(null)", "(null)");
    bh_release(&r);
    // a column that the rows lack
    assert_int_equal(bh_apply_all(fn, bh_rows(&p->heap, columns, 2, 4), &r), LETHE_EINPUT);
    lethe_batch_free(fn);
}

static void sets_are_generalized(void **state)
{
    static const int32_t end[] = {3, 3, 5, 7};
    static const bool null[] = {false, false, true, false};
    place *p = *state;
    bh_result r;
    cut_write(p, "#lethe-cut 1 sets\n"
                 "items\tvalue\tapple\tfruit\n"
                 "items\tvalue\tpear\tfruit\n"
                 "items\tvalue\tred_shoe\tclothes\n");
    lethe_batch_fn *fn = fn_of(p, "{'function':'cut','cut':'%/cut'}");
    const arrow_node *items = COLUMN(p, "item", "pear", "apple", "red shoe", "apple", "pear",
                                     "(null)", "unknown"),
                     *sets = bh_lists(&p->heap, "b", items, end, null, 4);
    assert_int_equal(bh_apply_all(fn, sets, &r), LETHE_OK);
    assert_string_equal(r.schema.format, "+l");
    const int32_t *ends = r.array.buffers[1];
    static const int32_t want[] = {0, 2, 2, 2, 2};
    assert_memory_equal(ends, want, sizeof want);
    VALUES(r.array.children[0], "clothes", "fruit");
    assert_int_equal(r.array.null_count, 1);
    assert_int_equal(*(const uint8_t *)r.array.buffers[0] & 15, 11);
    bh_release(&r);
    // what is no list, and lists of which one reaches beyond the items
    assert_int_equal(bh_apply_all(fn, items, &r), LETHE_EINPUT);
    static const int32_t beyond[] = {3, 3, 5, 8};
    assert_int_equal(bh_apply_all(fn, bh_lists(&p->heap, "b", items, beyond, null, 4), &r),
                     LETHE_EINPUT);
    lethe_batch_free(fn);
}

/* --- what is refused --- */

static void requests_are_refused(void **state)
{
    static const struct {
        const char *request;
        lethe_err want;
        const char *said;
    } cases[] = {
        {"{", LETHE_EUSAGE, ""},
        {"[]", LETHE_EUSAGE, "request: 'request': an object expected"},
        {"{}", LETHE_EUSAGE, "request: 'function': a text expected"},
        {"{'function':'nromal'}", LETHE_EUSAGE, "request: there is no function 'nromal'"},
        {"{'function':'normal','key-file':'%/key'}", LETHE_EUSAGE,
         "request: 'normal' has no member 'key-file'"},
        {"{'function':'scrub','kinds':'email'}", LETHE_EUSAGE,
         "request: 'scrub' has no member 'kinds'"},
        {"{'function':'scrub','options':{'kind':'email'}}", LETHE_EUSAGE,
         "there is no option --kind"},
        {"{'function':'scrub','options':{'kinds':'emial'}}", LETHE_EUSAGE, ""},
        {"{'function':'text-hash'}", LETHE_EUSAGE,
         "request: 'key-file': a text (without NUL) expected"},
        {"{'function':'text-hash','key-file':'%/key','options':{'same':'x'}}", LETHE_EUSAGE, ""},
        {"{'function':'text-hash','key-file':'%/nothing'}", LETHE_EIO, ""},
        {"{'function':'scrub','options':[]}", LETHE_EUSAGE,
         "request: 'options': an object of options expected"},
        {"{'function':'scrub','options':{'kinds':true}}", LETHE_EUSAGE,
         "request: 'kinds': a value expected"},
        {"{'function':'scrub','options':{'kinds':{}}}", LETHE_EUSAGE, ""},
        {"{'function':'scrub','options':{'list':'%/nothing'}}", LETHE_EIO, ""},
        {"{'function':'pseudonym'}", LETHE_EUSAGE,
         "request: 'key-file': a text (without NUL) expected"},
        {"{'function':'pseudonym','key-file':'%/nothing'}", LETHE_EIO, ""},
        {"{'function':'pseudonym','key-file':7}", LETHE_EUSAGE, ""},
        {"{'function':'seal','key-file':'%/key','options':{'t':1}}", LETHE_EUSAGE, ""},
        {"{'function':'seal','key-file':'%/key','options':{'t':5,'n':3}}", LETHE_EUSAGE, ""},
        {"{'function':'seal','key-file':'%/key','options':{'keep-clicks':1}}", LETHE_EUSAGE,
         "request: 'keep-clicks': true or false expected"},
        {"{'function':'seal','key-file':'%/key','publish':{'times':'day'}}", LETHE_EUSAGE, ""},
        {"{'function':'seal','key-file':'%/key','publish':{'time':'noon'}}", LETHE_EUSAGE, ""},
        {"{'function':'cut','cut':'%/nothing'}", LETHE_EIO, ""},
        {"{'function':'cut','cut':'%/key'}", LETHE_EINPUT, ""},
    };
    place *p = *state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_batch_fn *fn = NULL;
        p->g.said[0] = '\0';
        lethe_err e = lethe_batch_new(p->ctx, json_of(p, cases[i].request), &fn);
        if (e != cases[i].want || strncmp(p->g.said, cases[i].said, strlen(cases[i].said)) != 0)
            fail_msg("%s: %d, %s", cases[i].request, (int)e, p->g.said);
        assert_null(fn);
        assert_non_null(lethe_ctx_error(p->ctx));
    }
    lethe_batch_free(NULL);
}

static void refused(place *p, lethe_batch_fn *fn, const arrow_node *node, const char *said)
{
    bh_result r;
    p->g.said[0] = '\0';
    if (bh_apply_all(fn, node, &r) != LETHE_EINPUT) fail_msg("not refused: %s", said);
    assert_null(r.array.release);
    assert_null(r.schema.release);
    if (!strstr(p->g.said, said)) fail_msg("%s", p->g.said);
}

static void malformed_arrays_are_refused(void **state)
{
    static const int32_t rising[] = {0, 1, 2}, falling[] = {0, 2, 1}, below[] = {-1, 0, 1},
                         numbers[] = {0, 7};
    static const char bytes[] = "ab\xff";
    static const int32_t one[] = {2, 3};
    place *p = *state;
    const arrow_node good = TEXT_COLUMN("q", 2, rising, bytes);
    const struct {
        arrow_node node;
        const char *said;
    } cases[] = {
        {TEXT_COLUMN("q", 2, falling, bytes), "its offsets are out of order"},
        {TEXT_COLUMN("q", 2, below, bytes), "its offsets are out of order"},
        {TEXT_COLUMN("q", 2, NULL, bytes), "a buffer is missing"},
        {TEXT_COLUMN("q", 2, rising, NULL), "a buffer is missing"},
        {TEXT_COLUMN("q", -1, rising, bytes), "its length or offset is below 0"},
        {{.format = "u", .name = "q", .length = 2, .n_buffers = 2, .buffers = {NULL, rising}},
         "its number of buffers is not that of its type"},
        {{.format = "u",
          .name = "q",
          .length = 2,
          .null_count = 1,
          .n_buffers = 3,
          .buffers = {NULL, rising, bytes}},
         "it has nulls, but does not say which"},
        {{.format = "i",
          .name = "q",
          .length = 2,
          .n_buffers = 2,
          .buffers = {NULL, numbers},
          .dictionary = &good},
         "row 2: an index that its dictionary does not have"},
        {{.format = "+ud:0", .name = "q", .length = 2}, "is a union, which cannot be read as text"},
        {{.format = "?", .name = "q", .length = 2}, "is unknown"},
        {{.format = "z", .name = "q", .length = 1, .n_buffers = 3, .buffers = {NULL, one, bytes}},
         "row 1: binary data that is no UTF-8"},
        {ROWS(2, &good), "the function takes one column, not a struct"},
    };
    lethe_batch_fn *fn = fn_of(p, "{'function':'normal'}");
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        refused(p, fn, &cases[i].node, cases[i].said);
    const arrow_node *items = &good;
    static const int32_t end[] = {2};
    refused(p, fn, bh_lists(&p->heap, "b", items, end, NULL, 1), "has lists, not single values");
    struct ArrowSchema no_schema = {0}, out_schema;
    struct ArrowArray no_array = {0}, out;
    assert_int_equal(lethe_batch_apply(fn, &no_schema, &no_array, &out_schema, &out), LETHE_EINPUT);
    assert_int_equal(lethe_batch_apply(fn, NULL, NULL, &out_schema, &out), LETHE_EINPUT);
    lethe_batch_free(fn);
}

static void malformed_rows_are_refused(void **state)
{
    place *p = *state;
    const arrow_node *user = COLUMN(p, "user", "a", "b"), *query = COLUMN(p, "query", "a", "b"),
                     *short_one = COLUMN(p, "query", "a"), *other = COLUMN(p, "Query", "a", "b"),
                     *stranger = COLUMN(p, "moment", "a", "b");
    static const int32_t end[] = {1, 2};
    const arrow_node *lists = bh_lists(&p->heap, "query", query, end, NULL, 2);
    lethe_batch_fn *fn = fn_of(p, "{'function':'seal','key-file':'%/key'}");
#define ROWS_OF(...)                                                                               \
    bh_rows(&p->heap, (const arrow_node *const[]){__VA_ARGS__},                                    \
            sizeof((const arrow_node *const[]){__VA_ARGS__}) / sizeof(arrow_node *), 2)
    refused(p, fn, user, "the function takes rows");
    refused(p, fn, ROWS_OF(user), "the rows have no column 'query'");
    refused(p, fn, ROWS_OF(user, query, stranger), "seal has no use for column 'moment'");
    refused(p, fn, ROWS_OF(user, query, query), "two columns are called 'query'");
    refused(p, fn, ROWS_OF(user, query, other), "columns 'query' and 'Query' are the same");
    refused(p, fn, ROWS_OF(user, short_one), "the array is shorter than the rows");
    refused(p, fn, ROWS_OF(user, lists), "column 'query' has lists, not single values");
    arrow_node *rows = bh_rows(&p->heap, (const arrow_node *const[]){user, query}, 2, 2);
    rows->n_buffers = 3;
    refused(p, fn, rows, "its number of buffers");
    // after a refusal it works as before
    bh_result r;
    assert_int_equal(bh_apply_all(fn, ROWS_OF(user, query), &r), LETHE_OK);
    assert_int_equal(r.array.length, 2);
    bh_release(&r);
    lethe_batch_free(fn);
}

static void cuts_are_of_some_releases_only(void **state)
{
    place *p = *state;
    lethe_cut *cut = NULL;
    char missing[320];
    snprintf(missing, sizeof missing, "%s/nothing", p->g.dir);
    lethe_cut_source from = {.size = sizeof from};
    assert_int_equal(lethe_cut_of_release(p->ctx, &from, &cut), LETHE_EUSAGE);
    from.release = missing;
    assert_int_equal(lethe_cut_of_release(p->ctx, &from, &cut), LETHE_EIO);
    g_write(p->g.log, "sex,s\nM,1\nM,2\nF,1\nF,2\n");
    static const struct {
        const char *step, *said;
        bool hierarchies, taxonomy;
        lethe_err want;
    } cases[] = {
        {"{'method':'local','options':{'qi':'sex','k':2}}", "which does not publish by one cut",
         false, false, LETHE_EUSAGE},
        {"{'method':'lplus','options':{'qi':'sex','k':2}}", "without a folder of hierarchies", true,
         false, LETHE_EUSAGE},
        {"{'method':'lplus','options':{'qi':'sex','k':2}}", "a table has hierarchies", false, true,
         LETHE_EUSAGE},
        {"{'method':'lplus','options':{'qi':'sex','k':2}}", "", false, false, LETHE_OK},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char form[REQUEST];
        snprintf(form, sizeof form,
                 "{'command':'release','inputs':[{'path':'%%/log.tsv'}],'read':{'from':'csv'},"
                 "'steps':[%s],'publish':{'force':true},'output':{'path':'%%/release'}}",
                 cases[i].step);
        p->g.said[0] = '\0';
        if (lethe_call(p->ctx, json_of(p, form), NULL, 0, NULL, 0, NULL) != LETHE_OK)
            fail_msg("%s", p->g.said);
        from = (lethe_cut_source){.size = sizeof from,
                                  .release = p->g.out,
                                  .hierarchies = cases[i].hierarchies ? p->g.dir : NULL,
                                  .taxonomy = cases[i].taxonomy ? p->g.log : NULL};
        lethe_err e = lethe_cut_of_release(p->ctx, &from, &cut);
        if (e != cases[i].want || !strstr(p->g.said, cases[i].said))
            fail_msg("case %zu: %d, %s", i, (int)e, p->g.said);
    }
    lethe_cut_free(cut);
    // a release that was tampered with has none
    char path[320];
    snprintf(path, sizeof path, "%s/data.csv", p->g.out);
    g_write(path, "sex,s\nM,1\n");
    assert_int_equal(lethe_cut_of_release(p->ctx, &from, &cut), LETHE_ANSWER_NO);
}

/* --- memory --- */

static void memory_may_run_out_anywhere(void **state)
{
    static const char *const requests[] = {
        "{'function':'scrub','options':{'kinds':['email','phone']}}",
        "{'function':'pseudonym','key-file':'%/key'}",
        "{'function':'seal','key-file':'%/key','options':{'t':2,'keep-clicks':true}}",
        "{'function':'cut','cut':'%/cut'}"};
    static const char *const names[] = {"user", "query", "time", "url"};
    place *p = *state;
    cut_write(p, "#lethe-cut 1 table\nquery\tany\t\t*\nuser\tvalue\tu1\tx\n");
    const arrow_node *text = COLUMN(p, "q", "joe@aol.com", "Caf\xc3\xa9 \xff", "(null)"),
                     *rows = log_rows(p, names);
    for (size_t i = 0; i < LETHE_COUNT(requests); i++)
        for (int once = 0; once < 2; once++) {
            lethe_err e = LETHE_ENOMEM;
            uint64_t n = 0;
            while (e == LETHE_ENOMEM) {
                lethe_batch_fn *fn = NULL;
                bh_result r = {0};
                (once ? lethe_alloc_fail_once : lethe_alloc_fail_at)(++n);
                e = lethe_batch_new(p->ctx, json_of(p, requests[i]), &fn);
                if (e == LETHE_OK) e = bh_apply_all(fn, i < 2 ? text : rows, &r);
                lethe_alloc_fail_at(0);
                if (e != LETHE_OK) {
                    assert_null(r.array.release);
                    assert_null(r.schema.release);
                    if (!lethe_ctx_error(p->ctx))
                        fail_msg("%s: allocation %d failed silently", requests[i], (int)n);
                }
                bh_release(&r);
                lethe_batch_free(fn);
            }
            assert_int_equal(e, LETHE_OK);
            assert_true(n > 10);
        }
}

static void cuts_of_releases_may_run_out_of_memory(void **state)
{
    place *p = *state;
    g_write(p->g.log, "sex,s\nM,1\nM,2\nF,1\nF,2\n");
    assert_int_equal(
        lethe_call(p->ctx,
                   json_of(p, "{'command':'release','inputs':[{'path':'%/log.tsv'}],'read':{'from':"
                              "'csv'},'steps':[{'method':'lplus','options':{'qi':'sex','k':2}}],"
                              "'output':{'path':'%/release'}}"),
                   NULL, 0, NULL, 0, NULL),
        LETHE_OK);
    lethe_cut_source from = {.size = sizeof from, .release = p->g.out};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM ||
           e == LETHE_ANSWER_NO) { // a release that cannot be judged is refused
        lethe_cut *cut = NULL;
        p->g.said[0] = '\0';
        lethe_alloc_fail_at(++n);
        e = lethe_cut_of_release(p->ctx, &from, &cut);
        lethe_alloc_fail_at(0);
        lethe_cut_free(cut);
    }
    if (e != LETHE_OK) fail_msg("allocation %d: %s", (int)n, p->g.said);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_become_what_methods_make_of_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_types_are_read_as_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_are_sealed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_are_generalized, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sets_are_generalized, set_up, tear_down),
        cmocka_unit_test_setup_teardown(requests_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(malformed_arrays_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(malformed_rows_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_are_of_some_releases_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_run_out_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_of_releases_may_run_out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
