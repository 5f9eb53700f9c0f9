/* server/nodes/node_copy.c, node_package.c, node_files.sh: the lab's programs on another machine. A script stands for
 * ssh: it runs the command here, with the folder `home` as HOME; what is special about a machine is in the folder
 * `tools`, which comes first in its PATH. */
#include "nodes/node_package.h"
#include "nodes/transport.h"
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "/tmp/gpulab-copy-XXXXXX";
static char built[] = LAB_TEST_BUILD "/gpulab-worker";

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    chmod(path_of(name), 0755);
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs a command in the folder; its exit code. */
static int shell(const char *format, ...)
{
    char command[2048];
    int used = snprintf(command, sizeof command, "cd %s; ", base);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    return WEXITSTATUS(system(command));
}

/* The machine: `setup` is executed by its shell before the command. */
static void write_machine(const char *setup)
{
    char text[2048];
    snprintf(text, sizeof text,
             "#!/bin/bash\n[[ \" $* \" == *' -O '* ]] && exit 0\n"
             "export HOME=%s/home PATH=%s/tools:$PATH; unset XDG_CACHE_HOME\ncommand=${@: -1}\n"
             "echo \"$command\" >>%s/calls\n%s\nexec sh -c \"$command\"\n",
             base, base, base, setup);
    write_file("ssh", text);
}

