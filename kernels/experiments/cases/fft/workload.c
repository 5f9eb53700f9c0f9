/* The workload of a point of fft: its arrays, the launches of its step and the check of the result. */
#include "workload.h"

#include "descriptor/parameters.h"
#include "fft.h"

#include <math.h>
#include <stdio.h>

/* --- the steps ---------------------------------------------------------------------------------------------------- */

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Why an own step other than mixed-radix cannot have the point; NULL if it can. */
static const char *refuse_own_step(const struct lab_point *point)
{
    const int64_t *values = point->values, step = values[FFT_STEP], n = values[FFT_N];
    if (values[FFT_KIND] == FFT_REAL || values[FFT_DIMENSIONS] == 2)
        return "this step transforms complex numbers in one dimension";
    if (step == FFT_DIRECT && n > FFT_DIRECT_MAX)
        return "the direct sum is measured up to n = 1024";
    if (step != FFT_DIRECT && !is_power_of_two(n))
        return "this step needs a power of two";
    if (step == FFT_STOCKHAM && (n < FFT_ELEMENTS || n > FFT_STOCKHAM_MAX))
        return "this step needs n from 16 to 4096, the elements that a block holds in registers";
    if (step != FFT_STOCKHAM && values[FFT_IN_PLACE] != 0)
        return "this step needs a second array";
    return NULL;
}

/* Why the point cannot be measured on the device; NULL if it can. */
static const char *refuse(const struct lab_point *point, const struct lab_device_facts *device)
{
    const int64_t *values = point->values, step = values[FFT_STEP];
    bool host = lab_facts_is_cpu(device);
    if (values[FFT_KIND] == FFT_REAL && values[FFT_IN_PLACE] != 0)
        return "transforms of real numbers are measured out of place only";
    if (host ? step == FFT_RADIX_2 || step == FFT_RADIX_8 || step == FFT_STOCKHAM : step == FFT_MIXED_RADIX)
        return host ? "host devices have the steps dft, mixed-radix and library"
                    : "only host devices have the step mixed-radix";
    return step == FFT_LIBRARY || step == FFT_MIXED_RADIX ? NULL : refuse_own_step(point);
}

void fft_list_steps(const struct lab_points_request *request, const struct lab_point *point,
                    struct lab_axis_values *values)
{
    struct lab_point of_step = *point;
    bool all = lab_parameter_has(request->parameters, "step", FFT_ALL);
    if (!all)
        lab_axis_values_add_parameter(values, request, "step");
    for (int64_t step = 0; all && step < FFT_STEPS; step++) {
        of_step.values[FFT_STEP] = step;
        if (step == FFT_LIBRARY || refuse(&of_step, request->devices[0]) == NULL)
            lab_axis_values_add(values, step);
    }
}

/* --- the launches ------------------------------------------------------------------------------------------------- */

/* The transforms of a point. */
struct batch {
    struct fft_shape shape;
    int64_t step;
    bool host;
    uint64_t count, numbers; /* transforms; numbers of one of them */
    size_t in, out;          /* buffers; the same one in place */
};

/* The names of the kernels of CUDA devices, by type. */
#define KERNELS(name)                                                                                                  \
    {                                                                                                                  \
        "fft_" name "_fp32", "fft_" name "_fp64"                                                                       \
    }

static size_t complex_bytes(const struct batch *batch)
{
    return batch->shape.fp64 ? 2 * sizeof(double) : 2 * sizeof(float);
}

/* One launch with `threads` threads in all. */
static void add_kernel(struct lab_workload *workload, const struct batch *batch, const char *kernel, uint64_t threads)
{
    lab_workload_add_step(workload, kernel);
    lab_workload_add_buffer(workload, batch->in);
    lab_workload_add_buffer(workload, batch->out);
    lab_workload_add(workload, lab_argument_u32((uint32_t)batch->shape.n));
    lab_workload_add(workload, lab_argument_u64(batch->count));
    lab_workload_launch(workload, (threads + FFT_BLOCK - 1) / FFT_BLOCK, FFT_BLOCK);
}

static void add_direct_sum(struct lab_workload *workload, const struct batch *batch)
{
    static const char *const kernels[] = KERNELS("dft");
    if (!batch->host) {
        add_kernel(workload, batch, kernels[batch->shape.fp64], batch->count * batch->numbers);
        return;
    }
    lab_workload_add_step(workload, "fft_dft");
    lab_workload_add_buffer(workload, batch->in);
    lab_workload_add_buffer(workload, batch->out);
    lab_workload_add(workload, lab_argument_u64(fft_pack(batch->shape)));
    lab_workload_add(workload, lab_argument_u64(batch->count));
}

