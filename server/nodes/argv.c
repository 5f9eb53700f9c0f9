/* Adding words to a command line. */
#include "argv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void lab_argv_add(struct lab_argv *argv, const char *format, ...)
{
    char *word;
    va_list arguments;
    va_start(arguments, format);
    bool written = vasprintf(&word, format, arguments) >= 0;
    va_end(arguments);
    char **words = written ? realloc(argv->words, (argv->count + 2) * sizeof *words) : NULL;
    if (words == NULL) {
        if (written)
            free(word);
        argv->failed = true;
        return;
    }
    argv->words = words;
    words[argv->count++] = word;
    words[argv->count] = NULL;
}

void lab_argv_add_all(struct lab_argv *argv, const char *const *words)
{
    for (; words != NULL && *words != NULL; words++)
        lab_argv_add(argv, "%s", *words);
}

char **lab_argv_take(struct lab_argv *argv)
{
    char **words = argv->words;
    if (argv->failed) {
        lab_argv_free(words);
        words = NULL;
    }
    *argv = (struct lab_argv){0};
    return words;
}

void lab_argv_free(char **words)
{
    for (char **word = words; word != NULL && *word != NULL; word++)
        free(*word);
    free(words);
}
