/* kernels/measure/schedule.c, compared with schedules computed by hand: four chunks, each with a copy to the device
 * ("up"), a kernel and a copy to the host ("down") of one time unit each. The first tests are the schedules that
 * articles on overlapping transfers show.
 */
#include "measure/schedule.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>

enum { CHUNKS = 4 };

static void assert_close(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-9))
        fail_msg("found %.12g instead of %.12g", found, wanted);
}

static struct lab_scheduled_operation unit(size_t stream, enum lab_engine engine)
{
    return (struct lab_scheduled_operation){.stream = stream, .engine = engine, .alone = 1, .contended = 1};
}

/* Issues up, kernel and down of one chunk after another, each chunk in its own stream. */
static void depth_first(struct lab_scheduled_operation operations[3 * CHUNKS])
{
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i] = unit(i / 3, (enum lab_engine)(i % 3));
}

/* Issues all ups, then all kernels, then all downs. */
static void breadth_first(struct lab_scheduled_operation operations[3 * CHUNKS])
{
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i] = unit(i % CHUNKS, (enum lab_engine)(i / CHUNKS));
}

static double simulate(void (*order)(struct lab_scheduled_operation *), size_t copy_engines, bool together)
{
    struct lab_scheduled_operation operations[3 * CHUNKS];
    order(operations);
    return lab_schedule_simulate(operations, 3 * CHUNKS,
                                 &(struct lab_schedule_device){copy_engines, LAB_ORDER_ISSUED, together});
}

TEST(without_a_copy_engine_all_times_add_up)
{
    assert_close(simulate(depth_first, 0, false), 12);
    assert_close(simulate(breadth_first, 0, false), 12);
}

TEST(one_copy_engine_makes_depth_first_no_faster_than_sequential)
{
    assert_close(simulate(depth_first, 1, false), 12);
    assert_close(simulate(breadth_first, 1, false), 8);
}

TEST(with_two_copy_engines_only_fill_and_drain_remain)
{
    assert_close(simulate(depth_first, 2, false), 6);
    assert_close(simulate(breadth_first, 2, false), 6);
}

TEST(kernels_that_end_together_delay_the_downs_of_breadth_first)
{
    assert_close(simulate(breadth_first, 2, true), 9);
    assert_close(simulate(depth_first, 2, true), 6);
}

TEST(an_event_after_each_kernel_lets_it_end_independently)
{
    /* all ups, then kernel and event of each chunk, then all downs */
    struct lab_scheduled_operation operations[3 * CHUNKS];
    breadth_first(operations);
    for (size_t i = CHUNKS; i < 2 * CHUNKS; i++)
        operations[i].event_after = true;
    assert_close(
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, true}), 6);
}

TEST(copies_in_both_directions_take_their_contended_time)
{
    /* the first up runs alone from 0 to 1; then the second up and the down start together, at contended speed */
    struct lab_scheduled_operation operations[] = {
        {.stream = 0, .engine = LAB_ENGINE_H2D, .alone = 1, .contended = 2},
        {.stream = 0, .engine = LAB_ENGINE_D2H, .alone = 1, .contended = 2},
        {.stream = 1, .engine = LAB_ENGINE_H2D, .alone = 3, .contended = 6},
    };
    /* the down runs from 1 to 3; by then a third of the second up is done, and the rest takes 2 more alone */
    assert_close(lab_schedule_simulate(operations, 3, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false}), 5);
    assert_close(operations[1].start, 1);
    assert_close(operations[1].end, 3);
    assert_close(operations[2].end, 5);
}

TEST(start_and_end_of_each_operation_are_set)
{
    struct lab_scheduled_operation operations[3 * CHUNKS];
    depth_first(operations);
    lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false});
    for (size_t i = 0; i < 3 * CHUNKS; i++) {
        assert_close(operations[i].start, (double)(i / 3 + i % 3));
        assert_close(operations[i].end, operations[i].start + 1);
    }
}

TEST(one_stream_is_sequential_on_any_device)
{
    struct lab_scheduled_operation operations[] = {unit(0, LAB_ENGINE_H2D), unit(0, LAB_ENGINE_COMPUTE),
                                                   unit(0, LAB_ENGINE_D2H)};
    for (size_t engines = 0; engines < 4; engines++)
        assert_close(
            lab_schedule_simulate(operations, 3, &(struct lab_schedule_device){engines, LAB_ORDER_ISSUED, false}), 3);
}

/* Four chunks in two streams, breadth first: stream 0 has ups 0 and 2, then kernels 0 and 2. */
static double simulate_two_streams(enum lab_schedule_order order)
{
    struct lab_scheduled_operation operations[3 * CHUNKS];
    breadth_first(operations);
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i].stream = i % 2;
    return lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, order, false});
}

TEST(an_engine_that_serves_one_stream_first_finishes_it_early)
{
    /* ups 0..4, but kernel 0 waits for up 2 of its stream: 3..7; down 0 waits for kernel 2: 6..10 */
    assert_close(simulate_two_streams(LAB_ORDER_ISSUED), 10);
    assert_close(simulate_two_streams(LAB_ORDER_READY), 10);
    /* stream 0: ups 0..2, kernels 2..4, downs 4..6; stream 1 two units later: 8 */
    assert_close(simulate_two_streams(LAB_ORDER_STREAM), 8);
}

TEST(one_queue_delays_operations_that_many_queues_do_not)
{
    struct lab_scheduled_operation operations[3 * CHUNKS];
    depth_first(operations);
    double one_queue =
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){1, LAB_ORDER_ISSUED, false});
    double many_queues =
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){1, LAB_ORDER_READY, false});
    assert_close(one_queue, 12);
    assert_close(many_queues, 8); /* eight copies one after another, the kernels at the same time */
}

TEST(an_empty_schedule_takes_no_time)
{
    assert_close(lab_schedule_simulate(NULL, 0, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false}), 0);
}
