/* kernels/facts/xids.c on a fake NVML. */
#include "facts/xids.h"
#include "support/fake_nvml.h"
#include "support/test.h"

static enum age new_driver = NEW, old_driver = OLD;

/* Watches a device while errors come. */
static struct lab_xids watch(enum age *driver, const char *uuid, const unsigned *numbers, size_t count)
{
    struct lab_nvml *nvml = lab_nvml_open_with(resolve, driver, NULL);
    struct lab_xids xids;
    xid_count = 0;
    struct lab_xid_watch *begun = lab_xids_begin(nvml, &uuid, 1);
    for (; xid_count < count; xid_count++)
        xids_due[xid_count] = numbers[xid_count];
    lab_xids_end(begun, 5, &xids);
    assert_int_equal(event_sets, 0);
    lab_nvml_close(nvml);
    return xids;
}

TEST(errors_are_read_once_each)
{
    static const unsigned numbers[] = {31, 43, 31, 48};
    struct lab_xids xids = watch(&new_driver, UUID_0, numbers, 4);
    assert_int_equal(xids.count, 3);
    assert_int_equal(xids.numbers[0], 31);
    assert_int_equal(xids.numbers[1], 43);
    assert_int_equal(xids.numbers[2], 48);
}

TEST(those_of_an_instance_are_those_of_its_gpu)
{
    static const unsigned numbers[] = {13};
    assert_int_equal(watch(&new_driver, UUID_MIG, numbers, 1).count, 1);
    assert_int_equal(watch(&new_driver, UUID_1, numbers, 1).count, 0);
    assert_int_equal(watch(&new_driver, "GPU-unknown", numbers, 1).count, 0);
}

TEST(a_driver_without_events_reports_none)
{
    static const unsigned numbers[] = {31};
    struct lab_xids xids = {.count = 9};
    assert_int_equal(watch(&old_driver, UUID_0, numbers, 1).count, 0);
    assert_null(lab_xids_begin(NULL, NULL, 0));
    lab_xids_end(NULL, 5, &xids);
    assert_int_equal(xids.count, 0);
}

TEST(errors_are_of_the_program_or_of_the_device)
{
    assert_string_equal(lab_xid_text(31), "GPU memory page fault");
    assert_true(lab_xid_is_of_program(31));
    assert_false(lab_xid_is_of_program(79));
    assert_null(lab_xid_text(9999));
    assert_false(lab_xid_is_of_program(9999));
}
