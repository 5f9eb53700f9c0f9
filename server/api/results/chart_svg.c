/* Draws a chart as SVG. */
#include "chart.h"
#include "svg_text.h"

#include "core/format.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

/* In px. SERIES, BARS: how many are drawn at most. */
enum {
    WIDTH = 860,
    LEFT = 80,
    RIGHT = 640,
    TOP = 64,
    BOTTOM = 400,
    LINE = 18,
    BAR = 24,
    BARS_LEFT = 300,
    BARS_RIGHT = 740,
    SERIES = 16,
    BARS = 60,
    TICKS = 12,
    LABEL = 40, /* characters of a label; a longer one is cut */
};

static const char *const colours[] = {"#0860a8", "#bf4a00", "#00755a", "#8a3ca5",
                                      "#8a6800", "#b01f5c", "#3f6f12", "#4b5157"};

/* --- scales ------------------------------------------------------------------------------------------------------- */

struct scale {
    double low, high; /* in the unit; logarithms of a logarithmic scale */
    double from, to;  /* px */
    bool is_log;
};

static double at(const struct scale *scale, double value)
{
    double place = scale->is_log ? log10(value) : value;
    return scale->from + (place - scale->low) / (scale->high - scale->low) * (scale->to - scale->from);
}

static bool is_drawn(double value, bool is_log)
{
    return isfinite(value) && (!is_log || value > 0);
}

/* A scale from the smallest to the largest value; a linear one begins at 0 where there is no value below. */
static struct scale scale_of(double low, double high, bool is_log, double from, double to)
{
    struct scale scale = {.from = from, .to = to, .is_log = is_log};
    scale.low = is_log ? log10(low) : fmin(low, 0);
    scale.high = is_log ? log10(high) : fmax(high, 0);
    double margin = (scale.high - scale.low) * 0.05;
    if (!(margin > 0))
        margin = 0.5;
    scale.high += margin;
    scale.low -= is_log || scale.low < 0 ? margin : 0;
    return scale;
}

/* The values of the ticks, at most TICKS. `is_binary`: powers of two on a logarithmic scale, as for sizes. */
static size_t find_ticks(const struct scale *scale, bool is_binary, double ticks[TICKS])
{
    double base = is_binary && scale->is_log ? log10(2) : 1, range = scale->high - scale->low, step = 1;
    if (scale->is_log) {
        step = base * fmax(1, ceil(range / base / 8));
    } else {
        step = pow(10, floor(log10(range / 5)));
        step *= range / step > 25 ? 5 : range / step > 10 ? 2 : 1;
    }
    size_t count = 0;
    for (double place = ceil(scale->low / step - 1e-9) * step; place <= scale->high && count < TICKS; place += step)
        ticks[count++] = scale->is_log ? pow(10, place) : fabs(place) < step * 1e-9 ? 0 : place;
    return count;
}

static const char *value_text(double value, const char *unit, char text[LAB_FORMAT_SIZE])
{
    return unit != NULL && lab_format_has_unit(unit) ? lab_format_value(value, unit, text)
                                                     : lab_format_number(value, text);
}

static const char *tick_text(double value, const char *unit, char text[LAB_FORMAT_SIZE])
{
    if (value != 0 && unit != NULL && lab_format_has_unit(unit))
        return lab_format_value(value, unit, text);
    snprintf(text, LAB_FORMAT_SIZE, "%.10g", value);
    return text;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool is_shown(const struct lab_chart *chart, const struct lab_chart_point *point)
{
    return is_drawn(point->x, chart->log_x) && is_drawn(point->median, chart->log_y);
}

/* Finds the scales of a line chart. False: no point is drawn. */
static bool find_scales(const struct lab_chart *chart, struct scale *x, struct scale *y)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < chart->count && i < SERIES; i++)
        for (size_t k = 0; k < chart->series[i].count; k++) {
            const struct lab_chart_point *point = &chart->series[i].points[k];
            if (!is_shown(chart, point))
                continue;
            low[0] = fmin(low[0], point->x);
            high[0] = fmax(high[0], point->x);
            low[1] = fmin(low[1], point->median);
            high[1] = fmax(high[1], point->median);
        }
    *x = scale_of(low[0], high[0], chart->log_x, LEFT, RIGHT);
    *y = scale_of(low[1], high[1], chart->log_y, BOTTOM, TOP);
    return high[0] >= low[0];
}

static void write_axes(FILE *out, const struct lab_chart *chart, const struct scale *x, const struct scale *y)
{
    double ticks[TICKS];
    char text[LAB_FORMAT_SIZE];
    size_t count = find_ticks(y, chart->y_unit != NULL && strcmp(chart->y_unit, "B") == 0, ticks);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, at(y, ticks[i]), RIGHT);
        lab_svg_write_text(out, LEFT - 8, at(y, ticks[i]) + 4, "end", tick_text(ticks[i], chart->y_unit, text), LABEL);
    }
    count = find_ticks(x, chart->x_unit != NULL && strcmp(chart->x_unit, "B") == 0, ticks);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<path d=\"M%.1f %dv5\" stroke=\"#555\"/>\n", at(x, ticks[i]), BOTTOM);
        lab_svg_write_text(out, at(x, ticks[i]), BOTTOM + 20, "middle", tick_text(ticks[i], chart->x_unit, text),
                           LABEL);
    }
    fprintf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#555\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
    lab_svg_write_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", chart->x_title, 2 * LABEL);
}

