/* A command's access to a lab: the one at --server, else the one that serves the database, else a private lab. */
#ifndef LAB_SESSION_H
#define LAB_SESSION_H

#include "client.h"
#include "private_lab.h"

#include "cli/command.h"
#include "cli/config.h"

struct lab_session_options {
    const char *server, *token_file; /* the lab's URL, and the file with the token that it demands; both may be NULL */
    struct lab_private_options private;
};

struct lab_session {
    struct lab_client *client;
    struct lab_private_lab private_lab;
    bool temporary; /* the lab is private and its database is removed when it ends */
};

/* Connects to the lab at options->server, or to the one that serves the database. Returns false with *error set when
 * none answers. */
bool lab_session_find(struct lab_session *session, const struct lab_session_options *options, struct lab_config *config,
                      struct lab_error *error);

/* Connects as lab_session_find does. If options->server is NULL and no lab serves the database, starts a private lab;
 * options->private and `signals` as in lab_private_lab_start. While another process has the database open but does not
 * answer (a lab that is starting or stopping), waits for it, at most 30 s. Returns LAB_EXIT_OK, or another exit code
 * with *error set. lab_session_close is called in any case. */
enum lab_exit_code lab_session_open(struct lab_session *session, const struct lab_session_options *options,
                                    struct lab_config *config, int signals, struct lab_error *error);
/* Closes the connection and releases the private lab, if one was started. */
void lab_session_close(struct lab_session *session);

#endif
