/* The workload of a point of spectral: its arrays, the launches of its method, and the error that the theory predicts. */
#include "workload.h"

#include "benchmark/report.h"
#include "core/protocol.h"
#include "descriptor/parameters.h"
#include "experiments/cases/fft/fft.h"
#include "spectral.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- the axes ----------------------------------------------------------------------------------------------------- */

/* The convolution is measured over the number of taps, for the longest signals only. */
void spectral_list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "n");
    int64_t largest = 0;
    for (size_t i = 0; i < given->count; i++)
        largest = given->items[i].integer > largest ? given->items[i].integer : largest;
    if (point->values[SPECTRAL_PROBLEM] == SPECTRAL_CONVOLUTION)
        lab_axis_values_add(values, largest);
    else
        lab_axis_values_add_parameter(values, request, "n");
}

bool spectral_has_taps(const struct lab_point *point)
{
    return point->values[SPECTRAL_PROBLEM] == SPECTRAL_CONVOLUTION;
}

static bool has_variant(int64_t problem, int64_t variant)
{
    if (variant == SPECTRAL_TRANSFORM || problem == SPECTRAL_CONVOLUTION)
        return variant == SPECTRAL_TRANSFORM || variant == SPECTRAL_DIRECT;
    return variant == SPECTRAL_DIFFERENCE_2 || (variant == SPECTRAL_DIFFERENCE_8 && problem == SPECTRAL_DERIVATIVE);
}

void spectral_list_variants(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "variant");
    for (size_t i = 0; i < given->count; i++)
        if (has_variant(point->values[SPECTRAL_PROBLEM], given->items[i].integer))
            lab_axis_values_add(values, given->items[i].integer);
}

bool spectral_check_parameters(const struct lab_parameters *parameters, struct lab_errors *errors)
{
    const struct lab_values *given = lab_parameter_values(parameters, "n");
    for (size_t i = 0; i < given->count; i++) {
        int64_t n = given->items[i].integer;
        if ((n & (n - 1)) != 0)
            return lab_errors_add(errors, LAB_ERROR_NOT_A_POWER_OF_TWO, "/parameters/n",
                                  "%" PRId64 " is not a power of two; allowed are 16, 32, 64, … 4096", n);
    }
    return true;
}

/* --- the predicted error ------------------------------------------------------------------------------------------ */

/* Waves of which the functions consist; the amplitudes of further ones are below 1e-17. */
enum { WAVES = 48 };

/* Sets amplitudes[k] to that of exp(ikx) in exp(a (cos x - 1)), by a sum over points, which is exact for so many. */
static void set_amplitudes(double a, double amplitudes[WAVES])
{
    enum { POINTS = 256 };
    for (int k = 0; k < WAVES; k++) {
        amplitudes[k] = 0;
        for (int j = 0; j < POINTS; j++) {
            double x = 2 * SPECTRAL_PI * j / POINTS;
            amplitudes[k] += exp(a * (cos(x) - 1)) * cos(k * x) / POINTS;
        }
        amplitudes[k] = fabs(amplitudes[k]);
    }
}

/* What a method makes of the frequency k, which n points see as one from -n / 2 to n / 2. */
static double seen_frequency(int64_t variant, double k, double n)
{
    static const double stencils[][4] = {
        [SPECTRAL_DIFFERENCE_2] = SPECTRAL_STENCIL_2, [SPECTRAL_DIFFERENCE_8] = SPECTRAL_STENCIL_8};
    double h = 2 * SPECTRAL_PI / n, seen = k - n * floor(k / n + 0.5), sum = 0;
    if (variant == SPECTRAL_TRANSFORM)
        return 2 * fabs(seen) < n ? seen : 0;
    for (int i = 0; i < 4; i++)
        sum += stencils[variant][i] * 2 * sin((i + 1) * seen * h) / h;
    return sum;
}

/* The errors of all waves of the function, as if they were largest at the same point. */
static double derivative_error(int64_t variant, double n)
{
    double amplitudes[WAVES], sum = 0;
    set_amplitudes(SPECTRAL_SHARPNESS, amplitudes);
    for (int k = 1; k < WAVES; k++)
        sum += 2 * amplitudes[k] * fabs(k - seen_frequency(variant, k, n));
    return sum / SPECTRAL_LARGEST_DERIVATIVE;
}

