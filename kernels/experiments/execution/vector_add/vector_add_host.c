/* vector-add for host devices: the cores take the elements of a grid's threads. One block is one core. */
#include "benchmark/check.h"
#include "vector_add.h"

// region add
static void add(const struct lab_argument *arguments, uint64_t begin, uint64_t end)
{
    const float *restrict a = arguments[0].pointer, *restrict b = arguments[1].pointer;
    float *restrict c = arguments[2].pointer;
    for (uint64_t i = begin; i < end; i++)
        c[i] = a[i] + b[i];
}
// end add

// region one-block
static void one_block(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    if (part->index == 0)
        add(arguments, 0, arguments[3].u64);
}
// end one-block

// region all-cores
static void all_cores(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    uint64_t begin, end;
    lab_host_part_range(part, arguments[3].u64, 16, &begin, &end);
    add(arguments, begin, end);
}
// end all-cores

LAB_CHECK_HOST(check, vector_add_expected)

extern const struct lab_host_kernel vector_add_host_kernels[];
const struct lab_host_kernel vector_add_host_kernels[] = {
    {"vector_add_one_block", one_block},
    {"vector_add_thread_per_element", all_cores},
    {"vector_add_check", check},
    {NULL, NULL},
};
