/* vector-add: the first kernel, c = a + b, with blocks and grids of different sizes.
 *
 * Has the kernels of codes 2 and 3 of the CUDA course text, on longer vectors: the threads of a grid (grid-stride), or those of
 * one block, take the elements in turn.
 */
#include "vector_add.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

#include <math.h>

enum { VARIANT, BLOCK, BLOCKS_PER_MULTIPROCESSOR, BYTES, LOAD };
enum { ONE_BLOCK, THREAD_PER_ELEMENT, GRID_STRIDE, VECTORIZED };

static const char *const variants[] = {"one-block", "thread-per-element", "grid-stride", "vectorized", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "variant", "Kernel",
        "one-block: one block for all elements; thread-per-element: as many threads as elements; grid-stride: a "
        "given number of blocks whose threads take the elements in turn; vectorized: the same with 16-byte loads.",
        variants, "one-block", "thread-per-element", "grid-stride", "vectorized")},
    {LAB_INTEGERS("block", "Threads per block",
                  "Threads of a block. one-block leaves out values below 32, unless there is only one.", 1, 16, 32, 33,
                  64, 128, 256, 512, 1024),
     .minimum = 1, .maximum = 1024},
    {LAB_INTEGERS("blocks_per_multiprocessor", "Blocks per multiprocessor",
                  "Size of the grid of grid-stride and vectorized, in multiples of the number of multiprocessors.", 8),
     .minimum = 1, .maximum = 1024},
    {LAB_BYTES_PARAMETER("the three arrays", 16, 67108864)},
    {.name = NULL},
};

static bool has_grid(const struct lab_point *point)
{
    return point->values[VARIANT] == GRID_STRIDE || point->values[VARIANT] == VECTORIZED;
}

/* A single block of less than a warp would take a second for each repetition. */
static void list_blocks(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    enum { WARP = 32 };
    const struct lab_values *blocks = lab_parameter_values(request->parameters, "block");
    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->items[i].integer >= WARP || point->values[VARIANT] != ONE_BLOCK || blocks->count == 1)
            lab_axis_values_add(values, blocks->items[i].integer);
}

static int64_t whole_elements(const struct lab_point *point, int64_t bytes)
{
    (void)point;
    return bytes / 16 * 16;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant", .title = "Kernel"},
    [BLOCK] = {.name = "block", .title = "Threads per block", .list = list_blocks},
    [BLOCKS_PER_MULTIPROCESSOR] = {.name = "blocks_per_multiprocessor",
                                   .title = "Blocks per multiprocessor",
                                   .applies = has_grid},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .round = whole_elements},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", "bytes of the three arrays (two read, one written) / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "block", "Bandwidth over threads per block", "bandwidth", "block"), .log_x = true, .log_y = true},
    {LAB_VIEW("bars", "kernels", "Bandwidth by kernel", "bandwidth", "variant")},
    {0},
};

static const char explanation[] =
    "The sum of two vectors is the first program of most CUDA courses. Its threads are grouped into blocks; a block runs on "
    "one multiprocessor, whose hardware executes its threads in warps of 32. The sizes of block and grid do not change the "
    "result, but the time.\n\n"
    "What to expect: one block uses one multiprocessor, so it reaches a small part of the bandwidth. "
    "A block of 1 thread wastes 31 of the 32 lanes of its warp, one of 16 half of them, and one of 33 nearly half, because "
    "its second warp has one thread. Small blocks cost more than that: each has to be started, and a multiprocessor holds a "
    "limited number of them. On an H100 these are 32, so with blocks of 32 threads only half of its 64 warps can be resident. "
    "With larger blocks the question is how many bytes are under way: a thread per element has two loads of 4 bytes, the "
    "16-byte loads four times as many.\n\n"
    "On an H100 one block of 32 to 1024 threads reaches 0.9 to 28 GB/s, in proportion to its threads. A thread per element "
    "reaches 20, 317, 631, 650, 1246 and 2428 GB/s with blocks of 1, 16, 32, 33, 64 and 128 threads. Up to 128 threads this is "
    "the rate at which blocks are started: 1.6 to 1.7 billion in a second, whatever their size, so neither the idle lanes nor "
    "the resident warps are the limit. Blocks of 256, 512 and 1024 threads reach 2648, 2574 and 2449 GB/s, 79 percent of the "
    "memory's theoretical bandwidth and less. That is not yet its limit: 16-byte loads reach 2858 GB/s, and the kernel add of "
    "the experiment stream 2891 with arrays of the same size.\n\n"
    "Try more blocks per multiprocessor with few threads, and sizes that fit in the last-level cache. On a host device one "
    "block is one core, and the block size has no meaning.";

