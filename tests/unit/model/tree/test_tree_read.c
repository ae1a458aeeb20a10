/* SPDX-License-Identifier: Apache-2.0 */
/* Taxonomies as files: both forms, what is let pass, what is refused and where, and real ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tree_oracle.h"
#include "io/read/blocks.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

typedef struct said {
    uint32_t n, column;
    uint64_t line;
    char file[64], text[128];
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    s->n++;
    s->line = m->line;
    s->column = m->column;
    snprintf(s->file, sizeof s->file, "%s", m->file ? m->file : "-");
    snprintf(s->text, sizeof s->text, "%s", m->text);
}

static lethe_ctx *ctx_of(said *s)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = s};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

/* "b(a c)" */
static void show(const lethe_tree *t, uint32_t v, char *out)
{
    lethe_str name = lethe_tree_name(t, v);
    sprintf(out + strlen(out), "%.*s", (int)name.n, name.at);
    if (lethe_tree_is_leaf(t, v)) return;
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c]) {
        strcat(out, c == v + 1 ? "(" : " ");
        show(t, c, out);
    }
    strcat(out, ")");
}

static void assert_shape(const lethe_tree *t, const char *want)
{
    char got[512] = "";
    assert_null(tree_fault(t));
    show(t, 0, got);
    assert_string_equal(got, want);
}

/* --- what is read --- */

static void both_forms_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"a\tr\nb\tr\n", "r(a b)"},
        {"a\tr\nb\tr", "r(a b)"},
        {"a\tr\r\nb\tr\r\n", "r(a b)"},
        {"a\tr\r\nb\tr", "r(a b)"},
        {"\xef\xbb\xbf"
         "a\tr\nb\tr\n",
         "r(a b)"},
        {"\n\r\n\na\tr\n\n\nb\tr\n\n", "r(a b)"},
        {"a\tr\t1\nb\tr\t1\nr2\ta\tnot a number\n", "r(a(r2) b)"},
        {"a\tr\t\nb\tr\n", "r(a b)"},             // an empty third column
        {"r\t\t9\na\tr\t1\nb\tr\t1\n", "r(a b)"}, // as taxonomy.tsv has it: the root's first
        {"\n\nr\t\t9\nx\ta\t1\na\tr\t1\n", "r(a(x))"},
        {"r\t\t\na\tr\n", "r(a)"},
        {"r\t\t5\n", "r"},
        {"x\ta\na\tr\nx\ta\n", "r(a(x))"},
        {"a b\tr c\n", "r c(a b)"},
        {"a;b\tr;c\n", "r;c(a;b)"}, // a TAB in the first line: the other form
        {"a\"\t\"r\n", "\"r(a\")"},
        {" a\tr\n", "r( a)"},
        {"a;r\nb;r\n", "r(a b)"},
        {"a;x;r\nb;x;r\nc;y;r", "r(x(a b) y(c))"},
        {"a;x;r\r\nb;y;r\r\n", "r(x(a) y(b))"},
        {"\xef\xbb\xbf"
         "a;r\n\nb;r\n",
         "r(a b)"},
        {"a;a;r\nb;x;r;r\n", "r(a x(b))"},     // the same label in a row is one node
        {"a;r\nb;x;r\nx;r\nr\n", "r(a x(b))"}, // rows of different lengths
        {"a;a;r\nb;a;r\n", "r(a(b))"},
        {"\"a;b\";\"r\"\nc;r\n", "r(a;b c)"}, // quotes as in CSV
        {"\"say \"\"hi\"\"\";r\n", "r(say \"hi\")"},
        {"5\" disk;r\n", "r(5\" disk)"}, // a quote opens only at the start
        {"a,b;*\n", "*(a,b)"},
        {"only\n", "only"},
        {"only", "only"},
        {"only;only\nonly\n", "only"},
        {"\xc3\xa9t\xc3\xa9;\xe2\x82\xac\n", "\xe2\x82\xac(\xc3\xa9t\xc3\xa9)"},
    };
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_tree *t = NULL;
        lethe_str text = lethe_str_of(cases[i].text);
        if (lethe_tree_memory(ctx, text, LETHE_NAMES_RAW, &t) != LETHE_OK)
            fail_msg("'%s': %s", cases[i].text, s.text);
        assert_shape(t, cases[i].want);
        lethe_tree_free(t);
    }
    assert_int_equal(s.n, 0);
    lethe_ctx_free(ctx);
}

