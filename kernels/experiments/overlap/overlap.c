/* overlap: what is gained by cutting a job into chunks and giving them to streams, so that copies hide behind compute.
 *
 * What it reproduces: the pipeline of Ruetsch & Fatica 3.1.3 and of the article on overlapping transfers, the averaging
 * kernel of the lecture on streams (after "CUDA by Example"), and the asyncAPI sample: a CPU that is free while the
 * device works.
 */
#include "overlap.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const overlap_kernels[] = {"waves", "average", "increment", NULL};
const char *const overlap_variants[] = {"sequential",           "one-stream",  "depth-first",    "breadth-first",
                                        "breadth-first-events", "interleaved", "default-stream", NULL};
const char *const overlap_memories[] = {"pageable", "pinned", NULL};
const char *const overlap_replays[] = {"stream", "graph", NULL};

static const struct lab_parameter parameters[] = {
    {.name = "bytes",
     .title = "Size of an array",
     .help = "Bytes of each input array; rounded down to whole elements of four bytes (average: to whole KiB).",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 1024,
     .maximum = 1099511627776.0,
     .fallback = "[67108864]"},
    {.name = "chunks",
     .title = "Chunks",
     .help = "Into how many chunks the arrays are cut; the last one is shorter where they do not divide.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 1,
     .maximum = OVERLAP_CHUNKS_MAX,
     .fallback = "[4, 16]"},
    {.name = "streams",
     .title = "Streams",
     .help = "How many streams the chunks are dealt out to, chunk i to stream i modulo this.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 1,
     .maximum = OVERLAP_STREAMS_MAX,
     .fallback = "[4]"},
    {.name = "variant",
     .title = "Variant",
     .help = "In which order the operations are issued. sequential is always measured: it is the base of the speedup.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = overlap_variants,
     .fallback = "[\"sequential\", \"one-stream\", \"depth-first\", \"breadth-first\", \"breadth-first-events\"]"},
    {.name = "kernel",
     .title = "Kernel",
     .help = "waves: sines and cosines, as heavy as its weight; average: two inputs, light; increment: one addition.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = overlap_kernels,
     .fallback = "[\"waves\"]"},
    {.name = "weight",
     .title = "Weight of the kernel",
     .help =
         "Sines and cosines that waves computes for each element. 0: balanced, the kernel takes as long as one copy.",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 0,
     .maximum = 100000,
     .fallback = "0"},
    {.name = "memory",
     .title = "Host memory",
     .help =
         "pinned: page-locked, copies run beside the CPU; pageable: the driver stages each copy, and nothing overlaps.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = overlap_memories,
     .fallback = "[\"pinned\"]"},
    {.name = "replay",
     .title = "Issued as",
     .help = "stream: operation by operation; graph: recorded once and replayed as one CUDA graph.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = overlap_replays,
     .fallback = "[\"stream\"]"},
    {.name = "block",
     .title = "Threads of a block",
     .help = "Of the kernel's launch.",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 32,
     .maximum = 1024,
     .fallback = "256"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"bytes", "Size of an array", "B"},
    {"memory", "Host memory", NULL},
    {"kernel", "Kernel", NULL},
    {"weight", "Weight of the kernel", NULL},
    {"variant", "Variant", NULL},
    {"chunks", "Chunks", NULL},
    {"streams", "Streams", NULL},
    {"replay", "Issued as", NULL},
    {"copy_engines", "Copy engines of the bound", NULL},
    {"phase", "Phase", NULL},
    {"opposing", "Other direction runs too", NULL},
    {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"time", "Time", "s",
     "from the first operation's start to the last one's end, all streams; page-locked memory between two events on the "
     "device, pageable memory on the host's clock"},
    {"speedup", "Speedup", "1",
     "median time of sequential / time, of the same size, memory and kernel in the same run"},
    {"bound", "Bound", "s",
     "end of a simulated schedule of the same operations on copy_engines copy engines and one compute engine, the best of "
     "the orders in which the device's queues allow an engine to take them; each operation takes its fastest measured "
     "phase_time, a copy while the other direction runs its fastest contended one"},
    {"efficiency", "Overlap efficiency", "1", "bound for the device's own number of copy engines / time"},
    {"phase_time", "Time of a phase", "s",
     "one chunk's copy up, kernel or copy down by itself; with opposing, a copy while the other direction runs too"},
    {"max_error", "Largest error", "1",
     "largest |result - (input + 1)| of all elements: sin^2 + cos^2 adds 1 but for rounding; waves only"},
    {"cpu_time", "CPU time in calls", "s", "host's clock around the calls that queue the work"},
    {"polls", "Polls meanwhile", "1", "how often the CPU asked for the end of the work before it came"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"timeline", "Timeline", "timeline", "time", "variant", false, false},
    {"time", "Time by variant", "bars", "time", "variant", false, false},
    {"speedup-chunks", "Speedup over chunks", "line", "speedup", "chunks", true, false},
    {"speedup-streams", "Speedup over streams", "line", "speedup", "streams", true, false},
    {"efficiency", "Overlap efficiency", "bars", "efficiency", "variant", false, false},
    {"bound", "Bounds by copy engines", "table", "bound", "copy_engines", false, false},
    {"phases", "Times of the phases", "table", "phase_time", "phase", false, false},
    {"error", "Largest error", "table", "max_error", "variant", false, false},
    {"cpu", "CPU time in calls", "table", "cpu_time", "variant", false, false},
    {"polls", "Polls meanwhile", "table", "polls", "variant", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "A program that copies its data up, computes and copies the result down leaves the device idle most of the time: while "
    "a copy runs nothing is computed, and while the kernel runs nothing is copied. Cut into chunks, the job becomes a "
    "job. While chunk 2 is computed, chunk 3 can be on its way up and chunk 1 on its way down. In the best case the "
    "three run at once and the job takes little more than its longest part.\n\n"
    "What really overlaps is decided by the device's engines. Each copy engine does one copy at a time, the compute engine "
    "runs kernels, and an operation waits for the one before it in its stream. So the order of the calls matters.\n\n"
    "Depth first issues up, kernel and down of a chunk behind each other. Old devices have one queue for each engine: with "
    "one copy engine the down of chunk 1 stands in it before the up of chunk 2 and waits for kernel 1, nothing overlaps, "
    "and it is no faster than sequential. Breadth first issues all ups, then all kernels, then all downs, and is the better "
    "order there. Devices of compute capability 2.x tell the end of kernels that were issued behind each other only when "
    "all have ended, so every down waits for the last kernel; an event between the kernels undoes that.\n\n"
    "Newer devices have a queue for each of many streams, so an engine can go on with another stream when the first is not "
    "ready. There depth first comes near the bound, and what is left is the first copy up and the last copy down, which "
    "nothing can hide. More and smaller chunks make these two shorter, until each chunk is so small that starting it takes "
    "longer than moving it. Breadth first now has a weakness of its own: with fewer streams than chunks, the first kernel "
    "of a stream waits for all copies up of that stream, so the pipeline has as many steps as there are streams, however "
    "many chunks there are.\n\n"
    "Two things to remember. Both directions share the memory on either side, so each copy is somewhat slower while the "
    "other runs; the bound takes that in, and three equal parts give a speedup of about 2.7 rather than 3. And all of it "
    "needs page-locked memory: a copy of pageable memory is staged by the CPU and blocks the caller, so nothing overlaps. "
    "Choose pageable to see it.\n\n"
    "The bounds are simulated schedules of the same operations on 0, 1 and 2 copy engines. Efficiency holds the measured "
    "time against the bound for this device's own engines. CPU time and polls show the other gain: what the CPU could have "
    "done meanwhile.";

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t overlap_inputs(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 2 : 1;
}

size_t overlap_device_arrays(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 3 : 1;
}

size_t overlap_whole_bytes(enum overlap_kernel kernel, size_t bytes)
{
    size_t unit = kernel == OVERLAP_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return bytes / unit * unit;
}

typedef bool visit_function(void *context, const struct overlap_point *point);

/* As a stream of operations, as a graph, or both. */
static bool each_replay(const struct lab_parameters *given, struct overlap_point point, visit_function *visit,
                        void *context)
{
    const struct lab_values *replays = lab_parameter_values(given, "replay");
    for (size_t r = 0; r < replays->count; r++) {
        point.graph = replays->items[r].integer != 0;
        if (!visit(context, &point))
            return false;
    }
    return true;
}

static bool each_stream_count(const struct lab_parameters *given, struct overlap_point point, visit_function *visit,
                              void *context)
{
    const struct lab_values *streams = lab_parameter_values(given, "streams");
    point.streams = 1;
    if (point.variant == OVERLAP_ONE_STREAM || point.variant == OVERLAP_DEFAULT_STREAM)
        return each_replay(given, point, visit, context);
    for (size_t s = 0; s < streams->count; s++) {
        point.streams = (size_t)streams->items[s].integer;
        if (!each_replay(given, point, visit, context))
            return false;
    }
    return true;
}

/* One size, memory and kernel: sequential first, then chunk count by chunk count. */
static bool each_variant(const struct lab_parameters *given, const struct overlap_workload *workload,
                         visit_function *visit, void *context)
{
    const struct lab_values *chunks = lab_parameter_values(given, "chunks");
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    struct overlap_point point = {.workload = *workload, .variant = OVERLAP_SEQUENTIAL, .chunks = 1, .streams = 1};
    if (!visit(context, &point))
        return false;
    for (size_t c = 0; c < chunks->count; c++)
        for (size_t v = 0; v < variants->count; v++) {
            point.chunks = (size_t)chunks->items[c].integer;
            point.variant = (enum overlap_variant)variants->items[v].integer;
            if (point.variant != OVERLAP_SEQUENTIAL && !each_stream_count(given, point, visit, context))
                return false;
        }
    return true;
}

bool overlap_each_point(const struct lab_parameters *given, visit_function *visit, void *context)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    const struct lab_values *kernels = lab_parameter_values(given, "kernel");
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t m = 0; m < memories->count; m++)
            for (size_t k = 0; k < kernels->count; k++) {
                enum overlap_kernel kernel = (enum overlap_kernel)kernels->items[k].integer;
                struct overlap_workload workload = {
                    .bytes = overlap_whole_bytes(kernel, (size_t)sizes->items[s].integer),
                    .memory = memories->items[m].integer == 0 ? LAB_MEMORY_PAGEABLE : LAB_MEMORY_PINNED,
                    .kernel = kernel,
                };
                if (!each_variant(given, &workload, visit, context))
                    return false;
            }
    return true;
}

