/* Reads command line options from tables: flags, environment variables, defaults, bounds and help texts.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LAB_TEXTS_MAX = 64 };

/* The values of an option that can be repeated; `items` ends with NULL. Borrowed. */
struct lab_texts {
    size_t count;
    const char *items[LAB_TEXTS_MAX + 1];
};

enum lab_option_kind {
    LAB_OPTION_FLAG,   /* bool */
    LAB_OPTION_TEXT,   /* const char * */
    LAB_OPTION_COUNT,  /* unsigned */
    LAB_OPTION_NUMBER, /* double */
    LAB_OPTION_LIST    /* struct lab_texts: can be repeated; the environment variable is separated by commas */
};

struct lab_option {
    const char *name;  /* "--worker-idle" */
    const char *value; /* the placeholder of its value in help: "S"; NULL for a flag */
    const char *help;
    enum lab_option_kind kind;
    bool environment;           /* also read from the environment: GPULAB_WORKER_IDLE */
    const char *fallback;       /* the default as text; NULL leaves the field as it is */
    const char *const *choices; /* TEXT: the allowed values, ends with NULL; NULL for any value */
    double minimum, maximum;    /* COUNT, NUMBER */
    size_t offset;              /* of its field in the group's struct */
};

/* Options that fill one struct, and their title in help. A list of groups ends with `options` NULL. */
struct lab_option_group {
    const char *title;
    const struct lab_option *options; /* ends with name NULL */
    void *into;
};

struct lab_arguments {
    bool help;              /* --help or -h is among the arguments */
    struct lab_texts words; /* the arguments that are not options */
};

/* Reads the defaults, then the environment, then argv[1...] ("--name value" or "--name=value"; all arguments after "--"
 * are words). Values are borrowed from argv and the environment. Returns false with errors whose pointer is the
 * option's name. */
bool lab_options_parse(const struct lab_option_group *groups, int argc, char **argv, struct lab_arguments *arguments,
                       struct lab_errors *errors);

/* Prints the help texts of the groups' options. */
void lab_options_help(FILE *out, const struct lab_option_group *groups);

/* Prints `text` and a newline, wrapped between words to the columns from `indent` to `width` - 1. The first line is not
 * indented: the caller has printed up to that column. */
void lab_print_wrapped(FILE *out, const char *text, size_t indent, size_t width);

#endif
