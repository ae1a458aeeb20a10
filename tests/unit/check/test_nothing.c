/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that hold of any data: each notion names its own, and no other claim. */
#include "check/check.h"
#include "check/claim.h"
#include "published_harness.h"

static const char *nothing_of(const char *members, lethe_json_doc **doc)
{
    char text[1024];
    lethe_json *claim = NULL;
    snprintf(text, sizeof text, "{%s}", members);
    assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(text), doc, &claim), LETHE_OK);
    return lethe_claim_nothing(claim);
}

static const struct {
    const char *claim, *nothing; /* NULL: it promises something; else a part of the sentence */
} cases[] = {
#define N(notion) "\"notion\":\"" notion "\","
    {N("query-threshold") "\"t\":1,\"by\":\"users\"", "promises nothing: every text has at least"},
    {N("query-threshold") "\"t\":1,\"by\":\"queries\"", "issued at least once"},
    {N("query-threshold") "\"t\":1,\"by\":\"rows\",\"rare\":\"hash\"", "at least one row"},
    {N("query-threshold") "\"t\":2,\"by\":\"users\"", NULL},
    {N("query-threshold") "\"t\":1000,\"by\":\"rows\"", NULL},
    {N("query-threshold") "\"t\":1,\"by\":\"days\"", NULL}, // malformed: the check refuses it
    {N("query-threshold") "\"by\":\"users\"", NULL},
    {N("query-threshold") "\"t\":\"1\",\"by\":\"users\"", NULL},
    {N("value-threshold") "\"columns\":[\"a\"],\"t\":1", "promises nothing: every value has at"},
    {N("value-threshold") "\"columns\":[\"a\"],\"t\":2", NULL},
    {N("value-threshold") "\"columns\":[\"a\"],\"t\":\"1\"", NULL}, // malformed
    {N("sealed") "\"t\":1,\"n\":10,\"scheme\":\"shamir\",\"clicks\":false", "promises nothing"},
    {N("sealed") "\"t\":2,\"n\":10,\"scheme\":\"shamir\",\"clicks\":true", NULL},
    {N("record-k-anonymity") "\"k\":1", "promises nothing"},
    {N("record-k-anonymity") "\"k\":1,\"persons\":\"record\"", "promises nothing"},
    {N("record-k-anonymity") "\"k\":2", NULL},
    {N("user-k-anonymity") "\"k\":1", "promises nothing"},
    {N("user-k-anonymity") "\"k\":2", NULL},
    {N("k-anonymity") "\"qi\":[\"a\"],\"k\":1", "promises nothing"},
    {N("k-anonymity") "\"qi\":[\"a\"],\"k\":2", NULL},
    {N("distinct-l") "\"qi\":[\"a\"],\"sa\":\"s\",\"l\":1", "promises nothing"},
    {N("distinct-l") "\"qi\":[\"a\"],\"sa\":\"s\",\"l\":2", NULL},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":\"1\"", "promises nothing"},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":\"7/7\"", "promises nothing"},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":\"1.0\"", "promises nothing"},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":\"0.999999999\"", NULL},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":\"listed\"", NULL},
    {N("l-plus-diversity") "\"qi\":[\"a\"],\"sa\":\"s\",\"theta\":1", NULL},
