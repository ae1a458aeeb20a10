/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: whole lines, all of them, in order, with their right numbers; lines too long named. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/read/blocks.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static const size_t block_sizes[] = {1, 64 << 10, 100000, 1 << 20, 4 << 20, SIZE_MAX};

static lethe_blocks *open_text(lethe_str text, lethe_block_cut cut, size_t block_bytes)
{
    lethe_source *s;
    lethe_blocks *b;
    assert_int_equal(lethe_source_memory(NULL, text, &s), LETHE_OK);
    assert_int_equal(lethe_blocks_new(NULL, s, cut, ',', block_bytes, &b), LETHE_OK);
    assert_ptr_equal(lethe_blocks_source(b), s);
    return b;
}

/* --- the oracle: byte by byte, all in memory --- */

/* Where the line or record that begins at p ends, its LF included; *text = its length without its
 * line end. */
static size_t one_record(const char *p, size_t n, lethe_block_cut cut, size_t *text)
{
    bool quoted = false, field_start = true;
    for (size_t i = 0; i < n; i++) {
        if (cut == LETHE_CUT_CSV && quoted) {
            if (p[i] != '"') continue;
            if (i + 1 < n && p[i + 1] == '"')
                i++;
            else
                quoted = false;
        } else if (p[i] == '\n') {
            *text = i - (i > 0 && p[i - 1] == '\r');
            return i + 1;
        } else if (p[i] == '"' && field_start) {
            quoted = true;
            field_start = false;
        } else {
            field_start = p[i] == ',';
        }
    }
    *text = n;
    return n;
}

static uint64_t physical_lines(const char *p, size_t n)
{
    uint64_t lines = n > 0 && p[n - 1] != '\n';
    for (size_t i = 0; i < n; i++)
        lines += p[i] == '\n';
    return lines;
}

/* Walks the blocks of `text` beside the oracle. */
static void check_blocks(lethe_str text, lethe_block_cut cut, size_t block_bytes)
{
    lethe_blocks *b = open_text(text, cut, block_bytes);
    lethe_block block = {0};
    bool more;
    const char *p = text.at;
    size_t left = text.n, size;
    uint64_t index = 0, line = 1;
    for (;;) {
        assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
        if (!more) break;
        assert_int_equal(block.index, index++);
        assert_int_equal(block.first_line, line);
        if (block.too_long) {
            size_t taken = one_record(p, left, cut, &size);
            assert_true(size > LETHE_LINE_MAX);
            assert_int_equal(block.text.n, 0);
            assert_int_equal(block.n_lines, physical_lines(p, taken));
            p += taken;
            left -= taken;
        } else {
            assert_true(block.text.n > 0 && block.text.n <= left);
            assert_memory_equal(block.text.at, p, block.text.n);
            assert_int_equal(block.n_lines, physical_lines(p, block.text.n));
            for (size_t in = block.text.n; in > 0;) { // whole records, none too long
                size_t taken = one_record(p, left, cut, &size);
                assert_true(taken <= in && size <= LETHE_LINE_MAX);
                in -= taken;
                p += taken;
                left -= taken;
            }
        }
        line += block.n_lines;
        size_t most =
            LETHE_LINE_MAX + LETHE_MIN(LETHE_MAX(block_bytes, (size_t)64 << 10), (size_t)4 << 20);
        assert_true(block.buf.cap <= most + most / 4); // a buffer grows by a quarter
    }
    assert_int_equal(left, 0);
    assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK); // and again
    assert_false(more);
    lethe_block_free(&block);
    lethe_blocks_free(b);
}

static void check_all(lethe_str text)
{
    for (size_t i = 0; i < LETHE_COUNT(block_sizes); i++) {
        check_blocks(text, LETHE_CUT_LINES, block_sizes[i]);
        check_blocks(text, LETHE_CUT_CSV, block_sizes[i]);
    }
}

/* --- building texts --- */

static void add(lethe_buf *b, const char *s)
{
    assert_int_equal(lethe_buf_str(b, lethe_str_of(s)), LETHE_OK);
}

static void add_many(lethe_buf *b, char c, size_t n)
{
    assert_int_equal(lethe_buf_reserve(b, n), LETHE_OK);
    memset(b->at + b->n, c, n);
    b->n += n;
}

