/* kernels/experiments/memory/managed_memory: predicted times, what is skipped, and the memory of a point. */
#include "experiments/memory/managed_memory/managed_memory.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <string.h>

extern const struct lab_experiment lab_managed_memory;

enum { BYTES = 4 << 20, PAGE = 4096 };

static int64_t variant_of(const char *name)
{
    int64_t i = 0;
    while (strcmp(managed_memory_variants[i].name, name) != 0)
        i++;
    return i;
}

static struct lab_device_facts gpu(void)
{
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    snprintf(facts.id, sizeof facts.id, "GPU-1");
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    facts.managed_memory = facts.concurrent_managed_access = 1;
    facts.pcie_peak_bytes_per_s = 4e9;
    facts.memory_peak_bytes_per_s = 4e12;
    return facts;
}

static double predict(const struct lab_device_facts *device, const char *name)
{
    return managed_memory_predict(device, &managed_memory_variants[variant_of(name)], BYTES, PAGE);
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value / expected - 1) < 1e-9);
}

TEST(a_move_takes_what_the_link_takes_and_a_kernel_waits_for_a_fault_of_each_256_kib)
{
    const struct lab_device_facts device = gpu();
    const double link_s = BYTES / 4e9, memory_s = BYTES / 4e12, faults_s = 16 * 40e-6, launch_s = 10e-6;
    assert_near(predict(&device, "copy"), launch_s + link_s + 2 * memory_s);
    assert_near(predict(&device, "prefetch"), launch_s + link_s + 2 * memory_s);
    assert_near(predict(&device, "accessed-by"), launch_s + link_s + 2 * memory_s);
    assert_near(predict(&device, "resident"), launch_s + 2 * memory_s);
    assert_near(predict(&device, "faults"), launch_s + faults_s + link_s + 2 * memory_s);
    assert_near(predict(&device, "read-mostly"), predict(&device, "faults"));
    assert_near(predict(&device, "first-touch"), launch_s + faults_s + 2 * memory_s);
}

TEST(the_host_pays_by_page_or_by_fault)
{
    const struct lab_device_facts device = gpu();
    const double pages = (double)BYTES / PAGE, link_s = BYTES / 4e9;
    assert_near(predict(&device, "host-first-touch"), 150e-6 + 1.5e-6 * pages);
    assert_near(predict(&device, "host-read-mostly"), 30e-9 * pages);
    assert_near(predict(&device, "host-prefetch"), 10e-6 + link_s + 0.35e-6 * pages);
    assert_near(predict(&device, "host-faults"), 64 * 18e-6 + link_s);
}

TEST(a_device_with_unknown_rates_has_no_prediction)
{
    struct lab_device_facts device = gpu();
    device.pcie_peak_bytes_per_s = NAN;
    assert_true(isnan(predict(&device, "faults")));
    assert_true(isnan(predict(&device, "host-first-touch")));
}

TEST(pages_are_not_moved_on_a_device_that_others_use)
{
    struct lab_device_facts device = gpu();
    assert_null(managed_memory_shared(&device, 1));
    assert_null(managed_memory_shared(&device, LAB_UNKNOWN));
    assert_non_null(strstr(managed_memory_shared(&device, 2), "other processes"));
    snprintf(device.id, sizeof device.id, "MIG-1");
    assert_non_null(strstr(managed_memory_shared(&device, 1), "part of a GPU"));
}

static struct lab_workload describe(const struct lab_device_facts *device, const char *name)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_managed_memory, NULL, &errors);
    struct lab_workload workload = {0};
    const struct lab_point point = {
        .values = {[MANAGED_MEMORY_AXIS_VARIANT] = variant_of(name), [MANAGED_MEMORY_AXIS_BYTES] = BYTES}};
    assert_non_null(parameters);
    lab_managed_memory.benchmark->describe(parameters, device, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(a_device_without_faults_is_named)
{
    struct lab_device_facts device = gpu();
    assert_string_equal(describe(&device, "faults").skipped, "");
    device.concurrent_managed_access = 0;
    assert_non_null(strstr(describe(&device, "resident").skipped, "concurrentManagedAccess is 0"));
    assert_string_equal(describe(&device, "copy").skipped, "");
    device.managed_memory = 0;
    assert_non_null(strstr(describe(&device, "faults").skipped, "does not have managed memory"));
}

TEST(nothing_moves_on_a_host_device)
{
    static const char *const possible[] = {"copy", "resident", "first-touch", "host-first-touch"};
    struct lab_device_facts device = gpu();
    size_t found = 0;
    snprintf(device.backend, sizeof device.backend, "host");
    for (const struct managed_memory_variant *variant = managed_memory_variants; variant->name != NULL; variant++)
        if (describe(&device, variant->name).skipped[0] == '\0')
            assert_string_equal(variant->name, possible[found++]);
    assert_int_equal(found, sizeof possible / sizeof *possible);
}

TEST(managed_memory_is_counted_on_both_sides)
{
    const struct lab_device_facts device = gpu();
    const struct lab_workload managed = describe(&device, "faults"), copied = describe(&device, "copy");
    assert_int_equal(managed.buffers[MANAGED_MEMORY_PAGES].memory, LAB_MEMORY_MANAGED);
    assert_int_equal(lab_workload_bytes(&managed, true), 2 * BYTES);
    assert_int_equal(lab_workload_bytes(&managed, false), BYTES);
    assert_int_equal(copied.buffers[MANAGED_MEMORY_PAGES].memory, LAB_MEMORY_PINNED);
    assert_int_equal(lab_workload_bytes(&copied, true), 2 * BYTES);
    assert_int_equal(copied.steps[0].arguments[0].buffer, MANAGED_MEMORY_COPY);
}

TEST(who_touches_pages_first_writes_them)
{
    const struct lab_device_facts device = gpu();
    const struct lab_workload workload = describe(&device, "first-touch");
    assert_string_equal(workload.steps[0].kernel, "managed_memory_write");
    assert_int_equal(workload.check.buffer, MANAGED_MEMORY_PAGES);
    assert_int_equal(workload.check.parameters[0], 1);
    assert_string_equal(describe(&device, "resident").steps[0].kernel, "managed_memory_read");
}
