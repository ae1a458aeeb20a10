/* SPDX-License-Identifier: Apache-2.0 */
/* Random sealed logs, honest and then changed in up to three places, put before the checker of
 * `sealed`; and an oracle that looks at every pair of rows, and shares no code with it, says what
 * the answer must be: whether it holds, the first counterexample, and what can be opened. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include "check_sealed_harness.h"
#include "seeds.h"

#define CASES seeds(4000)

static const char *const texts[] = {"a", "maps", "fish and chips", "a query that is rather long",
                                    "caf\xc3\xa9"};
static const char *const times[] = {"", "2006-03-01", "2006-03-02", "2006-03-01 16",
                                    "2006-03-01 16:01:20"};
static const char *const urls[] = {"", "www.a.com", "aaaabbbbcccc2345", "http://www.a.com/x"};

static int dirfd;
static char folder[64];
static lethe_ctx *contexts[3];

static int begin(void **state)
{
    (void)state;
    dirfd = o_folder(folder);
    contexts[0] = o_ctx(1, 1 << 20);
    contexts[1] = o_ctx(2, 0);
    contexts[2] = o_ctx(7, 16 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(contexts); i++)
        lethe_ctx_free(contexts[i]);
    o_folder_gone(dirfd, folder);
    return 0;
}

/* --- a random log --- */

typedef struct trial {
    cs_file file;
    lethe_sealed_form claim;
    lethe_log_form form;
    bool has_form;
} trial;

static lethe_sealed_form form_draw(uint64_t *seed)
{
    lethe_sealed_form f = {.t = 2 + (uint32_t)o_below(seed, 3), .clicks = o_below(seed, 3) == 0};
    f.n = f.t + (uint32_t)o_below(seed, 10);
    if (o_below(seed, 3) == 0) {
        f.scheme = LETHE_SCHEME_ADDITIVE;
        f.n = f.t;
    }
    return f;
}

static void rows_draw(trial *x, uint64_t *seed, const lethe_sealer *s)
{
    size_t n = 1 + o_below(seed, 24), n_users = 1 + o_below(seed, 8);
    size_t n_texts = 1 + o_below(seed, LETHE_COUNT(texts));
    for (size_t i = 0; i < n; i++) {
        char user[] = "aaaaaaaaaaaaaaaa";
        user[o_below(seed, 2) ? 15 : 0] = (char)('b' + o_below(seed, n_users));
        cs_row *r =
            cs_add(&x->file, s, user, texts[o_below(seed, n_texts)], times[o_below(seed, 3)]);
        if (x->file.form.clicks && o_below(seed, 2)) r->rank[0] = r->url[0] = '\0';
    }
}

/* One change that leaves the form of the line whole. */
static void row_change(trial *x, uint64_t *seed)
{
    cs_row *r = &x->file.rows[o_below(seed, x->file.n)];
    const cs_row *other = &x->file.rows[o_below(seed, x->file.n)];
    char *digit = strchr(r->share, ':') + 1 + o_below(seed, 64);
    switch (o_below(seed, 9)) {
    case 0:
        *digit = "0123456789abcdef"[o_below(seed, 16)];
        break;
    case 1:
        memcpy(r->share, other->share, sizeof r->share);
        break;
    case 2:
        memcpy(r->box, other->box, sizeof r->box);
        break;
    case 3:
        r->box[o_below(seed, 20)] = "AZaz09+/"[o_below(seed, 8)];
        break;
    case 4:
        memcpy(r->user, other->user, sizeof r->user);
        break;
    case 5:
        memcpy(r->id, other->id, sizeof r->id);
        break;
    case 6:
        snprintf(r->time, sizeof r->time, "%s", times[o_below(seed, LETHE_COUNT(times))]);
        break;
    case 7:
        if (x->file.form.clicks)
            snprintf(r->url, sizeof r->url, "%s", urls[o_below(seed, LETHE_COUNT(urls))]);
        break;
    default:
        if (o_below(seed, 3) == 0) snprintf(r->user, sizeof r->user, "4417749");
    }
}

static void trial_draw(trial *x, uint64_t number)
{
    uint64_t seed = number * 1000003;
    *x = (trial){.has_form = o_below(&seed, 4) > 0};
    x->file.form = x->claim = form_draw(&seed);
    lethe_sealer *s = sealed_by(number, x->file.form, 0);
    rows_draw(x, &seed, s);
    lethe_sealer_free(s);
    for (size_t k = o_below(&seed, 4); k > 0; k--)
        row_change(x, &seed);
    if (o_below(&seed, 24) == 0) x->claim = form_draw(&seed);
    if (o_below(&seed, 32) == 0) x->claim.clicks = !x->claim.clicks;
    x->form =
        (lethe_log_form){.any_user = o_below(&seed, 4) == 0,
                         .times = (lethe_time_unit)(o_below(&seed, 8) ? 0 : o_below(&seed, 4)),
                         .urls = (lethe_url_form)(o_below(&seed, 8) ? 0 : o_below(&seed, 4))};
    cs_sort(&x->file);
}

