#include "counting.h"

#include "results.h"

#include "core/array.h"
#include "trace/missing.h"
#include "trace/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the values of several launches become one. */
enum combined { SUM, MEAN };

/* All counters, those that say most first: where not all fit into the passes, the last ones are left out. */
static const struct {
    enum lab_hardware_counter counter;
    enum combined combined;
} priority[] = {
    {LAB_HARDWARE_DRAM_READ_BYTES, SUM},
    {LAB_HARDWARE_DRAM_WRITTEN_BYTES, SUM},
    {LAB_HARDWARE_TIME, SUM},
    {LAB_HARDWARE_CYCLES, SUM},
    {LAB_HARDWARE_INSTRUCTIONS, SUM},
    {LAB_HARDWARE_OCCUPANCY, MEAN},
    {LAB_HARDWARE_LOAD_REQUESTS, SUM},
    {LAB_HARDWARE_LOAD_SECTORS, SUM},
    {LAB_HARDWARE_SECTORS_PER_LOAD, MEAN},
    {LAB_HARDWARE_STORE_REQUESTS, SUM},
    {LAB_HARDWARE_STORE_SECTORS, SUM},
    {LAB_HARDWARE_SECTORS_PER_STORE, MEAN},
    {LAB_HARDWARE_L2_READ_BYTES, SUM},
    {LAB_HARDWARE_L2_WRITTEN_BYTES, SUM},
    {LAB_HARDWARE_SHARED_LOADS, SUM},
    {LAB_HARDWARE_SHARED_LOAD_WAVEFRONTS, SUM},
    {LAB_HARDWARE_SHARED_LOAD_CONFLICTS, SUM},
    {LAB_HARDWARE_SHARED_STORES, SUM},
    {LAB_HARDWARE_SHARED_STORE_WAVEFRONTS, SUM},
    {LAB_HARDWARE_SHARED_STORE_CONFLICTS, SUM},
    {LAB_HARDWARE_L1_HIT_RATE, MEAN},
    {LAB_HARDWARE_L2_HITS, SUM},
    {LAB_HARDWARE_L2_MISSES, SUM},
    {LAB_HARDWARE_THREADS_PER_INSTRUCTION, MEAN},
    {LAB_HARDWARE_DRAM_UTILIZATION, MEAN},
    {LAB_HARDWARE_L2_UTILIZATION, MEAN},
    {LAB_HARDWARE_L1_UTILIZATION, MEAN},
    {LAB_HARDWARE_ISSUE_UTILIZATION, MEAN},
    {LAB_HARDWARE_FP32_UTILIZATION, MEAN},
    {LAB_HARDWARE_FP64_UTILIZATION, MEAN},
    {LAB_HARDWARE_TENSOR_UTILIZATION, MEAN},
    {LAB_HARDWARE_SFU_UTILIZATION, MEAN},
    {LAB_HARDWARE_LSU_UTILIZATION, MEAN},
    {LAB_HARDWARE_LOCAL_READ_BYTES, SUM},
    {LAB_HARDWARE_LOCAL_WRITTEN_BYTES, SUM},
    {LAB_HARDWARE_ATOMIC_REQUESTS, SUM},
    {LAB_HARDWARE_REDUCTION_REQUESTS, SUM},
    {LAB_HARDWARE_BRANCHES, SUM},
    {LAB_HARDWARE_SHARED_ATOMIC_WAVEFRONTS, SUM},
    {LAB_HARDWARE_TEXTURE_REQUESTS, SUM},
    {LAB_HARDWARE_TEXTURE_SECTORS, SUM},
    {LAB_HARDWARE_CONSTANT_REQUESTS, SUM},
    {LAB_HARDWARE_STALL_LONG_SCOREBOARD, MEAN},
    {LAB_HARDWARE_STALL_SHORT_SCOREBOARD, MEAN},
    {LAB_HARDWARE_STALL_BARRIER, MEAN},
    {LAB_HARDWARE_STALL_LG_THROTTLE, MEAN},
    {LAB_HARDWARE_STALL_MIO_THROTTLE, MEAN},
    {LAB_HARDWARE_STALL_MATH_PIPE, MEAN},
    {LAB_HARDWARE_STALL_WAIT, MEAN},
    {LAB_HARDWARE_STALL_SELECTED, MEAN},
    {LAB_HARDWARE_STALL_NOT_SELECTED, MEAN},
    {LAB_HARDWARE_STALL_MEMBAR, MEAN},
    {LAB_HARDWARE_STALL_TEX_THROTTLE, MEAN},
    {LAB_HARDWARE_STALL_BRANCH, MEAN},
    {LAB_HARDWARE_STALL_NO_INSTRUCTION, MEAN},
    {LAB_HARDWARE_STALL_IMC_MISS, MEAN},
    {LAB_HARDWARE_STALL_DRAIN, MEAN},
    {LAB_HARDWARE_STALL_DISPATCH, MEAN},
    {LAB_HARDWARE_STALL_GMMA, MEAN},
    {LAB_HARDWARE_STALL_SLEEPING, MEAN},
    {LAB_HARDWARE_STALL_MISC, MEAN},
};
_Static_assert(sizeof priority / sizeof *priority == LAB_HARDWARE_COUNTER_COUNT, "each counter has a row");

