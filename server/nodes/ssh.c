/* A machine that is reached by ssh. All its workers share one connection (ControlMaster), so that only the first start
 * pays for the login. */
#include "tool.h"
#include "transport_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double connect_limit_s = 30, request_limit_s = 5;

/* Begins a command line of ssh. ssh uses the first value that it finds for an option, so those of the list come
 * first. */
static void add_ssh(const struct lab_transport *transport, struct lab_argv *argv)
{
    /* A dead network is noticed after 15 s; a password or an unknown host key is an error and no question. */
    static const char *const options[] = {"-T",
                                          "-oBatchMode=yes",
                                          "-oConnectTimeout=10",
                                          "-oServerAliveInterval=5",
                                          "-oServerAliveCountMax=3",
                                          "-oClearAllForwardings=yes",
                                          "-oLogLevel=ERROR",
                                          "-oControlMaster=auto",
                                          "-oControlPersist=60",
                                          NULL};
    lab_argv_add(argv, "ssh");
    lab_argv_add_all(argv, (const char *const *)transport->entry->options);
    lab_argv_add_all(argv, options);
    lab_argv_add(argv, "-S%s", transport->socket);
}

/* Makes a folder for the socket that only this user can enter. */
static bool make_socket_folder(struct lab_transport *transport)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    char *socket = transport->socket;
    /* ssh appends 17 characters while it creates the socket, and the path of a socket is limited to 107. */
    if (base == NULL || strlen(base) > LAB_SOCKET_MAX - sizeof "/gpulab-XXXXXX/ssh" - 17)
        base = "/tmp";
    snprintf(socket, LAB_SOCKET_MAX, "%s/gpulab-XXXXXX", base);
    if (mkdtemp(socket) == NULL) {
        socket[0] = '\0';
        return false;
    }
    strcat(socket, "/ssh");
    return true;
}

static void remove_socket_folder(struct lab_transport *transport)
{
    unlink(transport->socket);
    *strrchr(transport->socket, '/') = '\0';
    rmdir(transport->socket);
    transport->socket[0] = '\0';
}

/* Runs ssh on the host with one more word: -O and a request about the shared connection, or a command for the shell
 * there. */
static bool run_ssh(const struct lab_transport *transport, const char *request, const char *command,
                    double time_limit_s, const atomic_bool *cancelled, struct lab_tool_result *result)
{
    struct lab_argv argv = {0};
    add_ssh(transport, &argv);
    if (request != NULL) {
        lab_argv_add(&argv, "-O");
        lab_argv_add(&argv, "%s", request);
    }
    lab_argv_add(&argv, "--");
    lab_argv_add(&argv, "%s", transport->entry->target);
    if (command != NULL)
        lab_argv_add(&argv, "%s", command);
    bool good = lab_tool_run(&argv, time_limit_s, cancelled, result);
    free(result->output);
    return good;
}

static void ssh_close(struct lab_transport *transport)
{
    struct lab_tool_result result;
    if (transport->socket[0] == '\0')
        return;
    run_ssh(transport, "exit", NULL, request_limit_s, NULL, &result);
    remove_socket_folder(transport);
}

static bool is_connected(const struct lab_transport *transport)
{
    struct lab_tool_result result;
    return transport->socket[0] != '\0' && run_ssh(transport, "check", NULL, request_limit_s, NULL, &result);
}

/* Opens the connection by a command that does nothing; it stays open. */
static bool ssh_open(struct lab_transport *transport, const atomic_bool *cancelled, struct lab_error *error)
{
    const char *host = transport->entry->target;
    struct lab_tool_result result;
    if (is_connected(transport))
        return true;
    if (transport->socket[0] == '\0' && !make_socket_folder(transport))
        return lab_error_set(error, LAB_ERROR_NODE_UNREACHABLE, "",
                             "The host %s cannot be reached by ssh: no folder for its "
                             "socket can be created in $XDG_RUNTIME_DIR or /tmp: %m.",
                             host);
    if (run_ssh(transport, NULL, "true", connect_limit_s, cancelled, &result))
        return true;
    const char *hint = strstr(result.reason, "Permission denied") != NULL
                           ? " No password can be entered here: ssh must be able to log in with a key."
                           : "";
    lab_error_set(error, result.cancelled ? LAB_ERROR_CANCELLED : LAB_ERROR_NODE_UNREACHABLE, "",
                  "The host %s cannot be reached by ssh: %s.%s", host, result.reason, hint);
    ssh_close(transport);
    return false;
}

/* Adds a word to the command for the shell on the other machine: in single quotes, and a quote in it as '\''. */
static void append_quoted(FILE *text, const char *word)
{
    fputs(" '", text);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", text);
        else
            fputc(*word, text);
    fputc('\'', text);
}

static void ssh_command(const struct lab_transport *transport, struct lab_argv *argv, const char *const *words)
{
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    add_ssh(transport, argv);
    lab_argv_add(argv, "--");
    lab_argv_add(argv, "%s", transport->entry->target);
    if (text != NULL) {
        fputs("exec", text); /* no shell stays between sshd and the program */
        for (; *words != NULL; words++)
            append_quoted(text, *words);
    }
    if (text == NULL || fclose(text) != 0)
        argv->failed = true;
    else
        lab_argv_add(argv, "%s", command);
    free(command);
}

const struct lab_transport_operations lab_ssh_operations = {ssh_open, ssh_close, ssh_command};
