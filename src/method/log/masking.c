/* SPDX-License-Identifier: Apache-2.0 */
/* masking.c - masks personal data in a query, or drops the query: for scrub and for methods that
 * scrub first. */
#include "method/method.h"
#include "io/read/blocks.h"
#include "io/json/json.h"

static const char personal[] = "personal data in the query";
static const char not_masked[] = "personal data that could not be masked";
static const char too_long[] = "query too long once masked";

/* What a line of the release holds besides user, query and URL, as the reader of logs counts it. */
#define SPARE_BYTES 128

bool lethe_masking_finds(const lethe_masking *m, lethe_str text)
{
    lethe_finding f;
    return lethe_pii_next(&m->detector, text, 0, &f);
}

/* The masked text is searched again, also for the owner's list, which nobody else can check. */
lethe_err lethe_masking_apply(const lethe_masking *m, lethe_row *row, lethe_buf *buf,
                              uint64_t found[LETHE_N_PII], const char **dropped)
{
    lethe_str masked;
    if (m->hashes_pass && lethe_is_text_hash(row->query)) return LETHE_OK;
    LETHE_TRY(lethe_pii_mask(&m->detector, row->query, buf, &masked, found));
    if (masked.at == row->query.at) return LETHE_OK;
    if (m->drops)
        *dropped = personal;
    else if (masked.n == 0 || lethe_masking_finds(m, masked))
        *dropped = not_masked;
    else if (row->user.n + masked.n + row->url.n + row->kept.n > LETHE_LINE_MAX - SPARE_BYTES)
        *dropped = too_long; // published, it could not be read back
    row->query = masked;
    return LETHE_OK;
}

void lethe_masking_claim(unsigned kinds, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_json *c = lethe_json_object(doc), *names = lethe_json_array(doc);
    for (int kind = 0; kind < LETHE_PII_LIST; kind++)
        if (kinds >> kind & 1)
            lethe_json_push(doc, names,
                            lethe_json_new_text(doc, lethe_str_of(lethe_pii_names[kind])));
    lethe_set_text(doc, c, "notion", "scrubbed");
    lethe_json_set(doc, c, "kinds", names);
    lethe_json_push(doc, claims, c);
}