void program_counting_init(struct program_counting *counting)
{
    *counting = (struct program_counting){0};
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        counting->wanted[i] = true;
}

bool program_counting_next(const struct program_counting *counting, char text[PROGRAM_COUNTERS_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT && used < PROGRAM_COUNTERS_SIZE; i++)
        if (counting->wanted[priority[i].counter])
            used += (size_t)snprintf(text + used, PROGRAM_COUNTERS_SIZE - used, "%s%d", used > 0 ? "," : "",
                                     (int)priority[i].counter);
    return used > 0 && counting->passes < PROGRAM_PASSES_MAX;
}

/* --- a pass ------------------------------------------------------------------------------------------------------- */

static bool refuse(struct lab_error *error, const char *text)
{
    return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "%s", text);
}

static void keep_first(void *context, const char *text)
{
    char *kept = context;
    if (kept[0] == '\0')
        snprintf(kept, LAB_DETAIL_MAX, "%s", text);
}

/* Whether everything was counted that the program did in the context of its first launch. */
static bool check_whole(const struct lab_trace *trace, struct lab_error *error)
{
    char missing[LAB_DETAIL_MAX] = "";
    const struct lab_trace_process *process = trace->processes;
    lab_trace_missing(trace, (struct lab_trace_ending){0}, keep_first, missing);
    if (trace->note_count > 0 || trace->process_count == 0 || !process->has_ended || trace->is_damaged ||
        trace->left_out > 0 || process->lost[LAB_TRACE_LOSS_LIMIT] > 0 || process->lost[LAB_TRACE_LOSS_READER] > 0)
        return refuse(error, missing);
    return trace->process_count == 1 || refuse(error, "several processes of the program use the GPU");
}

static const char *name_of(const struct lab_trace *trace, size_t launch)
{
    const char *name = trace->names[trace->launches[launch].name];
    return name[0] != '\0' ? name : "unnamed";
}

static bool check_launches(const struct program_counting *counting, const struct lab_trace *trace,
                           struct lab_error *error)
{
    if (trace->launch_count != counting->launch_count)
        return lab_error_set(
            error, LAB_ERROR_UNSUPPORTED, "",
            "the program launches %zu kernels in one execution and %zu in another, so that they cannot "
            "be matched",
            counting->launch_count, trace->launch_count);
    for (size_t i = 0; i < trace->launch_count; i++)
        if (strcmp(counting->launches[i], name_of(trace, i)) != 0)
            return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                                 "launch %zu of the program is that of '%.80s' in one execution and that of '%.80s' in "
                                 "another, so that they cannot be matched",
                                 i + 1, counting->launches[i], name_of(trace, i));
    return true;
}

/* Keeps the names of the launches of the first pass. */
static bool keep_launches(struct program_counting *counting, const struct lab_trace *trace, struct lab_error *error)
{
    counting->launches = calloc(trace->launch_count + 1, sizeof *counting->launches);
    for (size_t i = 0; counting->launches != NULL && i < trace->launch_count; i++) {
        char *kept = strdup(name_of(trace, i));
        if (kept == NULL)
            return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
        counting->launches[counting->launch_count++] = kept;
    }
    return counting->launches != NULL || lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

/* Returns NULL with *error set if there is no memory, or the program launches too many different kernels: each launch
 * is looked up among them. */
static struct program_counted_kernel *find_kernel(struct program_counting *counting, const char *name,
                                                  struct lab_error *error)
{
    for (size_t i = 0; i < counting->kernel_count; i++)
        if (strcmp(counting->kernels[i].name, name) == 0)
            return &counting->kernels[i];
    if (counting->kernel_count == PROGRAM_COUNTED_KERNELS_MAX) {
        lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "the program launches more than %d different kernels",
                      PROGRAM_COUNTED_KERNELS_MAX);
        return NULL;
    }
    struct program_counted_kernel *kernels = lab_array_grow(counting->kernels, counting->kernel_count, sizeof *kernels);
    if (kernels == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
        return NULL;
    }
    counting->kernels = kernels;
    kernels[counting->kernel_count] = (struct program_counted_kernel){.name = name};
    return &kernels[counting->kernel_count++];
}

