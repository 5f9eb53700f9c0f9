/* kernels/experiments/streams/host_work: the predicted time, and what the operations copy. */
#include "experiments/streams/host_work/host_work.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

extern const struct lab_experiment lab_host_work;

TEST(work_is_hidden_behind_an_operation_whose_call_returns)
{
    assert_true(host_work_predict(true, 2, 1) == 2);
    assert_true(host_work_predict(true, 2, 3) == 3);
    assert_true(host_work_predict(false, 2, 1) == 3);
    assert_true(host_work_predict(false, 2, 0) == 2);
}

static struct lab_workload describe(int64_t variant)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_host_work, NULL, &errors);
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    const struct lab_point point = {
        .values = {[HOST_WORK_AXIS_VARIANT] = variant, [HOST_WORK_AXIS_BYTES] = 4096, [HOST_WORK_AXIS_SHARE] = 100}};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    lab_host_work.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

static void assert_copies(int64_t variant, enum lab_memory source, enum lab_memory destination)
{
    struct lab_workload workload = describe(variant);
    assert_int_equal(workload.copy_count, 1);
    assert_int_equal(workload.step_count, 0);
    const struct lab_buffer *from = &workload.buffers[workload.copies[0].source];
    const struct lab_buffer *to = &workload.buffers[workload.copies[0].destination];
    assert_int_equal(from->memory, source);
    assert_int_equal(to->memory, destination);
    assert_true(to->output && !from->output && from->bytes == 4096 && to->bytes == 4096);
}

TEST(an_operation_copies_between_its_kinds_of_memory)
{
    assert_copies(HOST_WORK_H2D_PINNED, LAB_MEMORY_PINNED, LAB_MEMORY_DEVICE);
    assert_copies(HOST_WORK_D2H_PINNED, LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED);
    assert_copies(HOST_WORK_H2D_PAGEABLE, LAB_MEMORY_PAGEABLE, LAB_MEMORY_DEVICE);
    assert_copies(HOST_WORK_D2H_PAGEABLE, LAB_MEMORY_DEVICE, LAB_MEMORY_PAGEABLE);
    assert_int_equal(describe(HOST_WORK_KERNEL).step_count, 1);
    assert_int_equal(describe(HOST_WORK_KERNEL).copy_count, 0);
}
