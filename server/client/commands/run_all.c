/* gpulab run all, gpulab run SUBJECT: runs several experiments and prints one table and one summary. */
#include "lab/api_json.h"
#include "output/report.h"
#include "output/run_line.h"
#include "output/table.h"
#include "run.h"

#include "core/format.h"
#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct totals {
    size_t ran, succeeded, without_result, left_out; /* numbers of experiments */
    size_t verified, wrong;                          /* numbers of measurements */
    enum lab_exit_code code, left_out_code;
};

static const char *const titles[] = {"experiment", "status",  "measurements", "verified",
                                     "wrong",      "skipped", "time",         "result"};

static void add_run_row(struct lab_table *table, const json_t *run)
{
    struct lab_report_counts counts = lab_report_count(run);
    char text[LAB_FORMAT_SIZE];
    lab_table_cell(table, "%s", lab_text_of(run, "experiment"));
    lab_table_cell(table, "%s", lab_report_lacks_result(run) ? "no result" : lab_text_of(run, "status"));
    lab_table_cell(table, "%zu", counts.measurements);
    lab_table_cell(table, "%zu", counts.verified);
    lab_table_cell(table, "%zu", counts.wrong);
    lab_table_cell(table, "%zu", counts.skipped);
    lab_table_cell(table, "%s", lab_format_seconds(lab_report_seconds(run), text));
    lab_table_take(table, lab_run_result(run));
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
    if (lab_report_lacks_result(run))
        totals->without_result++;
    else
        totals->code = lab_report_join_exit_codes(totals->code, code);
}

/* The exit code for the experiments that were run: none failed, and at least one has a result. */
static enum lab_exit_code judge(const struct totals *totals)
{
    if (totals->code != LAB_EXIT_OK || totals->succeeded > 0)
        return totals->code;
    return totals->without_result > 0 ? LAB_EXIT_FAILED : totals->left_out_code;
}

/* The most devices of one machine that a run can have: of the one that --node names, if it does. */
static size_t count_devices(const struct lab_run_context *context)
{
    const json_t *devices = json_object_get(context->devices, "devices");
    const struct lab_texts *nodes = &context->options->request.nodes;
    size_t most = 0;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const char *node = nodes->count > 0 ? nodes->items[0] : lab_text_of(json_array_get(devices, i), "node");
        size_t count = 0;
        for (size_t k = 0; k < json_array_size(devices); k++)
            count += strcmp(lab_text_of(json_array_get(devices, k), "node"), node) == 0;
        most = count > most ? count : most;
    }
    return most;
}

enum lab_exit_code lab_run_left_out(const struct lab_run_context *context, const json_t *experiment, char *reason,
                                    size_t size)
{
    double needed = lab_number_of(json_object_get(experiment, "devices"), "min");
    size_t available = count_devices(context);
    if (needed > (double)available) {
        snprintf(reason, size, "needs at least %.0f device%s, %zu %s available", needed, needed == 1 ? "" : "s",
                 available, available == 1 ? "is" : "are");
        return LAB_EXIT_NO_DEVICE;
    }
    if (lab_request_has_preset(&context->options->request, experiment))
        return LAB_EXIT_OK;
    char presets[128];
    lab_request_list_presets(presets, sizeof presets, experiment);
    snprintf(reason, size, "has no preset '%s'; its presets are: %s", context->options->request.preset, presets);
    return LAB_EXIT_USAGE;
}

/* Runs one experiment, unless it cannot be run. Returns false if the remaining experiments must not be run. */
static bool run_one(const struct lab_run_context *context, const json_t *experiment, struct lab_table *table,
                    json_t *runs, struct totals *totals)
{
    json_t *run;
    char reason[256];
    enum lab_exit_code code = lab_run_left_out(context, experiment, reason, sizeof reason);
    if (code != LAB_EXIT_OK) {
        add_reason_row(table, experiment, "left out", reason);
        totals->left_out++;
        totals->left_out_code = code;
        return true;
    }
    code = lab_run_experiment(context, experiment, &run);
    if (run == NULL) {
        add_reason_row(table, experiment, "not run", "see above");
        totals->code = code;
        return false;
    }
    add_run_row(table, run);
    count_run(totals, run);
    json_array_append_new(runs, run);
    lab_run_discard(context, run);
    return lab_report_exit_code(run) != LAB_EXIT_CANCELLED;
}

enum lab_exit_code lab_run_all(const struct lab_run_context *context, const json_t *experiments)
{
    struct totals totals = {.code = LAB_EXIT_OK};
    struct lab_table *table = lab_table_create();
    json_t *runs = json_array(), *experiment;
    char verdict[256];
    size_t index;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i >= 2 && i <= 6 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
    json_array_foreach(experiments, index, experiment)
    {
        if (!run_one(context, experiment, table, runs, &totals))
            break;
    }
    enum lab_exit_code code = judge(&totals);
    snprintf(verdict, sizeof verdict,
             "%s: %zu of %zu experiments succeeded; measurements: %zu verified, %zu wrong; experiments left out: %zu, "
             "without a result: %zu",
             code == LAB_EXIT_OK ? "PASSED" : "FAILED", totals.succeeded, totals.ran, totals.verified, totals.wrong,
             totals.left_out, totals.without_result);
    if (context->lab->json) {
        json_t *document =
            json_pack("{s:O, s:s, s:b}", "runs", runs, "verdict", verdict, "passed", code == LAB_EXIT_OK);
        lab_print_json(document);
        json_decref(document);
    } else {
        lab_report_fallback(stdout, json_array_get(runs, 0));
        lab_table_print(table, stdout);
        printf("\n%s\n", verdict);
    }
    json_decref(runs);
    lab_table_free(table);
    return code;
}
