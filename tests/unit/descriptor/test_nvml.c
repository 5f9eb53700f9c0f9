/* kernels/facts/nvml.c on fake libraries: one of a new driver, one of an old driver, one with almost no functions. */
#include "facts/nvml.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/fake_nvml.h"

static enum age new_driver = NEW, old_driver = OLD;

static struct lab_nvml *open_new(void)
{
    struct lab_nvml *nvml = lab_nvml_open_with(resolve, &new_driver, NULL);
    assert_non_null(nvml);
    return nvml;
}

static int reset(void **state)
{
    (void)state;
    links_up = 0;
    links_direct = false;
    init_result = SUCCESS;
    return 0;
}

AROUND_EACH_TEST(.setup = reset)

/* --- tests -------------------------------------------------------------------------------------------------------- */

TEST(a_missing_library_or_driver_is_reported)
{
    const char *reason = NULL;
    assert_null(lab_nvml_open_with(resolve_nothing, NULL, &reason));
    assert_non_null(reason);
    init_result = UNINITIALIZED;
    assert_null(lab_nvml_open_with(resolve, &new_driver, &reason));
    assert_string_equal(reason, "Driver Not Loaded");
    assert_int_equal(started, 0);
    lab_nvml_close(NULL);
}

TEST(a_null_library_finds_no_device)
{
    struct lab_conditions conditions;
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    snprintf(facts.uuid, sizeof facts.uuid, UUID_0);
    lab_nvml_complete(NULL, &facts);
    assert_string_equal(facts.driver_release, "");
    assert_null(lab_nvml_telemetry(NULL, UUID_0));
    assert_false(lab_nvml_conditions(NULL, UUID_0, &conditions));
    assert_int_equal(lab_nvml_process_count(NULL, UUID_0), -1);
    json_t *list = lab_nvml_list(NULL);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
}

TEST(devices_are_listed)
{
    struct lab_nvml *nvml = open_new();
    json_t *list = lab_nvml_list(nvml), *right = json_pack("[{s:s,s:s},{s:s,s:s}]", "name", "GPU number 0", "uuid",
                                                           UUID_0, "name", "GPU number 1", "uuid", UUID_1);
    assert_true(json_equal(list, right));
    json_decref(list);
    json_decref(right);
    lab_nvml_close(nvml);
    assert_int_equal(started, 0);
}

static void check_telemetry(enum age *age, const char *uuid, const char *right)
{
    struct lab_nvml *nvml = lab_nvml_open_with(resolve, age, NULL);
    json_t *telemetry = lab_nvml_telemetry(nvml, uuid), *wanted = json_loads(right, 0, NULL);
    assert_non_null(wanted);
    if (!json_equal(telemetry, wanted)) {
        char *text = json_dumps(telemetry, 0);
        fail_msg("%s", text);
    }
    json_decref(telemetry);
    json_decref(wanted);
    lab_nvml_close(nvml);
}

TEST(telemetry_has_all_fields)
{
    check_telemetry(
        &new_driver, UUID_0,
        "{\"utilization_gpu\":97,\"utilization_memory\":31,\"memory_used_bytes\":39,\"memory_total_bytes\":100,"
        "\"temperature_c\":41.0,\"power_w\":123.5,\"power_limit_w\":700.0,\"sm_clock_mhz\":1980.0,"
        "\"memory_clock_mhz\":3201.0,\"throttle\":[\"power-cap\",\"hardware-thermal\"],"
        "\"throttled_by\":[\"hardware-thermal\"],\"pcie_generation\":5,\"pcie_width\":16,\"processes\":3}");
}

TEST(an_old_driver_gives_the_same_telemetry)
{
    check_telemetry(
        &old_driver, UUID_1,
        "{\"utilization_gpu\":97,\"utilization_memory\":31,\"memory_used_bytes\":40,\"memory_total_bytes\":100,"
        "\"temperature_c\":42.0,\"power_w\":123.5,\"power_limit_w\":700.0,\"sm_clock_mhz\":1980.0,"
        "\"memory_clock_mhz\":3201.0,\"throttle\":[],\"throttled_by\":[],\"pcie_generation\":5,\"pcie_width\":16,\"processes\":0}");
}

/* Memory and processes are the instance's own; clocks, temperature, power and link are those of its GPU. */
TEST(a_mig_instance_shares_the_sensors_of_its_gpu)
{
    check_telemetry(
        &new_driver, UUID_MIG,
        "{\"utilization_gpu\":null,\"utilization_memory\":null,\"memory_used_bytes\":39,"
        "\"memory_total_bytes\":20,\"temperature_c\":41.0,\"power_w\":123.5,\"power_limit_w\":700.0,"
        "\"sm_clock_mhz\":1980.0,\"memory_clock_mhz\":3201.0,\"throttle\":[\"power-cap\",\"hardware-thermal\"],"
        "\"throttled_by\":[\"hardware-thermal\"],\"pcie_generation\":5,\"pcie_width\":16,\"processes\":0}");
}

TEST(fields_of_missing_functions_are_null)
{
    struct lab_nvml *nvml = lab_nvml_open_with(resolve_bare, &new_driver, NULL);
    struct lab_conditions conditions;
    json_t *telemetry = lab_nvml_telemetry(nvml, UUID_0), *value;
    const char *key;
    assert_int_equal(json_object_size(telemetry), 14);
    json_object_foreach(telemetry, key, value)
        assert_true(json_is_null(value) || (strncmp(key, "throttle", 8) == 0 && json_array_size(value) == 0));
    json_decref(telemetry);
    assert_true(lab_nvml_conditions(nvml, UUID_0, &conditions));
    assert_true(isnan(conditions.sm_clock_mhz) && isnan(conditions.temperature_c) && isnan(conditions.power_w));
    assert_int_equal(lab_nvml_process_count(nvml, UUID_0), -1);
    lab_nvml_close(nvml);
}

