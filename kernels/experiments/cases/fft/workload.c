/* The workload of a point of fft: its arrays, the launches of its step and the check of the result. */
#include "workload.h"

#include "descriptor/parameters.h"
#include "fft.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- the launches ------------------------------------------------------------------------------------------------- */

/* The transforms of a point. */
struct fft_batch {
    const struct fft_step *step;
    struct fft_shape shape;
    bool host;
    uint64_t cores;          /* of a host device */
    uint64_t count, numbers; /* transforms; numbers of one of them */
    size_t in, out;          /* buffers; the same one in place */
};

const char *const fft_types[] = {[FFT_FP32] = "fp32", [FFT_FP64] = "fp64", NULL};

static size_t complex_bytes(const struct fft_batch *batch)
{
    return batch->shape.fp64 ? 2 * sizeof(double) : 2 * sizeof(float);
}

/* Adds a launch of the kernel of CUDA devices for a step or a radix, and the point's type. */
static void add_kernel(struct lab_workload *workload, const struct fft_batch *batch, const char *step, size_t from,
                       size_t to)
{
    lab_workload_add_kernel(workload, "fft_%s-%s", step, fft_types[batch->shape.fp64]);
    LAB_ARGUMENTS(workload, LAB_BUFFER(from), LAB_BUFFER(to), LAB_U32(batch->shape.n));
}

/* The one launch of a step, with `threads` threads in all. */
static void add_single(struct lab_workload *workload, const struct fft_batch *batch, uint64_t threads)
{
    add_kernel(workload, batch, batch->step->name, batch->in, batch->out);
    LAB_ARGUMENTS(workload, LAB_U64(batch->count));
    lab_workload_launch(workload, (threads + FFT_BLOCK - 1) / FFT_BLOCK, FFT_BLOCK);
}

/* The arguments of a kernel of host devices, and of the library. */
static void add_batch(struct lab_workload *workload, const struct fft_batch *batch)
{
    LAB_ARGUMENTS(workload, LAB_BUFFER(batch->in), LAB_BUFFER(batch->out), LAB_U64(fft_pack(batch->shape)),
                  LAB_U64(batch->count));
}

static void add_direct_sum(struct lab_workload *workload, const struct fft_batch *batch)
{
    if (!batch->host) {
        add_single(workload, batch, batch->count * batch->numbers);
        return;
    }
    lab_workload_add_kernel(workload, "fft_%s", batch->step->name);
    add_batch(workload, batch);
}

static void add_stockham(struct lab_workload *workload, const struct fft_batch *batch)
{
    enum { PADDED = FFT_STOCKHAM_MAX + FFT_STOCKHAM_MAX / FFT_ELEMENTS };
    add_single(workload, batch, batch->count * (batch->shape.n / FFT_ELEMENTS));
    workload->steps[0].launch.shared_bytes = PADDED * complex_bytes(batch);
}

/* Adds one pass over the batch. */
static void add_pass(struct lab_workload *workload, const struct fft_batch *batch, size_t from, size_t to,
                     uint64_t radix, uint64_t stride)
{
    char name[32];
    snprintf(name, sizeof name, "radix-%" PRIu64, radix);
    add_kernel(workload, batch, name, from, to);
    LAB_ARGUMENTS(workload, LAB_U32(stride), LAB_U64(batch->count));
    lab_workload_launch_items(workload, batch->count * (batch->shape.n / radix), FFT_BLOCK);
}

/* Passes of the radix, and a last one for what remains. They write to the output and to a second array in turn, such
 * that the last one writes to the output. */
