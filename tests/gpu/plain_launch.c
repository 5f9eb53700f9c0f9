/* Compares launches through gpulab's module table with launches by <<<>>>: the time to enqueue an empty kernel, and the
 * bandwidth of a gather with strides. Both run in one process, in alternating rounds, on the same streams and buffers.
 *
 *   gpulab-plain-launch
 *
 * Prints one JSON line for each comparison, with medians of the rounds; ratio is module / plain. Exits with 0, or with
 * 2 if something fails.
 */
#include "cuda/cuda.h"
#include "cuda/device.h"
#include "measure/statistics.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, LAUNCHES = 500, GATHERS = 10, ELEMENTS = 64 << 20, THREADS = 256 };

cudaError_t plain_launch_empty(cudaStream_t stream);
cudaError_t plain_launch_gather(const float *in, float *out, uint32_t n, uint32_t stride, cudaStream_t stream);

extern const struct lab_binary lab_binary_plain_launch_kernels;
static const struct lab_image image = {"plain-launch", &lab_binary_plain_launch_kernels, NULL};

struct comparison {
    const struct lab_runtime *runtime;
    struct lab_device *device;
    struct lab_stream *stream;
    struct lab_event *start, *stop;
    struct lab_module *module;
    void *in, *out;
};

static void must(const struct comparison *c, bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "gpulab-plain-launch: %s: %s\n", what, c->device->error.detail);
    exit(2);
}

static void must_cuda(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "gpulab-plain-launch: %s: %s\n", what, cudaGetErrorString(status));
    exit(2);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct lab_plan *prepare(const struct comparison *c, const char *name, const struct lab_launch *launch,
                                const struct lab_argument *arguments, size_t count)
{
    struct lab_kernel *kernel = c->runtime->module->kernel(c->device, c->module, name);
    must(c, kernel != NULL, name);
    struct lab_plan *plan = c->runtime->module->prepare(c->device, kernel, launch, arguments, count);
    must(c, plan != NULL, name);
    return plan;
}

static double median(const double *values)
{
    struct lab_summary summary;
    return lab_summarise(values, ROUNDS, &summary) ? summary.median : 0;
}

static void print(const char *what, uint32_t stride, const char *unit, const double *plain, const double *table)
{
    double ratios[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++)
        ratios[i] = table[i] / plain[i];
    printf("{\"what\":\"%s\",\"stride\":%u,\"plain_%s\":%.4f,\"module_%s\":%.4f,\"ratio\":%.4f}\n", what, stride, unit,
           median(plain), unit, median(table), median(ratios));
}

/* Microseconds to enqueue an empty kernel; the queue has room for all of them. */
static double enqueue_us(const struct comparison *c, struct lab_plan *plan)
{
    double begin_s = now_s();
    for (int i = 0; i < LAUNCHES; i++)
        if (plan != NULL)
            must(c, c->runtime->enqueue(c->device, plan, c->stream), "launching");
        else
            must_cuda(plain_launch_empty(cuda_stream_of(c->stream)), "launching");
    double seconds = now_s() - begin_s;
    must(c, c->runtime->stream_synchronize(c->device, c->stream), "waiting");
    return 1e6 * seconds / LAUNCHES;
}

static void compare_enqueueing(const struct comparison *c)
{
    const struct lab_launch launch = {.grid = {1}, .block = {32}};
    struct lab_plan *plan = prepare(c, "launch_empty", &launch, NULL, 0);
    double plain[ROUNDS], table[ROUNDS];
    enqueue_us(c, plan);
    enqueue_us(c, NULL);
    for (size_t i = 0; i < ROUNDS; i++) {
        plain[i] = enqueue_us(c, NULL);
        table[i] = enqueue_us(c, plan);
    }
    print("enqueue", 0, "us", plain, table);
    c->runtime->plan_free(c->device, plan);
}

/* GB/s of the gather, counting 8 bytes for each element. */
static double gather_gbs(const struct comparison *c, struct lab_plan *plan, uint32_t stride)
{
    double seconds = 0;
    must(c, c->runtime->event_record(c->device, c->start, c->stream), "recording an event");
    for (int i = 0; i < GATHERS; i++)
        if (plan != NULL)
            must(c, c->runtime->enqueue(c->device, plan, c->stream), "launching");
        else
            must_cuda(plain_launch_gather(c->in, c->out, ELEMENTS, stride, cuda_stream_of(c->stream)), "launching");
    must(c,
         c->runtime->event_record(c->device, c->stop, c->stream) &&
             c->runtime->stream_synchronize(c->device, c->stream) &&
             c->runtime->event_elapsed(c->device, c->start, c->stop, &seconds),
         "timing");
    return 8.0 * ELEMENTS * GATHERS / seconds / 1e9;
}

static void compare_gathers(const struct comparison *c, uint32_t stride)
{
    const struct lab_launch launch = {.grid = {(ELEMENTS + THREADS - 1) / THREADS}, .block = {THREADS}};
    const struct lab_argument arguments[] = {lab_argument_pointer(c->in), lab_argument_pointer(c->out),
                                             lab_argument_u32(ELEMENTS), lab_argument_u32(stride)};
    struct lab_plan *plan = prepare(c, "launch_gather", &launch, arguments, 4);
    double plain[ROUNDS], table[ROUNDS];
    gather_gbs(c, plan, stride);
    for (size_t i = 0; i < ROUNDS; i++) {
        plain[i] = gather_gbs(c, NULL, stride);
        table[i] = gather_gbs(c, plan, stride);
    }
    print("gather", stride, "gbs", plain, table);
    c->runtime->plan_free(c->device, plan);
}

static void open_all(struct comparison *c)
{
    struct lab_error error = {0};
    if (!c->runtime->start(&(struct lab_runtime_options){0}, &error) ||
        (c->device = c->runtime->open(0, &error)) == NULL) {
        fprintf(stderr, "gpulab-plain-launch: %s\n", error.detail);
        exit(2);
    }
    must(c,
         (c->stream = c->runtime->stream_create(c->device)) != NULL &&
             (c->start = c->runtime->event_create(c->device)) != NULL &&
             (c->stop = c->runtime->event_create(c->device)) != NULL &&
             (c->module = c->runtime->module->load(c->device, &image)) != NULL &&
             c->runtime->allocate(c->device, LAB_MEMORY_DEVICE, 4 * (size_t)ELEMENTS, &c->in) &&
             c->runtime->allocate(c->device, LAB_MEMORY_DEVICE, 4 * (size_t)ELEMENTS, &c->out),
         "opening");
}

static void close_all(struct comparison *c)
{
    c->runtime->free(c->device, LAB_MEMORY_DEVICE, c->in);
    c->runtime->free(c->device, LAB_MEMORY_DEVICE, c->out);
    c->runtime->module->unload(c->device, c->module);
    c->runtime->event_free(c->device, c->start);
    c->runtime->event_free(c->device, c->stop);
    c->runtime->stream_free(c->device, c->stream);
    c->runtime->close(c->device);
    c->runtime->stop();
}

int main(void)
{
    struct comparison c = {.runtime = &lab_cuda_runtime};
    open_all(&c);
    compare_enqueueing(&c);
    for (uint32_t stride = 1; stride <= 32; stride *= 2)
        compare_gathers(&c, stride);
    close_all(&c);
    return 0;
}
