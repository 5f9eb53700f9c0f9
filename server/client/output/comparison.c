/* Prints a comparison of two runs, or of the sides of one. */
#include "comparison.h"

#include "axes.h"
#include "run_line.h"

#include "core/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the runs and their environments ------------------------------------------------------------------------------ */

static void print_runs(FILE *out, const json_t *comparison)
{
    static const char *const sides[] = {"base", "head"};
    struct lab_table *table = lab_table_create();
    char age[LAB_FORMAT_SIZE];
    lab_table_column(table, lab_text_of(json_object_get(comparison, "head"), "experiment"), LAB_COLUMN_LEFT);
    lab_table_column(table, "run", LAB_COLUMN_LEFT);
    lab_table_column(table, "age", LAB_COLUMN_RIGHT);
    lab_table_column(table, "device", LAB_COLUMN_CUT);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const json_t *run = json_object_get(comparison, sides[i]);
        lab_table_cell(table, "%s", sides[i]);
        lab_table_cell(table, "%s", lab_text_of(run, "id"));
        lab_table_cell(table, "%s", lab_run_age(run, age));
        lab_table_take(table, lab_run_devices(run));
    }
    lab_table_fit(table, lab_terminal_width(stdout));
    lab_table_print(table, out);
    lab_table_free(table);
}

static void add_value(struct lab_table *table, const json_t *value)
{
    char *text = json_is_string(value) || value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    lab_table_cell(table, "%s", text != NULL ? text : value != NULL ? json_string_value(value) : "-");
    free(text);
}

static void print_environment(FILE *out, const json_t *differences)
{
    static const char *const titles[] = {"environment", "base", "head"};
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *each;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], LAB_COLUMN_CUT);
    json_array_foreach(differences, index, each)
    {
        lab_table_cell(table, "%s", lab_text_of(each, "path"));
        add_value(table, json_object_get(each, "base"));
        add_value(table, json_object_get(each, "head"));
    }
    fputc('\n', out);
    if (json_array_size(differences) > 0) {
        lab_table_fit(table, lab_terminal_width(stdout));
        lab_table_print(table, out);
    } else {
        fputs("The environments are the same.\n", out);
    }
    lab_table_free(table);
}

static void print_warnings(FILE *out, const json_t *warnings)
{
    size_t index;
    json_t *each;
    json_array_foreach(warnings, index, each)
    {
        fprintf(out, "warning: %s\n", json_string_value(each) != NULL ? json_string_value(each) : "");
    }
}

/* Says that points cannot be judged because a side has no samples. */
static void print_missing_samples(FILE *out, const json_t *comparison)
{
    const json_t *missing = json_object_get(comparison, "samples_missing");
    double base = lab_number_of(missing, "base"), head = lab_number_of(missing, "head");
    if (!(base > 0) && !(head > 0))
        return;
    const char *sides = base > 0 && head > 0 ? "base and head have" : base > 0 ? "base has" : "head has";
    fprintf(out,
            "NO SAMPLES: %s none at %.0f points, and nothing can be judged without.\n"
            "They were left out of an export, or removed by --keep-samples-days. Import the run again from an\n"
            "export that has them ('gpulab export' without --no-samples), or measure again.\n\n",
            sides, base > head ? base : head);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

static enum lab_style style_of(const char *verdict)
{
    static const struct {
        const char *verdict;
        enum lab_style style;
    } styles[] = {{"faster", LAB_STYLE_GOOD},
                  {"slower", LAB_STYLE_BAD},
                  {"unclear", LAB_STYLE_DOUBTFUL},
                  {NULL, LAB_STYLE_PLAIN}};
    size_t i = 0;
    while (styles[i].verdict != NULL && strcmp(styles[i].verdict, verdict) != 0)
        i++;
    return styles[i].style;
}

static void add_number(struct lab_table *table, double number, const char *unit)
{
    char text[LAB_FORMAT_SIZE];
    lab_table_cell(table, "%s", lab_format_value(number, unit, text));
}

static const char *const side_names[] = {"base", "head"};

static bool any_has_cautions(const json_t *chosen)
{
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(chosen, "measurements"), index, each)
    {
        for (size_t side = 0; side < 2; side++)
            if (json_array_size(json_object_get(json_object_get(each, side_names[side]), "cautions")) > 0)
                return true;
    }
    return false;
}

