/* kernels/measure/schedule.c against schedules worked out by hand, the drawn ones of the article on overlapping transfers first: four
 * chunks, each of one unit up, one of kernel, one down.
 */
#include "measure/schedule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CHUNKS = 4 };

static void assert_close(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-9))
        fail_msg("%.12g is not %.12g", found, wanted);
}

static struct lab_scheduled unit(size_t stream, enum lab_engine engine)
{
    return (struct lab_scheduled){.stream = stream, .engine = engine, .alone = 1, .contended = 1};
}

/* V1: for each chunk up, kernel, down in its stream. */
static void depth_first(struct lab_scheduled operations[3 * CHUNKS])
{
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i] = unit(i / 3, (enum lab_engine)(i % 3));
}

/* V2: all ups, all kernels, all downs. */
static void breadth_first(struct lab_scheduled operations[3 * CHUNKS])
{
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i] = unit(i % CHUNKS, (enum lab_engine)(i / CHUNKS));
}

static double simulate(void (*order)(struct lab_scheduled *), size_t copy_engines, bool together)
{
    struct lab_scheduled operations[3 * CHUNKS];
    order(operations);
    return lab_schedule_simulate(operations, 3 * CHUNKS,
                                 &(struct lab_schedule_device){copy_engines, LAB_ORDER_ISSUED, together});
}

static void with_no_copy_engine_everything_adds_up(void **state)
{
    (void)state;
    assert_close(simulate(depth_first, 0, false), 12);
    assert_close(simulate(breadth_first, 0, false), 12);
}

static void one_copy_engine_makes_depth_first_no_faster_than_sequential(void **state)
{
    (void)state;
    assert_close(simulate(depth_first, 1, false), 12);
    assert_close(simulate(breadth_first, 1, false), 8);
}

static void two_copy_engines_leave_fill_and_drain(void **state)
{
    (void)state;
    assert_close(simulate(depth_first, 2, false), 6);
    assert_close(simulate(breadth_first, 2, false), 6);
}

static void kernels_that_end_together_hold_back_the_downs_of_breadth_first(void **state)
{
    (void)state;
    assert_close(simulate(breadth_first, 2, true), 9);
    assert_close(simulate(depth_first, 2, true), 6);
}

static void an_event_behind_each_kernel_lets_it_end_by_itself(void **state)
{
    (void)state;
    /* V3: all ups, then {kernel, event} each, then all downs */
    struct lab_scheduled operations[3 * CHUNKS];
    breadth_first(operations);
    for (size_t i = CHUNKS; i < 2 * CHUNKS; i++)
        operations[i].event_behind = true;
    assert_close(
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, true}), 6);
}

static void copies_that_run_together_go_at_their_contended_rate(void **state)
{
    (void)state;
    /* up 0..1 alone; then up and down together: each would take 2, the down has begun with the second up */
    struct lab_scheduled operations[] = {
        {.stream = 0, .engine = LAB_ENGINE_UP, .alone = 1, .contended = 2},
        {.stream = 0, .engine = LAB_ENGINE_DOWN, .alone = 1, .contended = 2},
        {.stream = 1, .engine = LAB_ENGINE_UP, .alone = 3, .contended = 6},
    };
    /* the down runs 1..3 beside the second up, which has done a third of itself by then and takes 2 more alone */
    assert_close(lab_schedule_simulate(operations, 3, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false}), 5);
    assert_close(operations[1].start, 1);
    assert_close(operations[1].end, 3);
    assert_close(operations[2].end, 5);
}

static void times_of_each_operation_come_out(void **state)
{
    (void)state;
    struct lab_scheduled operations[3 * CHUNKS];
    depth_first(operations);
    lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false});
    for (size_t i = 0; i < 3 * CHUNKS; i++) {
        assert_close(operations[i].start, (double)(i / 3 + i % 3));
        assert_close(operations[i].end, operations[i].start + 1);
    }
}

static void one_stream_is_sequential_on_any_device(void **state)
{
    (void)state;
    struct lab_scheduled operations[] = {unit(0, LAB_ENGINE_UP), unit(0, LAB_ENGINE_COMPUTE), unit(0, LAB_ENGINE_DOWN)};
    for (size_t engines = 0; engines < 4; engines++)
        assert_close(
            lab_schedule_simulate(operations, 3, &(struct lab_schedule_device){engines, LAB_ORDER_ISSUED, false}), 3);
}

/* Two streams, four chunks, breadth first: stream 0 has ups 0 and 2, then its kernels. */
static double simulate_two_streams(enum lab_schedule_order order)
{
    struct lab_scheduled operations[3 * CHUNKS];
    breadth_first(operations);
    for (size_t i = 0; i < 3 * CHUNKS; i++)
        operations[i].stream = i % 2;
    return lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){2, order, false});
}

static void an_engine_that_serves_a_stream_first_lets_it_go_on(void **state)
{
    (void)state;
    /* ups 0..4, but kernel 0 waits for up 2 of its stream: 3..7; down 0 waits for kernel 2: 6..10 */
    assert_close(simulate_two_streams(LAB_ORDER_ISSUED), 10);
    assert_close(simulate_two_streams(LAB_ORDER_READY), 10);
    /* stream 0: ups 0..2, kernels 2..4, downs 4..6; stream 1 two behind: 8 */
    assert_close(simulate_two_streams(LAB_ORDER_STREAM), 8);
}

static void one_queue_holds_back_what_many_do_not(void **state)
{
    (void)state;
    struct lab_scheduled operations[3 * CHUNKS];
    depth_first(operations);
    double held =
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){1, LAB_ORDER_ISSUED, false});
    double free_order =
        lab_schedule_simulate(operations, 3 * CHUNKS, &(struct lab_schedule_device){1, LAB_ORDER_READY, false});
    assert_close(held, 12);
    assert_close(free_order, 8); /* eight copies behind each other, the kernels beside them */
}

static void nothing_takes_no_time(void **state)
{
    (void)state;
    assert_close(lab_schedule_simulate(NULL, 0, &(struct lab_schedule_device){2, LAB_ORDER_ISSUED, false}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_no_copy_engine_everything_adds_up),
        cmocka_unit_test(one_copy_engine_makes_depth_first_no_faster_than_sequential),
        cmocka_unit_test(two_copy_engines_leave_fill_and_drain),
        cmocka_unit_test(kernels_that_end_together_hold_back_the_downs_of_breadth_first),
        cmocka_unit_test(an_event_behind_each_kernel_lets_it_end_by_itself),
        cmocka_unit_test(copies_that_run_together_go_at_their_contended_rate),
        cmocka_unit_test(times_of_each_operation_come_out),
        cmocka_unit_test(one_stream_is_sequential_on_any_device),
        cmocka_unit_test(an_engine_that_serves_a_stream_first_lets_it_go_on),
        cmocka_unit_test(one_queue_holds_back_what_many_do_not),
        cmocka_unit_test(nothing_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
