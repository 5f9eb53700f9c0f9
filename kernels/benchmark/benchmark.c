/* Runs a benchmark: loads its kernels, allocates the buffers of a point, launches and verifies. */
#include "benchmark/benchmark.h"

#include "benchmark/loop.h"
#include "experiment/parameters.h"
#include "measure/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A buffer that is allocated, and kept for later points. */
struct allocation {
    enum lab_memory memory;
    size_t bytes; /* 0: not allocated */
    void *address;
    size_t filled; /* number of bytes from the start that hold `content` */
    enum lab_content content;
};

struct lab_benchmark_state {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    const struct lab_benchmark *benchmark;
    uint64_t seed;
    struct lab_stream *stream;
    struct lab_lane lane;
    struct lab_module *module; /* NULL: `refusal` says why */
    char refusal[LAB_DETAIL_MAX];
    struct allocation buffers[LAB_BUFFERS_MAX];
    void *wrong; /* device memory for the counter of wrong elements, 8 bytes */

    /* the point */
    struct lab_workload workload;
    struct lab_plan *plan, *check;
    struct lab_kernel_record record;
};

/* --- open and close ----------------------------------------------------------------------------------------------- */

/* Returns true if the device's last error is that it does not support something, and copies the reason to `text`. */
static bool refused(const struct lab_benchmark_state *s, char text[LAB_DETAIL_MAX])
{
    if (s->device->lost || strcmp(s->device->error.code, "unsupported") != 0)
        return false;
    snprintf(text, LAB_DETAIL_MAX, "%s", s->device->error.detail);
    return true;
}

static bool fail(struct lab_benchmark_state *s)
{
    s->run->error = s->device->error;
    return false;
}

static bool load_module(struct lab_benchmark_state *s)
{
    if (s->runtime->module == NULL) {
        snprintf(s->refusal, sizeof s->refusal, "this build cannot load kernels on this device");
        return true;
    }
    s->module = s->runtime->module->load(s->device, s->benchmark->image);
    return s->module != NULL || refused(s, s->refusal) || fail(s);
}

struct lab_benchmark_state *lab_benchmark_open(struct lab_run *run, const struct lab_benchmark *benchmark)
{
    struct lab_benchmark_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        lab_error_set(&run->error, "out-of-memory", "", "out of memory for the state of a benchmark");
        return NULL;
    }
    *s = (struct lab_benchmark_state){.run = run,
                                      .device = run->devices[0],
                                      .runtime = run->devices[0]->runtime,
                                      .benchmark = benchmark,
                                      .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed")};
    s->stream = s->runtime->stream_create(s->device);
    s->lane = (struct lab_lane){s->device, s->stream};
    bool good = s->stream != NULL && s->runtime->allocate(s->device, LAB_MEMORY_DEVICE, sizeof(uint64_t), &s->wrong);
    if ((good || fail(s)) && load_module(s))
        return s;
    lab_benchmark_close(s);
    return NULL;
}

static void release_buffer(struct lab_benchmark_state *s, struct allocation *buffer)
{
    if (buffer->bytes > 0)
        s->runtime->release(s->device, buffer->memory, buffer->address);
    *buffer = (struct allocation){0};
}

void lab_benchmark_close(struct lab_benchmark_state *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < LAB_BUFFERS_MAX; i++)
        release_buffer(s, &s->buffers[i]);
    if (s->module != NULL)
        s->runtime->module->unload(s->device, s->module);
    s->runtime->release(s->device, LAB_MEMORY_DEVICE, s->wrong);
    s->runtime->stream_release(s->device, s->stream);
    free(s);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static bool allocate_buffer(struct lab_benchmark_state *s, const struct lab_buffer *wanted, struct allocation *buffer)
{
    if (buffer->bytes >= wanted->bytes && buffer->memory == wanted->memory)
        return true;
    release_buffer(s, buffer);
    if (!s->runtime->allocate(s->device, wanted->memory, wanted->bytes, &buffer->address))
        return false;
    buffer->memory = wanted->memory;
    buffer->bytes = wanted->bytes;
    return true;
}

/* Inputs of earlier points are kept if they begin with the same content. */
static bool fill_input(struct lab_benchmark_state *s, size_t index)
{
    const struct lab_buffer *wanted = &s->workload.buffers[index];
    struct allocation *buffer = &s->buffers[index];
    if (buffer->filled >= wanted->bytes && buffer->content == wanted->content)
        return true;
    struct lab_expectation content = {.content = wanted->content, .seed = s->seed + index};
    if (!lab_verify_fill(s->device, s->stream, wanted->memory, lab_region_of(buffer->address, wanted->bytes), content))
        return false;
    buffer->filled = wanted->bytes;
    buffer->content = wanted->content;
    return true;
}

