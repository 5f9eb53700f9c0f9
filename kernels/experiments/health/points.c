/* The axes of health, the sizes of its checks, and its plan. */
#include "health.h"

#include "descriptor/estimate.h"

#include <math.h>

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static const char *const check_names[] = {
    [HEALTH_H2D] = "h2d",
    [HEALTH_D2H] = "d2h",
    [HEALTH_MEMORY] = "memory",
    [HEALTH_GEMM] = "gemm",
    [HEALTH_P2P] = "p2p",
    [HEALTH_READINGS + LAB_READING_LINK_WIDTH] = "link-width",
    [HEALTH_READINGS + LAB_READING_LINK_GENERATION] = "link-generation",
    [HEALTH_READINGS + LAB_READING_ECC_UNCORRECTED] = "ecc-uncorrected",
    [HEALTH_READINGS + LAB_READING_ECC_UNCORRECTED_LIFETIME] = "ecc-uncorrected-lifetime",
    [HEALTH_READINGS + LAB_READING_REMAPPED_ROWS] = "remapped-rows",
    [HEALTH_READINGS + LAB_READING_REMAP_PENDING] = "remap-pending",
    [HEALTH_READINGS + LAB_READING_REMAP_FAILED] = "remap-failed",
    [HEALTH_READINGS + LAB_READING_RETIRED_PAGES] = "retired-pages",
    [HEALTH_READINGS + LAB_READING_RETIREMENT_PENDING] = "retirement-pending",
    [HEALTH_READINGS + LAB_READING_PROCESSES] = "processes",
    [HEALTH_READINGS + LAB_READINGS] = NULL,
};

static void list_devices(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    (void)point;
    for (size_t i = 0; i < request->device_count; i++)
        lab_axis_values_add(values, (int64_t)i);
}

static void list_checks(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    (void)request;
    (void)point;
    for (int64_t check = 0; check <= HEALTH_P2P; check++)
        lab_axis_values_add(values, check);
}

static void list_peers(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    if (point->values[HEALTH_CHECK] != HEALTH_P2P)
        lab_axis_values_add(values, LAB_NO_VALUE);
    for (size_t i = 0; point->values[HEALTH_CHECK] == HEALTH_P2P && i < request->device_count; i++)
        if ((int64_t)i != point->values[HEALTH_DEVICE])
            lab_axis_values_add(values, (int64_t)i);
}

const struct lab_axis health_axes[] = {
    [HEALTH_DEVICE] = {.name = "device", .title = "Device", .devices = true, .list = list_devices},
    [HEALTH_CHECK] = {.name = "check", .title = "Check", .choices = check_names, .list = list_checks},
    [HEALTH_PEER] = {.name = "peer", .title = "To", .devices = true, .list = list_peers},
    {0},
};

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* Within and between GPUs, several times their last-level cache. A CPU is checked in a short time, not well. */
size_t health_copy_bytes(const struct lab_device_facts *device, enum health_check check)
{
    size_t mebibytes = lab_facts_is_cpu(device) ? 16 : check <= HEALTH_D2H ? 64 : 256;
    return mebibytes << 20;
}

bool health_is_concurrent(const struct lab_device_facts *device, enum health_check check)
{
    return !lab_facts_is_cpu(device) && (check == HEALTH_MEMORY || check == HEALTH_GEMM);
}

struct matmul_problem health_problem(const struct lab_device_facts *device)
{
    size_t size = lab_facts_is_cpu(device) ? 512 : 4096;
    bool tensor = isfinite(device->tensor_bf16_peak_flops) && device->tensor_bf16_peak_flops > 0;
    return (struct matmul_problem){.type = tensor ? LAB_GEMM_BF16 : LAB_GEMM_FP32, .m = size, .n = size, .k = size};
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Assumes what links, memory and arithmetic of a GPU of 2017 reach, or those of a CPU of a few cores; for filling,
 * poisoning and checking a copy, five passes over its bytes. */
static void health_add_point(const struct lab_points_request *request, const struct lab_point *point,
                             struct lab_estimate *estimate)
{
    const struct lab_device_facts *device = request->devices[point->values[HEALTH_DEVICE]];
    enum health_check check = (enum health_check)point->values[HEALTH_CHECK];
    bool cpu = lab_facts_is_cpu(device), inside = check == HEALTH_MEMORY;
    const struct matmul_problem problem = health_problem(device);
    double bytes = (double)health_copy_bytes(device, check);
    double rate = cpu ? 4e9 : inside ? 400e9 : 10e9;
    if (health_is_concurrent(device, check) && point->values[HEALTH_DEVICE] > 0) /* takes no longer than the first */
        return;
    if (check == HEALTH_GEMM)
        lab_estimate_add_point(estimate, request->parameters, matmul_operations(&problem) / (cpu ? 10e9 : 14e12), 0.05,
                               true);
    else
        lab_estimate_add_point(estimate, request->parameters, bytes / rate, 5 * bytes / rate, false);
}

bool health_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {parameters, devices, device_count};
    *estimate = (struct lab_estimate){0};
    for (size_t i = 0; i < device_count; i++)
        lab_estimate_raise_memory(estimate, 2 * health_copy_bytes(devices[i], HEALTH_MEMORY),
                                  health_copy_bytes(devices[i], HEALTH_H2D));
    return lab_estimate_points(&request, health_add_point, estimate, errors) &&
           lab_estimate_check_memory(estimate, devices, device_count, "a source and a destination of a copy",
                                     "/devices", errors);
}
