/* Puts the explanation of a point together, and says in words what its measurement knows. */
#include "analysis/explanation.h"

#include "analysis/beside.h"
#include "analysis/cautions.h"
#include "analysis/limit.h"
#include "analysis/predictions.h"
#include "core/format.h"
#include "core/hardware_counters.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* "871 samples: median 2338 GB/s, half of them from 2335 to 2340 GB/s. The results were verified." */
static json_t *samples_text(const json_t *measurement)
{
    const char *unit = lab_text_of(measurement, "unit");
    const json_t *verified = json_object_get(measurement, "verified");
    char median[LAB_FORMAT_SIZE], q1[LAB_FORMAT_SIZE], q3[LAB_FORMAT_SIZE];
    if (json_is_string(json_object_get(measurement, "skipped")))
        return json_string("None: the point was skipped.");
    lab_format_quantity(lab_number_of(measurement, "median"), unit, median);
    if (!lab_is_sampled(measurement))
        return json_sprintf("None: %s is a single value.", median);
    return json_sprintf("%lld samples: median %s, half of them from %s to %s. %s",
                        (long long)lab_integer_of(measurement, "n", 0), median,
                        lab_format_quantity(lab_number_of(measurement, "q1"), unit, q1),
                        lab_format_quantity(lab_number_of(measurement, "q3"), unit, q3),
                        json_is_true(verified)    ? "The results were verified."
                        : json_is_false(verified) ? "The results are wrong."
                                                  : "The results were not checked.");
}

/* --- conditions --------------------------------------------------------------------------------------------------- */

/* "Clock of the multiprocessors 1980 MHz, of at most 1980 MHz; 37 C; 354 W." */
static void add_readings(const struct lab_point_facts *point, json_t *list)
{
    const json_t *conditions = json_object_get(point->main, "conditions");
    const struct {
        const char *name, *format;
    } readings[] = {
        {"sm_clock_mhz", "clock of the multiprocessors %.0f MHz"}, {"temperature_c", "%.0f C"}, {"power_w", "%.0f W"}};
    char text[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        double value = lab_number_of(conditions, readings[i].name);
        if (isfinite(value) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, used > 0 ? ", " : "");
        if (isfinite(value) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, readings[i].format, value);
    }
    double most = lab_point_property(point, "clock_hz") / 1e6;
    if (used > 0)
        json_array_append_new(
            list, isfinite(most) ? json_sprintf("While it was measured: %s. The highest clock is %.0f MHz.", text, most)
                                 : json_sprintf("While it was measured: %s.", text));
}

static void add_throttling(const json_t *measurement, json_t *list)
{
    const json_t *reasons = json_object_get(json_object_get(measurement, "conditions"), "throttle");
    size_t index;
    json_t *reason;
    json_array_foreach(reasons, index, reason)
    {
        json_array_append_new(list, json_sprintf("The clock was lowered: %s.", json_string_value(reason)));
    }
}

static json_t *conditions_of(const struct lab_point_facts *point)
{
    json_t *list = json_array(), *cautions = lab_cautions_of(point->main), *caution;
    const json_t *contended = json_object_get(point->run, "contended");
    const char *cache = lab_text_of(point->main, "cache");
    size_t index;
    add_readings(point, list);
    add_throttling(point->main, list);
    if (cache[0] != '\0')
        json_array_append_new(list, json_sprintf("The cache was %s.", cache));
    if (json_is_boolean(contended))
        json_array_append_new(list, json_string(json_is_true(contended)
                                                    ? "Another process used the device when the run began or ended."
                                                    : "No other process used the device when the run began or ended."));
    json_array_foreach(cautions, index, caution)
    {
        json_array_append(list, json_object_get(caution, "text"));
    }
    json_decref(cautions);
    return list;
}

enum { NAME_SIZE = 128 };

/* --- how to get counters ------------------------------------------------------------------------------------------ */

/* Appends the arguments that choose a value of an axis, if the axis is a parameter or a range of sizes. */
static void add_argument(const json_t *properties, const char *axis, const json_t *value, char *text, size_t size)
{
    char *number = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    size_t used = strlen(text);
    char least[NAME_SIZE], most[NAME_SIZE];
    snprintf(least, sizeof least, "min_%s", axis);
    snprintf(most, sizeof most, "max_%s", axis);
    if (number != NULL && json_object_get(properties, least) != NULL && json_object_get(properties, most) != NULL)
        snprintf(text + used, size - used, " --set %s=%s --set %s=%s", least, number, most, number);
    else if (json_object_get(properties, axis) != NULL)
        snprintf(text + used, size - used, " --set %s=%s", axis, number != NULL ? number : json_string_value(value));
    free(number);
}

