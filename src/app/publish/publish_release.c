/* SPDX-License-Identifier: Apache-2.0 */
/* publish_release.c - the release of a candidate: made on the whole input, judged before it
 * appears, and reported. */
#include "app/publish/publish.h"
#include "core/rng.h"
#include "io/read/lines.h"
#include "io/syserr.h"
#include "model/knowledge/truth.h"
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXAMPLES = 10 }; /* published lines in the report */

static lethe_diag *diag(const lethe_publication *p) { return lethe_ctx_diag(p->ctx); }

/* --- before anything is tried --- */

/* The map stands beside the release, never in it. */
static lethe_err targets_choose(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    size_t n = q->out ? strlen(q->out) : 0;
    while (n > 1 && q->out[n - 1] == '/')
        n--;
    if (n == 0 || strcmp(q->out, "-") == 0)
        return lethe_fail(p->ctx, LETHE_EUSAGE,
                          "publish needs a folder for the release: -o FOLDER");
    p->out = lethe_arena_dup(p->arena, (lethe_str){q->out, n});
    p->map = q->publishing.map;
    if (!p->map) p->map = lethe_arena_printf(p->arena, "%.*s.map.tsv", (int)n, q->out);
    return p->out && p->map ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* A run of minutes must not end because the folder is there. */
static lethe_err targets_check(lethe_publication *p)
{
    lethe_folder *folder = NULL;
    lethe_sink *map = NULL;
    const lethe_publish_options *how = &p->asked->publishing;
    if (p->asked->dry_run) return LETHE_OK;
    LETHE_TRY(lethe_folder_begin(diag(p), p->out, how->force, lethe_manifest_may_replace, &folder));
    lethe_folder_abort(folder);
    LETHE_TRY(lethe_sink_open(diag(p), p->map, how->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW,
                              0600, &map));
    lethe_sink_abort(map);
    return LETHE_OK;
}

lethe_err lethe_publication_open(lethe_publication *p)
{
    p->messages.to = lethe_diag_divert(diag(p), (lethe_listener){0});
    (void)lethe_diag_divert(diag(p), p->messages.to);
    p->arena = lethe_arena_new();
    p->messages.said = lethe_dict_new();
    if (!p->arena || !p->messages.said) return lethe_no_memory(p->ctx);
    if (p->asked->n_inputs == 0) return lethe_fail(p->ctx, LETHE_EUSAGE, "no input given");
    return LETHE_OK;
}

void lethe_publication_close(lethe_publication *p)
{
    lethe_input_free(&p->sample); // their files are in the folder
    lethe_input_free(&p->input);
    lethe_spill_end(p->ctx, p->spill_dir);
    lethe_study_close(diag(p), &p->folder);
    lethe_dict_free(p->messages.said);
    lethe_arena_free(p->arena);
}

/* What adversaries are given: a file that cannot be read would make every candidate fail. */
static lethe_err given_check(lethe_publication *p)
{
    const lethe_values *v = p->asked->values;
    for (size_t i = 0; v && i < v->n; i++) {
        const lethe_value *o = &v->at[i];
        lethe_truth *truth = NULL;
        if (v->table[i].type != LETHE_OPT_PATH || !o->given || o->word || !o->text) continue;
        if (strcmp(o->text, "-") != 0 && access(o->text, R_OK) != 0)
            return lethe_fail_sys(diag(p), "open", o->text, errno);
        if (strcmp(v->table[i].name, "truth") != 0) continue;
        LETHE_TRY(lethe_truth_read(p->ctx, o->text, &truth));
        lethe_truth_free(truth);
    }
    return LETHE_OK;
}

static lethe_err texts_check(lethe_publication *p)
{
    const char *const texts[] = {p->asked->title, p->asked->date};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++)
        if (texts[i] && !lethe_manifest_text_fits(lethe_str_of(texts[i])))
            return lethe_fail(p->ctx, LETHE_EUSAGE,
                              "title and date must have 1 to 200 bytes of UTF-8, without control "
                              "characters");
    return LETHE_OK;
}

static lethe_err key_check(lethe_publication *p)
{
    uint8_t key[32];
    struct stat st;
    const char *path = p->asked->publishing.key_file;
    if (!path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) return LETHE_OK; // a pipe, say
    lethe_err e = lethe_key_read(diag(p), path, key);
    explicit_bzero(key, sizeof key);
    return e;
}