static bool prepare_buffers(struct lab_benchmark_state *s)
{
    for (size_t i = 0; i < s->workload.buffer_count; i++) {
        const struct lab_buffer *wanted = &s->workload.buffers[i];
        if (!allocate_buffer(s, wanted, &s->buffers[i]))
            return false;
        if (wanted->output)
            s->buffers[i].filled = 0;
        else if (!fill_input(s, i))
            return false;
    }
    return true;
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

static struct lab_plan *prepare_kernel(struct lab_benchmark_state *s, struct lab_kernel *kernel)
{
    const struct lab_workload *workload = &s->workload;
    struct lab_argument arguments[LAB_ARGUMENTS_MAX];
    for (size_t i = 0; i < workload->argument_count; i++) {
        const struct lab_workload_argument *a = &workload->arguments[i];
        arguments[i] = a->is_buffer ? lab_argument_pointer(s->buffers[a->buffer].address) : a->value;
    }
    return s->runtime->module->prepare(s->device, kernel, &workload->launch, arguments, workload->argument_count);
}

static struct lab_plan *prepare_check(struct lab_benchmark_state *s, struct lab_kernel *kernel)
{
    enum { BLOCKS = 1024, THREADS = 256 };
    const struct lab_workload_check *check = &s->workload.check;
    const struct lab_launch launch = {.grid = {BLOCKS}, .block = {THREADS}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(s->buffers[check->buffer].address),
        lab_argument_u64(s->workload.buffers[check->buffer].bytes / sizeof(uint32_t)),
        lab_argument_u64(s->seed),
        lab_argument_u64(check->parameters[0]),
        lab_argument_u64(check->parameters[1]),
        lab_argument_u64(check->parameters[2]),
        lab_argument_pointer(s->wrong),
    };
    return s->runtime->module->prepare(s->device, kernel, &launch, arguments, sizeof arguments / sizeof *arguments);
}

bool lab_benchmark_record(struct lab_device *device, struct lab_kernel *kernel, const char *name,
                          const struct lab_launch *launch, struct lab_kernel_record *record)
{
    struct lab_kernel_attributes found;
    const uint32_t *block = launch->block;
    if (!device->runtime->module->attributes(device, kernel, launch, &found))
        return false;
    uint32_t threads = block[0] * (block[1] > 0 ? block[1] : 1) * (block[2] > 0 ? block[2] : 1);
    *record = (struct lab_kernel_record){.name = name,
                                         .registers = found.registers,
                                         .local_bytes = found.local_bytes,
                                         .shared_bytes = found.shared_bytes,
                                         .blocks_per_multiprocessor = found.blocks_per_multiprocessor,
                                         .occupancy = found.occupancy,
                                         .block = threads};
    return true;
}

static bool prepare_kernels(struct lab_benchmark_state *s, struct lab_case *c)
{
    const struct lab_runtime_module *table = s->runtime->module;
    struct lab_kernel *kernel = table->kernel(s->device, s->module, s->workload.kernel);
    if (kernel == NULL || (s->plan = prepare_kernel(s, kernel)) == NULL)
        return false;
    if (lab_benchmark_record(s->device, kernel, s->workload.kernel, &s->workload.launch, &s->record))
        c->kernel = &s->record;
    if (s->workload.check.kernel == NULL)
        return true;
    kernel = table->kernel(s->device, s->module, s->workload.check.kernel);
    return kernel != NULL && (s->check = prepare_check(s, kernel)) != NULL;
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

static bool enqueue(void *context)
{
    struct lab_benchmark_state *s = context;
    return s->runtime->enqueue(s->device, s->plan, s->stream);
}

static bool poison(void *context)
{
    struct lab_benchmark_state *s = context;
    for (size_t i = 0; i < s->workload.buffer_count; i++) {
        const struct lab_buffer *buffer = &s->workload.buffers[i];
        if (buffer->output && !lab_verify_poison(s->device, s->stream, buffer->memory,
                                                 lab_region_of(s->buffers[i].address, buffer->bytes),
                                                 (struct lab_expectation){.seed = s->seed}))
            return false;
    }
    return true;
}

static bool verify(void *context, uint64_t *wrong)
{
    struct lab_benchmark_state *s = context;
    *wrong = 0;
    return s->runtime->copy(s->device, s->stream, s->wrong, wrong, sizeof *wrong, LAB_H2D) &&
           s->runtime->enqueue(s->device, s->check, s->stream) &&
           s->runtime->copy(s->device, s->stream, wrong, s->wrong, sizeof *wrong, LAB_D2H) &&
           s->runtime->stream_synchronize(s->device, s->stream);
}

bool lab_benchmark_begin(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_case *c)
{
    const struct lab_workload *workload = &s->workload;
    s->workload = (struct lab_workload){0};
    s->benchmark->describe(s->run->parameters, &s->device->facts, point, &s->workload);
    const char *reason = s->refusal[0] != '\0' ? s->refusal : workload->skipped;
    snprintf(c->skipped, sizeof c->skipped, "%s", reason);
    if (reason[0] != '\0')
        return true;
    if (!prepare_buffers(s) || !prepare_kernels(s, c))
        return refused(s, c->skipped) || fail(s);
    memcpy(c->counts, workload->counts, sizeof c->counts);
    if (workload->peak.what != NULL)
        c->peak = workload->peak;
    else if (s->run->experiment->metrics[0].counter == LAB_COUNT_BYTES)
        c->peak = (struct lab_peak){s->device->facts.memory_peak_bytes_per_s / 1e9, "device memory"};
    c->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = &s->lane,
                                .operations = 1,
                                .compute = true,
                                .context = s,
                                .enqueue = enqueue,
                                .poison = poison,
                                .verify = s->check != NULL ? verify : NULL};
    return true;
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    return lab_benchmark_begin(context, point, c);
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    const struct lab_benchmark_state *s = context;
    const struct lab_report figures = {.run = report->run, .point = report->point};
    (void)c;
    for (size_t i = 0; i < s->workload.figure_count; i++)
        if (!lab_report_value(&figures, s->workload.figures[i].metric, s->workload.figures[i].value))
            return false;
    return true;
}

void lab_benchmark_end(struct lab_benchmark_state *s)
{
    s->runtime->plan_release(s->device, s->plan);
    s->runtime->plan_release(s->device, s->check);
    s->plan = s->check = NULL;
}

static void end(void *context)
{
    lab_benchmark_end(context);
}

bool lab_benchmark_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end};
    struct lab_benchmark_state *s = lab_benchmark_open(run, run->experiment->benchmark);
    bool good = s != NULL && lab_loop_run(run, &loop, s);
    lab_benchmark_close(s);
    return good;
}
