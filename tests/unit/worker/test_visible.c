/* kernels/worker/visible.c: for which devices CUDA_VISIBLE_DEVICES asks, and which of them is not there. */
#include "support/test.h"
#include "worker/visible.h"

#include <stdint.h>
#include <stdlib.h>

TEST(words_for_no_device_end_the_list)
{
    static const struct {
        const char *value;
        size_t count;
    } cases[] = {
        {"", 0},
        {" ", 0},
        {"-1", 0},
        {"NoDevFiles", 0},
        {"nodevfiles", 0},
        {"none", 0},
        {"0", 1},
        {"0,1", 2},
        {" 0 , 1 ", 2},
        {"0,-1,1", 1},
        {"1,", 1},
        {",1", 0},
        {"GPU-8f", 1},
        {"GPU-8f,GPU-9a,3", 3},
        {"MIG-1,MIG-2", 1},
        {"nonexistent", 1},
        {"0,none,1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(lab_visible_count(cases[i].value), cases[i].count);
}

static void expect_missing(const char *value, size_t found, const char *detail)
{
    struct lab_error error = {0};
    assert_false(lab_visible_check(value, found, &error));
    assert_int_equal(error.code, LAB_ERROR_NO_DEVICE);
    assert_string_equal(error.detail, detail);
}

TEST(the_variable_is_put_together_of_uuids)
{
    struct lab_visible visible = {0};
    setenv("CUDA_VISIBLE_DEVICES", "2,3", 1);
    lab_visible_set(&visible);
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,3");
    assert_true(lab_visible_add(&visible, "GPU-8f"));
    assert_true(lab_visible_add(&visible, "GPU-9a"));
    lab_visible_set(&visible);
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "GPU-8f,GPU-9a");
    size_t count = 2;
    while (lab_visible_add(&visible, "GPU-01234567-0123-0123-0123-0123456789ab"))
        count++;
    assert_true(count > 64);
    assert_int_equal(lab_visible_count(visible.value), count); /* what has no space is not cut off */
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(the_first_missing_device_is_named)
{
    struct lab_error error = {0};
    assert_true(lab_visible_check("0,1", 2, &error));
    assert_true(lab_visible_check("none", 0, &error));
    assert_true(lab_visible_check("MIG-1,MIG-2", 1, &error));
    expect_missing("99", 0, "CUDA_VISIBLE_DEVICES is \"99\", but CUDA does not find the device \"99\"");
    expect_missing("0, GPU-8f ,1", 1,
                   "CUDA_VISIBLE_DEVICES is \"0, GPU-8f ,1\", but CUDA does not find the device \"GPU-8f\"");
    expect_missing("0,1,0", 0, "CUDA_VISIBLE_DEVICES names the device \"0\" twice");
}