static void add_passes(struct lab_workload *workload, const struct fft_batch *batch)
{
    uint64_t largest = batch->step->radix, n = batch->shape.n;
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
static void add_mixed_radix(struct lab_workload *workload, const struct fft_batch *batch)
{
    size_t scratch = lab_workload_output(workload, batch->cores * 4 * batch->shape.n * 2 * sizeof(double));
    for (uint64_t columns = 0; columns < (batch->shape.two_dimensional ? 2 : 1); columns++) {
        lab_workload_add_kernel(workload, "fft_%s", batch->step->name);
        LAB_ARGUMENTS(workload, LAB_BUFFER(columns == 0 ? batch->in : batch->out), LAB_BUFFER(batch->out),
                      LAB_BUFFER(scratch), LAB_U64(fft_pack(batch->shape)), LAB_U64(columns), LAB_U64(batch->count));
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

static void add_library(struct lab_workload *workload, const struct fft_batch *batch)
{
    lab_workload_add_call(workload, prepare_library);
    add_batch(workload, batch);
}

const struct fft_step fft_steps[] = {
    {"dft", add_direct_sum, true, true, .most = FFT_DIRECT_MAX, .range = "the direct sum is measured up to n = 1024"},
    {"radix-2", add_passes, .cuda = true, .radix = 2},
    {"radix-8", add_passes, .cuda = true, .radix = 8},
    {"stockham", add_stockham, .cuda = true, .in_place = true, .radix = FFT_ELEMENTS, .least = FFT_ELEMENTS,
     .most = FFT_STOCKHAM_MAX,
     .range = "this step needs n from 16 to 4096, the elements that a block holds in registers"},
    {"mixed-radix", add_mixed_radix, .host = true, .any = true},
    [FFT_LIBRARY] = {"library", add_library, true, true, .any = true},
    [FFT_ALL] = {"all", .add = NULL},
    {0},
};

/* --- what can be measured ----------------------------------------------------------------------------------------- */

/* Why the point cannot be measured on the device; NULL if it can. */
static const char *refuse(const struct lab_point *point, const struct lab_device_facts *device)
{
    const int64_t *values = point->values, n = values[FFT_N];
    const struct fft_step *step = &fft_steps[values[FFT_STEP]];
    bool host = lab_facts_is_cpu(device), real = values[FFT_KIND] == FFT_REAL, in_place = values[FFT_IN_PLACE] != 0;
    bool fits = n >= step->least && (step->most == 0 || n <= step->most);
    return real && in_place                         ? "transforms of real numbers are measured out of place only"
           : host && !step->host                    ? "host devices have the steps dft, mixed-radix and library"
           : !host && !step->cuda                   ? "only host devices have the step mixed-radix"
           : step->any                              ? NULL
           : real || values[FFT_DIMENSIONS] == 2    ? "this step transforms complex numbers in one dimension"
           : step->radix != 0 && (n & (n - 1)) != 0 ? "this step needs a power of two"
           : !fits                                  ? step->range
           : in_place && !step->in_place            ? "this step needs a second array"
                                                    : NULL;
}

bool fft_keeps_step(const struct lab_points_request *request, const struct lab_point *point, int64_t step)
{
    struct lab_point of_step = *point;
    of_step.values[FFT_STEP] = step;
    return step == FFT_LIBRARY || refuse(&of_step, request->devices[0]) == NULL;
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* The largest error that is not wrong. That of a transform grows with the number of its passes, that of a sum with the
 * root of its length; filling and checking in fp64 have an error too. */
static double error_bound(const struct fft_batch *batch)
{
    double unit = batch->shape.fp64 ? ldexp(1, -53) : ldexp(1, -24);
    double steps = batch->step->add == add_direct_sum ? sqrt((double)batch->numbers) : log2((double)batch->numbers);
    return unit * (32 + 8 * steps);
}

/* Work in place multiplies the data by the root of their number: a number in fp32 stays below 2^127. */
static size_t repetitions_in_place(const struct fft_batch *batch)
{
    enum { BITS = 100 };
    size_t most = (size_t)(2 * BITS / log2((double)batch->numbers));
    return most > 0 ? most : 1;
}

static void add_arrays(struct lab_workload *workload, struct fft_batch *batch, bool in_place)
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
    lab_workload_add_traffic(workload, (double)in_bytes, (double)out_bytes);
}

/* The peak is the throughput of one pass through the memory, unless the arrays fit in the last-level cache. */
static void set_counts(struct lab_workload *workload, const struct fft_batch *batch,
                       const struct lab_device_facts *device)
{
    double numbers = (double)batch->numbers, per_number = batch->shape.real ? 2.5 : 5, *counts = workload->counts;
    counts[LAB_COUNT_OPERATIONS] = (double)batch->count * per_number * numbers * log2(numbers);
    counts[LAB_COUNT_BASELINE] = 1;
    lab_workload_add_intensity(workload);
    if (device->l2_bytes == LAB_UNKNOWN || lab_workload_bytes(workload, true) > (size_t)device->l2_bytes)
        workload->peak = (struct lab_peak){device->memory_peak_bytes_per_s / counts[LAB_COUNT_BYTES] *
                                               counts[LAB_COUNT_OPERATIONS] / 1e9,
                                           "one pass through device memory"};
}

/* The seconds of steps that need more operations than the throughput counts: a product for each number of a direct sum,
 * and at each level of the recursion. */
static double seconds_of(const struct fft_batch *batch)
{
    double products = (double)(batch->count * batch->numbers);
    double rate = batch->host ? 3e8 * (double)batch->cores : 5e11;
    uint64_t n = batch->shape.n, sum = 0;
    if (batch->step->add == add_direct_sum)
        return products * (double)n / rate;
    if (batch->step->add != add_mixed_radix)
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
    struct fft_batch batch = {.shape = {.n = (uint64_t)values[FFT_N],
                                        .two_dimensional = values[FFT_DIMENSIONS] == 2,
                                        .real = values[FFT_KIND] == FFT_REAL,
                                        .fp64 = values[FFT_TYPE] == FFT_FP64},
                              .step = &fft_steps[values[FFT_STEP]],
                              .cores = lab_facts_multiprocessors(device),
                              .host = lab_facts_is_cpu(device)};
    const char *refused = refuse(point, device);
    (void)given;
    if (refused != NULL) {
        lab_workload_skip(workload, "%s", refused);
        return;
    }
    batch.numbers = batch.shape.n * (batch.shape.two_dimensional ? batch.shape.n : 1);
    uint64_t bytes = batch.numbers * complex_bytes(&batch) / (batch.shape.real ? 2 : 1);
    batch.count = (uint64_t)values[FFT_BYTES] / bytes;
    batch.count += batch.count == 0;
    add_arrays(workload, &batch, values[FFT_IN_PLACE] != 0);
    batch.step->add(workload, &batch);
    double bound = error_bound(&batch);
    workload->check = (struct lab_workload_check){
        .kernel = "fft_check", .buffer = batch.out, .error = "relative_error", .parameters = {fft_pack(batch.shape)}};
    memcpy(&workload->check.parameters[1], &bound, sizeof bound);
    set_counts(workload, &batch, device);
    workload->seconds = seconds_of(&batch);
}

bool fft_baseline(const struct lab_point *point, struct lab_point *baseline)
{
    *baseline = *point;
    baseline->values[FFT_STEP] = FFT_LIBRARY;
    return point->values[FFT_STEP] != FFT_LIBRARY;
}
