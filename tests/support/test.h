/* Tests that register themselves, and the checks that they make.
 *
 *     TEST(a_queue_is_empty_at_first)
 *     {
 *         assert_int_equal(lab_queue_count(&queue), 0);
 *     }
 *
 * The programs of tests/unit have the main function of test.c: it runs each test in a process of its own, which has a
 * deadline. So a test may change the environment, signals, limits and the working directory, and crash, without
 * consequences for others.
 */
#ifndef LAB_TEST_H
#define LAB_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prepares what tests use, or releases it: 0, or another number, which fails the test. `*state` is what setup made;
 * teardown is called also after a test that failed, but not after a setup that failed. */
typedef int test_fixture(void **state);

struct test {
    const char *name, *file;
    int line;
    void (*run)(void *state);
    test_fixture *setup, *teardown; /* NULL: none */
    struct test *next;
};

/* Fixtures around each test of a file; the setup of the test itself comes after this one. */
struct test_surroundings {
    const char *file;
    test_fixture *setup, *teardown;
    struct test_surroundings *next;
};

/* What the program is instead when its first argument is this one: a process that a test starts as /proc/self/exe. */
struct test_role {
    const char *argument;
    int (*main)(int argc, char **argv);
    struct test_role *next;
};

void test_register(struct test *test);
void test_register_surroundings(struct test_surroundings *surroundings);
void test_register_role(struct test_role *role);

/* Runs the tests of these names, or all, each in a process of its own; returns the exit status of the program. */
int test_run(char *const *names);

#define TEST_REGISTERED(NAME, TYPE, FUNCTION, ...)                                                                     \
    __attribute__((constructor)) static void NAME##_register(void)                                                     \
    {                                                                                                                  \
        static struct TYPE NAME##_row = {__VA_ARGS__};                                                                 \
        FUNCTION(&NAME##_row);                                                                                         \
    }

/* Begins a test; its body follows. What else it has can be given as members of struct test: TEST(name, .setup =
 * reset). */
#define TEST(NAME, ...)                                                                                                \
    static void NAME(void);                                                                                            \
    static void NAME##_run(void *state)                                                                                \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        NAME();                                                                                                        \
    }                                                                                                                  \
    TEST_REGISTERED(NAME, test, test_register, .name = #NAME, .file = __FILE__, .line = __LINE__, .run = NAME##_run,   \
                    ##__VA_ARGS__)                                                                                     \
    static void NAME(void)

/* Begins a test that uses what its setup, or that around each test of the file, stored at *state: PARAMETER declares
 * that pointer. */
#define TEST_WITH(NAME, PARAMETER, ...)                                                                                \
    static void NAME(PARAMETER);                                                                                       \
    static void NAME##_run(void *state)                                                                                \
    {                                                                                                                  \
        NAME(state);                                                                                                   \
    }                                                                                                                  \
    TEST_REGISTERED(NAME, test, test_register, .name = #NAME, .file = __FILE__, .line = __LINE__, .run = NAME##_run,   \
                    ##__VA_ARGS__)                                                                                     \
    static void NAME(PARAMETER)

/* Gives each test of the file a setup, a teardown or both, as members of struct test_surroundings; at most once in a
 * file. */
#define AROUND_EACH_TEST(...)                                                                                          \
    TEST_REGISTERED(surroundings, test_surroundings, test_register_surroundings, .file = __FILE__, __VA_ARGS__)

/* MAIN is the program's main function when its first argument is ARGUMENT. */
#define TEST_ROLE(ARGUMENT, MAIN)                                                                                      \
    TEST_REGISTERED(MAIN, test_role, test_register_role, .argument = ARGUMENT, .main = MAIN)

/* --- checks ---------------------------------------------------------------------------------------------------------
 * The first that fails prints its place and the values and ends the test. In another thread or process than the test's,
 * it ends the process. */

_Noreturn void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void test_skip(void);

void test_integers(bool equal, intmax_t found, intmax_t other, const char *what, const char *file, int line);
void test_texts(bool equal, const char *found, const char *other, const char *what, const char *file, int line);
void test_bytes(const void *found, const void *wanted, size_t size, const char *what, const char *file, int line);
void test_floats(double found, double wanted, double tolerance, const char *what, const char *file, int line);
void test_range(intmax_t found, intmax_t least, intmax_t most, const char *what, const char *file, int line);

#define assert_true(CONDITION) ((CONDITION) ? (void)0 : test_fail(__FILE__, __LINE__, "%s is false", #CONDITION))
#define assert_false(CONDITION) ((CONDITION) ? test_fail(__FILE__, __LINE__, "%s is true", #CONDITION) : (void)0)
#define assert_null(POINTER) ((POINTER) == NULL ? (void)0 : test_fail(__FILE__, __LINE__, "%s is not NULL", #POINTER))
#define assert_non_null(POINTER) ((POINTER) != NULL ? (void)0 : test_fail(__FILE__, __LINE__, "%s is NULL", #POINTER))
#define assert_ptr_equal(FOUND, WANTED)                                                                                \
    test_integers(true, (intmax_t)(uintptr_t)(FOUND), (intmax_t)(uintptr_t)(WANTED), #FOUND, __FILE__, __LINE__)
#define assert_ptr_not_equal(FOUND, OTHER)                                                                             \
    test_integers(false, (intmax_t)(uintptr_t)(FOUND), (intmax_t)(uintptr_t)(OTHER), #FOUND, __FILE__, __LINE__)
#define assert_int_equal(FOUND, WANTED)                                                                                \
    test_integers(true, (intmax_t)(FOUND), (intmax_t)(WANTED), #FOUND, __FILE__, __LINE__)
#define assert_int_not_equal(FOUND, OTHER)                                                                             \
    test_integers(false, (intmax_t)(FOUND), (intmax_t)(OTHER), #FOUND, __FILE__, __LINE__)
#define assert_float_equal(FOUND, WANTED, TOLERANCE) test_floats(FOUND, WANTED, TOLERANCE, #FOUND, __FILE__, __LINE__)
#define assert_string_equal(FOUND, WANTED) test_texts(true, FOUND, WANTED, #FOUND, __FILE__, __LINE__)
#define assert_string_not_equal(FOUND, OTHER) test_texts(false, FOUND, OTHER, #FOUND, __FILE__, __LINE__)
#define assert_memory_equal(FOUND, WANTED, SIZE) test_bytes(FOUND, WANTED, SIZE, #FOUND, __FILE__, __LINE__)
#define assert_in_range(FOUND, LEAST, MOST)                                                                            \
    test_range((intmax_t)(FOUND), (intmax_t)(LEAST), (intmax_t)(MOST), #FOUND, __FILE__, __LINE__)
#define fail_msg(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

/* Ends the test, which then counts as skipped. */
#define skip() test_skip()

#endif
