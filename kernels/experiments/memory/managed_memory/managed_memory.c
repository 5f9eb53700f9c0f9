/* managed-memory: what accesses take by where the pages are, who touches them first, and what the program says ahead.
 * This file holds the descriptor.
 *
 * Belongs to the texts on memory that host and device share (cudaMallocManaged, __managed__).
 */
#include "managed_memory.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

enum { BLOCK = 256 };

const struct managed_memory_variant managed_memory_variants[] = {
    {.name = "copy", .copied = true},
    {.name = "resident"},
    {.name = "first-touch", .before = MANAGED_MEMORY_UNTOUCHED},
    {.name = "faults", .before = MANAGED_MEMORY_AT_HOST, .moves = true},
    {.name = "prefetch", .before = MANAGED_MEMORY_AT_HOST, .prefetched = true, .moves = true},
    {.name = "read-mostly", .before = MANAGED_MEMORY_AT_HOST, .advice = LAB_ADVICE_READ_MOSTLY, .moves = true},
    {.name = "accessed-by", .advice = LAB_ADVICE_STAY_ON_HOST, .moves = true},
    {.name = "host-first-touch", .before = MANAGED_MEMORY_UNTOUCHED, .by_host = true},
    {.name = "host-faults", .before = MANAGED_MEMORY_AT_DEVICE, .by_host = true, .moves = true},
    {.name = "host-prefetch", .before = MANAGED_MEMORY_AT_DEVICE, .by_host = true, .prefetched = true, .moves = true},
    {.name = "host-read-mostly",
     .before = MANAGED_MEMORY_AT_DEVICE,
     .advice = LAB_ADVICE_READ_MOSTLY,
     .by_host = true,
     .moves = true},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Access", managed_memory_variants)},
    LAB_SIZES_PARAMETERS("the array", 4096, 67108864, 128),
    {0},
};

static const struct lab_axis axes[] = {
    [MANAGED_MEMORY_AXIS_VARIANT] = {.name = "variant"},
    [MANAGED_MEMORY_AXIS_BYTES] = {LAB_SIZES_AXIS, .multiple = 4},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", "bytes of the array / time / 10^9"), .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s",
                "host clock around the access, with the prefetch or the copy before it and the wait"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed: 10 us + array / bandwidth of link or memory by their peaks, and what an H100 and its host took: a fault "
        "of a kernel 40 us for each 256 KiB, of the host 18 us for each 64 KiB; for the host 1.5 us for a page that it makes "
        "and 150 us before, 0.35 us for one that was moved to it, 30 ns for a word")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "access", "Bandwidth by access", "bandwidth", "variant")},
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "predicted", "Predicted time", "predicted_time", "variant")},
    {0},
};

/* Why the device cannot access its memory so; NULL: it can. */
static const char *lacks(const struct lab_device_facts *device, const struct managed_memory_variant *variant)
{
    if (variant->copied)
        return NULL;
    if (lab_facts_is_cpu(device))
        return variant->moves ? "the memory of a host device is the host's: no page moves" : NULL;
    if (device->managed_memory == 0)
        return "the device does not have managed memory";
    if (device->concurrent_managed_access == 0)
        return "the device cannot access managed memory at the same time as the host (concurrentManagedAccess is 0): all "
               "pages move before each kernel, without faults, prefetches and advice";
    return NULL;
}

static void declare_buffers(const struct managed_memory_variant *variant, size_t bytes, struct lab_workload *workload)
{
    struct lab_buffer pages = {.memory = LAB_MEMORY_MANAGED, .bytes = bytes, .output = true};
    if (variant->copied)
        pages = (struct lab_buffer){.memory = LAB_MEMORY_PINNED, .bytes = bytes, .content = LAB_CONTENT_WORDS};
    lab_workload_declare(workload, pages);
    lab_workload_output(workload, bytes);
    if (variant->copied)
        lab_workload_output(workload, bytes);
}

static void managed_memory_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                    const struct lab_point *point, struct lab_workload *workload)
{
    static const double slow_bytes = 4e9, cpu_bytes = 1e9,
                        prepare_s = 1e-3; /* of moves and page faults, for the plan */
    const struct managed_memory_variant *variant = &managed_memory_variants[point->values[MANAGED_MEMORY_AXIS_VARIANT]];
    size_t bytes = (size_t)point->values[MANAGED_MEMORY_AXIS_BYTES], count = bytes / sizeof(uint32_t);
    bool written = variant->before == MANAGED_MEMORY_UNTOUCHED;
    const char *reason = lacks(device, variant);
    (void)given;
    if (reason != NULL)
        lab_workload_skip(workload, "%s", reason);
    declare_buffers(variant, bytes, workload);
    lab_workload_add_step(workload, written ? "managed_memory_write" : "managed_memory_read");
    LAB_ARGUMENTS(workload, LAB_BUFFER(variant->copied ? MANAGED_MEMORY_COPY : MANAGED_MEMORY_PAGES));
    if (!written)
        LAB_ARGUMENTS(workload, LAB_BUFFER(MANAGED_MEMORY_OUT));
    LAB_ARGUMENTS(workload, LAB_U64(count));
    lab_workload_launch_items(workload, count, BLOCK);
    workload->check =
        LAB_CHECK("managed_memory_check", written ? MANAGED_MEMORY_PAGES : MANAGED_MEMORY_OUT, written ? 1 : 0);
    workload->counts[LAB_COUNT_BYTES] = (double)bytes;
    workload->seconds = prepare_s + 2 * (double)bytes / (lab_facts_is_cpu(device) ? cpu_bytes : slow_bytes);
}

LAB_IMAGE(managed_memory);
static const struct lab_benchmark benchmark = {.image = &image, .describe = managed_memory_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("By faults", "bandwidth"), .at = {{"variant", "faults"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("After a prefetch", "bandwidth"), .at = {{"variant", "prefetch"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Already there", "bandwidth"), .at = {{"variant", "resident"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(managed_memory);
const struct lab_experiment lab_managed_memory = {
    .name = "managed-memory",
    .title = "Managed memory",
    .subject = "memory",
    .summary =
        "What kernel and host wait for pages that move between them: first touches, faults, prefetches and advice, "
        "beside a copy.",
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .devices_min = 1,
    .devices_max = 1,
    LAB_PAGE_FIELDS(managed_memory),
    .benchmark = &benchmark,
    .plan = lab_benchmark_plan,
    .run = managed_memory_run,
};
