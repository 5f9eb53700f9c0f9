/* Typed operations, done by the cores of the compute engine. Each is an entry of the table `operations`; another
 * operation is another entry. */
#include "plan.h"

#include <stdlib.h>

/* A core's share below this is done sooner than another core is woken. */
enum { WORD_GRAIN = 64 * 1024, LINE_BYTES = 64, LINE_GRAIN = 8 * 1024, WAVE_GRAIN = 4 * 1024 };

enum { ELEMENT_BYTES = 4, BLOCK_MIN = 32, BLOCK_MAX = 1024 };

/* What a flush sweeps where the size of the caches is not known. */
enum { UNKNOWN_CACHE_BYTES = 64 * 1024 * 1024 };

struct operation;

struct problem_plan {
    struct lab_plan base;
    const struct operation *operation;
    struct lab_operation problem;
    pthread_mutex_t lock;           /* of what the cores add up: */
    struct lab_comparison findings; /* CHECK: so far */
    unsigned char *sweep;           /* FLUSH: what is read and written */
    size_t sweep_bytes;
};

struct operation {
    /* Looks at the problem and makes ready what it takes. False with the device's error set. */
    bool (*prepare)(struct problem_plan *plan);
    /* On the compute engine. */
    void (*run)(struct problem_plan *plan);
    bool writes; /* leaves a result in the destination */
};

static bool invalid(const struct problem_plan *plan, const char *why)
{
    return lab_error_set(&plan->base.device->base.error, "invalid-argument", "", "%s", why);
}

static bool on_destination(struct problem_plan *plan)
{
    return lab_host_region_of_device(plan->base.device, &plan->problem.destination, true) ||
           invalid(plan, "an operation's region lies outside of the memory that the device addresses");
}

/* --- FILL, CHECK -------------------------------------------------------------------------------------------------- */

static bool prepare_fill(struct problem_plan *plan)
{
    const struct lab_operation *problem = &plan->problem;
    if (problem->content > LAB_CONTENT_TRANSPOSED)
        return lab_error_set(&plan->base.device->base.error, "unsupported", "", "this device knows no such content");
    if (problem->content != LAB_CONTENT_WORDS &&
        problem->destination.width * problem->destination.height % ELEMENT_BYTES != 0)
        return invalid(plan, "a buffer of numbers has whole elements of 4 bytes");
    if (problem->content == LAB_CONTENT_TRANSPOSED && problem->width == 0)
        return invalid(plan, "a transposed matrix has a width from 1");
    return on_destination(plan);
}

static struct lab_expectation content_of(const struct lab_operation *problem)
{
    return (struct lab_expectation){problem->content, problem->seed, problem->first, problem->width};
}

static void fill_part(void *context, size_t begin, size_t end)
{
    const struct lab_operation *problem = &((struct problem_plan *)context)->problem;
    lab_host_pattern_fill(&problem->destination, content_of(problem), begin, end);
}

static void fill(struct problem_plan *plan)
{
    size_t elements = lab_host_pattern_elements(&plan->problem.destination);
    lab_host_team_run(&plan->base.device->team, elements, WORD_GRAIN, fill_part, plan);
}

static bool prepare_check(struct problem_plan *plan)
{
    if (plan->problem.wrong == NULL)
        return invalid(plan, "a check wants a place for its count");
    return prepare_fill(plan);
}

static void check_part(void *context, size_t begin, size_t end)
{
    struct problem_plan *plan = context;
    const struct lab_operation *problem = &plan->problem;
    struct lab_comparison found = lab_host_pattern_check(&problem->destination, content_of(problem), begin, end);
    pthread_mutex_lock(&plan->lock);
    plan->findings.wrong += found.wrong;
    if (found.max_error > plan->findings.max_error)
        plan->findings.max_error = found.max_error;
    pthread_mutex_unlock(&plan->lock);
}

static void check(struct problem_plan *plan)
{
    plan->findings = (struct lab_comparison){0};
    size_t elements = lab_host_pattern_elements(&plan->problem.destination);
    lab_host_team_run(&plan->base.device->team, elements, WORD_GRAIN, check_part, plan);
    *plan->problem.wrong = plan->findings.wrong;
    if (plan->problem.max_error != NULL)
        *plan->problem.max_error = plan->findings.max_error;
}

/* --- COPY, FLUSH -------------------------------------------------------------------------------------------------- */

static bool prepare_copy(struct problem_plan *plan)
{
    const struct lab_region *destination = &plan->problem.destination, *source = &plan->problem.source;
    if (destination->width != source->width || destination->height != source->height)
        return invalid(plan, "a copy wants two regions of the same size");
    if (!lab_host_region_of_device(plan->base.device, source, true))
        return invalid(plan, "a copy's source lies outside of the memory that the device addresses");
    return on_destination(plan);
}

