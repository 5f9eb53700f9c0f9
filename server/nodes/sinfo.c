/* Reading the output of sinfo. */
#include "sinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the GPUs in a list of generic resources such as "gpu:h200:8(S:0-1),gpu:2,shard:16". */
static unsigned count_gpus(const char *resources)
{
    unsigned gpus = 0;
    for (const char *at = resources; *at != '\0'; at += *at == ',') {
        size_t length = strcspn(at, ","), plain = strcspn(at, "(,");
        const char *colon = memrchr(at, ':', plain);
        if (strncmp(at, "gpu", 3) == 0 && (at[3] == ':' || plain == 3))
            gpus += colon != NULL ? (unsigned)strtoul(colon + 1, NULL, 10) : 1;
        at += length;
    }
    return gpus;
}

bool lab_sinfo_next(char **output, struct lab_sinfo_node *node)
{
    for (char *line; (line = strsep(output, "\n")) != NULL;) {
        char *fields[5] = {0};
        size_t count = 0;
        while (count < 4 && (fields[count] = strsep(&line, "|")) != NULL)
            count++;
        if (count < 4 || line == NULL)
            continue;
        *node = (struct lab_sinfo_node){.name = fields[0],
                                        .state = fields[1],
                                        .features = fields[3],
                                        .reason = strcmp(line, "none") == 0 ? "" : line,
                                        .gpus = count_gpus(fields[2])};
        return true;
    }
    return false;
}

/* Whether `list`, separated by commas, contains the word of `length` bytes. */
static bool contains(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        size_t span = strcspn(at, ",");
        if (span == length && strncmp(at, word, length) == 0)
            return true;
        at += span;
    }
    return false;
}

bool lab_sinfo_has(const struct lab_sinfo_node *node, const char *constraint)
{
    for (const char *at = constraint; at != NULL && *at != '\0'; at += *at == '&') {
        size_t length = strcspn(at, "&");
        if (!contains(node->features, at, length))
            return false;
        at += length;
    }
    return true;
}

void lab_sinfo_problem(const struct lab_sinfo_node *node, char *text, size_t size)
{
    /* A node that is powered off ("idle~") or on its way up ("idle#") is used: Slurm starts it. */
    static const char *const usable[] = {"idle", "mixed", "allocated", "completing", "planned", "reserved"};
    size_t length = strcspn(node->state, "*~#!%$@^-");
    bool answers = strchr(node->state, '*') == NULL;
    text[0] = '\0';
    for (size_t i = 0; answers && i < sizeof usable / sizeof *usable; i++)
        if (strlen(usable[i]) == length && strncmp(usable[i], node->state, length) == 0)
            return;
    snprintf(text, size, "Slurm says that the node %s is %.*s%s%s%.160s.", node->name, (int)length, node->state,
             answers ? "" : " and does not answer", node->reason[0] != '\0' ? ": " : "", node->reason);
}