static bool is_cuda(const struct lab_point_facts *point)
{
    const json_t *devices = json_object_get(json_object_get(point->run, "environment"), "devices");
    return strcmp(lab_text_of(json_array_get(devices, 0), "backend"), "cuda") == 0;
}

/* How counters of the point are had; JSON null where it has them. */
static json_t *counters_text(const struct lab_point_facts *point)
{
    const char *experiment = lab_text_of(point->run, "experiment"), *axis;
    json_t *properties = json_object_get(json_object_get(point->experiment, "parameters"), "properties"), *value;
    char arguments[512] = "";
    if (lab_point_counters(point) != NULL)
        return json_null();
    if (!is_cuda(point))
        return json_string("Hardware counters are those of CUDA devices only.");
    if (!lab_point_reads_counters(point))
        return json_sprintf("The experiment %s does not read hardware counters.", experiment);
    if (json_is_true(json_object_get(json_object_get(point->run, "parameters"), "counters")))
        return json_string("The run asked for hardware counters, but this point has none; a note of the run says why.");
    if (json_is_object(json_object_get(point->run, "kernel")))
        return json_string("Hardware counters would say more: run the kernel again with --set counters=true.");
    json_object_foreach(json_object_get(point->main, "axes"), axis, value)
    {
        add_argument(properties, axis, value, arguments, sizeof arguments);
    }
    return json_sprintf("Hardware counters would say more: gpulab run %s --set counters=true%s", experiment, arguments);
}

/* --- other devices and references --------------------------------------------------------------------------------- */

/* The list with the value of the point / that of each entry, as "ratio". */
static json_t *with_ratios(const struct lab_point_facts *point, json_t *list)
{
    double value = lab_number_of(point->main, "median");
    json_t *copies = json_array(), *each;
    size_t index;
    json_array_foreach(list, index, each)
    {
        json_t *copy = json_copy(each);
        json_object_set_new(copy, "ratio", lab_json_real_or_null(value / lab_number_of(each, "value")));
        json_array_append_new(copies, copy);
    }
    return copies;
}

/* --- the document ------------------------------------------------------------------------------------------------- */

static json_t *point_of(const struct lab_point_facts *point)
{
    const char *metric = lab_text_of(point->main, "metric");
    return json_pack("{s:s, s:s, s:O, s:s?, s:s, s:s, s:s, s:o}", "run", lab_text_of(point->run, "id"), "experiment",
                     lab_text_of(point->run, "experiment"), "axes", json_object_get(point->main, "axes"), "side",
                     lab_optional_text_of(point->main, "side"), "metric", metric, "title",
                     lab_point_title(point, metric), "unit", lab_text_of(point->main, "unit"), "value",
                     lab_json_real_or_null(lab_number_of(point->main, "median")));
}

/* The counters with their titles; JSON null where they were not read. */
static json_t *counters_of(const struct lab_point_facts *point)
{
    const json_t *counters = lab_point_counters(point);
    json_t *list = counters != NULL ? json_array() : json_null(), *each;
    size_t index;
    json_array_foreach(counters, index, each)
    {
        json_t *copy = json_copy(each);
        json_object_set_new(copy, "title", json_string(lab_hardware_counter_title(lab_text_of(each, "name"))));
        json_array_append_new(list, copy);
    }
    return list;
}

json_t *lab_explanation(const struct lab_point_facts *point, const struct lab_explanation_peers *peers)
{
    json_t *document = point_of(point);
    json_object_set_new(document, "limit", lab_point_limit(point));
    json_object_set_new(document, "samples", samples_text(point->main));
    json_object_set_new(document, "conditions", conditions_of(point));
    json_object_set_new(document, "predictions", lab_point_predictions(point));
    json_object_set_new(document, "beside", lab_point_beside(point));
    json_object_set_new(document, "devices", with_ratios(point, peers->devices));
    json_object_set_new(document, "references", with_ratios(point, peers->references));
    json_object_set_new(document, "counters", counters_of(point));
    json_object_set_new(document, "more", counters_text(point));
    return document;
}
