/* Arrays, kernels and estimates of offloaded jobs. */
#include "benchmark/offload.h"

#include "benchmark/pairs.h"
#include "benchmark/series.h"
#include "descriptor/estimate.h"

#include <math.h>
#include <stdio.h>

const char *const lab_offload_memories[] = {"pageable", "pinned", NULL};

extern const struct lab_binary lab_binary_offload;
extern const struct lab_host_kernel lab_offload_host_kernels[];
const struct lab_image lab_offload_image = {"offload", &lab_binary_offload, lab_offload_host_kernels};

const struct lab_offload_kernel lab_offload_waves = {.name = "add_sine_cosine",
                                                     .inputs = 1,
                                                     .in_place = true,
                                                     .unit = 4,
                                                     .input = LAB_CONTENT_FLOATS,
                                                     .result = LAB_CONTENT_FLOATS_PLUS_ONE,
                                                     .operations = 40,
                                                     .core_s = 25e-9};
const struct lab_offload_kernel lab_offload_average = {.name = "average",
                                                       .inputs = 2,
                                                       .unit = 4 * LAB_AVERAGE_WINDOW,
                                                       .input = LAB_CONTENT_INTS,
                                                       .result = LAB_CONTENT_AVERAGES,
                                                       .operations = 7,
                                                       .core_s = 12e-9};
const struct lab_offload_kernel lab_offload_increment = {.name = "increment",
                                                         .inputs = 1,
                                                         .in_place = true,
                                                         .unit = 4,
                                                         .input = LAB_CONTENT_INTS,
                                                         .result = LAB_CONTENT_INTS_INCREMENTED,
                                                         .operations = 1,
                                                         .core_s = 1e-9};
const struct lab_offload_kernel lab_offload_pairs = {
    .name = "pairs", .inputs = 2, .unit = 4, .input = LAB_CONTENT_WORDS, .operations = 8, .core_s = 0.5e-9};

/* --- arrays ------------------------------------------------------------------------------------------------------- */

enum lab_memory lab_offload_memory_of(int64_t value)
{
    return value == LAB_OFFLOAD_PINNED ? LAB_MEMORY_PINNED : LAB_MEMORY_PAGEABLE;
}

bool lab_offload_same(const struct lab_offload_shape *a, const struct lab_offload_shape *b)
{
    return a->kernel == b->kernel && a->memory == b->memory && a->bytes == b->bytes;
}

size_t lab_offload_whole_units(const struct lab_offload_kernel *kernel, size_t bytes)
{
    return bytes / kernel->unit * kernel->unit;
}

/* The buffers, in their order: the host's inputs and result, the device's inputs and, unless it is in place, result. */
static size_t host_result(const struct lab_offload *o)
{
    return o->shape.kernel->inputs;
}

static size_t device_input(const struct lab_offload *o, size_t input)
{
    return host_result(o) + 1 + input;
}

static size_t device_result(const struct lab_offload *o)
{
    return device_input(o, o->shape.kernel->in_place ? 0 : o->shape.kernel->inputs);
}

/* Partners begin at another index than elements: words whose seeds differ only in low bits are the same in another
 * order. */
static struct lab_buffer input_of(const struct lab_offload_shape *shape, size_t input)
{
    struct lab_buffer buffer = {.content = shape->kernel->input, .bytes = shape->bytes, .first = shape->first};
    if (shape->kernel == &lab_offload_pairs && input == 1) {
        buffer.bytes = 4 * shape->partners;
        buffer.first = UINT64_C(1) << 31;
    }
    return buffer;
}

void lab_offload_describe(const struct lab_offload_shape *shape, struct lab_workload *workload)
{
    const struct lab_offload_kernel *kernel = shape->kernel;
    *workload = (struct lab_workload){0};
    for (size_t i = 0; i < kernel->inputs; i++) {
        struct lab_buffer input = input_of(shape, i);
        input.memory = shape->memory;
        input.bytes += shape->margin;
        lab_workload_declare(workload, input);
    }
    lab_workload_declare(workload, (struct lab_buffer){.memory = shape->memory, .bytes = shape->bytes, .output = true});
    for (size_t i = 0; i < kernel->inputs; i++) {
        struct lab_buffer input = input_of(shape, i);
        input.output = true;
        lab_workload_declare(workload, input);
    }
    if (!kernel->in_place)
        lab_workload_output(workload, shape->bytes);
}

