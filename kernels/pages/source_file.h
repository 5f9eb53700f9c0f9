/* A source file of the repository as lines, and the C text that is made of it. */
#ifndef LAB_SOURCE_FILE_H
#define LAB_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file that was read. Files live as long as the program. */
struct lab_source_file {
    struct lab_source_file *next;
    const char *path; /* in the repository: "kernels/experiments/memory/stream/stream.cu" */
    const char *text;
    bool shown; /* its text is in the output */
};

/* All files that were read, the newest first. */
struct lab_source_files {
    struct lab_source_file *first;
};

/* The file of that path, which is read if it has not been. Ends the program with a message if it cannot be read. */
struct lab_source_file *lab_source_file(struct lab_source_files *files, const char *path);

/* Whether a file has a region of that name. */
bool lab_source_file_has(const struct lab_source_file *file, const char *region);

/* Memory that is zero, and copies of texts, which live as long as the program; they end it when memory runs out. */
void *lab_keep_bytes(size_t size);
char *lab_keep(const char *text, size_t length);
char *lab_keep_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "PATH:LINE: MESSAGE" to stderr and ends the program with status 1; line 0: "PATH: MESSAGE". */
_Noreturn void lab_fail(const char *path, size_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes a text as a C string; NULL as NULL. */
void lab_write_string(FILE *out, const char *text);

#endif
