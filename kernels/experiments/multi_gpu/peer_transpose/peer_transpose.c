/* peer-transpose: transposes a matrix that is distributed over several devices, with local transposes overlapped with
 * peer copies, or by kernels that write to the memory of the other devices. This file holds the descriptor: parameters, axes,
 * metrics, views and explanation.
 *
 * Reproduces Ruetsch & Fatica 4.1.3: blocks are transposed locally and exchanged by peer copies, in steps in which
 * every device sends to another one.
 */
#include "peer_transpose.h"

#include "benchmark/axes.h"

static const char *const variants[] = {"sequential", "overlapped", "direct", NULL};

static const struct lab_schema parameters[] = {
    {.name = "n",
     .title = "Size",
     .text = "Rows and columns of the matrix of 4-byte words, rounded down to a multiple of (number of devices) * "
             "(chunks).",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 2,
     .maximum = 1048576,
     .fallback = "[8192]"},
    {LAB_DEVICE_COUNT_PARAMETER("hold a part of the matrix"), .fallback = "0"},
    {.name = "variant",
     .title = "Variant",
     .text =
         "sequential: all local transposes, then all copies; overlapped: each chunk is sent while the next is "
         "transposed; direct: the kernels write to the memory of the other devices, which needs peer access. The copies "
         "alone (all-to-all) and the local transposes alone are always measured.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = variants,
     .fallback = "[\"sequential\", \"overlapped\", \"direct\"]"},
    {.name = "peer_access",
     .title = "Peer access",
     .text = "true: direct copies between devices, where the hardware supports them; false: all copies go through "
             "host memory.",
     .type = LAB_TYPE_BOOLEAN,
     .count = LAB_ONE_OR_LIST,
     .fallback = "[true, false]"},
    {.name = "chunks",
     .title = "Chunks",
     .text = "Number of chunks in which each block is transposed and sent. 0: automatic, so that each device sends at "
             "least four chunks.",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 0,
     .maximum = TRANSPOSE_CHUNKS_MAX,
     .fallback = "[0]"},
    {.name = "streams",
     .title = "Copy streams",
     .text =
         "Number of streams over which a device distributes its copies in turn. With one, each copy waits for the "
         "previous one. More streams hide the gaps between copies and can use several links at once, where each other "
         "device has its own link.",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 1,
     .maximum = TRANSPOSE_STREAMS_MAX,
     .fallback = "2"},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "time",
     .title = "Time",
     .unit = "s",
     .formula =
         "from the moment the earliest device starts until the latest one ends, measured with two events on the run's "
         "first device, for many transposes one after the other / their number. A device begins the next transpose when "
         "its own part of the previous one has ended, without waiting for the others. A latch releases all devices "
         "together if all devices have peer access to each other and the job has few enough operations to be queued behind "
         "it"},
    {.name = "bandwidth",
     .title = "Effective bandwidth",
     .unit = "GB/s",
     .counter = LAB_COUNT_AGGREGATE_BYTES,
     .formula =
         "4 n^2 (N - 1) / N / time / 10^9: the bytes of the matrix that move to another device, each counted once, of all "
         "N devices together"},
    {.name = "share_of_all_to_all",
     .title = "Share of all-to-all",
     .unit = "1",
     .counter = LAB_COUNT_BASELINE,
     .formula = "time of the copies alone (variant all-to-all) / time, of samples that are taken alternately"},
    {.name = "local_transpose_time",
     .title = "Local transpose time",
     .unit = "s",
     .formula = "measured like time, for all local transposes without copies"},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {.name = "timeline", .title = "Timeline", .kind = "timeline", .metric = "time", .x = "variant"},
    {.name = "bandwidth", .title = "Effective bandwidth", .kind = "bars", .metric = "bandwidth", .x = "variant"},
    {.name = "time", .title = "Time by variant", .kind = "bars", .metric = "time", .x = "variant"},
    {.name = "share", .title = "Share of all-to-all", .kind = "bars", .metric = "share_of_all_to_all", .x = "variant"},
    {.name = "bandwidth-n",
     .title = "Effective bandwidth over size",
     .kind = "line",
     .metric = "bandwidth",
     .x = "n",
     .log_x = true,
     .log_y = true},
    {.name = "local", .title = "Local transpose time", .kind = "table", .metric = "local_transpose_time", .x = "n"},
    {0},
};

