/* The workload of a point of monte-carlo, and what its result says. */
#include "workload.h"

#include "descriptor/parameters.h"
#include "monte_carlo.h"

enum { STORED_SAMPLES_MAX = 1 << 28 };

const char *const monte_carlo_problems[] = {"pi", "call", "uniform", NULL};
const char *const monte_carlo_types[] = {"fp32", "fp64", NULL};

/* --- values of axes ----------------------------------------------------------------------------------------------- */

/* The statistics are of the random words, from which the numbers of both types are made. */
bool monte_carlo_has_type(const struct lab_point *point)
{
    return point->values[PROBLEM] != MONTE_CARLO_UNIFORM;
}

void monte_carlo_list_steps(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values)
{
    bool all = lab_parameter_has(request->parameters, "step", ALL), host = lab_facts_is_cpu(request->devices[0]);
    if (point->values[PROBLEM] == MONTE_CARLO_UNIFORM)
        lab_axis_values_add(values, IN_REGISTERS);
    else if (!all)
        lab_axis_values_add_parameter(values, request, "step");
    else
        for (int64_t step = STORED; step < ALL; step++)
            if (!host || monte_carlo_steps[step].host)
                lab_axis_values_add(values, step);
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

static struct monte_carlo_layout layout_of(const struct lab_point *point)
{
    struct monte_carlo_layout layout = {.problem = (uint64_t)point->values[PROBLEM],
                                        .type = monte_carlo_has_type(point) ? (uint64_t)point->values[TYPE] : 0};
    uint64_t draws = (uint64_t)point->values[N] / monte_carlo_samples(layout.problem, layout.type);
    uint64_t streams = draws / MONTE_CARLO_DRAWS;
    layout.streams = streams < MONTE_CARLO_STREAMS ? (uint32_t)streams : MONTE_CARLO_STREAMS;
    layout.draws = (uint32_t)(draws / layout.streams);
    return layout;
}

/* The relative error that rounding can have: of the sum of a stream, made one after the other, and of each sample. */
static double rounding(const struct lab_point *point, const struct monte_carlo_layout *layout)
{
    const double of_sample = 256;
    bool is_single = monte_carlo_has_type(point) && layout->type == MONTE_CARLO_FP32;
    double in_order = (double)layout->draws * monte_carlo_samples(layout->problem, layout->type);
    return (in_order + of_sample) * ldexp(1, is_single ? -24 : -53);
}

static uint32_t blocks_of(const struct monte_carlo_layout *layout)
{
    return (layout->streams + MONTE_CARLO_BLOCK - 1) / MONTE_CARLO_BLOCK;
}

/* Ends a launch that makes sums, or numbers, of all streams. */
static void add_layout(struct lab_workload *workload, const struct monte_carlo_layout *layout)
{
    LAB_ARGUMENTS(workload, LAB_U32(layout->streams), LAB_U32(layout->draws));
    lab_workload_launch(workload, blocks_of(layout), MONTE_CARLO_BLOCK);
}

/* The estimate of a point. */
struct monte_carlo_estimate {
    const struct monte_carlo_step *step;
    struct monte_carlo_layout layout;
    uint64_t seed;
    size_t result; /* buffer */
};

/* Adds the launch of a kernel such as monte_carlo_one_pass_pi_fp32. */
static void add_kernel(struct lab_workload *workload, const struct monte_carlo_estimate *estimate, const char *step)
{
    lab_workload_add_kernel(workload, "monte_carlo_%s-%s-%s", step, monte_carlo_problems[estimate->layout.problem],
                            monte_carlo_types[estimate->layout.type]);
}

/* A launch that makes the sums of the blocks, from the numbers in `memory` or, when `memory` is NULL, from the seed;
 * and a launch that adds the sums up. */
static void add_two_passes(struct lab_workload *workload, const struct monte_carlo_estimate *estimate,
                           const size_t *memory)
{
    const struct monte_carlo_layout *layout = &estimate->layout;
    size_t sums = lab_workload_output(workload, blocks_of(layout) * sizeof(struct monte_carlo_moments));
    add_kernel(workload, estimate, estimate->step->name);
    if (memory != NULL)
        LAB_ARGUMENTS(workload, LAB_BUFFER(*memory));
    LAB_ARGUMENTS(workload, LAB_BUFFER(sums));
    if (memory == NULL)
        LAB_ARGUMENTS(workload, LAB_U64(estimate->seed));
    add_layout(workload, layout);
    lab_workload_add_step(workload, "monte_carlo_finish");
    LAB_ARGUMENTS(workload, LAB_BUFFER(sums), LAB_BUFFER(estimate->result), LAB_U32(blocks_of(layout)));
    lab_workload_launch(workload, 1, MONTE_CARLO_FINISH_BLOCK);
}

static void add_stored(struct lab_workload *workload, const struct monte_carlo_estimate *estimate)
{
    enum { DRAW_BYTES = 16 };
    const struct monte_carlo_layout *layout = &estimate->layout;
    size_t memory = lab_workload_output(workload, (size_t)layout->streams * layout->draws * DRAW_BYTES);
    add_kernel(workload, estimate, "store");
    LAB_ARGUMENTS(workload, LAB_BUFFER(memory), LAB_U64(estimate->seed));
    add_layout(workload, layout);
    add_two_passes(workload, estimate, &memory);
}

static void add_in_registers(struct lab_workload *workload, const struct monte_carlo_estimate *estimate)
{
    add_two_passes(workload, estimate, NULL);
}

static void add_one_pass(struct lab_workload *workload, const struct monte_carlo_estimate *estimate)
{
    size_t progress = lab_workload_zeros(workload, sizeof(struct monte_carlo_moments) + 2 * sizeof(uint32_t));
    add_kernel(workload, estimate, estimate->step->name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(estimate->result), LAB_BUFFER(progress), LAB_U64(estimate->seed));
    add_layout(workload, &estimate->layout);
}

const struct monte_carlo_step monte_carlo_steps[] = {
    [STORED] = {"stored", add_stored, true},
    [IN_REGISTERS] = {"in-registers", add_in_registers, true},
    {"one-pass", add_one_pass, false},
    [LIBRARY] = {"library", add_one_pass, false},
    [ALL] = {"all", NULL, false},
    {0},
};

static void add_statistics(struct lab_workload *workload, const struct monte_carlo_estimate *estimate)
{
    lab_workload_add_step(workload, "monte_carlo_statistics");
    LAB_ARGUMENTS(workload, LAB_BUFFER(estimate->result), LAB_U64(estimate->seed));
    add_layout(workload, &estimate->layout);
    workload->check.accumulates = true;
}

static void skip(const struct lab_device_facts *device, const struct lab_point *point, struct lab_workload *workload)
{
    int64_t step = point->values[STEP];
    if (lab_facts_is_cpu(device) && !monte_carlo_steps[step].host)
        lab_workload_skip(workload, "host devices have the steps stored and in-registers");
    else if (step == STORED && point->values[N] > STORED_SAMPLES_MAX)
        lab_workload_skip(workload, "numbers are stored for at most %d samples", (int)STORED_SAMPLES_MAX);
}

/* Seconds of a sample on one core, and samples of a multiprocessor in a clock, for the estimate. */
static double seconds_of(const struct lab_device_facts *device, const struct lab_point *point)
{
    double n = (double)point->values[N], count = (double)lab_facts_multiprocessors(device);
    double host_sample_s = point->values[PROBLEM] == MONTE_CARLO_CALL ? 60e-9 : 20e-9;
    return lab_facts_is_cpu(device) ? n * host_sample_s / count : n / (2 * count * device->clock_hz);
}

void monte_carlo_describe(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                          const struct lab_point *point, struct lab_workload *workload)
{
    struct monte_carlo_estimate estimate = {.step = &monte_carlo_steps[point->values[STEP]],
                                            .layout = layout_of(point),
                                            .seed = (uint64_t)lab_parameter_integer(parameters, "seed")};
    const struct monte_carlo_layout *layout = &estimate.layout;
    const bool uniform = layout->problem == MONTE_CARLO_UNIFORM;
    skip(device, point, workload);
    if (workload->skipped[0] != '\0')
        return;
    size_t bytes = uniform ? sizeof(struct monte_carlo_statistics) : sizeof(struct monte_carlo_moments);
    estimate.result = lab_workload_zeros(workload, bytes);
    workload->check =
        LAB_CHECK("monte_carlo_check", estimate.result, layout->problem << 32 | layout->type,
                  (uint64_t)layout->streams << 32 | layout->draws, lab_argument_f64(rounding(point, layout)).u64);
    (uniform ? add_statistics : estimate.step->add)(workload, &estimate);
    workload->records = (struct lab_workload_records){estimate.result, bytes};
    workload->counts[LAB_COUNT_ITEMS] = (double)point->values[N];
    workload->counts[LAB_COUNT_BASELINE] = 1;
    workload->seconds = seconds_of(device, point);
    lab_workload_add_figure(workload, "predicted_estimate", monte_carlo_exact(point->values[PROBLEM]));
}

bool monte_carlo_baseline(const struct lab_point *point, struct lab_point *baseline)
{
    *baseline = *point;
    baseline->values[STEP] = LIBRARY;
    return point->values[STEP] < LIBRARY && point->values[PROBLEM] != MONTE_CARLO_UNIFORM;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static double normal_distribution(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double discount(void)
{
    return exp(-MONTE_CARLO_RATE * MONTE_CARLO_YEARS);
}

/* The formula of Black and Scholes for a European call. */
static double black_scholes(void)
{
    double deviation = MONTE_CARLO_VOLATILITY * sqrt(MONTE_CARLO_YEARS);
    double d = (log(MONTE_CARLO_PRICE / MONTE_CARLO_STRIKE) + MONTE_CARLO_RATE * MONTE_CARLO_YEARS) / deviation;
    return MONTE_CARLO_PRICE * normal_distribution(d + deviation / 2) -
           MONTE_CARLO_STRIKE * discount() * normal_distribution(d - deviation / 2);
}

double monte_carlo_exact(int64_t problem)
{
    return problem == MONTE_CARLO_PI ? acos(-1) : problem == MONTE_CARLO_CALL ? black_scholes() : 0.5;
}

/* The estimate is `scale` times the mean of the samples; from those of uniform 1/2 was subtracted. */
static bool report_estimate(const struct lab_report *report, const struct monte_carlo_moments *moments)
{
    int64_t problem = report->point->values[PROBLEM];
    double n = (double)report->point->values[N], mean = moments->sum / n;
    double scale = problem == MONTE_CARLO_PI ? 4 : problem == MONTE_CARLO_CALL ? discount() : 1;
    double estimate = scale * mean + (problem == MONTE_CARLO_UNIFORM ? 0.5 : 0);
    double error = fabs(estimate - monte_carlo_exact(problem));
    double standard_error = scale * sqrt((moments->squares / n - mean * mean) / (n - 1));
    return lab_report_value(report, "estimate", estimate) && lab_report_value(report, "error", error) &&
           lab_report_value(report, "standard_error", standard_error) &&
           lab_report_value(report, "deviation", error / standard_error);
}

/* Each statistic of uniform numbers as its distance from what is expected, in its standard deviations. */
static bool report_statistics(const struct lab_report *report, const struct lab_workload *workload,
                              const struct monte_carlo_statistics *found)
{
    double n = (double)report->point->values[N], expected = n / MONTE_CARLO_BINS, chi_square = 0;
    uint64_t streams = workload->check.parameters[1] >> 32;
    for (int bin = 0; bin < MONTE_CARLO_BINS; bin++)
        chi_square += pow((double)found->bins[bin] - expected, 2) / expected;
    double variance = (found->squares - n / 12) / sqrt(n / 180);
    double correlation = found->products * 12 / sqrt(n - (double)streams);
    double bins = (chi_square - (MONTE_CARLO_BINS - 1)) / sqrt(2.0 * (MONTE_CARLO_BINS - 1));
    return lab_report_value(report, "variance_deviation", fabs(variance)) &&
           lab_report_value(report, "correlation_deviation", fabs(correlation)) &&
           lab_report_value(report, "chi_square_deviation", fabs(bins));
}

bool monte_carlo_read(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    const bool uniform = report->point->values[PROBLEM] == MONTE_CARLO_UNIFORM;
    return report_estimate(report, records) && (!uniform || report_statistics(report, workload, records));
}