static void copy(struct problem_plan *plan)
{
    lab_host_copy_by_team(plan->base.device, &plan->problem.destination, &plan->problem.source);
}

/* Twice the caches: what a cache keeps is not strictly what was used last. */
static bool prepare_flush(struct problem_plan *plan)
{
    int64_t cache_bytes = plan->base.device->base.facts.l2_bytes;
    plan->sweep_bytes = lab_host_round_to_page(2 * (cache_bytes > 0 ? (size_t)cache_bytes : UNKNOWN_CACHE_BYTES));
    plan->sweep = lab_host_map(plan->sweep_bytes, true, plan->base.device->base.facts.numa_node);
    if (plan->sweep != NULL)
        return true;
    return lab_error_set(&plan->base.device->base.error, "insufficient-memory", "",
                         "no %zu bytes of memory to sweep the caches with", plan->sweep_bytes);
}

/* Written, not only read: a changed line must really take another's place. */
static void flush_part(void *context, size_t begin, size_t end)
{
    unsigned char *sweep = ((struct problem_plan *)context)->sweep;
    for (size_t line = begin; line < end; line++)
        sweep[line * LINE_BYTES]++;
}

static void flush(struct problem_plan *plan)
{
    lab_host_team_run(&plan->base.device->team, plan->sweep_bytes / LINE_BYTES, LINE_GRAIN, flush_part, plan);
}

/* --- WAVES, AVERAGE, INCREMENT ------------------------------------------------------------------------------------ */

static bool is_array(const struct lab_region *region)
{
    return region->height == 1 && region->width % ELEMENT_BYTES == 0 && (uintptr_t)region->address % ELEMENT_BYTES == 0;
}

/* The size of a block, which these devices have none of, is held to the same limits as on those that have. */
static bool prepare_in_place(struct problem_plan *plan)
{
    const struct lab_operation *problem = &plan->problem;
    if (!is_array(&problem->destination))
        return invalid(plan, "a pipeline's kernel takes plain buffers of whole elements of 4 bytes");
    if (problem->block != 0 && (problem->block < BLOCK_MIN || problem->block > BLOCK_MAX))
        return invalid(plan, "a block has from 32 to 1024 threads");
    return on_destination(plan);
}

static bool prepare_waves(struct problem_plan *plan)
{
    if (plan->problem.weight == 0)
        return invalid(plan, "waves have a weight from 1");
    return prepare_in_place(plan);
}

static bool prepare_average(struct problem_plan *plan)
{
    const struct lab_operation *problem = &plan->problem;
    size_t bytes = problem->destination.width;
    if (problem->source.width != bytes || problem->source2.width != bytes || !is_array(&problem->source) ||
        !is_array(&problem->source2))
        return invalid(plan, "averages take three plain buffers of the same size");
    if (problem->first % LAB_AVERAGE_WINDOW != 0 || bytes % (LAB_AVERAGE_WINDOW * ELEMENT_BYTES) != 0)
        return invalid(plan, "averages are made of whole windows of 256 elements");
    if (!lab_host_region_of_device(plan->base.device, &problem->source, true) ||
        !lab_host_region_of_device(plan->base.device, &problem->source2, true))
        return invalid(plan, "a source of averages lies outside of the memory that the device addresses");
    return prepare_in_place(plan);
}

static void run_on_elements(struct problem_plan *plan, size_t grain, host_part *part)
{
    lab_host_team_run(&plan->base.device->team, plan->problem.destination.width / ELEMENT_BYTES, grain, part, plan);
}

static void waves_part(void *context, size_t begin, size_t end)
{
    lab_host_waves(&((struct problem_plan *)context)->problem, begin, end);
}

static void waves(struct problem_plan *plan)
{
    size_t grain = WAVE_GRAIN / plan->problem.weight;
    run_on_elements(plan, grain > 0 ? grain : 1, waves_part);
}

static void average_part(void *context, size_t begin, size_t end)
{
    lab_host_average(&((struct problem_plan *)context)->problem, begin, end);
}

static void average(struct problem_plan *plan)
{
    run_on_elements(plan, WORD_GRAIN, average_part);
}

static void increment_part(void *context, size_t begin, size_t end)
{
    lab_host_increment(&((struct problem_plan *)context)->problem, begin, end);
}

static void increment(struct problem_plan *plan)
{
    run_on_elements(plan, WORD_GRAIN, increment_part);
}

/* --- PAIRS, TRANSPOSE --------------------------------------------------------------------------------------------- */

