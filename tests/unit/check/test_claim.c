/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: each type of field, its bounds and what is said of it; and every notion's table. */
#include "check/check.h"
#include "check/claim.h"
#include "published_harness.h"

struct all {
    uint32_t small;
    uint64_t large;
    double share;
    bool flag, rare;
    lethe_str text, column;
    unsigned by, kinds;
    lethe_claim_columns columns;
};

static const char *const by[] = {"users", "rows"}, *const kinds[] = {"a", "b", "c"},
                         *const hash[] = {"hash"};
#define AT(member) .offset = offsetof(struct all, member)
static const lethe_claim_field fields[] = {
    {"small", LETHE_CLAIM_U32, .min = 2, .optional = true, AT(small)},
    {"large", LETHE_CLAIM_U64, .min = 1, .max = 100, .optional = true, AT(large)},
    {"share", LETHE_CLAIM_REAL, .max = 1, .optional = true, AT(share)},
    {"flag", LETHE_CLAIM_BOOL, .optional = true, AT(flag)},
    {"rare", LETHE_CLAIM_WORD, .optional = true, .choices = hash, .n_choices = 1, AT(rare)},
    {"text", LETHE_CLAIM_TEXT, .optional = true, AT(text)},
    {"by", LETHE_CLAIM_CHOICE, .choices = by, .n_choices = 2, AT(by)},
    {"kinds", LETHE_CLAIM_SUBSET, .optional = true, .choices = kinds, .n_choices = 3, AT(kinds)},
    {"column", LETHE_CLAIM_COLUMN, .optional = true, AT(column)},
    {"columns", LETHE_CLAIM_COLUMNS, .optional = true, AT(columns)},
};

static lethe_err read_claim(const char *members, heard *h, struct all *out)
{
    char text[2048];
    lethe_json_doc *doc = NULL;
    lethe_json *claim = NULL;
    lethe_ctx *ctx = heard_ctx(h, 1);
    snprintf(text, sizeof text, "{\"notion\":\"n\"%s}", members);
    assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(text), &doc, &claim), LETHE_OK);
    lethe_err e =
        lethe_claim_read(lethe_ctx_diag(ctx), claim, "n", fields, LETHE_COUNT(fields), out);
    assert_int_equal(lethe_claim_read(NULL, claim, "n", fields, LETHE_COUNT(fields), out), e);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void fields_arrive_in_their_places(void **state)
{
    (void)state;
    heard h;
    struct all x = {.large = 7, .share = 0.25};
    assert_int_equal(read_claim(",\"by\":\"rows\"", &h, &x), LETHE_OK);
    assert_true(x.by == 1 && x.large == 7 && x.share == 0.25 && !x.rare); // absent: as it was
    assert_int_equal(read_claim(",\"columns\":[\"q\",\"r\"],\"column\":\"s\",\"small\":4294967295,"
                                "\"by\":\"users\",\"large\":100,\"share\":1,\"flag\":true,"
                                "\"rare\":\"hash\",\"text\":\"\",\"kinds\":[\"a\",\"c\"]",
                                &h, &x),
                     LETHE_OK);
    assert_true(x.by == 0 && x.small == UINT32_MAX && x.large == 100 && x.share == 1 && x.flag);
    assert_true(x.rare && x.text.n == 0 && x.kinds == 5 && x.columns.n == 2 && x.column.n == 1);
}

static void refused_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *members, *says;
    } bad[] = {
        {"", "by is missing"},
        {",\"by\":\"person\"", "by must be one of users, rows"},
        {",\"by\":0", "by must be one of users, rows"},
        {",\"small\":1", "small must be a whole number from 2 to 4294967295"},
        {",\"small\":4294967296", "small must be a whole number from 2 to 4294967295"},
        {",\"small\":2.0", "small must be a whole number from 2 to 4294967295"},
        {",\"large\":101", "large must be a whole number from 1 to 100"},
        {",\"large\":null", "large must be a whole number from 1 to 100"},
        {",\"share\":1.5", "share must be a number from 0 to 1"},
        {",\"share\":-0.1", "share must be a number from 0 to 1"},
        {",\"share\":\"1\"", "share must be a number from 0 to 1"},
        {",\"flag\":1", "flag must be true or false"},
        {",\"rare\":true", "rare must be the text hash"},
        {",\"text\":[]", "text must be a text"},
        {",\"by\":\"rows\",\"kinds\":[]",
         "kinds must be a list, in this order, of some of a, b, c"},
        {",\"by\":\"rows\",\"kinds\":[\"b\",\"a\"]",
         "kinds must be a list, in this order, of some of a, b, c"},
        {",\"by\":\"rows\",\"kinds\":[\"b\",\"b\"]",
         "kinds must be a list, in this order, of some of a, b, c"},
        {",\"by\":\"rows\",\"column\":\"\"", "column must be the name of a column"},
        {",\"by\":\"rows\",\"columns\":[\"a\",\"a\"]",
         "columns must be a list of 1 to 64 different names of columns, without '=' and tabs"},
        {",\"by\":\"rows\",\"t\\n\":1",
         "n has no parameter 't\\n': it takes small, large, share, flag, rare, text, by, kinds, "
         "column, columns"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        heard h;
        struct all x = {0};
        char want[256];
        snprintf(want, sizeof want, "malformed claim: %s", bad[i].says);
        assert_int_equal(read_claim(bad[i].members, &h, &x), LETHE_EINPUT);
        assert_int_equal(h.n, 1);
        assert_string_equal(h.text, want);
    }
}

