/* kernels/formats/nvbandwidth.c. */
#include "support/result_file.h"
#include "support/test.h"

TEST(matrices_become_measurements)
{
    struct lab_result_file file = result_file_of_corpus("nvbandwidth", "nvbandwidth.json");
    check_samples(&file, "bandwidth", "{\"test\": \"host_to_device_memcpy_ce\", \"gpu\": 1}", "GB/s", 55.5);
    check_samples(&file, "latency", "{\"test\": \"host_device_latency_sm\", \"gpu\": 1}", "s", 701e-9);
    assert_int_equal(file.count, 2 + 6 + 2);
    lab_result_file_release(&file);
}

TEST(both_directions_and_their_sum_are_told_apart)
{
    static const char *const axes[] = {
        "{\"test\": \"device_to_device_bidirectional_memcpy_read_ce\", \"gpu\": 0, \"peer\": 1, \"direction\": \"first\"}",
        "{\"test\": \"device_to_device_bidirectional_memcpy_read_ce\", \"gpu\": 0, \"peer\": 1, \"direction\": \"second\"}",
        "{\"test\": \"device_to_device_bidirectional_memcpy_read_ce\", \"gpu\": 0, \"peer\": 1, \"direction\": \"total\"}",
    };
    struct lab_result_file file = result_file_of_corpus("nvbandwidth", "nvbandwidth.json");
    check_samples(&file, "bandwidth", axes[0], "GB/s", 200.5);
    check_samples(&file, "bandwidth", axes[1], "GB/s", 202);
    check_samples(&file, "bandwidth", axes[2], "GB/s", 402.5);
    lab_result_file_release(&file);
}

TEST(the_machine_and_what_did_not_pass_are_read)
{
    struct lab_result_file file = result_file_of_corpus("nvbandwidth", "nvbandwidth.json");
    assert_string_equal(file.version, "v0.8");
    assert_int_equal(json_array_size(file.devices), 2);
    assert_string_equal(json_string_value(json_array_get(file.devices, 0)), "Device A");
    assert_string_equal(json_string_value(json_array_get(file.hosts, 0)), "node7");
    assert_string_equal(json_string_value(json_object_get(file.versions, "cuda")), "12.4");
    assert_string_equal(json_string_value(json_object_get(file.versions, "driver")), "550.54.15");
    assert_int_equal(file.note_count, 3);
    result_check_note(&file, "multinode_bisect_write_ce: Waived");
    result_check_note(&file, "device_local_copy: Error: out of memory");
    result_check_note(&file, "nvbandwidth: warning: buffer size is small");
    lab_result_file_release(&file);
}

TEST(a_description_that_is_not_known_keeps_rows_and_columns)
{
    struct lab_result_file file = result_file_of(
        "nvbandwidth",
        "{\"nvbandwidth\": {\"testcases\": [{\"name\": \"t\", \"status\": \"Passed\", \"bandwidth_description\": \"new (furlongs)\","
        "\"bandwidth_matrix\": [[1, 2], [3, 4]]}]}}");
    check_samples(&file, "value", "{\"test\": \"t\", \"row\": 1, \"column\": 0}", "1", 3);
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const char name[] = "nvbandwidth.json", row[] = "/nvbandwidth/testcases/0/bandwidth_matrix/0";
    static const char value[] = "A value of the matrix must be a finite number, as text too, or \"N/A\".";
    result_check_damaged("nvbandwidth", name, "\"55.5\"", "\"inf\"", "wrong-type", row, value);
    result_check_damaged("nvbandwidth", name, "\"55.5\"", "null", "wrong-type", row, value);
    result_check_damaged("nvbandwidth", name, "\"55.5\"", "\"1e999\"", "wrong-type", row, value);
    result_check_damaged("nvbandwidth", name, "\"55.5\"", "-1", "out-of-bounds", row,
                         "'bandwidth' is -1 GB/s; it must not be negative.");
    result_check_damaged("nvbandwidth", name, "[ \"201\", \"N/A\" ]", "[ \"201\" ]", "wrong-type",
                         "/nvbandwidth/testcases/1/bandwidth_matrix/1",
                         "A row of the matrix must be a list of 2 values, as the first.");
    result_check_damaged("nvbandwidth", name, "\"status\" : \"Waived\"", "\"status\" : 3", "wrong-type",
                         "/nvbandwidth/testcases/3/status", "'status' must be a string, not 3.");
}

TEST(a_file_of_an_h100)
{
    struct lab_result_file file = result_file_of_corpus("nvbandwidth", "nvbandwidth-h100.json");
    check_samples(&file, "bandwidth", "{\"test\": \"host_to_device_memcpy_ce\", \"gpu\": 0}", "GB/s", 54.9057);
    check_samples(&file, "bandwidth", "{\"test\": \"device_to_host_memcpy_ce\", \"gpu\": 0}", "GB/s", 55.1946);
    check_samples(&file, "bandwidth", "{\"test\": \"host_to_device_memcpy_sm\", \"gpu\": 0}", "GB/s", 50.9484);
    check_samples(&file, "bandwidth", "{\"test\": \"device_local_copy\", \"gpu\": 0}", "GB/s", 1489.24);
    assert_int_equal(file.count, 4);
    assert_string_equal(json_string_value(json_array_get(file.devices, 0)), "NVIDIA H100 80GB HBM3");
    assert_int_equal(file.note_count, 2);
    result_check_note(&file, "device_to_device_memcpy_read_ce: Waived");
    result_check_note(&file, "device_to_host_latency_sm: ERROR");
    lab_result_file_release(&file);
}
