/* kernels/descriptor/estimate.c: the estimated duration, compared with runs on a simulated clock. */
#include "descriptor/estimate.h"
#include "support/measure_harness.h"
#include "support/test.h"

/* The estimated duration of `points` equal points, which poison and check their results within 0.04 s. */
static double estimate_of(const struct lab_parameters *parameters, size_t points, double repetition_s, bool compute)
{
    struct lab_estimate estimate = {0};
    for (size_t i = 0; i < points; i++)
        lab_estimate_add_point(&estimate, parameters, repetition_s, 0.04, compute);
    lab_estimate_finish(&estimate, parameters);
    return estimate.seconds;
}

/* Work whose noise does not converge, as on a host that other processes use, except where repetitions average it
 * out. */
TEST(the_estimate_is_within_a_factor_of_two)
{
    static const double repetitions_s[] = {1e-5, 2e-4, 1e-3, 1e-2, 0.1, 0.3, 1, 2};
    static const size_t points[] = {1, 5, 20, 100};
    static const char *const parameters[] = {"{}", "{\"time_budget_s\": 2}", "{\"rest_s\": 0.01}",
                                             "{\"sample_s\": 0.01, \"max_samples\": 14}"};
    for (size_t r = 0; r < 8; r++)
        for (size_t n = 0; n < 4; n++)
            for (size_t p = 0; p < 8; p++) {
                struct fixture f;
                bool compute = p % 2 != 0;
                open_points(&f, parameters[p / 2], points[n]);
                script.operation_s = repetitions_s[r];
                script.spread = repetitions_s[r] < 1e-4 ? 0.04 : 0.1;
                script.poison_s = script.verify_s = 0.01;
                f.work.compute = compute;
                for (size_t i = 0; i < points[n]; i++) {
                    struct lab_outcome outcome;
                    assert_true(lab_measure(f.measurer, &f.work, &outcome));
                }
                double estimate = estimate_of(f.parameters, points[n], repetitions_s[r], compute);
                if (estimate > 2 * simulated.now_s || simulated.now_s > 2 * estimate)
                    fail_msg("%zu points of %g s with %s: %g s, estimated %g s", points[n], repetitions_s[r],
                             parameters[p / 2], simulated.now_s, estimate);
                close_fixture(&f);
            }
}

TEST(settling_and_setup_are_part_of_the_estimate)
{
    struct fixture f;
    open_fixture(&f, "{\"settle_s\": 3, \"time_budget_s\": 100}");
    struct lab_estimate estimate = {0};
    double copy = estimate_of(f.parameters, 1, 1e-3, false), compute = estimate_of(f.parameters, 1, 1e-3, true);
    assert_true(fabs(compute - copy - 3) < 1e-9);
    lab_estimate_add_point(&estimate, f.parameters, 1e-3, 5.04, false);
    assert_true(fabs(estimate.seconds - copy - 5) < 1e-9);
    close_fixture(&f);
}

static double estimate_of_request(const char *text)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("stream"), given, &errors);
    assert_non_null(parameters);
    double seconds = estimate_of(parameters, 2, 1e-3, true);
    lab_parameters_free(parameters);
    json_decref(given);
    return seconds;
}

TEST(the_points_of_both_loads_are_estimated)
{
    double sustained = estimate_of_request("{}"), burst = estimate_of_request("{\"load\": \"burst\"}");
    double both = estimate_of_request("{\"load\": [\"sustained\", \"burst\"]}"); /* one point of each */
    assert_true(burst > sustained + 1);
    assert_true(fabs(both - (sustained + burst) / 2) < 1e-9);
}

static double budget_for(const char *text, size_t points, bool compared)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("stream"), given, &errors);
    assert_non_null(parameters);
    double before = lab_parameter_number(parameters, "time_budget_s");
    bool raised = lab_parameters_raise_budget(parameters, points, compared);
    double budget = lab_parameter_number(parameters, "time_budget_s");
    assert_true(raised == (budget > before));
    assert_false(lab_parameters_raise_budget(parameters, points, compared));
    lab_parameters_free(parameters);
    json_decref(given);
    return budget;
}

TEST(many_points_have_a_larger_budget_unless_one_is_given)
{
    assert_true(budget_for("{}", 48, true) == 12);
    assert_true(budget_for("{}", 49, true) == 13);
    assert_true(budget_for("{}", 120, false) == 12);
    assert_true(budget_for("{}", 121, false) == 13);
    assert_true(budget_for("{}", 1292, false) == 130); /* peer on 8 devices */
    assert_true(budget_for("{}", 10000, false) == 300);
    assert_true(budget_for("{\"time_budget_s\": 12}", 1292, false) == 12);
}

static double energy_estimate_of(const char *text, const char *backend, double repetition_s)
{
    struct lab_errors errors = {0};
    struct lab_device_facts device;
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("matmul"), given, &errors);
    struct lab_estimate estimate = {0};
    lab_facts_clear(&device);
    snprintf(device.backend, sizeof device.backend, "%s", backend);
    assert_non_null(parameters);
    lab_estimate_add_energy(&estimate, parameters, &device, repetition_s);
    lab_parameters_free(parameters);
    json_decref(given);
    return estimate.seconds;
}

TEST(only_sustained_points_of_gpus_take_time_for_energy)
{
    assert_true(fabs(energy_estimate_of("{}", "cuda", 1e-3) - 0.8) < 1e-9);
    assert_true(fabs(energy_estimate_of("{}", "cuda", 0.2) - 1.4) < 1e-9);
    assert_true(energy_estimate_of("{}", "cuda", 0.9e-4) == 0);
    assert_true(energy_estimate_of("{}", "host", 1e-3) == 0);
    assert_true(energy_estimate_of("{\"load\": \"burst\"}", "cuda", 1e-3) == 0);
    assert_true(fabs(energy_estimate_of("{\"load\": [\"sustained\", \"burst\"]}", "cuda", 1e-3) - 0.4) < 1e-9);
}
