#include "lair.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool keep(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size)
{
    struct lair *lair = context;
    char *kept = stream == LAB_SANDBOX_OUTPUT ? lair->output : lair->errors;
    size_t *count = stream == LAB_SANDBOX_OUTPUT ? &lair->output_bytes : &lair->errors_bytes;
    for (size_t i = 0; i < size && *count + i < KEPT_OUTPUT - 1; i++)
        kept[*count + i] = bytes[i];
    *count += size;
    return lair->output_limit == 0 || *count <= lair->output_limit;
}

void pass(struct lair *lair, int descriptor)
{
    lair->passed[lair->call.kept_count++] = descriptor;
    lair->call.kept = lair->passed;
}

static void copy_program(const char *to)
{
    char bytes[1 << 16];
    int in = open(LAB_TEST_BUILD "/gpulab-hostile", O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0755);
    assert_true(in >= 0 && out >= 0);
    for (ssize_t got; (got = read(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(out, bytes, (size_t)got), got);
    close(in);
    close(out);
}

struct lab_sandbox_options lair_options(bool without_bubblewrap)
{
    return (struct lab_sandbox_options){
        .has_user = geteuid() == 0,
        .user = {NOBODY, NOBODY},
        .without_bubblewrap = without_bubblewrap,
        .helper = LAB_TEST_BUILD "/gpulab-sandbox",
    };
}

static int open_lair(void **state, enum lab_sandbox_way way, bool as_root)
{
    static struct lair lair;
    static char *nothing[] = {NULL};
    struct lab_sandbox_options options = lair_options(way == LAB_SANDBOX_LANDLOCK);
    options.has_user = options.has_user && !as_root;
    if (!lab_sandbox_probe(&options, &lair.sandbox) || lair.sandbox.way != way) {
        printf("no %s: %s\n", lab_sandbox_way_name(way), lair.sandbox.detail);
        skip();
    }
    umask(022); /* other users may read what must not be read */
    strcpy(lair.folder, "/tmp/gpulab-lair-XXXXXX");
    strcpy(lair.outside, "/tmp/gpulab-outside-XXXXXX");
    if (mkdtemp(lair.folder) == NULL || mkdtemp(lair.outside) == NULL || chmod(lair.outside, 0777) != 0)
        return 1;
    snprintf(lair.program, sizeof lair.program, "%s/program", lair.folder);
    snprintf(lair.secret, sizeof lair.secret, "%s/secret", lair.outside);
    snprintf(lair.prey, sizeof lair.prey, "%s/prey", lair.outside);
    copy_program(lair.program);
    int secret = open(lair.secret, O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(secret, "secret", 6), 6);
    close(secret);
    lair.call = (struct lab_sandbox_call){
        .environment = nothing,
        .folder = lair.folder,
        .input = -1,
        .limits = {.wall_s = 60,
                   .processor_s = 60,
                   .memory_bytes = 128 << 20,
                   .tasks = 40,
                   .open_files = 64,
                   .file_bytes = 4 << 20,
                   .folder_bytes = 32 << 20,
                   .folder_files = 1000},
        .sink = keep,
        .context = &lair,
    };
    *state = &lair;
    return 0;
}

int open_with_bubblewrap(void **state)
{
    return open_lair(state, LAB_SANDBOX_BUBBLEWRAP, false);
}

int open_with_landlock(void **state)
{
    return open_lair(state, LAB_SANDBOX_LANDLOCK, false);
}

void forget_landlock(void)
{
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof program / sizeof *program, program};
    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

int open_with_namespaces_alone(void **state)
{
    forget_landlock();
    return open_lair(state, LAB_SANDBOX_BUBBLEWRAP, false);
}

int open_as_root(void **state)
{
    if (geteuid() != 0)
        skip();
    forget_landlock();
    return open_lair(state, LAB_SANDBOX_BUBBLEWRAP, true);
}

static int remove_lair(void *state)
{
    struct lair *lair = state;
    bool removed = lab_sandbox_folder_remove(lair->folder) && access(lair->folder, F_OK) != 0;
    return removed && access(lair->secret, F_OK) == 0 && lab_sandbox_folder_remove(lair->outside) ? 0 : 1;
}

int close_lair(void **state)
{
    return remove_lair(*state);
}

bool run_arguments(struct lair *lair, char *const *arguments)
{
    lair->output_bytes = lair->errors_bytes = 0;
    memset(lair->output, 0, sizeof lair->output);
    memset(lair->errors, 0, sizeof lair->errors);
    lair->call.arguments = arguments;
    return lab_sandbox_run(&lair->sandbox, &lair->call, &lair->result);
}

bool run_attack(struct lair *lair, char *attack, char *argument)
{
    char *const arguments[] = {lair->program, attack, argument, NULL};
    return run_arguments(lair, arguments);
}

void expect_exit(const struct lair *lair, int code)
{
    const struct lab_sandbox_result *result = &lair->result;
    if (result->end != LAB_SANDBOX_ITSELF || !WIFEXITED(result->status) || WEXITSTATUS(result->status) != code)
        fail_msg("end %d, status 0x%x, not exit code %d: %s\n%s%s", (int)result->end, (unsigned)result->status, code,
                 result->detail, lair->output, lair->errors);
}

void expect_end(const struct lair *lair, enum lab_sandbox_end end)
{
    if (lair->result.end != end)
        fail_msg("end %d, status 0x%x, not end %d: %s\n%s%s", (int)lair->result.end, (unsigned)lair->result.status,
                 (int)end, lair->result.detail, lair->output, lair->errors);
    assert_string_equal(lair->result.detail, lab_sandbox_end_text(end));
}

void expect_nothing(struct lair *lair, char *attack, char *argument)
{
    assert_true(run_attack(lair, attack, argument));
    assert_string_equal(lair->output, "");
    expect_exit(lair, 0);
}

void expect_something(const struct lair *lair, char *attack, char *argument)
{
    int status;
    pid_t process = fork();
    if (process == 0) {
        freopen("/dev/null", "w", stdout);
        if (chdir(lair->folder) == 0)
            execl(lair->program, lair->program, attack, argument, (char *)NULL);
        _exit(98);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 1 << 8);
}
