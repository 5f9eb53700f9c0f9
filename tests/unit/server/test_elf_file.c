/* server/nodes/elf_file.c: what a program needs of the machine on which it is started. */
#include "nodes/elf_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Reads a program of the build; the caller frees it. */
static unsigned char *read_program(size_t *size)
{
    FILE *file = fopen(LAB_TEST_BUILD "/gpulab-sandbox", "r");
    assert_non_null(file);
    unsigned char *bytes = malloc(64 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 64 << 20, file);
    fclose(file);
    return bytes;
}

TEST(a_program_of_this_build_needs_this_machine_and_its_c_library)
{
    size_t size;
    struct lab_elf_needs needs;
    struct utsname here;
    unsigned char *bytes = read_program(&size);
    uname(&here);
    lab_elf_read(bytes, size, &needs);
    assert_string_equal(needs.machine, here.machine);
    assert_true(needs.glibc_minor >= 2);
    bool has_libc = false;
    for (size_t i = 0; i < needs.library_count; i++)
        has_libc = has_libc || strcmp(needs.libraries[i], "libc.so.6") == 0;
    assert_true(has_libc);
    free(bytes);
}

TEST(a_script_needs_nothing)
{
    static const unsigned char script[] =
        "#!/bin/sh\nexit 0\n# and more than the 64 bytes of the header of an ELF file\n";
    struct lab_elf_needs needs;
    lab_elf_read(script, sizeof script, &needs);
    assert_null(needs.machine);
    assert_int_equal(needs.glibc_minor, 0);
    assert_int_equal(needs.library_count, 0);
}

TEST(a_damaged_program_is_read_within_its_bytes)
{
    size_t size;
    struct lab_elf_needs needs;
    unsigned char *bytes = read_program(&size);
    for (size_t length = 0; length < size; length += length < 128 ? 1 : 997) {
        unsigned char *part = malloc(length + 1); /* so that the address sanitizer sees what is read after its end */
        memcpy(part, bytes, length);
        lab_elf_read(part, length, &needs);
        free(part);
    }
    /* Each byte of the header, and some of each section's, have other values. */
    size_t sections;
    memcpy(&sections, bytes + 40, sizeof sections);
    for (size_t at = 0; at < size; at = at == 63 ? sections : at + 1) {
        unsigned char before = bytes[at];
        bytes[at] = 0xff;
        lab_elf_read(bytes, size, &needs);
        bytes[at] = before;
    }
    free(bytes);
}
