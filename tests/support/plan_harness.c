#include "support/plan_harness.h"

struct lab_parameters *parse(const char *experiment, const char *text)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find(experiment), given, &errors);
    json_decref(given);
    assert_non_null(parameters);
    return parameters;
}

struct plan plan_on(const char *experiment, const char *text, size_t device_count, int64_t total_memory)
{
    struct plan plan = {0};
    static struct lab_device_facts facts[LAB_RUN_DEVICES_MAX];
    const struct lab_device_facts *devices[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < device_count; i++) {
        lab_facts_clear(&facts[i]);
        snprintf(facts[i].name, sizeof facts[i].name, "Test device %zu", i);
        facts[i].total_memory_bytes = total_memory;
        devices[i] = &facts[i];
    }
    struct lab_parameters *parameters = parse(experiment, text);
    plan.good = parameters->experiment->plan(parameters, devices, device_count, &plan.estimate, &plan.errors);
    lab_parameters_free(parameters);
    return plan;
}

struct plan plan_within(const char *experiment, const char *text, int64_t total_memory)
{
    return plan_on(experiment, text, 1, total_memory);
}

void expect_points_on(const char *experiment, const char *text, size_t device_count, size_t points)
{
    struct plan plan = plan_on(experiment, text, device_count, INT64_C(1) << 40);
    assert_true(plan.good);
    if (plan.estimate.points != points)
        fail_msg("%s on %zu devices has %zu points, not %zu", text, device_count, plan.estimate.points, points);
}

void expect_points(const char *experiment, const char *text, size_t points)
{
    expect_points_on(experiment, text, 1, points);
}

void expect_refusal(const char *experiment, const char *text, const char *code, const char *pointer)
{
    struct plan plan = plan_within(experiment, text, PLAN_MEMORY);
    assert_false(plan.good);
    assert_int_equal(plan.errors.count, 1);
    assert_string_equal(lab_error_name(plan.errors.items[0].code), code);
    assert_string_equal(plan.errors.items[0].pointer, pointer);
}
