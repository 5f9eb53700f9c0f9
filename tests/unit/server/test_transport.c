/* server/nodes/transport.c, ssh.c, slurm.c: what the tools are asked, and what becomes of their answers. Scripts stand
 * for ssh and the tools of Slurm; each appends its command line to the file `calls`. */
#include "nodes/argv.h"
#include "nodes/transport.h"
#include "process.h"
#include "support/test.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gpulab-transport-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    chmod(path, 0755);
}

/* Makes a tool that notes its command line and runs `commands`. */
static void write_tool(const char *name, const char *commands)
{
    char text[2048];
    snprintf(text, sizeof text, "#!/bin/bash\nprintf '%%s\\n' \"%s $*\" >>%s/calls\n%s\n", name, folder, commands);
    write_file(name, text);
}

/* The lines of `calls`, which is emptied. */
static const char *take_calls(void)
{
    static char calls[8192];
    char path[128];
    snprintf(path, sizeof path, "%s/calls", folder);
    FILE *file = fopen(path, "r");
    calls[file != NULL ? fread(calls, 1, sizeof calls - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    unlink(path);
    return calls;
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' does not contain '%s'", text, part);
}

static struct lab_transport **read_list(const char *list, size_t *count)
{
    struct lab_transport **transports;
    struct lab_errors errors = {0};
    char path[128];
    write_file("nodes", list);
    snprintf(path, sizeof path, "%s/nodes", folder);
    if (!lab_transports_read(path, "/var/lab.db", "", &transports, count, &errors))
        fail_msg("%s", errors.items[0].detail);
    return transports;
}

static int make_folder(void **state)
{
    char path[512];
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)

/* --- reading ------------------------------------------------------------------------------------------------------ */

TEST(a_file_that_cannot_be_used_is_an_error)
{
    struct lab_transport **transports;
    size_t count;
    char path[128];
    struct lab_errors errors = {0};
    assert_false(lab_transports_read("/nowhere/nodes", "", "", &transports, &count, &errors));
    assert_string_equal(errors.items[0].detail, "/nowhere/nodes cannot be read: No such file or directory.");
    write_file("nodes", "local\nremote x\n");
    snprintf(path, sizeof path, "%s/nodes", folder);
    errors.count = 0;
    assert_false(lab_transports_read(path, "", "", &transports, &count, &errors));
    assert_contains(errors.items[0].detail, "nodes:2: 'remote' must be local, ssh HOST or slurm PARTITION.");
    assert_int_equal(count, 0);
}

TEST(this_machine_needs_no_tool)
{
    size_t count;
    struct lab_error error;
    struct lab_transport **transports = read_list("local name=here\n", &count);
    assert_int_equal(count, 1);
    assert_string_equal(lab_transport_name(transports[0]), "here");
    assert_string_equal(lab_transport_target(transports[0]), "");
    assert_string_equal(lab_transport_kind_name(lab_transport_kind(transports[0])), "local");
    assert_true(lab_transport_open(transports[0], NULL, &error));
    char **command = lab_transport_command(transports[0], (const char *const[]){"/bin/worker", "--x", NULL});
    assert_string_equal(command[0], "/bin/worker");
    assert_string_equal(command[1], "--x");
    assert_null(command[2]);
    lab_argv_free(command);
    lab_transports_free(transports, count);
    assert_string_equal(take_calls(), "");
}

/* --- ssh ---------------------------------------------------------------------------------------------------------- */

/* Runs a command line to its end and copies its output. */
static void run(char *const *command, char *output, size_t size)
{
    struct lab_process process;
    assert_int_equal(lab_process_start(&process, command[0], command), 0);
    while (!lab_process_ended(&process))
        usleep(1000);
    ssize_t got = read(process.output, output, size - 1);
    output[got > 0 ? got : 0] = '\0';
    lab_process_close_descriptors(&process);
}

TEST(ssh_runs_the_words_as_they_are)
{
    /* Like sshd, a shell runs the command, which is one text. */
    write_tool("ssh", "[[ \" $* \" == *' -O '* ]] && exit 1\nexec sh -c \"${@: -1}\"");
    size_t count;
    struct lab_error error;
    struct lab_transport **transports =
        read_list("ssh me@far name=far worker=/there/worker option=Port=2222\n", &count);
    assert_string_equal(lab_transport_name(transports[0]), "far");
    assert_string_equal(lab_transport_target(transports[0]), "me@far");
    assert_string_equal(lab_transport_worker(transports[0]), "/there/worker");
    assert_true(lab_transport_open(transports[0], NULL, &error));
    const char *calls = take_calls();
    assert_contains(calls, "ssh -oPort=2222 -T -oBatchMode=yes ");
    assert_contains(calls, " -- me@far true\n");

    char output[256];
    char **command =
        lab_transport_command(transports[0], (const char *const[]){"/usr/bin/printf", "[%s]", "a b", "it's", "$HOME",
                                                                   "`id`", "\"", "", NULL});
    run(command, output, sizeof output);
    assert_string_equal(output, "[a b][it's][$HOME][`id`][\"][]");
    lab_argv_free(command);
    lab_transports_free(transports, count);
}

/* How many sockets' folders there are. */
static int count_socket_folders(void)
{
    int found = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        found += strncmp(entry->d_name, "gpulab-", strlen("gpulab-")) == 0;
    closedir(entries);
    return found;
}

TEST(an_open_connection_is_used_again_and_closed_once)
{
    write_tool("ssh", "");
    size_t count;
    struct lab_error error;
    struct lab_transport **transports = read_list("ssh far\n", &count);
    assert_true(lab_transport_open(transports[0], NULL, &error));
    assert_int_equal(count_socket_folders(), 1);
    take_calls();
    assert_true(lab_transport_open(transports[0], NULL, &error));
    const char *calls = take_calls();
    assert_contains(calls, " -O check -- far\n");
    assert_null(strstr(calls, "true"));
    lab_transport_close(transports[0]);
    assert_contains(take_calls(), " -O exit -- far\n");
    assert_int_equal(count_socket_folders(), 0);
    lab_transports_free(transports, count);
    assert_string_equal(take_calls(), "");
}

TEST(a_host_that_refuses_is_a_sentence)
{
    static const struct {
        const char *commands, *error;
    } cases[] = {
        {"echo 'me@far: Permission denied (publickey,password).' >&2; exit 255",
         "The host far cannot be reached by ssh: me@far: Permission denied (publickey,password). No password can be "
         "entered here: ssh must be able to log in with a key."},
        {"printf 'Welcome\\nssh: connect to host far port 22: Connection refused\\r\\n' >&2; exit 255",
         "The host far cannot be reached by ssh: ssh: connect to host far port 22: Connection refused."},
        {"exit 3", "The host far cannot be reached by ssh: ssh exited with code 3."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count;
        struct lab_error error;
        write_tool("ssh", cases[i].commands);
        struct lab_transport **transports = read_list("ssh far\n", &count);
        assert_false(lab_transport_open(transports[0], NULL, &error));
        assert_int_equal(error.code, LAB_ERROR_NODE_UNREACHABLE);
        assert_string_equal(error.detail, cases[i].error);
        assert_int_equal(count_socket_folders(), 0);
        lab_transports_free(transports, count);
    }
}

TEST(a_wait_can_be_cancelled)
{
    write_tool("ssh", "[[ \" $* \" == *' -O '* ]] || exec sleep 60");
    size_t count;
    struct lab_error error;
    atomic_bool cancelled = true;
    struct lab_transport **transports = read_list("ssh far\n", &count);
    assert_false(lab_transport_open(transports[0], &cancelled, &error));
    assert_int_equal(error.code, LAB_ERROR_CANCELLED);
    write_tool("ssh", "");
    lab_transports_free(transports, count);
}

/* --- Slurm -------------------------------------------------------------------------------------------------------- */

static void write_slurm(void)
{
    write_tool("sinfo",
               "printf 'n1|idle|gpu:h200:8|h200|none\\nn2|drained|gpu:4|h200|bad fan\\nn3|idle|(null)|cpu|none\\n'");
    write_tool("salloc", "echo 'salloc: Pending job allocation 17' >&2; echo 'salloc: Granted job allocation 17' >&2");
    write_tool("squeue", "echo RUNNING");
    write_tool("scancel", "");
}

TEST(the_nodes_of_a_partition_are_discovered)
{
    size_t count;
    write_slurm();
    struct lab_transport **transports = read_list("ssh n3\nslurm gpu nodes=n[1-9]\n", &count);
    assert_int_equal(count, 3); /* n3 is reached by ssh */
    assert_string_equal(lab_transport_name(transports[1]), "n1");
    assert_string_equal(lab_transport_target(transports[1]), "gpu");
    assert_string_equal(lab_transport_name(transports[2]), "n2");
    assert_contains(take_calls(), "sinfo --noheader --Node --partition=gpu --format=%N|%T|%G|%f|%E --nodes=n[1-9]\n");
    lab_transports_free(transports, count);

    transports = read_list("slurm gpu constraint=cpu\n", &count);
    assert_int_equal(count, 1);
    assert_string_equal(lab_transport_name(transports[0]), "n3");
    lab_transports_free(transports, count);
}

TEST(a_slurm_that_does_not_answer_is_a_problem_of_its_partition)
{
    static const struct {
        const char *commands, *problem;
    } cases[] = {
        {"echo 'slurm_load_partitions: Unable to contact slurm controller (connect failure)' >&2; exit 1",
         "The nodes of the partition gpu are not known: slurm_load_partitions: Unable to contact slurm controller "
         "(connect failure)."},
        {"", "The nodes of the partition gpu are not known: Slurm has no such node in this partition."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count;
        struct lab_error error;
        write_tool("sinfo", cases[i].commands);
        struct lab_transport **transports = read_list("slurm gpu\nlocal\n", &count);
        assert_int_equal(count, 2);
        assert_string_equal(lab_transport_name(transports[0]), "gpu");
        assert_false(lab_transport_open(transports[0], NULL, &error));
        assert_string_equal(error.detail, cases[i].problem);
        lab_transports_free(transports, count);
    }
}

TEST(an_allocation_is_kept_until_it_is_closed)
{
    size_t count;
    struct lab_error error;
    write_slurm();
    struct lab_transport **transports = read_list("slurm gpu account=lab constraint=h200\n", &count);
    take_calls();
    assert_true(lab_transport_open(transports[0], NULL, &error));
    const char *calls = take_calls();
    assert_contains(calls, "salloc --no-shell --immediate=30 --job-name=gpulab-");
    assert_contains(calls,
                    " --partition=gpu --nodes=1 --nodelist=n1 --exclusive --mem=0 --constraint=h200 --gres=gpu:8 "
                    "--account=lab\n");
    assert_true(lab_transport_open(transports[0], NULL, &error));
    assert_string_equal(take_calls(), "squeue --noheader --format=%T --jobs=17\n");

    char **command = lab_transport_command(transports[0], (const char *const[]){"/bin/worker", "a b", NULL});
    static const char *const words[] = {"srun",          "--jobid=17",      "--overlap",   "--nodes=1", "--ntasks=1",
                                        "--nodelist=n1", "--cpu-bind=none", "/bin/worker", "a b"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(command[i], words[i]);
    lab_argv_free(command);

    lab_transport_close(transports[0]);
    calls = take_calls();
    assert_contains(calls, "scancel --user=");
    assert_contains(calls, " --nodelist=n1\n");
    lab_transport_close(transports[0]);
    assert_string_equal(take_calls(), "");
    lab_transports_free(transports, count);
}

TEST(an_allocation_that_is_over_is_replaced)
{
    size_t count;
    struct lab_error error;
    write_slurm();
    struct lab_transport **transports = read_list("slurm gpu nodes=n1\n", &count);
    assert_true(lab_transport_open(transports[0], NULL, &error));
    write_tool("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    write_tool("salloc", "echo 'salloc: Granted job allocation 18' >&2");
    assert_true(lab_transport_open(transports[0], NULL, &error));
    char **command = lab_transport_command(transports[0], (const char *const[]){"w", NULL});
    assert_string_equal(command[1], "--jobid=18");
    lab_argv_free(command);
    lab_transports_free(transports, count);
}

TEST(a_refused_allocation_is_explained_by_the_state_of_the_node)
{
    size_t count;
    struct lab_error error;
    write_slurm();
    write_tool("salloc", "echo 'salloc: error: Job submit/allocate failed: Invalid account' >&2; exit 1");
    struct lab_transport **transports = read_list("slurm gpu\n", &count);
    assert_false(lab_transport_open(transports[0], NULL, &error));
    assert_int_equal(error.code, LAB_ERROR_NODE_UNREACHABLE);
    assert_string_equal(error.detail,
                        "Slurm gave no allocation of n1: salloc: error: Job submit/allocate failed: Invalid account.");
    write_tool("sinfo", "echo 'n2|drained*|gpu:4|h200|bad fan'");
    assert_false(lab_transport_open(transports[1], NULL, &error));
    assert_string_equal(error.detail, "Slurm says that the node n2 is drained and does not answer: bad fan.");
    lab_transports_free(transports, count);
}

/* The name of the jobs: the same for one database, another for another one. */
TEST(leftovers_are_cancelled_by_the_name_of_the_database)
{
    char names[3][64];
    static const char *const databases[] = {"/var/lab.db", "/var/lab.db", "/var/other.db"};
    char path[128];
    write_slurm();
    write_file("nodes", "slurm gpu\n");
    snprintf(path, sizeof path, "%s/nodes", folder);
    for (size_t i = 0; i < 3; i++) {
        struct lab_transport **transports;
        size_t count;
        struct lab_errors errors = {0};
        assert_true(lab_transports_read(path, databases[i], "", &transports, &count, &errors));
        take_calls();
        lab_transports_cancel_leftovers(transports, count);
        unsigned user;
        assert_int_equal(sscanf(take_calls(), "scancel --user=%u --name=%63s\n", &user, names[i]), 2);
        assert_int_equal(user, geteuid());
        lab_transports_free(transports, count);
    }
    assert_string_equal(names[0], names[1]);
    assert_string_not_equal(names[0], names[2]);
}
