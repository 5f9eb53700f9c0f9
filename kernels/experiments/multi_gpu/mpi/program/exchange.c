/* Prepares, runs and verifies operations. */
#include "exchange.h"

#include "experiments/multi_gpu/mpi/block.h"
#include "measure/clock.h"
#include "measure/verify.h"
#include "moves.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static bool on_device(const struct exchange *e)
{
    return e->memory != LAB_MPI_HOST;
}

static enum lab_memory memory_of(const struct exchange *e)
{
    return on_device(e) ? LAB_MEMORY_DEVICE : LAB_MEMORY_PAGEABLE;
}

/* Returns `good`, the result of a call on the rank's device; keeps its error if it is false. */
static bool check(struct exchange *e, bool good)
{
    if (!good)
        e->rank->error = e->rank->lanes[0].device->error;
    return good;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void *allocate(struct exchange *e, enum lab_memory kind, size_t bytes)
{
    struct lab_device *device = e->rank->lanes[0].device;
    void *address = NULL;
    bool good = on_device(e) ? check(e, device->runtime->allocate(device, kind, bytes, &address))
                             : posix_memalign(&address, 4096, bytes) == 0;
    if (!good && !on_device(e))
        lab_error_set(&e->rank->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "a rank cannot allocate %zu bytes", bytes);
    if (!good)
        return NULL;
    e->allocations[e->allocation_count++] = (struct allocation){kind, address};
    return address;
}

void *exchange_allocate(struct exchange *e, size_t bytes)
{
    return allocate(e, memory_of(e), bytes);
}

bool exchange_message(struct exchange *e, struct message *message, void *address, size_t bytes)
{
    *message = (struct message){.address = address != NULL ? address : exchange_allocate(e, bytes), .bytes = bytes};
    if (message->address == NULL)
        return false;
    message->staged = e->memory == LAB_MPI_STAGED ? allocate(e, LAB_MEMORY_PINNED, bytes) : message->address;
    return message->staged != NULL;
}

bool exchange_fill(struct exchange *e, struct lab_region region, struct lab_expectation content)
{
    struct lab_lane lane = e->rank->lanes[0];
    return check(e, lab_verify_fill(lane.device, lane.stream, memory_of(e), region, content));
}

bool exchange_write(struct exchange *e, void *address, const void *from, size_t bytes)
{
    struct lab_lane lane = e->rank->lanes[0];
    if (!on_device(e)) {
        memcpy(address, from, bytes);
        return true;
    }
    const struct lab_runtime *runtime = lane.device->runtime;
    return check(e, runtime->copy(lane.device, lane.stream, address, from, bytes, LAB_H2D) &&
                        runtime->stream_synchronize(lane.device, lane.stream));
}

static struct lab_plan *prepare_copy(struct exchange *e, const struct move *move)
{
    struct lab_device *device = e->rank->lanes[0].device;
    const struct lab_operation operation = {
        .kind = LAB_OPERATION_COPY, .destination = move->destination, .source = move->source};
    return device->runtime->prepare(device, &operation);
}

static struct lab_kernel *load_transpose(struct exchange *e, struct lab_device *device)
{
    const struct lab_runtime_module *modules = device->runtime->module;
    if (modules == NULL) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
        return NULL;
    }
    if (e->module == NULL)
        e->module = modules->load(device, &lab_mpi_image);
    return e->module != NULL ? modules->kernel(device, e->module, "transpose_block") : NULL;
}

static struct lab_plan *prepare_transpose(struct exchange *e, const struct move *move)
{
    struct lab_device *device = e->rank->lanes[0].device;
    struct lab_kernel *kernel = load_transpose(e, device);
    const struct lab_region *to = &move->destination, *from = &move->source;
    const uint32_t side = (uint32_t)from->height, tiles = (side + LAB_MPI_TILE - 1) / LAB_MPI_TILE;
    const struct lab_launch launch = {.grid = {tiles, tiles}, .block = {LAB_MPI_TILE, LAB_MPI_TILE_ROWS}};
    const struct lab_argument arguments[] = {lab_argument_pointer(to->address), lab_argument_u64(to->pitch),
                                             lab_argument_pointer(from->address), lab_argument_u64(from->pitch),
                                             lab_argument_u32(side)};
    return kernel == NULL ? NULL
                          : device->runtime->module->prepare(device, kernel, &launch, arguments,
                                                             sizeof arguments / sizeof *arguments);
}

static bool add_move(struct exchange *e, struct moves *moves, struct move move)
{
    if (on_device(e)) {
        move.plan = move.transposed ? prepare_transpose(e, &move) : prepare_copy(e, &move);
        if (!check(e, move.plan != NULL))
            return false;
    }
    moves->items[moves->count++] = move;
    return true;
}

bool exchange_add_copy(struct exchange *e, struct moves *moves, struct lab_region destination, struct lab_region source)
{
    return add_move(e, moves, (struct move){.destination = destination, .source = source});
}

bool exchange_add_transpose(struct exchange *e, struct moves *moves, struct lab_region destination,
                            struct lab_region source)
{
    return add_move(e, moves, (struct move){.transposed = true, .destination = destination, .source = source});
}

/* --- preparing ---------------------------------------------------------------------------------------------------- */