static void names_are_taken_as_asked(void **state)
{
    (void)state;
    static const struct {
        lethe_naming naming;
        const char *text, *want;
    } cases[] = {
        {LETHE_NAMES_RAW, "Red  Wine\tA b\n", "A b(Red  Wine)"},
        {LETHE_NAMES_ITEMS, "Red  Wine\tA b\n", "A_b(Red__Wine)"},
        {LETHE_NAMES_TERMS, "Red  Wine\tA b\n", "a_b(red_wine)"},
        {LETHE_NAMES_RAW, "\xef\xbc\xa1;R\n", "R(\xef\xbc\xa1)"},
        {LETHE_NAMES_ITEMS, "x\xc2\xa0y;R\n", "R(x\xc2\xa0y)"}, // not the space that parts items
        {LETHE_NAMES_TERMS, " \xef\xbc\xa1\xc2\xa0y ;R\n", "r(a_y)"},
        {LETHE_NAMES_TERMS, "Milk;Dairy\nmilk;dairy\n", "dairy(milk)"},
        {LETHE_NAMES_TERMS, "Milk;milk;MILK\n", "milk"},
        {LETHE_NAMES_ITEMS, "a b\tr\na_b\tr\n", "r(a_b)"},
    };
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_tree *t = NULL;
        lethe_str text = lethe_str_of(cases[i].text);
        assert_int_equal(lethe_tree_memory(ctx, text, cases[i].naming, &t), LETHE_OK);
        assert_shape(t, cases[i].want);
        lethe_tree_free(t);
    }
    lethe_ctx_free(ctx);
}

/* --- what is refused --- */