/* --- the oracle --- */

static bool is_pseudonym(const char *s)
{
    return strlen(s) == 16 && strspn(s, "abcdefghijklmnopqrstuvwxyz234567") == 16;
}

static const char *finer_than(const lethe_log_form *f, const cs_row *r)
{
    size_t n = strlen(r->time), want = 0;
    if (f->times == LETHE_TIME_DAY) want = strlen("2006-03-01");
    if (f->times == LETHE_TIME_HOUR) want = strlen("2006-03-01 16");
    if (f->times == LETHE_TIME_EXACT) want = strlen("2006-03-01 16:01:20");
    if (!f->any_user && !is_pseudonym(r->user)) return "user is not a pseudonym";
    if (n != 0 && n != want) return "time is finer than the release says";
    bool id = is_pseudonym(r->url), host = !id && !strchr(r->url, '/'); // of those that are drawn
    bool fits = f->urls == LETHE_URL_ANY || (f->urls == LETHE_URL_HOST && host) ||
                (f->urls == LETHE_URL_ID && id);
    if (r->url[0] && !fits) return "URL is finer than the release says";
    if (r->rank[0] && f->urls == LETHE_URL_NONE)
        return "rank of a click that the release leaves out";
    return NULL;
}

/* In which order rows of one QueryID are looked at. */
static int in_group(const cs_row *a, const cs_row *b)
{
    uint8_t x[256], y[256];
    size_t n = 0, m = 0;
    int c = strcmp(a->user, b->user);
    if (c) return c;
    if (cs_index(a) != cs_index(b)) return cs_index(a) < cs_index(b) ? -1 : 1;
    if ((c = strcmp(strchr(a->share, ':'), strchr(b->share, ':'))) != 0) return c;
    sealed_must(sodium_base642bin(x, sizeof x, a->box, strlen(a->box), NULL, &n, NULL,
                                  sodium_base64_VARIANT_ORIGINAL) == 0);
    sealed_must(sodium_base642bin(y, sizeof y, b->box, strlen(b->box), NULL, &m, NULL,
                                  sodium_base64_VARIANT_ORIGINAL) == 0);
    if ((c = memcmp(x, y, LETHE_MIN(n, m))) != 0) return c;
    return a < b ? -1 : a > b;
}

typedef struct conflict {
    int kind; /* 0: none, 1: box, 2: share, 3: user */
    const cs_row *row, *other;
} conflict;

/* How row `r` conflicts with rows before it; `other` is the first of those, by in_group(), with
 * which the matter began: any of the QueryID, of the index, of the user. */
static conflict conflict_of(const cs_file *f, const cs_row *r)
{
    conflict c = {.row = r};
    const cs_row *first[4] = {NULL};
    bool is[4] = {false};
    for (size_t i = 0; i < f->n; i++) {
        const cs_row *o = &f->rows[i];
        if (o == r || strcmp(o->id, r->id) != 0 || in_group(o, r) > 0) continue;
        bool same_index = cs_index(o) == cs_index(r), same_user = strcmp(o->user, r->user) == 0;
        const bool of_it[] = {false, true, same_index, same_user};
        for (int k = 1; k < 4; k++)
            if (of_it[k] && (!first[k] || in_group(o, first[k]) < 0)) first[k] = o;
        is[1] |= strcmp(o->box, r->box) != 0;
        is[2] |= same_index && strcmp(o->share, r->share) != 0;
        is[3] |= same_user && !same_index;
    }
    for (int k = 3; k > 0; k--)
        if (is[k]) c.kind = k;
    c.other = first[c.kind];
    return c;
}

/* The first conflict of the lowest QueryID that has one. */
static conflict first_conflict(const cs_file *f)
{
    conflict best = {0};
    for (size_t i = 0; i < f->n; i++) {
        conflict c = conflict_of(f, &f->rows[i]);
        if (c.kind == 0) continue;
        int order = best.kind ? strcmp(c.row->id, best.row->id) : -1;
        if (order < 0 || (order == 0 && in_group(c.row, best.row) < 0)) best = c;
    }
    return best;
}

