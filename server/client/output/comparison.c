/* Prints a comparison of two runs, or of the sides of one. */
#include "comparison.h"

#include "axes.h"
#include "comparison_cases.h"
#include "comparison_sentences.h"
#include "run_line.h"

#include "core/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the runs and their environments ------------------------------------------------------------------------------ */

static struct lab_table *table_of_runs(const json_t *comparison)
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
    return table;
}

static void add_value(struct lab_table *table, const json_t *value)
{
    char *text = json_is_string(value) || value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    lab_table_cell(table, "%s", text != NULL ? text : value != NULL ? json_string_value(value) : "-");
    free(text);
}

static struct lab_table *table_of_environment(const json_t *differences)
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
    return table;
}

/* Prints a table in the width of the terminal, and frees it. */
static void print_table(FILE *out, struct lab_table *table)
{
    lab_table_fit(table, lab_terminal_width(stdout));
    lab_table_print(table, out);
    lab_table_free(table);
}

static void print_environment(FILE *out, const json_t *differences)
{
    fputc('\n', out);
    if (json_array_size(differences) > 0)
        print_table(out, table_of_environment(differences));
    else
        fputs("The environments are the same.\n", out);
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

/* A row of the table: coordinates, medians, ratio with its interval, the smallest difference that would be found,
 * verdict, cautions. */
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

/* Where the points of a comparison go: printed, or into a document. */
struct place {
    FILE *out; /* NULL: not printed */
    struct lab_document *document;
    const json_t *experiment;
};

/* Writes the table of a metric, of which `first` is a point, with the coordinates that all points have. */
static void write_table(const struct place *place, const struct lab_table_points *points, const json_t *first,
                        struct lab_table *table)
{
    const char *unit = lab_text_of(first, "unit"), *metric = lab_text_of(first, "metric");
    bool shown = strcmp(unit, "1") != 0 && unit[0] != '\0' && !lab_format_has_unit(unit);
    const char *separator = shown ? ", " : "", *named = shown ? unit : "";
    if (place->out != NULL) {
        fprintf(place->out, "\n%s%s%s\n", metric, separator, named);
        lab_axes_print_fixed(place->out, points, place->experiment);
        lab_table_fit(table, lab_terminal_width(stdout));
        lab_table_print(table, place->out);
        return;
    }
    char *fixed = lab_axes_as_text(points->fixed, place->experiment), *heading = NULL;
    if (asprintf(&heading, "%s%s%s%s%s", metric, separator, named, fixed != NULL && fixed[0] != '\0' ? ": " : "",
                 fixed != NULL ? fixed : "") < 0)
        heading = NULL;
    lab_document_table(place->document, heading, table);
    free(heading);
    free(fixed);
}

/* Puts the points of a metric, {"measurements":[…]}, into a table. */
static void place_metric(const struct place *place, const json_t *chosen)
{
    static const char *const titles[] = {"base", "head", "ratio", "interval", "detectable", "verdict"};
    struct lab_table_points points = {0};
    struct lab_table *table = lab_table_create();
    bool has_cautions = any_has_cautions(chosen);
    if (lab_table_points_gather(&points, chosen, NULL, false) && points.count > 0) {
        lab_axes_columns(table, &points, place->experiment);
        for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
            lab_table_column(table, titles[i], i < 5 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
        if (has_cautions)
            lab_table_column(table, "cautions", LAB_COLUMN_LEFT);
        for (size_t i = 0; i < points.count; i++)
            add_point(table, &points, &points.items[i], place->experiment, has_cautions);
        write_table(place, &points, json_array_get(json_object_get(chosen, "measurements"), 0), table);
    }
    lab_table_points_release(&points);
    lab_table_free(table);
}

/* The points by metric, {METRIC: {"measurements":[…]}}, in the order of their first points; a new reference. Points
 * without a verdict are left out: another metric of the same samples has it. */
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

/* Puts the points that have the verdict `only`, or all (NULL), into tables. */
static void place_points(const struct place *place, const json_t *comparison, const char *only)
{
    json_t *metrics = by_metric(json_object_get(comparison, "points"), only), *chosen;
    const char *metric;
    json_object_foreach(metrics, metric, chosen)
    {
        place_metric(place, chosen);
    }
    json_decref(metrics);
}

/* --- hardware counters -------------------------------------------------------------------------------------------- */

static struct lab_table *table_of_counters(const json_t *changes)
{
    static const char *const titles[] = {"hardware counter", "base", "head", "ratio"};
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *each;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i == 0 ? LAB_COLUMN_LEFT : LAB_COLUMN_RIGHT);
    json_array_foreach(changes, index, each)
    {
        char text[LAB_FORMAT_SIZE];
        double base = lab_number_of(each, "base"), head = lab_number_of(each, "head");
        lab_table_cell(table, "%s", lab_text_of(each, "title"));
        lab_table_cell(table, "%s", lab_format_quantity(base, lab_text_of(each, "unit"), text));
        lab_table_cell(table, "%s", lab_format_quantity(head, lab_text_of(each, "unit"), text));
        lab_table_cell(table, "%s", base != 0 ? lab_format_number(head / base, text) : "-");
    }
    return table;
}

/* Prints the counters that differ, of the first points that have any. */
static void print_counters(FILE *out, const json_t *points, const json_t *experiment, const char *only)
{
    enum { SHOWN = 3 };
    size_t index, found = 0;
    json_t *each;
    json_array_foreach(points, index, each)
    {
        const json_t *changes = json_object_get(each, "counters");
        const char *verdict = lab_text_of(each, "verdict");
        if (json_array_size(changes) == 0 || (only != NULL && strcmp(only, verdict) != 0) || ++found > SHOWN)
            continue;
        char *axes = lab_axes_as_text(json_object_get(each, "axes"), experiment);
        fprintf(out, "\n%s\n", axes != NULL ? axes : "");
        print_table(out, table_of_counters(changes));
        free(axes);
    }
    if (found > SHOWN)
        fprintf(out, "Counters of %zu further points differ; --json has them.\n", found - SHOWN);
}

/* Prints these points, and the summary of all. */
static void print_points(FILE *out, const json_t *comparison, const json_t *experiment, const char *only)
{
    place_points(&(const struct place){.out = out, .experiment = experiment}, comparison, only);
    print_counters(out, json_object_get(comparison, "points"), experiment, only);
    lab_comparison_print_reasons(out, json_object_get(comparison, "points"), only);
    lab_comparison_print_summary(out, comparison);
}

void lab_comparison_print(FILE *out, const json_t *comparison, const json_t *experiment, const char *only)
{
    lab_comparison_print_missing_samples(out, comparison);
    print_table(out, table_of_runs(comparison));
    print_environment(out, json_object_get(comparison, "environment"));
    lab_comparison_print_warnings(out, json_object_get(comparison, "warnings"));
    print_points(out, comparison, experiment, only);
}

/* --- the sides of a run ------------------------------------------------------------------------------------------- */

/* Prints that the own kernel or program of the base is another one, with the names of its files. Returns the next
 * separator. */
static const char *print_code(FILE *out, const char *separator, const char *member, const json_t *base,
                              const json_t *head)
{
    const json_t *code = json_object_get(base, member), *other = json_object_get(head, member);
    const char *name, *between = " of ";
    json_t *text;
    if (!json_is_object(code) || json_equal(code, other))
        return separator;
    fprintf(out, "%sanother %s", separator, member);
    json_object_foreach(json_object_get(code, "files"), name, text)
    {
        fprintf(out, "%s%s", between, name);
        between = " ";
    }
    return ", ";
}

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
    separator = print_code(out, separator, "kernel", base, head);
    separator = print_code(out, separator, "program", base, head);
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

void lab_comparison_print_sides(FILE *out, const json_t *run, const json_t *comparison, const json_t *experiment)
{
    print_base(out, json_object_get(run, "compare_with"), run);
    print_points(out, comparison, experiment, NULL);
}

/* --- as a document ------------------------------------------------------------------------------------------------ */

void lab_comparison_add(struct lab_document *document, const json_t *comparison, const json_t *experiment,
                        const char *only, const struct lab_failing *failing)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    lab_comparison_print_missing_samples(out, comparison);
    lab_comparison_print_warnings(out, json_object_get(comparison, "warnings"));
    lab_comparison_print_summary(out, comparison);
    lab_comparison_print_reasons(out, json_object_get(comparison, "points"), only);
    if (fclose(out) == 0)
        lab_document_sentences(document, text);
    free(text);
    place_points(&(const struct place){.document = document, .experiment = experiment}, comparison, only);
    lab_comparison_cases(document, comparison, experiment, failing);
}

struct lab_document *lab_comparison_document(const json_t *comparison, const json_t *experiment, const char *only,
                                             const struct lab_failing *failing)
{
    const json_t *differences = json_object_get(comparison, "environment");
    const char *experiment_name = lab_text_of(json_object_get(comparison, "head"), "experiment");
    char title[128];
    snprintf(title, sizeof title, "%.64s: base and head", experiment_name);
    struct lab_document *document = lab_document_create(experiment_name, title);
    struct lab_table *runs = table_of_runs(comparison), *environment = table_of_environment(differences);
    lab_document_table(document, NULL, runs);
    lab_comparison_add(document, comparison, experiment, only, failing);
    if (json_array_size(differences) > 0)
        lab_document_table(document, "Differences of the environments", environment);
    lab_table_free(runs);
    lab_table_free(environment);
    return document;
}