/* The cautions of both sides: "base: noisy; head: drifting, noisy". */
static void add_cautions(struct lab_table *table, const json_t *compared)
{
    char *texts[2];
    for (size_t side = 0; side < 2; side++)
        texts[side] = lab_cautions_text(json_object_get(compared, side_names[side]));
    bool has[2] = {texts[0] != NULL && texts[0][0] != '\0', texts[1] != NULL && texts[1][0] != '\0'};
    lab_table_cell(table, "%s%s%s%s%s", has[0] ? "base: " : "", has[0] ? texts[0] : "", has[0] && has[1] ? "; " : "",
                   has[1] ? "head: " : "", has[1] ? texts[1] : "");
    lab_table_style(table, LAB_STYLE_DOUBTFUL);
    free(texts[0]);
    free(texts[1]);
}

/* A row of the table: coordinates, medians, ratio with its interval, the smallest difference that would be found, verdict,
 * cautions. */
static void add_point(struct lab_table *table, const struct lab_table_points *points,
                      const struct lab_table_point *point, const json_t *experiment, bool has_cautions)
{
    const json_t *compared = point->found[0];
    const char *unit = lab_text_of(compared, "unit"), *verdict = lab_text_of(compared, "verdict");
    double low = lab_number_of(compared, "low"), high = lab_number_of(compared, "high");
    lab_axes_cells(table, points, point, experiment);
    add_number(table, lab_number_of(json_object_get(compared, "base"), "median"), unit);
    add_number(table, lab_number_of(json_object_get(compared, "head"), "median"), unit);
    add_number(table, lab_number_of(compared, "ratio"), "");
    if (isfinite(low) && isfinite(high))
        lab_table_cell(table, "%.3f to %.3f", low, high);
    else
        lab_table_cell(table, "-");
    double detectable = 100 * lab_number_of(compared, "detectable");
    if (isfinite(detectable))
        lab_table_cell(table, "%.*f %%", detectable < 9.95 ? 1 : 0, detectable);
    else
        lab_table_cell(table, "-");
    lab_table_cell(table, "%s", verdict);
    lab_table_style(table, style_of(verdict));
    if (has_cautions)
        add_cautions(table, compared);
}

