/* The table of build options. */
#include "descriptor/build_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENT_MAX = 512, MACRO_MAX = 256, MACROS_MAX = 64 };

static const char *const standards[] = {"c++11", "c++14", "c++17", "c++20", "c99", "c11", "c17", NULL};
/* Of the toolkit and of the C library, by the names that linkers know. */
static const char *const libraries[] = {"cublas",    "cublasLt",   "cufft", "curand",  "cusolver",
                                        "cusparse",  "nppc",       "nvrtc", "cuda",    "nccl",
                                        "nvidia-ml", "nvToolsExt", "m",     "pthread", NULL};

/* ROW(name, flag of a command line, its value, what nvcc gets, what the compilers of C and C++ get, when, schema…): an argument is the
 * text followed by the value, or the text alone if the option is a boolean. NULL: the compiler does not have the option. */
#define OPTIONS(ROW)                                                                                                   \
    ROW(std, "--std", "STANDARD", "-std=", "-std=", COMPILING, .title = "Standard", .type = LAB_TYPE_CHOICE,           \
        .choices = standards,                                                                                          \
        .text = "The standard of the language; that of C++ for CUDA and C++ files, that of C for C files.")            \
    ROW(defines, "--define", "NAME=VALUE", "-D", "-D", COMPILING, .type = LAB_TYPE_STRING, .count = LAB_LIST,          \
        .items_max = MACROS_MAX, .minimum = 1, .maximum = MACRO_MAX, .text = "Macros, as NAME or NAME=VALUE.")         \
    ROW(libraries, "--library", "NAME", "-l", "-l", LINKING, .type = LAB_TYPE_CHOICE, .count = LAB_LIST,               \
        .choices = libraries, .distinct = true, .items_max = sizeof libraries / sizeof *libraries,                     \
        .text = "Libraries with which the program is linked.")                                                         \
    ROW(optimize, "--optimize", "LEVEL", "-O", "-O", COMPILING, .type = LAB_TYPE_INTEGER, .maximum = 3,                \
        .fallback = "3", .text = "The level of optimisation of host code.")                                            \
    ROW(openmp, "--openmp", NULL, "-Xcompiler=-fopenmp", "-fopenmp", ALWAYS, .title = "OpenMP",                        \
        .type = LAB_TYPE_BOOLEAN, .text = "Compiles with OpenMP.")                                                     \
    ROW(debug, "--debug", NULL, "-lineinfo", "-g", COMPILING, .type = LAB_TYPE_BOOLEAN,                                \
        .text = "Keeps the source lines of the code, which changes nothing else.")                                     \
    ROW(relocatable, "--relocatable", NULL, "-rdc=true", NULL, ALWAYS, .type = LAB_TYPE_BOOLEAN,                       \
        .text = "Device functions of one file are called in another, or kernels start kernels.")                       \
    ROW(max_registers, "--max-registers", "N", "-maxrregcount=", NULL, COMPILING, .type = LAB_TYPE_INTEGER,            \
        .minimum = 16, .maximum = 255, .text = "The most registers of a thread.")                                      \
    ROW(fast_math, "--fast-math", NULL, "-use_fast_math", "-ffast-math", COMPILING, .type = LAB_TYPE_BOOLEAN,          \
        .text = "Faster and less exact functions and divisions.")                                                      \
    ROW(default_stream, "--default-stream", "KIND", "-default-stream=", NULL, COMPILING, .type = LAB_TYPE_CHOICE,      \
        .choices = default_streams, .text = "Whether each host thread has a default stream of its own.")

static const char *const default_streams[] = {"legacy", "per-thread", NULL};

enum when { COMPILING = 1, LINKING = 2, ALWAYS = COMPILING | LINKING };

struct option {
    const char *name, *nvcc, *compiler;
    enum when when;
};

#define OPTION_ROW(name_, flag_, value_, nvcc_, compiler_, when_, ...) {#name_, nvcc_, compiler_, when_},
static const struct option table[] = {OPTIONS(OPTION_ROW)};

#define SCHEMA_ROW(name_, flag_, value_, nvcc_, compiler_, when_, ...) {.name = #name_, __VA_ARGS__},
const struct lab_schema lab_build_option_members[] = {OPTIONS(SCHEMA_ROW){0}};

#define FLAG_ROW(name_, flag_, value_, ...) {flag_, value_},
const struct lab_build_flag lab_build_flags[] = {OPTIONS(FLAG_ROW){0}};
_Static_assert(sizeof table / sizeof *table == LAB_BUILD_OPTIONS, "the number of rows");

