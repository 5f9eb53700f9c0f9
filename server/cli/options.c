/* Reads command line options from tables. */
#include "options.h"

#include "core/suggestion.h"
#include "core/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* GIVEN_MAX: more than the options of any command. */
enum { VARIABLE_SIZE = 64, GIVEN_MAX = 128 };

/* Writes the environment variable of an option: for "--worker-idle", "GPULAB_WORKER_IDLE". */
static void variable_name(const char *option, char name[VARIABLE_SIZE])
{
    snprintf(name, VARIABLE_SIZE, "GPULAB_%s", option + strlen("--"));
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static bool one_of(const char *const *choices, const char *text)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        if (strcmp(choices[i], text) == 0)
            return true;
    return false;
}

static bool add_text(const struct lab_option *option, const char *text, struct lab_texts *texts,
                     struct lab_errors *errors)
{
    if (texts->count == LAB_TEXTS_MAX)
        return lab_errors_add(errors, LAB_ERROR_TOO_MANY, option->name, "can be given at most %d times.",
                              LAB_TEXTS_MAX);
    texts->items[texts->count++] = text;
    texts->items[texts->count] = NULL;
    return true;
}

/* The text of a flag as its row takes it. */
static const char *flag_text(const char *text)
{
    static const char *const yes[] = {"1", "yes", NULL}, *const no[] = {"0", "no", NULL};
    return one_of(yes, text) ? "true" : one_of(no, text) ? "false" : text;
}

static bool set(const struct lab_option_group *group, const struct lab_option *option, const char *text,
                struct lab_errors *errors)
{
    void *field = (char *)group->into + option->offset;
    bool is_flag = option->accepts.type == LAB_TYPE_BOOLEAN;
    struct lab_value value;
    if (!lab_schema_read_text(&option->accepts, is_flag ? flag_text(text) : text, option->name, &value, errors))
        return false;
    if (option->accepts.count == LAB_LIST)
        return add_text(option, text, field, errors);
    if (is_flag && !option->as_text)
        *(bool *)field = value.integer != 0;
    else if (option->accepts.type == LAB_TYPE_WHOLE)
        *(unsigned *)field = (unsigned)value.integer;
    else if (option->accepts.type == LAB_TYPE_NUMBER)
        *(double *)field = value.number;
    else
        *(const char **)field = is_flag ? flag_text(text) : text;
    return true;
}

/* Sets a list from its environment variable, whose value is split at the commas in place. The items point into the
 * environment, which is never freed. */
static void set_list(const struct lab_option_group *group, const struct lab_option *option, char *value,
                     struct lab_errors *errors)
{
    char *rest = NULL;
    for (char *item = strtok_r(value, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest))
        set(group, option, item, errors);
}

static void set_defaults(const struct lab_option_group *group, struct lab_errors *errors)
{
    for (const struct lab_option *option = group->options; option->name != NULL; option++) {
        char name[VARIABLE_SIZE];
        variable_name(option->name, name);
        char *value = option->environment ? getenv(name) : NULL;
        if (value != NULL && !lab_utf8_is_valid(value, strlen(value)))
            lab_errors_add(errors, LAB_ERROR_NOT_UTF_8, name, "The environment variable is not valid UTF-8.");
        else if (value != NULL && option->accepts.count == LAB_LIST)
            set_list(group, option, value, errors);
        else if (value != NULL && value[0] != '\0')
            set(group, option, value, errors);
        else if (option->accepts.fallback != NULL)
            set(group, option, option->accepts.fallback, errors);
    }
}

/* The option whose name is the first `length` bytes of `text`, and in *of its group; NULL if there is none. */
static const struct lab_option *find(const struct lab_option_group *groups, const char *text, size_t length,
                                     const struct lab_option_group **of)
{
    for (*of = groups; (*of)->options != NULL; (*of)++)
        for (const struct lab_option *option = (*of)->options; option->name != NULL; option++)
            if (strlen(option->name) == length && strncmp(option->name, text, length) == 0)
                return option;
    return NULL;
}

/* The options that a command line has given. */
struct given {
    size_t count;
    const struct lab_option *options[GIVEN_MAX];
};

