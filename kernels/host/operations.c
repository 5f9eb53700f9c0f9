/* Typed operations, run by the cores of the compute engine. Each operation has an entry in the table
 * `implementations`. */
#include "copy.h"
#include "entries.h"
#include "memory.h"
#include "pattern.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* The smallest part of the work for one core, in words or cache lines: less work takes less time than waking another
 * core. LINE_BYTES is the size of a cache line. */
enum { ELEMENT_BYTES = 4, WORD_GRAIN = 64 * 1024, LINE_BYTES = 64, LINE_GRAIN = 8 * 1024 };

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

/* --- SET ---------------------------------------------------------------------------------------------------------- */

// region set
/* Sets bytes `begin` to `end` of the region, counted without the gaps between its rows. */
static void set_part(void *context, size_t begin, size_t end)
{
    const struct lab_operation *operation = &((struct operation_plan *)context)->operation;
    const struct lab_region *region = &operation->destination;
    for (size_t offset = begin, length; offset < end; offset += length) {
        size_t row = offset / region->width, column = offset % region->width;
        length = region->width - column < end - offset ? region->width - column : end - offset;
        memset((unsigned char *)region->address + row * region->pitch + column, operation->value, length);
    }
}
// end

static void host_operations_set(struct operation_plan *plan)
{
    const struct lab_region *region = &plan->operation.destination;
    lab_host_pool_run(&plan->base.device->pool, region->width * region->height, WORD_GRAIN * ELEMENT_BYTES, set_part,
                      plan);
}

/* --- the table of operations -------------------------------------------------------------------------------------- */

static const struct implementation implementations[] = {
    [LAB_OPERATION_FILL] = {.prepare = prepare_fill, .run = host_operations_fill, .writes = true},
    [LAB_OPERATION_CHECK] = {.prepare = prepare_check, .run = host_operations_check},
    [LAB_OPERATION_COPY] = {.prepare = prepare_copy, .run = host_operations_copy, .writes = true},
    [LAB_OPERATION_FLUSH] = {.prepare = prepare_flush, .run = flush},
    [LAB_OPERATION_SET] = {.prepare = check_destination, .run = host_operations_set, .writes = true},
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
