/* kernels/experiment/references.c: the reference results, the speedups derived from them, and that they use names and
 * units of the experiments.
 */
#include "experiment/references.h"
#include "support/test.h"

#include "experiment/experiment.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* The reference of a system, metric and axes. Fails if there is none or more than one. */
static const json_t *find(const json_t *list, const char *system, const char *metric, const char *axes)
{
    const json_t *found = NULL;
    json_t *wanted = json_loads(axes, 0, NULL), *item;
    size_t index;
    assert_non_null(wanted);
    json_array_foreach(list, index, item)
    {
        if (strcmp(text_of(item, "system"), system) != 0 || strcmp(text_of(item, "metric"), metric) != 0 ||
            !json_equal(json_object_get(item, "axes"), wanted))
            continue;
        assert_null(found);
        found = item;
    }
    json_decref(wanted);
    if (found == NULL)
        fail_msg("%s has no %s at %s", system, metric, axes);
    return found;
}

static void expect_figure(const json_t *list, const char *system, const char *metric, const char *axes, double value)
{
    double found = json_number_value(json_object_get(find(list, system, metric, axes), "value"));
    if (fabs(found - value) > 1e-9 * value)
        fail_msg("%s of %s at %s is %g, not %g", metric, system, axes, found, value);
}

TEST(transfer_bandwidths_are_as_published)
{
    json_t *list = lab_references_to_json("transfer");
    assert_int_equal(json_array_size(list), 8 + 4 + 4);
    expect_figure(list, "Tesla K20, Xeon E5540", "bandwidth",
                  "{\"direction\":\"h2d\",\"memory\":\"pageable\",\"bytes\":16777216}", 1.659565);
    expect_figure(list, "Tesla K20, Xeon E5540", "bandwidth",
                  "{\"direction\":\"d2h\",\"memory\":\"pinned\",\"bytes\":16777216}", 6.566322);
    expect_figure(list, "Tesla K20, Xeon E5-2667", "bandwidth",
                  "{\"direction\":\"d2h\",\"memory\":\"pageable\",\"bytes\":16777216}", 3.301395);
    static const char pinned[] = "{\"direction\":\"d2h\",\"memory\":\"pinned\",\"bytes\":16777216}";
    expect_figure(list, "Tesla K20, Xeon E5540", "time", pinned, 2501.312e-6);
    const json_t *time = find(list, "Tesla K20, Xeon E5540", "time", pinned);
    assert_non_null(strstr(text_of(time, "remark"), "cputime 2555.000 us"));
    json_decref(list);
}

/* The size of the published program and, in addition, the variant, chunks and streams of one of its times. */
#define WAVES "{\"kernel\":\"waves\",\"bytes\":16777216,\"weight\":1"
#define WAVES_OF(variant, chunks) WAVES ",\"variant\":\"" variant "\",\"chunks\":" chunks ",\"streams\":" chunks "}"
#define AVERAGE_OF(variant)                                                                                            \
    "{\"kernel\":\"average\",\"bytes\":83886080,\"variant\":\"" variant "\",\"chunks\":20,\"streams\":2}"
static const char gtx650[] = "GeForce GTX 650, 2 x 192 cores at 1110 MHz, memory at 2500 MHz, one copy engine";
static const char gtx560ti[] = "GeForce GTX 560 Ti, 8 x 48 cores at 1645 MHz, memory at 2004 MHz, one copy engine";

TEST(speedups_are_derived_within_a_system)
{
    json_t *list = lab_references_to_json("overlap");
    expect_figure(list, "Tesla C1060", "time", WAVES_OF("sequential", "1"), 0.01292381);
    expect_figure(list, "Tesla C1060", "max_error", WAVES "}", 2.3841858e-07);
    /* Computed by hand: with one copy engine depth first is slower than sequential, with two it is faster. */
    expect_figure(list, "Tesla C1060", "speedup", WAVES_OF("depth-first", "4"), 0.947708790120922);
    expect_figure(list, "Tesla C1060", "speedup", WAVES_OF("breadth-first", "4"), 1.4609963408987316);
    expect_figure(list, "Tesla K20c", "speedup", WAVES_OF("depth-first", "4"), 1.786991110538521);
    expect_figure(list, gtx650, "speedup", AVERAGE_OF("interleaved"), 341.0 / 237.0);
    const json_t *speedup = find(list, "Tesla K20c", "speedup", WAVES_OF("breadth-first", "4"));
    assert_string_equal(text_of(speedup, "remark"),
                        "derived: published time of sequential / published time of this configuration");
    assert_string_equal(text_of(speedup, "unit"), "1");
    const json_t *time = find(list, "Tesla K20c", "time", WAVES_OF("breadth-first", "4"));
    assert_true(json_is_null(json_object_get(time, "remark")));
    speedup = find(list, gtx560ti, "speedup", AVERAGE_OF("depth-first"));
    assert_string_equal(text_of(speedup, "remark"),
                        "derived: published time of one stream / published time of this configuration");
    json_decref(list);
}