static bool prepare_pairs(struct problem_plan *plan)
{
    const struct lab_operation *problem = &plan->problem;
    if (problem->source.width != problem->destination.width || !is_array(&problem->source) ||
        !is_array(&problem->source2))
        return invalid(plan, "pairs take as many elements as they make results, in plain buffers");
    if (problem->weight == 0 || problem->source2.width != (size_t)problem->weight * ELEMENT_BYTES)
        return invalid(plan, "pairs have as many partners as their weight says, from 1");
    if (!lab_host_region_of_device(plan->base.device, &problem->source, true) ||
        !lab_host_region_of_device(plan->base.device, &problem->source2, true))
        return invalid(plan, "a source of pairs lies outside of the memory that the device addresses");
    return prepare_in_place(plan);
}

static void pairs_part(void *context, size_t begin, size_t end)
{
    lab_host_pairs(&((struct problem_plan *)context)->problem, begin, end);
}

static void pairs(struct problem_plan *plan)
{
    size_t grain = WAVE_GRAIN / plan->problem.weight;
    run_on_elements(plan, grain > 0 ? grain : 1, pairs_part);
}

static bool is_square(const struct lab_region *region)
{
    return region->width == region->height * ELEMENT_BYTES && (uintptr_t)region->address % ELEMENT_BYTES == 0 &&
           region->pitch % ELEMENT_BYTES == 0;
}

static bool prepare_transpose(struct problem_plan *plan)
{
    const struct lab_operation *problem = &plan->problem;
    if (!is_square(&problem->source) || !is_square(&problem->destination) ||
        problem->source.height != problem->destination.height)
        return invalid(plan, "a transpose takes two squares of 4-byte elements, of the same size");
    if (!lab_host_region_of_device(plan->base.device, &problem->source, true))
        return invalid(plan, "a transpose's source lies outside of the memory that the device addresses");
    return on_destination(plan);
}

static void transpose_part(void *context, size_t begin, size_t end)
{
    lab_host_transpose(&((struct problem_plan *)context)->problem, begin, end);
}

static void transpose(struct problem_plan *plan)
{
    size_t rows = plan->problem.destination.height;
    size_t grain = WORD_GRAIN / (rows > 0 ? rows : 1);
    lab_host_team_run(&plan->base.device->team, rows, grain > 0 ? grain : 1, transpose_part, plan);
}

/* --- what the runtime calls --------------------------------------------------------------------------------------- */

static const struct operation operations[] = {
    [LAB_OPERATION_FILL] = {.prepare = prepare_fill, .run = fill, .writes = true},
    [LAB_OPERATION_CHECK] = {.prepare = prepare_check, .run = check},
    [LAB_OPERATION_COPY] = {.prepare = prepare_copy, .run = copy, .writes = true},
    [LAB_OPERATION_FLUSH] = {.prepare = prepare_flush, .run = flush},
    [LAB_OPERATION_WAVES] = {.prepare = prepare_waves, .run = waves, .writes = true},
    [LAB_OPERATION_AVERAGE] = {.prepare = prepare_average, .run = average, .writes = true},
    [LAB_OPERATION_INCREMENT] = {.prepare = prepare_in_place, .run = increment, .writes = true},
    [LAB_OPERATION_PAIRS] = {.prepare = prepare_pairs, .run = pairs, .writes = true},
    [LAB_OPERATION_TRANSPOSE] = {.prepare = prepare_transpose, .run = transpose, .writes = true},
};

static void run_problem(struct lab_plan *base)
{
    struct problem_plan *plan = (struct problem_plan *)(void *)base;
    plan->operation->run(plan);
}

static void release_problem(struct lab_plan *base)
{
    struct problem_plan *plan = (struct problem_plan *)(void *)base;
    if (plan->sweep != NULL)
        lab_host_unmap(plan->sweep, plan->sweep_bytes);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

struct lab_plan *lab_host_prepare(struct lab_device *device, const struct lab_operation *problem)
{
    if (!lab_host_alive(device))
        return NULL;
    size_t kind = (size_t)problem->kind;
    if (kind >= sizeof operations / sizeof operations[0] || operations[kind].run == NULL) {
        lab_error_set(&device->error, "unsupported", "", "this device has no such operation");
        return NULL;
    }
    struct lab_plan *base = lab_host_plan_make(device, sizeof(struct problem_plan), run_problem, release_problem);
    if (base == NULL)
        return NULL;
    struct problem_plan *plan = (struct problem_plan *)(void *)base;
    plan->operation = &operations[kind];
    plan->problem = *problem;
    pthread_mutex_init(&plan->lock, NULL);
    if (!plan->operation->prepare(plan)) {
        release_problem(base);
        return NULL;
    }
    if (plan->operation->writes)
        base->result = problem->destination;
    return base;
}