static int make_machine(void **state)
{
    char path[512];
    (void)state;
    if (mkdtemp(base) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s:%s", base, getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("XDG_RUNTIME_DIR", base, 1);
    mkdir(path_of("home"), 0755);
    mkdir(path_of("tools"), 0755);
    mkdir(path_of("lab"), 0755);
    write_file("lab/gpulab-worker", "#!/bin/sh\necho worker \"$@\"\n");
    write_file("lab/gpulab-sandbox", "sandbox");
    write_machine("");
    return 0;
}

static int remove_machine(void **state)
{
    (void)state;
    return shell("rm -rf %s", base);
}

AROUND_EACH_TEST(.setup = make_machine, .teardown = remove_machine)

struct machine {
    struct lab_transport **transports;
    size_t count;
    struct lab_error error;
    atomic_bool cancelled;
};

/* The machine of a line. */
static struct machine use(const char *line, const char *database, const char *worker)
{
    struct machine machine = {0};
    struct lab_errors errors = {0};
    write_file("nodes", line);
    if (!lab_transports_read(path_of("nodes"), database, worker, &machine.transports, &machine.count, &errors))
        fail_msg("%s", errors.items[0].detail);
    return machine;
}

static bool open_machine(struct machine *machine)
{
    return lab_transport_open(machine->transports[0], NULL, &machine->error);
}

static void release(struct machine *machine)
{
    lab_transports_free(machine->transports, machine->count);
}

static void assert_opens(struct machine *machine)
{
    if (!open_machine(machine))
        fail_msg("%s", machine->error.detail);
}

/* Opens the machine of a lab and returns the path of the worker there. */
static const char *copy_for(const char *database)
{
    static char path[512];
    struct machine machine = use("ssh far worker=auto\n", database, path_of("lab/gpulab-worker"));
    assert_opens(&machine);
    snprintf(path, sizeof path, "%s", lab_transport_worker(machine.transports[0]));
    release(&machine);
    return path;
}

static void assert_refused(const char *line, const char *worker, const char *part)
{
    struct machine machine = use(line, "/var/lab.db", worker);
    assert_false(open_machine(&machine));
    assert_int_equal(machine.error.code, LAB_ERROR_WORKER_START);
    if (strstr(machine.error.detail, part) == NULL)
        fail_msg("'%s' does not contain '%s'", machine.error.detail, part);
    release(&machine);
}

/* Nothing is left of copies, and there are `count` folders. */
static void assert_folders(int count)
{
    assert_int_equal(shell("[ $(ls home/.cache/gpulab/workers 2>/dev/null | wc -l) = %d ]", count), 0);
    assert_int_equal(shell("! ls -d home/.cache/gpulab/workers/.[!.]* >/dev/null 2>&1"), 0);
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

TEST(a_worker_is_copied_once)
{
    char path[512];
    snprintf(path, sizeof path, "%s", copy_for("/var/lab.db"));
    assert_int_equal(strncmp(path, path_of("home/.cache/gpulab/workers/0."), 10), 0);
    assert_int_equal(shell("[ \"$(%s a b)\" = 'worker a b' ]", path), 0);
    assert_int_equal(shell("[ $(stat -c %%a home/.cache/gpulab/workers) = 700 ]"), 0);
    assert_int_equal(shell("cmp lab/gpulab-sandbox $(dirname %s)/gpulab-sandbox", path), 0);
    assert_folders(1);
    assert_int_equal(shell("grep -q 'cat >' calls && rm calls"), 0);
    assert_string_equal(copy_for("/var/other.db"), path);
    assert_int_equal(shell("grep -q 'cat >' calls"), 1); /* nothing was sent */

    /* Another content is another folder, and the first stays. */
    write_file("lab/gpulab-sandbox", "newer");
    assert_string_not_equal(copy_for("/var/lab.db"), path);
    assert_folders(2);
}

TEST(a_built_worker_is_copied_with_its_libraries)
{
    struct lab_error error;
    struct lab_package *package = lab_package_read(built, &error);
    assert_non_null(package);
    assert_non_null(package->machine);
    assert_true(package->glibc_minor >= 17);
    bool has_jansson = false;
    for (size_t i = 0; i < package->file_count; i++) {
        has_jansson = has_jansson || strncmp(package->files[i].name, "lib/libjansson.so", 17) == 0;
        assert_null(strstr(package->files[i].name, "libc.so"));
    }
    assert_true(has_jansson);
    lab_package_free(package);

    struct machine machine = use("ssh far worker=auto\n", "/var/lab.db", built);
    assert_opens(&machine);
    assert_int_equal(shell("echo '{\"op\":\"describe\"}' | %s --runtime host --lock-dir %s | grep -q description",
                           lab_transport_worker(machine.transports[0]), base),
                     0);
    release(&machine);
}

TEST(a_damaged_copy_is_replaced)
{
    const char *path = copy_for("/var/lab.db");
    assert_int_equal(shell("echo '#!/bin/sh' >%s", path), 0);
    assert_int_equal(shell("[ \"$(%s a)\" = 'worker a' ]", copy_for("/var/lab.db")), 0);
    assert_int_equal(shell("rm $(dirname %s)/gpulab-sandbox", path), 0);
    assert_int_equal(shell("cat $(dirname %s)/gpulab-sandbox >/dev/null", copy_for("/var/lab.db")), 0);
    assert_folders(1);
}

static void *copy_at_once(void *context)
{
    struct machine *machine = context;
    bool good = open_machine(machine);
    return good ? machine : NULL;
}

TEST(labs_that_copy_at_once_do_not_disturb_each_other)
{
    enum { LABS = 4 };
    struct machine machines[LABS];
    pthread_t threads[LABS];
    char database[32];
    for (size_t i = 0; i < LABS; i++) {
        snprintf(database, sizeof database, "/var/lab-%zu.db", i);
        machines[i] = use("ssh far worker=auto\n", database, path_of("lab/gpulab-worker"));
    }
    for (size_t i = 0; i < LABS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_at_once, &machines[i]), 0);
    for (size_t i = 0; i < LABS; i++) {
        void *good;
        pthread_join(threads[i], &good);
        if (good == NULL)
            fail_msg("%s", machines[i].error.detail);
        assert_string_equal(lab_transport_worker(machines[i].transports[0]),
                            lab_transport_worker(machines[0].transports[0]));
    }
    for (size_t i = 0; i < LABS; i++)
        release(&machines[i]);
    assert_folders(1);
}

/* One node of a lab that has several. */
struct node {
    struct lab_transport *transport;
    struct lab_error error;
};

static void *open_node(void *context)
{
    struct node *node = context;
    return lab_transport_open(node->transport, NULL, &node->error) ? node : NULL;
}

TEST(nodes_with_one_home_do_not_all_copy)
{
    enum { NODES = 24 };
    char lines[1024] = "";
    pthread_t threads[NODES];
    struct node nodes[NODES];
    for (size_t i = 0; i < NODES; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "ssh m%zu worker=auto\n", i);
    struct machine lab = use(lines, "/var/lab.db", path_of("lab/gpulab-worker"));
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = (struct node){.transport = lab.transports[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, open_node, &nodes[i]), 0);
    }
    for (size_t i = 0; i < NODES; i++) {
        void *good;
        pthread_join(threads[i], &good);
        if (good == NULL)
            fail_msg("%s", nodes[i].error.detail);
    }
    release(&lab);
    assert_int_equal(shell("[ $(grep -c 'cat >' calls) -le %d ]", LAB_PACKAGE_COPIES_MAX), 0);
    assert_folders(1);
}

