/* The GEMM table of the host runtime: checks a product and prepares a plan that runs one of the kernels. */
#include "gemm.h"

#include "../entries.h"
#include "../memory.h"
#include "../plan.h"
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

struct gemm_plan {
    struct lab_plan base;
    const struct host_gemm_method *kernel;
    struct host_gemm gemm;
    size_t workspace_bytes;
};

static bool check(struct lab_device *device, const char *method, const struct lab_gemm *what)
{
    return lab_host_gemm_method(method, LAB_GEMM_FP32, HOST_BASELINE) != NULL
               ? lab_host_gemm_check_product(device, what)
               : lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s is not implemented for host devices",
                               method);
}

/* --- products ----------------------------------------------------------------------------------------------------- */

static struct host_matrix row_major(const void *start, size_t rows, size_t columns)
{
    return (struct host_matrix){(void *)start, rows, columns, columns, 1};
}

static struct host_matrix column_major(const void *start, size_t rows, size_t columns)
{
    return (struct host_matrix){(void *)start, rows, columns, 1, rows};
}

/* The size of a cache that the system reports; `usual` if it reports none. */
static size_t cache_bytes(int64_t reported, size_t usual)
{
    return reported > 0 ? (size_t)reported : usual;
}

struct host_gemm lab_host_gemm_describe(struct host_device *device, const struct lab_gemm *what)
{
    enum { KIB = 1024 };
    return (struct host_gemm){
        .layout = what->layout,
        .a = row_major(what->a, what->m, what->k),
        .b = what->layout == LAB_GEMM_TN ? column_major(what->b, what->k, what->n)
                                         : row_major(what->b, what->k, what->n),
        .c = row_major(what->c, what->m, what->n),
        .pool = &device->pool,
        .cores = device->pool.helper_count + 1,
        .l1_bytes = cache_bytes(sysconf(_SC_LEVEL1_DCACHE_SIZE), 32 * KIB),
        .l2_bytes = cache_bytes(sysconf(_SC_LEVEL2_CACHE_SIZE), 512 * KIB),
    };
}

static void host_gemm_run(struct lab_plan *base)
{
    struct gemm_plan *plan = (struct gemm_plan *)(void *)base;
    plan->kernel->run(&plan->gemm);
}

static void host_gemm_release(struct lab_plan *base)
{
    struct gemm_plan *plan = (struct gemm_plan *)(void *)base;
    if (plan->gemm.workspace != NULL)
        lab_host_unmap(plan->gemm.workspace, plan->workspace_bytes);
    free(plan);
}

static bool allocate_workspace(struct gemm_plan *plan, struct lab_device *device)
{
    if (plan->kernel->workspace_bytes == NULL)
        return true;
    plan->workspace_bytes = lab_host_round_to_page(plan->kernel->workspace_bytes(&plan->gemm));
    plan->gemm.workspace = lab_host_map(plan->workspace_bytes, true, device->facts.numa_node);
    return plan->gemm.workspace != NULL ||
           lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                         "cannot allocate %zu bytes for the packed matrices", plan->workspace_bytes);
}

static struct lab_plan *host_gemm_prepare(struct lab_device *device, const char *method, const struct lab_gemm *what)
{
    if (!lab_host_alive(device) || !check(device, method, what))
        return NULL;
    struct lab_plan *base = lab_host_plan_create(device, sizeof(struct gemm_plan), host_gemm_run, host_gemm_release);
    if (base == NULL)
        return NULL;
    struct gemm_plan *plan = (struct gemm_plan *)(void *)base;
    plan->kernel = lab_host_gemm_method(method, what->type, lab_host_best_instructions());
    plan->gemm = lab_host_gemm_describe(base->device, what);
    if ((plan->kernel->prepare != NULL && !plan->kernel->prepare(&plan->gemm, &device->error)) ||
        !allocate_workspace(plan, device)) {
        host_gemm_release(base);
        return NULL;
    }
    base->result = lab_region_of(what->c, what->m * what->n * lab_gemm_element_bytes(what->type));
    return base;
}

const struct lab_runtime_gemm lab_host_gemm = {
    .prepare = host_gemm_prepare,
    .prepare_fill = lab_host_gemm_prepare_fill,
    .prepare_expected = lab_host_gemm_prepare_expected,
    .prepare_compare = lab_host_gemm_prepare_compare,
    .prepare_sample = lab_host_gemm_prepare_sample,
    .prepare_ceiling = lab_host_gemm_prepare_ceiling,
};