static void write_series(FILE *out, const struct lab_chart *chart, size_t index, const struct scale *x,
                         const struct scale *y)
{
    const struct lab_chart_series *series = &chart->series[index];
    const char *colour = colours[index % (sizeof colours / sizeof *colours)];
    const char *dashes = index >= sizeof colours / sizeof *colours ? " stroke-dasharray=\"6 4\"" : "";
    char move = 'M';
    fputs("<path d=\"", out);
    for (size_t k = 0; k < series->count; k++)
        if (is_shown(chart, &series->points[k])) {
            fprintf(out, "%c%.1f %.1f", move, at(x, series->points[k].x), at(y, series->points[k].median));
            move = 'L';
        }
    fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", colour, dashes);
    for (size_t k = 0; k < series->count; k++)
        if (is_shown(chart, &series->points[k]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at(x, series->points[k].x),
                    at(y, series->points[k].median), colour);
    if (series->label[0] == '\0')
        return;
    double place = TOP + (double)index * LINE;
    fprintf(out, "<path d=\"M%d %.1fh18\" stroke=\"%s\" stroke-width=\"3\"%s/>\n", RIGHT + 16, place, colour, dashes);
    lab_svg_write_text(out, RIGHT + 40, place + 4, "start", series->label, 26);
}

static void write_lines(FILE *out, const struct lab_chart *chart)
{
    struct scale x, y;
    if (!find_scales(chart, &x, &y)) {
        lab_svg_write_text(out, LEFT, TOP + 40, "start", "No value to draw.", LABEL);
        return;
    }
    write_axes(out, chart, &x, &y);
    for (size_t i = 0; i < chart->count && i < SERIES; i++)
        write_series(out, chart, i, &x, &y);
}

/* --- bars --------------------------------------------------------------------------------------------------------- */

static double largest(const struct lab_chart *chart)
{
    double most = 0;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t k = 0; k < chart->series[i].count; k++)
            most = fmax(most, fabs(chart->series[i].points[k].median));
    return most;
}

static void write_bar(FILE *out, const struct lab_chart *chart, const struct lab_chart_series *series,
                      const struct lab_chart_point *point, double top, double most)
{
    char text[LAB_FORMAT_SIZE], label[512];
    const char *separator = point->label[0] != '\0' && series->label[0] != '\0' ? ", " : "";
    double length = most > 0 && isfinite(point->median) ? fabs(point->median) / most * (BARS_RIGHT - BARS_LEFT) : 0;
    snprintf(label, sizeof label, "%.240s%s%.240s", point->label, separator, series->label);
    lab_utf8_drop_invalid(label);
    lab_svg_write_text(out, BARS_LEFT - 10, top + 13, "end", label, LABEL);
    fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n", BARS_LEFT, top, length,
            colours[(size_t)(series - chart->series) % (sizeof colours / sizeof *colours)]);
    lab_svg_write_text(out, BARS_RIGHT + 10, top + 13, "start", value_text(point->median, chart->y_unit, text), LABEL);
}

/* Returns how many bars there are, of which at most BARS are drawn. */
static size_t write_bars(FILE *out, const struct lab_chart *chart)
{
    double most = largest(chart);
    size_t count = 0;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t k = 0; k < chart->series[i].count; k++, count++)
            if (count < BARS)
                write_bar(out, chart, &chart->series[i], &chart->series[i].points[k], TOP + (double)count * BAR, most);
    return count;
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

static size_t count_bars(const struct lab_chart *chart)
{
    size_t count = 0;
    for (size_t i = 0; i < chart->count; i++)
        count += chart->series[i].count;
    return count < BARS ? count : BARS;
}

static void write_foot(FILE *out, const struct lab_chart *chart, size_t left_out, double y)
{
    char text[96];
    snprintf(text, sizeof text, "Not drawn: %zu %s.", left_out, chart->is_bars ? "results" : "series");
    if (left_out > 0)
        lab_svg_write_text(out, LEFT, y, "start", text, sizeof text);
    snprintf(text, sizeof text, "Left out as wrong: %zu.", chart->wrong);
    if (chart->wrong > 0)
        lab_svg_write_text(out, LEFT, y + (left_out > 0 ? LINE : 0), "start", text, sizeof text);
}

void lab_chart_write(const struct lab_chart *chart, FILE *out)
{
    double bottom = chart->is_bars ? TOP + (double)count_bars(chart) * BAR : BOTTOM + 48;
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
        "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#191c1f\">\n<title>",
        WIDTH, bottom + 48, WIDTH, bottom + 48);
    lab_svg_write_cut(out, chart->title, 2 * LABEL);
    fputs(": ", out);
    lab_svg_write_cut(out, chart->heading, 3 * LABEL);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
    fputs("<g font-weight=\"bold\">", out);
    lab_svg_write_text(out, 16, 24, "start", chart->heading, 100);
    fputs("</g>\n", out);
    lab_svg_write_text(out, 16, 44, "start", chart->y_title, 100);
    size_t left_out = chart->count > SERIES ? chart->count - SERIES : 0;
    if (chart->is_bars) {
        size_t count = write_bars(out, chart);
        left_out = count > BARS ? count - BARS : 0;
    } else {
        write_lines(out, chart);
    }
    write_foot(out, chart, left_out, bottom + 20);
    fputs("</svg>\n", out);
}
