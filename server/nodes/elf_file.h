/* What an ELF file (elf(5)) needs of the machine on which it is started. */
#ifndef LAB_ELF_FILE_H
#define LAB_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_ELF_LIBRARIES_MAX = 32 };

/* Texts point into the file's bytes or are constant. */
struct lab_elf_needs {
    const char *machine;                          /* as `uname -m` names it; NULL: not an ELF file of a known machine */
    unsigned glibc_minor;                         /* the newest version 2.N of glibc whose symbols it has; 0: none */
    const char *libraries[LAB_ELF_LIBRARIES_MAX]; /* the names of its shared libraries (DT_NEEDED) */
    size_t library_count;
};

/* Reads the sections of a 64-bit file in memory. Parts of a damaged file that cannot be read are left out. */
void lab_elf_read(const unsigned char *bytes, size_t size, struct lab_elf_needs *needs);

#endif
