/* The axes of mpi, and its plan. */
#include "mpi.h"

#include "benchmark/offload.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"
#include "geometry.h"

const char *const lab_mpi_operations[] = {
    [LAB_MPI_PING_PONG] = "ping-pong", [LAB_MPI_HALO] = "halo", [LAB_MPI_ALL_REDUCE] = "all-reduce",
    [LAB_MPI_TRANSPOSE] = "transpose", [LAB_MPI_JOB] = "job",   [LAB_MPI_OPERATIONS] = NULL};
const char *const lab_mpi_memories[] = {
    [LAB_MPI_HOST] = "host", [LAB_MPI_STAGED] = "staged", [LAB_MPI_DEVICE] = "device", [LAB_MPI_MEMORIES] = NULL};
const char *const lab_mpi_transports[] = {
    [LAB_MPI_AUTOMATIC] = "auto", [LAB_MPI_SHARED] = "shared", [LAB_MPI_TCP] = "tcp", [LAB_MPI_TRANSPORTS] = NULL};
const char *const lab_mpi_launchers[] = {
    [LAB_MPI_LAUNCHER_AUTO] = "auto", [LAB_MPI_MPIRUN] = "mpirun", [LAB_MPI_SRUN] = "srun", [LAB_MPI_LAUNCHERS] = NULL};

static enum lab_mpi_operation operation_of(const struct lab_point *point)
{
    return (enum lab_mpi_operation)point->values[LAB_MPI_AXIS_OPERATION];
}

static bool is_job(const struct lab_point *point)
{
    return operation_of(point) == LAB_MPI_JOB;
}

/* A job copies its data to the devices and back. */
static bool keeps_memory(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return !is_job(point) || value == LAB_MPI_STAGED;
}

size_t lab_mpi_parts(const struct lab_point *point)
{
    size_t ranks = (size_t)point->values[LAB_MPI_AXIS_RANKS];
    return is_job(point) ? ranks * (size_t)point->values[LAB_MPI_AXIS_RANK_DEVICES] : ranks;
}

static int64_t round_size(const struct lab_point *point, int64_t bytes)
{
    return (int64_t)lab_mpi_round(operation_of(point), lab_mpi_parts(point), (size_t)bytes);
}

const struct lab_axis mpi_axes[] = {
    [LAB_MPI_AXIS_RANKS] = {.name = "ranks"},
    [LAB_MPI_AXIS_TRANSPORT] = {.name = "transport"},
    [LAB_MPI_AXIS_OPERATION] = {.name = "operation"},
    [LAB_MPI_AXIS_RANK_DEVICES] = {.name = "rank_devices", .applies = is_job},
    [LAB_MPI_AXIS_WEIGHT] = {.name = "weight", .applies = is_job},
    [LAB_MPI_AXIS_MEMORY] = {.name = "memory", .keeps = keeps_memory},
    [LAB_MPI_AXIS_BYTES] =
        {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES, .round = round_size},
    {0},
};

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static const double start_s = 0.7; /* rough time in which a launcher starts the ranks */

/* Array, result and two buffers for messages. */
enum { BUFFERS = 4 };

/* The arrays of a job are the host's and the device's, of all devices together. */
static void add_job(const struct lab_points_request *request, const struct lab_point *point,
                    struct lab_estimate *estimate)
{
    size_t bytes = (size_t)point->values[LAB_MPI_AXIS_BYTES];
    size_t devices = lab_mpi_job_devices((size_t)point->values[LAB_MPI_AXIS_RANKS],
                                         (size_t)point->values[LAB_MPI_AXIS_RANK_DEVICES], request->device_count);
    uint32_t weight = (uint32_t)point->values[LAB_MPI_AXIS_WEIGHT];
    double job_s = 2 * lab_offload_copy_seconds(bytes) +
                   lab_offload_kernel_seconds(&lab_offload_waves, bytes, weight, request->devices[0]) / (double)devices;
    lab_estimate_add_point(estimate, request->parameters, job_s, 4 * (double)bytes / 1e9, true);
    lab_estimate_raise_memory(estimate, (bytes + devices - 1) / devices, 2 * (uint64_t)bytes);
}

/* Assumes 2 us per message, 3 GB/s between ranks and 1 GB/s for filling, poisoning and checking. */
static void mpi_add_point(const struct lab_points_request *request, const struct lab_point *point,
                          struct lab_estimate *estimate)
{
    if (is_job(point)) {
        add_job(request, point, estimate);
        return;
    }
    size_t ranks = (size_t)point->values[LAB_MPI_AXIS_RANKS], bytes = (size_t)point->values[LAB_MPI_AXIS_BYTES];
    uint64_t per_device = (ranks + request->device_count - 1) / request->device_count;
    uint64_t buffers = BUFFERS * (uint64_t)bytes;
    bool on_device = point->values[LAB_MPI_AXIS_MEMORY] != LAB_MPI_HOST;
    double call_s = 2e-6 + lab_mpi_sent_bytes(operation_of(point), ranks, bytes) / 3e9;
    lab_estimate_add_point(estimate, request->parameters, call_s, 4 * (double)bytes / 1e9, false);
    lab_estimate_raise_memory(estimate, on_device ? per_device * buffers : 0, ranks * buffers);
}

bool mpi_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
              struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    *estimate = (struct lab_estimate){0};
    if (!lab_points_check_sizes(given, "bytes", errors) ||
        !lab_estimate_points(&request, mpi_add_point, estimate, errors))
        return false;
    size_t starts = lab_parameter_values(given, "ranks")->count * lab_parameter_values(given, "transport")->count;
    estimate->seconds += start_s * (double)starts;
    return lab_estimate_check_memory(estimate, devices, device_count, "the buffers of all ranks with max_bytes",
                                     "/parameters/max_bytes", errors);
}
