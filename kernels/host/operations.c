/* Typed operations, run by the cores of the compute engine. Each operation has an entry in the table
 * `implementations`. */
#include "copy.h"
#include "entries.h"
#include "kernels.h"
#include "memory.h"
#include "pattern.h"
#include "plan.h"

#include <stdlib.h>

/* The smallest part of the work for one core, in words, cache lines or terms: less work takes less time than waking another
 * core. LINE_BYTES is the size of a cache line. */
enum { WORD_GRAIN = 64 * 1024, LINE_BYTES = 64, LINE_GRAIN = 8 * 1024, TERM_GRAIN = 4 * 1024 };

enum { ELEMENT_BYTES = 4, BLOCK_MIN = 32, BLOCK_MAX = 1024 };

/* LAB_OPERATION_FLUSH: the size of the caches that is assumed if it is unknown. */
enum { ASSUMED_CACHE_BYTES = 64 * 1024 * 1024 };

struct implementation;

struct operation_plan {
    struct lab_plan base;
    const struct implementation *implementation;
    struct lab_operation operation;
    pthread_mutex_t lock;           /* guards `comparison` */
    struct lab_mismatch comparison; /* CHECK: the results of all cores so far */
    unsigned char *flush;           /* FLUSH: memory that is written to replace the contents of the caches */
    size_t flush_bytes;
};

/* The functions of one kind of operation. */
struct implementation {
    /* Checks the operation and allocates memory for it. Returns false with the device's error set. */
    bool (*prepare)(struct operation_plan *plan);
    /* Executes the operation. Called on the compute engine's thread. */
    void (*run)(struct operation_plan *plan);
    bool writes; /* the operation writes to its destination */
};

static bool invalid(const struct operation_plan *plan, const char *why)
{
    return lab_error_set(&plan->base.device->base.error, LAB_ERROR_INVALID_ARGUMENT, "", "%s", why);
}

static bool check_destination(struct operation_plan *plan)
{
    return lab_host_in_device_memory(plan->base.device, &plan->operation.destination, true) ||
           invalid(plan, "the destination is outside the memory that the device can address");
}

/* --- FILL, CHECK -------------------------------------------------------------------------------------------------- */

static bool prepare_fill(struct operation_plan *plan)
{
    const struct lab_operation *operation = &plan->operation;
    if (operation->content >= LAB_CONTENTS)
        return lab_error_set(&plan->base.device->base.error, LAB_ERROR_UNSUPPORTED, "",
                             "this kind of buffer content is not supported on host devices");
    if (operation->content != LAB_CONTENT_WORDS &&
        operation->destination.width * operation->destination.height % ELEMENT_BYTES != 0)
        return invalid(plan, "the size of a buffer of numbers must be a multiple of 4 bytes");
    if (operation->content == LAB_CONTENT_TRANSPOSED && operation->width == 0)
        return invalid(plan, "a transposed matrix must have a width of at least 1");
    return check_destination(plan);
}

static struct lab_expectation content_of(const struct lab_operation *operation)
{
    return (struct lab_expectation){operation->content, operation->seed, operation->first, operation->width};
}

static void fill_part(void *context, size_t begin, size_t end)
{
    const struct lab_operation *operation = &((struct operation_plan *)context)->operation;
    lab_host_pattern_fill(&operation->destination, content_of(operation), begin, end);
}

static void host_operations_fill(struct operation_plan *plan)
{
    size_t elements = lab_host_pattern_elements(&plan->operation.destination);
    lab_host_pool_run(&plan->base.device->pool, elements, WORD_GRAIN, fill_part, plan);
}

static bool prepare_check(struct operation_plan *plan)
{
    if (plan->operation.wrong == NULL)
        return invalid(plan, "checking a buffer needs an address for the number of wrong elements, but it is NULL");
    return prepare_fill(plan);
}

static void check_part(void *context, size_t begin, size_t end)
{
    struct operation_plan *plan = context;
    const struct lab_operation *operation = &plan->operation;
    struct lab_mismatch part = lab_host_pattern_check(&operation->destination, content_of(operation), begin, end);
    pthread_mutex_lock(&plan->lock);
    plan->comparison.wrong += part.wrong;
    if (part.max_error > plan->comparison.max_error)
        plan->comparison.max_error = part.max_error;
    pthread_mutex_unlock(&plan->lock);
}

static void host_operations_check(struct operation_plan *plan)
{
    plan->comparison = (struct lab_mismatch){0};
    size_t elements = lab_host_pattern_elements(&plan->operation.destination);
    lab_host_pool_run(&plan->base.device->pool, elements, WORD_GRAIN, check_part, plan);
    *plan->operation.wrong = plan->comparison.wrong;
    if (plan->operation.max_error != NULL)
        *plan->operation.max_error = plan->comparison.max_error;
}

/* --- COPY, FLUSH -------------------------------------------------------------------------------------------------- */