bool exchange_prepare(struct exchange *e, struct rank *rank, const struct exchange_point *point)
{
    static const struct exchange_operation *const operations[] = {[LAB_MPI_PING_PONG] = &ping_pong_operation,
                                                                  [LAB_MPI_HALO] = &halo_operation,
                                                                  [LAB_MPI_ALL_REDUCE] = &all_reduce_operation,
                                                                  [LAB_MPI_TRANSPOSE] = &transpose_operation,
                                                                  [LAB_MPI_JOB] = &job_operation};
    *e = (struct exchange){.rank = rank,
                           .operation = operations[point->operation],
                           .memory = point->memory,
                           .bytes = point->bytes,
                           .seed = point->seed,
                           .weight = (uint32_t)point->weight};
    return (!on_device(e) || rank_use_devices(rank, point->devices)) && e->operation->prepare(e);
}

static void release_plans(struct exchange *e, struct moves *moves)
{
    struct lab_device *device = e->rank->lanes[0].device;
    for (size_t i = 0; i < moves->count; i++)
        if (moves->items[i].plan != NULL)
            device->runtime->plan_free(device, moves->items[i].plan);
}

void exchange_release(struct exchange *e)
{
    if (e->rank == NULL)
        return;
    struct lab_device *device = e->rank->lanes[0].device;
    if (e->operation->release != NULL)
        e->operation->release(e);
    release_plans(e, &e->pack);
    release_plans(e, &e->unpack);
    if (e->module != NULL)
        device->runtime->module->unload(device, e->module);
    for (size_t i = 0; i < e->allocation_count; i++) {
        struct allocation *allocation = &e->allocations[i];
        if (on_device(e))
            device->runtime->free(device, allocation->kind, allocation->address);
        else
            free(allocation->address);
    }
    *e = (struct exchange){0};
}

/* --- a repetition ------------------------------------------------------------------------------------------------- */

/* Ends all ranks if a call on the device has failed. */
static void must(const struct exchange *e, bool good)
{
    if (!good)
        rank_abort(e->rank, e->rank->lanes[0].device->error.detail);
}

static void run_moves(const struct exchange *e, const struct moves *moves)
{
    struct lab_lane lane = e->rank->lanes[0];
    for (size_t i = 0; i < moves->count; i++) {
        const struct move *move = &moves->items[i];
        if (move->plan != NULL)
            must(e, lane.device->runtime->enqueue(lane.device, move->plan, lane.stream));
        else
            move_on_host(move);
    }
}

static void copy_staged(const struct exchange *e, void *to, const void *from, size_t bytes,
                        enum lab_direction direction)
{
    struct lab_lane lane = e->rank->lanes[0];
    if (e->memory == LAB_MPI_STAGED)
        must(e, lane.device->runtime->copy(lane.device, lane.stream, to, from, bytes, direction));
}

static void synchronize(const struct exchange *e)
{
    struct lab_lane lane = e->rank->lanes[0];
    must(e, lane.device->runtime->stream_synchronize(lane.device, lane.stream));
}

void exchange_stage_out(struct exchange *e)
{
    run_moves(e, &e->pack);
    copy_staged(e, e->send.staged, e->send.address, e->send.bytes, LAB_D2H);
    if (e->memory == LAB_MPI_STAGED || (on_device(e) && e->pack.count > 0))
        synchronize(e);
}

void exchange_stage_in(struct exchange *e)
{
    copy_staged(e, e->receive.address, e->receive.staged, e->receive.bytes, LAB_H2D);
    run_moves(e, &e->unpack);
    if (e->memory == LAB_MPI_STAGED || (on_device(e) && e->unpack.count > 0))
        synchronize(e);
}

static void repeat(struct exchange *e)
{
    if (e->operation->repeat != NULL) {
        e->operation->repeat(e);
        return;
    }
    exchange_stage_out(e);
    e->operation->communicate(e);
    exchange_stage_in(e);
}

/* One repetition before the barrier brings all ranks out of their wait for the request, and the data into the
 * caches. */
void exchange_sample(struct exchange *e, uint64_t repetitions, double *seconds)
{
    repeat(e);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = lab_now_s();
    for (uint64_t i = 0; i < repetitions; i++)
        repeat(e);
    double mine = lab_now_s() - start, longest = mine;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    *seconds = (e->operation->timed_by_first ? mine : longest) / (double)repetitions / e->operation->operations;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

void exchange_expect(struct exchange *e, struct lab_region region, struct lab_expectation expected)
{
    e->results[e->result_count].region = region;
    e->results[e->result_count++].expected = expected;
}

bool exchange_poison(struct exchange *e)
{
    struct lab_lane lane = e->rank->lanes[0];
    if (e->operation->poison != NULL)
        return e->operation->poison(e);
    for (size_t i = 0; i < e->result_count; i++)
        if (!check(e, lab_verify_poison(lane.device, lane.stream, memory_of(e), e->results[i].region,
                                        e->results[i].expected)))
            return false;
    return true;
}

bool exchange_verify(struct exchange *e, uint64_t *wrong)
{
    struct lab_lane lane = e->rank->lanes[0];
    if (e->operation->verify != NULL)
        return e->operation->verify(e, wrong);
    *wrong = 0;
    for (size_t i = 0; i < e->result_count; i++) {
        struct lab_mismatch comparison;
        if (!check(e, lab_verify_check(lane.device, lane.stream, memory_of(e), e->results[i].region,
                                       e->results[i].expected, &comparison)))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}
