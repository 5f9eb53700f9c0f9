/* pitch: copies of a two-dimensional array by the width of its rows and the alignment at which each row begins, with
 * kernels and with two- and three-dimensional copies from packed rows.
 */
#include "pitch.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <inttypes.h>

enum { STEP, ROW_BYTES, ALIGNMENT, BYTES, LOAD };
enum { LAYER_ROWS = 32 }; /* of a three-dimensional copy */
enum { WORD_BYTES = 4, ROW_BYTES_MAX = 65536, ALIGNMENT_MAX = 4096 };

static const struct step {
    const char *name;
    uint64_t access_bytes;  /* of a thread; 0: a copy engine copies */
    enum lab_memory source; /* of the copy engine */
    bool layers;            /* it copies a three-dimensional array */
} steps[] = {
    {"element", WORD_BYTES, LAB_MEMORY_DEVICE, false},
    {"vector", 16, LAB_MEMORY_DEVICE, false},
    {"copy-d2d", 0, LAB_MEMORY_DEVICE, false},
    {"copy-h2d", 0, LAB_MEMORY_PINNED, false},
    {"copy-3d-d2d", 0, LAB_MEMORY_DEVICE, true},
    {"copy-3d-h2d", 0, LAB_MEMORY_PINNED, true},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("step", "Step", steps),
     .text =
         "element, vector: a kernel copies rows of that pitch to rows of that pitch, with 4 or 16 bytes a thread; "
         "copy-d2d, copy-h2d: one two-dimensional copy (cudaMemcpy2DAsync) of packed rows, in device memory or in "
         "pinned host memory, to rows of that pitch; copy-3d-d2d, copy-3d-h2d: the same by one three-dimensional copy "
         "(cudaMemcpy3DAsync) of layers of 32 rows."},
    {LAB_INTEGERS("row_bytes", "Row width", "Bytes of a row, a multiple of 4.", 1000, 1024, 1028, 4000, 4096, 4100),
     .unit = "B", .minimum = WORD_BYTES, .maximum = ROW_BYTES_MAX},
    {LAB_INTEGERS(
         "alignment", "Alignment of rows",
         "The pitch is the width of a row, rounded up to a multiple of this, which is a multiple of 4. 4: rows are packed; "
         "512: as cudaMallocPitch does it.",
         4, 32, 128, 256, 512),
     .unit = "B", .minimum = WORD_BYTES, .maximum = ALIGNMENT_MAX},
    {LAB_BYTES_PARAMETER("the arrays without padding", ROW_BYTES_MAX, 134217728)},
    {0},
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static bool is_kernel(const struct lab_point *point)
{
    return steps[point->values[STEP]].access_bytes > 0;
}

static const struct lab_axis axes[] = {
    [STEP] = {.name = "step"},
    [ROW_BYTES] = {.name = "row_bytes", .multiple = WORD_BYTES},
    [ALIGNMENT] = {.name = "alignment", .multiple = WORD_BYTES},
    [BYTES] = {.name = "bytes"},
    [LOAD] = {LAB_LOAD_AXIS, .applies = is_kernel},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s",
                "bytes of the rows without padding / time / 10^9; copies within the device count each byte twice (one "
                "read, one written), copies from the host once"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("share_of_peak", "Share of peak", "1", "bandwidth / peak; the measurement names the peak")},
    {LAB_METRIC("time", "Time", "s", "time of one kernel or copy"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("pitch_bytes", "Pitch", "B",
                "computed, not measured: bytes from the start of one row to the start of the next")},
    {LAB_METRIC("sectors_per_row", "Sectors per row", "1",
                "computed, not measured: sectors of 32 bytes that contain bytes of a row of that pitch, mean over the "
                "rows; at best row_bytes / 32, rounded up")},
    {LAB_METRIC(
        "sectors_per_request", "Sectors per request", "1",
        "computed, not measured: sectors of 32 bytes that a load or store of a warp touches, mean over the "
        "requests of all rows; at best 4 with 4 bytes a thread and 16 with 16 bytes, less in the last request of "
        "a row")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "alignment", "Bandwidth over alignment", "bandwidth", "alignment"), .log_x = true},
    {LAB_VIEW("bars", "rows", "Bandwidth by width", "bandwidth", "row_bytes")},
    {LAB_VIEW("ladder", "steps", "Bandwidth by step", "bandwidth", "step")},
    {LAB_VIEW("table", "pitch", "Pitch", "pitch_bytes", "alignment")},
    {LAB_VIEW("table", "sectors", "Sectors per row", "sectors_per_row", "alignment")},
    {LAB_VIEW("table", "requests", "Sectors per request", "sectors_per_request", "alignment")},
    {0},
};

/* Sectors that the pieces of a row touch, each piece's counted anew. The mean over eight rows is that over all:
 * multiples of 4 bytes have eight places in a sector. */
