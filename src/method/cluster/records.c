/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - the claim and a caveat that the methods which group records share. */
#include "io/json/json.h"
#include "method/method.h"

lethe_json *lethe_record_claim(const lethe_values *v, lethe_json_doc *doc)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "record-k-anonymity");
    lethe_json_set(doc, c, "k", lethe_json_new_int(doc, lethe_count_of(v, "k")));
    if (lethe_count_of(v, "persons") == 1) lethe_set_text(doc, c, "persons", "record");
    return c;
}

void lethe_record_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_json_push(doc, claims, lethe_record_claim(v, doc));
}

size_t lethe_record_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    if (lethe_count_of(v, "persons") == 1) return 0; // the pipeline has its own words for that
    out[0] = "A person is an ID of the input: a person with several IDs counts several times.";
    return 1;
}
