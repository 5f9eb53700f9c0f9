/* The main function of the programs of unit tests, and their checks. */
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "Runs the unit tests of this program, each in a process of its own.\n"
    "  PROGRAM [NAME...]         NAME: a test, FILE.TEST, or FILE for all tests of test_FILE.c; without: all tests\n"
    "  PROGRAM --list [NAME...]  lists the tests as FILE.TEST\n"
    "  PROGRAM --here NAME       runs one test in this process and without a deadline, for debuggers\n"
    "GPULAB_TEST_SLOWDOWN=N multiplies the deadline of a test.\n";

enum { DEADLINE_S = 300, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 };

static struct test *first_test, **last_test = &first_test;
static struct test_surroundings *all_surroundings;
static struct test_role *all_roles;

void test_register(struct test *test)
{
    *last_test = test;
    last_test = &test->next;
}

void test_register_surroundings(struct test_surroundings *surroundings)
{
    surroundings->next = all_surroundings;
    all_surroundings = surroundings;
}

void test_register_role(struct test_role *role)
{
    role->next = all_roles;
    all_roles = role;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static jmp_buf test_end;
static pid_t test_thread; /* the thread that runs the test; its id is the process's too */

/* Ends the test with an exit status. */
static _Noreturn void end_test(int status)
{
    if (gettid() == test_thread)
        longjmp(test_end, status);
    _exit(status);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stderr);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(arguments);
    end_test(EXIT_FAILED);
}

void test_skip(void)
{
    end_test(EXIT_SKIPPED);
}

void test_integers(bool equal, intmax_t found, intmax_t other, const char *what, const char *file, int line)
{
    if ((found == other) != equal)
        test_fail(file, line, "%s is %jd (0x%jx)%s %jd (0x%jx)", what, found, (uintmax_t)found,
                  equal ? ", not" : ", as", other, (uintmax_t)other);
}

void test_texts(bool equal, const char *found, const char *other, const char *what, const char *file, int line)
{
    if (found == NULL || other == NULL || (strcmp(found, other) == 0) != equal)
        test_fail(file, line, "%s is \"%s\"%s \"%s\"", what, found != NULL ? found : "(NULL)",
                  equal ? ",\nnot" : ", as", other != NULL ? other : "(NULL)");
}

void test_bytes(const void *found, const void *wanted, size_t size, const char *what, const char *file, int line)
{
    const unsigned char *a = found, *b = wanted;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            test_fail(file, line, "byte %zu of %s is 0x%02x, not 0x%02x", i, what, a[i], b[i]);
}

void test_floats(double found, double wanted, double tolerance, const char *what, const char *file, int line)
{
    if (!(fabs(found - wanted) <= tolerance))
        test_fail(file, line, "%s is %.17g, not %.17g within %g", what, found, wanted, tolerance);
}

void test_range(intmax_t found, intmax_t least, intmax_t most, const char *what, const char *file, int line)
{
    if (found < least || found > most)
        test_fail(file, line, "%s is %jd, not from %jd to %jd", what, found, least, most);
}

/* --- one test ----------------------------------------------------------------------------------------------------- */

static const struct test_surroundings *surroundings_of(const struct test *test)
{
    static const struct test_surroundings none;
    const struct test_surroundings *found = all_surroundings;
    while (found != NULL && strcmp(found->file, test->file) != 0)
        found = found->next;
    return found != NULL ? found : &none;
}

static int prepared; /* fixtures of the test that have been set up */

static void set_up(const struct test *test, test_fixture *setup, void **state)
{
    if (setup != NULL && setup(state) != 0)
        test_fail(test->file, test->line, "the setup of %s failed", test->name);
    prepared++;
}

/* Tears a fixture down; returns the exit status so far or that of a teardown that failed. */
static int tear_down(const struct test *test, test_fixture *teardown, void **state, int status)
{
    if (setjmp(test_end) != 0)
        return EXIT_FAILED;
    if (teardown != NULL && teardown(state) != 0)
        test_fail(test->file, test->line, "the teardown of %s failed", test->name);
    return status;
}

/* Runs a test with its fixtures in this process; returns the exit status. */
static int run_here(const struct test *test)
{
    static void *state;
    static const struct test_surroundings *around; /* static: longjmp keeps it */
    around = surroundings_of(test);
    test_thread = gettid();
    int status = setjmp(test_end);
    if (status == 0) {
        set_up(test, around->setup, &state);
        set_up(test, test->setup, &state);
        test->run(state);
    }
    if (prepared > 1)
        status = tear_down(test, test->teardown, &state, status);
    if (prepared > 0)
        status = tear_down(test, around->teardown, &state, status);
    return status;
}

/* --- all tests ---------------------------------------------------------------------------------------------------- */

/* The name of the test's file: FILE of test_FILE.c. */
static const char *file_of(const struct test *test)
{
    static char name[64];
    const char *base = strrchr(test->file, '/') != NULL ? strrchr(test->file, '/') + 1 : test->file;
    snprintf(name, sizeof name, "%s", strncmp(base, "test_", 5) == 0 ? base + 5 : base);
    name[strcspn(name, ".")] = '\0';
    return name;
}