static void faults_are_named_with_line_and_column(void **state)
{
    (void)state;
#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
    static const struct {
        lethe_str text;
        lethe_naming naming;
        uint64_t line;
        uint32_t column;
        const char *says;
    } cases[] = {
        {TEXT(""), 0, 0, 0, "the taxonomy is empty"},
        {TEXT("\n\r\n\n"), 0, 0, 0, "the taxonomy is empty"},
        {TEXT("\xef\xbb\xbf"), 0, 0, 0, "the taxonomy is empty"},
        {TEXT("a\tr\n\tr\n"), 0, 2, 1, "a name is empty"},
        {TEXT("a\t\n"), 0, 1, 2, "a name is empty"},
        {TEXT("\t\t3\na\tr\n"), 0, 1, 1, "a name is empty"},
        {TEXT("a\tr\t1\nr\t\t9\n"), 0, 2, 2, "a name is empty"}, // the first line alone may
        {TEXT("r\t\t9\ns\t\t9\n"), 0, 2, 2, "a name is empty"},
        {TEXT("r\t\t9\nr\ts\t1\n"), 0, 2, 2, "the root, by the first line, gets a parent"},
        {TEXT("r\t\t9\na\ts\t1\n"), 0, 2, 0, "a second root: its name never gets a parent"},
        {TEXT("r\t\t\xff\n"), 0, 1, 3, "a name is not valid utf-8"},
        {TEXT("a\tr\n\nb\n"), 0, 3, 1, "1 column: expected child and parent"},
        {TEXT("a\tr\t1\t2\n"), 0, 1, 4, "4 columns: expected child and parent"},
        {TEXT("a\tr\nb;c;r\n"), 0, 2, 1, "1 column: expected child and parent"},
        {TEXT("a\tr\nb\0c\tr\n"), 0, 2, 1, "a NUL in a name"},
        {TEXT("a\tr\nb\tr\0\n"), 0, 2, 2, "a NUL in a name"},
        {TEXT("a\tr\nb\tr\xff\n"), 0, 2, 2, "a name is not valid utf-8"},
        {TEXT("a\xc3\tr\n"), 0, 1, 1, "a name is not valid utf-8"},
        {TEXT("a\xc0\xaf\tr\n"), 0, 1, 1, "a name is not valid utf-8"},
        {TEXT("a\xf4\x90\x80\x80\tr\n"), 0, 1, 1, "a name is not valid utf-8"},
        {TEXT("a\tr\tx\xff\n"), 0, 1, 3, "a name is not valid utf-8"},
        {TEXT("a\rb\tr\n"), 0, 1, 1, "a line end in a name"},
        {TEXT("a\tr\r"), 0, 1, 2, "a line end in a name"}, // no LF: no line end
        {TEXT("a\tr\r\r\n"), 0, 1, 2, "a line end in a name"},
        {TEXT("a\tr\nr\tr\n"), 0, 2, 2, "a name is its own parent"},
        {TEXT("a\tr\nb\tr\na\tb\n"), 0, 3, 2, "a name has two parents; line 1 gave it the first"},
        {TEXT("a\tb\nx\tr\nb\ta\n"), 0, 3, 0, "the edge closes a cycle"},
        {TEXT("a\tr\nb\ts\n"), 0, 2, 0, "a second root: its name never gets a parent"},
        {TEXT("child\tparent\na\tr\n"), 0, 2, 0, "a second root: its name never gets a parent"},
        {TEXT("a;r\n;r\n"), 0, 2, 1, "a name is empty"},
        {TEXT("a;x;r;\n"), 0, 1, 4, "a name is empty"},
        {TEXT(";\n"), 0, 1, 1, "a name is empty"},
        {TEXT("a;\"\";r\n"), 0, 1, 2, "a name is empty"},
        {TEXT("a;r\nb;r\nc;s\n"), 0, 3, 2, "the row ends in another root than line 1"},
        {TEXT("\na;r\nb\n"), 0, 3, 1, "the row ends in another root than line 2"},
        {TEXT("a;x;r\na;y;r\n"), 0, 2, 2, "a name has two parents; line 1 gave it the first"},
        {TEXT("a;b;a;r\n"), 0, 1, 4, "a name has two parents; line 1 gave it the first"},
        {TEXT("a;r\nr;a;r\n"), 0, 2, 0, "the edge closes a cycle"},
        {TEXT("a;\"b;r\nc;r\n"), 0, 1, 2, "a quote is not closed"},
        {TEXT("a;\"b\"c;r\n"), 0, 1, 2, "something follows a closing quote"},
        {TEXT("a;r\nb\tc;r\n"), 0, 2, 1, "a tab in a name"},
        {TEXT("a;r\nb;\xffr\n"), 0, 2, 2, "a name is not valid utf-8"},
        {TEXT("a;r\nb\0;r\n"), 0, 2, 1, "a NUL in a name"},
        {TEXT("\xff\xfe"
              "a\0;\0r\0\n\0"),
         0, 1, 1, "a NUL in a name"}, // UTF-16
        {TEXT("a\tr\n \tr\n"), LETHE_NAMES_TERMS, 2, 1, "a name is empty"},
        {TEXT("Food\tfood\n"), LETHE_NAMES_TERMS, 1, 2, "a name is its own parent"},
        {TEXT("a b\tr\na_b\ts\ns\tr\n"), LETHE_NAMES_ITEMS, 2, 2,
         "a name has two parents; line 1 gave it the first"},
    };
#undef TEXT
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        said s = {0};
        lethe_ctx *ctx = ctx_of(&s);
        lethe_tree *t = NULL;
        lethe_err e = lethe_tree_memory(ctx, cases[i].text, cases[i].naming, &t);
        if (e != LETHE_EINPUT || t || s.n != 1 || s.line != cases[i].line ||
            s.column != cases[i].column || strcmp(s.text, cases[i].says) != 0)
            fail_msg("case %zu: %s, '%s' at %llu:%u", i, lethe_err_name(e), s.text,
                     (unsigned long long)s.line, s.column);
        assert_string_equal(s.file, "memory");
        lethe_ctx_free(ctx);
    }
}

/* --- large --- */

/* `n` bytes of x, before and after which stand the given texts. */
static lethe_buf stuffed(const char *before, size_t n, const char *after)
{
    lethe_buf b = {0};
    assert_int_equal(lethe_buf_str(&b, lethe_str_of(before)), LETHE_OK);
    assert_int_equal(lethe_buf_reserve(&b, n), LETHE_OK);
    memset(b.at + b.n, 'x', n);
    b.n += n;
    assert_int_equal(lethe_buf_str(&b, lethe_str_of(after)), LETHE_OK);
    return b;
}

static lethe_str view(const lethe_buf *b) { return (lethe_str){(char *)b->at, b->n}; }