static lethe_str view(const lethe_buf *b) { return (lethe_str){(const char *)b->at, b->n}; }

static uint64_t step(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* --- small texts --- */

static void small_texts_come_whole(void **state)
{
    (void)state;
    static const struct {
        const char *p;
        size_t n;
    } texts[] = {
        {"", 0},         {"\n", 1},           {"\n\n\n", 3},         {"a", 1},
        {"a\n", 2},      {"a\r\nb\r\n", 6},   {"a\nb", 3},           {"\r", 1},
        {"\0\n\0", 3},   {"\"a\nb\"\n", 6},   {"\"open\n\n", 7},     {"a\"b\nc", 5},
        {"\"\"\"\n", 4}, {"x,\"\n\",y\n", 8}, {"\"a\" \"\n\"\n", 8},
    };
    for (size_t i = 0; i < LETHE_COUNT(texts); i++)
        check_all((lethe_str){texts[i].p, texts[i].n});
}

static void a_byte_order_mark_is_skipped_once(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } texts[] = {
        {"\xef\xbb\xbf"
         "a\n",
         "a\n"},
        {"\xef\xbb\xbf\xef\xbb\xbf"
         "a",
         "\xef\xbb\xbf"
         "a"},
        {"\xef\xbb\xbf", ""},
        {"\xef\xbb", "\xef\xbb"},
        {"a\xef\xbb\xbf\n", "a\xef\xbb\xbf\n"},
    };
    for (size_t i = 0; i < 2 * LETHE_COUNT(texts); i++) {
        lethe_blocks *b = open_text(lethe_str_of(texts[i / 2].in), LETHE_CUT_LINES, 1);
        lethe_str want = lethe_str_of(texts[i / 2].out), seen;
        if (i % 2) {
            assert_int_equal(lethe_blocks_peek(b, 100, &seen), LETHE_OK);
            assert_true(lethe_str_eq(seen, want));
        }
        lethe_block block = {0};
        bool more;
        assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
        assert_int_equal(more, want.n > 0);
        assert_true(lethe_str_eq(block.text, want));
        if (more) assert_int_equal(block.first_line, 1);
        lethe_block_free(&block);
        lethe_blocks_free(b);
    }
}

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    lethe_buf text = {0};
    for (int i = 0; i < 40000; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d\n", i);
        add(&text, line);
    }
    lethe_blocks *b = open_text(view(&text), LETHE_CUT_LINES, 1);
    static const size_t caps[] = {0, 5, 65536, 200000, 10, SIZE_MAX / 2};
    for (size_t i = 0; i + 1 < LETHE_COUNT(caps); i++) {
        lethe_str seen;
        assert_int_equal(lethe_blocks_peek(b, caps[i], &seen), LETHE_OK);
        assert_int_equal(seen.n, LETHE_MIN(caps[i], text.n));
        if (seen.n > 0) assert_memory_equal(seen.at, text.at, seen.n);
    }
    lethe_blocks_set_cut(b, LETHE_CUT_CSV, ';');
    lethe_block block = {0};
    bool more = true;
    size_t got = 0;
    while (lethe_blocks_next(b, &block, &more) == LETHE_OK && more) {
        assert_memory_equal(block.text.at, text.at + got, block.text.n);
        got += block.text.n;
    }
    assert_int_equal(got, text.n);
    lethe_block_free(&block);
    lethe_blocks_free(b);
    lethe_buf_free(&text);
}

static void the_cut_can_be_set_before_the_first_block(void **state)
{
    (void)state;
    lethe_buf text = {0};
    add(&text, "a;\"");
    add_many(&text, '\n', 70000);
    add(&text, "\"\nlast\n");
    lethe_blocks *b = open_text(view(&text), LETHE_CUT_LINES, 1);
    lethe_blocks_set_cut(b, LETHE_CUT_CSV, ';');
    lethe_block block = {0};
    bool more;
    assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
    assert_true(block.text.n > 70000); // not cut at the 64 KiB that were read first
    lethe_block_free(&block);
    lethe_blocks_free(b);
    lethe_buf_free(&text);
}

/* --- lines across blocks --- */

