/* Reading the file of `--nodes`. */
#include "node_list.h"

#include "argv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line that is being read. */
struct line {
    struct lab_node_entry *entry;
    struct lab_argv options;
    char *rest; /* what has not been read of it */
    bool quote_open;
    const char *path;
    struct lab_errors *errors;
};

/* A setting KEY=VALUE: either kept in a member of the entry, or passed on as the option that `format` makes of it. */
struct setting {
    const char *key;
    unsigned kinds; /* bit 1 << kind of the lines that take it */
    size_t member;  /* offset in the entry, if `format` is NULL */
    const char *format;
};

enum { LOCAL = 1 << LAB_TRANSPORT_LOCAL, SSH = 1 << LAB_TRANSPORT_SSH, SLURM = 1 << LAB_TRANSPORT_SLURM };

static const struct setting settings[] = {
    {"name", LOCAL | SSH, offsetof(struct lab_node_entry, name), NULL},
    {"worker", SSH | SLURM, offsetof(struct lab_node_entry, worker), NULL},
    {"cache", SSH | SLURM, offsetof(struct lab_node_entry, cache), NULL},
    {"nodes", SLURM, offsetof(struct lab_node_entry, nodes), NULL},
    {"constraint", SLURM, offsetof(struct lab_node_entry, constraint), NULL},
    {"account", SLURM, 0, "--account="},
    {"qos", SLURM, 0, "--qos="},
    {"reservation", SLURM, 0, "--reservation="},
    {"time", SLURM, 0, "--time="},
    {"comment", SLURM, 0, "--comment="},
    {"option", SSH, 0, "-o"},
    {"option", SLURM, 0, ""},
};
enum { SETTING_COUNT = sizeof settings / sizeof *settings };

