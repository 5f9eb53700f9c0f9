/* server/auth/limiter.c: the token buckets, with times that the test chooses. */
#include "auth/limiter.h"
#include "support/test.h"

#include <stdlib.h>

/* How many of 10,000 requests at the same time are allowed. */
static int burst(struct lab_limiter *limiter, uint64_t client, bool write, int64_t now_ms)
{
    int allowed = 0;
    for (int i = 0; i < 10000; i++)
        allowed += lab_limiter_take(limiter, client, write, now_ms) <= 0;
    return allowed;
}

TEST(test_reads)
{
    struct lab_limiter *limiter = lab_limiter_create(200);
    assert_int_equal(burst(limiter, 1, false, 1000), 400);
    assert_int_equal(burst(limiter, 1, false, 2000), 200);
    assert_int_equal(burst(limiter, 1, false, 2005), 1);
    /* However long a client waits, it may not send more than the burst at once. */
    assert_int_equal(burst(limiter, 1, false, 1000000), 400);
    assert_int_equal(burst(limiter, 2, false, 1000000), 400);
    lab_limiter_free(limiter);
}

TEST(test_writes)
{
    struct lab_limiter *limiter = lab_limiter_create(200);
    assert_int_equal(burst(limiter, 1, true, 1000), 100);
    /* A refused write is not counted, and reads are still allowed: 400 without the 100 writes. */
    assert_int_equal(burst(limiter, 1, false, 1000), 300);
    assert_int_equal(burst(limiter, 1, true, 2000), 20);
    lab_limiter_free(limiter);
}

TEST(test_wait)
{
    struct lab_limiter *limiter = lab_limiter_create(2);
    assert_int_equal(burst(limiter, 1, false, 5000), 4);
    double wait_s = lab_limiter_take(limiter, 1, false, 5000);
    assert_true(wait_s > 0.49 && wait_s < 0.51);
    assert_true(lab_limiter_take(limiter, 1, false, 5499) > 0);
    assert_true(lab_limiter_take(limiter, 1, false, 5500) <= 0);
    /* At the lowest rate a write is possible every ten seconds. */
    struct lab_limiter *slow = lab_limiter_create(1);
    assert_true(lab_limiter_take(slow, 1, true, 1000) <= 0);
    wait_s = lab_limiter_take(slow, 1, true, 1000);
    assert_true(wait_s > 9.9 && wait_s < 10.1);
    lab_limiter_free(slow);
    lab_limiter_free(limiter);
}

/* Others cannot make a client that keeps sending be forgotten, unless its set is full of newer ones. */
TEST(test_many_clients)
{
    struct lab_limiter *limiter = lab_limiter_create(1);
    for (uint64_t client = 0; client < 100000; client++)
        assert_true(lab_limiter_take(limiter, client, false, (int64_t)client + 1) <= 0);
    assert_int_equal(burst(limiter, 99999, false, 100000), 1);
    assert_int_equal(burst(limiter, 0, false, 100000), 2);
    lab_limiter_free(limiter);
}

TEST(test_clients_differ)
{
    assert_true(lab_limiter_client("192.0.2.1", 9) != lab_limiter_client("192.0.2.2", 9));
    assert_true(lab_limiter_client("192.0.2.1", 9) == lab_limiter_client("192.0.2.1", 9));
}
