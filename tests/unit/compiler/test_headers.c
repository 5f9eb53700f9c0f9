/* kernels/compiler/headers.c: where included headers are found, and that nothing else is. */
#include "compiler/header_server.h"
#include "compiler/headers.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gpulab-headers-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    char path[256];
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/part", folder);
    if (mkdir(path, 0700) != 0)
        return -1;
    write_file("tools.h", "#include \"part/inner.h\"\n#include <stdint.h>\n");
    write_file("part/inner.h", "#include \"sibling.h\"\n#include \"../tools.h\"\n#include \"../../outside.h\"\n");
    write_file("part/sibling.h", "int sibling;\n");
    write_file("part/again.h", "int again;\n");
    write_file("stdint.h", "int not_ours;\n");
    static const char *const folders[] = {"cuda", "cuda/std", "thrust", "thrust/system", "thrust/system/cuda"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        if (mkdir(path, 0700) != 0)
            return -1;
    }
    write_file("cuda/std/limits", "int twin;\n");
    write_file("thrust/system/cuda/tag.h", "#include <part/sibling.h>\n");
    write_file("cuda/std/__algorithm_", "#include <tools.h>\n");
    snprintf(path, sizeof path, "%s/pipe.h", folder);
    if (mkfifo(path, 0600) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/full.h", folder);
    return symlink("/dev/zero", path);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"tools.h",
                                        "part/inner.h",
                                        "part/sibling.h",
                                        "part/again.h",
                                        "stdint.h",
                                        "pipe.h",
                                        "full.h",
                                        "part",
                                        "cuda/std/limits",
                                        "cuda/std/__algorithm_",
                                        "cuda/std",
                                        "cuda",
                                        "thrust/system/cuda/tag.h",
                                        "thrust/system/cuda",
                                        "thrust/system",
                                        "thrust"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return rmdir(folder);
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)

static struct lab_headers find(const char *source)
{
    struct lab_headers headers = {0};
    const char *const folders[] = {folder, NULL};
    assert_true(lab_headers_find(&headers, source, folders));
    return headers;
}

/* The text of a header; NULL if it was not found. */
static const char *text_of(const struct lab_headers *headers, const char *name)
{
    for (size_t i = 0; i < headers->count; i++)
        if (strcmp(headers->names[i], name) == 0)
            return headers->texts[i];
    return NULL;
}

TEST(headers_of_a_folder_are_found_with_all_that_they_include)
{
    struct lab_headers headers = find("#include <tools.h>\n");
    assert_string_equal(text_of(&headers, "sibling.h"), "int sibling;\n");
    assert_non_null(text_of(&headers, "part/inner.h"));
    assert_non_null(text_of(&headers, "../tools.h"));
    assert_null(text_of(&headers, "../../outside.h"));
    lab_headers_release(&headers);
}

TEST(a_macro_of_thrust_stands_for_a_folder)
{
    struct lab_headers headers = find("#define TAG <__THRUST_DEVICE_SYSTEM_ROOT/tag.h>\n#include TAG\n");
    assert_non_null(text_of(&headers, "thrust/system/cuda/tag.h"));
    assert_non_null(text_of(&headers, "part/sibling.h"));
    lab_headers_release(&headers);
}

TEST(headers_of_this_program_come_first)
{
    struct lab_headers headers = find("#include <cstdint>\n#include \"transpose.h\"\n#include \"benchmark/check.h\"\n");
    assert_string_equal(text_of(&headers, "cstdint"), "#include <stdint.h>\n");
    assert_non_null(strstr(text_of(&headers, "stdint.h"), "uint32_t"));
    assert_non_null(strstr(text_of(&headers, "transpose.h"), "TILE"));
    assert_non_null(strstr(text_of(&headers, "benchmark/check.h"), "LAB_CHECK_KERNEL"));
    assert_non_null(text_of(&headers, "runtime/pattern.h"));
    assert_null(strstr(text_of(&headers, "stdint.h"), "not_ours"));
    lab_headers_release(&headers);
}

