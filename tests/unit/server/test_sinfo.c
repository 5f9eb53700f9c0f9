/* server/nodes/sinfo.c: recorded output of sinfo. */
#include "nodes/sinfo.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

TEST(lines_are_read)
{
    char output[] =
        "node1|idle|gpu:h200:8(S:0-1)|h200,nvlink|none\n"
        "node2|mixed|(null)|(null)|none\n"
        "slurm_load_partitions: a line of another form\n"
        "node3|drained|gpu:a100:2,gpu:4,shard:8,gpumem:80,craynetwork:1|a100|bad fan | since May\n"
        "node4|idle|gpu|x|none";
    static const struct lab_sinfo_node expected[] = {
        {"node1", "idle", "h200,nvlink", "", 8},
        {"node2", "mixed", "(null)", "", 0},
        {"node3", "drained", "a100", "bad fan | since May", 6},
        {"node4", "idle", "x", "", 1},
    };
    char *rest = output;
    struct lab_sinfo_node node;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(lab_sinfo_next(&rest, &node));
        assert_string_equal(node.name, expected[i].name);
        assert_string_equal(node.state, expected[i].state);
        assert_string_equal(node.features, expected[i].features);
        assert_string_equal(node.reason, expected[i].reason);
        assert_int_equal(node.gpus, expected[i].gpus);
    }
    assert_false(lab_sinfo_next(&rest, &node));
    assert_false(lab_sinfo_next(&rest, &node));
}

TEST(a_constraint_demands_all_features)
{
    const struct lab_sinfo_node node = {.features = "h200,nvlink,nvlink4"};
    assert_true(lab_sinfo_has(&node, NULL));
    assert_true(lab_sinfo_has(&node, "h200"));
    assert_true(lab_sinfo_has(&node, "nvlink&h200"));
    assert_false(lab_sinfo_has(&node, "nvlin"));
    assert_false(lab_sinfo_has(&node, "h200&a100"));
}

TEST(states_that_cannot_be_used_are_explained)
{
    static const struct {
        const char *state, *reason, *problem;
    } cases[] = {
        {"idle", "", ""},
        {"mixed", "", ""},
        {"allocated", "", ""},
        {"idle~", "", ""}, /* powered off: Slurm starts it */
        {"mixed#", "", ""},
        {"planned-", "", ""},
        {"idle*", "", "Slurm says that the node n is idle and does not answer."},
        {"down*", "Not responding", "Slurm says that the node n is down and does not answer: Not responding."},
        {"drained", "gpulab: ECC", "Slurm says that the node n is drained: gpulab: ECC."},
        {"draining", "x", "Slurm says that the node n is draining: x."},
        {"maint$", "", "Slurm says that the node n is maint."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct lab_sinfo_node node = {.name = "n", .state = cases[i].state, .reason = cases[i].reason};
        char problem[320];
        lab_sinfo_problem(&node, problem, sizeof problem);
        assert_string_equal(problem, cases[i].problem);
    }
}
