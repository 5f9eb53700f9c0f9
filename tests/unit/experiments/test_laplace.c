/* laplace: plates on one and on several devices, faults that its check finds, the iterations to the bound, and the
 * solution as a field. */
#include "experiments/cases/laplace/plate.h"
#include "support/test.h"

#include "support/benchmark_harness.h"

enum { DEVICES = 3 };

static const char short_samples[] =
    "\"min_samples\": 1, \"max_samples\": 1, \"min_time_s\": 0, \"settle_s\": 0, "
    "\"time_budget_s\": 600}";

/* The last field that was reported, and how many there were. */
static struct {
    size_t count, rows, columns;
    float bottom, centre, top;
} drawn;

static void take_field(void *context, const struct lab_field *field)
{
    const float *values = field->values;
    (void)context;
    drawn.count++;
    drawn.rows = field->rows;
    drawn.columns = field->columns;
    drawn.bottom = values[field->columns / 2];
    drawn.centre = values[field->rows / 2 * field->columns + field->columns / 2];
    drawn.top = values[(field->rows - 1) * field->columns + field->columns / 2];
}

/* Runs laplace on `count` host devices with the beginning of a request. */
static void run_laplace(size_t count, const char *beginning, struct results *results)
{
    char text[512];
    struct lab_errors errors = {0};
    struct lab_error error;
    atomic_bool cancel = false;
    snprintf(text, sizeof text, "%s, %s", beginning, short_samples);
    json_t *given = json_loads(text, 0, NULL);
    const struct lab_experiment *experiment = lab_experiment_find("laplace");
    struct lab_parameters *parameters = lab_parameters_parse(experiment, given, &errors);
    assert_non_null(parameters);
    struct lab_run run = {.experiment = experiment,
                          .parameters = parameters,
                          .device_count = count,
                          .devices = {open_with(count, NULL)},
                          .sink = sink_of(results),
                          .numa_node = LAB_UNKNOWN,
                          .cancel = &cancel};
    for (size_t i = 1; i < count; i++)
        assert_non_null(run.devices[i] = runtime->open(i, &error));
    memset(&drawn, 0, sizeof drawn);
    run.sink.field = take_field;
    results->good = experiment->run(&run);
    results->any_wrong = run.any_wrong;
    results->error = run.error;
    for (size_t i = count; i-- > 1;)
        runtime->close(run.devices[i]);
    close_and_stop(run.devices[0]);
    lab_parameters_free(parameters);
    json_decref(given);
}

static size_t verified_with(const struct results *results, const char *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        count += strcmp(results->items[i].metric, metric) == 0 && results->items[i].verified;
    return count;
}

TEST(the_variants_agree_with_the_exact_iteration)
{
    struct results results;
    run_laplace(1,
                "{\"n\": [64, 96], \"interval\": [2, 16], \"solve_n\": 0, \"variant\": [\"copy\", \"separate\", "
                "\"fused\", \"every-k\", \"rows\"]",
                &results);
    assert_true(results.good);
    assert_false(results.any_wrong);
    assert_int_equal(verified_with(&results, "iteration_time"), 2 * 2 * 5);
    assert_int_equal(drawn.count, 0);
}

TEST(several_devices_exchange_their_rows)
{
    struct results results;
    run_laplace(DEVICES,
                "{\"n\": 64, \"interval\": 8, \"device_count\": [2, 3], \"variant\": [\"exposed\", \"hidden\"]",
                &results);
    assert_true(results.good);
    assert_false(results.any_wrong);
    assert_int_equal(verified_with(&results, "aggregate_bandwidth"), 2 * 2 * 2); /* devices, variants, scaling */
    assert_non_null(find_reported(
        &results, "speedup", "\"device_count\":3,\"interval\":8,\"n\":64,\"scaling\":\"weak\",\"variant\":\"hidden\""));
}

static uint64_t wrong_values(struct laplace_plate *plate)
{
    uint64_t wrong = 0;
    succeed(plate->lanes[0].device, laplace_verify(plate, &wrong));
    return wrong;
}

/* Too few iterations are wrong at nearly every point; a single value that is wrong is found. */
DEVICE_TEST(wrong_values_are_found)
{
    const float wrong = 2;
    struct lab_run run = {.device_count = 1, .devices = {device}};
    struct laplace_plate plate;
    const struct laplace_shape shape = {
        .variant = LAPLACE_ROWS, .devices = 1, .n = 64, .total = 64, .iterations = 16, .mode = 8};
    assert_true(laplace_plate_open(&plate, &run, &shape));
    succeed(device, laplace_enqueue(&plate));
    assert_int_equal(wrong_values(&plate), 0);

    succeed(device,
            runtime->copy(device, plate.lanes[0].stream, plate.slices[0].values[0] + 10 * laplace_pitch(64) + 50,
                          &wrong, sizeof wrong, LAB_H2D));
    assert_int_equal(wrong_values(&plate), 1);

    succeed(device, laplace_poison(&plate) && laplace_iterate(&plate, 14));
    assert_true(wrong_values(&plate) > 64 * 64 / 2);
    laplace_plate_close(&plate);
}

TEST(a_plate_is_solved_in_the_predicted_iterations)
{
    struct results results;
    run_laplace(1, "{\"n\": 64, \"interval\": 2, \"bound\": 1e-4, \"variant\": [\"fused\", \"rows\"]", &results);
    assert_true(results.good);
    for (size_t i = 0; i < 2; i++) {
        const char *axes = i == 0 ? "\"variant\":\"fused\"" : "\"variant\":\"rows\"";
        double predicted = find_reported(&results, "predicted_iterations", axes)->summary.median;
        double found = find_reported(&results, "iterations", axes)->summary.median;
        assert_true(predicted > 1000 && fabs(found - predicted) < 0.01 * predicted);
    }
    assert_int_equal(drawn.count, 1); /* that of the first variant */
    assert_int_equal(drawn.rows, 64);
    assert_int_equal(drawn.columns, 64);
    /* sin(pi / 2) sinh(pi / 2) / sinh(pi) is 0.199 in the middle, and the wave is a tenth at most */
    assert_true(drawn.bottom > 0.9f && drawn.bottom < 1.1f);
    assert_true(drawn.centre > 0.15f && drawn.centre < 0.35f);
    assert_true(fabsf(drawn.top) < 0.05f);
}
