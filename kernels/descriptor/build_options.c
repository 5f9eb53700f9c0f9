/* The table of build options. */
#include "descriptor/build_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENT_MAX = 512 };

static const char *const standards[] = {"c++11", "c++14", "c++17", "c++20", "c99", "c11", "c17", NULL};
/* Libraries of the toolkit and of the C library, by the names that linkers know. */
static const char *const libraries[] = {"cublas",    "cublasLt",   "cufft", "curand",  "cusolver",
                                        "cusparse",  "nppc",       "nvrtc", "cuda",    "nccl",
                                        "nvidia-ml", "nvToolsExt", "m",     "pthread", NULL};

/* ROW(name, flag of a command line, its value, what nvcc gets, what the compilers of C and C++ get, what NVRTC gets,
 * when, schema…): an argument is the text followed by the value, or the text alone if the option is a boolean. NULL:
 * the compiler does not have the option. */

/* Options of kernels and programs. Macros reach NVRTC as a header, because macros of its command line also hold in its
 * built-in header, where T is a name. */
#define STANDARD_OPTION(ROW)                                                                                           \
    ROW(std, "--std", "STANDARD", "-std=", "-std=", "--std=", COMPILING, .title = "Standard", .type = LAB_TYPE_CHOICE, \
        .choices = standards,                                                                                          \
        .text = "The standard of the language; that of C++ for CUDA and C++ files, that of C for C files.")
#define MACRO_OPTION(ROW)                                                                                              \
    ROW(defines, "--define", "NAME=VALUE", "-D", "-D", NULL, COMPILING, .type = LAB_TYPE_STRING, .count = LAB_LIST,    \
        .items_max = LAB_MACROS_MAX, .minimum = 1, .maximum = LAB_MACRO_BYTES_MAX,                                     \
        .text =                                                                                                        \
            "Macros, as NAME or NAME=VALUE. Of a kernel, NAME=VALUE,VALUE is an axis: each value is compiled and "     \
            "measured.")
#define CODE_OPTIONS(ROW)                                                                                              \
    ROW(max_registers, "--max-registers", "N", "-maxrregcount=", NULL, "--maxrregcount=", COMPILING,                   \
        .type = LAB_TYPE_INTEGER, .minimum = 16, .maximum = 255, .text = "Maximum number of registers per thread.")    \
    ROW(fast_math, "--fast-math", NULL, "-use_fast_math", "-ffast-math", "--use_fast_math", COMPILING,                 \
        .type = LAB_TYPE_BOOLEAN, .text = "Faster and less exact functions and divisions.")
#define KERNEL_OPTIONS(ROW) STANDARD_OPTION(ROW) MACRO_OPTION(ROW) CODE_OPTIONS(ROW)

/* Options of programs only. */
#define PROGRAM_OPTIONS(ROW)                                                                                           \
    ROW(libraries, "--library", "NAME", "-l", "-l", NULL, LINKING, .type = LAB_TYPE_CHOICE, .count = LAB_LIST,         \
        .choices = libraries, .distinct = true, .items_max = sizeof libraries / sizeof *libraries,                     \
        .text = "Libraries with which the program is linked.")                                                         \
    ROW(optimize, "--optimize", "LEVEL", "-O", "-O", NULL, COMPILING, .type = LAB_TYPE_INTEGER, .maximum = 3,          \
        .fallback = "3", .text = "The level of optimisation of host code.")                                            \
    ROW(openmp, "--openmp", NULL, "-Xcompiler=-fopenmp", "-fopenmp", NULL, ALWAYS, .title = "OpenMP",                  \
        .type = LAB_TYPE_BOOLEAN, .text = "Compiles with OpenMP.")                                                     \
    ROW(debug, "--debug", NULL, "-lineinfo", "-g", NULL, COMPILING, .type = LAB_TYPE_BOOLEAN,                          \
        .text = "Adds line information for profilers and debuggers (nvcc -lineinfo, gcc -g).")                         \
    ROW(relocatable, "--relocatable", NULL, "-rdc=true", NULL, NULL, ALWAYS, .type = LAB_TYPE_BOOLEAN,                 \
        .text = "Device functions of one file are called in another, or kernels start kernels.")                       \
    ROW(default_stream, "--default-stream", "KIND", "-default-stream=", NULL, NULL, COMPILING,                         \
        .type = LAB_TYPE_CHOICE, .choices = default_streams,                                                           \
        .text = "Whether each host thread has a default stream of its own.")

/* Options of a compilation that runs nothing. */
#define ANSWER_OPTIONS(ROW)                                                                                            \
    ROW(line_info, NULL, NULL, NULL, NULL, "--generate-line-info", COMPILING, .type = LAB_TYPE_BOOLEAN,                \
        .text = "Whether the PTX says which line of the source an instruction comes from.")                            \
    ROW(sass, NULL, NULL, NULL, NULL, NULL, COMPILING, .type = LAB_TYPE_BOOLEAN,                                       \
        .text = "Whether the answer has the machine code as text, where the lab has nvdisasm.")

static const char *const default_streams[] = {"legacy", "per-thread", NULL};

