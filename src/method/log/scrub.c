/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.c - masks what has the form of personal data, or leaves its row out.
 * E. Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 4 ("Identifying information"):
 * numbers that only their owner types, addresses, and the whole URLs that AOL's release contained.
 *
 * Row by row: the detectors of text/pii/pii.h find it, and this file decides what becomes of it.  A
 * query keeps its harmless part; a clicked URL is cut to its host, or left out where even the host
 * reveals too much. */
#include "method/method.h"
#include "io/json/json.h"
#include "text/normalize.h"
#include "text/pii/pii.h"

enum { DECODE_ROUNDS = 4 }; /* of %XX in a URL */

enum action { ACTION_MASK, ACTION_DROP }; /* the choices of --action */

struct worker {
    lethe_buf query, host, normal, decoded, kept; /* of the current row */
    uint64_t found[LETHE_N_PII];                  /* in queries */
    uint64_t rows_dropped, urls_cut, urls_dropped, values_dropped;
    char apart[64]; /* no two workers write in one cache line */
};

struct scrub {
    lethe_diag *diag;
    lethe_masking masking;
    lethe_phrases *phrases; /* NULL: no list */
    size_t n_kept;          /* columns besides the five */
    bool shows_objects;     /* URLs and ids of objects are published whole */
    unsigned n_workers;
    struct worker *workers;
};

/* --- the clicked URL --- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Replaces %XX by its byte, once; with `plus`, + by a space, as in forms.  The URL may be in `buf`
 * itself: what is written is never longer than what was read. */
static lethe_err percent_decode(lethe_str url, bool plus, lethe_buf *buf, lethe_str *out,
                                bool *changed)
{
    *changed = false;
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, url.n));
    for (size_t i = 0; i < url.n; i++) {
        bool percent = url.at[i] == '%' && url.n - i > 2;
        int high = percent ? hex_digit(url.at[i + 1]) : -1;
        int low = percent ? hex_digit(url.at[i + 2]) : -1;
        bool coded = high >= 0 && low >= 0;
        if (coded) {
            buf->at[buf->n++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else {
            coded = plus && url.at[i] == '+';
            buf->at[buf->n++] = coded ? ' ' : (uint8_t)url.at[i];
        }
        *changed |= coded;
    }
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}

/* Detectors read normalised texts. */
static lethe_err has_finding(const struct scrub *s, struct worker *me, lethe_str text, bool *yes)
{
    lethe_str normal;
    bool invalid;
    LETHE_TRY(lethe_normalize(text, &me->normal, &normal, &invalid));
    *yes = lethe_masking_finds(&s->masking, normal);
    return LETHE_OK;
}

/* Is there a finding in the URL as it stands, or decoded, once or several times (a URL inside
 * another one is encoded twice: joe%2540aol.com), with + as it is or as a space? */
static lethe_err url_has_finding(const struct scrub *s, struct worker *me, lethe_str url, bool *yes)
{
    bool coded = memchr(url.at, '%', url.n), plus = coded || memchr(url.at, '+', url.n);
    LETHE_TRY(has_finding(s, me, url, yes));
    for (int way = !coded; way <= plus && !*yes; way++) {
        lethe_str decoded = url;
        for (int round = 0; round < DECODE_ROUNDS && !*yes; round++) {
            bool changed;
            LETHE_TRY(percent_decode(decoded, way == 1, &me->decoded, &decoded, &changed));
            if (!changed) break;
            LETHE_TRY(has_finding(s, me, decoded, yes));
        }
    }
    return LETHE_OK;
}

/* Is the URL its host alone, except for http:// before it and a slash after it? */
static bool is_bare(lethe_str url, lethe_str host)
{
    static const lethe_str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < LETHE_COUNT(schemes); i++) {
        lethe_str s = schemes[i];
        if (url.n <= s.n || memcmp(url.at, s.at, s.n) != 0) continue;
        url = (lethe_str){url.at + s.n, url.n - s.n};
        break;
    }
    return url.n == host.n || (url.n == host.n + 1 && url.at[host.n] == '/');
}

