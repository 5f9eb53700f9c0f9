/* mpi: operations of MPI between ranks on CPU cores, from host and device memory, by size. This file holds the
 * descriptor.
 *
 * Reproduces osu_latency and osu_allreduce of the OSU Micro-Benchmarks (MVAPICH project), and the two exchanges in
 * which most parallel programs spend their time: halos of a domain and the transpose of a distributed matrix. `job`
 * belongs to the lecture on several GPUs, whose MPI ranks have several each. Every result is verified.
 */
#include "mpi.h"

#include "measure/run.h"

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "operation", "Operation",
        "ping-pong: a message from the first rank to the last and one back; halo: every rank sends the edges of its "
        "square domain to its four neighbours; all-reduce: every rank receives the sum of all arrays; transpose: "
        "every rank has some rows of a matrix, and receives as many rows of its transpose; job: an array is divided "
        "among the devices of all ranks, each of which starts its devices, waits for the other ranks and then for its "
        "devices.",
        lab_mpi_operations)},
    {LAB_CHOICES(
        "memory", "Memory",
        "host: ordinary host memory; staged: device memory, which is copied to page-locked host memory before MPI sends "
        "and from it after MPI received; device: MPI is given addresses in device memory, where it is CUDA-aware. A job is "
        "staged.",
        lab_mpi_memories, "host", "staged")},
    {LAB_INTEGER(
         "min_bytes", "Smallest size",
         "Smallest size: bytes of the message (ping-pong), of a rank's domain without halo (halo), of the array "
         "(all-reduce), of a rank's rows (transpose), or of the array that all devices share (job). Rounded down to a "
         "square domain, to square blocks and to equal parts.",
         4),
     .unit = "B", .minimum = 1, .maximum = 1073741824.0},
    {LAB_INTEGER("max_bytes", "Largest size",
                 "Largest size; it is always measured. A rank needs up to four times this much memory.", 16777216),
     .unit = "B", .minimum = 1, .maximum = 1073741824.0},
    {LAB_FACTOR_PARAMETER("size", 1.01, 1048576, 16)},
    {LAB_INTEGERS("ranks", "Ranks",
                  "Number of processes. Each is bound to a core; with more ranks than cores, they share them, and a "
                  "warning says so. The ranks of a machine use the devices of the run in turn.",
                  2),
     .minimum = 2, .maximum = LAB_MPI_RANKS_MAX},
    {LAB_INTEGERS(
         "rank_devices", "Devices of a rank",
         "job: devices of the run that each rank uses. The ranks of a machine use the devices in turn, so where there "
         "are too few several ranks have the same.",
         1, 2),
     .minimum = 1, .maximum = LAB_RUN_DEVICES_MAX},
    {LAB_INTEGERS("weight", "Weight of the kernel", "job: sines and cosines that are computed for each element.", 256),
     .minimum = 1, .maximum = 1048576},
    {LAB_CHOICES(
        "transport", "Transport",
        "What carries the messages. auto: what MPI chooses; shared: shared memory, for ranks of one machine; tcp: "
        "TCP sockets, also on one machine.",
        lab_mpi_transports, "auto")},
    {.name = "launcher",
     .title = "Launcher",
     .text =
         "Starts the ranks. auto: srun in an allocation of Slurm, else mpirun. srun uses the machines of the allocation; "
         "mpirun this machine, or those of the host file that OMPI_MCA_orte_default_hostfile names.",
     .type = LAB_TYPE_CHOICE,
     .choices = lab_mpi_launchers,
     .fallback = "\"auto\""},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "time", "Time", "s",
         "ping-pong: half of a round trip, on the first rank's clock; other operations: time of the slowest rank from "
         "a barrier to the end of all repetitions / repetitions, with packing and the copies of staged memory"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "job: computed of the first measured time with an array of this size and the same weight, * its devices / "
        "devices; devices that several ranks have count once")},
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes that a rank sends / time / 10^9; ping-pong: the message; halo: four edges of 4-byte elements; transpose: "
         "(n - 1) / n of a rank's part of the matrix with n ranks, because one block stays"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "busbw", "Bus bandwidth", "GB/s",
         "all-reduce: 2 (n - 1) / n * bytes / time / 10^9 with n ranks: what each rank sends in an optimal algorithm "
         "(nccl-tests, doc/PERFORMANCE.md)"),
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "bandwidth", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "busbw", "Bus bandwidth of all-reduce over size", "busbw", "bytes"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("bars", "job", "Time of the job by devices of a rank", "time", "rank_devices")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Ping-pong latency", "time"), .at = {{"operation", "ping-pong"}}, .smallest = {"bytes"},
     .lowest = true},
    {LAB_HEADLINE("Ping-pong bandwidth", "bandwidth"), .at = {{"operation", "ping-pong"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Transpose", "bandwidth"), .at = {{"operation", "transpose"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(mpi);
const struct lab_experiment lab_mpi = {
    .name = "mpi",
    .title = "MPI",
    .subject = "multi-gpu",
    .summary =
        "Latency and bandwidth between MPI ranks: ping-pong, halo exchange, all-reduce and transpose, from host and "
        "device memory; and a job of ranks with several devices each.",
    .devices_min = 1,
    .devices_max = 16,
    LAB_RUN_FIELDS(mpi),
};