/* --- languages ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *end;
    enum lab_language language;
} ends[] = {
    {".cu", LAB_LANGUAGE_CUDA}, {".cpp", LAB_LANGUAGE_CPP}, {".cc", LAB_LANGUAGE_CPP},
    {".cxx", LAB_LANGUAGE_CPP}, {".c", LAB_LANGUAGE_C},
};

enum lab_language lab_language_of(const char *file)
{
    const char *end = strrchr(file, '.');
    for (size_t i = 0; end != NULL && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(ends[i].end, end) == 0)
            return ends[i].language;
    return LAB_LANGUAGES;
}

/* Whether a standard is one of C. */
static bool is_of_c(const char *standard)
{
    return standard != NULL && strncmp(standard, "c++", 3) != 0;
}

/* What the compiler of a language gets of an option; NULL: it does not have it. */
static const char *argument_of(const struct option *option, enum lab_language language)
{
    return language == LAB_LANGUAGE_CUDA ? option->nvcc : option->compiler;
}

/* --- checks --------------------------------------------------------------------------------------------------------- */

/* Whether a macro is NAME or NAME=VALUE. What a shell could take for more than text is not allowed in the value, because nvcc calls
 * the other compilers by one. */
static bool is_macro(const char *macro)
{
    size_t name = strspn(macro, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (name == 0 || isdigit((unsigned char)macro[0]) || (macro[name] != '=' && macro[name] != '\0'))
        return false;
    for (const char *c = macro + name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("=_.+-:", *c) == NULL)
            return false;
    return true;
}

static bool check_macros(const json_t *macros, const char *pointer, struct lab_errors *errors)
{
    size_t index;
    json_t *macro;
    bool good = true;
    json_array_foreach(macros, index, macro)
    {
        const char *text = json_string_value(macro);
        char place[LAB_POINTER_MAX];
        snprintf(place, sizeof place, "%s/defines/%zu", pointer, index);
        if (text != NULL && !is_macro(text))
            good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, place,
                                  "A macro must be NAME or NAME=VALUE with letters, digits and _.+-: in its value, not "
                                  "\"%.60s\"; others are written into the source with #define.",
                                  text);
    }
    return good;
}

bool lab_build_options_check(const json_t *options, const bool used[LAB_LANGUAGES], const char *pointer,
                             struct lab_errors *errors)
{
    const char *standard = json_string_value(json_object_get(options, "std"));
    char place[LAB_POINTER_MAX];
    bool good = check_macros(json_object_get(options, "defines"), pointer, errors);
    bool has_cpp = used[LAB_LANGUAGE_CUDA] || used[LAB_LANGUAGE_CPP];
    snprintf(place, sizeof place, "%s/std", pointer);
    if (standard != NULL && !(is_of_c(standard) ? used[LAB_LANGUAGE_C] : has_cpp))
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, place,
                              "%s is a standard of %s, and no file of the program is written in it.", standard,
                              is_of_c(standard) ? "C" : "C++");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool applies = false;
        for (enum lab_language language = 0; language < LAB_LANGUAGES; language++)
            applies = applies || (used[language] && argument_of(&table[i], language) != NULL);
        snprintf(place, sizeof place, "%s/%s", pointer, table[i].name);
        if (json_object_get(options, table[i].name) != NULL && !applies)
            good =
                lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, place,
                               "'%s' is an option of CUDA files (.cu), of which the program has none.", table[i].name);
    }
    return good;
}

/* --- arguments ------------------------------------------------------------------------------------------------------ */

/* The receiver of arguments, and what they are of. */
struct arguments {
    void (*add)(void *context, const char *argument);
    void *context;
};

static void add_value(const struct arguments *to, const char *text, const json_t *value)
{
    char argument[ARGUMENT_MAX];
    if (json_is_boolean(value))
        snprintf(argument, sizeof argument, "%s", text);
    else if (json_is_integer(value))
        snprintf(argument, sizeof argument, "%s%" JSON_INTEGER_FORMAT, text, json_integer_value(value));
    else
        snprintf(argument, sizeof argument, "%s%s", text, json_string_value(value));
    if (!json_is_false(value))
        to->add(to->context, argument);
}

/* Whether the language has the standard that is given. */
static bool takes(const struct option *option, enum lab_language language, const json_t *value)
{
    return strcmp(option->name, "std") != 0 || is_of_c(json_string_value(value)) == (language == LAB_LANGUAGE_C);
}

void lab_build_options_arguments(const json_t *options, enum lab_language language, bool linking,
                                 void (*add)(void *context, const char *argument), void *context)
{
    const struct arguments to = {add, context};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *text = argument_of(&table[i], language);
        json_t *given = json_object_get(options, table[i].name);
        json_t *value = given != NULL ? json_incref(given) : lab_schema_fallback_to_json(&lab_build_option_members[i]);
        bool applies = text != NULL && value != NULL && (table[i].when & (linking ? LINKING : COMPILING)) != 0;
        size_t index;
        json_t *item;
        if (applies && !json_is_array(value) && takes(&table[i], language, value))
            add_value(&to, text, value);
        json_array_foreach(applies ? value : NULL, index, item)
        {
            add_value(&to, text, item);
        }
        json_decref(value);
    }
}
