/* stream: bandwidth of device memory for reads, writes and their mixtures, by size and by number of resident warps.
 *
 * Reproduces effective against theoretical bandwidth (Ruetsch & Fatica, 2.3) with the kernels of the STREAM benchmark (J.
 * D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995).
 */
#include "stream.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

static const char *const grids[] = {"per-element", "resident", NULL};
static const char *const variants[] = {"read", "write", "copy", "scale", "add", "triad", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES("variant", "Kernel",
                 "read: sum of a; write: c = s; copy: c = a; scale: c = s a; add: c = a + b; triad: c = a + s b.",
                 variants, "read", "write", "copy", "scale", "add", "triad")},
    LAB_SIZES_PARAMETERS("each array", "4194304", "268435456", "4"),
    {LAB_CHOICES(
        "grid", "Grid",
        "per-element: a thread for each 16 bytes (read: a warp for each 8 KiB); resident: as many threads as `warps` "
        "says, each of which handles many elements. Host devices ignore it.",
        grids, "per-element")},
    {LAB_INTEGERS("warps", "Warps per multiprocessor",
                  "grid resident: warps (32 threads) that the kernel keeps on each multiprocessor, a multiple of 8.", 8,
                  16, 32, 64),
     .minimum = 8, .maximum = 64},
    {LAB_CACHE_PARAMETER},
    {.name = NULL},
};

static bool is_resident(const struct lab_point *point)
{
    return point->values[STREAM_GRID] == STREAM_RESIDENT;
}

static int64_t whole_blocks(const struct lab_point *point, int64_t warps)
{
    (void)point;
    return warps / 8 * 8;
}

static int64_t whole_tiles(const struct lab_point *point, int64_t bytes)
{
    enum { TILE_BYTES = 4 * STREAM_TILE_WORDS };
    (void)point;
    return bytes < TILE_BYTES ? TILE_BYTES : bytes / TILE_BYTES * TILE_BYTES;
}

static const struct lab_axis axes[] = {
    [STREAM_VARIANT] = {.name = "variant", .title = "Kernel"},
    [STREAM_BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES, .round = whole_tiles},
    [STREAM_GRID] = {.name = "grid", .title = "Grid"},
    [STREAM_WARPS] = {.name = "warps",
                      .title = "Warps per multiprocessor",
                      .applies = is_resident,
                      .round = whole_blocks},
    [STREAM_CACHE] = {LAB_CACHE_AXIS},
    [STREAM_LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes of all arrays that the kernel reads or writes, each counted once, / time / 10^9: read and write 1 "
         "array, copy and scale 2, add and triad 3"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "bandwidth", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true},
    {LAB_VIEW("ladder", "kernels", "Bandwidth by kernel", "bandwidth", "variant")},
    {LAB_VIEW("line", "share", "Share of peak", "share_of_peak", "bytes"), .log_x = true},
    {LAB_VIEW("line", "warps", "Bandwidth over warps", "bandwidth", "warps")},
    {0},
};

static const char explanation[] =
    "The theoretical bandwidth of a device's memory follows from its clock and the width of its bus. What a kernel gets of "
    "it, the effective bandwidth, is the bytes that it reads and writes divided by its time. This experiment measures it "
    "for kernels that do nothing else. The peak is two transfers for each cycle of the memory's clock, times the width of its "
    "bus. A Tesla K20m of the course texts (compute capability 3.5, 13 multiprocessors of 192 cores at 706 MHz, 4742 MB, "
    "1,310,720 bytes of L2 cache) has 2600 MHz and 320 bits: 2 * 2600 MHz * 40 bytes = 208 GB/s.\n\n"
    "Expect 85 to 95 percent of the peak for pure reads and writes of arrays much larger than the last-level cache, and "
    "less for mixtures, because the memory's bus has to change its direction. An array that fits in the cache is read from "
    "there, several times faster. An access takes some hundred nanoseconds, so enough of them must be under way at the same "
    "time: bandwidth times latency bytes (Little's law), for 4 TB/s and 700 ns about 2.8 MB, or 20 KB on each of 132 "
    "multiprocessors.\n\n"
    "Try the grid `resident` with different numbers of warps: with 8 per multiprocessor too few accesses are under way and "
    "the bandwidth of copies drops. `read` suffers least, because each of its threads has 16 loads under way. A grid with a "
    "thread for each element is usually faster than threads that stay and take many elements: its blocks run in order, so "
    "that neighbouring parts of memory are accessed at the same time. Try sizes around that of the last-level cache.";

#define FOLDER "kernels/experiments/memory/stream/"
#define CUDA_LOOP(region)                                                                                              \
    {FOLDER "stream.h", "constants"}, {FOLDER "stream.cu", "loop"},                                                    \
    {                                                                                                                  \
        FOLDER "stream.cu", region                                                                                     \
    }
