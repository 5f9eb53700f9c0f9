/* server/nodes/node_list.c: the lines of a list of machines, and every message about them. */
#include "nodes/node_list.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool parse(const char *text, struct lab_node_list *list, struct lab_errors *errors)
{
    *errors = (struct lab_errors){0};
    return lab_node_list_parse(list, text, "lab.nodes", errors);
}

TEST(every_kind_is_read)
{
    struct lab_node_list list;
    struct lab_errors errors;
    assert_true(
        parse("# the machines\n"
              "\n"
              "local name=here # this one\n"
              "  ssh\tadmin@gpu1   worker=/opt/gpulab-worker option=Port=2222 option=ConnectTimeout=3\r\n"
              "slurm gpu nodes=node[1-4] constraint=h200&nvlink account=lab qos=low reservation=r time=4:00:00 "
              "\"comment=a test\" option=\"--exclude=node9\" worker=/shared/gpulab-worker\n"
              "slurm cpu",
              &list, &errors));
    assert_int_equal(list.count, 4);

    const struct lab_node_entry *here = &list.entries[0], *ssh = &list.entries[1], *slurm = &list.entries[2];
    assert_int_equal(here->kind, LAB_TRANSPORT_LOCAL);
    assert_string_equal(here->name, "here");
    assert_string_equal(here->target, "");
    assert_int_equal(here->line, 3);

    assert_int_equal(ssh->kind, LAB_TRANSPORT_SSH);
    assert_string_equal(ssh->target, "admin@gpu1");
    assert_string_equal(ssh->name, "gpu1");
    assert_string_equal(ssh->worker, "/opt/gpulab-worker");
    assert_string_equal(ssh->options[0], "-oPort=2222");
    assert_string_equal(ssh->options[1], "-oConnectTimeout=3");
    assert_null(ssh->options[2]);

    static const char *const options[] = {"--account=lab",  "--qos=low",        "--reservation=r",
                                          "--time=4:00:00", "--comment=a test", "--exclude=node9"};
    assert_int_equal(slurm->kind, LAB_TRANSPORT_SLURM);
    assert_string_equal(slurm->target, "gpu");
    assert_null(slurm->name);
    assert_string_equal(slurm->nodes, "node[1-4]");
    assert_string_equal(slurm->constraint, "h200&nvlink");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_string_equal(slurm->options[i], options[i]);
    assert_null(slurm->options[6]);
    assert_null(list.entries[3].options);
    lab_node_list_release(&list);
}

TEST(a_worker_that_is_copied_has_no_path)
{
    struct lab_node_list list;
    struct lab_errors errors;
    assert_true(
        parse("ssh a worker=auto\nssh b worker=auto cache=/scratch/me\nslurm gpu worker=./auto", &list, &errors));
    assert_true(list.entries[0].copies && list.entries[1].copies && !list.entries[2].copies);
    assert_null(list.entries[0].worker);
    assert_null(list.entries[0].cache);
    assert_string_equal(list.entries[1].cache, "/scratch/me");
    assert_string_equal(list.entries[2].worker, "./auto");
    lab_node_list_release(&list);
}

TEST(this_machine_is_named_by_its_host_name)
{
    char host[256];
    struct lab_node_list list;
    struct lab_errors errors;
    assert_int_equal(gethostname(host, sizeof host), 0);
    assert_true(parse("local", &list, &errors));
    assert_string_equal(list.entries[0].name, host);
    lab_node_list_release(&list);
}

TEST(each_error_says_where_and_what_is_allowed)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "lab.nodes names no machine; a line must be local, ssh HOST or slurm PARTITION."},
        {"# nothing\n\n", "lab.nodes names no machine; a line must be local, ssh HOST or slurm PARTITION."},
        {"gpu1", "lab.nodes:1: 'gpu1' must be local, ssh HOST or slurm PARTITION."},
        {"\nssh", "lab.nodes:2: ssh must be followed by a host."},
        {"ssh -oProxyCommand=x", "lab.nodes:1: ssh must be followed by a host."},
        {"slurm account=lab", "lab.nodes:1: slurm must be followed by a partition."},
        {"local worker=/x", "lab.nodes:1: 'worker=/x' is not a setting of local, which takes name="},
        {"ssh a qos=low", "lab.nodes:1: 'qos=low' is not a setting of ssh, which takes name= worker= cache= option="},
        {"slurm a name=b",
         "lab.nodes:1: 'name=b' is not a setting of slurm, which takes worker= cache= nodes= constraint= "
         "account= qos= reservation= time= comment= option="},
        {"ssh a b", "lab.nodes:1: 'b' is not a setting of ssh, which takes name= worker= cache= option="},
        {"ssh a cache=/x", "lab.nodes:1: cache= is the folder of workers that are copied, and needs worker=auto."},
        {"ssh a worker=auto cache=x", "lab.nodes:1: cache=x must be an absolute path, which begins with '/'."},
        {"ssh a worker=", "lab.nodes:1: worker= has no value."},
        {"ssh a worker=x worker=y", "lab.nodes:1: worker= is given twice."},
        {"slurm a comment=\"x", "lab.nodes:1: a double quote is not closed."},
        {"ssh a name=-b",
         "lab.nodes:1: '-b' cannot be a node's name: it must have 1 to 64 letters, digits, '.', '-' "
         "and '_', and begin with a letter, a digit or '_'."},
        {"ssh fe80::1",
         "lab.nodes:1: 'fe80::1' cannot be a node's name: it must have 1 to 64 letters, digits, '.', "
         "'-' and '_', and begin with a letter, a digit or '_'."},
        {"slurm a constraint=b|c",
         "lab.nodes:1: constraint must be a feature, or several joined by '&'; nodes=LIST "
         "selects nodes by name."},
        {"ssh a\nssh x@a", "lab.nodes:2: line 1 already names a node 'a'; name=NAME gives another name."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_node_list list;
        struct lab_errors errors;
        assert_false(parse(cases[i].text, &list, &errors));
        assert_int_equal(errors.count, 1);
        assert_string_equal(errors.items[0].detail, cases[i].error);
        assert_string_equal(errors.items[0].pointer, "--nodes");
        lab_node_list_release(&list);
    }
}

TEST(all_errors_are_reported_at_once)
{
    struct lab_node_list list;
    struct lab_errors errors;
    assert_false(parse("ssh\nssh b x=1 y=2\nlocal\nrsh c", &list, &errors));
    assert_int_equal(errors.count, 4);
    lab_node_list_release(&list);
}

TEST(a_name_has_at_most_64_characters)
{
    char name[66];
    memset(name, 'a', sizeof name);
    name[64] = '\0';
    assert_true(lab_node_name_valid(name));
    name[64] = 'a';
    name[65] = '\0';
    assert_false(lab_node_name_valid(name));
    assert_false(lab_node_name_valid(""));
    assert_false(lab_node_name_valid(".a"));
    assert_false(lab_node_name_valid("a/b"));
    assert_true(lab_node_name_valid("gpu-1.example.org"));
}
