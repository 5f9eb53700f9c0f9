/* Copies of a two-dimensional array whose rows begin at multiples of a pitch. A warp copies a row: its threads take
 * neighbouring elements. Widths and pitches are bytes. */
#include "benchmark/check.h"
#include "pitch.h"

// region rows
template <typename Element>
__device__ static void copy_rows(const char *__restrict__ in, char *__restrict__ out, uint64_t rows, uint64_t width,
                                 uint64_t pitch)
{
    constexpr uint32_t warp = 32;
    uint64_t row = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / warp;
    uint64_t elements = (width + sizeof(Element) - 1) / sizeof(Element);
    if (row >= rows)
        return;
    const Element *from = reinterpret_cast<const Element *>(in + row * pitch);
    Element *to = reinterpret_cast<Element *>(out + row * pitch);
#pragma unroll 4
    for (uint64_t i = threadIdx.x % warp; i < elements; i += warp)
        to[i] = from[i];
}
// end

// steps use rows

// region element "4 bytes a thread"
/* A warp accesses 128 contiguous bytes: 4 sectors if they begin at a multiple of 32 bytes, else 5. Where they begin is
 * decided by the pitch alone. */
extern "C" __global__ void pitch_element(const char *in, char *out, uint64_t rows, uint64_t width, uint64_t pitch)
{
    copy_rows<uint32_t>(in, out, rows, width, pitch);
}
// end

// region vector "16 bytes a thread"
/* A quarter of the instructions. An access of 16 bytes must begin at a multiple of 16, so the pitch has to be one; then
 * the last access of a row may end in the padding, and no thread has to copy single elements. */
extern "C" __global__ void pitch_vector(const char *in, char *out, uint64_t rows, uint64_t width, uint64_t pitch)
{
    copy_rows<uint4>(in, out, rows, width, pitch);
}
// end

LAB_CHECK_KERNEL(pitch_check, pitch_expected)