/* Lines of every length around a block's size, so that ends fall before, on and behind its edge. */
static void lines_straddle_blocks(void **state)
{
    (void)state;
    for (size_t d = 0; d < 7; d++) {
        lethe_buf text = {0};
        for (int i = 0; i < 5; i++) {
            add_many(&text, 'x', 65533 + d);
            add(&text, i % 2 ? "\r\n" : "\n");
        }
        add(&text, "end");
        for (size_t i = 0; i < 3; i++) {
            check_blocks(view(&text), LETHE_CUT_LINES, block_sizes[i]);
            check_blocks(view(&text), LETHE_CUT_CSV, block_sizes[i]);
        }
        lethe_buf_free(&text);
    }
}

static void random_lines_come_back(void **state)
{
    (void)state;
    static const char pieces[][8] = {"\n",  "\r\n", "\"",   "\"\"", ",",
                                     ",\"", "\",",  "\"\n", "word", "\t"};
    uint64_t x = 20060301;
    for (int round = 0; round < 6; round++) {
        lethe_buf text = {0};
        while (text.n < 700000) {
            uint64_t r = step(&x);
            if (r % 97 == 0) add_many(&text, (char)(r >> 8), (r >> 16) % 30000);
            add(&text, pieces[(r >> 40) % (round < 3 ? 10 : 2)]);
            add(&text, &"some text here"[(r >> 50) % 14]);
        }
        check_blocks(view(&text), LETHE_CUT_LINES, block_sizes[round % 6]);
        check_blocks(view(&text), LETHE_CUT_CSV, block_sizes[round % 6]);
        lethe_buf_free(&text);
    }
}

/* --- lines too long --- */

/* One line of LETHE_LINE_MAX + d bytes between others, ended in three ways. */
static void the_longest_line_is_exact(void **state)
{
    (void)state;
    static const char *const ends[] = {"\nlast\n", "\r\nlast\n", "", "\r"};
    for (size_t d = 0; d < 4; d++)
        for (size_t e = 0; e < LETHE_COUNT(ends); e++)
            for (int alone = 0; alone < 2; alone++) {
                lethe_buf text = {0};
                if (!alone) add(&text, "first\n\n");
                add_many(&text, 'x', LETHE_LINE_MAX - 1 + d);
                add(&text, ends[e]);
                check_blocks(view(&text), LETHE_CUT_LINES, block_sizes[(d + e) % 6]);
                check_blocks(view(&text), LETHE_CUT_CSV, block_sizes[(d + e) % 6]);
                lethe_buf_free(&text);
            }
}

