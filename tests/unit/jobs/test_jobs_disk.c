/* server/jobs: runs while the disk is full. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include "support/store_disk.h"

AROUND_EACH_TEST(.setup = disk_install)

/* The store refuses to start the run again and again. A cancel that is accepted meanwhile is recorded when the disk has
 * space. */
TEST(a_cancel_while_the_store_refuses_to_start_the_run_is_kept)
{
    char id[LAB_RUN_ID_SIZE];
    struct switch_file broken;
    struct lab *lab = lab_setup(0);
    await_no_worker();
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    lab_submit(lab, "finish", "fake-0", id);
    lab_await_held(lab, "the driver is broken");
    atomic_store(&disk.full_delay_ms, 20); /* so that the run is being started most of the time */
    atomic_store(&disk.full, true);
    switch_off(&broken);
    for (int i = 0; i < 6000 && lab_store_healthy(lab->store, NULL, 0); i++) /* until it has refused to start the run */
        usleep(10000);
    enum lab_cancel_result result = LAB_CANCEL_STORE;
    for (int i = 0; i < 6000 && result == LAB_CANCEL_STORE;
         i++) { /* while the run is in the queue, the store refuses it */
        result = lab_jobs_cancel(lab->jobs, id, NULL);
        usleep(1000); /* without which this thread would take the lock again before that which starts runs has it */
    }
    assert_int_equal(result, LAB_CANCEL_OK);
    usleep(100000); /* so that it refuses once more after the cancel */
    atomic_store(&disk.full, false);
    lab_expect(lab, id, "cancelled");
    lab_teardown(lab);
}
