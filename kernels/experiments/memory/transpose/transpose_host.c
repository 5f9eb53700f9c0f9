/* The kernels of transpose for host devices: each core takes some of the rows of the input or of the output. */
#include "benchmark/check.h"
#include "transpose.h"

#include <string.h>

// region part
/* The arguments of a kernel, and the rows that a part has: of the input or, if `of_output` is set, of the output. They
 * are given out in units of TILE, so that parts do not write to the same cache lines. */
struct job {
    const float *in;
    float *out;
    uint64_t rows, columns, begin, end;
};

static struct job job_of(const struct lab_host_part *part, const struct lab_argument *arguments, bool of_output)
{
    struct job job = {arguments[0].pointer, arguments[1].pointer, arguments[2].u32, arguments[3].u32, 0, 0};
    lab_host_part_range(part, of_output ? job.columns : job.rows, TILE, &job.begin, &job.end);
    return job;
}
// end

// region copy "Copy"
/* The same bytes without a transpose. */
LAB_HOST_KERNEL(transpose_copy)
{
    const float *in = arguments[0].pointer;
    float *out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, (uint64_t)arguments[2].u32 * arguments[3].u32, TILE, &begin, &end);
    memcpy(out + begin, in + begin, (end - begin) * sizeof *out);
}
// end

// steps use transpose.h:tile, part

// region naive "Naive"
/* Each write is to another cache line, which is read first and evicted before its other elements are written if the
 * column is longer than the cache. */
LAB_HOST_KERNEL(transpose_naive)
{
    struct job job = job_of(part, arguments, false);
    for (uint64_t row = job.begin; row < job.end; row++)
        for (uint64_t column = 0; column < job.columns; column++)
            job.out[column * job.rows + row] = job.in[row * job.columns + column];
}
// end

// region coalesced-writes "Coalesced writes"
/* The reads are strided instead of the writes: a line is read for each element, but none has to be written back
 * early. */
LAB_HOST_KERNEL(transpose_coalesced_writes)
{
    struct job job = job_of(part, arguments, true);
    for (uint64_t column = job.begin; column < job.end; column++)
        for (uint64_t row = 0; row < job.rows; row++)
            job.out[column * job.rows + row] = job.in[row * job.columns + column];
}
// end

// region tiled "Tiles in the cache"
/* The lines of a tile of 32 x 32 elements stay in the cache until all of their elements are used. */
static void transpose_tile(const struct job *job, uint64_t first_row, uint64_t first_column)
{
    uint64_t last_row = first_row + TILE < job->rows ? first_row + TILE : job->rows;
    uint64_t last_column = first_column + TILE < job->end ? first_column + TILE : job->end;
    for (uint64_t column = first_column; column < last_column; column++)
        for (uint64_t row = first_row; row < last_row; row++)
            job->out[column * job->rows + row] = job->in[row * job->columns + column];
}

LAB_HOST_KERNEL(transpose_tiled)
{
    struct job job = job_of(part, arguments, true);
    for (uint64_t row = 0; row < job.rows; row += TILE)
        for (uint64_t column = job.begin; column < job.end; column += TILE)
            transpose_tile(&job, row, column);
}
// end

LAB_CHECK_HOST(transpose_check, transpose_expected)
