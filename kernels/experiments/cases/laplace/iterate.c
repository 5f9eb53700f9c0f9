/* Queues the iterations of the variants: launches, copies of the residual to the host, and copies of rows between
 * devices. */
#include "plate.h"

static bool forward(const struct laplace_plate *plate, size_t device, bool good)
{
    return lab_device_forward_error(plate->lanes[0].device, plate->lanes[device].device, good);
}

// step separate "Residual in a pass of its own" shows laplace.cu:points, laplace.cu:residual, iteration
/* A second kernel reads both arrays again. */

// step fused "Residual in the same pass" shows laplace.cu:residual-max, laplace.cu:points, iteration
/* The kernel that computes a value also knows its change. Each block reports its largest one. */

// step every-k "Residual of every k-th iteration" shows laplace.cu:points, iteration
/* The other iterations launch the kernel only and compute no residual. */

// step graph "Iterations launched as a graph" shows laplace.cu:rows, iteration
/* k iterations are recorded once and launched with one call. */

// region iteration
/* Copies the residual of an iteration to the host. */
static bool read_residual(struct laplace_plate *plate, size_t device, size_t parity)
{
    const struct lab_lane *lane = &plate->lanes[device];
    struct laplace_slice *slice = &plate->slices[device];
    return plate->runtime->copy(lane->device, lane->stream, slice->read + parity, slice->residuals + parity,
                                sizeof *slice->read, LAB_D2H);
}

/* Queues iteration i of `count`: the variants differ in whether it has a residual, and in a pass of its own. */
static bool iterate_one(struct laplace_plate *plate, uint32_t i, uint32_t count)
{
    const struct laplace_launches *launches = &plate->slices[0].launches;
    const struct lab_lane *lane = &plate->lanes[0];
    const struct lab_runtime *runtime = plate->runtime;
    size_t parity = i % 2;
    bool separate = plate->variant == LAPLACE_SEPARATE, copies = plate->variant == LAPLACE_COPY;
    bool measured = plate->variant == LAPLACE_FUSED || (!separate && !copies && i + 1 == count);
    return runtime->enqueue(lane->device, measured ? launches->measured[parity] : launches->sweep[parity],
                            lane->stream) &&
           (!separate || runtime->enqueue(lane->device, launches->residual[parity], lane->stream)) &&
           (!(separate || measured) || read_residual(plate, 0, parity));
}
// end

/* --- several devices ---------------------------------------------------------------------------------------------- */

/* The device above (step 1) or below (step -1), or LAB_RUN_DEVICES_MAX if the part is the last in that direction. */
static size_t neighbour(const struct laplace_plate *plate, size_t device, int step)
{
    size_t other = device + (size_t)step; /* wraps around below 0 */
    return other < plate->devices ? other : LAB_RUN_DEVICES_MAX;
}

// region halo
/* Sends the first and the last row that an iteration has written to the devices on either side. */
static bool send_rows(struct laplace_plate *plate, size_t device, size_t parity, struct lab_stream *stream)
{
    const struct laplace_slice *slice = &plate->slices[device];
    const struct lab_lane lane = {plate->lanes[device].device, stream};
    size_t pitch = laplace_pitch(slice->part.n), bytes = pitch * sizeof(float);
    for (int step = -1; step <= 1; step += 2) {
        size_t to = neighbour(plate, device, step);
        if (to == LAB_RUN_DEVICES_MAX)
            continue;
        size_t row = step < 0 ? 1 : slice->part.rows, other_row = step < 0 ? plate->slices[to].part.rows + 1 : 0;
        if (!plate->runtime->peer->copy(&lane, plate->lanes[to].device,
                                        plate->slices[to].values[1 - parity] + other_row * pitch, lane.device,
                                        slice->values[1 - parity] + row * pitch, bytes))
            return false;
    }
    return plate->runtime->event_record(lane.device, slice->sent, stream);
}

/* Makes a stream wait until the devices on either side have sent their rows of the iteration before. */
static bool wait_for_rows(struct laplace_plate *plate, size_t device, struct lab_stream *stream)
{
    for (int step = -1; step <= 1; step += 2) {
        size_t from = neighbour(plate, device, step);
        if (from != LAB_RUN_DEVICES_MAX &&
            !plate->runtime->stream_wait(plate->lanes[device].device, stream, plate->slices[from].sent))
            return false;
    }
    return true;
}