TEST(conditions_are_read)
{
    struct lab_nvml *nvml = open_new();
    struct lab_conditions conditions;
    assert_true(lab_nvml_conditions(nvml, UUID_0, &conditions));
    assert_true(conditions.sm_clock_mhz == 1980 && conditions.temperature_c == 41 && conditions.power_w == 123.5);
    assert_int_equal(conditions.throttle_count, 2);
    assert_string_equal(conditions.throttle[0], "power-cap");
    assert_false(lab_nvml_conditions(nvml, "GPU-unknown", &conditions));
    assert_true(isnan(conditions.sm_clock_mhz) && conditions.throttle_count == 0);
    assert_int_equal(lab_nvml_process_count(nvml, UUID_0), 3);
    assert_int_equal(lab_nvml_process_count(nvml, UUID_1), 0);
    assert_int_equal(lab_nvml_process_count(nvml, "GPU-unknown"), -1);
    lab_nvml_close(nvml);
}

static void expect_readings(enum age *age, const char *uuid, const int64_t expected[LAB_READINGS])
{
    int64_t readings[LAB_READINGS];
    struct lab_nvml *nvml = lab_nvml_open_with(resolve, age, NULL);
    assert_true(lab_nvml_readings(nvml, uuid, readings));
    lab_nvml_close(nvml);
    for (size_t i = 0; i < LAB_READINGS; i++)
        if (readings[i] != expected[i])
            fail_msg("reading %zu is %lld, not %lld", i, (long long)readings[i], (long long)expected[i]);
}

/* Rows are remapped by devices of new generations, pages are retired by older ones. */
TEST(readings_that_a_device_does_not_have_are_unknown)
{
    const int64_t unknown = LAB_UNKNOWN;
    const int64_t remapping[LAB_READINGS] = {16, 5, 2, 7, 3, 1, 0, unknown, unknown, 3};
    const int64_t retiring[LAB_READINGS] = {16, 5, unknown, unknown, unknown, unknown, unknown, 4, 1, 0};
    const int64_t without_remapping[LAB_READINGS] = {16, 5, 2, 7, unknown, unknown, unknown, unknown, unknown, 3};
    int64_t of_instance[LAB_READINGS];
    memcpy(of_instance, remapping, sizeof of_instance);
    of_instance[LAB_READING_PROCESSES] = 0;
    expect_readings(&new_driver, UUID_0, remapping);
    expect_readings(&new_driver, UUID_MIG, of_instance);
    expect_readings(&new_driver, UUID_1, retiring);
    expect_readings(&old_driver, UUID_0, without_remapping);
    int64_t readings[LAB_READINGS];
    assert_false(lab_nvml_readings(NULL, UUID_0, readings));
    assert_true(readings[LAB_READING_LINK_WIDTH] == LAB_UNKNOWN);
}

TEST(energy_is_that_of_a_whole_gpu_with_a_counter)
{
    static const char *const without[] = {UUID_1, UUID_MIG, "GPU-unknown"};
    double joules = 0;
    struct lab_nvml *nvml = open_new();
    assert_true(lab_nvml_energy(nvml, UUID_0, &joules));
    assert_true(fabs(joules - 5123456.789) < 1e-6);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_false(lab_nvml_energy(nvml, without[i], &joules));
    lab_nvml_close(nvml);

    nvml = lab_nvml_open_with(resolve, &old_driver, NULL);
    assert_false(lab_nvml_energy(nvml, UUID_0, &joules));
    assert_false(lab_nvml_energy(NULL, UUID_0, &joules));
    lab_nvml_close(nvml);
}

static void complete(struct lab_device_facts *facts)
{
    struct lab_nvml *nvml = open_new();
    lab_facts_clear(facts);
    snprintf(facts->uuid, sizeof facts->uuid, UUID_0);
    snprintf(facts->compute_capability, sizeof facts->compute_capability, "9.0");
    facts->peer_count = 1;
    snprintf(facts->peers[0].id, sizeof facts->peers[0].id, UUID_1);
    lab_nvml_complete(nvml, facts);
    lab_nvml_close(nvml);
}

TEST(facts_are_completed)
{
    struct lab_device_facts facts;
    complete(&facts);
    assert_string_equal(facts.driver_release, "580.159.04");
    assert_string_equal(facts.pci_address, "0000:3b:00.0");
    assert_int_equal(facts.ecc_enabled, 1);
    assert_int_equal(facts.persistence_mode, 1);
    assert_int_equal(facts.pcie_max_generation, 5);
    assert_int_equal(facts.pcie_max_width, 16);
    assert_true(fabs(facts.pcie_peak_bytes_per_s - 63.015e9) < 1e6);
    assert_string_equal(facts.peers[0].link, "PCIe");
    assert_true(facts.peers[0].peak_bytes_per_s == 0);
}

TEST(links_between_devices_are_counted)
{
    struct lab_device_facts facts;
    links_up = 4;
    links_direct = true;
    complete(&facts);
    assert_string_equal(facts.peers[0].link, "NVLink x4");
    assert_true(facts.peers[0].peak_bytes_per_s == 100e9);
    links_up = 18;
    links_direct = false;
    complete(&facts);
    assert_string_equal(facts.peers[0].link, "NVLink x18");
    assert_true(facts.peers[0].peak_bytes_per_s == 450e9);
}