static void conflict_write(const cs_file *f, const conflict *c, char out[512])
{
    char index[32] = "", user[96] = "";
    static const char *const reasons[] = {"", "boxes of one QueryID differ",
                                          "shares with the same index of one QueryID differ",
                                          "a user shows two shares of one QueryID"};
    if (c->kind == 2) snprintf(index, sizeof index, "\"index\":%u,", cs_index(c->row));
    if (c->kind == 3) snprintf(user, sizeof user, "\"user\":\"%s\",", c->row->user);
    snprintf(out, 512, "{\"reason\":\"%s\",\"query_id\":\"%s\",%s%s\"line\":%d,\"other_line\":%d}",
             reasons[c->kind], c->row->id, index, user, (int)(c->row - f->rows) + 3,
             (int)(c->other - f->rows) + 3);
}

static void head_write(const lethe_sealed_form *f, const lethe_sealed_form *claim, char out[512])
{
    bool first = f->t != claim->t || f->n != claim->n || f->scheme != claim->scheme;
    snprintf(out, 512,
             "{\"reason\":\"%s\",\"line\":%d,\"published\":{\"t\":%u,\"n\":%u,\"scheme\":\"%s\","
             "\"clicks\":%s}}",
             first       ? "the first line has another t, n or scheme"
             : f->clicks ? "there are columns of clicks"
                         : "there are no columns of clicks",
             first ? 1 : 2, f->t, f->n, f->scheme == LETHE_SCHEME_SHAMIR ? "shamir" : "additive",
             f->clicks ? "true" : "false");
}

/* What breaks the promise first; empty: nothing. */
static void why_write(const trial *x, char out[512])
{
    const cs_file *f = &x->file;
    out[0] = '\0';
    if (f->form.t != x->claim.t || f->form.n != x->claim.n || f->form.scheme != x->claim.scheme ||
        f->form.clicks != x->claim.clicks) {
        head_write(&f->form, &x->claim, out);
        return;
    }
    for (size_t i = 0; x->has_form && i < f->n; i++) {
        const char *reason = finer_than(&x->form, &f->rows[i]);
        if (!reason) continue;
        snprintf(out, 512, "{\"reason\":\"%s\",\"line\":%d}", reason, (int)i + 3);
        return;
    }
    conflict c = first_conflict(f);
    if (c.kind) conflict_write(f, &c, out);
}

static bool opens(const cs_file *f, const char *id)
{
    bool seen[256] = {false};
    uint32_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->rows[i].id, id) != 0) continue;
        n += !seen[cs_index(&f->rows[i])];
        seen[cs_index(&f->rows[i])] = true;
    }
    return n >= f->form.t;
}

static void figures_agree(const trial *x, const char *text)
{
    const cs_file *f = &x->file;
    unsigned queries = 0, openable = 0, recoverable = 0, got[3];
    double share;
    for (size_t i = 0; i < f->n; i++) {
        bool first = true, can = opens(f, f->rows[i].id);
        for (size_t k = 0; k < i; k++)
            first = first && strcmp(f->rows[k].id, f->rows[i].id) != 0;
        queries += first;
        openable += first && can;
        recoverable += can;
    }
    assert_int_equal(sscanf(text,
                            "{\"rows\":%u,\"queries\":%u,\"openable\":%u,\"recoverable\":%lf}",
                            &got[0], &got[1], &got[2], &share),
                     4);
    assert_int_equal(got[0], f->n);
    assert_int_equal(got[1], queries);
    assert_int_equal(got[2], openable);
    assert_true(share == (double)recoverable / (double)f->n);
}

/* --- the trials --- */

static void the_checker_agrees_with_the_oracle(void **state)
{
    (void)state;
    static trial x;
    unsigned kept = 0, by_kind[8] = {0};
    lethe_buf text = {0};
    for (uint64_t number = 0; number < CASES; number++) {
        char claim[128], why[512];
        trial_draw(&x, number);
        cs_text(&x.file, &text);
        o_write(dirfd, "data.tsv", (const char *)text.at, text.n);
        cs_claim(x.claim, claim);
        why_write(&x, why);
        size_t context = number % 3, last = number % 8 ? context + 1 : 3;
        for (size_t i = number % 8 ? context : 0; i < last; i++) { // all of them, now and then
            cs_answer a = cs_check(contexts[i], dirfd, claim, x.has_form ? &x.form : NULL);
            bool same = a.err == LETHE_OK && a.holds == !why[0] && strcmp(a.why, why) == 0;
            if (!same) {
                print_error("seed %llu, context %zu: error %d, holds %d\n%s\nand not\n%s\n",
                            (unsigned long long)number, i, (int)a.err, a.holds, a.why, why);
                fail();
            }
            if (strstr(why, "published"))
                assert_string_equal(a.figures, "");
            else
                figures_agree(&x, a.figures);
        }
        kept += !why[0];
        by_kind[0] += strstr(why, "first line") != NULL;
        by_kind[1] += strstr(why, "columns of") != NULL;
        by_kind[2] += strstr(why, "pseudonym") != NULL;
        by_kind[3] += strstr(why, "time") != NULL;
        by_kind[4] += strstr(why, "URL") != NULL || strstr(why, "rank") != NULL;
        by_kind[5] += strstr(why, "boxes") != NULL;
        by_kind[6] += strstr(why, "same index") != NULL;
        by_kind[7] += strstr(why, "a user shows") != NULL;
    }
    lethe_buf_free(&text);
    assert_true(kept > CASES / 5); // and of every kind there were some
    for (size_t i = 0; i < LETHE_COUNT(by_kind); i++)
        assert_true(by_kind[i] > CASES / 400);
}

