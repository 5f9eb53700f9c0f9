/* For the tests of kernels/sandbox: a folder in which a hostile program (tests/sandbox/hostile.c) runs with each way of
 * protection, and what must be out of its reach. */
#ifndef LAB_SANDBOX_FIXTURE_H
#define LAB_SANDBOX_FIXTURE_H

#include "sandbox/sandbox.h"
#include "support/test.h"

enum { NOBODY = 65534, KEPT_OUTPUT = 1 << 14 };

/* A folder for the program, one with what it must not reach, and how the program is run. */
struct sandbox_fixture {
    struct lab_sandbox sandbox;
    char folder[48], outside[48];
    char program[64], secret[64], other_file[64];
    struct lab_sandbox_call call;
    int passed[LAB_SANDBOX_KEPT_MAX]; /* the descriptors that the program gets */
    struct lab_sandbox_result result;
    char output[KEPT_OUTPUT], errors[KEPT_OUTPUT];
    size_t output_bytes, errors_bytes;
    size_t output_limit; /* then the sink refuses */
};

/* Gives one more descriptor to the program. */
void pass(struct sandbox_fixture *fixture, int descriptor);

/* Options of lab_sandbox_probe for this build; root's programs are nobody's. */
struct lab_sandbox_options sandbox_options(bool without_bubblewrap);

/* From now on this process and its descendants are on a kernel without Landlock. */
void forget_landlock(void);

/* Fixtures. A test is skipped where the machine does not have its way. */
int open_with_bubblewrap(void **state);
int open_with_landlock(void **state);
int open_with_namespaces_alone(void **state);
int open_as_root(void **state); /* namespaces alone, and no other user */
int close_sandbox(void **state);

/* A test of each way. */
#define TEST_BOTH(NAME, PARAMETER)                                                                                     \
    static void NAME(PARAMETER);                                                                                       \
    TEST_WITH(NAME##_with_bubblewrap, struct sandbox_fixture *fixture_, .setup = open_with_bubblewrap,                 \
              .teardown = close_sandbox)                                                                               \
    {                                                                                                                  \
        NAME(fixture_);                                                                                                \
    }                                                                                                                  \
    TEST_WITH(NAME##_with_landlock, struct sandbox_fixture *fixture_, .setup = open_with_landlock,                     \
              .teardown = close_sandbox)                                                                               \
    {                                                                                                                  \
        NAME(fixture_);                                                                                                \
    }                                                                                                                  \
    static void NAME(PARAMETER)

/* Also one of namespaces alone, for what Landlock and namespaces each prevent. */
#define TEST_ALL(NAME, PARAMETER)                                                                                      \
    static void NAME(PARAMETER);                                                                                       \
    TEST_WITH(NAME##_with_namespaces_alone, struct sandbox_fixture *fixture_, .setup = open_with_namespaces_alone,     \
              .teardown = close_sandbox)                                                                               \
    {                                                                                                                  \
        NAME(fixture_);                                                                                                \
    }                                                                                                                  \
    TEST_BOTH(NAME, PARAMETER)

/* Runs an attack, or another program; the result is in the fixture. */
bool run_arguments(struct sandbox_fixture *fixture, char *const *arguments);
bool run_attack(struct sandbox_fixture *fixture, char *attack, char *argument);

void expect_exit(const struct sandbox_fixture *fixture, int code);
void expect_end(const struct sandbox_fixture *fixture, enum lab_sandbox_end end);

/* Expects that the attack gets nothing in the sandbox. */
void expect_nothing(struct sandbox_fixture *fixture, char *attack, char *argument);
/* Expects that the attack gets something without the sandbox. */
void expect_something(const struct sandbox_fixture *fixture, char *attack, char *argument);

#endif