/* The predictions of the article are 8, 6 and 9 of the 12 parts that test_schedule.c simulates. */
TEST(predictions_are_beside_their_times)
{
    static const struct {
        const char *system, *axes, *prediction;
    } expected[] = {{"Tesla C1060", WAVES_OF("breadth-first", "4"), "8/12 of the sequential time, 8.7 ms"},
                    {"Tesla C2050", WAVES_OF("depth-first", "4"), "1/2 of the sequential time"},
                    {"Tesla C2050", WAVES_OF("breadth-first", "4"), "9/12 of the sequential time, 7.5 ms"}};
    json_t *list = lab_references_to_json("overlap");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(text_of(find(list, expected[i].system, "time", expected[i].axes), "remark"),
                               expected[i].prediction));
    json_decref(list);
}

TEST(reductions_are_those_of_the_source)
{
    json_t *list = lab_references_to_json("reduction");
    assert_int_equal(json_array_size(list), 5);
    expect_figure(list, "GeForce 8800 GTX, 86.4 GB/s", "bandwidth",
                  "{\"step\":\"first-add\",\"type\":\"int32\",\"bytes\":16777216}", 17.377);
    json_decref(list);
}

TEST(the_superlinear_speedup_explains_its_times)
{
    json_t *list = lab_references_to_json("scaling");
    static const char system[] = "one to three GPUs, not named";
    assert_int_equal(json_array_size(list), 5 + 3);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":1}", 1487.123);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":2}", 755.874);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":3}", 338.815);
    const json_t *speedup = find(list, system, "speedup", "{\"scaling\":\"strong\",\"device_count\":3}");
    assert_true(fabs(json_number_value(json_object_get(speedup, "value")) - 4.4) < 0.05);
    assert_memory_equal(text_of(speedup, "remark"),
                        "derived: published time of one device / published time of this configuration; ", 78);
    assert_non_null(strstr(text_of(speedup, "remark"), "not due to scaling alone"));
    assert_non_null(strstr(text_of(speedup, "remark"), "approx. 5-times"));
    json_decref(list);
}

/* A remark ends with the remark of its time: no part is cut off. */
TEST(derived_remarks_are_whole)
{
    json_t *all = lab_references_to_json(NULL), *reference;
    size_t index, count = 0;
    const char *before = NULL; /* the remark of the time from which a speedup is derived */
    json_array_foreach(all, index, reference)
    {
        const char *remark = text_of(reference, "remark");
        if (remark != NULL && strncmp(remark, "derived: ", 9) == 0 && before != NULL) {
            size_t length = strlen(remark), tail = strlen(before);
            assert_true(length > tail);
            assert_string_equal(remark + length - tail, before);
            count++;
        }
        before = remark;
    }
    assert_true(count >= 4);
    json_decref(all);
}

/* Results measured with gpulab name device, driver and date, and are in the unit of their metric: 52.5 TFLOP/s is 52500
 * GFLOP/s. */