static bool refuse(const struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds an error that begins with the place. */
static bool refuse(const struct line *line, const char *format, ...)
{
    char what[LAB_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_errors_add(line->errors, LAB_ERROR_NODE_LIST, "--nodes", "%.100s:%u: %s", line->path, line->entry->line,
                          what);
}

static bool refuse_memory(const struct line *line)
{
    return refuse(line, "no memory for this line.");
}

/* --- words -------------------------------------------------------------------------------------------------------- */

/* Cuts the next word off the rest of the line and removes its quotes, in place. NULL at the end or at a comment. */
static char *next_word(struct line *line)
{
    char *from = line->rest + strspn(line->rest, " \t\r"), *word = from, *to = from;
    if (*from == '\0' || *from == '#')
        return NULL;
    for (; *from != '\0' && (line->quote_open || strchr(" \t\r", *from) == NULL); from++)
        if (*from == '"')
            line->quote_open = !line->quote_open;
        else
            *to++ = *from;
    line->rest = *from != '\0' ? from + 1 : from;
    *to = '\0';
    return word;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

bool lab_node_name_valid(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t length = strlen(name);
    return length > 0 && length <= LAB_NODE_NAME_MAX && strspn(name, allowed) == length && strchr(".-", *name) == NULL;
}

static bool check_name(const struct line *line)
{
    const char *name = line->entry->name;
    return name == NULL || lab_node_name_valid(name) ||
           refuse(line,
                  "'%.80s' cannot be a node's name: it must have 1 to %d letters, digits, '.', '-' and '_', and begin "
                  "with a letter, a digit or '_'.",
                  name, LAB_NODE_NAME_MAX);
}

/* worker=auto is no path, and cache=FOLDER goes with it. */
static bool complete_worker(const struct line *line)
{
    struct lab_node_entry *entry = line->entry;
    entry->copies = entry->worker != NULL && strcmp(entry->worker, "auto") == 0;
    if (entry->copies) {
        free(entry->worker);
        entry->worker = NULL;
    }
    if (entry->cache != NULL && !entry->copies)
        return refuse(line, "cache= is the folder of workers that are copied, and needs worker=auto.");
    return entry->cache == NULL || entry->cache[0] == '/' ||
           refuse(line, "cache=%.80s must be an absolute path, which begins with '/'.", entry->cache);
}

/* The features are compared with those that sinfo lists, so no other operators of Slurm are taken. */
static bool check_constraint(const struct line *line)
{
    const char *constraint = line->entry->constraint;
    return constraint == NULL || strpbrk(constraint, "|!*()[] ,") == NULL ||
           refuse(line, "constraint must be a feature, or several joined by '&'; nodes=LIST selects nodes by name.");
}

/* Writes the keys that a line of this kind takes. */
static void list_keys(enum lab_transport_kind kind, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < SETTING_COUNT && used < size; i++)
        if ((settings[i].kinds & 1U << kind) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s=", used > 0 ? " " : "", settings[i].key);
}

static const struct setting *find_setting(enum lab_transport_kind kind, const char *word)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if ((settings[i].kinds & 1U << kind) != 0 && strncmp(settings[i].key, word, length) == 0 &&
            settings[i].key[length] == '\0' && word[length] == '=')
            return &settings[i];
    return NULL;
}

static bool read_setting(struct line *line, const char *word)
{
    enum lab_transport_kind kind = line->entry->kind;
    const struct setting *setting = find_setting(kind, word);
    if (setting == NULL) {
        char allowed[160];
        list_keys(kind, allowed, sizeof allowed);
        return refuse(line, "'%.60s' is not a setting of %s, which takes %s", word, lab_transport_kind_name(kind),
                      allowed);
    }
    const char *value = word + strlen(setting->key) + 1;
    if (*value == '\0')
        return refuse(line, "%s= has no value.", setting->key);
    if (setting->format != NULL) {
        lab_argv_add(&line->options, "%s%s", setting->format, value);
        return !line->options.failed || refuse_memory(line);
    }
    char **member = (char **)((char *)line->entry + setting->member);
    if (*member != NULL)
        return refuse(line, "%s= is given twice.", setting->key);
    *member = strdup(value);
    return *member != NULL || refuse_memory(line);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool read_kind(struct line *line, const char *word)
{
    static const enum lab_transport_kind kinds[] = {LAB_TRANSPORT_LOCAL, LAB_TRANSPORT_SSH, LAB_TRANSPORT_SLURM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, lab_transport_kind_name(kinds[i])) == 0) {
            line->entry->kind = kinds[i];
            return true;
        }
    return refuse(line, "'%.60s' must be local, ssh HOST or slurm PARTITION.", word);
}

static bool read_target(struct line *line, const char *word)
{
    bool local = line->entry->kind == LAB_TRANSPORT_LOCAL;
    if (!local && (word == NULL || *word == '-' || strchr(word, '=') != NULL))
        return refuse(line, "%s must be followed by a %s.", lab_transport_kind_name(line->entry->kind),
                      line->entry->kind == LAB_TRANSPORT_SSH ? "host" : "partition");
    line->entry->target = strdup(local ? "" : word);
    return line->entry->target != NULL || refuse_memory(line);
}

/* Names the node of a line without name=: the host of ssh without its user, or this machine. */
static bool complete_name(const struct line *line)
{
    struct lab_node_entry *entry = line->entry;
    if (entry->kind == LAB_TRANSPORT_SLURM || entry->name != NULL)
        return true;
    char host[LAB_NODE_NAME_MAX + 1] = "local";
    const char *at = strrchr(entry->target, '@');
    if (entry->kind == LAB_TRANSPORT_LOCAL)
        gethostname(host, sizeof host - 1);
    entry->name = strdup(entry->kind == LAB_TRANSPORT_LOCAL ? host : at != NULL ? at + 1 : entry->target);
    return entry->name != NULL || refuse_memory(line);
}

/* Reads the rest of a line whose first word is `kind`. */
static bool read_line(struct line *line, const char *kind)
{
    if (!read_kind(line, kind) || !read_target(line, line->entry->kind != LAB_TRANSPORT_LOCAL ? next_word(line) : NULL))
        return false;
    bool good = true;
    for (const char *word; (word = next_word(line)) != NULL;)
        good &= read_setting(line, word);
    if (line->quote_open)
        return refuse(line, "a double quote is not closed.");
    return good && complete_name(line) && complete_worker(line) && check_name(line) && check_constraint(line);
}

static bool check_unique(const struct lab_node_list *list, const struct line *line)
{
    for (const struct lab_node_entry *other = list->entries; other < line->entry; other++)
        if (other->name != NULL && line->entry->name != NULL && strcmp(other->name, line->entry->name) == 0)
            return refuse(line, "line %u already names a node '%s'; name=NAME gives another name.", other->line,
                          other->name);
    return true;
}

/* Adds the entry of a line, unless that is empty or a comment. */
static bool add_entry(struct lab_node_list *list, unsigned number, struct line *line)
{
    line->quote_open = false;
    const char *kind = next_word(line);
    if (kind == NULL)
        return true;
    struct lab_node_entry *entries = realloc(list->entries, (list->count + 1) * sizeof *entries);
    if (entries == NULL)
        return lab_errors_add(line->errors, LAB_ERROR_OUT_OF_MEMORY, "--nodes", "No memory for the list of nodes.");
    list->entries = entries;
    line->entry = &entries[list->count++];
    *line->entry = (struct lab_node_entry){.line = number};
    bool good = read_line(line, kind);
    line->entry->options = lab_argv_take(&line->options);
    return good && check_unique(list, line);
}

bool lab_node_list_parse(struct lab_node_list *list, const char *text, const char *path, struct lab_errors *errors)
{
    *list = (struct lab_node_list){0};
    char *copy = strdup(text), *rest = copy;
    if (copy == NULL)
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "--nodes", "No memory for the list of nodes.");
    struct line line = {.path = path, .errors = errors};
    bool good = true;
    for (unsigned number = 1; (line.rest = strsep(&rest, "\n")) != NULL; number++)
        good &= add_entry(list, number, &line);
    free(copy);
    if (good && list->count == 0)
        return lab_errors_add(errors, LAB_ERROR_NODE_LIST, "--nodes",
                              "%.100s names no machine; a line must be local, ssh HOST or slurm PARTITION.", path);
    return good;
}

void lab_node_list_release(struct lab_node_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lab_node_entry *entry = &list->entries[i];
        free(entry->target);
        free(entry->name);
        free(entry->worker);
        free(entry->cache);
        free(entry->nodes);
        free(entry->constraint);
        lab_argv_free(entry->options);
    }
    free(list->entries);
    *list = (struct lab_node_list){0};
}
