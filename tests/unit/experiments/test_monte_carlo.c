/* monte-carlo: the generator against published answers, exact values, the layout of samples, and the check of
 * results. */
#include "experiments/cases/monte_carlo/monte_carlo.h"
#include "experiments/cases/monte_carlo/workload.h"
#include "support/test.h"

#include "support/benchmark_harness.h"

/* The known answers of Random123, its file kat_vectors. */
TEST(philox_gives_the_published_words)
{
    static const struct {
        struct philox_words counter;
        uint64_t key;
        struct philox_words answer;
    } cases[] = {
        {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}},
         UINT64_MAX,
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         0x299f31d0a4093822,
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct philox_keys keys = philox_keys_of(cases[i].key);
        struct philox_words words = philox(cases[i].counter, &keys);
        assert_memory_equal(&words, &cases[i].answer, sizeof words);
    }
}

TEST(uniform_numbers_are_above_0_and_at_most_1)
{
    assert_true(philox_uniform_fp32(0) == 0x1p-33f && philox_uniform_fp32(UINT32_MAX) == 1);
    assert_true(philox_uniform_fp64(0, 0) == 0x1p-54 && philox_uniform_fp64(0x1fffff, UINT32_MAX) == 1);
    assert_true(monte_carlo_centred(0) == -0.5 + 0x1p-33 && monte_carlo_centred(UINT32_MAX) == 0.5 - 0x1p-33);
    assert_int_equal(monte_carlo_bin(0), 0);
    assert_int_equal(monte_carlo_bin(UINT32_MAX), MONTE_CARLO_BINS - 1);
}

TEST(the_exact_values_are_known)
{
    assert_true(fabs(monte_carlo_exact(MONTE_CARLO_PI) - 3.141592653589793) < 1e-15);
    assert_true(fabs(monte_carlo_exact(MONTE_CARLO_CALL) - 10.450583572185565) < 1e-9);
    assert_true(monte_carlo_exact(MONTE_CARLO_UNIFORM) == 0.5);
}

TEST(numbers_of_samples_are_powers_of_two)
{
    static const int64_t expected[] = {4096, INT64_C(17179869184)};
    struct lab_errors errors = {0};
    struct lab_device_facts facts;
    const struct lab_device_facts *const device = &facts;
    struct lab_points points;
    json_t *request = json_pack("{s:i, s:I, s:I, s:s, s:s}", "min_n", 8191, "max_n", (json_int_t)expected[1], "factor",
                                (json_int_t)expected[1], "problem", "pi", "step", "library");
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("monte-carlo"), request, &errors);
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    assert_true(lab_points_init(&points, parameters, &device, 1, &errors));
    assert_int_equal(points.count, 2);
    for (size_t i = 0; i < points.count; i++)
        assert_int_equal(points.items[i].values[N], expected[i]);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    json_decref(request);
}

TEST(the_streams_have_all_samples)
{
    static const struct {
        struct lab_point point;
        uint32_t streams, draws;
    } cases[] = {
        {{{[PROBLEM] = MONTE_CARLO_PI, [N] = 4096, [STEP] = IN_REGISTERS}}, 128, 16},
        {{{[PROBLEM] = MONTE_CARLO_PI, [TYPE] = MONTE_CARLO_FP64, [N] = 4096, [STEP] = STORED}}, 256, 16},
        {{{[PROBLEM] = MONTE_CARLO_CALL, [N] = 4096, [STEP] = LIBRARY}}, 64, 16},
        {{{[PROBLEM] = MONTE_CARLO_CALL, [N] = INT64_C(1) << 34, [STEP] = LIBRARY}}, 1 << 19, 1 << 13},
        {{{[PROBLEM] = MONTE_CARLO_UNIFORM, [TYPE] = LAB_NO_VALUE, [N] = 4096, [STEP] = IN_REGISTERS}}, 64, 16},
    };
    struct lab_errors errors = {0};
    struct lab_device_facts device;
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("monte-carlo"), NULL, &errors);
    assert_non_null(parameters);
    lab_facts_clear(&device);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = {0};
        monte_carlo_describe(parameters, &device, &cases[i].point, &workload);
        assert_true(workload.check.parameters[1] == ((uint64_t)cases[i].streams << 32 | cases[i].draws));
    }
    lab_parameters_free(parameters);
}

