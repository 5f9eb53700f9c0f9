/* kernels/experiment/references.c: the published figures, what is derived from them, and that they speak the
 * experiments' language. */
#include "experiment/references.h"

#include "experiment/experiment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* The one reference of that system, metric and axes; fails when it is not alone. */
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

static void transfers_are_as_published(void **state)
{
    (void)state;
    json_t *list = lab_references_to_json("transfer");
    assert_int_equal(json_array_size(list), 8);
    expect_figure(list, "Tesla K20, Xeon E5540", "bandwidth",
                  "{\"direction\":\"h2d\",\"memory\":\"pageable\",\"bytes\":16777216}", 1.659565);
    expect_figure(list, "Tesla K20, Xeon E5540", "bandwidth",
                  "{\"direction\":\"d2h\",\"memory\":\"pinned\",\"bytes\":16777216}", 6.566322);
    expect_figure(list, "Tesla K20, Xeon E5-2667", "bandwidth",
                  "{\"direction\":\"d2h\",\"memory\":\"pageable\",\"bytes\":16777216}", 3.301395);
    json_decref(list);
}

static void speedups_are_over_the_same_system(void **state)
{
    (void)state;
    json_t *list = lab_references_to_json("overlap");
    expect_figure(list, "Tesla C1060", "time", "{\"kernel\":\"waves\",\"variant\":\"sequential\"}", 0.01292381);
    expect_figure(list, "Tesla C1060", "max_error", "{\"kernel\":\"waves\"}", 2.3841858e-07);
    /* Worked by hand: on one copy engine depth first is slower than sequential, on two it is not. */
    expect_figure(list, "Tesla C1060", "speedup", "{\"kernel\":\"waves\",\"variant\":\"depth-first\"}",
                  0.947708790120922);
    expect_figure(list, "Tesla C1060", "speedup", "{\"kernel\":\"waves\",\"variant\":\"breadth-first\"}",
                  1.4609963408987316);
    expect_figure(list, "Tesla K20c", "speedup", "{\"kernel\":\"waves\",\"variant\":\"depth-first\"}",
                  1.786991110538521);
    expect_figure(list, "GeForce GTX 650", "speedup",
                  "{\"kernel\":\"average\",\"variant\":\"interleaved\",\"streams\":2}", 341.0 / 237.0);
    const json_t *speedup =
        find(list, "Tesla C2050", "speedup", "{\"kernel\":\"waves\",\"variant\":\"breadth-first\"}");
    assert_string_equal(text_of(speedup, "remark"), "derived: sequential / this");
    assert_string_equal(text_of(speedup, "unit"), "1");
    const json_t *time = find(list, "Tesla C2050", "time", "{\"kernel\":\"waves\",\"variant\":\"breadth-first\"}");
    assert_true(json_is_null(json_object_get(time, "remark")));
    speedup = find(list, "GeForce GTX 560 Ti", "speedup",
                   "{\"kernel\":\"average\",\"variant\":\"depth-first\",\"streams\":2}");
    assert_string_equal(text_of(speedup, "remark"), "derived: one stream / this");
    json_decref(list);
}

static void the_superlinear_speedup_says_what_it_rests_on(void **state)
{
    (void)state;
    json_t *list = lab_references_to_json("scaling");
    static const char system[] = "one to three GPUs, not named";
    assert_int_equal(json_array_size(list), 5);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":1}", 1487.123);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":2}", 755.874);
    expect_figure(list, system, "time", "{\"scaling\":\"strong\",\"device_count\":3}", 338.815);
    const json_t *speedup = find(list, system, "speedup", "{\"scaling\":\"strong\",\"device_count\":3}");
    assert_true(fabs(json_number_value(json_object_get(speedup, "value")) - 4.4) < 0.05);
    assert_memory_equal(text_of(speedup, "remark"), "derived: one device / this; ", 28);
    assert_non_null(strstr(text_of(speedup, "remark"), "different kernel times"));
    assert_non_null(strstr(text_of(speedup, "remark"), "164.6 s on three")); /* the whole of it */
    json_decref(list);
}

static bool declares_axis(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_axis *axis = experiment->axes;
    while (axis->name != NULL && strcmp(axis->name, name) != 0)
        axis++;
    return axis->name != NULL;
}

static const struct lab_metric *find_metric(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_metric *metric = experiment->metrics;
    while (metric->name != NULL && strcmp(metric->name, name) != 0)
        metric++;
    return metric->name != NULL ? metric : NULL;
}

/* What cannot be held beside a measurement of one's own would be of no use. */
static void they_use_the_names_of_their_experiment(void **state)
{
    (void)state;
    size_t checked = 0, index;
    json_t *list = lab_references_to_json(NULL), *reference, *value;
    json_array_foreach(list, index, reference)
    {
        const struct lab_experiment *experiment = lab_experiment_find(text_of(reference, "experiment"));
        const char *axis;
        assert_true(strlen(text_of(reference, "system")) > 0 && strlen(text_of(reference, "source")) > 10);
        assert_true(json_number_value(json_object_get(reference, "value")) > 0);
        if (experiment == NULL)
            continue; /* published before ours is built */
        const struct lab_metric *metric = find_metric(experiment, text_of(reference, "metric"));
        if (metric == NULL)
            fail_msg("%s has no metric %s", experiment->name, text_of(reference, "metric"));
        assert_string_equal(metric->unit, text_of(reference, "unit"));
        json_object_foreach(json_object_get(reference, "axes"), axis, value)
        {
            if (!declares_axis(experiment, axis))
                fail_msg("%s has no axis %s", experiment->name, axis);
        }
        checked++;
    }
    assert_true(checked >= 8);
    json_decref(list);
}

static void all_are_those_of_each(void **state)
{
    static const char *const names[] = {"transfer", "overlap", "scaling"};
    (void)state;
    json_t *all = lab_references_to_json(NULL), *none = lab_references_to_json("matmul");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_are_as_published),
        cmocka_unit_test(speedups_are_over_the_same_system),
        cmocka_unit_test(the_superlinear_speedup_says_what_it_rests_on),
        cmocka_unit_test(they_use_the_names_of_their_experiment),
        cmocka_unit_test(all_are_those_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
