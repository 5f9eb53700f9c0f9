/* kernels/formats/nccl_tests.c, the JSON file. */
#include "support/result_file.h"
#include "support/test.h"

#define SMALL(IN_PLACE)                                                                                                \
    "{\"operation\": \"all_reduce\", \"bytes\": 8, \"type\": \"float\", \"redop\": \"sum\", \"in_place\": " IN_PLACE "}"
#define LARGE(IN_PLACE)                                                                                                    \
    "{\"operation\": \"all_reduce\", \"bytes\": 1048576, \"type\": \"float\", \"redop\": \"sum\", \"in_place\": " IN_PLACE \
    "}"

TEST(results_become_measurements)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.json");
    check_samples(&file, "time", SMALL("false"), "s", 12.5e-6);
    check_samples(&file, "time", SMALL("true"), "s", 12.25e-6);
    check_samples(&file, "algbw", LARGE("false"), "GB/s", 26.25);
    check_samples(&file, "busbw", LARGE("true"), "GB/s", 25.5);
    assert_int_equal(file.count, 4 * 3 + 1);
    lab_result_file_release(&file);
}

TEST(times_of_iterations_are_samples_without_those_that_the_tool_skips)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.json");
    check_samples(&file, "iteration_time", LARGE("false"), "s", 39e-6, 41e-6);
    lab_result_file_release(&file);
}

TEST(wrong_elements_are_counted_where_they_were_checked)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.json");
    assert_int_equal(result_find(&file, "busbw", SMALL("false"))->wrong, 0);
    assert_int_equal(result_find(&file, "busbw", SMALL("true"))->wrong, -1);
    assert_int_equal(result_find(&file, "busbw", LARGE("false"))->wrong, 3);
    lab_result_file_release(&file);
}

TEST(the_machine_is_read_and_the_environment_is_not)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.json");
    assert_string_equal(file.date, "2026-11-27 13:51:01");
    assert_int_equal(file.at, INT64_MIN); /* the file does not say in which time zone */
    assert_int_equal(json_array_size(file.hosts), 1);
    assert_string_equal(json_string_value(json_array_get(file.hosts, 0)), "node7");
    assert_int_equal(json_array_size(file.devices), 2);
    assert_string_equal(json_string_value(json_array_get(file.devices, 1)), "Device A");
    assert_string_equal(json_string_value(json_object_get(file.versions, "nccl")), "2.21.5");
    assert_int_equal(json_object_size(file.versions), 1);
    assert_int_equal(file.note_count, 0);
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const char name[] = "nccl-tests.json";
    result_check_damaged("nccl-tests", name, "\"time\":12.500000", "\"time\":\"nan\"", "wrong-type",
                         "/results/0/out_of_place/time", "'time' must be a number, not \"nan\".");
    result_check_damaged("nccl-tests", name, "\"time\":12.500000", "\"time\":inf", "malformed-json",
                         "/results/0/out_of_place/time", "The file must be a JSON document: ");
    result_check_damaged("nccl-tests", name, "\"size\":8,", "", "missing", "/results/0/size",
                         "'size' is missing; it must be an integer in digits from 0 to 9007199254740991.");
    result_check_damaged("nccl-tests", name, "\"size\":8,", "\"size\":8,\"size\":8,", "duplicate-key",
                         "/results/0/size", "The file must be a JSON document: ");
    result_check_damaged("nccl-tests", name, "\"bus_bw\":26.250000", "\"bus_bw\":-1", "out-of-bounds", "/results/1",
                         "'busbw' is -1 GB/s; it must not be negative.");
    result_check_damaged("nccl-tests", name, "\"skipped_iterations\":1", "\"skipped_iterations\":-1", "out-of-bounds",
                         "/results/1/out_of_place_per_iter/skipped_iterations",
                         "'skipped_iterations' must be an integer in digits from 0 to 9007199254740991, not -1.");
}

#define OF_AN_H100(BYTES, IN_PLACE)                                                                                    \
    "{\"operation\": \"all_reduce\", \"bytes\": " BYTES                                                                \
    ", \"type\": \"float\", \"redop\": \"sum\", \"in_place\": " IN_PLACE "}"

TEST(files_of_an_h100)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests-2.19.json");
    check_samples(&file, "time", OF_AN_H100("65536", "false"), "s", 7.5144 / 1e6);
    check_samples(&file, "algbw", OF_AN_H100("1048576", "true"), "GB/s", 2503.165433);
    check_samples(&file, "busbw", OF_AN_H100("16777216", "true"), "GB/s", 0);
    assert_int_equal(file.count, 3 * 2 * 3);
    lab_result_file_release(&file);
    file = result_file_of_corpus("nccl-tests", "nccl-tests-2.19.txt");
    check_samples(&file, "time", OF_AN_H100("65536", "false"), "s", 7.51 / 1e6);
    check_samples(&file, "algbw", OF_AN_H100("1048576", "true"), "GB/s", 2503.2);
    assert_int_equal(file.count, 3 * 2 * 3);
    lab_result_file_release(&file);
}

/* Two cycles (-N 2) of five iterations (-I 1). */
TEST(cycles_of_iterations_of_an_h100)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests-2.19-iterations.json");
    check_samples(&file, "time", OF_AN_H100("1048576", "false"), "s", 12.0256 / 1e6, 13.8528 / 1e6);
    check_samples(&file, "iteration_time", OF_AN_H100("1048576", "false"), "s", 12.672 / 1e6, 9.216 / 1e6, 6.784 / 1e6,
                  8.512 / 1e6, 7.776 / 1e6, 17.184 / 1e6, 10.784 / 1e6, 10.016 / 1e6, 9.92 / 1e6, 9.568 / 1e6);
    assert_int_equal(file.count, 2 * 2 * 4);
    lab_result_file_release(&file);
}