static void add_stockham(struct lab_workload *workload, const struct batch *batch)
{
    static const char *const kernels[] = KERNELS("stockham");
    enum { PADDED = FFT_STOCKHAM_MAX + FFT_STOCKHAM_MAX / FFT_ELEMENTS };
    add_kernel(workload, batch, kernels[batch->shape.fp64], batch->count * (batch->shape.n / FFT_ELEMENTS));
    workload->steps[0].launch.shared_bytes = PADDED * complex_bytes(batch);
}

/* Adds one pass over the batch. */
static void add_pass(struct lab_workload *workload, const struct batch *batch, size_t from, size_t to, uint64_t radix,
                     uint64_t stride)
{
    static const char *const kernels[][2] = {
        [2] = KERNELS("radix_2"), [4] = KERNELS("radix_4"), [8] = KERNELS("radix_8")};
    lab_workload_add_step(workload, kernels[radix][batch->shape.fp64]);
    lab_workload_add_buffer(workload, from);
    lab_workload_add_buffer(workload, to);
    lab_workload_add(workload, lab_argument_u32((uint32_t)batch->shape.n));
    lab_workload_add(workload, lab_argument_u32((uint32_t)stride));
    lab_workload_add(workload, lab_argument_u64(batch->count));
    lab_workload_launch_items(workload, batch->count * (batch->shape.n / radix), FFT_BLOCK);
}

/* Passes of the radix, and a last one for what remains. They write to the output and to a second array in turn, such that the
 * last one writes to the output. */
static void add_passes(struct lab_workload *workload, const struct batch *batch)
{
    uint64_t largest = batch->step == FFT_RADIX_2 ? 2 : 8, n = batch->shape.n;
    size_t passes = 0, from = batch->in;
    for (uint64_t stride = 1; stride < n; stride *= largest)
        passes++;
    size_t targets[] = {batch->out, batch->out};
    if (passes > 1)
        targets[1] = lab_workload_output(workload, batch->count * n * complex_bytes(batch));
    for (uint64_t stride = 1; stride < n; stride *= largest) {
        uint64_t radix = n / stride < largest ? n / stride : largest;
        size_t to = targets[--passes % 2];
        add_pass(workload, batch, from, to, radix, stride);
        from = to;
    }
}

/* Transforms the rows, and then the columns of the results. */
static void add_mixed_radix(struct lab_workload *workload, const struct batch *batch, uint64_t cores)
{
    size_t scratch = lab_workload_output(workload, cores * 4 * batch->shape.n * 2 * sizeof(double));
    for (uint64_t columns = 0; columns < (batch->shape.two_dimensional ? 2 : 1); columns++) {
        lab_workload_add_step(workload, "fft_mixed_radix");
        lab_workload_add_buffer(workload, columns == 0 ? batch->in : batch->out);
        lab_workload_add_buffer(workload, batch->out);
        lab_workload_add_buffer(workload, scratch);
        lab_workload_add(workload, lab_argument_u64(fft_pack(batch->shape)));
        lab_workload_add(workload, lab_argument_u64(columns));
        lab_workload_add(workload, lab_argument_u64(batch->count));
    }
}

/* The arguments are input, output, shape and number of transforms. */
static struct lab_plan *prepare_library(struct lab_device *device, const struct lab_argument *arguments, size_t count)
{
    const struct lab_runtime_fft *library = device->runtime->fft;
    struct fft_shape shape = fft_unpack(arguments[2].u64);
    const struct lab_fft fft = {.dimensions = shape.two_dimensional ? 2 : 1,
                                .n = shape.n,
                                .batch = arguments[3].u64,
                                .real = shape.real,
                                .fp64 = shape.fp64,
                                .input = arguments[0].pointer,
                                .output = arguments[1].pointer};
    (void)count;
    if (library != NULL)
        return library->prepare(device, &fft);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this build has no library of transforms for this device");
    return NULL;
}

static void add_library(struct lab_workload *workload, const struct batch *batch)
{
    lab_workload_add_call(workload, prepare_library);
    lab_workload_add_buffer(workload, batch->in);
    lab_workload_add_buffer(workload, batch->out);
    lab_workload_add(workload, lab_argument_u64(fft_pack(batch->shape)));
    lab_workload_add(workload, lab_argument_u64(batch->count));
}

