/* server/jobs/queue.c and durations.c: the order of the queue, turns among people, and how long runs wait. */
#include "jobs/queue.h"
#include "support/fake_experiment.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

FAKE_EXPERIMENT(quick)
FAKE_EXPERIMENT(slow)

/* Adds a run for each word of `runs`, such as "anna bob anna/low": ids count up from 100. "-" stands for nobody. */
static void add_runs(struct lab_queue *queue, const char *runs)
{
    char words[256], *rest = words;
    snprintf(words, sizeof words, "%s", runs);
    int number = 100;
    for (char *word; (word = strsep(&rest, " ")) != NULL; number++) {
        struct lab_queue_entry run = {.stored = true, .experiment = &quick, .planned_s = 10};
        char *priority = strchr(word, '/');
        if (priority != NULL) {
            *priority = '\0';
            run.priority = LAB_PRIORITY_LOW;
        }
        snprintf(run.id, sizeof run.id, "%d", number);
        assert_true(lab_queue_add(queue, &run, strcmp(word, "-") == 0 ? NULL : word));
    }
}

/* Checks the places of the runs 100, 101, … and that runs are taken in that order. */
static void expect_order(struct lab_queue *queue, const char *wanted)
{
    char found[256] = "";
    for (size_t place = 0; place < queue->count; place++)
        for (size_t i = 0; i < queue->count; i++)
            if (lab_queue_place(queue, queue->entries[i].id)->position == place)
                snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", place > 0 ? " " : "",
                         queue->entries[i].id);
    assert_string_equal(found, wanted);
    char taken[256] = "";
    struct lab_queue_entry run;
    while (lab_queue_take(queue, 0, &run))
        snprintf(taken + strlen(taken), sizeof taken - strlen(taken), "%s%s", taken[0] != '\0' ? " " : "", run.id);
    assert_string_equal(taken, wanted);
}

