/* Reads command line options from tables: flags, environment variables, defaults, bounds and help texts. */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "core/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LAB_TEXTS_MAX = 64 };

/* The values of an option that can be repeated; `items` ends with NULL. Borrowed. */
struct lab_texts {
    size_t count;
    const char *items[LAB_TEXTS_MAX + 1];
};

struct lab_option {
    const char *name;  /* "--worker-idle" */
    const char *value; /* the placeholder of its value in help: "S"; NULL for a flag */
    const char *help;  /* NULL: the text of `accepts` */
    /* The values of the option, and the default. BOOLEAN, a flag, fills a bool; WHOLE an unsigned; NUMBER a double;
     * STRING, CHOICE and TIME a const char *. With LAB_LIST the option fills a struct lab_texts: it can be repeated,
     * and in the environment commas separate its values. Without a default the field stays as it is. */
    struct lab_schema accepts;
    bool as_text;     /* a flag that fills a const char *: "true" or "false" */
    bool environment; /* also read from the environment: GPULAB_WORKER_IDLE */
    size_t offset;    /* of the field that the option fills, in the group's struct */
};

/* Options that fill the same struct, under one title in --help. A list of groups ends with a group whose `options` is
 * NULL. */
struct lab_option_group {
    const char *title;
    const struct lab_option *options; /* ends with an entry whose name is NULL */
    void *into;                       /* the struct */
};

struct lab_arguments {
    bool dash_words;        /* set by the caller: an argument with one dash, such as "-name", is not an option */
    bool help;              /* --help or -h is among the arguments */
    struct lab_texts words; /* the arguments that are not options */
    size_t passed;          /* the index of the first word after "--"; the number of words if there is none */
};

/* Reads the defaults, then the environment, then argv[1...] ("--name value" or "--name=value"; arguments after "--" are
 * not options). An option that is not a list is given once. Values are borrowed from argv and the environment. Returns
 * false with errors whose pointer is the option's name. */
bool lab_options_parse(const struct lab_option_group *groups, int argc, char **argv, struct lab_arguments *arguments,
                       struct lab_errors *errors);

/* Prints the help texts of the groups' options. */
void lab_options_help(FILE *out, const struct lab_option_group *groups);

/* Prints `text` and a newline, wrapped between words to the columns from `indent` to `width` - 1. A newline in the text
 * begins a line. The first line is not indented: the caller has printed up to that column. */
void lab_print_wrapped(FILE *out, const char *text, size_t indent, size_t width);

#endif