const char *overlap_skip_reason(const struct overlap_point *point)
{
    if (point->streams > point->chunks)
        return "more streams than chunks: some streams would have nothing to do";
    if (point->graph && point->variant == OVERLAP_DEFAULT_STREAM)
        return "the default stream cannot be recorded";
    if (point->graph && point->workload.memory == LAB_MEMORY_PAGEABLE)
        return "copies of pageable memory cannot be recorded";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static int64_t largest(const struct lab_parameters *given, const char *name)
{
    const struct lab_values *values = lab_parameter_values(given, name);
    int64_t result = values->items[0].integer;
    for (size_t i = 1; i < values->count; i++)
        if (values->items[i].integer > result)
            result = values->items[i].integer;
    return result;
}

static bool needs_streams(const struct lab_parameters *given)
{
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    for (size_t v = 0; v < variants->count; v++) {
        enum overlap_variant variant = (enum overlap_variant)variants->items[v].integer;
        if (variant >= OVERLAP_DEPTH_FIRST && variant <= OVERLAP_INTERLEAVED)
            return true;
    }
    return false;
}

/* Streams that no chunk count of the request can feed. */
static bool check_streams(const struct lab_parameters *given, struct lab_errors *errors)
{
    const struct lab_values *streams = lab_parameter_values(given, "streams");
    int64_t chunks = largest(given, "chunks");
    bool good = true;
    for (size_t s = 0; needs_streams(given) && s < streams->count; s++) {
        char pointer[48];
        if (streams->items[s].integer <= chunks)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/streams/%zu", s);
        good = lab_errors_add(errors, "streams-above-chunks", pointer,
                              "%" PRId64 " streams cannot share %" PRId64 " chunks: streams must not be above chunks",
                              streams->items[s].integer, chunks);
    }
    return good;
}

static bool check_chunks(const struct lab_parameters *given, struct lab_errors *errors)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    int64_t chunks = largest(given, "chunks");
    bool good = true;
    for (size_t s = 0; s < sizes->count; s++) {
        int64_t elements = sizes->items[s].integer / 4;
        char pointer[48];
        if (chunks * LAB_AVERAGE_WINDOW <= elements || chunks == 1)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/bytes/%zu", s);
        good = lab_errors_add(errors, "out-of-bounds", pointer,
                              "%" PRId64 " bytes cannot be cut into %" PRId64 " chunks: a chunk has at least %d bytes",
                              sizes->items[s].integer, chunks, 4 * LAB_AVERAGE_WINDOW);
    }
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Rough: the smallest number of samples, each three passes at 10 GB/s; and the phases once a chunk count. */
static bool count_point(void *context, const struct overlap_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    uint64_t inputs = overlap_inputs(point->workload.kernel);
    uint64_t device_bytes = overlap_device_arrays(point->workload.kernel) * (uint64_t)point->workload.bytes;
    uint64_t host_bytes = (inputs + 1) * (uint64_t)point->workload.bytes;
    estimate->points++;
    estimate->seconds += (samples + 14) * 3 * (double)point->workload.bytes / 10e9;
    estimate->device_bytes = device_bytes > estimate->device_bytes ? device_bytes : estimate->device_bytes;
    estimate->host_bytes = host_bytes > estimate->host_bytes ? host_bytes : estimate->host_bytes;
    return estimate->points <= LAB_POINTS_MAX;
}

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    bool streams_good = check_streams(given, errors);
    if (!check_chunks(given, errors) || !streams_good)
        return false;
    struct plan_totals totals = {given, estimate};
    if (!overlap_each_point(given, count_point, &totals))
        return lab_estimate_too_many(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_fits(estimate, devices, device_count, "the arrays of the largest size", "/parameters/bytes",
                             errors);
}

const struct lab_experiment lab_overlap = {
    .name = "overlap",
    .title = "Copies behind compute",
    .summary = "What streams gain: a job cut into chunks, copied up, computed and copied down at the same time.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 1,
    .devices_max = 1,
    .quick = "{\"bytes\": 4194304, \"chunks\": 4, \"streams\": 4, \"time_budget_s\": 2}",
    .traced = true,
    .plan = plan,
    .run = overlap_run,
};