static void drop_url(struct worker *me, lethe_row *row)
{
    row->url = (lethe_str){"", 0};
    row->rank = LETHE_NO_RANK; // it would still reveal the click
    me->urls_dropped++;
}

/* What is published of an id is keyed, so that nothing in it can be found, unless it is published
 * as it is: then it must not hold personal data or a path. */
static lethe_err scrub_object(const struct scrub *s, struct worker *me, lethe_row *row)
{
    lethe_str id = lethe_object_id(row->url);
    bool found = s->masking.detector.kinds & 1u << LETHE_PII_URL && !lethe_is_bare_word(id) &&
                 !lethe_is_host(id);
    if (!s->shows_objects) return LETHE_OK;
    if (!found) LETHE_TRY(url_has_finding(s, me, id, &found));
    if (found) drop_url(me, row);
    return LETHE_OK;
}

/* The host may be a number of any kind.  It is examined even where the whole URL stays, because it
 * is what may be published of it. */
static lethe_err scrub_url(const struct scrub *s, struct worker *me, lethe_row *row)
{
    bool cut = s->masking.detector.kinds & 1u << LETHE_PII_URL;
    lethe_str host;
    if (!cut) LETHE_TRY(url_has_finding(s, me, row->url, &cut));
    LETHE_TRY(lethe_url_host(row->url, &me->host, &host));
    if (host.n == 0 ? cut : lethe_masking_finds(&s->masking, host)) {
        drop_url(me, row);
    } else if (cut) {
        me->urls_cut += !is_bare(row->url, host);
        row->url = host;
    }
    return LETHE_OK;
}

/* --- kept values --- */

/* A value in which something is found is left out: a mask would be one more value.  It is looked at
 * like a URL, since it may be coded like one. */
static lethe_err scrub_kept(const struct scrub *s, struct worker *me, lethe_row *row)
{
    lethe_str rest = row->kept;
    me->kept.n = 0;
    for (size_t i = 0; i < s->n_kept; i++) {
        lethe_str value = lethe_kept_next(&rest);
        bool found = false;
        if (i > 0) LETHE_TRY(lethe_buf_put(&me->kept, "\t", 1));
        if (value.n > 0) LETHE_TRY(url_has_finding(s, me, value, &found));
        if (!found) LETHE_TRY(lethe_buf_str(&me->kept, value));
        me->values_dropped += found;
    }
    row->kept = (lethe_str){(const char *)me->kept.at, me->kept.n};
    return LETHE_OK;
}

/* --- the method --- */

static lethe_err scrub_row(void *state, unsigned w, lethe_row *row, const char **dropped)
{
    const struct scrub *s = state;
    struct worker *me = &s->workers[w];
    lethe_err err = lethe_masking_apply(&s->masking, row, &me->query, me->found, dropped);
    me->rows_dropped += *dropped != NULL;
    if (err == LETHE_OK && row->url.n > 0 && !*dropped)
        err = lethe_is_object(row->url) ? scrub_object(s, me, row) : scrub_url(s, me, row);
    if (err == LETHE_OK && row->kept.n > 0 && !*dropped) err = scrub_kept(s, me, row);
    return err == LETHE_ENOMEM ? lethe_no_memory(s->diag) : err;
}

static void scrub_free(void *state)
{
    struct scrub *s = state;
    for (unsigned w = 0; s->workers && w < s->n_workers; w++) {
        struct worker *me = &s->workers[w];
        lethe_buf_free(&me->query);
        lethe_buf_free(&me->host);
        lethe_buf_free(&me->normal);
        lethe_buf_free(&me->decoded);
        lethe_buf_free(&me->kept);
    }
    lethe_free(s->workers);
    lethe_phrases_free(s->phrases);
    lethe_free(s);
}