static void add_launches(struct lab_workload *workload, const struct batch *batch,
                         const struct lab_device_facts *device)
{
    if (batch->step == FFT_DIRECT)
        add_direct_sum(workload, batch);
    else if (batch->step == FFT_STOCKHAM)
        add_stockham(workload, batch);
    else if (batch->step == FFT_MIXED_RADIX)
        add_mixed_radix(workload, batch, lab_facts_multiprocessors(device));
    else if (batch->step == FFT_LIBRARY)
        add_library(workload, batch);
    else
        add_passes(workload, batch);
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* The largest error that is not wrong. That of a transform grows with the number of its passes, that of a sum with the root
 * of its length; filling and checking in fp64 have an error too. */
static double error_bound(const struct batch *batch)
{
    double unit = batch->shape.fp64 ? ldexp(1, -53) : ldexp(1, -24);
    double steps = batch->step == FFT_DIRECT ? sqrt((double)batch->numbers) : log2((double)batch->numbers);
    return unit * (32 + 8 * steps);
}

/* Work in place multiplies the data by the root of their number: a number in fp32 stays below 2^127. */
static size_t repetitions_in_place(const struct batch *batch)
{
    enum { BITS = 100 };
    size_t most = (size_t)(2 * BITS / log2((double)batch->numbers));
    return most > 0 ? most : 1;
}

static void add_arrays(struct lab_workload *workload, struct batch *batch, bool in_place)
{
    struct fft_shape shape = batch->shape;
    size_t rows = batch->count * (batch->numbers / shape.n);
    size_t in_bytes = rows * shape.n * complex_bytes(batch) / (shape.real ? 2 : 1);
    batch->in = batch->out = lab_workload_declare(
        workload, (struct lab_buffer){
                      .bytes = in_bytes, .output = in_place, .fill = "fft_fill", .fill_parameters = {fft_pack(shape)}});
    size_t out_bytes = rows * fft_result_width(shape) * complex_bytes(batch);
    if (in_place)
        workload->repetitions_in_place = repetitions_in_place(batch);
    else
        batch->out = lab_workload_output(workload, out_bytes);
    workload->counts[LAB_COUNT_BYTES] = (double)(in_bytes + out_bytes);
}

/* The peak is the throughput of one pass through the memory, unless the arrays fit in the last-level cache. */
static void set_counts(struct lab_workload *workload, const struct batch *batch, const struct lab_device_facts *device)
{
    double numbers = (double)batch->numbers, per_number = batch->shape.real ? 2.5 : 5, *counts = workload->counts;
    counts[LAB_COUNT_OPERATIONS] = (double)batch->count * per_number * numbers * log2(numbers);
    counts[LAB_COUNT_BASELINE] = 1;
    if (device->l2_bytes == LAB_UNKNOWN || lab_workload_bytes(workload, true) > (size_t)device->l2_bytes)
        workload->peak = (struct lab_peak){device->memory_peak_bytes_per_s / counts[LAB_COUNT_BYTES] *
                                               counts[LAB_COUNT_OPERATIONS] / 1e9,
                                           "one pass through device memory"};
}

/* The seconds of steps that need more operations than the throughput counts: a product for each number of a direct sum, and
 * at each level of the recursion. */
static double seconds_of(const struct batch *batch, const struct lab_device_facts *device)
{
    double products = (double)(batch->count * batch->numbers);
    double rate = batch->host ? 3e8 * (double)lab_facts_multiprocessors(device) : 5e11;
    uint64_t n = batch->shape.n, sum = 0;
    if (batch->step == FFT_DIRECT)
        return products * (double)n / rate;
    if (batch->step != FFT_MIXED_RADIX)
        return 0;
    for (uint64_t factor = 2; n > 1; factor += n % factor != 0)
        for (factor = factor * factor > n ? n : factor; n > 1 && n % factor == 0; n /= factor)
            sum += factor;
    return products * (double)(sum * (batch->shape.two_dimensional ? 2 : 1)) / rate;
}

void fft_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                  const struct lab_point *point, struct lab_workload *workload)
{
    const int64_t *values = point->values;
    struct batch batch = {.shape = {.n = (uint64_t)values[FFT_N],
                                    .two_dimensional = values[FFT_DIMENSIONS] == 2,
                                    .real = values[FFT_KIND] == FFT_REAL,
                                    .fp64 = values[FFT_TYPE] == FFT_FP64},
                          .step = values[FFT_STEP],
                          .host = lab_facts_is_cpu(device)};
    const char *refused = refuse(point, device);
    (void)given;
    if (refused != NULL) {
        snprintf(workload->skipped, sizeof workload->skipped, "%s", refused);
        return;
    }
    batch.numbers = batch.shape.n * (batch.shape.two_dimensional ? batch.shape.n : 1);
    uint64_t bytes = batch.numbers * complex_bytes(&batch) / (batch.shape.real ? 2 : 1);
    batch.count = (uint64_t)values[FFT_BYTES] / bytes;
    batch.count += batch.count == 0;
    add_arrays(workload, &batch, values[FFT_IN_PLACE] != 0);
    add_launches(workload, &batch, device);
    double bound = error_bound(&batch);
    workload->check = (struct lab_workload_check){
        .kernel = "fft_check", .buffer = batch.out, .error = "relative_error", .parameters = {fft_pack(batch.shape)}};
    memcpy(&workload->check.parameters[1], &bound, sizeof bound);
    set_counts(workload, &batch, device);
    workload->seconds = seconds_of(&batch, device);
}

bool fft_baseline(const struct lab_point *point, struct lab_point *baseline)
{
    *baseline = *point;
    baseline->values[FFT_STEP] = FFT_LIBRARY;
    return point->values[FFT_STEP] != FFT_LIBRARY;
}
