/* peer-transpose: a matrix spread over devices is transposed; what is local hides behind what has to cross. What it
 * shows is what Ruetsch & Fatica show in 4.1.3: blocks are transposed where they are and exchanged by peer copies, in
 * steps in which every device sends to another one.
 */
#include "peer_transpose.h"

const char *const transpose_variants[] = {"sequential", "overlapped", "all-to-all", "local", NULL};
const char *const transpose_variant_choices[] = {"sequential", "overlapped", NULL};

static const struct lab_parameter parameters[] = {
    {.name = "n",
     .title = "Size",
     .help = "Rows and columns of the matrix of 4-byte words; rounded down to a multiple of devices times chunks.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 2,
     .maximum = 1048576,
     .fallback = "[16384]"},
    {.name = "device_count",
     .title = "Devices",
     .help = "How many of the run's devices hold a part of the matrix, from the first; 0: all.",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 0,
     .maximum = LAB_RUN_DEVICES_MAX,
     .fallback = "0"},
    {.name = "variant",
     .title = "Variant",
     .help = "sequential: all local transposes, then all copies; overlapped: each piece is sent while the next is "
             "transposed. The copies alone and the transposes alone are always measured.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = transpose_variant_choices,
     .fallback = "[\"sequential\", \"overlapped\"]"},
    {.name = "peer_access",
     .title = "Peer access",
     .help = "true: pieces go directly where the hardware has a way; false: all go through host memory.",
     .type = LAB_PARAMETER_BOOLEAN,
     .list = true,
     .fallback = "[true, false]"},
    {.name = "chunks",
     .title = "Chunks",
     .help = "In how many pieces each block is transposed and sent. 0: so many that each device sends at least four.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 0,
     .maximum = TRANSPOSE_CHUNKS_MAX,
     .fallback = "[0]"},
    {.name = "streams",
     .title = "Copy streams",
     .help = "To how many streams a device deals out its pieces in turn. With one, each waits for the one before; "
             "more hide what lies between two copies, and use several links at once where each other device has one "
             "of its own.",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = TRANSPOSE_STREAMS_MAX,
     .fallback = "2"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"n", "Rows and columns", NULL}, {"device_count", "Devices", NULL},    {"chunks", "Chunks", NULL},
    {"variant", "Variant", NULL},    {"peer_access", "Peer access", NULL}, {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"time", "Time", "s",
     "from the first start to the last end of the job on all devices, between two events on the first; released "
     "together by a latch where the job is small enough to be queued behind one and the copies are direct"},
    {"bandwidth", "Effective bandwidth", "GB/s",
     "4 n^2 (N - 1) / N bytes, those of the matrix that must change their device, each counted once / time / 10^9; of "
     "all N devices together"},
    {"share_of_all_to_all", "Share of the all-to-all", "1",
     "median time of the same copies alone, of the same size, chunks and peer access in the same run / time"},
    {"local_transpose_time", "Time of the local transposes", "s",
     "the same as time, of all local transposes without any copy"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"timeline", "Timeline", "timeline", "time", "variant", false, false},
    {"bandwidth", "Effective bandwidth", "bars", "bandwidth", "variant", false, false},
    {"time", "Time by variant", "bars", "time", "variant", false, false},
    {"share", "Share of the all-to-all", "bars", "share_of_all_to_all", "variant", false, false},
    {"bandwidth-n", "Effective bandwidth over size", "line", "bandwidth", "n", true, true},
    {"local", "Local transposes", "table", "local_transpose_time", "n", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "A matrix that is too large for one device is spread over several: of its n columns each of N devices holds n / "
    "N, all rows of them. To transpose it, nearly everything has to move, because a column of the matrix lies on "
    "one device and a row of it on all. Fourier transforms in two and three dimensions spend much of their time in "
    "just this.\n\n"
    "It goes by blocks. The part of each device is cut into N square blocks, one for each device. The block that "
    "device d holds for device e is transposed where it is and then sent to device e, where it lands as whole rows. "
    "So the awkward half of the work, reading rows and writing columns, stays inside one memory, where a kernel "
    "does it through shared memory, and what crosses is contiguous, which is what copy engines are good at. One "
    "block of N stays at home: the bytes that cross are (N - 1) / N of the matrix, and the effective bandwidth "
    "counts these.\n\n"
    "The order of the blocks matters. If every device began with its block for device 0, all would send to device "
    "0, whose links take in one share of that at a time, and so on, one hot spot after the other. So in step s "
    "device d sends to device (d + s) mod N: at every step each device sends to one other and receives from one "
    "other, and all links work.\n\n"
    "The copies need the copy engines and the links, the transposes need the cores and the memory. Done one after "
    "the other, the times add up. Overlapped, a block is cut into chunks of rows, and while one chunk crosses, the "
    "next is transposed; the copy waits for its chunk by an event, not for the whole kernel stream. What cannot "
    "hide is the first chunk. The block that stays at home comes last, behind copies that are still under way. More "
    "chunks make that first one shorter, until each is so small that starting it takes longer than sending it.\n\n"
    "The measure of success is what the links can do: the same pieces, in the same order and the same streams, sent "
    "without any transposing. Expect overlapped above 80 percent of that for large matrices over NVLink, and "
    "sequential below it by what the local transposes take. As long as the links are slower than the memory, "
    "transposing on the way is nearly free.\n\n"
    "Without peer access, or between devices that have none, the same copies go through host memory. All else stays "
    "as it is, and the result is as right; it is slower by an order of magnitude over NVLink, less over PCIe. There "
    "the transposes hardly count, so both variants come near the all-to-all.";

const struct lab_experiment lab_peer_transpose = {
    .name = "peer-transpose",
    .title = "Transpose over devices",
    .summary =
        "A matrix spread over devices, transposed: blocks are exchanged by peer copies while the next are transposed.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .quick = "{\"n\": 3072, \"time_budget_s\": 2}",
    .traced = true,
    .plan = transpose_plan,
    .run = transpose_run,
};
