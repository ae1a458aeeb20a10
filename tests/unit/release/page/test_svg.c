/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h: ticks, numbers, and plots that are well-formed and say what they show. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "release/page/svg.h"
#include "well_formed.h"

static const lethe_plot plot = {.id = "plot1", .title = "A <title>", .desc = "What it \"shows\""};

static lethe_buf out;
static lethe_html h;

static void begin(void)
{
    out.n = 0;
    lethe_html_init(&h, &out);
}

/* The drawing: well-formed, an image with a name, every coordinate within it. */
static const char *drawn(void)
{
    assert_int_equal(lethe_html_finish(&h), LETHE_OK);
    assert_int_equal(lethe_buf_put(&out, "", 1), LETHE_OK);
    const char *text = (const char *)out.at;
    assert_string_equal(well_formed(text), "");
    assert_non_null(strstr(text, "role=\"img\""));
    assert_non_null(strstr(text, "aria-labelledby=\"plot1-title plot1-desc\""));
    assert_non_null(strstr(text, "<title id=\"plot1-title\">A &lt;title&gt;</title>"));
    assert_non_null(strstr(text, "<desc id=\"plot1-desc\">What it &quot;shows&quot;</desc>"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static int times(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static int end(void **state)
{
    (void)state;
    lethe_buf_free(&out);
    return 0;
}

static void numbers_read_well(void **state)
{
    static const struct {
        double x;
        lethe_unit unit;
        const char *want;
    } cases[] = {
        {0, LETHE_UNIT_COUNT, "0"},
        {999, LETHE_UNIT_COUNT, "999"},
        {1000, LETHE_UNIT_COUNT, "1,000"},
        {1234567, LETHE_UNIT_COUNT, "1,234,567"},
        {-1234, LETHE_UNIT_COUNT, "-1,234"},
        {-123, LETHE_UNIT_COUNT, "-123"},
        {0.25, LETHE_UNIT_COUNT, "0.25"},
        {1234.5, LETHE_UNIT_COUNT, "1234"}, // four digits, to the even one
        {80246.139, LETHE_UNIT_COUNT, "80,246"},
        {3.2e25, LETHE_UNIT_COUNT, "about 10^25"},
        {-3.2e25, LETHE_UNIT_COUNT, "about -10^25"},
        {1.797e308, LETHE_UNIT_COUNT, "more than 10^300"},
        {-1.797e308, LETHE_UNIT_COUNT, "less than -10^300"},
        {NAN, LETHE_UNIT_COUNT, "not known"},
        {INFINITY, LETHE_UNIT_SHARE, "not known"},
        {0, LETHE_UNIT_SHARE, "0 %"},
        {-0.0, LETHE_UNIT_SHARE, "0 %"},
        {1, LETHE_UNIT_SHARE, "100 %"},
        {0.6000000000000001, LETHE_UNIT_SHARE, "60 %"},
        {0.123, LETHE_UNIT_SHARE, "12.3 %"},
        {0.0009, LETHE_UNIT_SHARE, "below 0.1 %"},
        {1e-9, LETHE_UNIT_SHARE, "below 0.1 %"},
        {0.9999, LETHE_UNIT_SHARE, "above 99.9 %"},
        {0.001, LETHE_UNIT_SHARE, "0.1 %"},
        {1.5, LETHE_UNIT_SHARE, "150 %"},
    };
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char shown[40];
        assert_string_equal(lethe_number_show(shown, cases[i].x, cases[i].unit), cases[i].want);
    }
}

static void ticks_are_round(void **state)
{
    double t[LETHE_TICKS_MAX];
    (void)state;
    assert_int_equal(lethe_ticks_linear(0, 1, 5, t), 6);
    assert_true(fabs(t[0] - 0) < 1e-6);
    assert_false(signbit(t[0]));
    assert_true(fabs(t[1] - 0.2) < 1e-6);
    assert_true(fabs(t[5] - 1) < 1e-6);
    assert_int_equal(lethe_ticks_linear(0, 35940, 4, t), 4);
    assert_true(fabs(t[1] - 10000) < 1e-6);
    assert_int_equal(lethe_ticks_log(1, 100, 12, t), 7);
    assert_true(fabs(t[2] - 5) < 1e-6);
    assert_int_equal(lethe_ticks_log(1, 1e9, 5, t), 5); // every second power of ten
    assert_true(fabs(t[1] - 100) < 1e-6);
}

/* Of any range: rising, inside, neither one alone nor too many. */
static void ticks_of_any_range(void **state)
{
    uint32_t seed = 3;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double t[LETHE_TICKS_MAX], width;
        seed = seed * 1664525 + 1013904223;
        width = pow(10, (double)(seed >> 16) / 4096 - 8) * (1 + (double)(seed & 0xff) / 50);
        double min = i % 3 == 0 ? 0 : (i % 3 == 1 ? width * 0.37 : -width * 2.1);
        size_t n = lethe_ticks_linear(min, min + width, 5, t);
        assert_in_range(n, 2, 8);
        for (size_t j = 0; j < n; j++) {
            assert_true(t[j] >= min - width * 1e-6 && t[j] <= min + width * (1 + 1e-6));
            if (j > 0) assert_true(t[j] > t[j - 1]);
        }
        n = lethe_ticks_log(width, width * 1e6, 9, t);
        assert_in_range(n, 1, 9);
    }
}

static void bars_are_all_there(void **state)
{
    static const lethe_bar bars[] = {{.group = "one & two", .label = "a", .value = 0},
                                     {.label = "b", .value = 1e-9, .series = 1},
                                     {.label = "c", .value = 123456789, .series = 9},
                                     {.label = "d", .value = NAN}};
    (void)state;
    begin();
    lethe_svg_bars(&h, &plot, bars, 4, LETHE_UNIT_COUNT);
    const char *text = drawn();
    assert_int_equal(times(text, "<rect"), 4);
    assert_non_null(strstr(text, "one &amp; two"));
    assert_non_null(strstr(text, "123,456,789"));
    assert_non_null(strstr(text, "not known"));
    assert_non_null(strstr(text, "width=\"0.0\""));
    assert_non_null(strstr(text, "width=\"1.0\"")); // little, but seen
    assert_non_null(strstr(text, "bar s3"));        // of six colours
    begin();
    lethe_svg_bars(&h, &plot, bars, 0, LETHE_UNIT_SHARE);
    assert_int_equal(times(drawn(), "<rect"), 0);
}

static void lines_join_their_points(void **state)
{
    static const double x[] = {1, 10, 100}, y[] = {1, 0.5, 0}, one[] = {1};
    const lethe_series series[] = {{"first", x, y, 3}, {"second <", x, y, 3}, {"dot", one, one, 1}};
    lethe_axis across = {.label = "x", .min = 1, .max = 100, .log = true},
               up = {.label = "y", .min = 0, .max = 1, .unit = LETHE_UNIT_SHARE};
    (void)state;
    begin();
    lethe_svg_lines(&h, &plot, &across, &up, series, 3);
    const char *text = drawn();
    assert_int_equal(times(text, "<polyline"), 2); // a point alone is no line
    assert_int_equal(times(text, "<circle"), 3 + 1);
    assert_non_null(strstr(text, "second &lt;"));
    assert_non_null(strstr(text, "50 %") ? text : strstr(text, "40 %"));
    // one alone needs no legend
    begin();
    lethe_svg_lines(&h, &plot, &across, &up, series, 1);
    assert_null(strstr(drawn(), "first"));
}

/* What text elements of the class `name` cover, by the width of letters that the drawing assumes.
 */
typedef struct named_box {
    double x0, x1, y;
} named_box;

static size_t names_read(const char *text, named_box *boxes)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, "<text ")); at++) {
        const char *end = strchr(at, '>'), *close = strstr(at, "</text>"),
                   *name = strstr(at, "class=\"name");
        if (!name || name > end) continue;
        double x, y, wide = 6.3 * (double)(close - end - 1);
        assert_int_equal(sscanf(at, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
        const char *anchor = strstr(at, "text-anchor=\"");
        bool is_end = anchor && anchor < end && strncmp(anchor + 13, "end", 3) == 0,
             middle = anchor && anchor < end && strncmp(anchor + 13, "mid", 3) == 0;
        double x0 = is_end ? x - wide : middle ? x - wide / 2 : x;
        boxes[n++] = (named_box){x0, x0 + wide, y};
    }
    return n;
}

/* Every point has its mark; labels do not overlap, however crowded; the best are joined. */
static void labels_do_not_overlap(void **state)
{
    enum { N = 60 };
    static lethe_point points[N];
    static char label[N][24];
    named_box at[N];
    uint32_t seed = 5;
    lethe_scatter s = {
        .x = {.label = "useful", .min = 0, .max = 1, .unit = LETHE_UNIT_SHARE},
        .y = {.label = "risk", .min = 0.001, .max = 1, .unit = LETHE_UNIT_SHARE, .log = true},
        .width = 940,
        .height = 500,
        .bound = 0.09,
        .bound_label = "up to 9 %"};
    (void)state;
    for (int round = 0; round < 50; round++) {
        for (unsigned i = 0; i < N; i++) {
            seed = seed * 1664525 + 1013904223;
            snprintf(label[i], sizeof label[i], "method k=%u", i);
            points[i] =
                (lethe_point){.x = (seed >> 16) % 100 / 100.0,
                              .y = i % 7 ? (seed >> 8) % 100 / 100.0 : 0, // drawn at the edge
                              .label = label[i],
                              .series = i % 8,
                              .best = i % 10 == 1,
                              .hollow = i % 5 == 0};
        }
        begin();
        lethe_svg_points(&h, &plot, &s, points, N);
        const char *text = drawn();
        assert_int_equal(times(text, "class=\"mark"), N);
        assert_int_equal(times(text, "hollow"), N / 5);
        assert_int_equal(times(text, "<polyline"), 1);
        assert_int_equal(times(text, "class=\"over\""), 1);
        size_t n = names_read(text, at);
        assert_true(n > 20);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                assert_false(at[i].x0 + 0.2 < at[j].x1 && at[j].x0 + 0.2 < at[i].x1 &&
                             at[i].y + 0.2 < at[j].y + 13 && at[j].y + 0.2 < at[i].y + 13);
    }
    // alone, a point has its name; those on each other have one
    begin();
    lethe_svg_points(&h, &plot, &s, points, 1);
    assert_int_equal(times(drawn(), ">method k=0<"), 1);
    points[1] = points[2] = points[0];
    points[0].best = true;
    begin();
    lethe_svg_points(&h, &plot, &s, points, 3);
    const char *text = drawn();
    assert_int_equal(times(text, "method k="), 1);
    assert_int_equal(times(text, ">method k=0 +2<"), 1);
    // without room for more, the best alone; without a bound nothing is grey
    s.best_only = true;
    s.width = 360;
    s.bound = 0;
    points[1].y = 0.9;
    begin();
    lethe_svg_points(&h, &plot, &s, points, 2);
    text = drawn();
    assert_int_equal(times(text, "method k="), 1);
    assert_int_equal(times(text, "dim"), 0);
    begin();
    lethe_svg_points(&h, &plot, &s, points, 0);
    drawn();
}

static void lack_of_memory_is_remembered(void **state)
{
    static const lethe_point points[] = {{.x = 0.1, .y = 0.1, .label = "a", .best = true},
                                         {.x = 0.2, .y = 0.1, .label = "b"}};
    lethe_axis share = {.label = "share", .min = 0, .max = 1, .unit = LETHE_UNIT_SHARE};
    lethe_scatter s = {.x = share, .y = share, .width = 360, .height = 300};
    lethe_err e = LETHE_ENOMEM;
    (void)state;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_buf fresh = {0};
        lethe_html_init(&h, &fresh);
        lethe_alloc_fail_at(n);
        lethe_svg_points(&h, &plot, &s, points, 2);
        lethe_alloc_fail_at(0);
        e = lethe_html_finish(&h);
        assert_true(e == LETHE_ENOMEM || (e == LETHE_OK && n > 10));
        lethe_buf_free(&fresh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(ticks_of_any_range),
        cmocka_unit_test(bars_are_all_there),
        cmocka_unit_test(lines_join_their_points),
        cmocka_unit_test(labels_do_not_overlap),
        cmocka_unit_test(lack_of_memory_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
