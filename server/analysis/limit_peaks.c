/* What limits a point by the peaks that its measurements name. */
#include "analysis/limit_rules.h"

#include "core/format.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The peak that the point comes nearest to, with *share; NULL: none is known. */
static const json_t *nearest_peak(const struct lab_point_facts *point, double *share)
{
    const json_t *nearest = NULL;
    size_t index;
    json_t *each;
    *share = 0;
    json_array_foreach(point->measurements, index, each)
    {
        double peak = lab_number_of(json_object_get(each, "peak"), "value"), value = lab_number_of(each, "median");
        double its = strcmp(lab_text_of(each, "unit"), "1") == 0 ? value : value / peak;
        if (!(peak > 0) || !(its > *share))
            continue;
        nearest = json_object_get(each, "peak");
        *share = its;
    }
    return nearest;
}

/* The clock of the multiprocessors while the point was measured / the highest one, where the peak depends on it; else
 * 1. */
static double clock_share(const struct lab_point_facts *point, const char *what)
{
    double mhz = lab_number_of(json_object_get(point->main, "conditions"), "sm_clock_mhz");
    double share = 1e6 * mhz / lab_point_property(point, "clock_hz");
    bool depends = strstr(what, "cores") != NULL || strstr(what, "L1") != NULL || strstr(what, "function") != NULL;
    return depends && share > 0 && share < 1 ? share : 1;
}

/* The unit of a peak: that of a rate of the point which has it; NULL: only shares have it. */
static const char *unit_of_peak(const struct lab_point_facts *point, const json_t *peak)
{
    size_t index;
    json_t *each;
    json_array_foreach(point->measurements, index, each)
    {
        if (json_equal(json_object_get(each, "peak"), peak) && strcmp(lab_text_of(each, "unit"), "1") != 0)
            return lab_text_of(each, "unit");
    }
    return NULL;
}

/* "87.7 % of its peak of 63.02 GB/s", or "69.3 % of its peak of 1071 TFLOP/s, and 84.7 % at the clock of 1620 MHz". */
static void say_share(const struct lab_point_facts *point, const json_t *peak, double share, double at_clock,
                      char *text, size_t size)
{
    double mhz = lab_number_of(json_object_get(point->main, "conditions"), "sm_clock_mhz");
    const char *unit = unit_of_peak(point, peak);
    char of[LAB_FORMAT_SIZE], value[LAB_FORMAT_SIZE], clocked[LAB_FORMAT_SIZE];
    int used = snprintf(text, size, "%s of its peak", lab_format_share(share, of));
    if (unit != NULL)
        used += snprintf(text + used, size - (size_t)used, " of %s",
                         lab_format_quantity(lab_number_of(peak, "value"), unit, value));
    if (at_clock > 1.02 * share)
        snprintf(text + used, size - (size_t)used, ", and %s of that at the clock of %.0f MHz",
                 lab_format_share(at_clock, clocked), mhz);
}

bool lab_limit_fits_cache(const struct lab_point_facts *point)
{
    return lab_number_of(json_object_get(point->main, "axes"), "bytes") <= lab_point_property(point, "l2_bytes") &&
           strcmp(lab_text_of(point->main, "cache"), "warm") == 0 &&
           strcmp(lab_text_of(point->main, "unit"), "GB/s") == 0;
}

/* A peak that a point has, and how near it comes. */
struct nearness {
    const json_t *peak; /* NULL: it has none */
    const char *what;
    double share, at_clock;
    char said[160];
};

static void find_nearness(const struct lab_point_facts *point, struct nearness *nearness)
{
    *nearness = (struct nearness){0};
    nearness->peak = nearest_peak(point, &nearness->share);
    if (nearness->peak == NULL)
        return;
    nearness->what = lab_text_of(nearness->peak, "what");
    nearness->at_clock = nearness->share / clock_share(point, nearness->what);
    say_share(point, nearness->peak, nearness->share, nearness->at_clock, nearness->said, sizeof nearness->said);
}

double lab_limit_say_peak(const struct lab_point_facts *point, char *text, size_t size)
{
    struct nearness near;
    find_nearness(point, &near);
    text[0] = '\0';
    if (near.peak == NULL)
        return (double)NAN;
    snprintf(text, size, "It reaches %s (%s). ", near.said, near.what);
    return near.share;
}

struct lab_limit lab_limit_by_peak(const struct lab_point_facts *point)
{
    struct nearness near;
    find_nearness(point, &near);
    if (near.peak == NULL)
        return (struct lab_limit){0};
    bool cached = lab_limit_fits_cache(point) && strstr(near.what, "memory") != NULL;
    const char *format = near.share > 1
                             ? "It does more than %s can, %s: a cache or another unit does a part of the work."
                         : cached                         ? NULL
                         : near.at_clock >= LAB_UNIT_BUSY ? "The limit is %s: it reaches %s."
                         : near.at_clock >= LAB_UNIT_IDLE ? "Nearest to its limit is %s: it reaches %s."
                                                          : NULL;
    if (format == NULL)
        return (struct lab_limit){0};
    return (struct lab_limit){"peak", near.what, near.at_clock, json_sprintf(format, near.what, near.said)};
}
