/* What a run knows of one of its points: the measurements with the same axes and side, by metric. Run, experiment and
 * measurements are JSON as API.md describes them.
 */
#ifndef LAB_POINT_FACTS_H
#define LAB_POINT_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* All but `measurements` is borrowed. */
struct lab_point_facts {
    const json_t *run;        /* with "measurements" and "environment" */
    const json_t *experiment; /* with "axes" and "metrics"; NULL: the build does not have it */
    json_t *measurements;     /* of the point, in the order of the run */
    const json_t *main;       /* one of these: what is explained of the point */
};

/* Collects the point of measurement number `position` of the run. That one is the main one if it was sampled and its
 * values are better or worse, otherwise the first of the point that is so, otherwise that one. False: there is none at
 * this position, or memory ran out. */
bool lab_point_facts_init(struct lab_point_facts *point, const json_t *run, const json_t *experiment, size_t position);
void lab_point_facts_release(struct lab_point_facts *point);

/* The point's measurement of the metric, unless it was skipped; NULL: there is none. */
const json_t *lab_point_measurement(const struct lab_point_facts *point, const char *metric);
/* The median of the point's measurement of the metric; NAN: there is none. */
double lab_point_median(const struct lab_point_facts *point, const char *metric);
/* Whether a measurement was sampled: others are computed, or counted. */
bool lab_is_sampled(const json_t *measurement);
/* Whether the main measurement is a single value without a peak and counters: nothing of the point was sampled, and
 * nothing counted. */
bool lab_point_is_single(const struct lab_point_facts *point);

/* The time of one repetition, in s; NAN: the point has none. */
double lab_point_seconds(const struct lab_point_facts *point);
/* The hardware counters of the point, a list; NULL: they were not read. */
const json_t *lab_point_counters(const struct lab_point_facts *point);
/* Whether runs of the experiment can read them. */
bool lab_point_reads_counters(const struct lab_point_facts *point);
/* The value of one by its name (core/hardware_counters.h); NAN: it was not counted. */
double lab_point_counter(const struct lab_point_facts *point, const char *name);
/* A number among the properties of the run's first device; NAN: unknown. */
double lab_point_property(const struct lab_point_facts *point, const char *name);

/* The row of the experiment's metrics with this name; NULL: there is none. */
const json_t *lab_point_metric(const struct lab_point_facts *point, const char *name);
/* The title of a metric; its name if the experiment is unknown. */
const char *lab_point_title(const struct lab_point_facts *point, const char *metric);

/* The axis in which the points of two measurements differ, of those that both have; NULL: there is not exactly one, or
 * their sides differ. */
const char *lab_point_other_axis(const json_t *measurement, const json_t *other);

#endif
