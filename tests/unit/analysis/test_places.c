/* server/analysis/places.c: who shares a place. */
#include "support/test.h"

#include "analysis/places.h"

enum { SAMPLES = 9 };

/* Samples around a value, whose quartiles are `spread` away from it. */
static struct lab_contender contender(double samples[SAMPLES], double value, double spread)
{
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = value + spread * (i - 4) / 2;
    return (struct lab_contender){.value = value, .samples = samples, .sample_count = SAMPLES};
}

TEST(values_that_differ_by_more_than_their_noise_have_places_of_their_own)
{
    double samples[3][SAMPLES];
    struct lab_contender list[] = {contender(samples[0], 100, 0.1), contender(samples[1], 102, 0.1),
                                   contender(samples[2], 105, 0.1)};
    assert_true(lab_places(list, 3, false));
    for (size_t i = 0; i < 3; i++)
        assert_true(list[i].place == i + 1 && !list[i].shared);
}

TEST(a_place_is_shared_by_those_who_cannot_be_told_from_its_first)
{
    double samples[4][SAMPLES];
    struct lab_contender list[] = {contender(samples[0], 100, 0.1), contender(samples[1], 99.2, 0.1),
                                   contender(samples[2], 98.5, 0.1), contender(samples[3], 98.2, 0.1)};
    assert_true(lab_places(list, 4, true));
    assert_true(list[0].place == 1 && list[0].shared);
    assert_true(list[1].place == 1 && list[1].shared);
    assert_true(list[2].place == 3 && list[2].shared); /* 1.5 % from the first, 0.7 % from the one before */
    assert_true(list[3].place == 3 && list[3].shared);
}

TEST(noise_makes_a_place_wider)
{
    double samples[2][SAMPLES];
    struct lab_contender list[] = {contender(samples[0], 100, 3), contender(samples[1], 105, 3)};
    assert_true(lab_places(list, 2, false));
    assert_true(list[0].place == 1 && list[1].place == 1);
}

TEST(without_samples_one_percent_decides)
{
    struct lab_contender list[] = {{.value = 100}, {.value = 100.9}, {.value = 101.1}};
    assert_true(lab_places(list, 3, false));
    assert_true(list[0].place == 1 && list[1].place == 1 && list[2].place == 3 && !list[2].shared);
    assert_true(lab_places(list, 0, false));
}