#define QS "\"qi\":[\"a\"],\"sa\":\"s\","
    {N("entropy-l") QS "\"l\":\"1\"", "promises nothing"},
    {N("entropy-l") QS "\"l\":\"1/1\"", "promises nothing"},
    {N("entropy-l") QS "\"l\":\"1.000000001\"", NULL},
    {N("entropy-l") QS "\"l\":1", NULL}, // malformed: the check refuses it
    {N("recursive-cl") QS "\"c\":\"1.1\",\"l\":1", "promises nothing"},
    {N("recursive-cl") QS "\"c\":\"1/1\",\"l\":1", NULL}, // two values at least
    {N("recursive-cl") QS "\"c\":\"1000000\",\"l\":2", NULL},
    {N("t-closeness") QS "\"t\":\"1/1\",\"distance\":\"equal\"", "promises nothing"},
    {N("t-closeness") QS "\"t\":\"1\",\"distance\":\"ordered\"", "promises nothing"},
    {N("t-closeness") QS "\"t\":\"0.999999999\",\"distance\":\"hierarchical\"", NULL},
    {N("k-map") "\"qi\":[\"a\"],\"k\":1,\"population\":\"00\"", "promises nothing"},
    {N("k-map") "\"qi\":[\"a\"],\"k\":2,\"population\":\"00\"", NULL},
    {N("kl-privacy") "\"k\":1,\"m\":2,\"n\":0,\"l\":1.0", "promises nothing"},
    {N("kl-privacy") "\"k\":1,\"m\":2,\"n\":3,\"l\":1,\"strict\":true", "promises nothing"},
    {N("kl-privacy") "\"k\":1,\"m\":2,\"n\":0,\"l\":2.0", NULL}, // of sensitive items
    {N("kl-privacy") "\"k\":2,\"m\":2,\"n\":0,\"l\":1.0", NULL}, // of persons
    {N("coherence") "\"h\":1.0,\"k\":1,\"p\":2", "promises nothing"},
    {N("coherence") "\"h\":0.5,\"k\":1,\"p\":2", NULL},
    {N("coherence") "\"h\":1,\"k\":2,\"p\":2", NULL},
    {N("personas") "\"by\":\"gap\",\"gap\":31536000", "promises next to nothing"},
    {N("personas") "\"by\":\"gap\",\"gap\":3200000000", "promises next to nothing"},
    {N("personas") "\"by\":\"gap\",\"gap\":31535999", NULL},
    {N("personas") "\"by\":\"gap\",\"gap\":3600", NULL},
    {N("personas") "\"by\":\"day\"", NULL},
    {N("personas") "\"by\":\"query\"", NULL},
    {N("personas") "\"by\":\"interest\",\"edit\":1.0,\"overlap\":0.5,\"top\":50", "edit = 1"},
    {N("personas") "\"by\":\"interest\",\"edit\":0.9999999,\"overlap\":0.5,\"top\":50", "edit = 1"},
    {N("personas") "\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.0,\"top\":50", "overlap = 0"},
    {N("personas") "\"by\":\"interest\",\"edit\":0.2,\"overlap\":1e-7,\"top\":50", "overlap = 0"},
    {N("personas") "\"by\":\"interest\",\"edit\":0.2,\"overlap\":1e-6,\"top\":50", NULL},
    {N("personas") "\"by\":\"interest\",\"edit\":0.2,\"overlap\":0.5,\"top\":50", NULL},
    {N("disconnected") "\"density\":1.0", "promises nothing"},
    {N("disconnected") "\"density\":1,\"k\":1,\"K\":1", "promises nothing"},
    {N("disconnected") "\"density\":1,\"k\":10", "promises next to nothing"},
    {N("disconnected") "\"density\":1,\"K\":2", "promises next to nothing"},
    {N("disconnected") "\"density\":1,\"m\":5",
     "next to nothing: any two queries may share a clicked "
     "URL, and what they share names it"},
    {N("disconnected") "\"density\":0.5", "promises next to nothing"},
    {N("disconnected") "\"density\":0.49", NULL},
    {N("disconnected") "\"density\":0", NULL},
    {N("scrubbed") "\"kinds\":[\"ssn\"]", "of social security numbers alone"},
    {N("scrubbed") "\"kinds\":[\"card\"]", "of card numbers alone"},
    {N("scrubbed") "\"kinds\":[\"phone\"]", "of phone numbers alone"},
    {N("scrubbed") "\"kinds\":[\"email\"]", "of e-mail addresses alone"},
    {N("scrubbed") "\"kinds\":[\"ip\"]", "of IP addresses alone"},
    {N("scrubbed") "\"kinds\":[\"number\"]", "of long numbers alone"},
    {N("scrubbed") "\"kinds\":[\"address\"]", "of street addresses alone"},
    {N("scrubbed") "\"kinds\":[\"url\"]", "of URLs with a path alone"},
    {N("scrubbed") "\"kinds\":[\"iban\"]", "of bank account numbers alone"},
    {N("scrubbed") "\"kinds\":[\"id\"]", "of national identifiers alone"},
    {N("scrubbed") "\"kinds\":[\"birth\"]", "of dates of birth alone"},
    {N("scrubbed") "\"kinds\":[\"plate\"]", "of number plates alone"},
    {N("scrubbed") "\"kinds\":[\"person\"]", "of persons alone"},
    {N("counted-threshold") "\"t\":1,\"by\":\"users\"", "at least one user"},
    {N("counted-threshold") "\"t\":1,\"by\":\"queries\"", "issued at least once"},
    {N("counted-threshold") "\"t\":1,\"by\":\"rows\"", "in at least one row"},
    {N("counted-threshold") "\"t\":2,\"by\":\"users\"", NULL},
    {N("counted-threshold") "\"t\":1,\"by\":\"magic\"", NULL},
    {N("scrubbed") "\"kinds\":[\"place\"]", "of places alone"},
    {N("scrubbed") "\"kinds\":[\"person\",\"place\"]", NULL},
    {N("scrubbed") "\"kinds\":[\"ssn\",\"card\"]", NULL},
    {N("scrubbed") "\"kinds\":[]", NULL}, // malformed
    {N("scrubbed") "\"kinds\":[\"list\"]", NULL},
    {N("magic") "\"k\":1", NULL},
    {"\"k\":1", NULL},
