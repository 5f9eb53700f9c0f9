/* kernels/formats/nccl_table.c, the table that the tests print. */
#include "support/result_file.h"
#include "support/test.h"

#define BROADCAST(BYTES, IN_PLACE)                                                                                     \
    "{\"operation\": \"broadcast\", \"bytes\": " BYTES ", \"type\": \"float\", \"root\": 0, \"in_place\": " IN_PLACE "}"

TEST(rows_become_measurements)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.txt");
    check_samples(&file, "time", BROADCAST("8", "false"), "s", 12.5e-6);
    check_samples(&file, "time", BROADCAST("8", "true"), "s", 12.25e-6);
    check_samples(&file, "algbw", BROADCAST("1048576", "false"), "GB/s", 26.25);
    check_samples(&file, "busbw", BROADCAST("1048576", "true"), "GB/s", 25.5);
    assert_int_equal(file.count, 4 * 3);
    assert_int_equal(result_find(&file, "time", BROADCAST("1048576", "false"))->wrong, 3);
    assert_int_equal(result_find(&file, "time", BROADCAST("8", "true"))->wrong, -1);
    lab_result_file_release(&file);
}

TEST(the_lines_above_say_what_the_machine_is)
{
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests.txt");
    assert_string_equal(file.version, "2.19.6");
    assert_int_equal(json_array_size(file.hosts), 1);
    assert_string_equal(json_string_value(json_array_get(file.hosts, 0)), "node7");
    assert_int_equal(json_array_size(file.devices), 2);
    assert_string_equal(json_string_value(json_array_get(file.devices, 1)), "Device A");
    assert_int_equal(file.note_count, 1);
    result_check_note(&file, "NCCL: unhandled system error");
    lab_result_file_release(&file);
}

TEST(older_versions_have_other_columns)
{
    static const char axes[] = "{\"bytes\": 8, \"type\": \"float\", \"in_place\": false}";
    struct lab_result_file file = result_file_of_corpus("nccl-tests", "nccl-tests-2.9.txt");
    check_samples(&file, "busbw", axes, "GB/s", 0);
    check_samples(&file, "max_error", axes, "1", 1e-07);
    assert_string_equal(json_string_value(json_array_get(file.devices, 0)), "Device A");
    assert_int_equal(file.count, 2 * 4);
    lab_result_file_release(&file);
}

#define HEADER "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"

TEST(cycles_are_samples)
{
    struct lab_result_file file =
        result_file_of("nccl-tests", HEADER "8 2 float sum -1 1 2 3 0 4 5 6 0\n8 2 float sum -1 1.5 2 3 2 4 5 6 N/A\n");
    static const char axes[] = "{\"bytes\": 8, \"type\": \"float\", \"redop\": \"sum\", \"in_place\": false}";
    check_samples(&file, "time", axes, "s", 1e-6, 1.5e-6);
    assert_int_equal(result_find(&file, "time", axes)->wrong, 2);
    lab_result_file_release(&file);
}

TEST(the_time_of_the_cpu_is_not_that_of_the_operation)
{
    struct lab_result_file file = result_file_of(
        "nccl-tests", "# size count type redop root cputime algbw busbw #wrong\n8 2 float none -1 1.2e+05 2 3 0\n");
    check_samples(&file, "cpu_time", "{\"bytes\": 8, \"type\": \"float\", \"in_place\": false}", "s", 0.12);
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const char name[] = "nccl-tests.txt";
    result_check_damaged("nccl-tests", name, "12.50    0.00", "nan    0.00", "wrong-type", "",
                         "Line 13: 'time' must be a finite number, not \"nan\".");
    result_check_damaged("nccl-tests", name, "12.50    0.00", "1e999    0.00", "wrong-type", "",
                         "Line 13: 'time' must be a finite number, not \"1e999\".");
    result_check_damaged("nccl-tests", name, "26.25   26.25 ", "26.25 ", "incomplete", "",
                         "Line 14: The line has 13 values; it must have one for each of the 14 columns.");
    result_check_damaged("nccl-tests", name, "40.00   26.25", "-40.00   26.25", "out-of-bounds", "",
                         "Line 14: 'time' is -40 us; it must not be negative.");
    result_check_damaged("nccl-tests", name, "262144     float", "262144     \x01", "out-of-bounds", "",
                         "Line 14: The line must not have control characters.");
}

TEST(a_text_without_a_header_has_no_results)
{
    result_check_refused("nccl-tests", "8 2 float sum -1 1 2 3 0 4 5 6 0\n", "no-result", "",
                         "The file has no results of NCCL tests.");
    result_check_refused("nccl-tests", HEADER "node7: Test failure\n", "no-result", "",
                         "The file has no results of NCCL tests.");
}