static bool prepare_copy(struct operation_plan *plan)
{
    const struct lab_region *destination = &plan->operation.destination, *source = &plan->operation.source;
    if (destination->width != source->width || destination->height != source->height)
        return invalid(plan, "the source and destination of a copy must have the same width and height");
    if (!lab_host_in_device_memory(plan->base.device, source, true))
        return invalid(plan, "the source of the copy is outside the memory that the device can address");
    return check_destination(plan);
}

static void host_operations_copy(struct operation_plan *plan)
{
    lab_host_copy_by_cores(plan->base.device, &plan->operation.destination, &plan->operation.source);
}

/* Allocates twice the size of the caches, because caches do not always evict the data that was used least recently. */
static bool prepare_flush(struct operation_plan *plan)
{
    int64_t cache_bytes = plan->base.device->base.facts.l2_bytes;
    plan->flush_bytes = lab_host_round_to_page(2 * (cache_bytes > 0 ? (size_t)cache_bytes : ASSUMED_CACHE_BYTES));
    plan->flush = lab_host_map(plan->flush_bytes, true, plan->base.device->base.facts.numa_node);
    if (plan->flush != NULL)
        return true;
    return lab_error_set(&plan->base.device->base.error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                         "cannot allocate %zu bytes for flushing the caches", plan->flush_bytes);
}

/* Writes to every cache line of a part of the memory. */
static void flush_part(void *context, size_t begin, size_t end)
{
    unsigned char *memory = ((struct operation_plan *)context)->flush;
    for (size_t line = begin; line < end; line++)
        memory[line * LINE_BYTES]++;
}

static void flush(struct operation_plan *plan)
{
    lab_host_pool_run(&plan->base.device->pool, plan->flush_bytes / LINE_BYTES, LINE_GRAIN, flush_part, plan);
}

/* --- SINE_COSINE, AVERAGE, INCREMENT ------------------------------------------------------------------------------ */

static bool is_array(const struct lab_region *region)
{
    return region->height == 1 && region->width % ELEMENT_BYTES == 0 && (uintptr_t)region->address % ELEMENT_BYTES == 0;
}

/* Checks the destination and the block size. The host runtime has no thread blocks, but accepts the same block sizes as
 * the CUDA runtime. */
static bool prepare_in_place(struct operation_plan *plan)
{
    const struct lab_operation *operation = &plan->operation;
    if (!is_array(&operation->destination))
        return invalid(plan, "the buffer must be contiguous, aligned to 4 bytes and a multiple of 4 bytes long");
    if (operation->block != 0 && (operation->block < BLOCK_MIN || operation->block > BLOCK_MAX))
        return invalid(plan, "the block size must be 32 to 1024 threads");
    return check_destination(plan);
}

static bool prepare_sine_cosine(struct operation_plan *plan)
{
    if (plan->operation.weight == 0)
        return invalid(plan, "the weight of the kernel (sines and cosines per element) must be at least 1");
    return prepare_in_place(plan);
}

static bool prepare_average(struct operation_plan *plan)
{
    const struct lab_operation *operation = &plan->operation;
    size_t bytes = operation->destination.width;
    if (operation->source.width != bytes || operation->source2.width != bytes || !is_array(&operation->source) ||
        !is_array(&operation->source2))
        return invalid(plan, "an average needs three contiguous buffers of the same size");
    if (operation->first % LAB_AVERAGE_WINDOW != 0 || bytes % (LAB_AVERAGE_WINDOW * ELEMENT_BYTES) != 0)
        return invalid(plan, "the first index and the size of an average must be multiples of 256 elements");
    if (!lab_host_in_device_memory(plan->base.device, &operation->source, true) ||
        !lab_host_in_device_memory(plan->base.device, &operation->source2, true))
        return invalid(plan, "a source of the average is outside the memory that the device can address");
    return prepare_in_place(plan);
}

static void run_on_elements(struct operation_plan *plan, size_t grain, host_range_function *function)
{
    lab_host_pool_run(&plan->base.device->pool, plan->operation.destination.width / ELEMENT_BYTES, grain, function,
                      plan);
}

static void sine_cosine_part(void *context, size_t begin, size_t end)
{
    lab_host_sine_cosine(&((struct operation_plan *)context)->operation, begin, end);
}

static void sine_cosine(struct operation_plan *plan)
{
    size_t grain = TERM_GRAIN / plan->operation.weight;
    run_on_elements(plan, grain > 0 ? grain : 1, sine_cosine_part);
}

static void average_part(void *context, size_t begin, size_t end)
{
    lab_host_average(&((struct operation_plan *)context)->operation, begin, end);
}

static void host_operations_average(struct operation_plan *plan)
{
    run_on_elements(plan, WORD_GRAIN, average_part);
}

static void increment_part(void *context, size_t begin, size_t end)
{
    lab_host_increment(&((struct operation_plan *)context)->operation, begin, end);
}

static void host_operations_increment(struct operation_plan *plan)
{
    run_on_elements(plan, WORD_GRAIN, increment_part);
}

/* --- ALL_PAIRS, TRANSPOSE ----------------------------------------------------------------------------------------- */