static lethe_err scrub_begin(lethe_run *run, void **state)
{
    lethe_diag *d = lethe_ctx_diag(run->ctx);
    const char *list = lethe_value_of(run->values, "list")->text;
    struct scrub *s = lethe_alloc(1, sizeof *s);
    if (!s) return lethe_no_memory(d);
    *s = (struct scrub){
        .diag = d,
        .masking = {.detector = {.kinds = (unsigned)lethe_count_of(run->values, "kinds")},
                    .drops = lethe_count_of(run->values, "action") == ACTION_DROP,
                    .hashes_pass = lethe_claims_allow_hashes(run->claims)},
        .n_kept = run->n_kept,
        .shows_objects = run->urls == LETHE_URL_ANY,
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    s->workers = lethe_alloc_zero(s->n_workers, sizeof *s->workers);
    lethe_err err = s->workers ? LETHE_OK : lethe_no_memory(d);
    if (err == LETHE_OK && list) err = lethe_phrases_read(d, list, &s->phrases);
    s->masking.detector.phrases = s->phrases;
    if (err == LETHE_OK)
        *state = s;
    else
        scrub_free(s);
    return err;
}

static lethe_err scrub_end(void *state, lethe_result *out)
{
    const struct scrub *s = state;
    struct worker all = {0};
    for (unsigned w = 0; w < s->n_workers; w++) {
        const struct worker *me = &s->workers[w];
        for (int kind = 0; kind < LETHE_N_PII; kind++)
            all.found[kind] += me->found[kind];
        all.rows_dropped += me->rows_dropped;
        all.urls_cut += me->urls_cut;
        all.urls_dropped += me->urls_dropped;
        all.values_dropped += me->values_dropped;
    }
    lethe_json *found = lethe_json_object(out->doc);
    for (int kind = 0; kind < LETHE_N_PII; kind++)
        if (kind == LETHE_PII_LIST ? s->phrases != NULL : s->masking.detector.kinds >> kind & 1)
            lethe_set_count(out->doc, found, lethe_pii_names[kind], all.found[kind]);
    lethe_json_set(out->doc, out->metrics, "found", found);
    lethe_set_count(out->doc, out->metrics, "rows_dropped", all.rows_dropped);
    lethe_set_count(out->doc, out->metrics, "urls_cut", all.urls_cut);
    lethe_set_count(out->doc, out->metrics, "urls_dropped", all.urls_dropped);
    if (s->n_kept > 0)
        lethe_set_count(out->doc, out->metrics, "values_dropped", all.values_dropped);
    return lethe_json_failed(out->doc) ? lethe_no_memory(s->diag) : LETHE_OK;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_masking_claim((unsigned)lethe_count_of(v, "kinds"), doc, out);
}

static const char *const caveats[] = {
    "Harmless queries can identify a person when they are combined, as AOL's user 4417749 was "
    "found; scrub looks at each query alone. Chain it with threshold, which leaves out rare texts, "
    "and split, which separates a user's queries.",
    "Detectors miss what is written in a form they do not know (digits as words, typing errors, "
    "the numbers of other countries), and take some harmless numbers for personal ones.",
    NULL,
};

static const char names_not_wanted[] =
    "Only forms are looked for: names of persons and towns are not, unless --kinds asks for person "
    "and place, or --list gives them.";
/* Figures of tools/evaluate-names. */
static const char names_wanted[] =
    "--kinds person, place: names are recognized by how common they are and by the words around "
    "them. About one person in seven is missed, and more towns; of what is masked as a person "
    "about "
    "one in seven is none. The checker uses the same detectors: it promises that they find nothing "
    "more, not that nobody is named.";

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    if (lethe_count_of(v, "action") == ACTION_MASK) {
        out[n++] = "--action mask: the rest of a masked query stays, and may name the person whose "
                   "number was masked.";
        out[n++] = "--action mask: a mask still shows that this user searched for such a thing, "
                   "and when.";
    }
    out[n++] = lethe_count_of(v, "kinds") & LETHE_PII_NAMES ? names_wanted : names_not_wanted;
    if (lethe_value_of(v, "list")->given)
        out[n++] = "--list: what the list names was hidden too, but the list is not part of the "
                   "promise: it is secret, so nobody who verifies the release can check it.";
    return n;
}

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "kinds", // in the order of lethe_pii
     .type = LETHE_OPT_SET, .arg = "ssn|card|phone|email|ip|number|address|url|iban|id|birth|plate|person|place",
     .fallback = "ssn,card,phone,email,ip,number,address,url,iban,id,birth,plate",
     .help = "what to look for, separated by commas: social-security, card and phone numbers, "
             "e-mail and IP addresses, any other number of 7 digits or more, street addresses, "
             "URLs with a path, bank accounts (IBAN), national identifiers, dates of birth and "
             "number plates; names of persons and of towns only where they are asked for"},
    {.name = "list", .type = LETHE_OPT_PATH, .arg = "FILE",
     .help = "also look for these words and phrases, one per line (names, towns); the file stays "
             "secret and is not part of the promise"},
    {.name = "action", .type = LETHE_OPT_CHOICE, .arg = "mask|drop", .fallback = "mask",
     .help = "replace what is found by [ssn], [card] and so on, or leave the row out"},
    {.name = NULL},
};
// clang-format on

