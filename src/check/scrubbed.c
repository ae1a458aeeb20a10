/* SPDX-License-Identifier: Apache-2.0 */
/* scrubbed.c - does any detector of the claimed kinds find something in published queries, URLs or
 * kept values?
 *
 * Every row is looked at by itself.  A URL is looked at as it stands and decoded (%XX, and + for a
 * space too; four times over, or until nothing is coded), for personal data hides there; so is a
 * value of a further column.  A
 * counterexample is told by its form only. */
#include "check/check.h"
#include "check/claim.h"
#include "model/published/published_counts.h"
#include "text/normalize.h"
#include "text/pii/pii.h"

enum { MOST_DECODED = 4 };

enum where { IN_QUERY, IN_URL, IN_KEPT };
static const char *const where_names[] = {"query", "url", "kept"};

/* The least offending text in order of bytes, as far as one worker has seen. */
struct offence {
    bool found;
    lethe_buf text; /* as published */
    enum where where;
    lethe_pii kind;
    lethe_buf shape;
};

struct worker {
    struct offence least;
    lethe_buf normal, decoded, other;
    char apart[64]; /* workers do not share a cache line */
};

struct inspection {
    lethe_ctx *ctx;
    lethe_detector detector;
    bool hashes_pass; /* keyed hashes stand for some texts: digits in them say nothing */
    bool ids;         /* published URLs are keyed pseudonyms: digits in them say nothing */
    bool object_ids;  /* some are */
    unsigned n_workers;
    struct worker *workers;
};

/* Kinds by their names, in the order of lethe_pii and each once. */
static const lethe_claim_field claim_fields[] = {
    {"kinds", LETHE_CLAIM_SUBSET, .choices = lethe_pii_names, .n_choices = LETHE_PII_LIST}};

/* Says the release that its URLs, or ids of objects (`name`), are pseudonyms?  While it is made the
 * form tells, later the manifest, which has been seen to be true of the data. */
static bool are_ids(const lethe_published *p, const char *name, bool by_form)
{
    if (p->form) return by_form;
    const lethe_json *steps = lethe_json_get(p->manifest, "steps");
    size_t n = lethe_json_count(steps);
    const lethe_json *last = n ? lethe_json_at(steps, n - 1) : NULL;
    return lethe_claim_is(lethe_json_get(lethe_json_get(last, "parameters"), name), "id");
}

/* --- offences --- */

/* Does `text` come before the least one so far?  Of the same bytes a query comes before a URL, and
 * that before a kept value. */
static bool is_less(const struct offence *least, lethe_str text, enum where where)
{
    if (!least->found) return true;
    int c = lethe_str_cmp(text, (lethe_str){(const char *)least->text.at, least->text.n});
    return c < 0 || (c == 0 && where < least->where);
}

static lethe_err note(struct offence *least, lethe_str text, enum where where, lethe_pii kind,
                      lethe_str finding)
{
    lethe_str shape;
    if (!is_less(least, text, where)) return LETHE_OK;
    least->text.n = 0;
    LETHE_TRY(lethe_buf_str(&least->text, text));
    LETHE_TRY(lethe_pii_shape(finding, &least->shape, &shape));
    least->found = true;
    least->where = where;
    least->kind = kind;
    return LETHE_OK;
}

/* --- looking --- */

static lethe_err look_at_query(const struct inspection *c, struct worker *me, lethe_str query)
{
    lethe_finding f;
    if (c->hashes_pass && lethe_is_text_hash(query)) return LETHE_OK;
    if (!lethe_pii_next(&c->detector, query, 0, &f)) return LETHE_OK;
    return note(&me->least, query, IN_QUERY, f.kind, (lethe_str){query.at + f.at, f.n});
}

/* Detectors look at normalised texts; `seen` is one form of the published `text`, a URL or a kept
 * value. */
static lethe_err look_at_form(const struct inspection *c, struct worker *me, lethe_str text,
                              enum where where, lethe_str seen)
{
    lethe_str normal;
    lethe_finding f;
    bool invalid;
    LETHE_TRY(lethe_normalize(seen, &me->normal, &normal, &invalid));
    if (!lethe_pii_next(&c->detector, normal, 0, &f)) return LETHE_OK;
    return note(&me->least, text, where, f.kind, (lethe_str){normal.at + f.at, f.n});
}

static unsigned nibble(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (unsigned)(at - digits) % 16 : 16;
}

/* Nothing but a word, or a host, "scheme://" before it or not? */
static bool has_no_path(lethe_str url)
{
    size_t n = 0;
    if (lethe_is_bare_word(url)) return true;
    while (n < url.n && url.at[n] >= 'a' && url.at[n] <= 'z')
        n++;
    if (n > 0 && url.n - n > 3 && memcmp(url.at + n, "://", 3) == 0)
        url = (lethe_str){url.at + n + 3, url.n - n - 3};
    return lethe_is_host(url);
}