static double sectors(uint64_t pitch, uint64_t row_bytes, uint64_t piece)
{
    enum { SECTOR = 32, PLACES = SECTOR / WORD_BYTES };
    uint64_t touched = 0;
    for (uint64_t row = 0; row < PLACES; row++)
        for (uint64_t begin = 0; begin < row_bytes; begin += piece) {
            uint64_t end = begin + piece < row_bytes ? begin + piece : row_bytes;
            touched += (row * pitch + end - 1) / SECTOR - (row * pitch + begin) / SECTOR + 1;
        }
    return (double)touched / PLACES;
}

static void add_figures(const struct step *step, uint64_t pitch, uint64_t row_bytes,
                        const struct lab_device_facts *device, struct lab_workload *workload)
{
    enum { LANES = 32 };
    lab_workload_add_figure(workload, "pitch_bytes", (double)pitch);
    if (lab_facts_is_cpu(device))
        return;
    lab_workload_add_figure(workload, "sectors_per_row", sectors(pitch, row_bytes, row_bytes));
    if (step->access_bytes > 0) {
        uint64_t request = LANES * step->access_bytes, copied = round_up(row_bytes, step->access_bytes);
        uint64_t requests = (copied + request - 1) / request;
        lab_workload_add_figure(workload, "sectors_per_request", sectors(pitch, copied, request) / (double)requests);
    }
}

/* The arrays of a kernel are contiguous, so that the check sees their padding too. */
static void add_kernel(const struct step *step, uint64_t rows, uint64_t row_bytes, uint64_t pitch,
                       struct lab_workload *workload)
{
    enum { THREADS = 256, WARP = 32 };
    size_t in = lab_workload_input(workload, rows * pitch, LAB_CONTENT_WORDS);
    size_t out = lab_workload_output(workload, rows * pitch);
    lab_workload_add_kernel(workload, "pitch_%s", step->name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U64(rows), LAB_U64(row_bytes), LAB_U64(pitch));
    lab_workload_launch_items(workload, rows * WARP, THREADS);
    workload->check =
        LAB_CHECK("pitch_check", out, pitch / WORD_BYTES, round_up(row_bytes, step->access_bytes) / WORD_BYTES);
}

static void add_copy(const struct step *step, uint64_t rows, uint64_t row_bytes, uint64_t pitch,
                     struct lab_workload *workload)
{
    struct lab_buffer packed = {
        .memory = step->source, .bytes = rows * row_bytes, .width = row_bytes, .pitch = row_bytes};
    struct lab_buffer padded = {.output = true, .bytes = rows * row_bytes, .width = row_bytes, .pitch = pitch};
    size_t source = lab_workload_declare(workload, packed), destination = lab_workload_declare(workload, padded);
    lab_workload_add_copy(workload, (struct lab_workload_copy){.source = source,
                                                               .destination = destination,
                                                               .layers = step->layers ? rows / LAYER_ROWS : 0});
}

static void pitch_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                           const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[STEP]];
    uint64_t row_bytes = (uint64_t)point->values[ROW_BYTES];
    uint64_t pitch = round_up(row_bytes, (uint64_t)point->values[ALIGNMENT]);
    uint64_t rows = (uint64_t)point->values[BYTES] / row_bytes;
    (void)given;
    if (step->layers && rows < LAYER_ROWS)
        lab_workload_skip(workload, "%" PRIu64 " rows are no layer, which has %d", rows, LAYER_ROWS);
    else if (step->layers)
        rows = rows / LAYER_ROWS * LAYER_ROWS;
    workload->counts[LAB_COUNT_BYTES] = (step->source == LAB_MEMORY_DEVICE ? 2 : 1) * (double)(rows * row_bytes);
    add_figures(step, pitch, row_bytes, device, workload);
    if (is_kernel(point) && pitch % step->access_bytes != 0)
        lab_workload_skip(workload,
                          "the pitch of %" PRIu64 " bytes is not a multiple of the %" PRIu64 " bytes of an access",
                          pitch, step->access_bytes);
    if (is_kernel(point))
        add_kernel(step, rows, row_bytes, pitch, workload);
    else
        add_copy(step, rows, row_bytes, pitch, workload);
}

LAB_IMAGE(pitch);
static const struct lab_benchmark benchmark = {.image = &image, .describe = pitch_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Packed rows", "bandwidth"), .at = {{"step", "element"}}, .largest = {"bytes", "row_bytes"},
     .smallest = {"alignment"}},
    {LAB_HEADLINE("Aligned rows", "bandwidth"), .at = {{"step", "element"}},
     .largest = {"bytes", "row_bytes", "alignment"}},
    {LAB_HEADLINE("Copy from the host", "bandwidth"), .at = {{"step", "copy-h2d"}},
     .largest = {"bytes", "row_bytes", "alignment"}},
    {0},
};

LAB_PAGE(pitch);
const struct lab_experiment lab_pitch = {
    .name = "pitch",
    .title = "Pitch of two-dimensional arrays",
    .subject = "memory",
    .summary = "Bandwidth of copies of a two-dimensional array whose rows are packed or begin at aligned addresses.",
    LAB_BENCHMARK_FIELDS(pitch, benchmark),
};