static void a_line_may_have_a_mebibyte(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        for (int arx = 0; arx < 2; arx++) {
            said s = {0};
            lethe_ctx *ctx = ctx_of(&s);
            lethe_tree *t = NULL;
            lethe_buf b = stuffed(arx ? "a;r\n" : "a\tr\n", LETHE_LINE_MAX - 2 + more,
                                  arx ? ";r\nb;r\n" : "\tr\nb\tr\n");
            lethe_err e = lethe_tree_memory(ctx, view(&b), LETHE_NAMES_RAW, &t);
            assert_int_equal(e, more ? LETHE_EINPUT : LETHE_OK);
            assert_int_equal(s.n, more);
            if (more) assert_int_equal(s.line, 2);
            if (more) assert_string_equal(s.text, "a line over 1 MiB");
            if (!more) assert_int_equal(t->n, 4);
            lethe_tree_free(t);
            lethe_buf_free(&b);
            lethe_ctx_free(ctx);
        }
    }
}

static void put(lethe_buf *b, const char *fmt, unsigned x, unsigned y)
{
    char text[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(text, sizeof text, fmt, x, y);
#pragma GCC diagnostic pop
    assert_int_equal(lethe_buf_put(b, text, (size_t)n), LETHE_OK);
}

/* A chain of a million lines, from the leaf up and from the root down; then with a cycle. */
static void a_million_lines(void **state)
{
    (void)state;
    enum { N = 1000000 };
    static const uint32_t pairs[][2] = {{0, N}, {N / 2, N / 3}};
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    lethe_buf b = {0};
    lethe_tree *t = NULL;
    for (unsigned i = 0; i < N; i++)
        put(&b, "%u\t%u\n", i, i + 1);
    assert_int_equal(lethe_tree_memory(ctx, view(&b), LETHE_NAMES_RAW, &t), LETHE_OK);
    assert_null(tree_fault_large(t, pairs, LETHE_COUNT(pairs)));
    assert_int_equal(t->height, N);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("0")), N);
    lethe_tree_free(t);
    put(&b, "%u\t%u\n", N, N / 2);
    t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, view(&b), LETHE_NAMES_RAW, &t), LETHE_EINPUT);
    assert_int_equal(s.line, N + 1);
    assert_string_equal(s.text, "the edge closes a cycle");
    assert_null(t);
    lethe_buf_free(&b);
    lethe_ctx_free(ctx);
}

/* Lines are counted over the edges of blocks, long lines and all. */
static void a_fault_far_down_is_found(void **state)
{
    (void)state;
    enum { N = 300000 };
    for (int what = 0; what < 3; what++) {
        said s = {0};
        lethe_ctx *ctx = ctx_of(&s);
        lethe_tree *t = NULL;
        lethe_buf b = {0};
        for (unsigned i = 1; i <= N; i++)
            put(&b, "leaf %u\t%u\n", i, 0);
        if (what == 0) put(&b, "leaf %u\tother%u\n", N / 2, 1);
        if (what == 1) put(&b, "\tx%u%u\n", 1, 1);
        if (what == 2) {
            assert_int_equal(lethe_buf_reserve(&b, 5 * LETHE_LINE_MAX), LETHE_OK);
            memset(b.at + b.n, 'x', 5 * LETHE_LINE_MAX);
            b.n += 5 * LETHE_LINE_MAX;
        }
        assert_int_equal(lethe_tree_memory(ctx, view(&b), LETHE_NAMES_RAW, &t), LETHE_EINPUT);
        assert_int_equal(s.line, N + 1);
        assert_null(t);
        lethe_buf_free(&b);
        lethe_ctx_free(ctx);
    }
}

