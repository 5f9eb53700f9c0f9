/* Draws samples as text. */
#include "samples.h"

#include "axes.h"
#include "lab/api_json.h"
#include "terminal.h"

#include "core/format.h"
#include "core/hardware_counters.h"
#include "core/json_members.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROWS = 13, COLUMNS_MAX = 64, COLUMNS_MIN = 16, LABEL = 13, BAR = 14, LEVELS = 4 };
enum { BESIDE = LABEL + BAR + 32 }; /* characters of a line that are not part of the strip */

/* What cells and bars are drawn with. */
struct brush {
    const char *levels[LEVELS + 1]; /* from none to most samples */
    const char *bar, *edge;
};
static const struct brush ascii = {{" ", ".", ":", "*", "#"}, "#", "|"};
static const struct brush blocks = {{" ", "░", "▒", "▓", "█"}, "█", "│"};

/* The samples of a measurement that are drawn: those from `low` to `high`, in cells. */
struct drawing {
    double low, high;
    size_t columns;
    size_t cells[ROWS][COLUMNS_MAX], bars[ROWS];
    size_t below, above; /* samples that are not drawn */
};

/* --- figures ------------------------------------------------------------------------------------------------------ */

static const char *quantity(const json_t *object, const char *member, const char *unit, char text[LAB_FORMAT_SIZE])
{
    return lab_format_quantity(lab_number_of(object, member), unit, text);
}

static void print_heading(FILE *out, const json_t *measurement, const json_t *experiment)
{
    const char *axis, *side = lab_text_of(measurement, "side");
    json_t *value;
    char text[LAB_FORMAT_SIZE];
    fprintf(out, "\n%s%s%s", side, side[0] != '\0' ? ": " : "", lab_text_of(measurement, "metric"));
    json_object_foreach(json_object_get(measurement, "axes"), axis, value)
    {
        fprintf(out, ", %s %s", axis, lab_coordinate_text(value, lab_unit_of(experiment, "axes", axis), text));
    }
    fputc('\n', out);
}

static void print_drift(FILE *out, const json_t *shape)
{
    double drift = lab_number_of(shape, "drift");
    char size[LAB_FORMAT_SIZE], low[LAB_FORMAT_SIZE], high[LAB_FORMAT_SIZE];
    if (isnan(drift))
        return;
    fprintf(out, "drift: %s (%s to %s)\n", lab_format_share(drift, size),
            lab_format_share(lab_number_of(shape, "drift_low"), low),
            lab_format_share(lab_number_of(shape, "drift_high"), high));
}

static void print_shape(FILE *out, const json_t *shape, const char *unit)
{
    char one[LAB_FORMAT_SIZE], other[LAB_FORMAT_SIZE], third[LAB_FORMAT_SIZE];
    const json_t *modes = json_object_get(shape, "modes"), *shares = json_object_get(shape, "mode_shares");
    print_drift(out, shape);
    if (json_array_size(modes) == 2)
        fprintf(out, "levels: %s (%.0f %%) and %s (%.0f %%)\n",
                lab_format_quantity(json_number_value(json_array_get(modes, 0)), unit, one),
                100 * json_number_value(json_array_get(shares, 0)),
                lab_format_quantity(json_number_value(json_array_get(modes, 1)), unit, other),
                100 * json_number_value(json_array_get(shares, 1)));
    if (lab_number_of(shape, "outliers") > 0)
        fprintf(out, "outliers: %.0f below %s or above %s, the farthest %s\n", lab_number_of(shape, "outliers"),
                quantity(shape, "fence_low", unit, one), quantity(shape, "fence_high", unit, other),
                quantity(shape, "farthest_outlier", unit, third));
}

static void print_figures(FILE *out, const json_t *measurement)
{
    const char *unit = lab_text_of(measurement, "unit");
    char median[LAB_FORMAT_SIZE], q1[LAB_FORMAT_SIZE], q3[LAB_FORMAT_SIZE], noise[LAB_FORMAT_SIZE];
    size_t index;
    json_t *caution;
    fprintf(out, "%zu samples: median %s, quartiles %s and %s, noise %s\n",
            json_array_size(json_object_get(measurement, "samples")), quantity(measurement, "median", unit, median),
            quantity(measurement, "q1", unit, q1), quantity(measurement, "q3", unit, q3),
            lab_format_share(lab_number_of(measurement, "noise"), noise));
    print_shape(out, json_object_get(measurement, "shape"), unit);
    json_array_foreach(json_object_get(measurement, "cautions"), index, caution)
    {
        fprintf(out, "caution: %s\n", lab_text_of(caution, "text"));
    }
}