TEST(results_of_gpulab_name_device_driver_and_date)
{
    json_t *all = lab_references_to_json(NULL), *reference;
    size_t index, count = 0;
    json_array_foreach(all, index, reference)
    {
        if (strncmp(text_of(reference, "source"), "gpulab", 6) != 0)
            continue;
        assert_non_null(strstr(text_of(reference, "source"), "driver 580.159.04, 2026-11"));
        const char *device = strstr(text_of(reference, "source"), "H100") != NULL ? "H100" : "H200"; /* of both */
        assert_non_null(strstr(text_of(reference, "source"), device));
        assert_non_null(strstr(text_of(reference, "system"), device));
        count++;
    }
    assert_true(count >= 40);
    expect_figure(all, "NVIDIA H200 SXM", "throughput",
                  "{\"type\":\"fp32\",\"layout\":\"nn\",\"step\":\"warp-tiled\",\"m\":4096,\"n\":4096,\"k\":4096}",
                  52500);
    expect_figure(all, "NVIDIA H200 SXM", "bandwidth",
                  "{\"direction\":\"h2d\",\"memory\":\"pinned\",\"engine\":\"copy\",\"pattern\":\"contiguous\","
                  "\"opposing\":false,\"bytes\":268435456}",
                  55.5);
    expect_figure(all, "4 x NVIDIA H200 SXM, NVLink", "efficiency",
                  "{\"scaling\":\"strong\",\"kernel\":\"pairs\",\"device_count\":4}", 0.9735);
    expect_figure(all, "2 x NVIDIA H200 SXM, NVLink", "bandwidth",
                  "{\"pattern\":\"pair\",\"engine\":\"copy\",\"peer_access\":false,\"bytes\":268435456}", 38);
    expect_figure(all, "NVIDIA H200 SXM", "speedup",
                  "{\"kernel\":\"waves\",\"memory\":\"pinned\",\"replay\":\"stream\",\"bytes\":268435456,"
                  "\"variant\":\"depth-first\",\"chunks\":16,\"streams\":4}",
                  2.42);
    json_decref(all);
}

static bool declares_axis(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_axis *axis = experiment->axes;
    while (axis->name != NULL && strcmp(axis->name, name) != 0)
        axis++;
    return axis->name != NULL;
}

/* Whether a text value is one of the choices of the parameter of that name, if the experiment has such a parameter. */
static bool allows_value(const struct lab_experiment *experiment, const char *name, const json_t *value)
{
    const struct lab_schema *parameter = experiment->parameters;
    while (parameter->name != NULL && strcmp(parameter->name, name) != 0)
        parameter++;
    if (parameter->name == NULL || parameter->choices == NULL)
        return true;
    for (const char *const *choice = parameter->choices; *choice != NULL; choice++)
        if (json_is_string(value) && strcmp(*choice, json_string_value(value)) == 0)
            return true;
    return false;
}

static const struct lab_metric *find_metric(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_metric *metric = experiment->metrics;
    while (metric->name != NULL && strcmp(metric->name, name) != 0)
        metric++;
    return metric->name != NULL ? metric : NULL;
}

/* Names and units must be those of the experiment; otherwise a reference could not be compared with a measurement. */
TEST(references_use_names_and_units_of_their_experiment)
{
    size_t checked = 0, index;
    json_t *list = lab_references_to_json(NULL), *reference, *value;
    json_array_foreach(list, index, reference)
    {
        const struct lab_experiment *experiment = lab_experiment_find(text_of(reference, "experiment"));
        const char *axis;
        assert_true(strlen(text_of(reference, "system")) > 0 && strlen(text_of(reference, "source")) > 10);
        assert_true(json_number_value(json_object_get(reference, "value")) > 0);
        if (experiment == NULL)
            fail_msg("there is no experiment %s", text_of(reference, "experiment"));
        const struct lab_metric *metric = find_metric(experiment, text_of(reference, "metric"));
        if (metric == NULL)
            fail_msg("%s has no metric %s", experiment->name, text_of(reference, "metric"));
        assert_string_equal(metric->unit, text_of(reference, "unit"));
        json_object_foreach(json_object_get(reference, "axes"), axis, value)
        {
            if (!declares_axis(experiment, axis))
                fail_msg("%s has no axis %s", experiment->name, axis);
            if (!allows_value(experiment, axis, value))
                fail_msg("%s of %s cannot be %s", axis, experiment->name, json_string_value(value));
        }
        checked++;
    }
    assert_true(checked >= 60);
    json_decref(list);
}

TEST(all_references_belong_to_one_experiment)
{
    static const char *const names[] = {"transfer", "overlap", "matmul",        "reduction",
                                        "scaling",  "peer",    "peer-transpose"};
    json_t *all = lab_references_to_json(NULL), *none = lab_references_to_json("collectives");
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *list = lab_references_to_json(names[i]);
        assert_true(json_array_size(list) > 0);
        count += json_array_size(list);
        json_decref(list);
    }
    assert_int_equal(json_array_size(all), count);
    assert_int_equal(json_array_size(none), 0);
    json_decref(none);
    json_decref(all);
}
