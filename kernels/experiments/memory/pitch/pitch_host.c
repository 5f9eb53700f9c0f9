/* The kernels of pitch for host devices. */
#include "benchmark/check.h"
#include "pitch.h"

// region element "Rows in turn"
/* Each core copies contiguous rows. A row that begins within a cache line of 64 bytes shares that line with the row
 * before. */
LAB_HOST_KERNEL(pitch_element)
{
    const char *in = arguments[0].pointer;
    char *out = arguments[1].pointer;
    uint64_t width = arguments[3].u64, pitch = arguments[4].u64, begin, end;
    lab_host_part_range(part, arguments[2].u64, 1, &begin, &end);
    for (uint64_t row = begin; row < end; row++)
        memcpy(out + row * pitch, in + row * pitch, width);
}
// end

LAB_CHECK_HOST(pitch_check, pitch_expected)