/* What the hardware has counted, with the device's own names. */
static void print_counters(FILE *out, const json_t *measurement)
{
    const json_t *counters = json_object_get(measurement, "counters");
    size_t index;
    json_t *counter;
    if (json_array_size(counters) > 0)
        fprintf(out, "hardware counters of one repetition:\n");
    json_array_foreach(counters, index, counter)
    {
        char value[LAB_FORMAT_SIZE];
        fprintf(out, "  %-40s %12s  %s\n", lab_hardware_counter_title(lab_text_of(counter, "name")),
                quantity(counter, "value", lab_text_of(counter, "unit"), value), lab_text_of(counter, "metric"));
    }
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

/* Widens the range to the samples of a measurement that are not outliers. */
static void widen(struct drawing *range, const json_t *measurement)
{
    const json_t *shape = json_object_get(measurement, "shape");
    double low = lab_number_of(shape, "fence_low"), high = lab_number_of(shape, "fence_high");
    size_t index;
    json_t *sample;
    json_array_foreach(json_object_get(measurement, "samples"), index, sample)
    {
        double value = lab_number_or_nan(sample);
        if (isnan(value) || value < low || value > high)
            continue;
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

/* The row of a value, from the top. */
static size_t row_of(const struct drawing *drawing, double value)
{
    double share = (drawing->high - value) / (drawing->high - drawing->low);
    return share >= 1 ? ROWS - 1 : (size_t)(share * ROWS);
}

static void fill(struct drawing *drawing, const json_t *samples)
{
    size_t index, count = json_array_size(samples);
    json_t *sample;
    json_array_foreach(samples, index, sample)
    {
        double value = lab_number_or_nan(sample);
        if (isnan(value))
            continue;
        drawing->below += value < drawing->low;
        drawing->above += value > drawing->high;
        if (value < drawing->low || value > drawing->high)
            continue;
        size_t row = row_of(drawing, value);
        drawing->cells[row][index * drawing->columns / count]++;
        drawing->bars[row]++;
    }
}

static size_t largest_of(const size_t *counts, size_t count)
{
    size_t largest = 1;
    for (size_t i = 0; i < count; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    return largest;
}

/* Prints what lies in the row: median, quartiles, modes. */
static void print_marks(FILE *out, const struct drawing *drawing, size_t row, const json_t *measurement)
{
    const json_t *modes = json_object_get(json_object_get(measurement, "shape"), "modes");
    const struct {
        const char *name;
        double value;
    } marks[] = {{"median", lab_number_of(measurement, "median")},
                 {"q1", lab_number_of(measurement, "q1")},
                 {"q3", lab_number_of(measurement, "q3")},
                 {"level", lab_number_or_nan(json_array_get(modes, 0))},
                 {"level", lab_number_or_nan(json_array_get(modes, 1))}};
    const char *separator = "  ";
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!(marks[i].value >= drawing->low && marks[i].value <= drawing->high) ||
            row_of(drawing, marks[i].value) != row)
            continue;
        fprintf(out, "%s%s", separator, marks[i].name);
        separator = ", ";
    }
}

static void print_row(FILE *out, const struct drawing *drawing, size_t row, const json_t *measurement,
                      const struct brush *brush)
{
    char label[LAB_FORMAT_SIZE];
    double height = (drawing->high - drawing->low) / ROWS, middle = drawing->high - ((double)row + 0.5) * height;
    size_t most = largest_of(drawing->cells[0], ROWS * COLUMNS_MAX), longest = largest_of(drawing->bars, ROWS);
    bool labelled = row % 3 == 0;
    fprintf(out, "%*s %s", LABEL, labelled ? lab_format_quantity(middle, lab_text_of(measurement, "unit"), label) : "",
            brush->edge);
    for (size_t column = 0; column < drawing->columns; column++) {
        size_t count = drawing->cells[row][column];
        fputs(brush->levels[(count * LEVELS + most - 1) / most], out);
    }
    fputs(brush->edge, out);
    size_t length = (drawing->bars[row] * BAR + longest - 1) / longest;
    for (size_t i = 0; i < BAR; i++)
        fputs(i < length ? brush->bar : " ", out);
    fprintf(out, " %5zu", drawing->bars[row]);
    print_marks(out, drawing, row, measurement);
    fputc('\n', out);
}

static void print_picture(FILE *out, const struct drawing *range, const json_t *measurement)
{
    struct drawing drawing = *range;
    const struct brush *brush = lab_terminal_has_blocks(out) ? &blocks : &ascii;
    fill(&drawing, json_object_get(measurement, "samples"));
    fputc('\n', out);
    if (drawing.above > 0)
        fprintf(out, "%*s %s %zu above\n", LABEL, "", brush->edge, drawing.above);
    for (size_t row = 0; row < ROWS; row++)
        print_row(out, &drawing, row, measurement, brush);
    if (drawing.below > 0)
        fprintf(out, "%*s %s %zu below\n", LABEL, "", brush->edge, drawing.below);
    fprintf(out, "%*s  first%*s  samples in each range\n", LABEL, "", (int)drawing.columns - 5, "last");
}

void lab_samples_print(FILE *out, const json_t *measurements, const json_t *experiment)
{
    struct drawing range = {.low = INFINITY, .high = -INFINITY};
    size_t width = lab_terminal_width(out), spare = width > BESIDE ? width - BESIDE : 0, index;
    json_t *measurement;
    range.columns = spare > COLUMNS_MAX ? COLUMNS_MAX : spare < COLUMNS_MIN ? COLUMNS_MIN : spare;
    json_array_foreach(measurements, index, measurement)
    {
        widen(&range, measurement);
    }
    if (!(range.high > range.low)) { /* all are equal */
        double margin = range.low != 0 ? fabs(range.low) / 100 : 1;
        range.low -= margin;
        range.high += margin;
    }
    json_array_foreach(measurements, index, measurement)
    {
        print_heading(out, measurement, experiment);
        print_figures(out, measurement);
        print_picture(out, &range, measurement);
        print_counters(out, measurement);
    }
}