static void a_line_at_the_limit_passes_and_one_more_does_not(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *end;
        bool passes;
    } cases[] = {
        {LETHE_LINE_MAX, "\n", true},        {LETHE_LINE_MAX, "\r\n", true},
        {LETHE_LINE_MAX, "", true},          {LETHE_LINE_MAX + 1, "\n", false},
        {LETHE_LINE_MAX + 1, "", false},     {LETHE_LINE_MAX, "\r", false},
        {LETHE_LINE_MAX + 1, "\r\n", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        for (size_t s = 0; s < LETHE_COUNT(block_sizes); s++) {
            lethe_buf text = {0};
            add_many(&text, 'x', cases[i].n);
            add(&text, cases[i].end);
            lethe_blocks *b = open_text(view(&text), LETHE_CUT_LINES, block_sizes[s]);
            lethe_block block = {0};
            bool more;
            assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
            assert_true(more);
            assert_int_equal(block.too_long, !cases[i].passes);
            assert_int_equal(block.n_lines, 1);
            assert_int_equal(block.text.n, cases[i].passes ? text.n : 0);
            assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
            assert_false(more);
            lethe_block_free(&block);
            lethe_blocks_free(b);
            lethe_buf_free(&text);
        }
}

static void many_long_lines_are_all_counted(void **state)
{
    (void)state;
    lethe_buf text = {0};
    for (size_t i = 0; i < 9; i++) {
        add_many(&text, 'x', LETHE_LINE_MAX + 1 + 40000 * i);
        add(&text, i % 2 ? "\n" : "\nshort\n");
    }
    check_blocks(view(&text), LETHE_CUT_LINES, 1);
    check_blocks(view(&text), LETHE_CUT_LINES, 4 << 20);
    check_blocks(view(&text), LETHE_CUT_CSV, 4 << 20);
    lethe_buf_free(&text);
}

static void a_long_record_stands_for_all_its_lines(void **state)
{
    (void)state;
    lethe_buf text = {0};
    add(&text, "a,b\n1,\"");
    for (size_t i = 0; i < 3 * (LETHE_LINE_MAX / 16); i++)
        add(&text, "say \"\"hello\"\",\r\n"); // pairs of quotes at every place of a block's edge
    add(&text, "\",\"x\"\n2,3\n\"never closed\n\n");
    for (size_t i = 0; i < LETHE_COUNT(block_sizes); i++)
        check_blocks(view(&text), LETHE_CUT_CSV, block_sizes[i]);
    add_many(&text, '\n', LETHE_LINE_MAX);
    check_blocks(view(&text), LETHE_CUT_CSV, 1);
    check_blocks(view(&text), LETHE_CUT_CSV, 4 << 20);
    lethe_buf_free(&text);
}

typedef struct flood {
    int fd;
    size_t n;
} flood;

static void *write_flood(void *arg)
{
    flood *f = arg;
    static char piece[65536];
    memset(piece, 'x', sizeof piece);
    ssize_t w = write(f->fd, "first\n", 6);
    for (size_t i = 0; i < f->n && w > 0; i += (size_t)w)
        w = write(f->fd, piece, LETHE_MIN(sizeof piece, f->n - i));
    if (w > 0) w = write(f->fd, "\nlast", 5);
    close(f->fd);
    return NULL;
}

static void a_line_of_100_mb_is_never_held(void **state)
{
    (void)state;
    int ends[2];
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    flood f = {ends[1], 100 << 20};
    assert_int_equal(pthread_create(&writer, NULL, write_flood, &f), 0);
    lethe_source *s;
    lethe_blocks *b;
    assert_int_equal(lethe_source_fd(NULL, ends[0], "pipe", &s), LETHE_OK);
    assert_int_equal(lethe_blocks_new(NULL, s, LETHE_CUT_LINES, '\t', 1 << 20, &b), LETHE_OK);
    static const struct {
        bool too_long;
        const char *text;
    } want[] = {{false, "first\n"}, {true, ""}, {false, "last"}};
    lethe_block block = {0};
    bool more;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
        assert_true(more);
        assert_int_equal(block.too_long, want[i].too_long);
        assert_true(lethe_str_eq(block.text, lethe_str_of(want[i].text)));
        assert_int_equal(block.first_line, i + 1);
        assert_int_equal(block.n_lines, 1);
        assert_true(block.buf.cap <= 3 << 20);
    }
    assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_OK);
    assert_false(more);
    pthread_join(writer, NULL);
    lethe_block_free(&block);
    lethe_blocks_free(b);
    close(ends[0]);
}

/* --- threads --- */

enum { N_LINES = 300000, N_THREADS = 4, MAX_BLOCKS = 256 };

typedef struct seen {
    uint64_t first_line, n_lines, sum;
} seen;

typedef struct share {
    lethe_blocks *blocks;
    seen by_index[MAX_BLOCKS];
} share;

/* Each line is its own number. */
static void *take_blocks(void *arg)
{
    share *all = arg;
    lethe_block block = {0};
    bool more;
    while (lethe_blocks_next(all->blocks, &block, &more) == LETHE_OK && more) {
        (void)lethe_source_taken(lethe_blocks_source(all->blocks));
        seen s = {block.first_line, block.n_lines, 0};
        for (size_t i = 0; i < block.text.n;) {
            s.sum += strtoull(block.text.at + i, NULL, 10);
            i = (size_t)((const char *)memchr(block.text.at + i, '\n', block.text.n - i) -
                         block.text.at) +
                1;
        }
        if (block.index < MAX_BLOCKS) all->by_index[block.index] = s;
    }
    lethe_block_free(&block);
    return NULL;
}

static void threads_share_the_blocks(void **state)
{
    (void)state;
    lethe_buf text = {0};
    for (int i = 1; i <= N_LINES; i++) {
        char line[32];
        snprintf(line, sizeof line, "%d\n", i);
        add(&text, line);
    }
    static share all;
    all.blocks = open_text(view(&text), LETHE_CUT_LINES, 1);
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_blocks, &all), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    uint64_t line = 1;
    for (size_t i = 0; i < MAX_BLOCKS && all.by_index[i].n_lines; i++) {
        seen s = all.by_index[i];
        assert_int_equal(s.first_line, line);
        assert_int_equal(s.sum, s.n_lines * (2 * line + s.n_lines - 1) / 2);
        line += s.n_lines;
    }
    assert_int_equal(line, N_LINES + 1);
    lethe_blocks_free(all.blocks);
    lethe_buf_free(&text);
}

