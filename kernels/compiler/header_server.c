/* Questions and answers about headers, on a pair of sockets. */
#include "header_server.h"

#include "core/lines.h"
#include "includes.h"
#include "sandbox/limits.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
    char name[LAB_INCLUDE_NAME_MAX], from[LAB_INCLUDE_NAME_MAX];
};

/* Precedes the text of each header of an answer. The last one has no name and no text. */
struct answer {
    char name[LAB_INCLUDE_NAME_MAX];
    uint64_t size;
};

static bool read_all(int descriptor, void *bytes, size_t size)
{
    for (size_t count = 0; count < size;) {
        ssize_t got = read(descriptor, (char *)bytes + count, size - count);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        count += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static bool send_header(int client, const char *name, const char *text)
{
    struct answer answer = {.size = strlen(text)};
    snprintf(answer.name, sizeof answer.name, "%s", name);
    return lab_write_all(client, (const char *)&answer, sizeof answer) && lab_write_all(client, text, answer.size);
}

/* Answers until the compiler has ended, or too many headers were wanted. */
static void serve(int client, struct lab_headers *headers, const char *const *folders)
{
    struct question question;
    bool good = true;
    while (good && read_all(client, &question, sizeof question)) {
        question.name[sizeof question.name - 1] = question.from[sizeof question.from - 1] = '\0';
        size_t first = headers->count;
        good = lab_headers_add(headers, question.name, question.from, folders);
        for (size_t i = first; good && i < headers->count; i++)
            good = send_header(client, headers->names[i], headers->texts[i]);
        good = good && send_header(client, "", "");
    }
}

int lab_header_server_start(struct lab_headers *headers, const char *const *folders)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    pid_t process = fork();
    if (process == 0) {
        /* Only the compiler may keep its standard output open. */
        dup2(ends[1], STDIN_FILENO);
        lab_close_from(STDOUT_FILENO);
        serve(STDIN_FILENO, headers, folders);
        _exit(0);
    }
    close(ends[1]);
    signal(SIGPIPE, SIG_IGN); /* of a question to a process that has ended */
    if (process > 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* --- the compiler ------------------------------------------------------------------------------------------------- */

bool lab_header_server_ask(int server, const char *name, const char *from, struct lab_headers *headers)
{
    struct question question = {0};
    struct answer answer;
    size_t first = headers->count;
    snprintf(question.name, sizeof question.name, "%s", name);
    snprintf(question.from, sizeof question.from, "%s", from);
    bool good = server >= 0 && lab_write_all(server, (const char *)&question, sizeof question);
    while (good && read_all(server, &answer, sizeof answer) && answer.name[0] != '\0') {
        char *text = calloc(1, answer.size + 1);
        good = text != NULL && read_all(server, text, answer.size);
        if (good)
            good = lab_headers_append(headers, answer.name, text);
        else
            free(text);
    }
    return good && headers->count > first;
}