/* All that would stop the release is looked at before minutes are spent on candidates. */
lethe_err lethe_publication_targets(lethe_publication *p)
{
    LETHE_TRY(targets_choose(p));
    LETHE_TRY(targets_check(p));
    LETHE_TRY(texts_check(p));
    LETHE_TRY(key_check(p));
    return given_check(p);
}

lethe_err lethe_publication_begin(lethe_publication *p)
{
    const lethe_publish_request *q = p->asked;
    lethe_json *settings;
    bool again;
    p->study = (lethe_compare_options){.inputs = q->inputs,
                                       .n_inputs = q->n_inputs,
                                       .reading = q->reading,
                                       .values = q->values,
                                       .publishing = q->publishing,
                                       .has_urls = q->has_urls};
    if (q->publishing.has_seed)
        p->fresh = q->publishing.seed + 1;
    else
        LETHE_TRY(lethe_random_get(diag(p), &p->fresh, sizeof p->fresh));
    LETHE_TRY(lethe_study_settings(diag(p), p->doc, &p->study, &p->plan, &settings, &again));
    LETHE_TRY(lethe_study_open(p->ctx, p->arena, &p->study, settings, again, &p->folder));
    LETHE_TRY(lethe_study_begin(diag(p), &p->folder, false, settings));
    return lethe_spill_begin(p->ctx, p->folder.path, &p->spill_dir);
}

/* --- the release --- */

/* A few lines of the data, in the order of the file; each as likely as any other. */
static lethe_err examples_read(lethe_publication *p, const char *folder, lethe_shape shape,
                               lethe_json **out)
{
    const char *path = lethe_arena_printf(p->arena, "%s/%s", folder, lethe_data_name(shape));
    lethe_str line;
    lethe_lines lines;
    const char *kept[EXAMPLES] = {NULL};
    uint64_t n = 0, headers = shape == LETHE_SHAPE_RECORDS ? 0 : 1;
    lethe_secret *secret;
    if (!path) return lethe_no_memory(p->ctx);
    if (lethe_secret_from_seed(p->fresh, &secret) != LETHE_OK) return lethe_no_memory(p->ctx);
    lethe_rng rng = lethe_rng_stream(secret, "publish examples", 0);
    lethe_err e = lethe_lines_open(&lines, diag(p), path);
    for (; e == LETHE_OK && lethe_lines_next(&lines, &line);) {
        if (headers > 0 && headers--) continue;
        uint64_t at = n < EXAMPLES ? n : lethe_rng_below(&rng, n + 1);
        n++;
        if (at >= EXAMPLES) continue;
        for (; n > EXAMPLES && at + 1 < EXAMPLES; at++) // the newest comes last
            kept[at] = kept[at + 1];
        kept[at] = lethe_arena_dup(p->arena, line);
        if (!kept[at]) e = lethe_no_memory(p->ctx);
    }
    if (e == LETHE_OK) e = lethe_lines_err(&lines);
    lethe_lines_close(&lines);
    lethe_secret_free(secret);
    *out = lethe_json_array(p->doc);
    for (size_t i = 0; i < EXAMPLES && kept[i]; i++)
        lethe_json_push(p->doc, *out, lethe_json_new_text(p->doc, lethe_str_of(kept[i])));
    return e;
}

