/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of User Behavior Insights into documents, each by itself.
 *
 * The schemas are those of UBI 1.0 to 1.3 (o19s.github.io/ubi): a query document has user_query, an
 * event has action_name.  Files come as OpenSearch's bulk requests, an action line before each
 * document; as the documents alone; and as hits, with the document in _source beside the name of
 * its index: elasticdump writes one a line, the answer to a search has an array of them. */
#include "model/log/log_internal.h"
#include "text/normalize.h"
#include <string.h>
#include "text/utf8.h"

typedef enum field {
    ACTION,
    QUERY,
    ID,
    CLIENT,
    TIME,
    URL,
    OBJECT_URL,
    OBJECT_ID,
    ORDINAL,
    MESSAGE_TYPE,
    FIELDS
} field;

/* Of a document, and of one in a hit. */
#define BOTH(field, name) [field] = (name), [FIELDS + (field)] = "_source." name
static const char *const names[2 * FIELDS] = {
    BOTH(ACTION, "action_name"),
    BOTH(QUERY, "user_query"),
    BOTH(ID, "query_id"),
    BOTH(CLIENT, "client_id"),
    BOTH(TIME, "timestamp"),
    BOTH(URL, "event_attributes.object.url"),
    BOTH(OBJECT_URL, "event_attributes.object.object_url"),
    BOTH(OBJECT_ID, "event_attributes.object.object_id"),
    BOTH(ORDINAL, "event_attributes.position.ordinal"),
    BOTH(MESSAGE_TYPE, "message_type"),
};
#undef BOTH

static const char other_action[] = "bulk action other than index and create";
static const char neither[] = "neither a query nor an event";
static const char no_action[] = "event without an action name";
static const char no_id[] = "no query id";
static const char no_client[] = "no client id";
static const char no_object[] = "click without an object";

void lethe_ubi_layout(lethe_layout *l, bool answer)
{
    l->kind = LETHE_LAYOUT_UBI;
    l->names = names;
    l->n_names = LETHE_COUNT(names);
    l->answer = answer;
    l->has_time = true;
}

/* --- what kind of line --- */

static bool is_action(const lethe_json_picker *p)
{
    return lethe_json_picker_wraps(p, "index") || lethe_json_picker_wraps(p, "create");
}

/* Only a bulk action on an index of UBI's, or a document in one: no log of another kind begins like
 * that. */
static lethe_err names_index(lethe_str line, bool *is)
{
    static const char *const index_names[] = {"_index", "index._index", "create._index"};
    static const char ubi[] = "ubi_";
    lethe_str f[LETHE_COUNT(index_names)];
    const char *cause = NULL;
    *is = false;
    lethe_json_picker *p = lethe_json_picker_new(index_names, LETHE_COUNT(index_names));
    if (!p) return LETHE_ENOMEM;
    lethe_err e = lethe_json_pick(p, line, f, &cause);
    for (size_t i = 0; e == LETHE_OK && i < LETHE_COUNT(f); i++)
        *is |= (i == 0 || is_action(p)) && f[i].n >= strlen(ubi) &&
               memcmp(f[i].at, ubi, strlen(ubi)) == 0;
    lethe_json_picker_free(p);
    return e;
}

lethe_err lethe_ubi_recognise(lethe_str first, bool *is, bool *answer)
{
    const char *lf = first.n ? memchr(first.at, '\n', first.n) : NULL;
    lethe_str rest = first, line = {first.at, lf ? (size_t)(lf - first.at) : first.n};
    lethe_ubi_hit hit;
    lethe_ubi_fault fault;
    bool found = false;
    *answer = false;
    LETHE_TRY(names_index(line, is));
    lethe_ubi_hits *h = *is ? NULL : lethe_ubi_hits_new();
    if (*is || !h) return *is ? LETHE_OK : LETHE_ENOMEM;
    lethe_err e = lethe_ubi_hits_next(h, &rest, &hit, &found, &fault);
    *is = *answer = e == LETHE_OK && lethe_ubi_hits_reached(h);
    lethe_ubi_hits_free(h);
    return e;
}