/* Every form that the text takes when it is decoded again and again, one of two ways.  A + that
 * comes to light in a later round counts as one too. */
static lethe_err look_at_decoded(const struct inspection *c, struct worker *me, lethe_str text,
                                 enum where where, bool spaces)
{
    lethe_str form = text;
    for (int left = MOST_DECODED; left > 0; left--) {
        if (!memchr(form.at, '%', form.n) && !(spaces && memchr(form.at, '+', form.n))) break;
        /* The text with each %XX replaced by its byte and, if `spaces`, each + by a space. */
        me->other.n = 0;
        LETHE_TRY(lethe_buf_reserve(&me->other, form.n));
        const char *end = form.at + form.n;
        for (const char *p = form.at; p < end; p++) {
            unsigned high = 16, low = 16;
            if (*p == '%' && end - p >= 3) {
                high = nibble(p[1]);
                low = nibble(p[2]);
            }
            uint8_t byte = spaces && *p == '+' ? ' ' : (uint8_t)*p;
            if (high < 16 && low < 16) {
                byte = (uint8_t)(16 * high + low);
                p += 2;
            }
            me->other.at[me->other.n++] = byte;
        }
        lethe_buf swap = me->decoded;
        me->decoded = me->other;
        me->other = swap;
        form = (lethe_str){(const char *)me->decoded.at, me->decoded.n};
        LETHE_TRY(look_at_form(c, me, text, where, form));
    }
    return LETHE_OK;
}

/* As it stands, and decoded. */
static lethe_err look_at_coded(const struct inspection *c, struct worker *me, lethe_str text,
                               enum where where)
{
    LETHE_TRY(look_at_form(c, me, text, where, text));
    LETHE_TRY(look_at_decoded(c, me, text, where, false));
    return look_at_decoded(c, me, text, where, true);
}

static lethe_err look_at_url(const struct inspection *c, struct worker *me, lethe_str url)
{
    if (!is_less(&me->least, url, IN_URL)) return LETHE_OK;
    if (c->detector.kinds & 1u << LETHE_PII_URL && !has_no_path(url))
        return note(&me->least, url, IN_URL, LETHE_PII_URL, url);
    return look_at_coded(c, me, url, IN_URL);
}

static lethe_err look_at_kept(const struct inspection *c, struct worker *me, lethe_str kept)
{
    while (kept.n > 0) {
        lethe_str value = lethe_kept_next(&kept);
        if (value.n > 0 && is_less(&me->least, value, IN_KEPT))
            LETHE_TRY(look_at_coded(c, me, value, IN_KEPT));
    }
    return LETHE_OK;
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    const struct inspection *c = arg;
    struct worker *me = &c->workers[w];
    bool id = c->ids || (c->object_ids && lethe_is_pseudonym(row->url));
    lethe_err err = look_at_query(c, me, row->query);
    if (err == LETHE_OK && row->url.n > 0 && !id) err = look_at_url(c, me, row->url);
    if (err == LETHE_OK && row->kept.n > 0) err = look_at_kept(c, me, row->kept);
    return err == LETHE_OK ? LETHE_OK : lethe_no_memory(c->ctx);
}

static lethe_err on_item(void *arg, lethe_str item, uint64_t count)
{
    const struct inspection *c = arg;
    (void)count;
    return look_at_query(c, &c->workers[0], item) == LETHE_OK ? LETHE_OK : lethe_no_memory(c->ctx);
}

/* Looks at every text that is published, and at the URLs and kept values of a log. */
static lethe_err look_at_all(lethe_published *p, struct inspection *c)
{
    lethe_log *log = NULL;
    lethe_ctx_phase(p->ctx, "reading back", 0);
    if (p->shape == LETHE_SHAPE_COUNTS) return lethe_counts_published(p->ctx, p->dirfd, on_item, c);
    LETHE_TRY(lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log));
    lethe_log_expect(log, p->form);
    lethe_err err = lethe_log_walk(p->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c});
    lethe_log_free(log);
    return err;
}

/* --- the verdict --- */

