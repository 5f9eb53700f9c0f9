/* The workload of a point of spectral: its arrays, the launches of its method, and the error that the theory
 * predicts. */
#include "workload.h"

#include "benchmark/report.h"
#include "core/protocol.h"
#include "descriptor/parameters.h"
#include "experiments/cases/fft/fft.h"

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

bool spectral_keeps_variant(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return spectral_variants[value].add[point->values[SPECTRAL_PROBLEM]] != NULL;
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

static bool is_difference(const struct spectral_variant *variant)
{
    return variant->stencil[0] != 0;
}

/* What a method makes of the frequency k, which n points see as one from -n / 2 to n / 2. */
static double seen_frequency(const struct spectral_variant *variant, double k, double n)
{
    double h = 2 * SPECTRAL_PI / n, seen = k - n * floor(k / n + 0.5), sum = 0;
    if (!is_difference(variant))
        return 2 * fabs(seen) < n ? seen : 0;
    for (int i = 0; i < 4; i++)
        sum += variant->stencil[i] * 2 * sin((i + 1) * seen * h) / h;
    return sum;
}

/* The errors of all waves of the function, as if they were largest at the same point. */
static double derivative_error(const struct spectral_variant *variant, double n)
{
    double amplitudes[WAVES], sum = 0;
    set_amplitudes(SPECTRAL_SHARPNESS, amplitudes);
    for (int k = 1; k < WAVES; k++)
        sum += 2 * amplitudes[k] * fabs(k - seen_frequency(variant, k, n));
    return sum / SPECTRAL_LARGEST_DERIVATIVE;
}

/* The same for the two peaks. */
static double poisson_error(const struct spectral_variant *variant, uint64_t n)
{
    double amplitudes[WAVES], sum = 0;
    bool difference = is_difference(variant);
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

/* The rounding errors of numbers of about 1: those of a derivative grow with the largest frequency, those of a direct
 * sum with its length. */
static double rounding_error(struct spectral_shape shape)
{
    double growth = shape.problem == SPECTRAL_DERIVATIVE ? (double)shape.n : 16 + (double)shape.taps;
    return ldexp(64 * growth, -53);
}

static double predicted_error(struct spectral_shape shape, const struct spectral_variant *variant)
{
    return shape.problem == SPECTRAL_DERIVATIVE ? derivative_error(variant, (double)shape.n)
           : shape.problem == SPECTRAL_POISSON  ? poisson_error(variant, shape.n)
                                                : 0;
}

/* --- the launches ------------------------------------------------------------------------------------------------- */

/* The problems of a point. */
struct spectral_batch {
    const struct spectral_variant *variant;
    struct spectral_shape shape;
    uint64_t lines;
    bool host;
    size_t in, out, scratch; /* buffers; scratch on host devices only */
};

/* Adds a kernel that transforms lines. */
static void add_lines(struct lab_workload *workload, const struct spectral_batch *batch, const char *kernel, size_t in)
{
    enum { PADDED = FFT_STOCKHAM_MAX + FFT_STOCKHAM_MAX / FFT_ELEMENTS };
    uint64_t n = batch->shape.n;
    lab_workload_add_step(workload, kernel);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(batch->out));
    if (batch->host)
        LAB_ARGUMENTS(workload, LAB_BUFFER(batch->scratch));
    LAB_ARGUMENTS(workload, LAB_VALUE(batch->host ? lab_argument_u64(n) : lab_argument_u32((uint32_t)n)),
                  LAB_U64(batch->lines));
    lab_workload_launch(workload, (batch->lines * n + FFT_STOCKHAM_MAX - 1) / FFT_STOCKHAM_MAX, FFT_BLOCK);
    workload->steps[workload->step_count - 1].launch.shared_bytes = PADDED * 2 * sizeof(double);
}

static void add_derivative(struct lab_workload *workload, const struct spectral_batch *batch)
{
    add_lines(workload, batch, "spectral_derivative", batch->in);
}

static void add_poisson(struct lab_workload *workload, const struct spectral_batch *batch)
{
    add_lines(workload, batch, "spectral_poisson_rows", batch->in);
    add_lines(workload, batch, "spectral_poisson_columns", batch->out);
    LAB_ARGUMENTS(workload, LAB_U32(is_difference(batch->variant)));
    add_lines(workload, batch, "spectral_poisson_rows_back", batch->out);
}

/* Adds the kernel of the method, with a thread for each point. */
static void add_points(struct lab_workload *workload, const struct spectral_batch *batch)
{
    lab_workload_add_kernel(workload, "spectral_%s", batch->variant->name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(batch->in), LAB_BUFFER(batch->out), LAB_U32(batch->shape.n),
                  LAB_U64(batch->lines));
    lab_workload_launch_items(workload, batch->lines * batch->shape.n, SPECTRAL_BLOCK);
}

static void add_convolution(struct lab_workload *workload, const struct spectral_batch *batch)
{
    size_t bytes = batch->shape.n * 2 * sizeof(double);
    size_t taps = LAB_FILLED(workload, bytes, "spectral_fill_tap_transform", spectral_pack(batch->shape));
    add_lines(workload, batch, "spectral_convolution", batch->in);
    LAB_ARGUMENTS(workload, LAB_BUFFER(taps));
}

static void add_direct(struct lab_workload *workload, const struct spectral_batch *batch)
{
    size_t taps =
        LAB_FILLED(workload, batch->shape.taps * sizeof(double), "spectral_fill_taps", spectral_pack(batch->shape));
    add_points(workload, batch);
    LAB_ARGUMENTS(workload, LAB_BUFFER(taps), LAB_U32(batch->shape.taps));
}

const struct spectral_variant spectral_variants[] = {
    {"spectral", .add = {[SPECTRAL_DERIVATIVE] = add_derivative,
                         [SPECTRAL_CONVOLUTION] = add_convolution,
                         [SPECTRAL_POISSON] = add_poisson}},
    {"difference-2", {[SPECTRAL_DERIVATIVE] = add_points, [SPECTRAL_POISSON] = add_poisson}, SPECTRAL_STENCIL_2},
    {"difference-8", {[SPECTRAL_DERIVATIVE] = add_points}, SPECTRAL_STENCIL_8},
    {"direct", .add = {[SPECTRAL_CONVOLUTION] = add_direct}},
    {0},
};

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* Seconds of a host device, whose cores and not its memory are the limit. */
static double host_seconds(const struct spectral_batch *batch, uint64_t cores)
{
    double numbers = (double)(batch->lines * batch->shape.n);
    double transforms = batch->shape.problem == SPECTRAL_POISSON ? 4 : 2;
    void (*add)(struct lab_workload *, const struct spectral_batch *) = batch->variant->add[batch->shape.problem];
    double steps = add == add_points   ? 4
                   : add == add_direct ? (double)batch->shape.taps
                                       : transforms * log2((double)batch->shape.n);
    return numbers * (steps + 4) * 4e-9 / (double)cores;
}

static void set_check(struct lab_workload *workload, const struct spectral_batch *batch)
{
    double predicted = predicted_error(batch->shape, batch->variant);
    double bound = 1.001 * predicted + rounding_error(batch->shape);
    workload->check = (struct lab_workload_check){.kernel = "spectral_check",
                                                  .buffer = batch->out,
                                                  .error = "relative_error",
                                                  .parameters = {spectral_pack(batch->shape)}};
    memcpy(&workload->check.parameters[1], &bound, sizeof bound);
    if (predicted > rounding_error(batch->shape))
        lab_workload_add_figure(workload, "predicted_relative_error", predicted);
}

/* The solution of Poisson's equation is drawn where it is no larger than a field. */
static void set_records(struct lab_workload *workload, const struct spectral_batch *batch)
{
    if (batch->shape.problem == SPECTRAL_POISSON && batch->shape.n <= LAB_FIELD_SIDE_MAX) {
        workload->records.buffer = batch->out;
        workload->records.bytes = batch->shape.n * batch->shape.n * 2 * sizeof(double);
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
    struct spectral_batch batch = {
        .variant = &spectral_variants[values[SPECTRAL_VARIANT]],
        .shape = {.n = (uint64_t)values[SPECTRAL_N], .problem = (int)values[SPECTRAL_PROBLEM]},
        .host = lab_facts_is_cpu(device)};
    (void)given;
    if (spectral_has_taps(point))
        batch.shape.taps = (uint64_t)values[SPECTRAL_TAPS];
    uint64_t lines_of_one = batch.shape.problem == SPECTRAL_POISSON ? batch.shape.n : 1;
    uint64_t bytes_of_one = lines_of_one * batch.shape.n * 2 * sizeof(double);
    uint64_t count = (uint64_t)values[SPECTRAL_BYTES] / bytes_of_one;
    batch.lines = lines_of_one * (count > 0 ? count : 1);
    size_t bytes = batch.lines * batch.shape.n * 2 * sizeof(double);
    batch.in = LAB_FILLED(workload, bytes, "spectral_fill", spectral_pack(batch.shape));
    batch.out = lab_workload_output(workload, bytes);
    if (batch.host)
        batch.scratch = lab_workload_output(workload, cores * 4 * batch.shape.n * 2 * sizeof(double));
    batch.variant->add[batch.shape.problem](workload, &batch);
    set_check(workload, &batch);
    set_records(workload, &batch);
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)bytes;
    workload->seconds = batch.host ? host_seconds(&batch, cores) : 0;
}
