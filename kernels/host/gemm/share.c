/* Divides a product among the cores. */
#include "gemm.h"

void lab_host_gemm_share(const struct host_gemm *gemm, size_t total, size_t work, host_range_function *function,
                         void *context)
{
    enum { PARTS_PER_CORE = 8, WORK_MIN = 16 * 1024 };
    size_t even_share = total / (gemm->cores * PARTS_PER_CORE), min_units = WORK_MIN / work;
    size_t part_units = (even_share > min_units ? even_share : min_units) + 1;
    lab_host_pool_run_parts(gemm->pool, total, part_units, function, context);
}