static const char explanation[] =
    "A matrix that is too large for one device is distributed over N devices: each holds n / N of its n columns. To "
    "transpose it, nearly all elements have to move, because a column is on one device but a row is spread over all "
    "of them. Fourier transforms in two and three dimensions spend much of their time in this operation.\n\n"
    "The transpose works on blocks. The part of each device is cut into N square blocks, one per device. The block "
    "that device d holds for device e is transposed on d and then sent to e, where it becomes whole rows. So the "
    "strided accesses, reading rows and writing columns, stay within one memory, where a kernel makes them through "
    "shared memory, and the data sent between devices is contiguous, as copy engines need it. One block of N stays on "
    "its device: (N - 1) / N of the bytes move, and the effective bandwidth counts these.\n\n"
    "The order of the blocks matters. If every device sent its block for device 0 first, the links of device 0 would "
    "limit all of them, and then those of device 1, and so on. So in step s device d sends to device (d + s) mod N. "
    "Within a step each device sends to one other and receives from one other, and all links are used. With more than "
    "one copy stream per device, neighbouring steps can overlap.\n\n"
    "The copies use the copy engines and the links, the transposes use the cores and the memory. One after the other, "
    "their times add up. To overlap them, each block is cut into chunks of rows: while one chunk is sent, the next "
    "one is transposed, and each copy waits for an event after its own chunk, not for the whole kernel stream. Only "
    "the first chunk cannot be hidden. The block that stays on the device is transposed last, while copies are still "
    "running. More chunks shorten the first one, until each is so small that starting its copy takes longer than the "
    "copy itself.\n\n"
    "The variant direct needs no copies: with peer access a kernel can write to the memory of another device, so each "
    "device transposes its part with one kernel, which writes each block to the device that needs it. Its thread "
    "blocks write to the devices in turn, so that all links are used at the same time. There is no first chunk to wait "
    "for and no memory for blocks to send, and device memory is read and written less.\n\n"
    "The reference is the all-to-all: the same chunks, in the same order and streams, sent without transposing. For "
    "large matrices expect the variants overlapped and direct to come close to it, and sequential to be slower by the time "
    "of the local transposes. Overlapped transposes share the memory with the copies: the closer the links are to the "
    "bandwidth of device memory, the more they slow each other down.\n\n"
    "Without peer access, or between devices that do not support it, the same copies go through host memory. The "
    "result is the same, but the exchange runs at the speed of PCIe and host memory: much slower than NVLink, "
    "somewhat slower than direct PCIe. The transposes then take a small share of the time, so sequential and overlapped "
    "come close to the all-to-all. The variant direct is then not measured.";

#define FOLDER "kernels/experiments/multi_gpu/peer_transpose/"
#define SEQUENTIAL "Transposes, then copies"
#define OVERLAPPED "Copies beside transposes"
#define DIRECT "Transpose into the memory of other devices"
#define HOST(step, title)                                                                                              \
    {                                                                                                                  \
        step, "host", title, "The kernel on a CPU, tile by tile.",                                                     \
        {                                                                                                              \
            {                                                                                                          \
                FOLDER "peer_transpose_host.c", "kernel"                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
static const struct lab_source sources[] = {
    {"sequential",
     "cuda",
     SEQUENTIAL,
     "Each chunk of a block is transposed by one launch into memory from which it is sent.",
     {{FOLDER "job.c", "copies"}, {FOLDER "peer_transpose.cu", "kernel"}}},
    {"overlapped",
     "cuda",
     OVERLAPPED,
     "A chunk is sent as soon as an event says that it is transposed, while the next one is transposed.",
     {{FOLDER "job.c", "copies"}, {FOLDER "peer_transpose.cu", "kernel"}}},
    {"direct",
     "cuda",
     DIRECT,
     "One launch on each device; its rectangles are the blocks for all devices.",
     {{FOLDER "job.c", "direct"}, {FOLDER "peer_transpose.cu", "kernel"}}},
    HOST("sequential", SEQUENTIAL),
    HOST("overlapped", OVERLAPPED),
    HOST("direct", DIRECT),
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Overlapped", "bandwidth"), .at = {{"variant", "overlapped"}}, .largest = {"device_count", "n"},
     .share = "share_of_all_to_all"},
    {LAB_HEADLINE("Direct", "bandwidth"), .at = {{"variant", "direct"}}, .largest = {"device_count", "n"},
     .share = "share_of_all_to_all"},
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
    .explanation = explanation,
    .parameters = parameters,
    .axes = transpose_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .sources = sources,
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_PAGE_FIELDS(peer_transpose),
    .traced = true,
    .plan = transpose_plan,
    .run = transpose_run,
};
