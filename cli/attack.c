#include "against.h"

const lethe_option attack_options[] = {
    {.name = "original",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "what the release was made from",
     .required = true},
    {.name = "adversary",
     .type = LETHE_OPT_TEXT,
     .arg = "NAME",
     .help = "only this one (all that apply)"},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "the map written with the release"},
    {0},
};

static void show(const lethe_json *metrics)
{
    printf("  %-14s %10s %10s\n", "adversary", "success", "baseline");
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        const lethe_json *v = lethe_json_at(metrics, i);
        lethe_str name = lethe_json_name(metrics, i),
                  meaning = lethe_json_text(lethe_json_get(v, "meaning"));
        printf("  %-14.*s ", (int)name.n, name.at);
        print_percent(stdout, figure(v, "success"));
        fputs("    ", stdout);
        print_percent(stdout, figure(v, "baseline"));
        fputs("\n    ", stdout);
        print_safe(stdout, meaning, 400);
        putchar('\n');
    }
}

lethe_err run_attack(const arguments *a)
{
    return run_against(a, lethe_value_of(&a->stages[0].values, "adversary")->text,
                       lethe_release_attack, show);
}