/* A row of 100,000 labels, and one as deep again beside it. */
static void arx_rows_may_be_deep(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    static const uint32_t pairs[][2] = {{DEEP, 2 * DEEP}, {DEEP, DEEP + 1}, {7, DEEP - 7}};
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    lethe_buf b = {0};
    lethe_tree *t = NULL;
    for (unsigned row = 0; row < 2; row++) {
        for (unsigned i = 0; i < DEEP; i++)
            put(&b, "%c%u;", row ? 'b' : 'a', i);
        put(&b, "*\n", 0, 0);
    }
    assert_int_equal(lethe_tree_memory(ctx, view(&b), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    assert_int_equal(t->n, 2 * DEEP + 1);
    assert_int_equal(t->height, DEEP);
    assert_int_equal(t->leaves[0], 2);
    assert_null(tree_fault_large(t, pairs, LETHE_COUNT(pairs)));
    lethe_tree_free(t);
    lethe_buf_free(&b);
    lethe_ctx_free(ctx);
}

/* --- files --- */

static void make_file(char path[32], const void *bytes, size_t n, bool gz)
{
    strcpy(path, "/tmp/lethe-tree-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    if (gz) {
        gzFile f = gzdopen(fd, "wb");
        assert_int_equal(gzwrite(f, bytes, (unsigned)n), n);
        assert_int_equal(gzclose(f), Z_OK);
    } else {
        assert_int_equal(write(fd, bytes, n), n);
        close(fd);
    }
}

static void files_plain_and_compressed(void **state)
{
    (void)state;
    static const char text[] = "apple;fruit;food\nmilk;dairy;food\n", bad[] = "a\tr\nb\n";
    for (int gz = 0; gz < 2; gz++) {
        said s = {0};
        lethe_ctx *ctx = ctx_of(&s);
        lethe_tree *t = NULL;
        char path[32];
        make_file(path, text, sizeof text - 1, gz);
        assert_int_equal(lethe_tree_read(ctx, path, LETHE_NAMES_ITEMS, &t), LETHE_OK);
        assert_shape(t, "food(fruit(apple) dairy(milk))");
        lethe_tree_free(t);
        unlink(path);
        make_file(path, bad, sizeof bad - 1, gz);
        t = NULL;
        assert_int_equal(lethe_tree_read(ctx, path, LETHE_NAMES_ITEMS, &t), LETHE_EINPUT);
        assert_null(t);
        assert_string_equal(s.file, path);
        assert_int_equal(s.line, 2);
        assert_int_equal(truncate(path, 12), 0);
        assert_int_equal(lethe_tree_read(ctx, path, LETHE_NAMES_ITEMS, &t), LETHE_EINPUT);
        unlink(path);
        assert_int_equal(lethe_tree_read(ctx, path, LETHE_NAMES_ITEMS, &t), LETHE_EIO);
        assert_int_equal(lethe_tree_read(ctx, "/", LETHE_NAMES_ITEMS, &t), LETHE_EIO);
        assert_null(t);
        lethe_ctx_free(ctx);
    }
}

static void a_cancelled_reading_ends(void **state)
{
    (void)state;
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    lethe_tree *t = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_tree_memory(ctx, LETHE_LIT("a\tr\n"), LETHE_NAMES_RAW, &t),
                     LETHE_ECANCEL);
    assert_null(t);
    lethe_ctx_free(ctx);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    static const char *const texts[] = {"Red Wine\tDrinks Here\nb\tDrinks Here\n",
                                        "\"Red \"\"Wine\";X y;r\nb;X y;r\n", "a\tb\nb\ta\n"};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        said s = {0};
        lethe_ctx *ctx = ctx_of(&s);
        uint64_t n = 1;
        for (lethe_err e = LETHE_ENOMEM; e == LETHE_ENOMEM; n++) {
            lethe_tree *t = NULL;
            s.n = 0;
            lethe_alloc_fail_at(n);
            e = lethe_tree_memory(ctx, lethe_str_of(texts[i]), LETHE_NAMES_TERMS, &t);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_ENOMEM || e == (i == 2 ? LETHE_EINPUT : LETHE_OK));
            assert_int_equal(s.n, e == LETHE_OK ? 0 : 1); // said, and said once
            assert_true((e == LETHE_OK) == (t != NULL));
            lethe_tree_free(t);
        }
        assert_true(n > 10);
        lethe_ctx_free(ctx);
    }
}

/* --- real ones --- */

/* The file of $LETHE_DATA, decompressed; false, with a word: it is not there. */
static bool data_read(const char *name, lethe_buf *out)
{
    const char *dir = getenv("LETHE_DATA");
    char path[4096];
    lethe_source *source = NULL;
    size_t n = 1;
    snprintf(path, sizeof path, "%s/%s", dir ? dir : "", name);
    if (!dir || access(path, R_OK) != 0) {
        printf("no data: '%s' is not in LETHE_DATA\n", name);
        return false;
    }
    assert_int_equal(lethe_source_open(NULL, path, &source), LETHE_OK);
    while (n > 0) {
        assert_int_equal(lethe_buf_reserve(out, 1 << 16), LETHE_OK);
        assert_int_equal(lethe_source_read(source, out->at + out->n, 1 << 16, &n), LETHE_OK);
        out->n += n;
    }
    lethe_source_close(source);
    return true;
}