TEST(the_order_is_priority_then_turns_then_age)
{
    static const struct {
        const char *runs, *order;
    } cases[] = {
        {"- - -", "100 101 102"},
        {"anna anna anna bob", "100 103 101 102"},
        {"anna bob bob anna", "100 101 103 102"},
        {"anna anna - bob - bob", "100 102 103 101 104 105"},
        {"anna/low bob anna", "101 102 100"},
        {"anna anna bob anna/low bob/low", "100 102 101 104 103"}, /* bob was served before anna */
        {"anna/low anna/low bob/low", "100 102 101"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_queue queue = {0};
        add_runs(&queue, cases[i].runs);
        expect_order(&queue, cases[i].order);
        lab_queue_release(&queue);
    }
}

TEST(whoever_was_served_goes_behind_others)
{
    struct lab_queue queue = {0};
    struct lab_queue_entry run;
    add_runs(&queue, "anna");
    assert_true(lab_queue_take(&queue, 0, &run));
    add_runs(&queue, "anna anna bob carl");
    expect_order(&queue, "102 103 100 101");
    lab_queue_release(&queue);
}

TEST(each_node_has_runs_of_its_own)
{
    struct lab_queue queue = {0};
    struct lab_queue_entry run;
    add_runs(&queue, "anna anna bob anna");
    lab_queue_find(&queue, "101")->node = lab_queue_find(&queue, "103")->node = 7;
    assert_int_equal(lab_queue_length(&queue, 7), 2);
    assert_int_equal(lab_queue_place(&queue, "101")->position, 0);
    assert_int_equal(lab_queue_place(&queue, "103")->position, 1);
    assert_float_equal(lab_queue_place(&queue, "103")->wait_s, 10, 1e-9);
    assert_float_equal(lab_queue_expected_s(&queue, 7), 20, 1e-9);
    assert_true(lab_queue_take(&queue, 7, &run));
    assert_string_equal(run.id, "101");
    assert_true(lab_queue_take(&queue, 7, &run));
    assert_string_equal(run.id, "103");
    assert_null(lab_queue_next(&queue, 7));
    assert_false(lab_queue_take(&queue, 7, &run));
    expect_order(&queue, "102 100"); /* bob's turn: anna was served by the other node */
    lab_queue_release(&queue);
}

/* The first node of the run takes it when it is the next one of both. */
TEST(a_run_on_several_nodes_is_the_next_of_each)
{
    struct lab_queue queue = {0};
    struct lab_queue_entry run;
    add_runs(&queue, "- - - -");
    lab_queue_find(&queue, "100")->node = 5;
    lab_queue_find(&queue, "101")->node = lab_queue_find(&queue, "102")->node = 2;
    lab_queue_find(&queue, "101")->other_count = 1;
    lab_queue_find(&queue, "101")->others[0] = 5;
    lab_queue_find(&queue, "103")->node = 5;
    assert_int_equal(lab_queue_length(&queue, 5), 3);
    assert_null(lab_queue_next(&queue, 2));
    assert_int_equal(lab_queue_place(&queue, "101")->position, 1);
    assert_float_equal(lab_queue_place(&queue, "101")->wait_s, 10, 1e-9);
    assert_int_equal(lab_queue_place(&queue, "102")->position, 1);
    assert_float_equal(lab_queue_place(&queue, "102")->wait_s, 20, 1e-9);
    assert_true(lab_queue_take(&queue, 5, &run));
    assert_string_equal(run.id, "100");
    assert_null(lab_queue_next(&queue, 5)); /* it belongs to 2 */
    queue.held[5] = true;
    assert_string_equal(lab_queue_next(&queue, 2)->id, "102"); /* the other one would wait for 5 */
    queue.held[5] = false;
    assert_true(lab_queue_take(&queue, 2, &run));
    assert_string_equal(run.id, "101");
    assert_string_equal(lab_queue_next(&queue, 5)->id, "103");
    lab_queue_release(&queue);
}

TEST(a_run_that_is_not_stored_is_passed_over)
{
    struct lab_queue queue = {0};
    struct lab_queue_entry run;
    add_runs(&queue, "anna bob");
    lab_queue_find(&queue, "100")->stored = false;
    assert_true(lab_queue_take(&queue, 0, &run));
    assert_string_equal(run.id, "101");
    assert_null(lab_queue_next(&queue, 0));
    lab_queue_find(&queue, "100")->stored = true;
    assert_non_null(lab_queue_next(&queue, 0));
    lab_queue_release(&queue);
}

TEST(a_run_can_be_removed_and_put_back)
{
    struct lab_queue queue = {0};
    struct lab_queue_entry run;
    add_runs(&queue, "anna bob anna");
    assert_true(lab_queue_remove(&queue, "101", &run));
    assert_false(lab_queue_remove(&queue, "101", NULL));
    assert_null(lab_queue_place(&queue, "101"));
    assert_int_equal(lab_queue_place(&queue, "102")->position, 1);
    assert_true(lab_queue_put_back(&queue, &run));
    expect_order(&queue, "100 101 102");
    lab_queue_release(&queue);
}

TEST(a_run_waits_for_those_before_it)
{
    struct lab_queue queue = {0};
    add_runs(&queue, "anna anna bob");
    assert_true(lab_queue_place(&queue, "100")->wait_s == 0);
    assert_true(lab_queue_place(&queue, "101")->wait_s == 20);
    assert_true(lab_queue_place(&queue, "102")->wait_s == 10);
    lab_queue_note_duration(&queue, &quick, 10, 5);
    lab_queue_note_duration(&queue, &slow, 10, 100);
    assert_true(lab_queue_place(&queue, "101")->wait_s == 10);
    lab_queue_release(&queue);
}

TEST(the_median_of_the_last_runs_counts)
{
    struct lab_durations durations = {0};
    assert_true(lab_durations_expect(&durations, &quick, 10) == 10);
    assert_true(lab_durations_expect(&durations, NULL, 10) == 10);
    lab_durations_add(&durations, &quick, 0, 5); /* the plan is unknown */
    lab_durations_add(&durations, &quick, 5, 0);
    lab_durations_add(&durations, &quick, 5, (double)NAN);
    assert_true(lab_durations_expect(&durations, &quick, 10) == 10);
    lab_durations_add(&durations, &quick, 10, 20);
    assert_true(lab_durations_expect(&durations, &quick, 10) == 20);
    lab_durations_add(&durations, &quick, 10, 40);
    assert_true(lab_durations_expect(&durations, &quick, 10) == 30);
    lab_durations_add(&durations, &quick, 10, 1000);
    assert_true(lab_durations_expect(&durations, &quick, 10) == 40);
    assert_true(lab_durations_expect(&durations, &slow, 10) == 10);
    for (int i = 0; i < LAB_DURATIONS_KEPT; i++)
        lab_durations_add(&durations, &quick, 1, 3);
    assert_true(lab_durations_expect(&durations, &quick, 10) == 30); /* the older ones are dropped */
    lab_durations_release(&durations);
}