static lethe_err judge(void *user, const char *folder, const char *map, lethe_findings *found)
{
    lethe_publication *p = user;
    const lethe_publish_request *q = p->asked;
    const lethe_attempt *a = p->judged;
    lethe_judgement *j = &p->judgement;
    lethe_json *measures = lethe_json_object(p->doc), *attacks = lethe_json_object(p->doc);
    lethe_shape out = a->out;
    lethe_values values;
    LETHE_TRY(lethe_plan_evaluate_values(diag(p), p->arena, &p->study, map, &values));
    lethe_evaluate_options against = {.folder = folder,
                                      .originals = q->inputs,
                                      .n_originals = q->n_inputs,
                                      .reading = q->reading,
                                      .map = map,
                                      .values = &values,
                                      .has_seed = true,
                                      .seed = p->fresh};
    LETHE_TRY(lethe_release_evaluate(p->ctx, &against, &p->input, p->doc, measures, attacks));
    *j = (lethe_judgement){.kept = lethe_kept_for(q->goal, out, measures),
                           .exposure = lethe_exposure_of(attacks),
                           .shares = lethe_kept_json(p->doc, measures),
                           .risks = lethe_risks_json(p->doc, attacks)};
    *found = (lethe_findings){.risk = attacks, .kept = j->shares};
    LETHE_TRY(examples_read(p, folder, out, &j->examples));
    p->too_risky = p->too_risky || j->exposure.risk > p->bound;
    if (j->exposure.risk > p->bound)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "the risk is %.1f %%, above the bound",
                          100 * j->exposure.risk);
    if (j->kept < p->least && !q->anyway)
        return lethe_fail(p->ctx, LETHE_ANSWER_NO, "%.1f %% is kept, less than --least",
                          100 * j->kept);
    return LETHE_OK;
}

/* --- the report --- */

static const char *keep_append(const lethe_publication *p, const lethe_publish_options *how,
                               const char *line)
{
    const char *names = "";
    for (size_t i = 0; i < how->keep.n && names; i++)
        names = lethe_arena_printf(p->arena, "%s%s%.*s", names, i > 0 ? "," : "",
                                   (int)how->keep.at[i].n, how->keep.at[i].at);
    const char *min = lethe_arena_printf(p->arena, "%llu", (unsigned long long)how->keep_min);
    line = lethe_command_option(p->arena, line, "keep", names);
    return lethe_command_option(p->arena, line, "keep-min", min);
}

const char *lethe_publishing_append(const lethe_publication *p, const lethe_publish_options *how,
                                    bool has_urls, const char *line)
{
    static const char *const times[] = {[LETHE_TIMES_HOUR] = "hour",
                                        [LETHE_TIMES_EXACT] = "exact",
                                        [LETHE_TIMES_DROP] = "drop",
                                        [LETHE_TIMES_WEEK] = "week",
                                        [LETHE_TIMES_MONTH] = "month"};
    static const char *const urls[] = {[LETHE_URLS_HOST] = "host",
                                       [LETHE_URLS_ID] = "id",
                                       [LETHE_URLS_KEEP] = "keep",
                                       [LETHE_URLS_DROP] = "drop"};
    if (how->keep_users) line = lethe_command_option(p->arena, line, "keep-users", NULL);
    if (how->times != LETHE_TIMES_DAY)
        line = lethe_command_option(p->arena, line, "time", times[how->times]);
    if (has_urls) line = lethe_command_option(p->arena, line, "urls", urls[how->urls]);
    if (how->keep.n > 0) line = keep_append(p, how, line);
    if (how->as_ubi) line = lethe_command_option(p->arena, line, "publish-as", "ubi");
    if (how->key_file) line = lethe_command_option(p->arena, line, "key-file", how->key_file);
    return line;
}

/* The options of the program for the release that these steps make: what its method settles by
 * itself is no option. */
static const char *release_append(const lethe_publication *p, const lethe_step *last,
                                  const char *line)
{
    lethe_publish_options how = p->how ? *p->how : p->asked->publishing,
                          usual = {.urls = last->method->ids ? LETHE_URLS_ID : LETHE_URLS_HOST};
    if (!(lethe_step_shape(last) & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED))) return line;
    lethe_publishing_settle(last, &how);
    lethe_publishing_settle(last, &usual);
    if (how.times == usual.times) how.times = LETHE_TIMES_DAY;
    return lethe_publishing_append(p, &how, how.urls != usual.urls, line);
}