TEST(old_folders_are_removed_but_none_that_is_used)
{
    const char *workers = "home/.cache/gpulab/workers";
    copy_for("/var/lab.db");
    /* Old ones that nobody uses and that a process executes, a recent one, and what a broken copy left. */
    assert_int_equal(shell("cd %s && for i in 1 2 3; do mkdir -p 0.0.$i-a/bin; : >0.0.$i-a/used; done; mkdir .copy-x; "
                           "touch -d '20 days ago' 0.0.[12]-a/used .copy-x; cp /bin/sleep 0.0.2-a/bin/gpulab-worker",
                           workers),
                     0);
    pid_t child = fork();
    if (child == 0) {
        char worker[512];
        snprintf(worker, sizeof worker, "%s/%s/0.0.2-a/bin/gpulab-worker", base, workers);
        execl(worker, worker, "1000", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(shell("until readlink /proc/%d/exe | grep -q gpulab-worker; do :; done", (int)child), 0);
    write_file("lab/gpulab-sandbox", "newer");
    copy_for("/var/lab.db");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(shell("cd %s && [ ! -e 0.0.1-a ] && [ -e 0.0.2-a ] && [ -e 0.0.3-a ]", workers), 0);
    assert_folders(4);
}

TEST(a_cache_in_another_folder_is_used)
{
    char line[600];
    mkdir(path_of("scratch"), 0755);
    snprintf(line, sizeof line, "ssh far worker=auto cache=%s\n", path_of("scratch"));
    struct machine machine = use(line, "/var/lab.db", path_of("lab/gpulab-worker"));
    assert_opens(&machine);
    release(&machine);
    assert_int_equal(shell("ls scratch/gpulab/workers/*/bin/gpulab-worker >/dev/null && [ ! -e home/.cache ]"), 0);
}

TEST(a_node_of_slurm_gets_its_worker_in_the_allocation)
{
    write_file("sinfo", "#!/bin/sh\necho 'n1|idle|gpu:1|x|none'\n");
    write_file("salloc", "#!/bin/sh\necho 'salloc: Granted job allocation 17' >&2\n");
    write_file("squeue", "#!/bin/sh\necho RUNNING\n");
    write_file("scancel", "#!/bin/sh\necho scancel >>$HOME/../ended\n");
    write_file("srun", "#!/bin/sh\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\nexec \"$@\"\n");
    setenv("HOME", path_of("home"), 1);
    unsetenv("XDG_CACHE_HOME");
    struct machine machine = use("slurm gpu worker=auto\n", "/var/lab.db", path_of("lab/gpulab-worker"));
    assert_opens(&machine);
    assert_int_equal(shell("[ \"$(%s a)\" = 'worker a' ]", lab_transport_worker(machine.transports[0])), 0);
    release(&machine);
    assert_folders(1);

    /* A node that cannot be used does not keep its allocation. */
    write_file("uname", "#!/bin/sh\necho riscv64\n");
    shell("rm -f ended");
    machine = use("slurm gpu worker=auto\n", "/var/lab.db", built);
    assert_false(open_machine(&machine));
    assert_int_equal(shell("[ $(wc -l <ended) = 2 ]"), 0); /* leftovers before it, and itself */
    release(&machine);
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

static const char line_auto[] = "ssh far worker=auto\n";

TEST(another_architecture_or_c_library_is_refused_before_anything_is_written)
{
    write_file("tools/uname", "#!/bin/sh\necho riscv64\n");
    assert_refused(line_auto, built, "cannot be copied to far, which is riscv64: install gpulab there");
    unlink(path_of("tools/uname"));
    write_file("tools/getconf", "#!/bin/sh\necho glibc 2.5\n");
    assert_refused(line_auto, built, "cannot be copied to far, which has glibc 2.5: install gpulab there");
    write_file("tools/getconf", "#!/bin/sh\nexit 1\n");
    write_file("tools/ldd", "#!/bin/sh\necho 'musl libc (x86_64)' >&2\n");
    assert_refused(line_auto, built, "which has musl libc (x86_64)");
    write_file("tools/ldd", "#!/bin/sh\necho 'ldd (GNU libc) 2.12'\n");
    assert_refused(line_auto, built, "which has ldd (GNU libc) 2.12");
    assert_int_equal(shell("[ ! -e home/.cache ]"), 0);
}

TEST(a_machine_that_lacks_something_says_what)
{
    char worker[512];
    snprintf(worker, sizeof worker, "%s", path_of("lab/gpulab-worker"));
    write_machine("unset HOME");
    assert_refused(line_auto, worker, "copied to far: neither HOME nor XDG_CACHE_HOME is set there; cache=FOLDER");
    write_machine(
        "[ -e $HOME/../tools/sh ] || for tool in cat chmod date head id mkdir mv readlink rm sh stat tail touch uname; do "
        "ln -sf $(command -v $tool) $HOME/../tools/$tool; done; PATH=$HOME/../tools");
    assert_refused(line_auto, worker, "copied to far: it has no program sha256sum.");
    write_machine("HOME=/proc");
    assert_refused(line_auto, worker, "cannot create directory '/proc/.cache': No such file or directory.");
}

TEST(a_full_disk_is_named_and_nothing_is_left)
{
    /* A limit of a file's size stands for a quota; both end a write with a message. */
    write_machine("ulimit -f 4; trap '' XFSZ");
    assert_int_equal(shell("head -c 100000 /dev/zero >lab/gpulab-sandbox"), 0);
    assert_refused(line_auto, path_of("lab/gpulab-worker"),
                   "copied to far: cat: write error: File too large; a copy needs 1 MiB in ");
    assert_folders(0);
    write_machine("");
    copy_for("/var/lab.db");
    assert_folders(1);
}

TEST(a_filesystem_without_programs_is_named)
{
    /* In place of a mount: the script that is tried does not become executable. */
    write_file("tools/chmod", "#!/bin/sh\ncase $2 in */try) exit 0 ;; esac\nexec /bin/chmod \"$@\"\n");
    assert_refused(line_auto, path_of("lab/gpulab-worker"),
                   "(mounted noexec?); cache=FOLDER in the file of nodes names another folder.");
    assert_folders(0);
}

TEST(what_arrives_differently_is_refused)
{
    write_machine("case $command in *\"/all' \"*) command=\"sed s/echo/ECHO/ | ($command)\" ;; esac");
    assert_refused(line_auto, path_of("lab/gpulab-worker"),
                   "copied to far: what has arrived there differs: bin/gpulab-worker: FAILED.");
    assert_folders(0);
    write_machine("case $command in *\"/all' \"*) command=\"head -c 30 | ($command)\" ;; esac");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "copied to far: bin/gpulab-sandbox has not arrived whole.");
    assert_folders(0);
}

TEST(a_connection_that_breaks_is_tried_again)
{
    write_machine(
        "case $command in *\"/all' \"*) head -c 20 | sh -c \"$command\"; echo 'Connection to far closed.' >&2; "
        "exit 255 ;; esac");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "copied to far: Connection to far closed.");
    write_machine("");
    copy_for("/var/lab.db");
    assert_folders(1);
}

TEST(a_worker_that_does_not_start_there_is_refused)
{
    write_file("lab/gpulab-worker", "#!/bin/sh\necho 'libX.so.1: cannot open shared object file' >&2; exit 127\n");
    assert_refused(line_auto, path_of("lab/gpulab-worker"),
                   "it cannot be started there: libX.so.1: cannot open shared object file.");
    assert_folders(0);
}

/* The folder is refused, with its name first, and the machine has what it had. */
static void assert_unsafe(const char *folder, const char *what)
{
    char part[600];
    snprintf(part, sizeof part, "copied to far: %s%s", path_of(folder), what);
    shell("find home | sort >before");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), part);
    assert_int_equal(shell("find home | sort | cmp - before"), 0);
}