/* Sets an option from the command line. Only lists can be given several times. */
static void set_once(const struct lab_option_group *group, const struct lab_option *option, const char *text,
                     struct given *given, struct lab_errors *errors)
{
    bool again = false;
    for (size_t i = 0; i < given->count; i++)
        again = again || given->options[i] == option;
    if (again && option->accepts.count != LAB_LIST)
        lab_errors_add(errors, LAB_ERROR_REPEATED, option->name, "is given twice.");
    else if (set(group, option, text, errors) && !again && given->count < GIVEN_MAX)
        given->options[given->count++] = option;
}

static void refuse_unknown(const struct lab_option_group *groups, const char *text, size_t length,
                           struct lab_errors *errors)
{
    char near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = text, .length = length};
    for (const struct lab_option_group *group = groups; group->options != NULL; group++)
        for (const struct lab_option *option = group->options; option->name != NULL; option++)
            lab_suggestion_consider(&suggestion, option->name);
    lab_errors_add(errors, LAB_ERROR_UNKNOWN_OPTION, text, "unknown option; --help lists the options.%s",
                   lab_suggestion_text(&suggestion, near));
}

/* Reads the option at argv[at]. Returns the number of arguments read: 2 if its value is the next argument, else 1. */
static int read_option(const struct lab_option_group *groups, int argc, char **argv, int at, struct given *given,
                       struct lab_errors *errors)
{
    const struct lab_option_group *group;
    const char *text = argv[at], *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const struct lab_option *option = find(groups, text, length, &group);
    if (option == NULL) {
        refuse_unknown(groups, text, length, errors);
        return 1;
    }
    if (option->accepts.type == LAB_TYPE_BOOLEAN || equals != NULL) {
        set_once(group, option, equals != NULL ? equals + 1 : "true", given, errors);
        return 1;
    }
    if (at + 1 == argc) {
        lab_errors_add(errors, LAB_ERROR_MISSING, option->name, "a value is missing: %s %s.", option->name,
                       option->value);
        return 1;
    }
    set_once(group, option, argv[at + 1], given, errors);
    return 2;
}

bool lab_options_parse(const struct lab_option_group *groups, int argc, char **argv, struct lab_arguments *arguments,
                       struct lab_errors *errors)
{
    static const struct lab_option word = {.name = ""};
    static const char *const helps[] = {"--help", "-h", NULL};
    struct given given = {0};
    bool only_words = false;
    for (const struct lab_option_group *group = groups; group->options != NULL; group++)
        set_defaults(group, errors);
    for (int at = 1; at < argc;) {
        const char *text = argv[at];
        bool dash_word = arguments->dash_words && text[1] != '-';
        if (!only_words && one_of(helps, text)) {
            arguments->help = true;
            at++;
        } else if (only_words || text[0] != '-' || text[1] == '\0' || dash_word) {
            add_text(&word, text, &arguments->words, errors);
            at++;
        } else if (strcmp(text, "--") == 0) {
            only_words = true;
            arguments->passed = arguments->words.count;
            at++;
        } else {
            at += read_option(groups, argc, argv, at, &given, errors);
        }
    }
    if (!only_words)
        arguments->passed = arguments->words.count;
    return errors->count == 0;
}

void lab_print_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
    size_t at = indent;
    bool first = true, line_ended = false;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n"), shown = lab_utf8_count(text, length);
        if (!first && (line_ended || at + 1 + shown > width)) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, length, out);
        at += shown;
        size_t space = strspn(text + length, " \n");
        line_ended = memchr(text + length, '\n', space) != NULL;
        text += length + space;
        first = false;
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct lab_option *option)
{
    enum { HELP_COLUMN = 26, WIDTH = 100 };
    char left[64], help[2048], variable[VARIABLE_SIZE];
    snprintf(left, sizeof left, "  %s %s", option->name, option->value != NULL ? option->value : "");
    variable_name(option->name, variable);
    snprintf(help, sizeof help, "%s%s%s%s%s%s", option->help != NULL ? option->help : option->accepts.text,
             option->accepts.fallback != NULL ? " Default: " : "",
             option->accepts.fallback != NULL ? option->accepts.fallback : "",
             option->accepts.fallback != NULL ? "." : "", option->environment ? " Environment: " : "",
             option->environment ? variable : "");
    fprintf(out, "%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    lab_print_wrapped(out, help, HELP_COLUMN, WIDTH);
}

void lab_options_help(FILE *out, const struct lab_option_group *groups)
{
    for (const struct lab_option_group *group = groups; group->options != NULL; group++) {
        fprintf(out, "\n%s\n", group->title);
        for (const struct lab_option *option = group->options; option->name != NULL; option++)
            print_option(out, option);
    }
}