/* A file out of a tar archive (header of 512 bytes: name, and its size in octal at 124). */
static lethe_str tar_member(lethe_str tar, const char *name)
{
    for (size_t at = 0; at + 512 <= tar.n;) {
        char size[13] = {0};
        memcpy(size, tar.at + at + 124, 12);
        size_t n = strtoul(size, NULL, 8), k = strlen(name), len = strnlen(tar.at + at, 100);
        if (len >= k && memcmp(tar.at + at + len - k, name, k) == 0)
            return (lethe_str){tar.at + at + 512, n};
        at += 512 + (n + 511) / 512 * 512;
    }
    fail_msg("no '%s' in the archive", name);
    return LETHE_LIT("");
}

static void count_levels(const lethe_tree *t, uint32_t *n, uint32_t max)
{
    memset(n, 0, max * sizeof *n);
    assert_true(t->height < max);
    for (uint32_t v = 0; v < t->n; v++)
        n[t->level[v]]++;
}

static void hierarchies_of_adult(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t height, size[5]; /* from the root down */
    } cases[] = {
        {"arx/adult_hierarchy_age.csv", 4, {1, 5, 10, 20, 100}},
        {"arx/adult_hierarchy_education.csv", 3, {1, 3, 5, 16}},
        {"arx/adult_hierarchy_native-country.csv", 2, {1, 5, 41}},
        {"arx/adult_hierarchy_occupation.csv", 2, {1, 3, 14}},
        {"arx/adult_hierarchy_workclass.csv", 2, {1, 3, 8}},
        {"arx/adult_hierarchy_marital-status.csv", 2, {1, 2, 7}},
        {"arx/adult_hierarchy_race.csv", 1, {1, 5}},
        {"arx/adult_hierarchy_sex.csv", 1, {1, 2}},
        {"arx/adult_hierarchy_salary-class.csv", 1, {1, 2}},
        {"adult_marital_status.txt", 2, {1, 4, 6}}, // rows of two lengths
        {"adult_workclass.txt", 2, {1, 4, 7}},
        {"adult_relationship.txt", 1, {1, 6}},
    };
    lethe_buf tar = {0};
    if (!data_read("adult_hierarchies.tar.zst", &tar)) skip();
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_str text = tar_member(view(&tar), cases[i].name);
        lethe_tree *t = NULL;
        uint32_t n[5];
        assert_int_equal(lethe_tree_memory(ctx, text, LETHE_NAMES_RAW, &t), LETHE_OK);
        assert_null(tree_fault(t));
        assert_int_equal(t->height, cases[i].height);
        count_levels(t, n, 5);
        assert_memory_equal(n, cases[i].size, sizeof n);
        assert_true(lethe_str_eq(lethe_tree_name(t, 0), LETHE_LIT("*")));
        lethe_tree_free(t);
    }
    lethe_ctx_free(ctx);
    lethe_buf_free(&tar);
}

/* Fields of a line of a TSV text; false at its end. */
static bool next_fields(lethe_str *text, lethe_str *f, uint32_t n)
{
    if (text->n == 0) return false;
    const char *lf = memchr(text->at, '\n', text->n);
    size_t len = lf ? (size_t)(lf - text->at) : text->n;
    lethe_str line = {text->at, len};
    text->at += len + (lf != NULL);
    text->n -= len + (lf != NULL);
    for (uint32_t i = 0; i < n; i++) {
        const char *tab = line.n ? memchr(line.at, '\t', line.n) : NULL;
        size_t k = tab ? (size_t)(tab - line.at) : line.n;
        f[i] = (lethe_str){line.at, k};
        line.at += k + (tab != NULL);
        line.n -= k + (tab != NULL);
    }
    return true;
}

