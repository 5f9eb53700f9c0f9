/* The challenges of kernels/challenges: their kernels are own kernels that a device takes at all sizes. Whether the
 * rest of the documents is right is tested where challenges are published. */
#include "descriptor/own_kernel.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "descriptor/ready_challenges.h"
#include "support/test.h"

#include <string.h>

/* Of the smallest device that is expected: 8 GiB of memory. */
static void describe_device(struct lab_device_facts *facts)
{
    lab_facts_clear(facts);
    snprintf(facts->backend, sizeof facts->backend, "cuda");
    facts->total_memory_bytes = INT64_C(8) << 30;
}

static void expect_none(const char *name, const struct lab_errors *errors)
{
    if (errors->count > 0)
        fail_msg("%s: %s %s", name, errors->items[0].pointer, errors->items[0].detail);
}

/* The scalar with the most values, which is the axis of the sizes. */
static const json_t *sizes_of(const json_t *kernel)
{
    const json_t *argument, *sizes = NULL;
    size_t i;
    json_array_foreach(json_object_get(kernel, "arguments"), i, argument)
    {
        const json_t *values = json_object_get(argument, "value");
        if (json_array_size(values) > json_array_size(sizes))
            sizes = values;
    }
    return sizes;
}

static void expect_sizes(const char *name, const json_t *sizes)
{
    bool odd = false;
    if (json_array_size(sizes) < 3)
        fail_msg("%s has fewer than 3 sizes", name);
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        json_int_t size = json_integer_value(json_array_get(sizes, i));
        odd = odd || (size > 1 && size % 2 == 1);
        if (i > 0 && size <= json_integer_value(json_array_get(sizes, i - 1)))
            fail_msg("%s: the sizes do not grow; the last one scores", name);
    }
    if (!odd)
        fail_msg("%s has no odd size", name);
}

static void expect_arguments(const char *name, const json_t *arguments)
{
    const json_t *argument;
    size_t i, outputs = 0;
    json_array_foreach(arguments, i, argument)
    {
        const char *direction = json_string_value(json_object_get(argument, "direction"));
        outputs += direction != NULL && strcmp(direction, "out") == 0;
        if (direction != NULL && strcmp(direction, "out") != 0)
            fail_msg("%s: an output is '%s'; a launch that is repeated must give the same", name, direction);
    }
    if (outputs != 1)
        fail_msg("%s has %zu outputs", name, outputs);
}

/* The number of points of a run. */
static size_t plan(const char *name, const struct lab_experiment *experiment)
{
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    struct lab_errors errors = {0};
    struct lab_estimate estimate = {0};
    json_t *none = json_object();
    struct lab_parameters *parameters = lab_parameters_parse(experiment, none, &errors);
    describe_device(&facts);
    expect_none(name, &errors);
    experiment->plan(parameters, devices, 1, &estimate, &errors);
    expect_none(name, &errors);
    lab_parameters_free(parameters);
    json_decref(none);
    return estimate.points;
}

static void check(const char *name, const json_t *challenge)
{
    struct lab_errors errors = {0};
    json_t *kernel = json_copy(json_object_get(challenge, "kernel"));
    const char *entry = json_string_value(json_object_get(kernel, "entry"));
    const char *start = json_string_value(json_object_get(challenge, "start"));
    json_object_set_new(kernel, "source", json_string(start));
    lab_schema_check_members(lab_own_kernel_members, kernel, "/kernel", &errors);
    expect_none(name, &errors);
    const struct lab_experiment *experiment = lab_experiment_find("kernel")->define(kernel, &errors);
    expect_none(name, &errors);
    assert_non_null(experiment);
    assert_int_equal(plan(name, experiment), json_array_size(sizes_of(kernel)));
    assert_non_null(strstr(start, entry));
    assert_non_null(strstr(json_string_value(json_object_get(challenge, "text")), entry));
    expect_sizes(name, sizes_of(kernel));
    expect_arguments(name, json_object_get(kernel, "arguments"));
    experiment->undefine(experiment);
    json_decref(kernel);
}

TEST(the_kernels_of_ready_challenges_can_be_measured)
{
    size_t count = 0;
    for (const struct lab_ready_challenge *ready = lab_ready_challenges; ready->name != NULL; ready++, count++) {
        json_t *challenge = json_loads(ready->document, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(challenge);
        assert_string_equal(json_string_value(json_object_get(challenge, "name")), ready->name);
        check(ready->name, challenge);
        json_decref(challenge);
    }
    assert_int_equal(count, 10);
}
