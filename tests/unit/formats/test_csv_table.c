/* kernels/formats/csv_table.c. */
#include "support/result_file.h"
#include "support/test.h"

TEST(columns_with_units_are_measured_and_the_others_are_axes)
{
    static const char fast[] = "{\"kernel\": \"saxpy, fast\", \"n\": 1024, \"pinned\": true}",
                      plain[] = "{\"kernel\": \"saxpy\", \"n\": 2048, \"pinned\": false}";
    struct lab_result_file file = result_file_of_corpus("csv", "table.csv");
    check_samples(&file, "time", fast, "s", 0.5e-3, 0.25e-3);
    check_samples(&file, "bandwidth", fast, "GB/s", 120, 125);
    check_samples(&file, "effort", fast, "J/step", 3); /* an empty cell is no sample; a unit that is not known stays */
    check_samples(&file, "time", plain, "s", 1.5e-3);
    assert_int_equal(file.count, 6);
    lab_result_file_release(&file);
}

TEST(rows_can_say_what_they_measure)
{
    struct lab_result_file file = result_file_of_corpus("csv", "long.csv");
    check_samples(&file, "time", "{\"n\": 64}", "s", 2.5e-6, 2.75e-6);
    check_samples(&file, "clock", "{\"n\": 64}", "Hz", 1.98e9);
    lab_result_file_release(&file);
}

TEST(cells_are_divided_as_rfc_4180_says)
{
    struct lab_result_file file = result_file_of("csv", "name,v []\n\"a \"\"b\"\", c\" , 1 \n\" d \",2\n");
    check_samples(&file, "v", "{\"name\": \"a \\\"b\\\", c\"}", "1", 1);
    check_samples(&file, "v", "{\"name\": \" d \"}", "1", 2);
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const struct {
        const char *text, *code, *detail;
    } cases[] = {
        {"n,time\n1,2\n", "missing",
         "Line 1: No column is measured; the name of one must be 'NAME [UNIT]', or there must be 'metric' and 'value'."},
        {"n,n,t [s]\n1,2,3\n", "duplicate", "Line 1: The column 'n' must be there once."},
        {"t [s],t [ms]\n1,2\n", "duplicate", "Line 1: The column 't' must be there once."},
        {"n,t [s]\n1\n", "incomplete", "Line 2: The line has 1 values; it must have one for each of the 2 columns."},
        {"n,t [s]\n1,2,3\n", "incomplete",
         "Line 2: The line has 3 values; it must have one for each of the 2 columns."},
        {"n,t [s]\n1,NaN\n", "wrong-type", "Line 2: 't' must be a finite number, not \"NaN\"."},
        {"n,t [s]\n1,0x10\n", "wrong-type", "Line 2: 't' must be a finite number, not \"0x10\"."},
        {"n,t [s]\n1,1e400\n", "wrong-type", "Line 2: 't' must be a finite number, not \"1e400\"."},
        {"n,t [s]\n1,-2\n", "out-of-bounds", "Line 2: 't' is -2 s; it must not be negative."},
        {"n,t [s]\n\"1,2\n", "incomplete", "Line 2: A quotation mark must be closed on its line."},
        {"n,t [s]\n\"1\"\"\n", "incomplete", "Line 2: A quotation mark must be closed on its line."},
        {"n,t [s]\n\"1\"2,3\n", "incomplete",
         "Line 2: After a quoted cell there must be a comma or the end of the line."},
        {"n,t [s]\n\x1b[2J,3\n", "out-of-bounds", "Line 2: The line must not have control characters."},
        {"metric,value\n,3\n", "too-long", "Line 2: The name of a metric must have 1 to 128 characters, not 0."},
        {"t [s]\n", "no-result", "The file has no results of CSV."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        result_check_refused("csv", cases[i].text, cases[i].code, "", cases[i].detail);
}
