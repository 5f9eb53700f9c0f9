/* A command's access to a lab: the one at --server, else the one that serves the database, else a private lab.
 */
#ifndef LAB_SESSION_H
#define LAB_SESSION_H

#include "client.h"
#include "command.h"
#include "config.h"
#include "private_lab.h"

struct lab_session {
    struct lab_client *client;
    struct lab_private_lab private_lab;
    bool temporary; /* the lab's database is removed with it */
};

/* Connects to the lab at config->server, or to the one that serves the database. Returns false with *error set when
 * none answers. */
bool lab_session_find(struct lab_session *session, struct lab_config *config, struct lab_error *error);

/* Does the same, or starts a private lab where config->server is NULL and no lab serves the database; `temporary` and
 * `signals` as in lab_private_lab_start. While another process has the database open and does not answer, as a lab does
 * that starts or stops, waits for it, at most 30 s. Returns LAB_EXIT_OK, or another exit code with *error set.
 * lab_session_close is called in any case. */
enum lab_exit_code lab_session_open(struct lab_session *session, struct lab_config *config, bool temporary, int signals,
                                    struct lab_error *error);
void lab_session_close(struct lab_session *session);

#endif
