/* Benchmarks: experiments that are kernels swept over axes. A benchmark is its tables (struct lab_experiment), an image of
 * kernels and one pure function that describes the workload of a point: buffers, kernel, launch, arguments, counters and
 * what the result must be. The plan and the run follow from these.
 */
#ifndef LAB_BENCHMARK_H
#define LAB_BENCHMARK_H

#include "measure/measurement.h"
#include "runtime/module.h"
#include "runtime/pattern.h"
#include "runtime/runtime.h"

enum { LAB_BUFFERS_MAX = 8, LAB_FIGURES_MAX = 4 };

/* A buffer of a workload. An input is filled with `content` before the first sample. An output is overwritten with other
 * data before the first and before the last repetition. */
struct lab_buffer {
    enum lab_memory memory;
    size_t bytes;
    bool output;
    enum lab_content content; /* of an input, with the run's seed plus the index of the buffer */
};

/* A kernel's argument: the address of a buffer, or a value. */
struct lab_workload_argument {
    bool is_buffer;
    size_t buffer;
    struct lab_argument value;
};

/* How the result is checked (METHOD.md 9): the kernel `kernel` of the image, made by LAB_CHECK_KERNEL (check.h), compares
 * every 4-byte element of the buffer with a function of its index, of the run's seed and of `parameters`. */
struct lab_workload_check {
    const char *kernel; /* NULL: the workload has no result */
    size_t buffer;
    uint64_t parameters[3];
};

/* One repetition at a point. Cleared before lab_benchmark.describe is called. */
struct lab_workload {
    char skipped[LAB_DETAIL_MAX]; /* why the point cannot be measured; "" if it can */
    size_t buffer_count;
    struct lab_buffer buffers[LAB_BUFFERS_MAX];
    const char *kernel; /* name in the image */
    struct lab_launch launch;
    size_t argument_count;
    struct lab_workload_argument arguments[LAB_ARGUMENTS_MAX];
    struct lab_workload_check check;
    double counts[LAB_COUNTERS]; /* see struct lab_case */
    /* The peak of the main metric, in its unit; {0}: that of device memory, if the metric counts bytes. `what` is static */
    struct lab_peak peak;
    size_t figure_count; /* figures that are computed, not measured: predictions */
    struct lab_figure {
        const char *metric;
        double value;
    } figures[LAB_FIGURES_MAX];
};

/* The data of a benchmark, to which lab_experiment.benchmark points. */
struct lab_benchmark {
    const struct lab_image *image;
    /* Describes the workload of a point on a device. Pure: the plan calls it too. */
    void (*describe)(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload);
};

/* The metrics that follow a bandwidth in a benchmark's table. */
#define LAB_KERNEL_METRICS                                                                                             \
    {.name = "share_of_peak",                                                                                          \
     .title = "Share of peak",                                                                                         \
     .unit = "1",                                                                                                      \
     .formula = "bandwidth / theoretical bandwidth of the device's memory (2 * memory clock * bus width / 8)"},        \
    {                                                                                                                  \
        .name = "time", .title = "Time", .unit = "s", .formula = "time of one kernel", .counter = LAB_COUNT_SECONDS    \
    }

/* A parameter with the sizes of a workload's arrays, for the axis "bytes". */
#define LAB_BYTES_PARAMETER(what, least, sizes)                                                                        \
    {                                                                                                                  \
        .name = "bytes", .title = "Size", .help = "Bytes of each of " what ".", .unit = "B",                           \
        .type = LAB_PARAMETER_INTEGER, .list = true, .minimum = least, .maximum = 17179869184.0, .fallback = sizes     \
    }

/* Add a buffer; return its index. */
size_t lab_workload_input(struct lab_workload *workload, size_t bytes, enum lab_content content);
size_t lab_workload_output(struct lab_workload *workload, size_t bytes);

/* Append an argument of the kernel. */
void lab_workload_add_buffer(struct lab_workload *workload, size_t buffer);
void lab_workload_add(struct lab_workload *workload, struct lab_argument value);

/* Adds a computed figure, reported as a metric of the point. */
void lab_workload_add_figure(struct lab_workload *workload, const char *metric, double value);

/* Sets a launch of `blocks` blocks of `threads` threads; of as many blocks as cover `items` items, one thread each. */
void lab_workload_launch(struct lab_workload *workload, uint64_t blocks, uint32_t threads);
void lab_workload_launch_items(struct lab_workload *workload, uint64_t items, uint32_t threads);

/* plan() and run() of every benchmark (experiment.h). */
bool lab_benchmark_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                        size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool lab_benchmark_run(struct lab_run *run);

/* --- for experiments that measure points of another benchmark among their own ------------------------------------- */

struct lab_case;          /* benchmark/loop.h */
struct lab_kernel_record; /* measure/measurement.h */

/* The buffers and kernels of a benchmark on the run's first device. */
struct lab_benchmark_state;

/* Loads the kernels. Returns NULL with run->error set. */
struct lab_benchmark_state *lab_benchmark_open(struct lab_run *run, const struct lab_benchmark *benchmark);
/* Releases everything; NULL is allowed and does nothing. */
void lab_benchmark_close(struct lab_benchmark_state *state);

/* Prepares a case: work, counts, peak and kernel, or why it is skipped. `point` is a point of the benchmark, which gets
 * the run's parameters. Returns false with run->error set. Call lab_benchmark_end in either case, after the work. */
bool lab_benchmark_begin(struct lab_benchmark_state *state, const struct lab_point *point, struct lab_case *c);
void lab_benchmark_end(struct lab_benchmark_state *state);

/* Sets *record to what the runtime says of a kernel. Returns false, and the device's error need not be reported, if it
 * says nothing. */
bool lab_benchmark_record(struct lab_device *device, struct lab_kernel *kernel, const char *name,
                          const struct lab_launch *launch, struct lab_kernel_record *record);

#endif
