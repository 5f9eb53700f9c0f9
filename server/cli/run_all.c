/* gpulab run all: runs every experiment and prints one table and one summary. */
#include "api_json.h"
#include "format.h"
#include "report.h"
#include "run.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct totals {
    size_t ran, succeeded, left_out; /* numbers of experiments */
    size_t verified, wrong;          /* numbers of measurements */
    enum lab_exit_code code;
};

static const char *const titles[] = {"experiment", "status",  "measurements", "verified",
                                     "wrong",      "skipped", "time",         "best"};

/* Writes the highest median of the metric in the experiment's first view, for example "bandwidth 26.31 GB/s". */
static void format_best(char *text, size_t size, const json_t *run, const json_t *experiment)
{
    const char *metric = lab_text_of(json_array_get(json_object_get(experiment, "views"), 0), "metric"), *unit = "";
    double best = (double)NAN;
    char number[LAB_FORMAT_SIZE];
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        if (strcmp(lab_text_of(each, "metric"), metric) != 0)
            continue;
        best = fmax(best, lab_number_of(each, "median")); /* fmax ignores a NAN */
        unit = lab_text_of(each, "unit");
    }
    if (isfinite(best))
        snprintf(text, size, "%s %s %s", metric, lab_format_number(best, number), unit);
    else
        snprintf(text, size, "-");
}

static void add_run_row(struct lab_table *table, const json_t *run, const json_t *experiment)
{
    struct lab_report_counts counts = lab_report_count(run);
    char best[128], text[LAB_FORMAT_SIZE];
    format_best(best, sizeof best, run, experiment);
    lab_table_cell(table, "%s", lab_text_of(run, "experiment"));
    lab_table_cell(table, "%s", lab_text_of(run, "status"));
    lab_table_cell(table, "%zu", counts.measurements);
    lab_table_cell(table, "%zu", counts.verified);
    lab_table_cell(table, "%zu", counts.wrong);
    lab_table_cell(table, "%zu", counts.skipped);
    lab_table_cell(table, "%s", lab_format_seconds(lab_report_seconds(run), text));
    lab_table_cell(table, "%s", best);
}

/* A row for an experiment that did not run, with the reason. */
static void add_reason_row(struct lab_table *table, const json_t *experiment, const char *status, const char *reason)
{
    lab_table_cell(table, "%s", lab_text_of(experiment, "name"));
    lab_table_cell(table, "%s", status);
    for (size_t i = 2; i + 1 < sizeof titles / sizeof *titles; i++)
        lab_table_cell(table, "-");
    lab_table_cell(table, "%s", reason);
}

static void count_run(struct totals *totals, const json_t *run)
{
    struct lab_report_counts counts = lab_report_count(run);
    enum lab_exit_code code = lab_report_exit_code(run);
    totals->ran++;
    totals->succeeded += code == LAB_EXIT_OK;
    totals->verified += counts.verified;
    totals->wrong += counts.wrong;
    if (code != LAB_EXIT_OK && totals->code != LAB_EXIT_FAILED)
        totals->code = code;
}

/* Runs one experiment, unless there are too few devices. Returns false if the remaining experiments must not be run. */
static bool run_one(const struct lab_run_context *context, const json_t *experiment, struct lab_table *table,
                    json_t *runs, struct totals *totals)
{
    json_t *run;
    double needed = lab_number_of(json_object_get(experiment, "devices"), "min");
    size_t available = json_array_size(json_object_get(context->devices, "devices"));
    if (needed > (double)available) {
        char reason[64];
        snprintf(reason, sizeof reason, "needs %.0f devices, there are %zu", needed, available);
        add_reason_row(table, experiment, "left out", reason);
        totals->left_out++;
        return true;
    }
    enum lab_exit_code code = lab_run_experiment(context, lab_text_of(experiment, "name"), &run);
    if (run == NULL) {
        add_reason_row(table, experiment, "not run", "see above");
        totals->code = code;
        return false;
    }
    add_run_row(table, run, experiment);
    count_run(totals, run);
    json_array_append_new(runs, run);
    return lab_report_exit_code(run) != LAB_EXIT_CANCELLED;
}

enum lab_exit_code lab_run_all(const struct lab_run_context *context)
{
    struct totals totals = {.code = LAB_EXIT_OK};
    struct lab_table *table = lab_table_create();
    json_t *runs = json_array(), *experiment;
    char verdict[256];
    size_t index;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i >= 2 && i <= 6);
    json_array_foreach(json_object_get(context->experiments, "experiments"), index, experiment)
    {
        if (!run_one(context, experiment, table, runs, &totals))
            break;
    }
    if (totals.ran == 0 && totals.code == LAB_EXIT_OK)
        totals.code = LAB_EXIT_NO_DEVICE;
    snprintf(verdict, sizeof verdict,
             "%s: %zu of %zu experiments succeeded; measurements: %zu verified, %zu wrong; experiments left out: %zu",
             totals.code == LAB_EXIT_OK ? "PASSED" : "FAILED", totals.succeeded, totals.ran, totals.verified,
             totals.wrong, totals.left_out);
    if (context->options->json) {
        json_t *document =
            json_pack("{s:O, s:s, s:b}", "runs", runs, "verdict", verdict, "passed", totals.code == LAB_EXIT_OK);
        lab_print_json(document);
        json_decref(document);
    } else {
        lab_table_print(table, stdout);
        printf("\n%s\n", verdict);
    }
    json_decref(runs);
    lab_table_free(table);
    return totals.code;
}
