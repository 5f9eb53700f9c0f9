/* Command line options from tables: flags, their GPULAB_… environment twins, fallbacks, bounds and help.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LAB_TEXTS_MAX = 64 };

/* Texts given one by one; always ends with NULL. Borrowed. */
struct lab_texts {
    size_t count;
    const char *items[LAB_TEXTS_MAX + 1];
};

enum lab_option_kind {
    LAB_OPTION_FLAG,   /* bool */
    LAB_OPTION_TEXT,   /* const char * */
    LAB_OPTION_COUNT,  /* unsigned */
    LAB_OPTION_NUMBER, /* double */
    LAB_OPTION_LIST    /* struct lab_texts: may be given again; its twin is parted by commas */
};

struct lab_option {
    const char *name;  /* "--worker-idle" */
    const char *value; /* what stands for its value in help: "S"; NULL for a flag */
    const char *help;
    enum lab_option_kind kind;
    bool twin;                  /* also read from the environment: GPULAB_WORKER_IDLE */
    const char *fallback;       /* the default as text; NULL leaves the field as it is */
    const char *const *choices; /* TEXT: what is allowed, ends with NULL; NULL for anything */
    double minimum, maximum;    /* COUNT, NUMBER */
    size_t offset;              /* of its field in what the group fills */
};

/* Options that fill one struct; a list of groups ends with `options` NULL. */
struct lab_option_group {
    const char *title;
    const struct lab_option *options; /* ends with name NULL */
    void *into;
};

struct lab_arguments {
    bool help;              /* --help or -h was among them: nothing else was judged */
    struct lab_texts words; /* what is no option */
};

/* Reads argv[1…]: fallbacks, then the environment, then the flags ("--name value" or "--name=value"; after "--" all are
 * words). Values are borrowed from argv and the environment. False with errors whose pointer is the option's name. */
bool lab_options_parse(const struct lab_option_group *groups, int argc, char **argv, struct lab_arguments *arguments,
                       struct lab_errors *errors);

/* Lists the groups' options for people. */
void lab_options_help(FILE *out, const struct lab_option_group *groups);

/* Prints `text` in lines from column `indent` to before `width`, broken between words, and a newline; `out` stands at
 * that column already. */
void lab_print_wrapped(FILE *out, const char *text, size_t indent, size_t width);

#endif
