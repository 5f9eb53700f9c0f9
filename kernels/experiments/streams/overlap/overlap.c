/* overlap: a job is cut into chunks that run in several streams, so that copies and kernels overlap. This file holds
 * the descriptor.
 *
 * Reproduces testAsync, the pipeline of Ruetsch & Fatica 3.1.3 and of the article on overlapping transfers (preset
 * `source`); the averaging kernel of the lecture on streams, after "CUDA by Example" (preset `averaging`; only the
 * window of the neighbours differs); and the asyncAPI sample, in which the CPU asks for the end of the work (preset
 * `async-api`).
 */
#include "overlap.h"

static const char *const kernels[] = {"waves", "average", "increment", NULL};
static const char *const variants[] = {"sequential",           "one-stream",  "depth-first",    "breadth-first",
                                       "breadth-first-events", "interleaved", "default-stream", NULL};
static const char *const replays[] = {"stream", "graph", NULL};

static const struct lab_schema parameters[] = {
    {LAB_OFFLOAD_BYTES_PARAMETER("", 1024, "[16777216]")},
    {LAB_INTEGERS(
         "chunks", "Chunks",
         "Number of chunks that each array is cut into. They consist of whole KiB, so there may be fewer of them, and the "
         "last one is shorter if the size is not divisible.",
         4, 16),
     .minimum = 1, .maximum = OVERLAP_CHUNKS_MAX},
    {LAB_INTEGERS("streams", "Streams", "Number of streams; chunk i runs in stream i modulo this number.", 4),
     .minimum = 1, .maximum = OVERLAP_STREAMS_MAX},
    {LAB_CHOICES(
        "variant", "Variant",
        "Order in which the operations are issued. sequential: all of the array at once; it is always measured, as the "
        "baseline of the speedup. one-stream: chunk by chunk in one stream; default-stream: the same in the default "
        "stream; depth-first: chunk by chunk, each in its stream; breadth-first: all copies in, then all kernels, then "
        "all copies out; breadth-first-events: the same with an event after each kernel; interleaved: breadth first for "
        "one chunk of each stream, then for the next ones.",
        variants, "sequential", "one-stream", "depth-first", "breadth-first", "breadth-first-events")},
    {LAB_CHOICES(
        "kernel", "Kernel",
        "waves: `weight` sines and cosines per element; average: mean of three neighbours in each of two inputs, few "
        "operations per byte; increment: adds 26.",
        kernels, "waves")},
    {LAB_INTEGER(
         "weight", "Kernel weight",
         "Number of sines and cosines that the kernel waves computes per element. 0: automatic, so that the kernel "
         "takes as long as one copy.",
         0),
     .minimum = 0, .maximum = OVERLAP_WEIGHT_MAX},
    {LAB_OFFLOAD_MEMORY_PARAMETER},
    {LAB_CHOICES("replay", "Issued as",
                 "stream: one call per operation; graph: captured once and launched as one CUDA graph.", replays,
                 "stream")},
    {LAB_INTEGER("block", "Threads per block", "Block size of the kernel launch.", 256), .advanced = true,
     .minimum = 32, .maximum = 1024},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "time", "Time", "s",
         "from the start of the first operation to the end of the last one, all streams; page-locked memory: between two "
         "events on the device; pageable memory: host clock"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("speedup", "Speedup", "1",
                "time of sequential / time, for the same size, memory and kernel; both are sampled alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC(
        "bound", "Bound", "s",
        "lower bound of the time: the same operations simulated on copy_engines copy engines and one compute engine, in "
        "the best order that the hardware queues allow. Each operation takes its fastest measured phase_time; a copy "
        "that overlaps a copy in the other direction takes the fastest time measured under that load")},
    {LAB_METRIC("efficiency", "Overlap efficiency", "1",
                "bound / time, with the bound for the device's number of copy engines")},
    {LAB_METRIC(
        "phase_time", "Phase time", "s",
        "time of one operation of one chunk alone: host-to-device copy (up), kernel, or device-to-host copy (down); if "
        "opposing is true: of a copy while copies run in the other direction")},
    {LAB_METRIC(
        "max_error", "Largest error", "1",
        "largest |result - (input + 1)| of all elements, as sin^2 + cos^2 = 1 up to rounding; kernel waves only")},
    {LAB_METRIC("cpu_time", "Time spent queueing", "s", "host clock around the calls that queue the work")},
    {LAB_METRIC("polls", "Completion polls", "1", "number of event queries by the CPU before the work had completed")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("timeline", "timeline", "Timeline", "time", "variant")},
    {LAB_VIEW("bars", "time", "Time by variant", "time", "variant")},
    {LAB_VIEW("line", "speedup-chunks", "Speedup over chunks", "speedup", "chunks"), .log_x = true},
    {LAB_VIEW("line", "speedup-streams", "Speedup over streams", "speedup", "streams"), .log_x = true},
    {LAB_VIEW("bars", "efficiency", "Overlap efficiency", "efficiency", "variant")},
    {LAB_VIEW("table", "bound", "Lower bound by number of copy engines", "bound", "copy_engines")},
    {LAB_VIEW("table", "phases", "Phase times", "phase_time", "phase")},
    {LAB_VIEW("table", "error", "Largest error", "max_error", "variant")},
    {LAB_VIEW("table", "cpu", "Time spent queueing", "cpu_time", "variant")},
    {LAB_VIEW("table", "polls", "Completion polls", "polls", "variant")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Speedup", "speedup"), .largest = {"bytes"}, .share = "efficiency"},
    {0},
};

LAB_PAGE(overlap);
const struct lab_experiment lab_overlap = {
    .name = "overlap",
    .title = "Copy/compute overlap",
    .subject = "overlap",
    .summary =
        "Speedup from streams: a job is cut into chunks that are copied in, computed and copied out at the same time.",
    .devices_min = 1,
    .devices_max = 1,
    .traced = true,
    LAB_RUN_FIELDS(overlap),
};