enum when { COMPILING = 1, LINKING = 2, ALWAYS = COMPILING | LINKING };

struct option {
    const char *name, *nvcc, *compiler, *nvrtc;
    enum when when;
};

#define OPTION_ROW(name_, flag_, value_, nvcc_, compiler_, nvrtc_, when_, ...)                                         \
    {#name_, nvcc_, compiler_, nvrtc_, when_},
#define SCHEMA_ROW(name_, flag_, value_, nvcc_, compiler_, nvrtc_, when_, ...) {.name = #name_, __VA_ARGS__},
#define FLAG_ROW(name_, flag_, value_, ...) {flag_, value_},

static const struct option table[] = {KERNEL_OPTIONS(OPTION_ROW) PROGRAM_OPTIONS(OPTION_ROW)};
static const struct option of_nvrtc[] = {KERNEL_OPTIONS(OPTION_ROW) ANSWER_OPTIONS(OPTION_ROW)};

const struct lab_schema lab_build_option_members[] = {KERNEL_OPTIONS(SCHEMA_ROW) PROGRAM_OPTIONS(SCHEMA_ROW){0}};
const struct lab_schema lab_kernel_option_members[] = {KERNEL_OPTIONS(SCHEMA_ROW){0}};
const struct lab_schema lab_compile_option_members[] = {KERNEL_OPTIONS(SCHEMA_ROW) ANSWER_OPTIONS(SCHEMA_ROW){0}};
const struct lab_schema lab_submission_option_members[] = {STANDARD_OPTION(SCHEMA_ROW) CODE_OPTIONS(SCHEMA_ROW){0}};
const struct lab_build_flag lab_build_flags[] = {KERNEL_OPTIONS(FLAG_ROW) PROGRAM_OPTIONS(FLAG_ROW){0}};

_Static_assert(sizeof table / sizeof *table == LAB_BUILD_OPTIONS, "the number of rows");
_Static_assert(sizeof lab_kernel_option_members / sizeof *lab_kernel_option_members == LAB_KERNEL_OPTIONS + 1,
               "the number of rows");

/* --- languages ---------------------------------------------------------------------------------------------------- */

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

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Whether a macro is NAME or NAME=VALUE. What a shell could take for more than text is not allowed in the value,
 * because nvcc calls the other compilers by one. `lists`: the value may be several, separated by commas. */
static bool is_macro(const char *macro, bool lists)
{
    size_t name = strspn(macro, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (name == 0 || isdigit((unsigned char)macro[0]) || (macro[name] != '=' && macro[name] != '\0'))
        return false;
    for (const char *c = macro + name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("=_.+-:", *c) == NULL && !(lists && *c == ','))
            return false;
    return true;
}

static bool check_macros(const json_t *macros, bool lists, const char *pointer, struct lab_errors *errors)
{
    size_t index;
    json_t *macro;
    bool good = true;
    json_array_foreach(macros, index, macro)
    {
        const char *text = json_string_value(macro);
        char place[LAB_POINTER_MAX];
        snprintf(place, sizeof place, "%s/defines/%zu", pointer, index);
        if (text != NULL && !is_macro(text, lists))
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
    bool good = check_macros(json_object_get(options, "defines"), false, pointer, errors);
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

bool lab_kernel_options_check(const json_t *options, const char *pointer, struct lab_errors *errors)
{
    const char *standard = json_string_value(json_object_get(options, "std"));
    char place[LAB_POINTER_MAX];
    bool good = check_macros(json_object_get(options, "defines"), true, pointer, errors);
    snprintf(place, sizeof place, "%s/std", pointer);
    return (!is_of_c(standard) || lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, place,
                                                 "%s is a standard of C, and kernels are written in C++.", standard)) &&
           good;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

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

/* Adds the arguments of an option: `text` with its value, or with each of them. */
static void add_option(const struct arguments *to, const char *text, const json_t *value)
{
    size_t index;
    json_t *item;
    if (text == NULL || value == NULL)
        return;
    if (!json_is_array(value))
        add_value(to, text, value);
    json_array_foreach(value, index, item)
    {
        add_value(to, text, item);
    }
}

void lab_build_options_arguments(const json_t *options, enum lab_language language, bool linking,
                                 void (*add)(void *context, const char *argument), void *context)
{
    const struct arguments to = {add, context};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *given = json_object_get(options, table[i].name);
        json_t *value = given != NULL ? json_incref(given) : lab_schema_fallback_to_json(&lab_build_option_members[i]);
        if ((table[i].when & (linking ? LINKING : COMPILING)) != 0 && takes(&table[i], language, value))
            add_option(&to, argument_of(&table[i], language), value);
        json_decref(value);
    }
}

void lab_kernel_options_arguments(const json_t *options, void (*add)(void *context, const char *argument),
                                  void *context)
{
    const struct arguments to = {add, context};
    for (size_t i = 0; i < sizeof of_nvrtc / sizeof *of_nvrtc; i++)
        add_option(&to, of_nvrtc[i].nvrtc, json_object_get(options, of_nvrtc[i].name));
}