/* Prints the points of a metric, {"measurements":[…]}. */
static void print_metric(FILE *out, const json_t *chosen, const json_t *experiment)
{
    static const char *const titles[] = {"base", "head", "ratio", "interval", "detectable", "verdict"};
    struct lab_table_points points = {0};
    struct lab_table *table = lab_table_create();
    const json_t *first = json_array_get(json_object_get(chosen, "measurements"), 0);
    const char *unit = lab_text_of(first, "unit");
    bool has_cautions = any_has_cautions(chosen);
    if (lab_table_points_gather(&points, chosen, NULL, false) && points.count > 0) {
        lab_axes_columns(table, &points, experiment);
        for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
            lab_table_column(table, titles[i], i < 5 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
        if (has_cautions)
            lab_table_column(table, "cautions", LAB_COLUMN_LEFT);
        for (size_t i = 0; i < points.count; i++)
            add_point(table, &points, &points.items[i], experiment, has_cautions);
        bool shown = strcmp(unit, "1") != 0 && unit[0] != '\0' && !lab_format_has_unit(unit);
        fprintf(out, "\n%s%s%s\n", lab_text_of(first, "metric"), shown ? ", " : "", shown ? unit : "");
        lab_axes_print_fixed(out, &points, experiment);
        lab_table_fit(table, lab_terminal_width(stdout));
        lab_table_print(table, out);
    }
    lab_table_points_release(&points);
    lab_table_free(table);
}

/* The points by metric, {METRIC: {"measurements":[…]}}, in the order of their first points; a new reference. Points without a
 * verdict are left out: another metric of the same samples has it. */
static json_t *by_metric(const json_t *points, const char *only)
{
    json_t *metrics = json_object(), *each;
    size_t index;
    json_array_foreach(points, index, each)
    {
        const char *metric = lab_text_of(each, "metric"), *verdict = lab_text_of(each, "verdict");
        if (verdict[0] == '\0' || (only != NULL && strcmp(only, verdict) != 0))
            continue;
        if (json_object_get(metrics, metric) == NULL)
            json_object_set_new(metrics, metric, json_pack("{s:[]}", "measurements"));
        json_array_append(json_object_get(json_object_get(metrics, metric), "measurements"), each);
    }
    return metrics;
}

/* Prints the reason of points that are unclear for the same one, and how much time would decide them. */
static void print_reason(FILE *out, const char *reason, const json_t *points)
{
    static const double shown_max = 100; /* a point that needs more is too close to the minimum effect */
    double most = 0;
    size_t index;
    json_t *point;
    json_array_foreach(points, index, point)
    {
        most = fmax(most, lab_number_of(point, "needed"));
    }
    fprintf(out, "unclear, %zu points: %s", json_array_size(points), reason);
    if (most > 0)
        fprintf(out, "; %s%.3g times the time budget would probably decide %s", most > shown_max ? "over " : "",
                fmin(most, shown_max), json_array_size(points) == 1 ? "it" : "all");
    fputc('\n', out);
}

/* Prints each reason of the points that are unclear once, and of how many points it is. */
static void print_reasons(FILE *out, const json_t *points, const char *only)
{
    json_t *reasons = json_object(), *point, *same;
    size_t index;
    const char *reason;
    bool shown = only == NULL || strcmp(only, "unclear") == 0;
    json_array_foreach(points, index, point)
    {
        reason = lab_text_of(point, "reason");
        if (!shown || reason[0] == '\0' || strcmp(lab_text_of(point, "verdict"), "unclear") != 0)
            continue;
        if (json_object_get(reasons, reason) == NULL)
            json_object_set_new(reasons, reason, json_array());
        json_array_append(json_object_get(reasons, reason), point);
    }
    if (json_object_size(reasons) > 0)
        fputc('\n', out);
    json_object_foreach(reasons, reason, same)
    {
        print_reason(out, reason, same);
    }
    json_decref(reasons);
}

/* --- the summary -------------------------------------------------------------------------------------------------- */

/* Says how many points only one of the runs has. */
static void print_missing(FILE *out, const json_t *comparison, const char *member, const char *side)
{
    double count = lab_number_of(json_object_get(comparison, member), "count");
    if (count > 0)
        fprintf(out, "%.0f points only in %s\n", count, side);
}

static void print_summary(FILE *out, const json_t *comparison)
{
    static const char *const verdicts[] = {"slower", "faster", "same", "unclear"};
    const json_t *summary = json_object_get(comparison, "summary");
    double compared = 0;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        compared += lab_number_of(summary, verdicts[i]);
    fprintf(out, "\n%.0f points:", compared);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        fprintf(out, "%s %.0f %s", i > 0 ? "," : "", lab_number_of(summary, verdicts[i]), verdicts[i]);
    fprintf(out, "; together %s\n", lab_text_of(comparison, "verdict"));
    print_missing(out, comparison, "only_base", "base");
    print_missing(out, comparison, "only_head", "head");
}

/* Prints the points that have the verdict `only`, or all (NULL), and the summary of all. */
static void print_points(FILE *out, const json_t *comparison, const json_t *experiment, const char *only)
{
    json_t *metrics = by_metric(json_object_get(comparison, "points"), only), *chosen;
    const char *metric;
    json_object_foreach(metrics, metric, chosen)
    {
        print_metric(out, chosen, experiment);
    }
    print_reasons(out, json_object_get(comparison, "points"), only);
    print_summary(out, comparison);
    json_decref(metrics);
}

void lab_comparison_print(FILE *out, const json_t *comparison, const json_t *experiment, const char *only)
{
    print_missing_samples(out, comparison);
    print_runs(out, comparison);
    print_environment(out, json_object_get(comparison, "environment"));
    print_warnings(out, json_object_get(comparison, "warnings"));
    print_points(out, comparison, experiment, only);
}

/* --- the sides of a run ------------------------------------------------------------------------------------------- */

/* Prints the parameters and the devices that differ in the base: "base: memory pageable". */
static void print_base(FILE *out, const json_t *base, const json_t *head)
{
    const json_t *parameters = json_object_get(head, "parameters");
    json_t *value;
    const char *name, *separator = "base: ";
    if (!json_equal(json_object_get(base, "experiment"), json_object_get(head, "experiment"))) {
        fprintf(out, "%s%s", separator, lab_text_of(base, "experiment"));
        separator = ", ";
    }
    json_object_foreach(json_object_get(base, "parameters"), name, value)
    {
        if (json_equal(value, json_object_get(parameters, name)))
            continue;
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        fprintf(out, "%s%s=%s", separator, name, text != NULL ? text : "");
        free(text);
        separator = ", ";
    }
    size_t index;
    bool other_devices = !json_equal(json_object_get(base, "devices"), json_object_get(head, "devices"));
    json_array_foreach(other_devices ? json_object_get(base, "devices") : NULL, index, value)
    {
        fprintf(out, "%s%s (%s)", separator, lab_text_of(value, "name"), lab_text_of(value, "id"));
        separator = ", ";
    }
    fputs(strcmp(separator, ", ") == 0 ? "\n" : "base: the same\n", out);
}

void lab_comparison_print_sides(FILE *out, const json_t *comparison, const json_t *experiment)
{
    print_base(out, json_object_get(comparison, "base"), json_object_get(comparison, "head"));
    print_points(out, comparison, experiment, NULL);
}