static uint64_t units_of(const struct monte_carlo_layout *layout, uint64_t seed)
{
    uint64_t units = 0;
    for (uint32_t stream = 0; stream < layout->streams; stream++)
        units += monte_carlo_stream_units(layout, seed, stream);
    return units;
}

TEST(a_wrong_sum_is_found)
{
    const struct monte_carlo_layout layout = {MONTE_CARLO_CALL, MONTE_CARLO_FP64, 4, 16};
    struct monte_carlo_moments moments = {0};
    for (uint32_t stream = 0; stream < layout.streams; stream++)
        for (uint32_t draw = 0; draw < layout.draws; draw++) {
            struct philox_words words = philox_draw(7, stream, draw);
            for (uint32_t i = 0; i < monte_carlo_samples(layout.problem, layout.type); i++) {
                double value = monte_carlo_exact_value(&layout, &words, i);
                moments.sum += value;
                moments.squares += value * value;
            }
        }
    const double exact = 0x1p-45;
    uint64_t units = units_of(&layout, 7);
    assert_false(monte_carlo_is_wrong(&layout, &moments, units, exact));
    assert_true(monte_carlo_is_wrong(&layout, &moments, units_of(&layout, 8), exact));
    moments.squares *= 1.000001;
    assert_true(monte_carlo_is_wrong(&layout, &moments, units, exact));
    moments.squares = NAN;
    assert_true(monte_carlo_is_wrong(&layout, &moments, units, exact));
}

TEST(a_wrong_histogram_is_found)
{
    const struct monte_carlo_layout layout = {MONTE_CARLO_UNIFORM, 0, 1, 1};
    struct monte_carlo_statistics found = {0};
    struct philox_words words = philox_draw(1, 0, 0);
    double last = 0;
    for (int i = 0; i < 4; i++) {
        double value = monte_carlo_centred(words.word[i]);
        found.sum += value;
        found.squares += value * value;
        found.products += value * last;
        found.bins[monte_carlo_bin(words.word[i])]++;
        last = value;
    }
    uint64_t units = units_of(&layout, 1);
    assert_false(monte_carlo_is_wrong(&layout, &found, units, 0x1p-45));
    found.bins[0]++;
    assert_true(monte_carlo_is_wrong(&layout, &found, units, 0x1p-45));
}

/* The steps make the same numbers, so they give the same estimate. */
TEST(the_steps_of_a_host_device_agree)
{
    static const char *const problems[] = {"pi", "call"};
    static struct results results;
    struct lab_device *device = open_with(1, NULL);
    run_experiment(lab_experiment_find("monte-carlo"), device,
                   "{\"problem\": [\"pi\", \"call\"], \"max_n\": 4096, \"time_budget_s\": 1, \"max_samples\": 3}",
                   &results);
    assert_true(results.good && !results.any_wrong);
    for (size_t i = 0; i < 2; i++) {
        char stored[160], made[160];
        snprintf(stored, sizeof stored, "\"problem\":\"%s\",\"step\":\"stored\"", problems[i]);
        snprintf(made, sizeof made, "\"problem\":\"%s\",\"step\":\"in-registers\"", problems[i]);
        const struct reported *one = find_reported(&results, "estimate", stored);
        const struct reported *other = find_reported(&results, "estimate", made);
        assert_true(one != NULL && other != NULL && one->verified && other->verified);
        assert_true(fabs(one->summary.median - other->summary.median) < 1e-9);
        assert_true(find_reported(&results, "deviation", stored)->summary.median < 4);
    }
    close_and_stop(device);
}
