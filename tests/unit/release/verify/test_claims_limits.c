/* SPDX-License-Identifier: Apache-2.0 */
/* A claim that was not decided within the memory says nothing of the next one, nor of the next
 * release that the same context makes or verifies. */
#include "item_check_harness.h"
#include "release/release.h"

#define STRICT "{\"notion\":\"kl-privacy\",\"k\":2,\"l\":4,\"m\":1,\"n\":0,\"strict\":true}"
#define PRESENT "{\"notion\":\"kl-privacy\",\"k\":2,\"l\":1,\"m\":1,\"n\":0}"

enum { WIDE = 3000 }; /* siblings, of which one of three may be known: more than fits into 16 MB */

static ic_files wide_sets(char *data, char *nodes)
{
    char *to = data, *below = nodes + sprintf(nodes, "r\t\t%d\n", WIDE);
    for (int i = 0; i < WIDE; i++) {
        to += sprintf(to, "a%04d\na%04d\na%04d\na%04d b\n", i, i, i, i);
        below += sprintf(below, "a%04d\tr\t1\n", i);
    }
    return (ic_files){data, nodes, "b\n"};
}

static bool is_false(const lethe_json *o, const char *name)
{
    const lethe_json *v = lethe_json_get(o, name);
    return lethe_json_kind(v) == LETHE_JSON_BOOL && !lethe_json_bool(v);
}

static void the_next_claim_is_decided(void **state)
{
    (void)state;
    static char data[WIDE * 32], nodes[WIDE * 16 + 16];
    ic_files f = wide_sets(data, nodes);
    char path[64];
    int dirfd = o_folder(path);
    ic_write(dirfd, &f);
    lethe_ctx *ctx = o_ctx(2, (size_t)16 << 20);
    lethe_json_doc *read, *doc = lethe_json_doc_new();
    lethe_json *claims, *verdict = NULL;
    assert_int_equal(
        lethe_json_parse(NULL, "c", LETHE_LIT("[" STRICT "," PRESENT "]"), &read, &claims),
        LETHE_OK);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS};
    assert_int_equal(lethe_claims_check(&p, claims, NULL, doc, &verdict), LETHE_ANSWER_NO);
    const lethe_json *checks = lethe_json_get(verdict, "checks"), *first = lethe_json_at(checks, 0),
                     *second = lethe_json_at(checks, 1);
    assert_true(is_false(verdict, "decided") && is_false(verdict, "holds"));
    assert_true(is_false(first, "decided") && is_false(first, "holds"));
    assert_true(!lethe_json_get(second, "decided"));
    assert_true(lethe_json_bool(lethe_json_get(second, "holds")));
    assert_false(lethe_ctx_cancelled(ctx));
    lethe_json_doc_free(read);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    ic_unlink(dirfd);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_claim_is_decided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