TEST(a_folder_in_which_others_can_write_is_refused)
{
    assert_int_equal(shell("mkdir -m 777 home/.cache"), 0);
    assert_unsafe("home/.cache", " of ");
    assert_int_equal(shell("chmod 775 home/.cache"), 0);
    assert_unsafe("home/.cache", " of ");
    assert_int_equal(shell("chmod 1777 home/.cache"), 0); /* none but the owner can rename what is in it */
    char copied[512];
    snprintf(copied, sizeof copied, "%s", copy_for("/var/lab.db"));
    assert_int_equal(shell("[ $(stat -c %%a home/.cache/gpulab) = 700 ]"), 0);

    char folder[512];
    copied[strlen(copied) - strlen("/bin/gpulab-worker")] = '\0';
    snprintf(folder, sizeof folder, "%s", copied + strlen(base) + 1);
    const char *const folders[] = {"home/.cache/gpulab", "home/.cache/gpulab/workers", folder};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        assert_int_equal(shell("chmod 777 %s", folders[i]), 0);
        assert_unsafe(folders[i], " of ");
        assert_int_equal(shell("chmod 720 %s", folders[i]), 0);
        assert_unsafe(folders[i], " of ");
        assert_int_equal(shell("f=%s; chmod 700 $f && mv $f other && ln -s %s/other $f", folders[i], base), 0);
        assert_unsafe(folders[i], " of ");
        assert_int_equal(shell("rm %s && mv other %s", folders[i], folders[i]), 0);
    }
    copy_for("/var/lab.db");
    assert_folders(1);
}