static void put_edge(lethe_buf *b, const char *before, lethe_str child, const char *above,
                     lethe_str parent)
{
    assert_int_equal(lethe_buf_str(b, lethe_str_of(before)), LETHE_OK);
    assert_int_equal(lethe_buf_str(b, child), LETHE_OK);
    assert_int_equal(lethe_buf_str(b, lethe_str_of("\t")), LETHE_OK);
    assert_int_equal(lethe_buf_str(b, lethe_str_of(above)), LETHE_OK);
    assert_int_equal(lethe_buf_str(b, parent), LETHE_OK);
    assert_int_equal(lethe_buf_str(b, lethe_str_of("\n")), LETHE_OK);
}

/* 169 items in 55 groups in 10.  Items and groups share names ("candy"), so by names alone it is no
 * tree; items go by their numbers, and groups say which they are. */
static void groceries(void **state)
{
    (void)state;
    lethe_buf file = {0}, edges = {0}, names = {0};
    if (!data_read("groceries_items.tsv.zst", &file)) skip();
    lethe_str text = view(&file), f[4];
    assert_true(next_fields(&text, f, 4)); // the header
    while (next_fields(&text, f, 4)) {
        put_edge(&edges, "", f[0], "2 ", f[2]);
        put_edge(&edges, "2 ", f[2], "1 ", f[3]);
        put_edge(&edges, "1 ", f[3], "all", LETHE_LIT(""));
        put_edge(&names, "", f[1], "", f[2]);
    }
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    lethe_tree *t = NULL;
    uint32_t n[5];
    assert_int_equal(lethe_tree_memory(ctx, view(&edges), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    assert_null(tree_fault(t));
    count_levels(t, n, 5);
    assert_memory_equal(n, ((const uint32_t[]){1, 10, 55, 169, 0}), sizeof n);
    assert_int_equal(lethe_tree_scale(t), 168);
    assert_int_not_equal(lethe_tree_find(t, LETHE_LIT("1_meat_and_sausage")), LETHE_NONE);
    lethe_tree_free(t);
    assert_int_equal(lethe_tree_memory(ctx, view(&names), LETHE_NAMES_ITEMS, &t), LETHE_EINPUT);
    assert_int_equal(s.line, 2); // sausage, in the group sausage
    assert_string_equal(s.text, "a name is its own parent");
    lethe_ctx_free(ctx);
    lethe_buf_free(&file);
    lethe_buf_free(&edges);
    lethe_buf_free(&names);
}

/* A forest of 37: no tree until a root is put above. */
static void iab_content(void **state)
{
    (void)state;
    lethe_buf file = {0}, forest = {0}, rooted = {0};
    if (!data_read("iab_content_taxonomy_3.1.tsv.zst", &file)) skip();
    lethe_str text = view(&file), f[3];
    assert_true(next_fields(&text, f, 3) && next_fields(&text, f, 3)); // two lines of header
    while (next_fields(&text, f, 3)) {
        if (f[1].n > 0) put_edge(&forest, "", f[0], "", f[1]);
        put_edge(&rooted, "", f[0], f[1].n > 0 ? "" : "all", f[1]);
    }
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, view(&forest), LETHE_NAMES_RAW, &t), LETHE_EINPUT);
    assert_string_equal(s.text, "a second root: its name never gets a parent");
    assert_null(t);
    assert_int_equal(lethe_tree_memory(ctx, view(&rooted), LETHE_NAMES_RAW, &t), LETHE_OK);
    assert_int_equal(t->n, 705);
    assert_int_equal(t->height, 4);
    assert_null(tree_fault_large(t, NULL, 0));
    uint32_t n = 0;
    for (uint32_t c = lethe_tree_first(t, 0); c < t->end[0]; c = t->end[c])
        n++;
    assert_int_equal(n, 37);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
    lethe_buf_free(&file);
    lethe_buf_free(&forest);
    lethe_buf_free(&rooted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_read),
        cmocka_unit_test(names_are_taken_as_asked),
        cmocka_unit_test(faults_are_named_with_line_and_column),
        cmocka_unit_test(a_line_may_have_a_mebibyte),
        cmocka_unit_test(a_million_lines),
        cmocka_unit_test(a_fault_far_down_is_found),
        cmocka_unit_test(arx_rows_may_be_deep),
        cmocka_unit_test(files_plain_and_compressed),
        cmocka_unit_test(a_cancelled_reading_ends),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
        cmocka_unit_test(hierarchies_of_adult),
        cmocka_unit_test(groceries),
        cmocka_unit_test(iab_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
