/* kernels/core/compiler_log.c and experiments/program/messages.c: what nvcc, gcc, g++, clang and linkers say, as
 * messages with places. */
#include "core/compiler_log.h"
#include "experiments/program/messages.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* Checks what is read of a log, about a program with a file main.cu. */
static void check(const char *log, const char *file, const char *expected)
{
    char *copy = strdup(log);
    json_t *files = json_pack("{s:s}", "main.cu", file), *list = program_messages_read(copy, files);
    char *text = json_dumps(list, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    free(copy);
    json_decref(list);
    json_decref(files);
}

TEST(a_message_of_gcc_has_line_and_column)
{
    check(
        "main.c: In function 'main':\n"
        "./src/a.h:7:12: warning: unused variable 'y' [-Wunused-variable]\n"
        "    7 |  int a:3: error: quoted\n"
        "      |            ^\n"
        "main.c:1:24: error: 'x' undeclared (first use in this function)\n"
        "    1 | int main(void) { return x; }\n"
        "      |                        ^\n"
        "main.c:1:24: note: each undeclared identifier is reported once\n"
        "main.c:2: fatal error: none.h: No such file or directory\n"
        "compilation terminated.\n",
        "",
        "[{\"severity\":\"error\",\"text\":\"'x' undeclared (first use in this function)\",\"file\":\"main.c\",\"line\":1,"
        "\"column\":24},"
        "{\"severity\":\"error\",\"text\":\"none.h: No such file or directory\",\"file\":\"main.c\",\"line\":2},"
        "{\"severity\":\"warning\",\"text\":\"unused variable 'y' [-Wunused-variable]\",\"file\":\"src/a.h\",\"line\":7,"
        "\"column\":12},"
        "{\"severity\":\"note\",\"text\":\"each undeclared identifier is reported once\",\"file\":\"main.c\",\"line\":1,"
        "\"column\":24}]");
}

TEST(the_caret_of_clang_does_not_move_a_column)
{
    check("main.c:1:3: error: expected ';'\n  x = 1\n       ^\n", "",
          "[{\"severity\":\"error\",\"text\":\"expected ';'\",\"file\":\"main.c\",\"line\":1,\"column\":3}]");
}

/* nvcc replaces tabs by blanks, and __global__ by what it stands for. */
TEST(the_column_of_nvcc_is_that_of_the_file)
{
    check("main.cu(2): error: identifier \"y\" is undefined\n   p[0] = y; }\n          ^\n\n", "a\n\tp[0] = y; }\n",
          "[{\"severity\":\"error\",\"text\":\"identifier \\\"y\\\" is undefined\",\"file\":\"main.cu\",\"line\":2,"
          "\"column\":9}]");
    check(
        "main.cu(1): error: no x\n  __attribute__((global)) void k() { x; }\n"
        "                                     ^\n",
        "__global__ void k() { x; }",
        "[{\"severity\":\"error\",\"text\":\"no x\",\"file\":\"main.cu\",\"line\":1,\"column\":23}]");
    check("main.cu(9): error: no x\n  x;\n  ^\n", "other",
          "[{\"severity\":\"error\",\"text\":\"no x\",\"file\":\"main.cu\",\"line\":9}]");
}

TEST(tools_without_a_place_are_read)
{
    check(
        "nvcc fatal   : Unsupported gpu architecture 'sm_1'\n"
        "ptxas /tmp/a.ptx, line 21; error   : Not a name of any known instruction: 'bad'\n"
        "ptxas fatal   : Unresolved extern function '_Z1fv'\n"
        "nvlink error   : Undefined reference to '_Z1fv' in 'gpulab-0.o'\n"
        "cc1plus: error: unrecognized command-line option\n",
        "",
        "[{\"severity\":\"error\",\"text\":\"Unsupported gpu architecture 'sm_1'\"},"
        "{\"severity\":\"error\",\"text\":\"Not a name of any known instruction: 'bad'\"},"
        "{\"severity\":\"error\",\"text\":\"Unresolved extern function '_Z1fv'\"},"
        "{\"severity\":\"error\",\"text\":\"Undefined reference to '_Z1fv' in 'gpulab-0.o'\"},"
        "{\"severity\":\"error\",\"text\":\"unrecognized command-line option\"}]");
}

TEST(what_the_linker_misses_is_an_error)
{
    check(
        "/usr/bin/ld: /tmp/a.o: in function `main':\n"
        "a.c:(.text+0xa): undefined reference to `f'\n"
        "/usr/bin/ld: a.c:(.text+0x11): undefined reference to `g()'\n"
        "/usr/bin/ld: cannot find -lnone: No such file or directory\n"
        "collect2: error: ld returned 1 exit status\n",
        "",
        "[{\"severity\":\"error\",\"text\":\"undefined reference to `f'\"},"
        "{\"severity\":\"error\",\"text\":\"undefined reference to `g()'\"},"
        "{\"severity\":\"error\",\"text\":\"cannot find -lnone: No such file or directory\"},"
        "{\"severity\":\"error\",\"text\":\"ld returned 1 exit status\"}]");
}

TEST(nothing_in_a_message_can_change_a_terminal)
{
    check("a\x1b.c:1:2: error: \x1b[31mred \xff\n", "",
          "[{\"severity\":\"error\",\"text\":\" [31mred ?\",\"file\":\"a .c\",\"line\":1,\"column\":2}]");
}

TEST(lines_that_are_no_messages_are_left)
{
    check(
        ":1:2: error: no file\na.c:0:1: error: line 0\na.c:\n1: error: x\na.c:1:x: error: x\na.c:1:2: hello\nerror: x\n",
        "", "[]");
}

TEST(the_first_error_is_a_sentence)
{
    char text[128];
    json_t *list = json_pack("[{s:s, s:s}, {s:s, s:s, s:s, s:i, s:i}]", "severity", "warning", "text", "w", "severity",
                             "error", "text", "no x", "file", "a.cu", "line", 3, "column", 5);
    lab_messages_first_error(list, NULL, text, sizeof text);
    assert_string_equal(text, "In a.cu, line 3, column 5: no x");
    lab_messages_first_error(list, "a.cu", text, sizeof text);
    assert_string_equal(text, "Line 3, column 5: no x");
    json_decref(list);
}