TEST(headers_of_the_cpp_library_are_made_of_libcupp)
{
    struct lab_headers headers =
        find("#include <limits>\n#include <algorithm>\n#include <climits>\n#include <vector>\n");
    static const char expected[] =
        "namespace cuda\n{\nnamespace std\n{\n}\n}\n#include <cuda/std/%s>\n"
        "namespace std\n{\nusing namespace cuda::std;\n}\n";
    char text[256];
    snprintf(text, sizeof text, expected, "limits");
    assert_string_equal(text_of(&headers, "limits"), text);
    snprintf(text, sizeof text, expected, "__algorithm_");
    assert_string_equal(text_of(&headers, "algorithm"), text);
    assert_string_equal(text_of(&headers, "cuda/std/limits"), "int twin;\n");
    assert_string_equal(text_of(&headers, "climits"), "#include <limits.h>\n");
    assert_null(text_of(&headers, "vector"));
    lab_headers_release(&headers);
}

/* Starts a process that serves the headers of the folder, and asks for one. */
static bool ask(struct lab_headers *headers, const char *name, const char *from)
{
    struct lab_headers served = find("#include \"part/inner.h\"\n");
    const char *const folders[] = {folder, NULL};
    int server = lab_header_server_start(&served, folders);
    assert_true(server >= 0);
    bool found = lab_header_server_ask(server, name, from, headers);
    close(server);
    lab_headers_release(&served);
    return found;
}

TEST(a_header_named_later_comes_with_its_siblings_and_what_they_include)
{
    struct lab_headers headers = {0};
    assert_true(ask(&headers, "cuda/std/limits", "kernel.cu"));
    assert_string_equal(text_of(&headers, "cuda/std/limits"), "int twin;\n");
    assert_string_equal(text_of(&headers, "cuda/std/__algorithm_"), "#include <tools.h>\n");
    assert_non_null(text_of(&headers, "tools.h"));
    assert_int_equal(headers.count, 3);
    assert_true(ask(&headers, "again.h", "part/inner.h"));
    assert_string_equal(text_of(&headers, "again.h"), "int again;\n");
    lab_headers_release(&headers);
}

TEST(nothing_else_is_served)
{
    static const char *const names[] = {
        "/etc/passwd", "../../etc/passwd", "part/../../../etc/passwd", "pipe.h", "full.h", "part", "absent.h", "",
        "part/inner.h"};
    struct lab_headers headers = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ask(&headers, names[i], "part/inner.h"))
            fail_msg("%s was served", names[i]);
    assert_false(lab_header_server_ask(-1, "tools.h", "", &headers));
    lab_headers_release(&headers);
}

TEST(a_server_that_has_ended_finds_nothing)
{
    struct lab_headers headers = {0}, served = {0};
    const char *const folders[] = {folder, NULL};
    int server = lab_header_server_start(&served, folders);
    assert_int_equal(shutdown(server, SHUT_WR), 0);
    assert_false(lab_header_server_ask(server, "tools.h", "", &headers));
    close(server);
    lab_headers_release(&headers);
    lab_headers_release(&served);
}

TEST(nothing_outside_the_folders_is_read)
{
    struct lab_headers headers = find(
        "#include \"/etc/passwd\"\n#include \"../../etc/passwd\"\n#include <part/../../x>\n"
        "#include \"pipe.h\"\n#include \"full.h\"\n#include \"part\"\n#include \"absent.h\"\n");
    assert_int_equal(headers.count, 0);
    lab_headers_release(&headers);
}

TEST(a_header_that_is_too_large_is_not_read)
{
    char path[256];
    snprintf(path, sizeof path, "%s/part/sibling.h", folder);
    assert_int_equal(truncate(path, (off_t)LAB_HEADERS_BYTES_MAX + 1), 0);
    struct lab_headers headers = find("#include \"part/sibling.h\"\n");
    assert_int_equal(headers.count, 0);
    lab_headers_release(&headers);
}
