/* SPDX-License-Identifier: Apache-2.0 */
/* Is the taxonomy.tsv of a release part of a given taxonomy? */
#include "published_harness.h"
#include "model/published/published_tree.h"

static const char food[] = "fruit\tfood\napple\tfruit\nbanana\tfruit\nmeat\tfood\nbeef\tmeat\n";

static void a_published_taxonomy_is_part_of_its_own(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lethe_err loose, exact;
    } table[] = {
        {"food\t\t3\napple\tfruit\t1\nfruit\tfood\t2\n", LETHE_OK, LETHE_OK},
        {"food\t\t3\n", LETHE_OK, LETHE_OK},
        // other numbers of leaves, a node left out between, a root that is not the root
        {"food\t\t4\napple\tfruit\t1\nfruit\tfood\t2\n", LETHE_OK, LETHE_EINPUT},
        {"food\t\t3\napple\tfruit\t1\nfruit\tfood\t3\n", LETHE_OK, LETHE_EINPUT},
        {"food\t\t3\napple\tfood\t1\n", LETHE_OK, LETHE_EINPUT},
        {"fruit\t\t2\napple\tfruit\t1\n", LETHE_OK, LETHE_EINPUT},
        // a name that is not there, one that is elsewhere
        {"food\t\t3\npear\tfood\t1\n", LETHE_EINPUT, LETHE_EINPUT},
        {"food\t\t3\nbeef\tfruit\t1\nfruit\tfood\t2\n", LETHE_EINPUT, LETHE_EINPUT},
        {"apple\t\t3\nfood\tapple\t3\n", LETHE_EINPUT, LETHE_EINPUT},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(food), LETHE_NAMES_ITEMS, &t), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char path[64];
        int dirfd = o_folder(path);
        o_write(dirfd, "taxonomy.tsv", table[i].text, strlen(table[i].text));
        lethe_err loose = lethe_published_tree_match(ctx, dirfd, t, false),
                  exact = lethe_published_tree_match(ctx, dirfd, t, true);
        if (loose != table[i].loose || exact != table[i].exact)
            fail_msg("%s: %s, exactly %s", table[i].text, lethe_err_name(loose),
                     lethe_err_name(exact));
        o_folder_gone(dirfd, path);
    }
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_published_taxonomy_is_part_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
