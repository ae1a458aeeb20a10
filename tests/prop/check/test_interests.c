/* SPDX-License-Identifier: Apache-2.0 */
/* What finds similar texts and what checks it, against all pairs: texts of any length that are just
 * near enough, or just not, in alphabets that are hard to tell apart. */
#include "split_harness.h"
#include "seeds.h"
#include "method/log/similar.h"
#include "check/interests.h"

#define MOST 24
#define N_PERSONAS seeds(1000)

static const char *const edits[] = {"0.2", "0.2", "0", "0.1", "0.25", "0.34", "0.5", "1"};
static const char *const overlaps[] = {"0.5", "0.5", "0", "0.3", "0.75", "1"};

static uint64_t millionths(const char *s) { return (uint64_t)(atof(s) * 1e6 + 0.5); }

typedef struct persona {
    size_t n;
    char text[MOST][800];
    int64_t time[MOST]; /* not falling */
} persona;

/* --- texts: symbols of one alphabet, and edits of an earlier text --- */

typedef struct symbols {
    size_t n;
    const char *at[200];
} symbols;

static const char *symbol(uint64_t *seed, int alphabet)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", " "};
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+"};
    static const char *const wide[] = {"\xe6\x97\xa5",     "\xe6\x9c\xac",     "\xe6\x9d\xb1",
                                       "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81", "\xc3\xa9"};
    if (alphabet == 0) return letters[o_below(seed, LETHE_COUNT(letters))];
    if (alphabet == 1) return digits[o_below(seed, LETHE_COUNT(digits))];
    return wide[o_below(seed, LETHE_COUNT(wide))];
}

static void edit(symbols *s, uint64_t *seed, int alphabet)
{
    size_t at = o_below(seed, s->n + 1), kind = o_below(seed, 3), n_after = s->n - at;
    if (kind == 0 && s->n < 190) {
        memmove(s->at + at + 1, s->at + at, n_after * sizeof *s->at);
        s->n++;
        s->at[at] = symbol(seed, alphabet);
    } else if (kind == 1 && n_after > 0 && s->n > 1) {
        memmove(s->at + at, s->at + at + 1, (n_after - 1) * sizeof *s->at);
        s->n--;
    } else if (n_after > 0) {
        s->at[at] = symbol(seed, alphabet);
    }
}

static void write_text(const symbols *s, char *out)
{
    *out = '\0';
    for (size_t i = 0; i < s->n; i++)
        out = stpcpy(out, s->at[i]);
}

/* A text, or as many edits of an earlier one as may be, one less or one more. */
static void random_persona(persona *p, uint64_t *seed, uint64_t share)
{
    static const size_t lengths[] = {1, 3, 5, 8, 10, 16, 40, 63, 64, 65, 100, 130, 180};
    symbols all[MOST];
    int alphabet = (int)o_below(seed, 3);
    size_t length = lengths[o_below(seed, LETHE_COUNT(lengths))];
    p->n = 1 + o_below(seed, MOST);
    for (size_t i = 0; i < p->n; i++) {
        symbols *s = &all[i];
        s->n = 0;
        if (i > 0 && o_below(seed, 3)) *s = all[o_below(seed, i)];
        size_t n_edits = (size_t)(share * s->n / 1000000) + o_below(seed, 3);
        if (s->n == 0)
            while (s->n < length)
                s->at[s->n++] = symbol(seed, alphabet);
        else
            for (; n_edits > 1; n_edits--)
                edit(s, seed, alphabet);
        write_text(s, p->text[i]);
        p->time[i] = i == 0 ? 0 : p->time[i - 1] + (o_below(seed, 3) == 0);
    }
}

/* --- all pairs --- */

static size_t first_of(const persona *p, size_t i)
{
    size_t j = 0;
    while (strcmp(p->text[j], p->text[i]) != 0)
        j++;
    return j;
}

static void searched_like_all_pairs(uint64_t s, const persona *p, sim how, double e, double o)
{
    lethe_similar *x = lethe_similar_new(e, o);
    uint32_t number[MOST], n_texts = 0;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t index, first, want = LETHE_NONE;
        size_t same = first_of(p, i);
        number[i] = same < i ? number[same] : n_texts++;
        for (size_t j = 0; j < i && want == LETHE_NONE; j++)
            if (s_similar(p->text[i], p->text[j], how)) want = number[j];
        if (same < i) want = number[same]; /* a text that was there is its own */
        assert_int_equal(lethe_similar_add(x, lethe_str_of(p->text[i]), NULL, 0, &index, &first),
                         LETHE_OK);
        if (first != want || index != number[i])
            fail_msg("seed %zu: text %zu '%s' is like %u, not %u", (size_t)s, i, p->text[i], first,
                     want);
    }
    lethe_similar_free(x);
}

/* Texts of one time join whatever is alike; each heap of them that touches no earlier text is
 * loose. */
static uint64_t loose_of(const persona *p, sim how)
{
    uint64_t loose = 0;
    size_t heap[MOST];
    for (size_t from = 0, to; from < p->n; from = to) {
        for (to = from; to < p->n && p->time[to] == p->time[from]; to++)
            heap[to] = to;
        for (size_t round = from; round < to; round++) /* until nothing moves any more */
            for (size_t i = from; i < to; i++)
                for (size_t j = from; j < to; j++)
                    if (heap[j] > heap[i] && s_similar(p->text[i], p->text[j], how))
                        heap[j] = heap[i];
        for (size_t h = from; h < to; h++) {
            bool any = false, touches = false;
            for (size_t i = from; i < to; i++) {
                any = any || heap[i] == h;
                for (size_t j = 0; j < from && heap[i] == h; j++)
                    touches = touches || s_similar(p->text[i], p->text[j], how);
            }
            loose += any && !touches;
        }
    }
    return loose - 1; /* the persona's first */
}

static uint64_t checked(const persona *p, double e, double o)
{
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_interests *x = lethe_interests_new(&(lethe_likeness){.edit = e, .overlap = o, .top = 50});
    uint64_t loose = 0;
    lethe_str first;
    for (size_t i = 0; i < p->n; i++)
        assert_int_equal(lethe_interests_add(x, lethe_str_of(p->text[i]), p->time[i], NULL, 0),
                         LETHE_OK);
    assert_int_equal(lethe_interests_loose(x, ctx, true, &loose, &first), LETHE_OK);
    lethe_interests_free(x);
    lethe_ctx_free(ctx);
    return loose;
}

static void search_and_check_are_those_of_all_pairs(void **state)
{
    (void)state;
    static persona p;
    size_t joined = 0, apart = 0;
    for (uint64_t s = 1; s <= N_PERSONAS; s++) {
        uint64_t seed = s;
        const char *e = edits[o_below(&seed, LETHE_COUNT(edits))];
        const char *o = overlaps[o_below(&seed, LETHE_COUNT(overlaps))];
        sim how = {millionths(e), millionths(o)};
        random_persona(&p, &seed, how.edit);
        searched_like_all_pairs(s, &p, how, atof(e), atof(o));
        uint64_t want = loose_of(&p, how), got = checked(&p, atof(e), atof(o));
        if (want != got)
            fail_msg("seed %zu: %zu of %zu are loose, not %zu", (size_t)s, (size_t)got, p.n,
                     (size_t)want);
        apart += want;
        joined += p.n - 1 - want;
    }
    assert_true(joined > N_PERSONAS && apart > N_PERSONAS); /* else nothing was tested */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_and_check_are_those_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