static const lethe_joint joint[] = {{"found", LETHE_JOINT_SUM},
                                    {"rows_dropped", LETHE_JOINT_SUM},
                                    {"urls_cut", LETHE_JOINT_SUM},
                                    {"urls_dropped", LETHE_JOINT_SUM},
                                    {0}};

static const lethe_figure figures[] = {
    {"found", "an object: findings of each kind in the queries of all rows", 0,
     .kind = LETHE_FIGURE_COUNTS, .label = "personal data found"},
    {"rows_dropped", "rows left out because of a finding in their query", .better = -1,
     .label = "rows left out for it"},
    {"urls_cut", "clicked URLs that had more than a host, and were cut to it", .better = 0,
     .label = "URLs cut to their host"},
    {"urls_dropped",
     "clicked URLs left out, with their rank: they had no host, or the host itself was a finding",
     .better = -1, .label = "URLs left out"},
    {"values_dropped", "values of kept columns (--keep) left out because of a finding",
     .better = -1, .optional = true, .label = "kept values left out for it"},
    {.name = NULL},
};

static const lethe_row_method rows = {scrub_begin, scrub_row, scrub_end, scrub_free};

const lethe_method lethe_method_scrub = {
    .name = "scrub",
    .summary = "mask numbers, addresses, URLs and names that point to a person",
    .description =
        "Looks in every query for what has the form of personal data, and replaces it by the name "
        "of its kind: 'call 212-555-0187' becomes 'call [phone]'. With --action drop the whole row "
        "is left out instead. A query that is nothing but personal data is published as its mask "
        "alone: that somebody searched for such a thing is true and useful.\n"
        "\n"
        "A clicked URL is cut to its host if url is among the kinds, because paths and query "
        "strings hold names, searches and session keys. If url is not among them, it is cut when "
        "another kind is found in it, as it stands or with %XX decoded, if necessary repeatedly. "
        "If it has no host, or the host itself is a finding (an IP address), URL and rank are left "
        "out, and the row stays. The id of a clicked object that is no URL (User Behavior "
        "Insights) is published as a keyed identifier and stays as it is; with --urls keep it is "
        "left out like a URL if there is a finding in it.\n"
        "\n"
        "With person and place among the kinds, names of persons and of towns are masked too, in "
        "lower case as well. They have no form: lists of names and of words with their counts, and "
        "the words around them, decide. Some names are missed and some words are taken for names.\n"
        "\n"
        "A value of a kept column (--keep) in which something is found is left out; the row stays. "
        "Such a value is looked at as a URL is, also with %XX decoded.\n"
        "\n"
        "With --list, a file of your own words and phrases (one per line; lines that begin with # "
        "are skipped), these are masked as [list] wherever they occur as whole words, regardless "
        "of case and of what separates the words. Nothing of the list is published, so nobody else "
        "can check it.\n"
        "\n"
        "Rows are handled one by one: with -o - they stream in constant memory and keep their "
        "order. Scrub first, then count: in 'scrub --then threshold' masked texts are counted "
        "together.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 4",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .carries = true,
    .options = options,
    .figures = figures,
    .joint = joint,
    .notion = "scrubbed",
    .claims = claims,
    .keeps = "every row; what has the form of a number or an address is masked",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe scrub log.tsv.gz --then threshold -t 5 -o release/",
    .rows = &rows,
};