static bool prepare_pairs(struct operation_plan *plan)
{
    const struct lab_operation *operation = &plan->operation;
    if (operation->source.width != operation->destination.width || !is_array(&operation->source) ||
        !is_array(&operation->source2))
        return invalid(plan, "the source and destination of all-pairs must be contiguous buffers of the same size");
    if (operation->weight == 0 || operation->source2.width != (size_t)operation->weight * ELEMENT_BYTES)
        return invalid(plan, "all-pairs needs at least 1 partner, and its weight must equal the number of partners");
    if (!lab_host_in_device_memory(plan->base.device, &operation->source, true) ||
        !lab_host_in_device_memory(plan->base.device, &operation->source2, true))
        return invalid(plan, "a source of all-pairs is outside the memory that the device can address");
    return prepare_in_place(plan);
}

static void pairs_part(void *context, size_t begin, size_t end)
{
    lab_host_pairs(&((struct operation_plan *)context)->operation, begin, end);
}

static void host_operations_pairs(struct operation_plan *plan)
{
    size_t grain = TERM_GRAIN / plan->operation.weight;
    run_on_elements(plan, grain > 0 ? grain : 1, pairs_part);
}

static bool is_square(const struct lab_region *region)
{
    return region->width == region->height * ELEMENT_BYTES && (uintptr_t)region->address % ELEMENT_BYTES == 0 &&
           region->pitch % ELEMENT_BYTES == 0;
}

static bool prepare_transpose(struct operation_plan *plan)
{
    const struct lab_operation *operation = &plan->operation;
    if (!is_square(&operation->source) || !is_square(&operation->destination) ||
        operation->source.height != operation->destination.height)
        return invalid(plan, "a transpose needs two square matrices of 4-byte elements of the same size");
    if (!lab_host_in_device_memory(plan->base.device, &operation->source, true))
        return invalid(plan, "the source of the transpose is outside the memory that the device can address");
    return check_destination(plan);
}

static void transpose_part(void *context, size_t begin, size_t end)
{
    lab_host_transpose(&((struct operation_plan *)context)->operation, begin, end);
}

static void host_operations_transpose(struct operation_plan *plan)
{
    size_t rows = plan->operation.destination.height;
    size_t grain = WORD_GRAIN / (rows > 0 ? rows : 1);
    lab_host_pool_run(&plan->base.device->pool, rows, grain > 0 ? grain : 1, transpose_part, plan);
}

/* --- the table of operations -------------------------------------------------------------------------------------- */

static const struct implementation implementations[] = {
    [LAB_OPERATION_FILL] = {.prepare = prepare_fill, .run = host_operations_fill, .writes = true},
    [LAB_OPERATION_CHECK] = {.prepare = prepare_check, .run = host_operations_check},
    [LAB_OPERATION_COPY] = {.prepare = prepare_copy, .run = host_operations_copy, .writes = true},
    [LAB_OPERATION_FLUSH] = {.prepare = prepare_flush, .run = flush},
    [LAB_OPERATION_SINE_COSINE] = {.prepare = prepare_sine_cosine, .run = sine_cosine, .writes = true},
    [LAB_OPERATION_AVERAGE] = {.prepare = prepare_average, .run = host_operations_average, .writes = true},
    [LAB_OPERATION_INCREMENT] = {.prepare = prepare_in_place, .run = host_operations_increment, .writes = true},
    [LAB_OPERATION_ALL_PAIRS] = {.prepare = prepare_pairs, .run = host_operations_pairs, .writes = true},
    [LAB_OPERATION_TRANSPOSE] = {.prepare = prepare_transpose, .run = host_operations_transpose, .writes = true},
};

static void run_operation(struct lab_plan *base)
{
    struct operation_plan *plan = (struct operation_plan *)(void *)base;
    plan->implementation->run(plan);
}

static void release_operation(struct lab_plan *base)
{
    struct operation_plan *plan = (struct operation_plan *)(void *)base;
    if (plan->flush != NULL)
        lab_host_unmap(plan->flush, plan->flush_bytes);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

struct lab_plan *lab_host_prepare(struct lab_device *device, const struct lab_operation *operation)
{
    if (!lab_host_alive(device))
        return NULL;
    size_t kind = (size_t)operation->kind;
    if (kind >= sizeof implementations / sizeof implementations[0] || implementations[kind].run == NULL) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this operation is not implemented for host devices");
        return NULL;
    }
    struct lab_plan *base =
        lab_host_plan_create(device, sizeof(struct operation_plan), run_operation, release_operation);
    if (base == NULL)
        return NULL;
    struct operation_plan *plan = (struct operation_plan *)(void *)base;
    plan->implementation = &implementations[kind];
    plan->operation = *operation;
    pthread_mutex_init(&plan->lock, NULL);
    if (!plan->implementation->prepare(plan)) {
        release_operation(base);
        return NULL;
    }
    if (plan->implementation->writes)
        base->result = operation->destination;
    return base;
}
