/* overlap: a job is cut into chunks that run in several streams, so that copies and kernels overlap. This file holds
 * the descriptor: parameters, axes, metrics, views and explanation.
 *
 * Reproduces testAsync, the pipeline of Ruetsch & Fatica 3.1.3 and of the article on overlapping transfers (preset
 * `source`); the averaging kernel of the lecture on streams, after "CUDA by Example" (preset `averaging`; only the window
 * of the neighbours differs); and the asyncAPI sample, in which the CPU asks for the end of the work (preset `async-api`).
 */
#include "overlap.h"

static const char *const kernels[] = {"waves", "average", "increment", NULL};
static const char *const variants[] = {"sequential",           "one-stream",  "depth-first",    "breadth-first",
                                       "breadth-first-events", "interleaved", "default-stream", NULL};
static const char *const replays[] = {"stream", "graph", NULL};

static const struct lab_schema parameters[] = {
    {LAB_OFFLOAD_BYTES_PARAMETER("", 1024, "[16777216]")},
    {.name = "chunks",
     .title = "Chunks",
     .text =
         "Number of chunks that each array is cut into. They consist of whole KiB, so there may be fewer of them, and the "
         "last one is shorter if the size is not divisible.",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 1,
     .maximum = OVERLAP_CHUNKS_MAX,
     .fallback = "[4, 16]"},
    {.name = "streams",
     .title = "Streams",
     .text = "Number of streams; chunk i runs in stream i modulo this number.",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 1,
     .maximum = OVERLAP_STREAMS_MAX,
     .fallback = "[4]"},
    {.name = "variant",
     .title = "Variant",
     .text =
         "Order in which the operations are issued. sequential: all of the array at once; it is always measured, as the "
         "baseline of the speedup. one-stream: chunk by chunk in one stream; default-stream: the same in the default "
         "stream; depth-first: chunk by chunk, each in its stream; breadth-first: all copies in, then all kernels, then "
         "all copies out; breadth-first-events: the same with an event after each kernel; interleaved: breadth first for "
         "one chunk of each stream, then for the next ones.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = variants,
     .fallback = "[\"sequential\", \"one-stream\", \"depth-first\", \"breadth-first\", \"breadth-first-events\"]"},
    {.name = "kernel",
     .title = "Kernel",
     .text =
         "waves: `weight` sines and cosines per element; average: mean of three neighbours in each of two inputs, few "
         "operations per byte; increment: adds 26.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = kernels,
     .fallback = "[\"waves\"]"},
    {.name = "weight",
     .title = "Kernel weight",
     .text = "Number of sines and cosines that the kernel waves computes per element. 0: automatic, so that the kernel "
             "takes as long as one copy.",
     .type = LAB_TYPE_SIZE,
     .minimum = 0,
     .maximum = OVERLAP_WEIGHT_MAX,
     .fallback = "0"},
    {LAB_OFFLOAD_MEMORY_PARAMETER},
    {.name = "replay",
     .title = "Issued as",
     .text = "stream: one call per operation; graph: captured once and launched as one CUDA graph.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = replays,
     .fallback = "[\"stream\"]"},
    {.name = "block",
     .title = "Threads per block",
     .text = "Block size of the kernel launch.",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 32,
     .maximum = 1024,
     .fallback = "256"},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "time",
     .title = "Time",
     .unit = "s",
     .formula =
         "from the start of the first operation to the end of the last one, all streams; page-locked memory: between two "
         "events on the device; pageable memory: host clock",
     .counter = LAB_COUNT_SECONDS},
    {.name = "speedup",
     .title = "Speedup",
     .unit = "1",
     .formula = "time of sequential / time, for the same size, memory and kernel; both are sampled alternately",
     .counter = LAB_COUNT_BASELINE},
    {.name = "bound",
     .title = "Bound",
     .unit = "s",
     .formula =
         "lower bound of the time: the same operations simulated on copy_engines copy engines and one compute engine, in "
         "the best order that the hardware queues allow. Each operation takes its fastest measured phase_time; a copy "
         "that overlaps a copy in the other direction takes the fastest time measured under that load"},
    {.name = "efficiency",
     .title = "Overlap efficiency",
     .unit = "1",
     .formula = "bound / time, with the bound for the device's number of copy engines"},
    {.name = "phase_time",
     .title = "Phase time",
     .unit = "s",
     .formula =
         "time of one operation of one chunk alone: host-to-device copy (up), kernel, or device-to-host copy (down); if "
         "opposing is true: of a copy while copies run in the other direction"},
    {.name = "max_error",
     .title = "Largest error",
     .unit = "1",
     .formula =
         "largest |result - (input + 1)| of all elements, as sin^2 + cos^2 = 1 up to rounding; kernel waves only"},
    {.name = "cpu_time",
     .title = "Time spent queueing",
     .unit = "s",
     .formula = "host clock around the calls that queue the work"},
    {.name = "polls",
     .title = "Completion polls",
     .unit = "1",
     .formula = "number of event queries by the CPU before the work had completed"},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {.name = "timeline", .title = "Timeline", .kind = "timeline", .metric = "time", .x = "variant"},
    {.name = "time", .title = "Time by variant", .kind = "bars", .metric = "time", .x = "variant"},
    {.name = "speedup-chunks",
     .title = "Speedup over chunks",
     .kind = "line",
     .metric = "speedup",
     .x = "chunks",
     .log_x = true},
    {.name = "speedup-streams",
     .title = "Speedup over streams",
     .kind = "line",
     .metric = "speedup",
     .x = "streams",
     .log_x = true},
    {.name = "efficiency", .title = "Overlap efficiency", .kind = "bars", .metric = "efficiency", .x = "variant"},
    {.name = "bound",
     .title = "Lower bound by number of copy engines",
     .kind = "table",
     .metric = "bound",
     .x = "copy_engines"},
    {.name = "phases", .title = "Phase times", .kind = "table", .metric = "phase_time", .x = "phase"},
    {.name = "error", .title = "Largest error", .kind = "table", .metric = "max_error", .x = "variant"},
    {.name = "cpu", .title = "Time spent queueing", .kind = "table", .metric = "cpu_time", .x = "variant"},
    {.name = "polls", .title = "Completion polls", .kind = "table", .metric = "polls", .x = "variant"},
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
    .parameters = parameters,
    .axes = overlap_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .devices_min = 1,
    .devices_max = 1,
    LAB_PAGE_FIELDS(overlap),
    .traced = true,
    .plan = overlap_plan,
    .run = overlap_run,
};
