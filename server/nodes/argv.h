/* A command line that is put together word by word. */
#ifndef LAB_ARGV_H
#define LAB_ARGV_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as `{0}`. */
struct lab_argv {
    char **words; /* end with NULL, once there is one */
    size_t count;
    bool failed; /* out of memory: a word is missing */
};

void lab_argv_add(struct lab_argv *argv, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the words of a list that ends with NULL; NULL: none. */
void lab_argv_add_all(struct lab_argv *argv, const char *const *words);
/* The words, which the caller frees; NULL when memory ran out. */
char **lab_argv_take(struct lab_argv *argv);

/* Frees the words and their list. NULL is allowed. */
void lab_argv_free(char **words);

#endif
