/* What limits a point by the peaks that its measurements name. */
#include "analysis/limit_rules.h"

#include "core/format.h"
#include "core/json_members.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the measurement is a share of its peak. */
static bool is_share(const json_t *measurement)
{
    static const char share[] = "share_of_";
    return strncmp(lab_text_of(measurement, "metric"), share, strlen(share)) == 0;
}

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
        double its = is_share(each) ? value : value / peak;
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

/* The rate of the point that has a peak; NULL: only shares have it. */
static const json_t *rate_of_peak(const struct lab_point_facts *point, const json_t *peak)
{
    size_t index;
    json_t *each;
    json_array_foreach(point->measurements, index, each)
    {
        if (json_equal(json_object_get(each, "peak"), peak) && !is_share(each))
            return each;
    }
    return NULL;
}

enum { SUBJECT_SIZE = 80 };

/* What has the peak: "it", or a rate in another unit than the value of the point, "the throughput". */
static void say_subject(const struct lab_point_facts *point, const json_t *peak, char text[SUBJECT_SIZE])
{
    const json_t *rate = rate_of_peak(point, peak);
    snprintf(text, SUBJECT_SIZE, "it");
    if (rate == NULL || strcmp(lab_text_of(rate, "unit"), lab_text_of(point->main, "unit")) == 0)
        return;
    const char *title = lab_point_title(point, lab_text_of(rate, "metric"));
    snprintf(text, SUBJECT_SIZE, "the %c%s", tolower((unsigned char)title[0]), title[0] != '\0' ? title + 1 : "");
}

/* "87.7 %", "less than 0.1 %". */
static const char *share_text(double share, char text[LAB_FORMAT_SIZE])
{
    static const double least = 1e-3;
    lab_format_share(share, text);
    if (share < least)
        snprintf(text, LAB_FORMAT_SIZE, "less than 0.1 %%");
    return text;
}

/* "87.7 % of its peak of 63.02 GB/s", or "69.3 % of its peak of 1071 TFLOP/s, and 84.7 % at the clock of 1620 MHz". */
static void say_share(const struct lab_point_facts *point, const json_t *peak, double share, double at_clock,
                      char *text, size_t size)
{
    double mhz = lab_number_of(json_object_get(point->main, "conditions"), "sm_clock_mhz");
    const char *unit = lab_optional_text_of(rate_of_peak(point, peak), "unit");
    char of[LAB_FORMAT_SIZE], value[LAB_FORMAT_SIZE], clocked[LAB_FORMAT_SIZE];
    int used = snprintf(text, size, "%s of its peak", share_text(share, of));
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
    char subject[SUBJECT_SIZE], said[160];
};

static void find_nearness(const struct lab_point_facts *point, struct nearness *nearness)
{
    *nearness = (struct nearness){0};
    nearness->peak = nearest_peak(point, &nearness->share);
    if (nearness->peak == NULL)
        return;
    nearness->what = lab_text_of(nearness->peak, "what");
    nearness->at_clock = nearness->share / clock_share(point, nearness->what);
    say_subject(point, nearness->peak, nearness->subject);
    say_share(point, nearness->peak, nearness->share, nearness->at_clock, nearness->said, sizeof nearness->said);
}

double lab_limit_say_peak(const struct lab_point_facts *point, char *text, size_t size)
{
    struct nearness near;
    find_nearness(point, &near);
    text[0] = '\0';
    if (near.peak == NULL)
        return (double)NAN;
    near.subject[0] = (char)toupper((unsigned char)near.subject[0]);
    snprintf(text, size, "%s reaches %s (%s). ", near.subject, near.said, near.what);
    return near.share;
}

struct lab_limit lab_limit_by_peak(const struct lab_point_facts *point)
{
    struct nearness near;
    find_nearness(point, &near);
    if (near.peak == NULL)
        return (struct lab_limit){0};
    bool cached = lab_limit_fits_cache(point) && strstr(near.what, "memory") != NULL;
    const char *format =
        near.share > 1 ? "It does more than %s can: %s reaches %s; a cache or another unit does a part of the work."
        : cached       ? NULL
        : near.at_clock >= LAB_UNIT_BUSY ? "The limit is %s: %s reaches %s."
        : near.at_clock >= LAB_UNIT_IDLE ? "Nearest to its limit is %s: %s reaches %s."
                                         : NULL;
    if (format == NULL)
        return (struct lab_limit){0};
    return (struct lab_limit){"peak", near.what, near.at_clock,
                              json_sprintf(format, near.what, near.subject, near.said)};
}