static lethe_err attempt_json(lethe_publication *p, const lethe_attempt *a, const lethe_step *steps,
                              size_t n_steps, lethe_json **out)
{
    const lethe_publish_request *q = p->asked;
    lethe_json *o = lethe_json_object(p->doc);
    const char *command =
        lethe_run_command(p->arena, steps, n_steps, q->inputs, q->n_inputs, &q->reading, p->out);
    if (a->out != LETHE_SHAPE_COUNTS)
        command = lethe_command_option(p->arena, command, "map", p->map);
    command = release_append(p, &steps[n_steps - 1], command);
    if (q->title) command = lethe_command_option(p->arena, command, "title", q->title);
    if (q->date) command = lethe_command_option(p->arena, command, "date", q->date);
    command = lethe_command_option(p->arena, command, "report", NULL);
    if (!command) return lethe_no_memory(p->ctx);
    lethe_set_text(p->doc, o, "label", a->run->label);
    lethe_set_text(p->doc, o, "method", a->run->method->name);
    lethe_set_text(p->doc, o, "summary", a->run->method->summary);
    lethe_set_text(p->doc, o, "command", command);
    lethe_set_real(p->doc, o, "kept_for_goal", a->kept);
    lethe_set_real(p->doc, o, "risk", a->risk);
    *out = o;
    return LETHE_OK;
}

/* The next one that is below the bound where it was tried. */
static lethe_err runner_up_json(lethe_publication *p, const lethe_attempt *chosen,
                                lethe_json *metrics)
{
    lethe_json *o;
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    for (const lethe_attempt *a = chosen + 1; a < p->attempts + p->plan.n; a++) {
        if (!lethe_publication_worth(p, a) || a->risk > p->bound) continue;
        LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
        LETHE_TRY(attempt_json(p, a, steps, a->run->n_steps, &o));
        lethe_json_set(p->doc, metrics, "runner_up", o);
        break;
    }
    return LETHE_OK;
}

/* The one that would have been made first, had there been time. */
static lethe_err slower_json(lethe_publication *p, const lethe_attempt *chosen, lethe_json *metrics)
{
    lethe_json *o;
    lethe_step steps[LETHE_CANDIDATE_STEPS];
    const lethe_attempt *a = p->attempts;
    while (a < chosen && !a->slow)
        a++;
    if (a == chosen) return LETHE_OK;
    LETHE_TRY(lethe_run_steps(diag(p), p->arena, a->run, p->asked->values, steps));
    LETHE_TRY(attempt_json(p, a, steps, a->run->n_steps, &o));
    lethe_set_real(p->doc, o, "seconds", lethe_attempt_seconds(p, a));
    lethe_json_set(p->doc, metrics, "slower", o);
    return LETHE_OK;
}

/* Those that keep more and were made before it: attacked again they were above the bound. */
static void refused_json(lethe_publication *p, const lethe_attempt *chosen, lethe_json *metrics)
{
    lethe_json *list = lethe_json_array(p->doc);
    for (const lethe_attempt *a = p->attempts; a < chosen; a++) {
        if (a->refused <= 0) continue;
        lethe_json *o = lethe_json_object(p->doc);
        lethe_set_text(p->doc, o, "label", a->run->label);
        lethe_set_real(p->doc, o, "kept_for_goal", a->kept);
        lethe_set_real(p->doc, o, "risk", a->refused);
        lethe_json_push(p->doc, list, o);
    }
    if (lethe_json_count(list) > 0) lethe_json_set(p->doc, metrics, "refused", list);
}

static lethe_err chosen_json(lethe_publication *p, const lethe_attempt *a, lethe_json *metrics)
{
    const lethe_judgement *j = &p->judgement;
    lethe_json *o;
    LETHE_TRY(attempt_json(p, a, p->steps, p->n_steps, &o));
    lethe_set_real(p->doc, o, "kept_for_goal", j->kept);
    lethe_set_real(p->doc, o, "risk", j->exposure.risk);
    if (j->exposure.by) lethe_set_text(p->doc, o, "risk_by", j->exposure.by->name);
    if (j->exposure.by && !isnan(j->exposure.chance))
        lethe_set_real(p->doc, o, "chance", j->exposure.chance);
    lethe_json_set(p->doc, o, "kept", j->shares);
    lethe_json_set(p->doc, o, "risks", j->risks);
    lethe_json_set(p->doc, o, "not_tried", lethe_not_tried_json(p->doc, a->out, p->asked->values));
    lethe_json_set(p->doc, o, "examples", j->examples);
    lethe_json_set(p->doc, metrics, "chosen", o);
    if (p->asked->like) return LETHE_OK;
    refused_json(p, a, metrics);
    LETHE_TRY(runner_up_json(p, a, metrics));
    return slower_json(p, a, metrics);
}

