#include "build.h"

#include "cache.h"
#include "messages.h"

#include "core/compiler_log.h"
#include "core/program.h"
#include "descriptor/build_options.h"
#include "descriptor/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ARGUMENTS_MAX = 160, TEXT_MAX = 32768 };

/* Seconds of a call of a compiler. */
static const double limit_s = 120;

/* The command line of a compiler. */
struct command {
    size_t count, used;
    char *arguments[ARGUMENTS_MAX + 1];
    char text[TEXT_MAX];
};

/* The compilers of a language, and the package that has them. */
static const struct {
    const char *names[3], *what, *package;
} compilers[] = {
    [LAB_LANGUAGE_CUDA] = {{"nvcc"}, "CUDA files (.cu) are compiled by nvcc", "the CUDA toolkit"},
    [LAB_LANGUAGE_CPP] = {{"c++", "g++"}, "C++ files are compiled by c++", "g++"},
    [LAB_LANGUAGE_C] = {{"cc", "gcc"}, "C files are compiled by cc", "gcc"},
};

static void add(void *context, const char *argument)
{
    struct command *command = context;
    size_t size = strlen(argument) + 1;
    if (command->count == ARGUMENTS_MAX || command->used + size > TEXT_MAX)
        abort(); /* the bounds of a request are below */
    memcpy(command->text + command->used, argument, size);
    command->arguments[command->count++] = command->text + command->used;
    command->arguments[command->count] = NULL;
    command->used += size;
}

static bool find_compiler(enum lab_language language, char path[PATH_MAX])
{
    bool found = false;
    for (size_t i = 0; !found && compilers[language].names[i] != NULL; i++)
        found = lab_program_find(compilers[language].names[i], NULL, path);
    return found;
}

/* Whether a text includes a header of the toolkit, whose place nvcc knows. */
static bool includes_toolkit(const char *text)
{
    static const char *const beginnings[] = {"cu", "helper_", "nccl", "npp", "nvrtc", "nvtx3/", "nvToolsExt"};
    static const char include[] = "#include";
    for (const char *at = strstr(text, include); at != NULL; at = strstr(at, include)) {
        at += strlen(include);
        at += strspn(at, " \t");
        for (size_t i = 0; (*at == '<' || *at == '"') && i < sizeof beginnings / sizeof *beginnings; i++)
            if (strncmp(at + 1, beginnings[i], strlen(beginnings[i])) == 0)
                return true;
    }
    return false;
}

/* The language as which a file is compiled: nvcc also compiles C++ that calls the toolkit's libraries, where it is
 * installed. */
static enum lab_language language_of(const char *file, const json_t *text)
{
    enum lab_language language = lab_language_of(file);
    char path[PATH_MAX];
    bool calls = language == LAB_LANGUAGE_CPP && includes_toolkit(json_string_value(text));
    return calls && find_compiler(LAB_LANGUAGE_CUDA, path) ? LAB_LANGUAGE_CUDA : language;
}

static bool add_compiler(struct program *program, struct command *command, enum lab_language language)
{
    char path[PATH_MAX];
    if (!find_compiler(language, path))
        return lab_error_set(&program->run->error, LAB_ERROR_NO_COMPILER, "",
                             "%s, which this machine lacks: install %s.", compilers[language].what,
                             compilers[language].package);
    add(command, path);
    return true;
}

/* Adds what device code is compiled for: the devices of the run or, if it has none, what nvcc chooses. */
static void add_architectures(const struct program *program, struct command *command)
{
    const struct lab_run *run = program->run;
    int major = 0, minor = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        char argument[64];
        if (sscanf(run->facts[i]->compute_capability, "%d.%d", &major, &minor) != 2)
            continue;
        snprintf(argument, sizeof argument, "-arch=sm_%d%d", major, minor);
        add(command, argument);
        return; /* the devices of a machine that are of several kinds: the first decides */
    }
}

/* Calls the compiler; what it prints becomes output. */
static bool call(struct program *program, const struct command *command)
{
    struct program_call call = {.arguments = command->arguments, .is_compiler = true, .limit_s = limit_s};
    struct program_end end;
    bool good = program_execute(program, &call, &end);
    if (good && end.code != 0)
        good = lab_error_set(&program->run->error, LAB_ERROR_COMPILE_FAILED, "",
                             "The compiler %s; the output says why.", end.text);
    program_end_release(&end);
    return good;
}

/* Sends what the compilers say of the files. The error of a program that they have rejected becomes the first of it. */
static void send_messages(struct program *program)
{
    struct lab_run *run = program->run;
    char detail[LAB_DETAIL_MAX], nothing[] = "";
    json_t *messages = program_messages_read(program->compiled.bytes != NULL ? program->compiled.bytes : nothing,
                                             json_object_get(run->program, "files"));
    if (run->error.code == LAB_ERROR_COMPILE_FAILED && json_array_size(messages) > 0) {
        lab_messages_first_error(messages, NULL, detail, sizeof detail);
        lab_error_set(&run->error, LAB_ERROR_COMPILE_FAILED, "", "%s", detail);
    }
    run->sink.messages(run->sink.context, messages);
    json_decref(messages);
}