/* The same for the two peaks. */
static double poisson_error(int64_t variant, uint64_t n)
{
    double amplitudes[WAVES], sum = 0;
    bool difference = variant != SPECTRAL_TRANSFORM;
    set_amplitudes(SPECTRAL_PEAK_SHARPNESS, amplitudes);
    for (uint64_t k = 0; k < WAVES; k++)
        for (uint64_t l = 0; l < WAVES; l++) {
            double exact = (double)(k * k + l * l);
            double found = spectral_eigenvalue(k % n, n, difference) + spectral_eigenvalue(l % n, n, difference);
            double waves = (k > 0 ? 2 : 1) * (l > 0 ? 2 : 1) * amplitudes[k] * amplitudes[l];
            if (exact > 0)
                sum += 2 * waves * (k % n == 0 && l % n == 0 ? 1 : fabs(exact / found - 1));
        }
    return sum;
}

/* The rounding errors of numbers of about 1: those of a derivative grow with the largest frequency, those of a direct sum with
 * its length. */
static double rounding_error(struct spectral_shape shape)
{
    double growth = shape.problem == SPECTRAL_DERIVATIVE ? (double)shape.n : 16 + (double)shape.taps;
    return ldexp(64 * growth, -53);
}

static double predicted_error(struct spectral_shape shape, int64_t variant)
{
    return shape.problem == SPECTRAL_DERIVATIVE ? derivative_error(variant, (double)shape.n)
           : shape.problem == SPECTRAL_POISSON  ? poisson_error(variant, shape.n)
                                                : 0;
}

/* --- the launches ------------------------------------------------------------------------------------------------- */

/* The problems of a point. */
struct problems {
    struct spectral_shape shape;
    uint64_t lines;
    bool host;
    size_t in, out, scratch; /* buffers; scratch on host devices only */
};

/* Adds a kernel that transforms lines. */
static void add_lines(struct lab_workload *workload, const struct problems *p, const char *kernel, size_t in)
{
    enum { PADDED = FFT_STOCKHAM_MAX + FFT_STOCKHAM_MAX / FFT_ELEMENTS };
    lab_workload_add_step(workload, kernel);
    lab_workload_add_buffer(workload, in);
    lab_workload_add_buffer(workload, p->out);
    if (p->host)
        lab_workload_add_buffer(workload, p->scratch);
    lab_workload_add(workload, p->host ? lab_argument_u64(p->shape.n) : lab_argument_u32((uint32_t)p->shape.n));
    lab_workload_add(workload, lab_argument_u64(p->lines));
    lab_workload_launch(workload, (p->lines * p->shape.n + FFT_STOCKHAM_MAX - 1) / FFT_STOCKHAM_MAX, FFT_BLOCK);
    workload->steps[workload->step_count - 1].launch.shared_bytes = PADDED * 2 * sizeof(double);
}

static void add_poisson(struct lab_workload *workload, const struct problems *p, bool difference)
{
    add_lines(workload, p, "spectral_poisson_rows", p->in);
    add_lines(workload, p, "spectral_poisson_columns", p->out);
    lab_workload_add(workload, lab_argument_u32(difference));
    add_lines(workload, p, "spectral_poisson_rows_back", p->out);
}

/* Adds a kernel with a thread for each point. */
static void add_points(struct lab_workload *workload, const struct problems *p, const char *kernel)
{
    lab_workload_add_step(workload, kernel);
    lab_workload_add_buffer(workload, p->in);
    lab_workload_add_buffer(workload, p->out);
    lab_workload_add(workload, lab_argument_u32((uint32_t)p->shape.n));
    lab_workload_add(workload, lab_argument_u64(p->lines));
    lab_workload_launch_items(workload, p->lines * p->shape.n, SPECTRAL_BLOCK);
}

static size_t add_input(struct lab_workload *workload, size_t bytes, const char *fill, struct spectral_shape shape)
{
    return lab_workload_declare(
        workload, (struct lab_buffer){.bytes = bytes, .fill = fill, .fill_parameters = {spectral_pack(shape)}});
}

static void add_convolution(struct lab_workload *workload, const struct problems *p, int64_t variant)
{
    struct spectral_shape shape = p->shape;
    if (variant == SPECTRAL_TRANSFORM) {
        size_t taps = add_input(workload, shape.n * 2 * sizeof(double), "spectral_fill_tap_transform", shape);
        add_lines(workload, p, "spectral_convolution", p->in);
        lab_workload_add_buffer(workload, taps);
    } else {
        size_t taps = add_input(workload, shape.taps * sizeof(double), "spectral_fill_taps", shape);
        add_points(workload, p, "spectral_direct");
        lab_workload_add_buffer(workload, taps);
        lab_workload_add(workload, lab_argument_u32((uint32_t)shape.taps));
    }
}

