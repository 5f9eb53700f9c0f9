/* kernels/descriptor/program.c, build_options.c: what a whole program in a request can be, and what its options make of
 * a compiler's command line. */
#include "descriptor/build_options.h"
#include "descriptor/program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* The errors of a program given as JSON: of its rows, and then of its check. */
static struct lab_errors check(const char *text)
{
    struct lab_errors errors = {0};
    json_t *program = json_loads(text, 0, NULL);
    assert_non_null(program);
    if (lab_schema_check_members(lab_program_members, program, "/program", &errors))
        lab_program_check(program, &errors);
    json_decref(program);
    return errors;
}

static void assert_refused(const char *text, const char *pointer, const char *part)
{
    struct lab_errors errors = check(text);
    if (errors.count == 0)
        fail_msg("accepted: %s", text);
    assert_string_equal(errors.items[0].pointer, pointer);
    if (strstr(errors.items[0].detail, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", errors.items[0].detail, part);
}

static void assert_accepted(const char *text)
{
    struct lab_errors errors = check(text);
    if (errors.count > 0)
        fail_msg("%s: %s", errors.items[0].pointer, errors.items[0].detail);
}

TEST(files_or_a_command_are_a_program)
{
    assert_accepted("{\"files\": {\"main.cu\": \"\"}}");
    assert_accepted("{\"files\": {\"src/a-1.cpp\": \"\", \"src/a.h\": \"\", \"data/in.txt\": \"1\", \"_x.c\": \"\"}}");
    assert_accepted("{\"command\": \"nvbandwidth\", \"arguments\": [\"-t\", \"\"], \"stdin\": \"y\\n\"}");
    assert_refused("{}", "/program", "neither");
    assert_refused("{\"files\": {\"a.c\": \"\"}, \"command\": \"x\"}", "/program", "both");
    assert_refused("{\"files\": {\"a.h\": \"\"}}", "/program/files", "No file is compiled");
    assert_refused("{\"command\": \"x\", \"options\": {}}", "/program/options", "not compiled");
    assert_refused("{\"files\": {\"a.c\": 1}}", "/program/files/a.c", "must be a text");
}

TEST(the_name_of_a_file_stays_below_its_folder_and_means_nothing_to_a_shell)
{
    static const char *const names[] = {"../a.c",    "/a.c",    "a/../b.c",  "a//b.c", ".a.c",     "a/.b.c",
                                        "a b.c",     "a;b.c",   "$a.c",      "-a.c",   "a.c/",     "a/b/c/d/e.c",
                                        "\\u00e9.c", "a\\nb.c", "\\u0001.c", "",       "a\\\\b.c", "`a`.c"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"files\": {\"%s\": \"\"}}", names[i]);
        struct lab_errors errors = check(text);
        if (errors.count == 0)
            fail_msg("accepted: %s", text);
        assert_int_equal(strncmp(errors.items[0].pointer, "/program/files", 14), 0);
    }
    assert_refused("{\"files\": {\"a.c\": \"\", \"a.c/b.h\": \"\"}}", "/program/files/a.c", "folder of other files");
}

TEST(the_size_of_a_program_is_bounded)
{
    json_t *program = json_pack("{s:{}}", "files"), *files = json_object_get(program, "files");
    struct lab_errors errors = {0};
    for (int i = 0; i <= LAB_SOURCE_FILES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.c", i);
        json_object_set_new(files, name, json_string(""));
    }
    assert_false(lab_program_check(program, &errors));
    json_object_clear(files);
    char *text = malloc(LAB_SOURCE_BYTES_MAX + 1);
    memset(text, 'x', LAB_SOURCE_BYTES_MAX + 1);
    json_object_set_new(files, "a.c", json_stringn(text, LAB_SOURCE_BYTES_MAX));
    errors = (struct lab_errors){0};
    assert_true(lab_program_check(program, &errors));
    json_object_set_new(files, "a.c", json_stringn(text, LAB_SOURCE_BYTES_MAX + 1));
    assert_false(lab_program_check(program, &errors));
    assert_string_equal(errors.items[0].pointer, "/program/files");
    free(text);
    json_decref(program);
}

#define WITH(file, options) "{\"files\": {\"" file "\": \"\"}, \"options\": {" options "}}"

TEST(options_are_those_of_the_table)
{
    assert_accepted(
        WITH("a.cu",
             "\"std\": \"c++17\", \"defines\": [\"N=1024\", \"USE_X\", \"T=-1.5e+3\"], \"libraries\": [\"cublas\"]"));
    assert_accepted(WITH("a.c", "\"std\": \"c11\", \"optimize\": 0, \"openmp\": true"));
    assert_refused(WITH("a.c", "\"std\": \"c++17\""), "/program/options/std", "standard of C++");
    assert_refused(WITH("a.cu", "\"std\": \"c11\""), "/program/options/std", "standard of C,");
    assert_refused(WITH("a.c", "\"max_registers\": 32"), "/program/options/max_registers", "of CUDA files");
    assert_refused(WITH("a.cu", "\"max_registers\": 256"), "/program/options/max_registers", "255");
    assert_refused(WITH("a.cu", "\"libraries\": [\"evil\"]"), "/program/options/libraries/0", "cublas");
    assert_refused(WITH("a.cu", "\"plugin\": \"x\""), "/program/options/plugin", "plugin");
    assert_refused(WITH("a.cu", "\"defines\": [\"N=$(id)\"]"), "/program/options/defines/0", "NAME=VALUE");
    assert_refused(WITH("a.cu", "\"defines\": [\"1N\"]"), "/program/options/defines/0", "NAME=VALUE");
    assert_refused(WITH("a.cu", "\"defines\": [\"N=a b\"]"), "/program/options/defines/0", "NAME=VALUE");
    assert_refused(WITH("a.cu", "\"defines\": [\"-I/\"]"), "/program/options/defines/0", "NAME=VALUE");
}

/* Appends an argument and a blank. */
static void append(void *text, const char *argument)
{
    strcat(strcat(text, argument), " ");
}

static void assert_arguments(const char *options, enum lab_language language, bool linking, const char *expected)
{
    char text[512] = "";
    json_t *object = json_loads(options, 0, NULL);
    lab_build_options_arguments(object, language, linking, append, text);
    assert_string_equal(text, expected);
    json_decref(object);
}

TEST(a_compiler_gets_the_options_of_its_language)
{
    static const char options[] =
        "{\"std\": \"c++20\", \"defines\": [\"A\", \"B=2\"], \"libraries\": [\"cufft\", \"m\"],"
        "\"relocatable\": true, \"max_registers\": 64, \"openmp\": true, \"fast_math\": false}";
    assert_arguments(options, LAB_LANGUAGE_CUDA, false,
                     "-std=c++20 -DA -DB=2 -maxrregcount=64 -O3 -Xcompiler=-fopenmp -rdc=true ");
    assert_arguments(options, LAB_LANGUAGE_CUDA, true, "-lcufft -lm -Xcompiler=-fopenmp -rdc=true ");
    assert_arguments(options, LAB_LANGUAGE_CPP, false, "-std=c++20 -DA -DB=2 -O3 -fopenmp ");
    assert_arguments(options, LAB_LANGUAGE_C, false, "-DA -DB=2 -O3 -fopenmp ");
    assert_arguments("{\"std\": \"c17\", \"optimize\": 1}", LAB_LANGUAGE_C, false, "-std=c17 -O1 ");
    assert_arguments("null", LAB_LANGUAGE_C, false, "-O3 ");
}

TEST(the_language_of_a_file_is_that_of_its_end)
{
    assert_int_equal(lab_language_of("a.cu"), LAB_LANGUAGE_CUDA);
    assert_int_equal(lab_language_of("a.b.cc"), LAB_LANGUAGE_CPP);
    assert_int_equal(lab_language_of("src.cu/a.c"), LAB_LANGUAGE_C);
    assert_int_equal(lab_language_of("a.cuh"), LAB_LANGUAGES);
    assert_int_equal(lab_language_of("cu"), LAB_LANGUAGES);
}