TEST(a_folder_of_another_user_is_refused)
{
    mkdir(path_of("home/.cache"), 0755);
    mkdir(path_of("home/.cache/gpulab"), 0755);
    write_file("tools/id", "#!/bin/sh\necho 4242\n");
    assert_unsafe(geteuid() == 0 ? "home/.cache/gpulab" : "home/.cache", " belongs to ");
    unlink(path_of("tools/id"));
    if (geteuid() != 0)
        skip();

    /* Another user was first in a folder that all share, and everybody can write there. */
    const char *const folders[] = {"home/.cache/gpulab/workers", "home/.cache/gpulab", "home/.cache"};
    assert_int_equal(shell("chmod 1777 home/.cache; mkdir home/.cache/gpulab/workers"), 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        assert_int_equal(shell("chown 4242 %s", folders[i]), 0);
        assert_unsafe(folders[i], " belongs to UNKNOWN (4242), who could replace the worker: cache=FOLDER in ");
    }
}

TEST(a_cache_whose_path_cannot_be_told_is_refused)
{
    write_machine("export XDG_CACHE_HOME=\"$HOME\n/x\"");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "the path of its cache has a control character; cache=");
    write_machine("export XDG_CACHE_HOME=\"$(printf '%s/\\377' \"$HOME\")\"");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "the path of its cache is not UTF-8, or longer than ");
    write_machine("export XDG_CACHE_HOME=-x"); /* not absolute: as good as none */
    copy_for("/var/lab.db");
    assert_folders(1);
}

TEST(a_folder_that_cannot_be_replaced_stays)
{
    char path[512];
    snprintf(path, sizeof path, "%s", copy_for("/var/lab.db"));
    assert_int_equal(shell("echo damaged >%s", path), 0);
    write_file("tools/mv",
               "#!/bin/sh\ncase $2 in *.damaged) ;; */.copy-*) echo 'mv: Stale file handle' >&2; exit 1 ;; "
               "esac\nexec /bin/mv \"$@\"\n");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "copied to far: mv: Stale file handle.");
    assert_int_equal(shell("grep -q damaged %s", path), 0);
    assert_folders(1);

    /* Nor can the old one be put back: nothing is left of it. */
    write_file("tools/mv",
               "#!/bin/sh\ncase $2 in */.copy-*) echo 'mv: Stale file handle' >&2; exit 1 ;; "
               "esac\nexec /bin/mv \"$@\"\n");
    assert_refused(line_auto, path_of("lab/gpulab-worker"), "copied to far: mv: Stale file handle.");
    assert_folders(0);
    unlink(path_of("tools/mv"));
    assert_string_equal(copy_for("/var/lab.db"), path);
    assert_folders(1);
}

/* Cancels the copy when some of it has been sent. */
static void *cancel_copy(void *context)
{
    struct machine *machine = context;
    size_t sent, size;
    while (!lab_transport_copying(machine->transports[0], &sent, &size) || sent == 0)
        usleep(1000);
    bool partly = sent < size;
    atomic_store(&machine->cancelled, true);
    return partly ? machine : NULL;
}

TEST(a_copy_says_how_far_it_is_and_can_be_cancelled)
{
    write_machine("case $command in *\"/all' \"*) exec sleep 60 ;; esac");
    assert_int_equal(shell("head -c 1000000 /dev/zero >lab/gpulab-sandbox"), 0);
    struct machine machine = use(line_auto, "/var/lab.db", path_of("lab/gpulab-worker"));
    pthread_t thread;
    void *partly;
    size_t sent, size;
    assert_int_equal(pthread_create(&thread, NULL, cancel_copy, &machine), 0);
    assert_false(lab_transport_open(machine.transports[0], &machine.cancelled, &machine.error));
    pthread_join(thread, &partly);
    assert_non_null(partly);
    assert_int_equal(machine.error.code, LAB_ERROR_CANCELLED);
    assert_false(lab_transport_copying(machine.transports[0], &sent, &size));
    release(&machine);
}

TEST(a_worker_that_cannot_be_read_is_an_error_of_the_list)
{
    struct lab_transport **transports;
    struct lab_errors errors = {0};
    size_t count;
    write_file("nodes", line_auto);
    assert_false(lab_transports_read(path_of("nodes"), "", "/nowhere/gpulab-worker", &transports, &count, &errors));
    assert_string_equal(errors.items[0].detail,
                        "The worker /nowhere/gpulab-worker and the files beside it cannot be "
                        "read, to be copied to other machines: No such file or directory.");
}