/* The two names that the schema has for it: such an event must say what was clicked. */
static bool is_click(lethe_str action)
{
    return lethe_str_eq(action, LETHE_LIT("click")) ||
           lethe_str_eq(action, LETHE_LIT("click_through"));
}

/* --- documents --- */

/* A rejected document is a line of the log; what is taken becomes one only when it is joined. */
lethe_err lethe_ubi_refuse(lethe_log_place *p, uint32_t column, const char *cause)
{
    p->r->counts.lines++;
    return lethe_log_place_reject(p, p->job->layout->answer ? 0 : column, cause);
}

static lethe_err refuse(lethe_log_place *p, uint32_t column, const char *cause)
{
    return lethe_ubi_refuse(p, column, cause);
}

static bool is_in_hit(const lethe_str *f)
{
    bool any = false;
    for (size_t i = FIELDS; i < LETHE_COUNT(names); i++)
        any |= f[i].at != NULL;
    return any;
}

static lethe_err put(lethe_log_place *p, lethe_ubi_document *doc)
{
    doc->origin = p->job->origin_base + p->line - 1;
    return lethe_ubi_put(p->job->ubi, p->w, doc);
}

/* Absent is empty from here on. */
static lethe_str text_of(const lethe_str *f, field i)
{
    return f[i].at ? f[i] : (lethe_str){"", 0};
}

/* A whole number, also as "3.0": that is what is left of one in a column with gaps. */
static bool read_ordinal(lethe_str s, uint32_t *out)
{
    const char *dot = s.n > 0 ? memchr(s.at, '.', s.n) : NULL;
    size_t n = dot ? (size_t)(dot - s.at) : s.n;
    bool zeros = !dot || (n > 0 && n + 1 < s.n);
    for (size_t i = n + 1; i < s.n; i++)
        zeros &= s.at[i] == '0';
    *out = LETHE_NO_RANK;
    return zeros && lethe_field_rank((lethe_str){s.at, n}, out);
}

/* "scheme://" before it, or "//"? */
static bool has_scheme(lethe_str s)
{
    const char *slashes = memmem(s.at, s.n, "//", 2);
    size_t n = slashes ? (size_t)(slashes - s.at) : s.n;
    for (size_t i = 0; i + 1 < n; i++)
        if (!lethe_is_bare_word((lethe_str){s.at + i, 1}) && !strchr("+.", s.at[i])) return false;
    return slashes && (n == 0 || (n > 1 && s.at[n - 1] == ':'));
}

/* What was clicked: its address if it has one, else its id, *by_id. */
static lethe_str object_of(const lethe_str *f, bool *by_id)
{
    lethe_str s = lethe_field_trim(text_of(f, URL));
    if (s.n == 0) s = lethe_field_trim(text_of(f, OBJECT_URL));
    *by_id = s.n == 0;
    return s.n > 0 ? s : lethe_field_trim(text_of(f, OBJECT_ID));
}

/* Puts the sign of an object before what is no URL.  A host without a dot could pass for an
 * identifier, and an id with one for a host: `john.smith` is the name of no site. */
static lethe_err object_mark(lethe_log_place *p, bool by_id, lethe_str *url)
{
    lethe_buf *b = &p->r->scratch;
    lethe_str host;
    LETHE_TRY(lethe_url_host(*url, b, &host));
    if (lethe_is_dotted_host(host) && (!by_id || has_scheme(*url))) return LETHE_OK;
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, LETHE_LIT(LETHE_OBJECT_SIGN)));
    LETHE_TRY(lethe_buf_str(b, *url));
    *url = (lethe_str){(const char *)b->at, b->n};
    return LETHE_OK;
}

