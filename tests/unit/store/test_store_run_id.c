/* db/runs/run_id.c: format, strict growth, and uniqueness across threads. */
#include "support/store_harness.h"
#include "support/test.h"

#include <pthread.h>

enum { THREADS = 4, IDS = 20000 };

TEST(has_the_form_of_version_7)
{
    for (int i = 0; i < 100; i++) {
        char id[LAB_RUN_ID_SIZE];
        lab_run_id(id);
        assert_int_equal(strlen(id), 36);
        for (size_t at = 0; at < 36; at++) {
            if (at == 8 || at == 13 || at == 18 || at == 23)
                assert_int_equal(id[at], '-');
            else
                assert_non_null(strchr("0123456789abcdef", id[at]));
        }
        assert_int_equal(id[14], '7');
        assert_non_null(strchr("89ab", id[19]));
    }
}

TEST(carries_the_time)
{
    char id[LAB_RUN_ID_SIZE], hex[13] = "";
    int64_t before = lab_time_now() / 1000;
    lab_run_id(id);
    int64_t after = lab_time_now() / 1000;
    memcpy(hex, id, 8);
    memcpy(hex + 8, id + 9, 4);
    int64_t ms = strtoll(hex, NULL, 16);
    /* Ids created faster than the clock ticks are ahead of the clock. */
    assert_in_range(ms, before, after + 50);
}

struct share {
    char (*ids)[LAB_RUN_ID_SIZE];
};

static void *make_ids(void *argument)
{
    struct share *share = argument;
    for (size_t i = 0; i < IDS; i++)
        lab_run_id(share->ids[i]);
    return NULL;
}

static int compare_ids(const void *left, const void *right)
{
    return strcmp(left, right);
}

TEST(grows_and_never_repeats)
{
    pthread_t threads[THREADS];
    struct share shares[THREADS];
    char(*all)[LAB_RUN_ID_SIZE] = calloc((size_t)THREADS * IDS, LAB_RUN_ID_SIZE);
    assert_non_null(all);
    for (size_t i = 0; i < THREADS; i++) {
        shares[i].ids = all + i * IDS;
        assert_int_equal(pthread_create(&threads[i], NULL, make_ids, &shares[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    for (size_t i = 0; i < THREADS; i++)
        for (size_t j = 1; j < IDS; j++)
            assert_true(strcmp(shares[i].ids[j - 1], shares[i].ids[j]) < 0);
    qsort(all, (size_t)THREADS * IDS, LAB_RUN_ID_SIZE, compare_ids);
    for (size_t i = 1; i < (size_t)THREADS * IDS; i++)
        assert_string_not_equal(all[i - 1], all[i]);
    free(all);
}

TEST(ids_have_random_bits)
{
    char one[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    lab_run_id(one);
    lab_run_id(other);
    assert_string_not_equal(one + 19, other + 19);
}
