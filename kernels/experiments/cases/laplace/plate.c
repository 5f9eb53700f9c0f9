/* Memory, launches and copies of a plate. */
#include "plate.h"

#include "benchmark/check.h"
#include "core/text.h"

#include <float.h>
#include <string.h>

LAB_IMAGE(laplace);

static bool several(const struct laplace_plate *plate)
{
    return plate->variant >= LAPLACE_EXPOSED;
}

/* lab_measure reads all errors on the first device. */
static bool forward(const struct laplace_plate *plate, size_t device, bool good)
{
    return lab_device_forward_error(plate->lanes[0].device, plate->lanes[device].device, good);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static struct lab_kernel *find(struct laplace_plate *plate, size_t device, const char *name)
{
    return lab_resources_kernel(&plate->resources, plate->lanes[device].device, plate->modules[device], name);
}

static struct lab_plan *prepare(struct laplace_plate *plate, size_t device, const char *name,
                                const struct lab_launch *launch, const struct lab_argument *arguments, size_t count)
{
    struct lab_kernel *kernel = find(plate, device, name);
    return kernel == NULL
               ? NULL
               : lab_resources_launch(&plate->resources, plate->lanes[device].device, kernel, launch, arguments, count);
}

static uint32_t parts_of(uint32_t count, uint32_t part)
{
    return (count + part - 1) / part;
}

/* An iteration of parity `parity` on the rows from first to last. The residual goes to that of the parity if
 * `measured`, and that of the next iteration is cleared. */
static struct lab_plan *prepare_sweep(struct laplace_plate *plate, size_t device, const struct laplace_sweep *sweep,
                                      size_t parity, uint32_t first, uint32_t last, bool measured)
{
    struct laplace_slice *slice = &plate->slices[device];
    bool separate = plate->variant == LAPLACE_SEPARATE;
    const struct lab_launch launch = {
        .grid = {parts_of(slice->part.n, sweep->width), parts_of(last - first + 1, sweep->height)},
        .block = {sweep->block_x, sweep->block_y}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(slice->values[parity]),
        lab_argument_pointer(slice->values[1 - parity]),
        lab_argument_large(&slice->part, sizeof slice->part),
        lab_argument_u32(first),
        lab_argument_u32(last),
        lab_argument_pointer(measured ? slice->residuals + parity : NULL),
        lab_argument_pointer(slice->residuals + (separate ? parity : 1 - parity)),
    };
    return prepare(plate, device, sweep->kernel, &launch, arguments, sizeof arguments / sizeof *arguments);
}

static struct lab_plan *prepare_residual(struct laplace_plate *plate, size_t device, size_t parity)
{
    struct laplace_slice *slice = &plate->slices[device];
    const struct laplace_sweep *sweep = laplace_steps[plate->variant].sweep;
    const struct lab_launch launch = {
        .grid = {parts_of(slice->part.n, sweep->width), parts_of(slice->part.rows, sweep->height)},
        .block = {sweep->block_x, sweep->block_y}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(slice->values[parity]), lab_argument_pointer(slice->values[1 - parity]),
        lab_argument_large(&slice->part, sizeof slice->part), lab_argument_pointer(slice->residuals + parity)};
    return prepare(plate, device, "laplace_residual", &launch, arguments, sizeof arguments / sizeof *arguments);
}

static struct lab_plan *prepare_copy(struct laplace_plate *plate, size_t device, size_t parity)
{
    struct laplace_slice *slice = &plate->slices[device];
    const struct lab_launch launch = {.grid = {parts_of(slice->part.n / PACK * slice->part.rows, BLOCK)},
                                      .block = {BLOCK}};
    const struct lab_argument arguments[] = {lab_argument_pointer(slice->values[parity]),
                                             lab_argument_pointer(slice->values[1 - parity]),
                                             lab_argument_large(&slice->part, sizeof slice->part)};
    return prepare(plate, device, "laplace_copy", &launch, arguments, sizeof arguments / sizeof *arguments);
}

/* As many blocks as run at the same time. */
static struct lab_plan *prepare_cooperative(struct laplace_plate *plate, size_t device)
{
    struct laplace_slice *slice = &plate->slices[device];
    struct lab_device *on = plate->lanes[device].device;
    struct lab_kernel_attributes attributes;
    struct lab_launch launch = {.grid = {1}, .block = {BLOCK}, .cooperative = true};
    struct lab_kernel *kernel = find(plate, device, "laplace_cooperative");
    if (kernel == NULL ||
        !lab_run_forward_error(plate->run, on, plate->runtime->module->attributes(on, kernel, &launch, &attributes)))
        return NULL;
    launch.grid[0] = (uint32_t)(attributes.blocks_per_multiprocessor * on->facts.multiprocessors);
    const struct lab_argument arguments[] = {
        lab_argument_pointer(slice->values[0]), lab_argument_pointer(slice->values[1]),
        lab_argument_large(&slice->part, sizeof slice->part), lab_argument_u32(plate->iterations),
        lab_argument_pointer(slice->residuals + 1)};
    return lab_resources_launch(&plate->resources, on, kernel, &launch, arguments,
                                sizeof arguments / sizeof *arguments);
}

static bool prepare_fill_and_check(struct laplace_plate *plate, size_t device)
{
    struct laplace_slice *slice = &plate->slices[device];
    const double iterations = plate->variant == LAPLACE_COPY ? 0 : plate->iterations;
    const double amplitude = pow(laplace_factor(slice->part), iterations);
    const double allowed = 2 * (iterations + 2) * (double)FLT_EPSILON; /* an iteration rounds values up to 2 */
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    for (size_t i = 0; i < 2; i++) {
        const struct lab_argument arguments[] = {lab_argument_pointer(slice->values[i]),
                                                 lab_argument_large(&slice->part, sizeof slice->part)};
        slice->launches.fill[i] = prepare(plate, device, "laplace_fill", &launch, arguments, 2);
    }
    const struct lab_argument arguments[] = {
        lab_argument_pointer(slice->values[0]), lab_argument_large(&slice->part, sizeof slice->part),
        lab_argument_f64(amplitude), lab_argument_f64(allowed), lab_argument_pointer(slice->found)};
    slice->launches.check = prepare(plate, device, "laplace_check", &launch, arguments, 5);
    return slice->launches.fill[0] != NULL && slice->launches.fill[1] != NULL && slice->launches.check != NULL;
}

/* Prepares the launches of iterations of one parity that the variant needs. The variant hidden has the residual of
 * every second iteration: the same launches serve all iterations of a parity. */
static bool prepare_iteration(struct laplace_plate *plate, size_t device, size_t parity)
{
    const struct laplace_sweep *sweep = laplace_steps[plate->variant].sweep;
    struct laplace_launches *launches = &plate->slices[device].launches;
    uint32_t last = plate->slices[device].part.rows;
    if (plate->variant == LAPLACE_COPY)
        return (launches->sweep[parity] = prepare_copy(plate, device, parity)) != NULL;
    launches->sweep[parity] = prepare_sweep(plate, device, sweep, parity, 1, last, false);
    launches->measured[parity] = prepare_sweep(plate, device, sweep, parity, 1, last, true);
    bool good = launches->sweep[parity] != NULL && launches->measured[parity] != NULL;
    if (good && plate->variant == LAPLACE_SEPARATE)
        good = (launches->residual[parity] = prepare_residual(plate, device, parity)) != NULL;
    if (!good || plate->variant != LAPLACE_HIDDEN)
        return good;
    launches->edges[parity][0] = prepare_sweep(plate, device, sweep, parity, 1, 1, parity == 1);
    launches->edges[parity][1] = prepare_sweep(plate, device, sweep, parity, last, last, parity == 1);
    launches->interior[parity] = prepare_sweep(plate, device, sweep, parity, 2, last - 1, parity == 1);
    return launches->edges[parity][0] != NULL && launches->edges[parity][1] != NULL &&
           launches->interior[parity] != NULL;
}

static bool prepare_launches(struct laplace_plate *plate, size_t device)
{
    struct laplace_launches *launches = &plate->slices[device].launches;
    if (!prepare_fill_and_check(plate, device))
        return false;
    if (plate->variant == LAPLACE_COOPERATIVE)
        return (launches->cooperative = prepare_cooperative(plate, device)) != NULL;
    return prepare_iteration(plate, device, 0) && prepare_iteration(plate, device, 1);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static size_t slice_bytes(const struct laplace_part *part)
{
    return ((size_t)part->rows + 2) * laplace_pitch(part->n) * sizeof(float);
}

static bool allocate(struct laplace_plate *plate, size_t device)
{
    struct laplace_slice *slice = &plate->slices[device];
    struct lab_resources *resources = &plate->resources;
    struct lab_device *on = plate->lanes[device].device;
    for (size_t i = 0; i < 2; i++)
        slice->values[i] = lab_resources_memory(resources, on, LAB_MEMORY_DEVICE, slice_bytes(&slice->part));
    slice->residuals = lab_resources_memory(resources, on, LAB_MEMORY_DEVICE, 2 * sizeof *slice->residuals);
    slice->read = lab_resources_memory(resources, on, LAB_MEMORY_PINNED, 2 * sizeof *slice->read);
    slice->found = lab_resources_memory(resources, on, LAB_MEMORY_DEVICE, sizeof(struct lab_check_result));
    return slice->values[0] != NULL && slice->values[1] != NULL && slice->residuals != NULL && slice->read != NULL &&
           slice->found != NULL;
}

static bool open_streams(struct laplace_plate *plate, size_t device)
{
    struct laplace_slice *slice = &plate->slices[device];
    struct lab_resources *resources = &plate->resources;
    struct lab_device *on = plate->lanes[device].device;
    struct lab_event **const events[] = {&slice->ready, &slice->interior_ended, &slice->edges_ended, &slice->sent};
    plate->lanes[device].stream = lab_resources_stream(resources, on);
    slice->edge = several(plate) ? lab_resources_stream(resources, on) : NULL;
    bool good = plate->lanes[device].stream != NULL && (slice->edge != NULL || !several(plate));
    for (size_t i = 0; i < sizeof events / sizeof *events && good && several(plate); i++)
        good = (*events[i] = lab_resources_event(resources, on)) != NULL;
    return good;
}

static bool open_slice(struct laplace_plate *plate, size_t device, const struct laplace_shape *shape)
{
    struct lab_device *on = plate->run->devices[device];
    uint32_t first = (uint32_t)((uint64_t)shape->total * device / shape->devices);
    uint32_t end = (uint32_t)((uint64_t)shape->total * (device + 1) / shape->devices);
    plate->lanes[device].device = on;
    plate->slices[device].part = (struct laplace_part){
        .n = shape->n, .rows = end - first, .first = first, .total = shape->total, .mode = shape->mode};
    plate->modules[device] = lab_resources_module(&plate->resources, on, &image);
    return plate->modules[device] != NULL && open_streams(plate, device) && allocate(plate, device) &&
           prepare_launches(plate, device);
}

static bool record_graph(struct laplace_plate *plate)
{
    const struct lab_runtime_graph *graph = plate->runtime->graph;
    const struct lab_lane *lane = &plate->lanes[0];
    if (graph == NULL)
        return lab_error_set(&plate->run->error, LAB_ERROR_UNSUPPORTED, "",
                             "this device's runtime does not support graphs");
    if (!lab_run_forward_error(plate->run, lane->device, graph->begin(lane->device, lane->stream)))
        return false;
    bool recorded = laplace_iterate(plate, plate->iterations);
    struct lab_error error = lane->device->error;
    plate->graph = graph->end(lane->device, lane->stream);
    if (!recorded)
        lane->device->error = error;
    return lab_run_forward_error(plate->run, lane->device, recorded && plate->graph != NULL);
}

bool laplace_plate_open(struct laplace_plate *plate, struct lab_run *run, const struct laplace_shape *shape)
{
    *plate = (struct laplace_plate){.run = run,
                                    .runtime = run->devices[0]->runtime,
                                    .resources = {.run = run},
                                    .variant = shape->variant,
                                    .iterations = shape->iterations};
    for (; plate->devices < shape->devices; plate->devices++)
        if (!open_slice(plate, plate->devices, shape)) {
            plate->devices++;
            return false;
        }
    return lab_run_forward_error(run, plate->lanes[0].device, laplace_poison(plate)) &&
           (plate->variant != LAPLACE_GRAPH || record_graph(plate));
}

void laplace_plate_close(struct laplace_plate *plate)
{
    const struct lab_lane *lane = &plate->lanes[0];
    if (plate->graph != NULL) {
        plate->runtime->stream_synchronize(lane->device, lane->stream);
        plate->runtime->graph->free(lane->device, plate->graph);
    }
    lab_resources_release(&plate->resources, 0);
    *plate = (struct laplace_plate){0};
}

/* --- verification ------------------------------------------------------------------------------------------------- */

bool laplace_synchronize(struct laplace_plate *plate)
{
    for (size_t d = 0; d < plate->devices; d++)
        if (!forward(plate, d, plate->runtime->stream_synchronize(plate->lanes[d].device, plate->lanes[d].stream)))
            return false;
    return true;
}

bool laplace_poison(void *context)
{
    struct laplace_plate *plate = context;
    const struct lab_runtime *runtime = plate->runtime;
    for (size_t d = 0; d < plate->devices; d++) {
        struct laplace_slice *slice = &plate->slices[d];
        const struct lab_lane *lane = &plate->lanes[d];
        memset(slice->read, 0, 2 * sizeof *slice->read);
        if (!forward(plate, d,
                     runtime->enqueue(lane->device, slice->launches.fill[0], lane->stream) &&
                         runtime->enqueue(lane->device, slice->launches.fill[1], lane->stream) &&
                         runtime->copy(lane->device, lane->stream, slice->residuals, slice->read,
                                       2 * sizeof *slice->read, LAB_H2D)))
            return false;
    }
    return laplace_synchronize(plate);
}

double laplace_residual(const struct laplace_plate *plate)
{
    float largest = 0, of_device;
    for (size_t d = 0; d < plate->devices; d++) {
        memcpy(&of_device, &plate->slices[d].read[1], sizeof of_device);
        largest = of_device > largest ? of_device : largest;
    }
    return (double)largest;
}

/* The residual of a repetition is (1 - d) d^(iterations - 1) times the largest value of the wave on the grid, which is
 * at least cos(pi / 16)^2, because a half-wave has eight points or more. */
static bool residual_is_right(const struct laplace_plate *plate)
{
    const double smallest_wave = 0.96, rounding = 8 * (double)FLT_EPSILON;
    if (plate->variant == LAPLACE_COPY)
        return true;
    double factor = laplace_factor(plate->slices[0].part), found = laplace_residual(plate);
    double expected = (1 - factor) * pow(factor, (double)plate->iterations - 1);
    return found >= smallest_wave * expected - rounding && found <= expected + rounding;
}

static bool check_slice(struct laplace_plate *plate, size_t device, uint64_t *wrong)
{
    const struct lab_runtime *runtime = plate->runtime;
    const struct lab_lane *lane = &plate->lanes[device];
    struct lab_check_result found = {0};
    void *address = plate->slices[device].found;
    if (!runtime->copy(lane->device, lane->stream, address, &found, sizeof found, LAB_H2D) ||
        !runtime->enqueue(lane->device, plate->slices[device].launches.check, lane->stream) ||
        !runtime->copy(lane->device, lane->stream, &found, address, sizeof found, LAB_D2H) ||
        !runtime->stream_synchronize(lane->device, lane->stream))
        return false;
    *wrong += found.wrong;
    return true;
}

bool laplace_verify(void *context, uint64_t *wrong)
{
    struct laplace_plate *plate = context;
    if (!laplace_synchronize(plate))
        return false;
    *wrong = !residual_is_right(plate);
    for (size_t d = 0; d < plate->devices; d++)
        if (!forward(plate, d, check_slice(plate, d, wrong)))
            return false;
    return true;
}