static bool load_kernel(struct lab_offload *o)
{
    const struct lab_runtime_module *modules = o->device->runtime->module;
    if (modules == NULL)
        return lab_error_set(&o->device->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
    o->module = modules->load(o->device, &lab_offload_image);
    o->kernel = o->module != NULL ? modules->kernel(o->device, o->module, o->shape.kernel->name) : NULL;
    return o->kernel != NULL;
}

bool lab_offload_open(struct lab_offload *o, struct lab_device *device, struct lab_stream *stream, uint64_t seed,
                      const struct lab_offload_shape *shape)
{
    *o = (struct lab_offload){
        .device = device, .shape = *shape, .buffers = {.device = device, .stream = stream, .seed = seed}};
    lab_offload_describe(shape, &o->workload);
    return lab_buffers_prepare(&o->buffers, &o->workload) && load_kernel(o);
}

void lab_offload_close(struct lab_offload *o)
{
    if (o->module != NULL)
        o->device->runtime->module->unload(o->device, o->module);
    lab_buffers_release(&o->buffers);
    *o = (struct lab_offload){0};
}

static char *at(const struct lab_offload *o, size_t buffer, size_t start)
{
    return (char *)lab_buffers_region(&o->buffers, buffer).address + start;
}

bool lab_offload_copy_in(const struct lab_offload *o, struct lab_stream *stream, size_t input, size_t start,
                         size_t offset, size_t bytes)
{
    return o->device->runtime->copy(o->device, stream, at(o, device_input(o, input), start),
                                    at(o, input, start + offset), bytes, LAB_H2D);
}

bool lab_offload_copy_out(const struct lab_offload *o, struct lab_stream *stream, size_t start, size_t bytes)
{
    return o->device->runtime->copy(o->device, stream, at(o, host_result(o), start), at(o, device_result(o), start),
                                    bytes, LAB_D2H);
}

struct lab_plan *lab_offload_prepare(const struct lab_offload *o, size_t start, size_t bytes, uint32_t weight,
                                     uint32_t block)
{
    const struct lab_offload_kernel *kernel = o->shape.kernel;
    const bool pairs = kernel == &lab_offload_pairs, waves = kernel == &lab_offload_waves;
    const uint32_t elements = pairs ? LAB_PAIRS_BLOCK : block; /* of a block */
    const struct lab_launch launch = {.grid = {(uint32_t)((bytes / 4 + elements - 1) / elements)},
                                      .block = {pairs ? LAB_PAIRS_THREADS : block}};
    struct lab_argument arguments[LAB_ARGUMENTS_MAX] = {lab_argument_pointer(at(o, device_result(o), start))};
    size_t count = 1;
    if (!kernel->in_place)
        arguments[count++] = lab_argument_pointer(at(o, device_input(o, 0), start));
    if (kernel == &lab_offload_average)
        arguments[count++] = lab_argument_pointer(at(o, device_input(o, 1), start));
    arguments[count++] = lab_argument_u64(bytes / 4);
    if (pairs)
        arguments[count++] = lab_argument_pointer(at(o, device_input(o, 1), 0));
    if (waves) /* x is taken modulo 65536 */
        arguments[count++] = lab_argument_u32((uint32_t)(o->shape.first + start / 4));
    if (pairs || waves)
        arguments[count++] = lab_argument_u32(weight);
    return o->device->runtime->module->prepare(o->device, o->kernel, &launch, arguments, count);
}

struct lab_region lab_offload_result(const struct lab_offload *o)
{
    return lab_buffers_region(&o->buffers, host_result(o));
}

bool lab_offload_poison(const struct lab_offload *o)
{
    return lab_buffers_poison(&o->buffers);
}

bool lab_offload_verify(const struct lab_offload *o, struct lab_mismatch *comparison)
{
    if (o->shape.kernel != &lab_offload_pairs)
        return lab_buffers_compare(&o->buffers, host_result(o), 0, o->shape.kernel->result, comparison);
    *comparison = (struct lab_mismatch){
        .wrong = lab_pairs_count_wrong(lab_offload_result(o).address, o->shape.bytes / 4,
                                       lab_buffers_content(&o->buffers, 0), lab_buffers_content(&o->buffers, 1),
                                       (uint32_t)o->shape.partners)};
    return true;
}

/* --- the kernel's weight ------------------------------------------------------------------------------------------ */

/* Rounds to the nearest of 1, 2, 3, 4, 6, 8, 12, … by ratio. */
static double round_coarsely(double weight)
{
    double power = exp2(floor(log2(weight)));
    double ratio = weight / power;
    return floor(power * (ratio < sqrt(1.5) ? 1 : ratio < sqrt(3) ? 1.5 : 2));
}

/* The kernel takes a + b * weight seconds. The last two timings determine the line, once the kernel takes long enough
 * for b * weight to be at least half of that; limiting b so keeps noise from making the weight too large. A kernel that
 * is too slow with the lowest weight is not timed with larger ones, which could take longer than the budget of the
 * run. */
static bool search(struct lab_run *run, const struct lab_offload_search *s, double *found)
{
    const double trusted_s = 0.05;
    double weight = 1, kernel_s = 0, wanted_s = 0, before = 0, before_s = 0;
    for (size_t timings = 1;; timings++) {
        before_s = kernel_s;
        if (lab_run_cancelled(run))
            return lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
        if (!s->time(s->context, (uint32_t)weight, &kernel_s, &wanted_s))
            return false;
        double enough_s = fmin(trusted_s, wanted_s / 2);
        if (kernel_s >= wanted_s || (timings > 1 && kernel_s >= enough_s) || weight >= s->weight_max)
            break;
        before = weight;
        weight = fmin(floor(weight * fmin(fmax(2 * enough_s / fmax(kernel_s, 1e-9), 2), 64)), s->weight_max);
    }
    double ratio = fmax(kernel_s, 1e-9) / weight, slope = ratio;
    if (weight > 1)
        slope = fmin(fmax((kernel_s - before_s) / (weight - before), ratio / 2), ratio);
    *found = weight + (wanted_s - kernel_s) / slope;
    return true;
}

bool lab_offload_find_weight(struct lab_run *run, const struct lab_offload_shape *shape,
                             const struct lab_offload_search *s, uint32_t *weight)
{
    char name[64];
    int64_t known;
    double found = 1;
    snprintf(name, sizeof name, "weight %zu %s", shape->bytes,
             lab_offload_memories[shape->memory == LAB_MEMORY_PINNED]);
    if (lab_run_find_calibrated(run, name, &known) && known >= 1 && known <= s->weight_max) {
        *weight = (uint32_t)known;
        return true;
    }
    if (!search(run, s, &found))
        return false;
    found = fmin(fmax(found, 1), s->weight_max);
    *weight = (uint32_t)fmin(s->coarse ? round_coarsely(found) : round(found), s->weight_max);
    lab_run_keep_calibrated(run, name, *weight);
    return true;
}

/* --- estimates ---------------------------------------------------------------------------------------------------- */

double lab_offload_copy_seconds(size_t bytes)
{
    return (double)bytes / 10e9;
}

double lab_offload_kernel_seconds(const struct lab_offload_kernel *kernel, size_t bytes, uint32_t weight,
                                  const struct lab_device_facts *device)
{
    double peak = device->fp32_peak_flops;
    double cores = (double)lab_facts_multiprocessors(device);
    double element_s = isfinite(peak) && peak > 0 ? kernel->operations / peak : kernel->core_s / cores;
    return (double)bytes / 4 * weight * element_s;
}

void lab_offload_add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters, double job_s,
                           double baseline_s, size_t bytes, bool compute)
{
    enum { PASSES = 4, COPIES_PER_PASS = 2, TRACED_JOBS = 2 }; /* a pass has half the rate of a copy */
    double setup_s = PASSES * COPIES_PER_PASS * lab_offload_copy_seconds(bytes) + lab_series_seconds(job_s);
    lab_estimate_add_point(estimate, parameters, job_s + baseline_s, setup_s + TRACED_JOBS * job_s, compute);
}
