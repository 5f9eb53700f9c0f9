/* kernels/core/clock.c: times as text, and texts that are not times. */
#include "core/clock.h"
#include "support/test.h"

#include <errno.h>

/* --- the monotonic clock ------------------------------------------------------------------------------------------ */

TEST(a_condition_waits_until_a_moment_of_the_clock)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;
    lab_condition_init(&never);
    double until = lab_clock_now() + 0.02;
    struct timespec moment = lab_clock_moment(until);
    int result = 0;
    pthread_mutex_lock(&lock);
    while (result == 0)
        result = pthread_cond_timedwait(&never, &lock, &moment);
    pthread_mutex_unlock(&lock);
    assert_int_equal(result, ETIMEDOUT);
    assert_true(lab_clock_now() >= until - 1e-6); /* the moment has whole nanoseconds */
    pthread_cond_destroy(&never);
}

/* --- times as text ------------------------------------------------------------------------------------------------ */

TEST(times_are_rfc_3339)
{
    static const struct {
        int64_t at;
        const char *text;
    } cases[] = {{0, "1970-01-01T00:00:00.000000Z"},
                 {1738324800000001, "2025-01-31T12:00:00.000001Z"},
                 {-1, "1969-12-31T23:59:59.999999Z"},
                 {LAB_NO_TIME, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[LAB_TIME_SIZE];
        lab_time_text(cases[i].at, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void expect_time(const char *text, int64_t wanted)
{
    int64_t at;
    if (!lab_time_parse(text, &at))
        fail_msg("%s was rejected", text);
    if (at != wanted)
        fail_msg("%s was read as %lld us", text, (long long)at);
}

TEST(times_are_read)
{
    expect_time("1970-01-01", 0);
    expect_time("1970-01-01T00:00:00Z", 0);
    expect_time("1970-01-01T00:00:01.5Z", 1500000);
    expect_time("1970-01-01T00:00:00.0000019z", 1);
    expect_time("1970-01-01t02:30:00+02:30", 0);
    expect_time("1969-12-31T23:00:00-01:00", 0);
    expect_time("2024-02-29T12:00:00Z", 1709208000000000);
    expect_time("1969-12-31T23:59:59.999999Z", -1);
}

TEST(malformed_times_are_rejected)
{
    static const char *const texts[] = {"",
                                        "yesterday",
                                        "2025",
                                        "2025-1-1",
                                        "2025-02-30",
                                        "2023-02-29",
                                        "2025-13-01",
                                        "2025-01-01T24:00:00Z",
                                        "2025-01-01T00:60:00Z",
                                        "2025-01-01T00:00:60Z",
                                        "2025-01-01T00:00:00",
                                        "2025-01-01 00:00:00Z",
                                        "2025-01-01T00:00:00.Z",
                                        "2025-01-01T00:00:00+1:00",
                                        "2025-01-01T00:00:00+24:00",
                                        "2025-01-01T00:00:00Zx",
                                        "2025-01-01x"};
    int64_t at;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (lab_time_parse(texts[i], &at))
            fail_msg("%s was accepted", texts[i]);
}

TEST(what_is_written_is_read)
{
    char text[LAB_TIME_SIZE];
    int64_t now = lab_time_now();
    lab_time_text(now, text);
    expect_time(text, now);
}