/* Every notion: a claim that it takes, less each of its fields that it needs, with each of another
 * type, of another notion, and with a field that it does not know.  The folder is empty: a claim
 * that is read ends in LETHE_EIO. */
static void every_notion_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    static const struct {
        const lethe_notion *notion;
        const char *claim, *optional; // the fields that may be absent, between spaces
    } table[] = {
        {&lethe_notion_scrubbed, "{\"kinds\":[\"ssn\"]}", ""},
        {&lethe_notion_disconnected, "{\"density\":0,\"k\":5,\"K\":2}", " k K "},
        {&lethe_notion_personas, "{\"by\":\"day\"}", ""},
        {&lethe_notion_personas, "{\"by\":\"gap\",\"gap\":3600}", ""},
        {&lethe_notion_personas,
         "{\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":5,\"results\":\"file\"}", ""},
        {&lethe_notion_personas, "{\"by\":\"query\"}", ""},
        {&lethe_notion_query_threshold, "{\"t\":5,\"by\":\"users\",\"rare\":\"hash\"}", " rare "},
        {&lethe_notion_kl_privacy,
         "{\"k\":5,\"l\":2,\"m\":1,\"n\":0,\"strict\":true,\"persons\":\"record\"}",
         " strict persons "},
        {&lethe_notion_coherence, "{\"h\":0.5,\"k\":5,\"p\":1,\"persons\":\"record\"}",
         " persons "},
        {&lethe_notion_l_plus_diversity, "{\"qi\":[\"a\"],\"sa\":\"b\",\"theta\":\"1/2\"}", ""},
        {&lethe_notion_k_anonymity, "{\"qi\":[\"a\"],\"k\":5}", ""},
        {&lethe_notion_distinct_l, "{\"qi\":[\"a\"],\"sa\":\"b\",\"l\":5}", ""},
        {&lethe_notion_record_k_anonymity, "{\"k\":5,\"persons\":\"record\"}", " persons "},
        {&lethe_notion_sealed, "{\"t\":2,\"n\":5,\"scheme\":\"shamir\",\"clicks\":true}", ""},
        {&lethe_notion_user_k_anonymity, "{\"k\":5}", ""},
    };
    char path[64];
    int dirfd = o_folder(path);
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd};
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        const lethe_notion *notion = table[i].notion;
        lethe_json_doc *doc = NULL;
        lethe_json *own = NULL, *why = NULL;
        bool holds = false;
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(table[i].claim), &doc, &own),
                         LETHE_OK);
        size_t n = lethe_json_count(own);
        for (size_t wrong = 0; wrong < 2 * n + 4; wrong++) {
            lethe_json *claim = lethe_json_object(doc);
            bool is_right = wrong == 2 * n + 3;
            if (wrong != 2 * n)
                lethe_set_text(doc, claim, "notion", wrong == 2 * n + 1 ? "other" : notion->name);
            for (size_t k = 0; k < n; k++) {
                char name[16];
                lethe_str s = lethe_json_name(own, k);
                snprintf(name, sizeof name, "%.*s", (int)s.n, s.at);
                char word[20];
                snprintf(word, sizeof word, " %s ", name);
                if (wrong == k) {
                    is_right = strstr(table[i].optional, word) != NULL;
                    continue;
                }
                lethe_json_set(doc, claim, name,
                               wrong == n + k ? lethe_json_object(doc)
                                              : lethe_json_copy(doc, lethe_json_at(own, k)));
            }
            if (wrong == 2 * n + 2) lethe_set_count(doc, claim, "other", 1);
            lethe_err e = notion->check(&p, claim, doc, &holds, &why);
            if (e != (is_right ? LETHE_EIO : LETHE_EINPUT) || holds || why)
                fail_msg("%s, case %zu: %d", table[i].claim, wrong, (int)e);
        }
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_arrive_in_their_places),
        cmocka_unit_test(refused_fields_are_named),
        cmocka_unit_test(every_notion_refuses_what_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