#undef N
};

static void each_claim_by_its_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_json_doc *doc = NULL;
        const char *said = nothing_of(cases[i].claim, &doc);
        if (!cases[i].nothing ? said != NULL : !said || !strstr(said, cases[i].nothing))
            fail_msg("%s: %s", cases[i].claim, said ? said : "nothing said");
        lethe_json_doc_free(doc);
    }
}

/* "NOTION ... promises [next to ]nothing: WHY.": the program and the page cut it there. */
static void sentences_have_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_json_doc *doc = NULL;
        const char *said = nothing_of(cases[i].claim, &doc);
        if (said) {
            const char *first = strstr(said, " promises "), *colon = strstr(said, ": ");
            bool form = first && colon && colon > first && said[strlen(said) - 1] == '.' &&
                        (strncmp(first, " promises nothing: ", 19) == 0 ||
                         strncmp(first, " promises next to nothing: ", 27) == 0);
            if (!form) fail_msg("%s", said);
        }
        lethe_json_doc_free(doc);
    }
}

static void every_notion_has_such_a_claim(void **state)
{
    (void)state;
    for (const lethe_notion *const *n = lethe_notions(); *n; n++) {
        char named[64];
        bool found = false;
        snprintf(named, sizeof named, "\"notion\":\"%s\",", (*n)->name);
        for (size_t i = 0; i < LETHE_COUNT(cases); i++)
            found =
                found || (cases[i].nothing && strncmp(cases[i].claim, named, strlen(named)) == 0);
        if (!found) fail_msg("%s: no parameters make it trivial?", (*n)->name);
    }
}

static void no_claim_at_all(void **state)
{
    (void)state;
    assert_null(lethe_claim_nothing(NULL));
    for (const lethe_notion *const *n = lethe_notions(); *n; n++)
        assert_null((*n)->nothing(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_claim_by_its_parameters),
        cmocka_unit_test(sentences_have_one_form),
        cmocka_unit_test(every_notion_has_such_a_claim),
        cmocka_unit_test(no_claim_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