static lethe_err take_click(lethe_log_place *p, const lethe_str *f)
{
    bool by_id;
    lethe_ubi_document doc = {.is_click = true,
                              .other = !is_click(f[ACTION]),
                              .id = text_of(f, ID),
                              .user = lethe_field_trim(text_of(f, CLIENT)),
                              .query = {"", 0},
                              .time = LETHE_NO_TIME,
                              .url = object_of(f, &by_id)};
    const char *cause = lethe_field_forbidden(doc.id);
    if (!cause) cause = lethe_field_forbidden(doc.user);
    if (!cause) cause = lethe_field_forbidden(doc.url);
    if (cause) return refuse(p, 0, cause);
    if (doc.id.n == 0) return refuse(p, 0, no_id);
    if (doc.url.n == 0) return refuse(p, 0, no_object);
    if (!read_ordinal(lethe_field_trim(text_of(f, ORDINAL)), &doc.rank)) p->r->ubi.unranked++;
    bool in_user;
    LETHE_TRY(lethe_utf8_repair(doc.user, &p->r->user, &doc.user, &in_user));
    LETHE_TRY(lethe_utf8_repair(doc.url, &p->r->url, &doc.url, &doc.broken));
    LETHE_TRY(object_mark(p, by_id, &doc.url));
    return put(p, &doc);
}

/* An application has events of all kinds.  One that counts is a click if it is about an object that
 * a query has found; only of clicks by name that is required. */
static lethe_err take_event(lethe_log_place *p, const lethe_str *f)
{
    const lethe_ubi_actions *asked = p->job->actions;
    lethe_str name = f[ACTION];
    bool by_id, left = !lethe_ubi_action_counts(asked, name);
    if (!left && !is_click(name)) left = text_of(f, ID).n == 0 || object_of(f, &by_id).n == 0;
    p->r->ubi.documents++;
    lethe_ubi_action_note(&p->r->ubi, asked, name, left);
    return left ? LETHE_OK : take_click(p, f);
}

/* --- lines --- */

static lethe_err take_document(lethe_log_place *p, const lethe_str *f)
{
    if (!f[ACTION].at && !f[QUERY].at) return refuse(p, 0, neither);
    if (f[ACTION].at) return take_event(p, f);
    // events may have the query's text too: one whose name is missing must not pass for a query
    for (field i = URL; i < FIELDS; i++)
        if (f[i].at) return refuse(p, 0, no_action);
    p->r->ubi.documents++;
    // a query
    lethe_ubi_document doc = {.id = text_of(f, ID),
                              .user = lethe_field_trim(text_of(f, CLIENT)),
                              .query = f[QUERY],
                              .url = {"", 0}};
    const char *cause = lethe_field_forbidden(doc.id);
    if (!cause) cause = lethe_field_forbidden(doc.user);
    if (!cause) cause = lethe_field_forbidden(doc.query);
    if (cause) return refuse(p, 0, cause);
    if (doc.id.n == 0) return refuse(p, 0, no_id);
    if (doc.user.n == 0) return refuse(p, 0, no_client);
    lethe_str time = lethe_field_trim(text_of(f, TIME));
    if (time.n == 0) return refuse(p, 0, lethe_cause_no_time);
    if (!lethe_time_parse(time, &doc.time)) return refuse(p, 0, lethe_cause_bad_time);
    bool in_user, in_query;
    LETHE_TRY(lethe_utf8_repair(doc.user, &p->r->user, &doc.user, &in_user));
    LETHE_TRY(lethe_normalize(doc.query, &p->r->query, &doc.query, &in_query));
    doc.broken = in_user || in_query;
    lethe_row row = {.user = doc.user, .query = doc.query};
    if (lethe_row_too_long(&row)) return refuse(p, 0, lethe_cause_long);
    return put(p, &doc);
}

lethe_err lethe_ubi_take(lethe_log_place *p)
{
    lethe_json_picker *picker = p->r->picker;
    const char *cause = NULL;
    if (p->raw.n == 0) return refuse(p, 0, lethe_cause_empty);
    LETHE_TRY(lethe_json_pick(picker, p->raw, p->r->fields, &cause));
    if (cause) return refuse(p, (uint32_t)lethe_json_picker_fault(picker) + 1, cause);
    if (lethe_json_picker_wraps(picker, "delete") || lethe_json_picker_wraps(picker, "update"))
        return refuse(p, 0, other_action);
    if (!is_action(picker))
        return take_document(p, p->r->fields + (is_in_hit(p->r->fields) ? FIELDS : 0));
    p->r->ubi.last_action = p->line;
    return LETHE_OK;
}