static bool add_launches(struct program_counting *counting, const struct lab_trace *trace, struct lab_error *error)
{
    for (size_t i = 0; i < trace->launch_count; i++) {
        struct program_counted_kernel *kernel = find_kernel(counting, counting->launches[i], error);
        if (kernel == NULL)
            return false;
        kernel->launches += counting->passes == 0;
        for (size_t c = 0; c < LAB_HARDWARE_COUNTER_COUNT; c++) {
            double value = trace->launches[i].counts[c];
            if (!isfinite(value))
                continue;
            kernel->counts.items[c].value += value;
            kernel->counted[c]++;
        }
    }
    return true;
}

/* Notes which counters the pass has read, and which ones the device does not have. */
static bool take_metrics(struct program_counting *counting, const struct lab_trace *trace)
{
    bool any = false;
    for (size_t i = 0; i < trace->metric_count; i++) {
        const struct lab_trace_metric *metric = &trace->metrics[i];
        counting->wanted[metric->counter] = false;
        any = any || metric->name != 0;
        for (size_t k = 0; metric->name != 0 && k < counting->kernel_count; k++)
            snprintf(counting->kernels[k].counts.items[metric->counter].metric, LAB_HARDWARE_METRIC_MAX, "%s",
                     trace->names[metric->name]);
    }
    return any;
}

bool program_counting_add(struct program_counting *counting, const struct lab_trace *trace, struct lab_error *error)
{
    if (!check_whole(trace, error))
        return false;
    if (trace->launch_count == 0 && trace->metric_count == 0)
        return refuse(error, "the program launched no kernel");
    if (counting->passes == 0 ? !keep_launches(counting, trace, error) : !check_launches(counting, trace, error))
        return false;
    if (!add_launches(counting, trace, error))
        return false;
    counting->passes = take_metrics(counting, trace) ? counting->passes + 1 : PROGRAM_PASSES_MAX;
    return true;
}

/* --- the figures -------------------------------------------------------------------------------------------------- */

/* Makes means of what is a ratio, and marks what was not counted. */
static void combine(struct program_counted_kernel *kernel)
{
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++) {
        enum lab_hardware_counter counter = priority[i].counter;
        struct lab_hardware_count *count = &kernel->counts.items[counter];
        if (kernel->counted[counter] == 0)
            count->value = (double)NAN;
        else if (priority[i].combined == MEAN)
            count->value /= (double)kernel->counted[counter];
    }
}

/* A kernel's short name; the whole one where another kernel has the same short name. */
static void name_for_people(const struct program_counting *counting, const struct program_counted_kernel *kernel,
                            char name[LAB_TRACE_TEXT_MAX])
{
    char shorter[LAB_TRACE_NAME_SIZE], other[LAB_TRACE_NAME_SIZE];
    size_t alike = 0;
    lab_trace_kernel_name(kernel->name, shorter);
    for (size_t i = 0; i < counting->kernel_count; i++) {
        lab_trace_kernel_name(counting->kernels[i].name, other);
        alike += strcmp(shorter, other) == 0;
    }
    snprintf(name, LAB_TRACE_TEXT_MAX, "%s", alike > 1 ? kernel->name : shorter);
}

static void say_left_out(const struct program_counting *counting, const struct lab_run *run)
{
    char text[2048];
    size_t count = 0;
    size_t used =
        (size_t)snprintf(text, sizeof text, "hardware counters that do not fit into %d passes: ", PROGRAM_PASSES_MAX);
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT && used < sizeof text; i++)
        if (counting->wanted[priority[i].counter])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", count++ > 0 ? ", " : "",
                                     lab_hardware_counter_rows[priority[i].counter].name);
    if (count > 0)
        run->sink.note(run->sink.context, text);
}

void program_counting_send(struct program_counting *counting, const struct lab_run *run)
{
    char name[LAB_TRACE_TEXT_MAX];
    for (size_t i = 0; i < counting->kernel_count; i++) {
        struct program_counted_kernel *kernel = &counting->kernels[i];
        combine(kernel);
        name_for_people(counting, kernel, name);
        program_counted_send(run, name, kernel->launches, &kernel->counts);
    }
    say_left_out(counting, run);
}

void program_counting_release(struct program_counting *counting)
{
    for (size_t i = 0; i < counting->launch_count; i++)
        free(counting->launches[i]);
    free(counting->launches);
    free(counting->kernels);
    *counting = (struct program_counting){0};
}