/* `chosen`: NULL where nothing is published. */
lethe_err lethe_publication_report(lethe_publication *p, const lethe_attempt *chosen)
{
    const lethe_publish_request *q = p->asked;
    lethe_json_doc *doc = p->doc;
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *rows = lethe_json_array(doc),
               *parameters = q->values ? lethe_values_json(doc, q->values) : lethe_json_object(doc);
    static const char *const shapes[] = {[LETHE_SHAPE_LOG] = "log",
                                         [LETHE_SHAPE_RECORDS] = "records",
                                         [LETHE_SHAPE_TABLE] = "table"};
    lethe_reading_json(doc, parameters, &q->reading);
    lethe_set_text(doc, r, "command", "publish");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_set_text(doc, metrics, "goal", lethe_goal_name(q->goal));
    lethe_set_text(doc, metrics, "shape", shapes[p->shape]);
    lethe_set_count(doc, metrics, "persons", p->facts.persons);
    lethe_set_count(doc, metrics, "rows", p->facts.rows);
    if (p->sampled) lethe_set_count(doc, metrics, "sample_persons", p->sample_persons);
    lethe_set_real(doc, metrics, "bound", p->bound);
    lethe_set_real(doc, metrics, "least", p->least);
    for (size_t i = 0; i < p->plan.n; i++)
        lethe_json_push(doc, rows, p->attempts[i].row);
    lethe_json_set(doc, metrics, "candidates", rows);
    if (chosen) LETHE_TRY(chosen_json(p, chosen, metrics));
    if (p->n_late > 0) lethe_set_count(doc, metrics, "not_tried", p->n_late);
    if (p->instead) lethe_json_set(doc, metrics, "instead", p->instead);
    if (chosen && !q->dry_run) {
        lethe_set_text(doc, metrics, "release", p->out);
        if (chosen->out != LETHE_SHAPE_COUNTS) lethe_set_text(doc, metrics, "map", p->map);
    }
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_report_close(p->ctx, doc, r);
    if (lethe_json_failed(doc)) return lethe_no_memory(p->ctx);
    p->report = r;
    return LETHE_OK;
}

/* Just before the release appears. */
static lethe_err report_tell(void *user, const lethe_json *of_release)
{
    lethe_publication *p = user;
    (void)of_release;
    LETHE_TRY(lethe_publication_report(p, p->judged));
    return p->asked->on_report ? p->asked->on_report(p->asked->user, p->report) : LETHE_OK;
}

/* --- making it --- */

lethe_err lethe_publication_release(lethe_publication *p, const lethe_publish_options *how)
{
    const lethe_planned_run *run = p->judged->run;
    lethe_json *report = NULL;
    lethe_trial trial = {.judge = judge, .user = p, .caveat = p->caveat};
    lethe_release_job job = {.inputs = p->asked->inputs,
                             .n_inputs = p->asked->n_inputs,
                             .reading = p->asked->reading,
                             .steps = p->steps,
                             .n_steps = p->n_steps,
                             .out = p->out,
                             .publishing = *how,
                             .page = true,
                             .title = p->asked->title,
                             .date = p->asked->date,
                             .on_report = report_tell,
                             .user = p};
    job.publishing.map = p->map;
    if (p->asked->dry_run) {
        job.out = lethe_study_release(p->arena, &p->folder, run);
        job.publishing.map = lethe_study_map(p->arena, &p->folder, run);
        if (!job.out || !job.publishing.map) return lethe_no_memory(p->ctx);
    }
    if (p->judged->out == LETHE_SHAPE_COUNTS) job.publishing.map = NULL; // it has no users
    job.publishing.as_ubi = how->as_ubi && p->judged->out == LETHE_SHAPE_LOG;
    p->how = &job.publishing;
    p->messages.failed = false;
    p->messages.label = run->label;
    lethe_listener before =
        lethe_diag_divert(diag(p), (lethe_listener){lethe_study_on_message, &p->messages});
    lethe_err e = lethe_release_make_from(p->ctx, &job, &p->input, &trial, p->doc, &report);
    (void)lethe_diag_divert(diag(p), before);
    p->how = NULL;
    return e;
}
