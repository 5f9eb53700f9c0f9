/* kernels/measure/measurement.c: measurements as JSON. */
#include "measure/measurement.h"
#include "support/test.h"

#include "facts/facts.h"
#include "support/expect_abort.h"

#include <math.h>
#include <stdint.h>

static const struct lab_measurement plain = {.metric = "time", .unit = "s", .numa_node = LAB_UNKNOWN};

TEST(a_measurement_without_a_kernel_has_null)
{
    json_t *json = lab_measurement_to_json(&plain);
    assert_true(json_is_null(json_object_get(json, "kernel")));
    json_decref(json);
}

TEST(a_kernel_has_its_name_and_numbers)
{
    struct lab_measurement measurement = plain;
    measurement.kernel = &(struct lab_kernel_record){.name = "copy",
                                                     .registers = 32,
                                                     .local_bytes = 16,
                                                     .shared_bytes = 4096,
                                                     .blocks_per_multiprocessor = 6,
                                                     .occupancy = 0.75,
                                                     .block = 256};
    json_t *json = lab_measurement_to_json(&measurement);
    json_t *expected =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:f, s:i}", "name", "copy", "registers", 32, "local_bytes", 16,
                  "shared_bytes", 4096, "blocks_per_multiprocessor", 6, "occupancy", 0.75, "block", 256);
    assert_true(json_equal(json_object_get(json, "kernel"), expected));
    json_decref(expected);
    json_decref(json);
}

TEST(an_unknown_occupancy_is_null)
{
    struct lab_measurement measurement = plain;
    measurement.kernel = &(struct lab_kernel_record){.name = "copy", .occupancy = NAN};
    json_t *json = lab_measurement_to_json(&measurement);
    assert_true(json_is_null(json_object_get(json_object_get(json, "kernel"), "occupancy")));
    json_decref(json);
}

TEST(counters_have_the_names_of_the_device_and_only_those_that_it_has)
{
    struct lab_measurement measurement = plain;
    struct lab_hardware_counts counts;
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        counts.items[i] = (struct lab_hardware_count){.value = NAN};
    counts.items[LAB_HARDWARE_DRAM_READ_BYTES] = (struct lab_hardware_count){4096, "dram__bytes_read.sum"};
    measurement.counters = &counts;
    json_t *json = lab_measurement_to_json(&measurement);
    json_t *expected = json_pack("[{s:s, s:f, s:s, s:s}]", "name", "dram_read_bytes", "value", 4096.0, "unit", "B",
                                 "metric", "dram__bytes_read.sum");
    assert_true(json_equal(json_object_get(json, "counters"), expected));
    json_decref(expected);
    json_decref(json);
    json = lab_measurement_to_json(&plain);
    assert_true(json_is_null(json_object_get(json, "counters")));
    json_decref(json);
}

static void add_an_axis_too_many(void)
{
    struct lab_axes axes = {0};
    for (size_t i = 0; i < LAB_AXES_MAX; i++)
        lab_axes_number(&axes, "bytes", 1);
    lab_axes_text(&axes, "straw", "the last");
}

TEST(an_axis_too_many_aborts_the_process)
{
    expect_abort(add_an_axis_too_many, "axis \"straw\"");
}
