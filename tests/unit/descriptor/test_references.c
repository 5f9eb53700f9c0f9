/* kernels/descriptor/references.c: the references of an experiment, and the speedups derived from them. That they fit
 * their experiment is checked when gpulab is built (kernels/pages/check.c).
 */
#include "descriptor/references.h"
#include "support/test.h"

#include "descriptor/experiment.h"

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

/* The axes of the published programs. */
#define WAVES_OF(variant, chunks)                                                                                      \
    "{\"kernel\":\"waves\",\"bytes\":16777216,\"memory\":\"pinned\",\"weight\":1,\"chunks\":" chunks                   \
    ",\"variant\":\"" variant "\",\"streams\":" chunks ",\"replay\":\"stream\"}"
#define AVERAGE_OF(variant)                                                                                            \
    "{\"kernel\":\"average\",\"bytes\":83886080,\"memory\":\"pinned\",\"chunks\":20,\"variant\":\"" variant            \
    "\",\"streams\":2,\"replay\":\"stream\"}"
static const char gtx650[] = "GeForce GTX 650, 2 x 192 cores at 1110 MHz, memory at 2500 MHz, one copy engine";
static const char gtx560ti[] = "GeForce GTX 560 Ti, 8 x 48 cores at 1645 MHz, memory at 2004 MHz, one copy engine";

TEST(speedups_are_derived_within_a_system)
{
    json_t *list = lab_references_to_json("overlap");
    expect_figure(list, "Tesla C1060", "time", WAVES_OF("sequential", "1"), 0.01292381);
    expect_figure(list, "Tesla C1060", "max_error", WAVES_OF("breadth-first", "4"), 2.3841858e-07);
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

TEST(the_superlinear_speedup_explains_its_times)
{
    json_t *list = lab_references_to_json("scaling");
    const json_t *speedup =
        find(list, "one to three GPUs, not named", "speedup", "{\"scaling\":\"strong\",\"device_count\":3}");
    assert_float_equal(json_number_value(json_object_get(speedup, "value")), 1487.123 / 338.815, 1e-9);
    assert_memory_equal(text_of(speedup, "remark"),
                        "derived: published time of one device / published time of this configuration; ", 78);
    assert_non_null(strstr(text_of(speedup, "remark"), "not due to scaling alone"));
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

TEST(a_run_has_the_parameters_of_a_reference)
{
    static const struct {
        const char *reference, *run;
        bool has;
    } cases[] = {
        {"{\"hold_s\": 1}", "{\"hold_s\": 1.0, \"seed\": 1}", true},
        {"{\"hold_s\": 0.001, \"mode\": \"a\"}", "{\"hold_s\": 0.001, \"mode\": \"a\"}", true},
        {"{\"hold_s\": 0.001, \"mode\": \"a\"}", "{\"hold_s\": 0.001, \"mode\": \"b\"}", false},
        {"{\"hold_s\": 0.001}", "{\"hold_s\": 0.01}", false},
        {"{\"hold_s\": 0.001}", "{}", false},
        {"{}", "{\"hold_s\": 0.01}", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *reference = json_loads(cases[i].reference, 0, NULL), *run = json_loads(cases[i].run, 0, NULL);
        if (lab_reference_is_of_run(reference, run) != cases[i].has)
            fail_msg("%s of %s", cases[i].reference, cases[i].run);
        json_decref(reference);
        json_decref(run);
    }
    json_t *list = lab_references_to_json("waiting");
    assert_int_equal(json_object_size(json_object_get(json_array_get(list, 0), "parameters")), 1);
    json_decref(list);
}

TEST(all_references_belong_to_one_experiment)
{
    json_t *all = lab_references_to_json(NULL), *none = lab_references_to_json("collectives");
    size_t count = 0;
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        const struct lab_reference *references = lab_experiments[i]->references;
        json_t *list = lab_references_to_json(lab_experiments[i]->name);
        assert_true((json_array_size(list) > 0) == (references != NULL && references->system != NULL));
        count += json_array_size(list);
        json_decref(list);
    }
    assert_true(count > 0);
    assert_int_equal(json_array_size(all), count);
    assert_int_equal(json_array_size(none), 0);
    json_decref(none);
    json_decref(all);
}