/* Splits the rows of the file anew; false: they are not as many columns, or not in order. */
static bool rows_split(cs_file *f, char *text)
{
    char line[640], before[640] = "";
    f->n = 0;
    for (char *rest = strchr(strchr(text, '\n') + 1, '\n') + 1, *lf; *rest; rest = lf + 1) {
        cs_row *r = &f->rows[f->n++];
        char *const columns[] = {r->user, r->id, r->share, r->box, r->time, r->rank, r->url};
        const size_t caps[] = {64, 40, 80, 256, 24, 8, 64};
        if (!(lf = strchr(rest, '\n'))) return false;
        *lf = '\0';
        *r = (cs_row){0};
        for (int i = 0, n = f->form.clicks ? 7 : 5; i < n; i++) {
            size_t k = strcspn(rest, "\t");
            if (k >= caps[i] || (rest[k] == '\t') != (i + 1 < n)) return false;
            cs_copy(columns[i], caps[i], (lethe_str){rest, k});
            rest += k + (rest[k] == '\t');
        }
        cs_line(f, r, line);
        if (strcmp(before, line) > 0) return false;
        memcpy(before, line, sizeof line);
    }
    return true;
}

/* Whatever byte of an honest file is changed: the data is malformed, or the answer is what the
 * oracle says of the rows that stand there now.  The first two lines bear no change. */
static void a_changed_byte_is_never_overlooked(void **state)
{
    (void)state;
    static trial x;
    unsigned kept = 0, broken = 0, malformed = 0;
    lethe_buf text = {0};
    for (uint64_t number = 0; number < CASES / 2; number++) {
        char claim[128], why[512], head[LETHE_SEALED_HEAD_MAX];
        uint64_t seed = number * 77003 + 1;
        x = (trial){.file.form = form_draw(&seed)};
        x.claim = x.file.form;
        lethe_sealer *s = sealed_by(number, x.file.form, 0);
        rows_draw(&x, &seed, s);
        lethe_sealer_free(s);
        cs_sort(&x.file);
        cs_text(&x.file, &text);
        sealed_put(&text, (lethe_str){"", 1}); // ended, for strchr
        size_t at = o_below(&seed, text.n - 1), bits = o_below(&seed, 3) ? 8 : 256;
        text.at[at] = (uint8_t)(text.at[at] ^ (1 + o_below(&seed, bits - 1)));
        o_write(dirfd, "data.tsv", (const char *)text.at, text.n - 1);
        cs_claim(x.claim, claim);
        cs_answer a = cs_check(contexts[number % 3], dirfd, claim, NULL);
        bool in_head = at < lethe_sealed_head(&x.file.form, head), whole = false;
        if (a.err == LETHE_OK && !in_head) {
            whole = rows_split(&x.file, (char *)text.at);
            why_write(&x, why);
        }
        bool right = in_head ? a.err == LETHE_EINPUT || (a.err == LETHE_OK && !a.holds)
                             : a.err == LETHE_EINPUT ||
                                   (whole && a.holds == !why[0] && strcmp(a.why, why) == 0);
        if (!right) {
            print_error("seed %llu, byte %zu: error %d, holds %d\n%s\n", (unsigned long long)number,
                        at, (int)a.err, a.holds, a.why);
            fail();
        }
        kept += a.holds;
        broken += a.err == LETHE_OK && !a.holds;
        malformed += a.err == LETHE_EINPUT;
    }
    lethe_buf_free(&text);
    assert_true(kept > CASES / 50 && broken > CASES / 50 && malformed > CASES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_agrees_with_the_oracle),
        cmocka_unit_test(a_changed_byte_is_never_overlooked),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
