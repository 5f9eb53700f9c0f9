/* The kernels of kernel.cu for host devices. */
#include "benchmark/check.h"
#include "elements.h"

LAB_HOST_KERNEL(kernel_fill)
{
    const struct kernel_fill fill = {(uint32_t)arguments[2].u64, (uint32_t)arguments[3].u64, arguments[4].u64,
                                     arguments[5].u64};
    uint64_t begin, end;
    lab_host_part_range(part, arguments[1].u64, 64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        kernel_store(arguments[0].pointer, &fill, i);
}

LAB_HOST_KERNEL(kernel_compare)
{
    uint32_t type = (uint32_t)arguments[3].u64;
    uint64_t begin, end, wrong = 0, first = 0;
    lab_host_part_range(part, arguments[2].u64, 64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        if (!kernel_equal(type, kernel_load(arguments[0].pointer, type, i), kernel_load(arguments[1].pointer, type, i),
                          arguments[4].f64)) {
            first = first == 0 ? ~i : first;
            wrong++;
        }
    lab_check_add(arguments[5].pointer, wrong, first);
}
