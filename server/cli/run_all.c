/* gpulab run all: every experiment, one after the other, one table and one verdict. */
#include "documents.h"
#include "quantities.h"
#include "report.h"
#include "run_options.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What became of all. */
struct verdict {
    size_t ran, succeeded, left_out;
    struct lab_tally tally;
    enum lab_exit_code end;
};

static const char *const titles[] = {"experiment", "status",  "measurements", "verified",
                                     "wrong",      "skipped", "time",         "best"};

/* "bandwidth 26.31 GB/s": the best median of the metric that the experiment shows first. */
static void show_best(char *text, size_t size, const json_t *run, const json_t *experiment)
{
    const char *metric = lab_text_of(json_array_get(json_object_get(experiment, "views"), 0), "metric"), *unit = "";
    double best = (double)NAN;
    char figure[LAB_QUANTITY_SIZE];
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        if (strcmp(lab_text_of(each, "metric"), metric) != 0)
            continue;
        best = fmax(best, lab_number_of(each, "median")); /* fmax passes a NAN over */
        unit = lab_text_of(each, "unit");
    }
    if (isfinite(best))
        snprintf(text, size, "%s %s %s", metric, lab_show_number(best, figure), unit);
    else
        snprintf(text, size, "-");
}

static void add_run_row(struct lab_table *table, const json_t *run, const json_t *experiment)
{
    struct lab_tally tally = lab_report_tally(run);
    char best[128], text[LAB_QUANTITY_SIZE];
    show_best(best, sizeof best, run, experiment);
    lab_table_cell(table, "%s", lab_text_of(run, "experiment"));
    lab_table_cell(table, "%s", lab_text_of(run, "status"));
    lab_table_cell(table, "%zu", tally.measurements);
    lab_table_cell(table, "%zu", tally.verified);
    lab_table_cell(table, "%zu", tally.wrong);
    lab_table_cell(table, "%zu", tally.skipped);
    lab_table_cell(table, "%s", lab_show_seconds(lab_report_seconds(run), text));
    lab_table_cell(table, "%s", best);
}

/* A row for what did not run, and why. */
static void add_absent_row(struct lab_table *table, const json_t *experiment, const char *status, const char *reason)
{
    lab_table_cell(table, "%s", lab_text_of(experiment, "name"));
    lab_table_cell(table, "%s", status);
    for (size_t i = 2; i + 1 < sizeof titles / sizeof *titles; i++)
        lab_table_cell(table, "-");
    lab_table_cell(table, "%s", reason);
}

static void count_run(struct verdict *verdict, const json_t *run)
{
    struct lab_tally tally = lab_report_tally(run);
    enum lab_exit_code end = lab_report_end(run);
    verdict->ran++;
    verdict->succeeded += end == LAB_EXIT_OK;
    verdict->tally.verified += tally.verified;
    verdict->tally.wrong += tally.wrong;
    if (end != LAB_EXIT_OK && verdict->end != LAB_EXIT_FAILED)
        verdict->end = end;
}

/* Runs one experiment, or says why not; false when the rest is not to be tried either. */
static bool run_one(const struct lab_run_context *context, const json_t *experiment, struct lab_table *table,
                    json_t *runs, struct verdict *verdict)
{
    struct lab_errors errors = {0};
    json_t *run = NULL;
    double wanted = lab_number_of(json_object_get(experiment, "devices"), "min");
    size_t there = json_array_size(json_object_get(context->devices, "devices"));
    if (wanted > (double)there) {
        char reason[64];
        snprintf(reason, sizeof reason, "needs %.0f devices, there are %zu", wanted, there);
        add_absent_row(table, experiment, "left out", reason);
        verdict->left_out++;
        return true;
    }
    json_t *request = lab_run_request(context, lab_text_of(experiment, "name"), &errors);
    enum lab_exit_code end = LAB_EXIT_USAGE;
    if (request != NULL)
        end = lab_run_perform(context, request, &run);
    lab_print_errors(&errors);
    json_decref(request);
    if (run == NULL) {
        add_absent_row(table, experiment, "not run", "see above");
        verdict->end = end;
        return false;
    }
    add_run_row(table, run, experiment);
    count_run(verdict, run);
    json_array_append_new(runs, run);
    return lab_report_end(run) != LAB_EXIT_CANCELLED;
}

static void write_verdict(char *text, size_t size, const struct verdict *verdict)
{
    snprintf(text, size, "%s: %zu of %zu experiments succeeded, %zu measurements verified, %zu wrong, %zu left out",
             verdict->end == LAB_EXIT_OK ? "PASSED" : "FAILED", verdict->succeeded, verdict->ran,
             verdict->tally.verified, verdict->tally.wrong, verdict->left_out);
}

enum lab_exit_code lab_run_all(const struct lab_run_context *context)
{
    struct verdict verdict = {.end = LAB_EXIT_OK};
    struct lab_table *table = lab_table_create();
    json_t *runs = json_array(), *experiment;
    char text[256];
    size_t index;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i >= 2 && i <= 6);
    json_array_foreach(json_object_get(context->experiments, "experiments"), index, experiment)
    {
        if (!run_one(context, experiment, table, runs, &verdict))
            break;
    }
    if (verdict.ran == 0 && verdict.end == LAB_EXIT_OK)
        verdict.end = LAB_EXIT_NO_DEVICE;
    write_verdict(text, sizeof text, &verdict);
    if (context->options->json) {
        json_t *document =
            json_pack("{s:O, s:s, s:b}", "runs", runs, "verdict", text, "passed", verdict.end == LAB_EXIT_OK);
        lab_print_json(document);
        json_decref(document);
    } else {
        lab_table_print(table, stdout);
        printf("\n%s\n", text);
    }
    json_decref(runs);
    lab_table_free(table);
    return verdict.end;
}