static void add_launches(struct lab_workload *workload, const struct problems *p, int64_t variant)
{
    if (p->shape.problem == SPECTRAL_CONVOLUTION)
        add_convolution(workload, p, variant);
    else if (p->shape.problem == SPECTRAL_POISSON)
        add_poisson(workload, p, variant == SPECTRAL_DIFFERENCE_2);
    else if (variant == SPECTRAL_TRANSFORM)
        add_lines(workload, p, "spectral_derivative", p->in);
    else
        add_points(workload, p, variant == SPECTRAL_DIFFERENCE_2 ? "spectral_difference_2" : "spectral_difference_8");
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* Seconds of a host device, whose cores and not its memory are the limit. */
static double host_seconds(const struct problems *p, int64_t variant, uint64_t cores)
{
    double numbers = (double)(p->lines * p->shape.n);
    double transforms = p->shape.problem == SPECTRAL_POISSON ? 4 : 2;
    double steps = variant == SPECTRAL_TRANSFORM || p->shape.problem == SPECTRAL_POISSON
                       ? transforms * log2((double)p->shape.n)
                       : (double)(variant == SPECTRAL_DIRECT ? p->shape.taps : 4);
    return numbers * (steps + 4) * 4e-9 / (double)cores;
}

static void set_check(struct lab_workload *workload, const struct problems *p, int64_t variant)
{
    double predicted = predicted_error(p->shape, variant), bound = 1.001 * predicted + rounding_error(p->shape);
    workload->check = (struct lab_workload_check){.kernel = "spectral_check",
                                                  .buffer = p->out,
                                                  .error = "relative_error",
                                                  .parameters = {spectral_pack(p->shape)}};
    memcpy(&workload->check.parameters[1], &bound, sizeof bound);
    if (predicted > rounding_error(p->shape))
        lab_workload_add_figure(workload, "predicted_relative_error", predicted);
}

/* The solution of Poisson's equation is drawn where it is no larger than a field. */
static void set_records(struct lab_workload *workload, const struct problems *p)
{
    if (p->shape.problem == SPECTRAL_POISSON && p->shape.n <= LAB_FIELD_SIDE_MAX) {
        workload->records.buffer = p->out;
        workload->records.bytes = p->shape.n * p->shape.n * 2 * sizeof(double);
    }
}

bool spectral_read(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    const double *numbers = records;
    size_t count = workload->records.bytes / (2 * sizeof *numbers), n = (size_t)sqrt((double)count);
    float *values = malloc(count * sizeof *values);
    if (values == NULL)
        return lab_error_set(&report->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the solution");
    for (size_t i = 0; i < count; i++)
        values[i] = (float)numbers[2 * i]; /* the imaginary part is another problem */
    bool good = lab_report_field(report, "potential", values, n, n);
    free(values);
    return good;
}

void spectral_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                       const struct lab_point *point, struct lab_workload *workload)
{
    const int64_t *values = point->values;
    uint64_t cores = lab_facts_multiprocessors(device);
    struct problems p = {.shape = {.n = (uint64_t)values[SPECTRAL_N], .problem = (int)values[SPECTRAL_PROBLEM]},
                         .host = lab_facts_is_cpu(device)};
    (void)given;
    if (spectral_has_taps(point))
        p.shape.taps = (uint64_t)values[SPECTRAL_TAPS];
    uint64_t lines_of_one = p.shape.problem == SPECTRAL_POISSON ? p.shape.n : 1;
    uint64_t bytes_of_one = lines_of_one * p.shape.n * 2 * sizeof(double);
    uint64_t count = (uint64_t)values[SPECTRAL_BYTES] / bytes_of_one;
    p.lines = lines_of_one * (count > 0 ? count : 1);
    size_t bytes = p.lines * p.shape.n * 2 * sizeof(double);
    p.in = add_input(workload, bytes, "spectral_fill", p.shape);
    p.out = lab_workload_output(workload, bytes);
    if (p.host)
        p.scratch = lab_workload_output(workload, cores * 4 * p.shape.n * 2 * sizeof(double));
    add_launches(workload, &p, values[SPECTRAL_VARIANT]);
    set_check(workload, &p, values[SPECTRAL_VARIANT]);
    set_records(workload, &p);
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)bytes;
    workload->seconds = p.host ? host_seconds(&p, values[SPECTRAL_VARIANT], cores) : 0;
}
