/* Predicts the rates of all points by Little's law from that with one operation in flight, and finds where the measured
 * rates level off. */
#include "summary.h"

#include "occupancy_ilp.h"

#include <math.h>

int64_t occupancy_ilp_warps(const struct lab_point *point)
{
    int64_t warps = point->values[OCCUPANCY_ILP_WARPS];
    return warps != LAB_NO_VALUE ? warps : 1;
}

double occupancy_ilp_in_flight(const struct lab_point *point)
{
    return (double)(occupancy_ilp_warps(point) * point->values[OCCUPANCY_ILP_INDEPENDENT]);
}

/* The points of a variant. */
struct series {
    const struct lab_median *items;
    size_t count;
    double one, saturated; /* rates: with one operation in flight (0: not measured), and with many */
};

/* The mean rate of the points with at least half of the most operations in flight: the largest rate of all is that of a
 * single point. */
static double saturated_rate(const struct series *series)
{
    double most = 0, sum = 0, count = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, occupancy_ilp_in_flight(&series->items[i].point));
    for (size_t i = 0; i < series->count; i++)
        if (2 * occupancy_ilp_in_flight(&series->items[i].point) >= most) {
            sum += series->items[i].rate;
            count++;
        }
    return sum / count;
}

/* The variant is the outermost axis, so its points follow one another. */
static struct series series_at(const struct lab_medians *medians, size_t first)
{
    struct series series = {.items = medians->items + first};
    int64_t variant = series.items[0].point.values[OCCUPANCY_ILP_VARIANT];
    for (size_t i = first; i < medians->count; i++) {
        const struct lab_median *m = &medians->items[i];
        if (m->point.values[OCCUPANCY_ILP_VARIANT] != variant)
            break;
        series.count++;
        if (occupancy_ilp_in_flight(&m->point) == 1)
            series.one = m->rate;
    }
    series.saturated = saturated_rate(&series);
    return series;
}

/* The largest rate of the points with `in_flight` operations in flight. */
static double best_rate(const struct series *series, double in_flight)
{
    double rate = 0;
    for (size_t i = 0; i < series->count; i++)
        if (occupancy_ilp_in_flight(&series->items[i].point) == in_flight)
            rate = fmax(rate, series->items[i].rate);
    return rate;
}

/* The fewest operations in flight with which the series reaches `rate`, at most its largest, interpolated from the
 * point with fewer. */
static double in_flight_for(const struct series *series, double rate)
{
    double above = INFINITY, below = 0;
    for (size_t i = 0; i < series->count; i++)
        if (series->items[i].rate >= rate)
            above = fmin(above, occupancy_ilp_in_flight(&series->items[i].point));
    for (size_t i = 0; i < series->count; i++) {
        double in_flight = occupancy_ilp_in_flight(&series->items[i].point);
        if (in_flight < above)
            below = fmax(below, in_flight);
    }
    double below_rate = best_rate(series, below);
    return below + (above - below) * (rate - below_rate) / (best_rate(series, above) - below_rate);
}

/* Warps that are fewer than the schedulers leave some of the arithmetic units idle. */
static double share_of_units(const struct lab_point *point)
{
    bool limited =
        point->values[OCCUPANCY_ILP_VARIANT] == OCCUPANCY_ILP_FMA && point->values[OCCUPANCY_ILP_WARPS] != LAB_NO_VALUE;
    return limited ? fmin((double)occupancy_ilp_warps(point) / OCCUPANCY_ILP_SCHEDULERS, 1) : 1;
}

static bool report_predictions(struct lab_run *run, const struct series *series)
{
    static const char *const metrics[] = {
        [OCCUPANCY_ILP_COPY] = "predicted_bandwidth", [OCCUPANCY_ILP_FMA] = "predicted_throughput"};
    for (size_t i = 0; i < series->count; i++) {
        const struct lab_point *point = &series->items[i].point;
        const struct lab_report report = {.run = run, .point = point};
        double rate = fmin(occupancy_ilp_in_flight(point) * series->one, share_of_units(point) * series->saturated);
        if (!lab_report_value(&report, metrics[point->values[OCCUPANCY_ILP_VARIANT]], rate / 1e9))
            return false;
    }
    return true;
}

static bool report_saturation(struct lab_run *run, const struct series *series)
{
    struct lab_point point = series->items[0].point;
    const struct lab_report report = {.run = run, .point = &point};
    point.values[OCCUPANCY_ILP_WARPS] = point.values[OCCUPANCY_ILP_INDEPENDENT] = LAB_NO_VALUE;
    return lab_report_value(&report, "needed_in_flight", series->saturated / series->one) &&
           lab_report_value(&report, "half_in_flight", in_flight_for(series, 0.5 * series->saturated)) &&
           lab_report_value(&report, "saturated_in_flight", in_flight_for(series, 0.9 * series->saturated));
}

bool occupancy_ilp_summarise(struct lab_run *run, const struct lab_medians *medians)
{
    for (size_t first = 0; first < medians->count;) {
        struct series series = series_at(medians, first);
        if (series.one > 0 && !(report_predictions(run, &series) && report_saturation(run, &series)))
            return false;
        first += series.count;
    }
    return true;
}