#define SOURCES(step_, title_, explanation_, ...)                                                                      \
    {step_, "cuda", title_, explanation_, {__VA_ARGS__}},                                                              \
    {                                                                                                                  \
        step_, "host", title_, explanation_,                                                                           \
        {                                                                                                              \
            {FOLDER "stream.h", "constants"}, {FOLDER "stream_host.c", "part"}, {FOLDER "stream_host.c", step_},       \
        }                                                                                                              \
    }

static const struct lab_source sources[] = {
    SOURCES(
        "read", "Read: sum of a",
        "A kernel must use what it reads, or the compiler removes the loads. Tiles of 8 KiB are added up and one sum is "
        "written for each, so almost all of the traffic is reads. On a GPU a warp takes a tile, and each thread has 16 "
        "loads of 16 bytes under way before it needs the first.",
        {FOLDER "stream.h", "constants"}, {FOLDER "stream.cu", "read"}),
    SOURCES(
        "write", "Write: c = s",
        "Stores only. A thread of a GPU does not wait for its stores, so few warps keep the memory busy. A CPU core "
        "first reads each cache line that it is going to write, unless it can tell that all of it will be written.",
        CUDA_LOOP("write")),
    SOURCES("copy", "Copy: c = a",
            "One load and one store per element. The memory's bus changes its direction between them, which costs "
            "bandwidth. The loop of the GPU is unrolled four times, so that four loads of a thread are under way.",
            CUDA_LOOP("copy")),
    SOURCES(
        "scale", "Scale: c = s a",
        "The same traffic as copy, and four multiplications for 32 bytes: the arithmetic is hidden behind the memory.",
        CUDA_LOOP("scale")),
    SOURCES("add", "Add: c = a + b",
            "Two loads for each store: a larger share of reads, and fewer changes of direction.", CUDA_LOOP("add")),
    SOURCES("triad", "Triad: c = a + s b",
            "The traffic of add with a multiply-add in place of the addition. It is the kernel that STREAM is usually "
            "quoted with.",
            CUDA_LOOP("triad")),
    {0},
};

static const struct kernel {
    const char *name;
    size_t inputs;
    bool output; /* writes an array */
} kernels[] = {
    [STREAM_READ] = {"stream_read", 1, false}, [STREAM_WRITE] = {"stream_write", 0, true},
    [STREAM_COPY] = {"stream_copy", 1, true},  [STREAM_SCALE] = {"stream_scale", 1, true},
    [STREAM_ADD] = {"stream_add", 2, true},    [STREAM_TRIAD] = {"stream_triad", 2, true},
};

static void stream_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256, ELEMENT_BYTES = 16 };
    const struct kernel *kernel = &kernels[point->values[STREAM_VARIANT]];
    uint64_t bytes = (uint64_t)point->values[STREAM_BYTES];
    uint64_t multiprocessors = device->multiprocessors > 0 ? (uint64_t)device->multiprocessors : 1;
    (void)given;
    lab_workload_add_step(workload, kernel->name);
    for (size_t i = 0; i < kernel->inputs; i++)
        lab_workload_add_buffer(workload, lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS));
    size_t result = lab_workload_output(workload, kernel->output ? bytes : bytes / STREAM_TILE_WORDS);
    lab_workload_add_buffer(workload, result);
    lab_workload_add(workload, lab_argument_u64(bytes / ELEMENT_BYTES));
    uint64_t threads = is_resident(point) ? multiprocessors * (uint64_t)point->values[STREAM_WARPS] * 32
                       : kernel->output   ? bytes / ELEMENT_BYTES
                                          : bytes / (4 * STREAM_TILE_WORDS) * 32;
    lab_workload_launch_items(workload, threads, THREADS);
    workload->check = (struct lab_workload_check){
        .kernel = "stream_check", .buffer = result, .parameters = {(uint64_t)point->values[STREAM_VARIANT]}};
    workload->counts[LAB_COUNT_BYTES] = (double)((kernel->inputs + kernel->output) * bytes);
}

extern const struct lab_binary lab_binary_stream;
extern const struct lab_host_kernel stream_host_kernels[];
static const struct lab_image image = {"stream", &lab_binary_stream, stream_host_kernels};
const struct lab_benchmark lab_stream_benchmark = {.image = &image, .describe = stream_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Read", "bandwidth"), .at = {{"variant", "read"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Write", "bandwidth"), .at = {{"variant", "write"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Copy", "bandwidth"), .at = {{"variant", "copy"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Triad", "bandwidth"), .at = {{"variant", "triad"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(stream);
const struct lab_experiment lab_stream = {
    .name = "stream",
    .title = "Memory bandwidth (STREAM)",
    .subject = "memory",
    .summary = "Effective bandwidth of device memory for reads, writes and their mixtures, compared with its peak.",
    .sources = sources,
    LAB_BENCHMARK_FIELDS(stream, lab_stream_benchmark),
};