#define FOLDER "kernels/experiments/execution/vector_add/"

static const struct lab_source sources[] = {
    {"one-block",
     "cuda",
     "One block",
     "All threads are in one block, so only one multiprocessor works and loads the elements at its own pace.",
     {{FOLDER "vector_add.cu", "one-block"}}},
    {"thread-per-element",
     "cuda",
     "A thread per element",
     "As many threads as elements, rounded up to whole blocks; the last block may have threads without an element.",
     {{FOLDER "vector_add.cu", "thread-per-element"}}},
    {"grid-stride",
     "cuda",
     "Grid-stride loop",
     "The loop makes the size of the grid independent of the number of elements.",
     {{FOLDER "vector_add.cu", "grid-stride"}}},
    {"vectorized",
     "cuda",
     "16-byte loads",
     "Each thread adds four neighbouring elements: a quarter of the instructions, and four times the bytes under way.",
     {{FOLDER "vector_add.cu", "vectorized"}}},
    {"one-block",
     "host",
     "One core",
     "One block is one core.",
     {{FOLDER "vector_add_host.c", "add"}, {FOLDER "vector_add_host.c", "one-block"}}},
    {"thread-per-element",
     "host",
     "All cores",
     "Each core adds a contiguous part.",
     {{FOLDER "vector_add_host.c", "add"}, {FOLDER "vector_add_host.c", "all-cores"}}},
    {0},
};

/* A block runs on one multiprocessor, and each of its threads waits for its own accesses: about 0.03 GB/s on an H200.
 * Returns 0 where the peak is unknown. */
static double one_block_seconds(const struct lab_device_facts *device, double threads, double bytes)
{
    double peak = device->memory_peak_bytes_per_s / (double)device->multiprocessors;
    return isfinite(peak) && peak > 0 ? bytes / fmin(peak, 0.03e9 * threads) : 0;
}

static void vector_add_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    static const char *const kernels[] = {
        [ONE_BLOCK] = "vector_add_one_block",
        [THREAD_PER_ELEMENT] = "vector_add_thread_per_element",
        [GRID_STRIDE] = "vector_add_grid_stride",
        [VECTORIZED] = "vector_add_vectorized",
    };
    uint64_t bytes = (uint64_t)point->values[BYTES], n = bytes / sizeof(float);
    uint32_t threads = (uint32_t)point->values[BLOCK];
    uint64_t multiprocessors = device->multiprocessors > 0 ? (uint64_t)device->multiprocessors : 1;
    (void)given;
    lab_workload_add_step(workload, kernels[point->values[VARIANT]]);
    lab_workload_add_buffer(workload, lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS));
    lab_workload_add_buffer(workload, lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS));
    size_t result = lab_workload_output(workload, bytes);
    lab_workload_add_buffer(workload, result);
    lab_workload_add(workload, lab_argument_u64(n));
    if (point->values[VARIANT] == THREAD_PER_ELEMENT)
        lab_workload_launch_items(workload, n, threads);
    else
        lab_workload_launch(workload,
                            has_grid(point) ? multiprocessors * (uint64_t)point->values[BLOCKS_PER_MULTIPROCESSOR] : 1,
                            threads);
    workload->check = (struct lab_workload_check){.kernel = "vector_add_check", .buffer = result};
    workload->counts[LAB_COUNT_BYTES] = 3 * (double)bytes;
    if (point->values[VARIANT] == ONE_BLOCK)
        workload->seconds = one_block_seconds(device, threads, 3 * (double)bytes);
}

extern const struct lab_binary lab_binary_vector_add;
extern const struct lab_host_kernel vector_add_host_kernels[];
static const struct lab_image image = {"vector-add", &lab_binary_vector_add, vector_add_host_kernels};
static const struct lab_benchmark benchmark = {.image = &image, .describe = vector_add_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth"), .largest = {"bytes"}},
    {0},
};

LAB_PAGE(vector_add);
const struct lab_experiment lab_vector_add = {
    .name = "vector-add",
    .title = "Vector addition",
    .subject = "execution",
    .summary = "The first kernel, c = a + b, with blocks and grids of different sizes.",
    .sources = sources,
    LAB_BENCHMARK_FIELDS(vector_add, benchmark),
};