static bool is_called(const struct test *test, const char *name)
{
    char full[256];
    snprintf(full, sizeof full, "%s.%s", file_of(test), test->name);
    return strcmp(name, full) == 0 || strcmp(name, test->name) == 0 || strcmp(name, file_of(test)) == 0;
}

/* Whether a test is one of those that the arguments name; without arguments, every test is. */
static bool is_selected(const struct test *test, char *const *names)
{
    bool any = names[0] == NULL;
    for (; *names != NULL && !any; names++)
        any = is_called(test, *names);
    return any;
}

static int unknown_name(char *const *names)
{
    for (; *names != NULL; names++) {
        const struct test *test = first_test;
        while (test != NULL && !is_called(test, *names))
            test = test->next;
        if (test == NULL)
            return fprintf(stderr, "no test and no file of tests is called '%s'; --list prints all\n", *names);
    }
    return 0;
}

/* Waits for a test's process until its deadline; SIGCHLD is blocked. False when the process had to be killed. */
static bool await(pid_t process, double deadline_s, int *status)
{
    struct timespec left = {(time_t)deadline_s, (long)(fmod(deadline_s, 1) * 1e9)};
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (waitpid(process, status, WNOHANG) == 0)
        if (sigtimedwait(&ended, NULL, &left) < 0 && errno == EAGAIN) {
            kill(-process, SIGKILL);
            waitpid(process, status, 0);
            return false;
        }
    return true;
}

/* Runs a test in the child that was forked for it, and stores its exit status at `verdict` too. */
static _Noreturn void run_in_child(const struct test *test, int *verdict)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    *verdict = run_here(test);
    fflush(NULL);
    if (*verdict != 0)
        _exit(*verdict);
    exit(0); /* a sanitizer looks for leaks first */
}

/* The exit status of a test by the end of its process, which is printed if it is not that of the test. */
static int judge(const struct test *test, int status, int verdict)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == verdict)
        return verdict;
    fprintf(stderr, "%s:%d: %s: ", test->file, test->line, test->name);
    if (WIFEXITED(status))
        fprintf(stderr, "its process exited with status %d\n", WEXITSTATUS(status));
    else
        fprintf(stderr, "its process was ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return EXIT_FAILED;
}

/* Seconds that a test may take. */
static double deadline(void)
{
    const char *slowdown = getenv("GPULAB_TEST_SLOWDOWN");
    return DEADLINE_S * (slowdown != NULL && atof(slowdown) > 0 ? atof(slowdown) : 1);
}

/* Runs a test in a process of its own, with the signal mask `mask`; returns its exit status, EXIT_FAILED also for other
 * ends. */
static int run_apart(const struct test *test, const sigset_t *mask, int *verdict)
{
    int status = 0;
    *verdict = -1; /* until the test has ended */
    fflush(NULL);
    pid_t process = fork();
    if (process < 0) {
        perror("fork");
        exit(EXIT_FAILED);
    }
    if (process == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        run_in_child(test, verdict);
    }
    setpgid(process, process);
    if (!await(process, deadline(), &status))
        fprintf(stderr, "%s:%d: %s: no end after %g s\n", test->file, test->line, test->name, deadline());
    kill(-process, SIGKILL); /* what it has left behind */
    return judge(test, status, *verdict);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int test_run(char *const *names)
{
    int passed = 0, skipped = 0, failed = 0;
    int *verdict = mmap(NULL, sizeof *verdict, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigset_t child, mask;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    for (const struct test *test = first_test; test != NULL && verdict != MAP_FAILED; test = test->next) {
        if (!is_selected(test, names))
            continue;
        double begin = seconds();
        int status = run_apart(test, &mask, verdict);
        const char *word = status == 0 ? "passed " : status == EXIT_SKIPPED ? "skipped" : "FAILED ";
        *(status == 0 ? &passed : status == EXIT_SKIPPED ? &skipped : &failed) += 1;
        printf("%s %s.%s (%.2f s)\n", word, file_of(test), test->name, seconds() - begin);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed == 0 && passed + skipped > 0 ? 0 : EXIT_FAILED;
}

static int list(char *const *names)
{
    for (const struct test *test = first_test; test != NULL; test = test->next)
        if (is_selected(test, names))
            printf("%s.%s\n", file_of(test), test->name);
    return 0;
}

static int run_first_here(char *const *names)
{
    const struct test *test = first_test;
    while (test != NULL && !is_selected(test, names))
        test = test->next;
    return test != NULL ? run_here(test) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    for (const struct test_role *role = all_roles; role != NULL && argc > 1; role = role->next)
        if (strcmp(argv[1], role->argument) == 0)
            return role->main(argc, argv);
    char **names = argv + 1;
    bool option = argc > 1 && strncmp(argv[1], "--", 2) == 0;
    if (unknown_name(names + option) != 0)
        return EXIT_USAGE;
    if (!option)
        return test_run(names);
    if (strcmp(argv[1], "--list") == 0)
        return list(names + 1);
    if (strcmp(argv[1], "--here") == 0 && argc == 3)
        return run_first_here(names + 1);
    fputs(usage, strcmp(argv[1], "--help") == 0 ? stdout : stderr);
    return strcmp(argv[1], "--help") == 0 ? 0 : EXIT_USAGE;
}
