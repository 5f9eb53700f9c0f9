/* Collects the measurements of a point, and finds facts about it. */
#include "analysis/point_facts.h"

#include "core/json_members.h"

#include <math.h>
#include <string.h>

static bool is_same_point(const json_t *measurement, const json_t *other)
{
    return json_equal(json_object_get(measurement, "axes"), json_object_get(other, "axes")) &&
           strcmp(lab_text_of(measurement, "side"), lab_text_of(other, "side")) == 0;
}

bool lab_is_sampled(const json_t *measurement)
{
    return json_is_string(json_object_get(measurement, "stop_reason")) && lab_integer_of(measurement, "n", 0) > 0;
}

/* Entry of a list of objects by its member "name"; NULL: there is none. */
static const json_t *named(const json_t *list, const char *name)
{
    size_t index;
    json_t *each;
    json_array_foreach(list, index, each)
    {
        if (strcmp(lab_text_of(each, "name"), name) == 0)
            return each;
    }
    return NULL;
}

bool lab_point_is_single(const struct lab_point_facts *point)
{
    return !lab_is_sampled(point->main) && !json_is_object(json_object_get(point->main, "peak")) &&
           json_array_size(json_object_get(point->main, "counters")) == 0;
}

static bool can_be_main(const struct lab_point_facts *point, const json_t *measurement)
{
    const json_t *metric = lab_point_metric(point, lab_text_of(measurement, "metric"));
    return lab_is_sampled(measurement) && (metric == NULL || json_is_string(json_object_get(metric, "better")));
}

static void choose_main(struct lab_point_facts *point, const json_t *wanted)
{
    size_t index;
    json_t *each;
    point->main = wanted;
    if (can_be_main(point, wanted))
        return;
    json_array_foreach(point->measurements, index, each)
    {
        if (!can_be_main(point, each))
            continue;
        point->main = each;
        return;
    }
}

bool lab_point_facts_init(struct lab_point_facts *point, const json_t *run, const json_t *experiment, size_t position)
{
    const json_t *all = json_object_get(run, "measurements"), *wanted = json_array_get(all, position);
    size_t index;
    json_t *each;
    *point = (struct lab_point_facts){.run = run, .experiment = experiment};
    if (wanted == NULL)
        return false;
    point->measurements = json_array();
    json_array_foreach(all, index, each)
    {
        if (is_same_point(each, wanted) && json_array_append(point->measurements, each) != 0)
            return false;
    }
    choose_main(point, wanted);
    return point->measurements != NULL;
}

void lab_point_facts_release(struct lab_point_facts *point)
{
    json_decref(point->measurements);
    *point = (struct lab_point_facts){0};
}

const json_t *lab_point_measurement(const struct lab_point_facts *point, const char *metric)
{
    size_t index;
    json_t *each;
    json_array_foreach(point->measurements, index, each)
    {
        if (strcmp(lab_text_of(each, "metric"), metric) == 0 && !json_is_string(json_object_get(each, "skipped")))
            return each;
    }
    return NULL;
}

double lab_point_median(const struct lab_point_facts *point, const char *metric)
{
    return lab_number_of(lab_point_measurement(point, metric), "median");
}

double lab_point_seconds(const struct lab_point_facts *point)
{
    return strcmp(lab_text_of(point->main, "unit"), "s") == 0 ? lab_number_of(point->main, "median")
                                                              : lab_point_median(point, "time");
}

const json_t *lab_point_counters(const struct lab_point_facts *point)
{
    size_t index;
    json_t *each;
    json_array_foreach(point->measurements, index, each)
    {
        const json_t *counters = json_object_get(each, "counters");
        if (json_is_array(counters))
            return counters;
    }
    return NULL;
}

bool lab_point_reads_counters(const struct lab_point_facts *point)
{
    const json_t *parameters = json_object_get(point->experiment, "parameters");
    return json_object_get(json_object_get(parameters, "properties"), "counters") != NULL;
}

double lab_point_counter(const struct lab_point_facts *point, const char *name)
{
    return lab_number_of(named(lab_point_counters(point), name), "value");
}

double lab_point_property(const struct lab_point_facts *point, const char *name)
{
    const json_t *devices = json_object_get(json_object_get(point->run, "environment"), "devices");
    return lab_number_of(json_object_get(json_array_get(devices, 0), "properties"), name);
}

const json_t *lab_point_metric(const struct lab_point_facts *point, const char *name)
{
    return named(json_object_get(point->experiment, "metrics"), name);
}

const char *lab_point_title(const struct lab_point_facts *point, const char *metric)
{
    const char *title = lab_optional_text_of(lab_point_metric(point, metric), "title");
    return title != NULL ? title : metric;
}

const char *lab_point_other_axis(const json_t *measurement, const json_t *other)
{
    json_t *axes = json_object_get(measurement, "axes"), *value;
    const char *name, *found = NULL;
    if (strcmp(lab_text_of(measurement, "side"), lab_text_of(other, "side")) != 0)
        return NULL;
    json_object_foreach(axes, name, value)
    {
        const json_t *its = json_object_get(json_object_get(other, "axes"), name);
        if (its == NULL || json_equal(value, its))
            continue;
        if (found != NULL)
            return NULL;
        found = name;
    }
    return found;
}
