/* kernels/core/format.c: numbers and quantities as people read them. */
#include "core/format.h"
#include "support/test.h"

#include <math.h>

TEST(numbers_have_a_unit_and_four_digits)
{
    char text[LAB_FORMAT_SIZE];
    assert_string_equal(lab_format_bytes(0, text), "0 B");
    assert_string_equal(lab_format_bytes(1000, text), "1000 B");
    assert_string_equal(lab_format_bytes(1024, text), "1 KiB");
    assert_string_equal(lab_format_bytes(1536, text), "1.5 KiB");
    assert_string_equal(lab_format_bytes(268435456, text), "256 MiB");
    assert_string_equal(lab_format_seconds(0, text), "0.000 ns");
    assert_string_equal(lab_format_seconds(1.94e-3, text), "1.940 ms");
    assert_string_equal(lab_format_seconds(53.92e-6, text), "53.92 us");
    assert_string_equal(lab_format_number(0.5231, text), "0.5231");
    assert_string_equal(lab_format_number(26.314, text), "26.31");
    assert_string_equal(lab_format_number(1043.2, text), "1043");
    assert_string_equal(lab_format_number(1.5e-7, text), "1.500e-07");
    assert_string_equal(lab_format_value((double)NAN, "GB/s", text), "-");
    assert_string_equal(lab_format_quantity(684375, "GFLOP/s", text), "684.4 TFLOP/s");
    assert_string_equal(lab_format_quantity(1344000, "GFLOP/s", text), "1.344 PFLOP/s");
    assert_string_equal(lab_format_quantity(0.5, "GFLOP/s", text), "0.5000 GFLOP/s");
    assert_string_equal(lab_format_quantity(4100, "GB/s", text), "4.100 TB/s");
    assert_string_equal(lab_format_quantity(26.31, "GB/s", text), "26.31 GB/s");
    assert_string_equal(lab_format_quantity(1.755e9, "Hz", text), "1.755 GHz");
    assert_string_equal(lab_format_quantity(3.45e8, "Hz", text), "345.0 MHz");
    assert_string_equal(lab_format_quantity(1.23e-5, "s", text), "12.30 us");
    assert_string_equal(lab_format_quantity(0.987, "1", text), "0.9870");
    assert_string_equal(lab_format_quantity(1.056, "J/TFLOP", text), "1.056 J/TFLOP");
    assert_string_equal(lab_format_quantity((double)NAN, "GB/s", text), "-");
    assert_string_equal(lab_format_share(0.0123, text), "1.2 %");
}
