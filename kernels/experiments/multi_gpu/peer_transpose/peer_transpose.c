/* peer-transpose: transposes a matrix that is distributed over several devices, with local transposes overlapped with
 * peer copies, or by kernels that write to the memory of the other devices. This file holds the descriptor.
 *
 * Reproduces Ruetsch & Fatica 4.1.3: blocks are transposed locally and exchanged by peer copies, in steps in which
 * every device sends to another one.
 */
#include "peer_transpose.h"

#include "benchmark/axes.h"

static const char *const operations[] = {[TRANSPOSE_READ] = "read", [TRANSPOSE_WRITE] = "write", NULL};
static const char *const variants[] = {"sequential", "overlapped", "direct", NULL};

static const struct lab_schema parameters[] = {
    {LAB_INTEGERS("n", "Size",
                  "Rows and columns of the matrix of 4-byte words, rounded down to a multiple of (number of devices) * "
                  "(chunks). 0: automatic, 8192 for each device, so that a block has 256 MiB; 8192 in total on a CPU.",
                  0),
     .minimum = 0, .maximum = 1048576},
    {LAB_DEVICE_COUNT_PARAMETER("hold a part of the matrix"), .fallback = "0"},
    {LAB_CHOICES_ALL(
        "variant", "Variant",
        "sequential: all local transposes, then all copies; overlapped: each chunk is sent while the next is "
        "transposed; direct: the kernels write to the memory of the other devices, which needs peer access. The copies "
        "alone (all-to-all) and the local transposes alone are always measured.",
        variants)},
    {LAB_BOOLEANS("peer_access", "Peer access",
                  "true: direct copies between devices, where the hardware supports them; false: all copies go through "
                  "host memory.",
                  true, false)},
    {LAB_CHOICES(
        "access", "Read or write",
        "write: the copies run on the devices that send, which write to their targets; read: they run on the targets, which "
        "read from the devices that send. The kernels of the variant direct write.",
        operations, "write")},
    {LAB_INTEGERS(
         "chunks", "Chunks",
         "Number of chunks in which each block is transposed and sent. 0: automatic, so that each device sends at "
         "least four chunks.",
         0),
     .minimum = 0, .maximum = TRANSPOSE_CHUNKS_MAX},
    {LAB_INTEGER(
         "streams", "Copy streams",
         "Number of streams over which a device distributes its copies in turn. With one, each copy waits for the "
         "previous one, and each step for the step before. More streams hide the gaps between copies and can use several "
         "links at once, where each other device has its own link, but let two devices send to the same one.",
         1),
     .advanced = true, .minimum = 1, .maximum = TRANSPOSE_STREAMS_MAX},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
        "time", "Time", "s",
        "from the moment the earliest device starts until the latest one ends, measured with two events on the run's "
        "first device, for many transposes one after the other / their number. A device begins the next transpose when "
        "its own part of the previous one has ended, without waiting for the others. A latch releases all devices "
        "together if all devices have peer access to each other and the job has few enough operations to be queued behind "
        "it")},
    {LAB_METRIC(
         "bandwidth", "Effective bandwidth", "GB/s",
         "4 n^2 (N - 1) / N / time / 10^9: the bytes of the matrix that move to another device, each counted once, of all "
         "N devices together"),
     .counter = LAB_COUNT_AGGREGATE_BYTES, .peak = "links"},
    {LAB_METRIC("share_of_all_to_all", "Share of all-to-all", "1",
                "time of the copies alone (variant all-to-all, with the same access) / time, of samples that are taken "
                "alternately; above 1 for a variant that uses the links better than the copy engines do"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("local_transpose_time", "Local transpose time", "s",
                "measured like time, for all local transposes without copies")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("timeline", "timeline", "Timeline", "time", "variant")},
    {LAB_VIEW("bars", "bandwidth", "Effective bandwidth", "bandwidth", "variant")},
    {LAB_VIEW("bars", "time", "Time by variant", "time", "variant")},
    {LAB_VIEW("bars", "share", "Share of all-to-all", "share_of_all_to_all", "variant")},
    {LAB_VIEW("line", "bandwidth-n", "Effective bandwidth over size", "bandwidth", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "local", "Local transpose time", "local_transpose_time", "n")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Fastest variant", "bandwidth"), .except = {"variant", "all-to-all"},
     .largest = {"device_count", "n"}, .share = "share_of_all_to_all"},
    {LAB_HEADLINE("All to all", "bandwidth"), .at = {{"variant", "all-to-all"}}, .largest = {"device_count", "n"}},
    {0},
};

LAB_PAGE(peer_transpose);
const struct lab_experiment lab_peer_transpose = {
    .name = "peer-transpose",
    .title = "Distributed transpose",
    .subject = "multi-gpu",
    .summary =
        "Transpose of a matrix distributed over devices: blocks are exchanged by peer copies while the next are "
        "transposed, or written to the other devices by the kernels.",
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .traced = true,
    LAB_RUN_FIELDS(peer_transpose),
};