static bool compile(struct program *program, const char *file, enum lab_language language, bool linking,
                    const char *result)
{
    struct command command = {0};
    const json_t *options = json_object_get(program->run->program, "options");
    if (!add_compiler(program, &command, language))
        return false;
    if (language == LAB_LANGUAGE_CUDA)
        add_architectures(program, &command);
    if (!linking)
        add(&command, "-c");
    if (language != LAB_LANGUAGE_CUDA)
        add(&command, "-ftabstop=1"); /* columns in messages count a tab as one character */
    add(&command, "-I.");
    add(&command, "-I" PROGRAM_HEADERS);
    add(&command, "-o");
    add(&command, result);
    lab_build_options_arguments(options, language, false, add, &command);
    add(&command, file);
    if (linking)
        lab_build_options_arguments(options, language, true, add, &command);
    return call(program, &command);
}

/* The name of the object file of source `i`. */
static const char *object_name(size_t i, char name[32])
{
    snprintf(name, 32, "gpulab-%zu.o", i);
    return name;
}

static bool link_objects(struct program *program, size_t count, enum lab_language language)
{
    struct command command = {0};
    char object[32];
    if (!add_compiler(program, &command, language))
        return false;
    if (language == LAB_LANGUAGE_CUDA)
        add_architectures(program, &command);
    add(&command, "-o");
    add(&command, PROGRAM_EXECUTABLE);
    for (size_t i = 0; i < count; i++)
        add(&command, object_name(i, object));
    lab_build_options_arguments(json_object_get(program->run->program, "options"), language, true, add, &command);
    return call(program, &command);
}

static bool build(struct program *program, const bool used[LAB_LANGUAGES])
{
    const char *sources[LAB_SOURCE_FILES_MAX], *name;
    enum lab_language languages[LAB_SOURCE_FILES_MAX];
    /* The language whose compiler links the libraries of all languages that are used. */
    enum lab_language linker = used[LAB_LANGUAGE_CUDA]  ? LAB_LANGUAGE_CUDA
                               : used[LAB_LANGUAGE_CPP] ? LAB_LANGUAGE_CPP
                                                        : LAB_LANGUAGE_C;
    json_t *text;
    size_t count = 0;
    char object[32];
    json_object_foreach(json_object_get(program->run->program, "files"), name, text)
    {
        if (lab_language_of(name) != LAB_LANGUAGES) {
            languages[count] = language_of(name, text);
            sources[count++] = name;
        }
    }
    if (count == 1)
        return compile(program, sources[0], linker, true, PROGRAM_EXECUTABLE);
    for (size_t i = 0; i < count; i++)
        if (!compile(program, sources[i], languages[i], false, object_name(i, object)))
            return false;
    return link_objects(program, count, linker);
}

/* All of which the program is made, for the cache. Compilers are known by their files, which an update changes. */
static json_t *parts_of(const struct program *program, const bool used[LAB_LANGUAGES])
{
    const json_t *given = program->run->program;
    json_t *parts = json_pack("{s:O, s:O*, s:[]}", "files", json_object_get(given, "files"), "options",
                              json_object_get(given, "options"), "compilers");
    struct command architecture = {0};
    add_architectures(program, &architecture);
    if (used[LAB_LANGUAGE_CUDA] && architecture.count > 0)
        json_object_set_new(parts, "architecture", json_string(architecture.arguments[0]));
    for (enum lab_language language = 0; language < LAB_LANGUAGES; language++) {
        char path[PATH_MAX];
        struct stat status;
        if ((used[language] || language == LAB_LANGUAGE_CPP) && find_compiler(language, path) &&
            stat(path, &status) == 0)
            json_array_append_new(json_object_get(parts, "compilers"),
                                  json_pack("{s:s, s:I, s:I}", "path", path, "size", (json_int_t)status.st_size, "time",
                                            (json_int_t)status.st_mtime));
    }
    return parts;
}

/* Takes the program from the cache, with what its compilers printed. */
static bool take(struct program *program, const struct program_cache_entry *entry, const char *path)
{
    struct program_bytes *compiled = &program->compiled;
    if (!program_cache_take(entry, path, &compiled->bytes))
        return false;
    compiled->size = strlen(compiled->bytes);
    program_output_add(program->output, PROGRAM_COMPILER, compiled->bytes, compiled->size);
    return true;
}

bool program_build(struct program *program)
{
    const json_t *files = json_object_get(program->run->program, "files");
    bool used[LAB_LANGUAGES + 1] = {false};
    char path[PATH_MAX];
    const char *name;
    json_t *text;
    json_object_foreach((json_t *)files, name, text)
    {
        used[language_of(name, text)] = true;
    }
    program->calls_cuda = used[LAB_LANGUAGE_CUDA];
    struct program_cache_entry entry = {0};
    json_t *parts = parts_of(program, used);
    program_cache_open(&entry, program->run->owner, parts);
    snprintf(path, sizeof path, "%s/%s", program->folder.path, PROGRAM_EXECUTABLE);
    bool good = take(program, &entry, path);
    if (!good && (good = build(program, used)))
        program_cache_keep(&entry, path, program->compiled.bytes);
    send_messages(program);
    program_cache_release(&entry);
    json_decref(parts);
    return good;
}