/* --- failures --- */

static void count_messages(void *ctx, const lethe_message *m)
{
    (void)m;
    ++*(unsigned *)ctx;
}

static void a_failure_of_the_source_stays(void **state)
{
    (void)state;
    size_t n = 3 << 20, cap = n;
    uint8_t *text = malloc(n), *packed = malloc(cap);
    uint64_t x = 5;
    for (size_t i = 0; i < n; i++)
        text[i] = i % 61 == 60 ? '\n' : (uint8_t)('a' + step(&x) % 26);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = text;
    z.avail_in = (uInt)n;
    z.next_out = packed;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    unsigned said = 0;
    lethe_diag *d = lethe_diag_new(count_messages, &said);
    lethe_source *s;
    lethe_blocks *b;
    assert_int_equal(lethe_source_memory(d, (lethe_str){(char *)packed, z.total_out - 100}, &s),
                     LETHE_OK);
    assert_int_equal(lethe_blocks_new(d, s, LETHE_CUT_LINES, '\t', 1 << 20, &b), LETHE_OK);
    lethe_block block = {0};
    bool more = true;
    lethe_err e;
    unsigned blocks = 0;
    while ((e = lethe_blocks_next(b, &block, &more)) == LETHE_OK && more)
        blocks++;
    assert_int_equal(e, LETHE_EINPUT);
    assert_int_equal(blocks, 2);
    for (int i = 0; i < 3; i++) {
        more = true;
        assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_EINPUT);
        assert_false(more);
    }
    assert_int_equal(said, 1);
    lethe_block_free(&block);
    lethe_blocks_free(b);
    lethe_diag_free(d);
    deflateEnd(&z);
    free(text);
    free(packed);
}

static void every_failed_allocation_is_a_clean_error(void **state)
{
    (void)state;
    lethe_buf text = {0};
    add(&text, "short\n");
    add_many(&text, 'x', LETHE_LINE_MAX + 5);
    add(&text, "\n");
    add_many(&text, 'y', LETHE_LINE_MAX);
    add(&text, "\nend");
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t fail_at = 1; e != LETHE_OK; fail_at++) {
        assert_true(fail_at < 100);
        lethe_source *s;
        lethe_blocks *b = NULL;
        lethe_block block = {0};
        lethe_str seen_text;
        bool more = true;
        lethe_alloc_fail_at(fail_at);
        e = lethe_source_memory(NULL, view(&text), &s);
        if (e == LETHE_OK) e = lethe_blocks_new(NULL, s, LETHE_CUT_LINES, '\t', 1, &b);
        if (e == LETHE_OK) e = lethe_blocks_peek(b, 100, &seen_text);
        while (e == LETHE_OK && more)
            e = lethe_blocks_next(b, &block, &more);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) {
            assert_int_equal(e, LETHE_ENOMEM);
            if (b) assert_int_equal(lethe_blocks_next(b, &block, &more), LETHE_ENOMEM);
        }
        lethe_block_free(&block);
        lethe_blocks_free(b);
    }
    lethe_buf_free(&text);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_texts_come_whole),
        cmocka_unit_test(a_byte_order_mark_is_skipped_once),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(the_cut_can_be_set_before_the_first_block),
        cmocka_unit_test(lines_straddle_blocks),
        cmocka_unit_test(random_lines_come_back),
        cmocka_unit_test(the_longest_line_is_exact),
        cmocka_unit_test(a_line_at_the_limit_passes_and_one_more_does_not),
        cmocka_unit_test(many_long_lines_are_all_counted),
        cmocka_unit_test(a_long_record_stands_for_all_its_lines),
        cmocka_unit_test(a_line_of_100_mb_is_never_held),
        cmocka_unit_test(threads_share_the_blocks),
        cmocka_unit_test(a_failure_of_the_source_stays),
        cmocka_unit_test(every_failed_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