static lethe_err answer(const struct inspection *c, lethe_json_doc *doc, bool *holds,
                        lethe_json **why)
{
    const struct offence *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct offence *o = &c->workers[w].least;
        lethe_str text = {(const char *)o->text.at, o->text.n};
        if (o->found && (!least || is_less(least, text, o->where))) least = o;
    }
    if (least) {
        lethe_str shape = {(const char *)least->shape.at, least->shape.n};
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "kind",
                       lethe_json_new_text(doc, lethe_str_of(lethe_pii_names[least->kind])));
        lethe_json_set(doc, o, "shape", lethe_json_new_text(doc, shape));
        lethe_json_set(doc, o, "where",
                       lethe_json_new_text(doc, lethe_str_of(where_names[least->where])));
        if (lethe_json_failed(doc)) return lethe_no_memory(c->ctx);
        *why = o;
    }
    *holds = !least;
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx,
                           .hashes_pass = lethe_claims_allow_hashes(p->claims),
                           .ids = are_ids(p, "urls", p->form && p->form->urls == LETHE_URL_ID),
                           .object_ids = are_ids(p, "objects", p->form && p->form->object_ids),
                           .n_workers = lethe_ctx_threads(p->ctx)};
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "scrubbed", claim_fields, 1,
                               &c.detector.kinds));
    c.workers = lethe_alloc_zero(c.n_workers, sizeof *c.workers);
    if (!c.workers) return lethe_no_memory(p->ctx);
    lethe_err err = look_at_all(p, &c);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    for (unsigned w = 0; w < c.n_workers; w++) {
        struct worker *me = &c.workers[w];
        lethe_buf_free(&me->least.text);
        lethe_buf_free(&me->least.shape);
        lethe_buf_free(&me->normal);
        lethe_buf_free(&me->decoded);
        lethe_buf_free(&me->other);
    }
    lethe_free(c.workers);
    return err;
}

/* A release scrubbed of one kind still holds all others. */
static const char *nothing(const lethe_json *claim)
{
    static const char *const of_one[LETHE_PII_LIST] = {
        [LETHE_PII_SSN] = "scrubbed of social security numbers alone promises next to nothing: "
                          "card, phone and other long numbers, e-mail, IP and street addresses, "
                          "URLs and names are not looked for.",
        [LETHE_PII_CARD] = "scrubbed of card numbers alone promises next to nothing: social "
                           "security, phone and other long numbers, e-mail, IP and street "
                           "addresses, URLs and names are not looked for.",
        [LETHE_PII_PHONE] = "scrubbed of phone numbers alone promises next to nothing: social "
                            "security, card and other long numbers, e-mail, IP and street "
                            "addresses, URLs and names are not looked for.",
        [LETHE_PII_EMAIL] = "scrubbed of e-mail addresses alone promises next to nothing: social "
                            "security, card, phone and other long numbers, IP and street "
                            "addresses, URLs and names are not looked for.",
        [LETHE_PII_IP] = "scrubbed of IP addresses alone promises next to nothing: social "
                         "security, card, phone and other long numbers, e-mail and street "
                         "addresses, URLs and names are not looked for.",
        [LETHE_PII_NUMBER] =
            "scrubbed of long numbers alone promises next to nothing: numbers of fewer than seven "
            "digits, e-mail, IP and street addresses, URLs and names are not looked for.",
        [LETHE_PII_ADDRESS] = "scrubbed of street addresses alone promises next to nothing: social "
                              "security, card, phone and other long numbers, e-mail and IP "
                              "addresses, URLs and names are not looked for.",
        [LETHE_PII_URL] = "scrubbed of URLs with a path alone promises next to nothing: social "
                          "security, card, phone and other long numbers, e-mail, IP and street "
                          "addresses, and names are not looked for.",
        [LETHE_PII_IBAN] = "scrubbed of bank account numbers alone promises next to nothing: other "
                           "numbers, addresses of all kinds, URLs and names are not looked for.",
        [LETHE_PII_ID] = "scrubbed of national identifiers alone promises next to nothing: other "
                         "numbers, addresses of all kinds, URLs and names are not looked for.",
        [LETHE_PII_BIRTH] = "scrubbed of dates of birth alone promises next to nothing: numbers, "
                            "addresses of all kinds, URLs and names are not looked for.",
        [LETHE_PII_PLATE] = "scrubbed of number plates alone promises next to nothing: other "
                            "numbers, addresses of all kinds, URLs and names are not looked for.",
        [LETHE_PII_PERSON] = "scrubbed of persons alone promises next to nothing: numbers, "
                             "addresses of all kinds, URLs and places are not looked for, and "
                             "many names are not recognized.",
        [LETHE_PII_PLACE] = "scrubbed of places alone promises next to nothing: numbers, addresses "
                            "of all kinds, URLs and persons are not looked for, and many towns are "
                            "not recognized.",
    };
    const lethe_json *kinds = lethe_json_get(claim, "kinds");
    uint32_t kind = lethe_claim_choice(lethe_json_at(kinds, 0), lethe_pii_names, LETHE_PII_LIST);
    return lethe_json_count(kinds) == 1 && kind != LETHE_NONE ? of_one[kind] : NULL;
}

const lethe_notion lethe_notion_scrubbed = {
    .name = "scrubbed",
    .holds =
        "no detector of the kinds finds anything in a published query, URL or value of a "
        "further column; queries of # and 32 hexadecimal digits, which stand for a hidden text, "
        "are exempt",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_COUNTS,
    .check = check,
    .nothing = nothing,
    .joins = true, // every row is looked at by itself
};