/* Iterates on the whole part, then sends its rows. */
static bool iterate_exposed(struct laplace_plate *plate, size_t device, uint32_t i, bool measured)
{
    const struct laplace_launches *launches = &plate->slices[device].launches;
    const struct lab_lane *lane = &plate->lanes[device];
    size_t parity = i % 2;
    return (i == 0 || wait_for_rows(plate, device, lane->stream)) &&
           plate->runtime->enqueue(lane->device, measured ? launches->measured[parity] : launches->sweep[parity],
                                   lane->stream) &&
           send_rows(plate, device, parity, lane->stream);
}

/* Iterates on the first and the last row and sends them while the kernel of the interior runs. Either stream waits for
 * the other one's kernels of the iteration before, because each reads rows that the other one has written. */
static bool iterate_hidden(struct laplace_plate *plate, size_t device, uint32_t i)
{
    const struct lab_runtime *runtime = plate->runtime;
    const struct laplace_slice *slice = &plate->slices[device];
    const struct laplace_launches *launches = &slice->launches;
    const struct lab_lane *lane = &plate->lanes[device];
    size_t parity = i % 2;
    if (i > 0 && !(runtime->stream_wait(lane->device, slice->edge, slice->interior_ended) &&
                   runtime->stream_wait(lane->device, lane->stream, slice->edges_ended) &&
                   wait_for_rows(plate, device, slice->edge)))
        return false;
    return runtime->enqueue(lane->device, launches->edges[parity][0], slice->edge) &&
           runtime->enqueue(lane->device, launches->edges[parity][1], slice->edge) &&
           runtime->event_record(lane->device, slice->edges_ended, slice->edge) &&
           send_rows(plate, device, parity, slice->edge) &&
           runtime->enqueue(lane->device, launches->interior[parity], lane->stream) &&
           runtime->event_record(lane->device, slice->interior_ended, lane->stream);
}
// end

/* The streams of the edges begin with those of the lanes. */
static bool begin(struct laplace_plate *plate, size_t device)
{
    const struct lab_lane *lane = &plate->lanes[device];
    const struct laplace_slice *slice = &plate->slices[device];
    return plate->variant != LAPLACE_HIDDEN ||
           (plate->runtime->event_record(lane->device, slice->ready, lane->stream) &&
            plate->runtime->stream_wait(lane->device, slice->edge, slice->ready));
}

/* The lanes end when the edges and the rows of the other devices are there; then the residual is complete. */
static bool end(struct laplace_plate *plate, size_t device)
{
    const struct lab_lane *lane = &plate->lanes[device];
    return plate->runtime->stream_wait(lane->device, lane->stream, plate->slices[device].sent) &&
           wait_for_rows(plate, device, lane->stream) && read_residual(plate, device, 1);
}

static bool iterate_several(struct laplace_plate *plate, uint32_t count)
{
    bool good = true;
    for (size_t d = 0; d < plate->devices && good; d++)
        good = forward(plate, d, begin(plate, d));
    for (uint32_t i = 0; i < count && good; i++)
        for (size_t d = 0; d < plate->devices && good; d++)
            good = forward(plate, d,
                           plate->variant == LAPLACE_HIDDEN ? iterate_hidden(plate, d, i)
                                                            : iterate_exposed(plate, d, i, i + 1 == count));
    for (size_t d = 0; d < plate->devices && good; d++)
        good = forward(plate, d, end(plate, d));
    return good;
}

/* --- repetitions -------------------------------------------------------------------------------------------------- */

bool laplace_iterate(struct laplace_plate *plate, uint32_t count)
{
    if (plate->variant >= LAPLACE_EXPOSED)
        return iterate_several(plate, count);
    for (uint32_t i = 0; i < count; i++)
        if (!iterate_one(plate, i, count))
            return false;
    return true;
}

bool laplace_enqueue(void *context)
{
    struct laplace_plate *plate = context;
    const struct lab_lane *lane = &plate->lanes[0];
    if (plate->variant == LAPLACE_GRAPH)
        return plate->runtime->graph->launch(lane->device, plate->graph, lane->stream);
    if (plate->variant == LAPLACE_COOPERATIVE)
        return plate->runtime->enqueue(lane->device, plate->slices[0].launches.cooperative, lane->stream) &&
               read_residual(plate, 0, 1);
    return laplace_iterate(plate, plate->iterations);
}

size_t laplace_operations(const struct laplace_plate *plate)
{
    const struct laplace_step *step = &laplace_steps[plate->variant];
    return step->operations * plate->devices * plate->iterations + step->single_operations;
}
