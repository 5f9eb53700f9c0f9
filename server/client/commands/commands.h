/* The commands that use a lab. Each returns an exit code. */
#ifndef LAB_COMMANDS_H
#define LAB_COMMANDS_H

#include "cli/command.h"

int lab_command_run(const struct lab_invocation *invocation);
int lab_command_compile(const struct lab_invocation *invocation);
int lab_command_kernel(const struct lab_invocation *invocation);
int lab_command_program(const struct lab_invocation *invocation);
int lab_command_sweep(const struct lab_invocation *invocation);
int lab_command_runs(const struct lab_invocation *invocation);
int lab_command_show(const struct lab_invocation *invocation);
int lab_command_explain(const struct lab_invocation *invocation);
int lab_command_watch(const struct lab_invocation *invocation);
int lab_command_cancel(const struct lab_invocation *invocation);
int lab_command_delete(const struct lab_invocation *invocation);
int lab_command_tag(const struct lab_invocation *invocation);
int lab_command_pin(const struct lab_invocation *invocation);
int lab_command_unpin(const struct lab_invocation *invocation);
int lab_command_channel(const struct lab_invocation *invocation);
int lab_command_alert(const struct lab_invocation *invocation);
int lab_command_challenge(const struct lab_invocation *invocation);
int lab_command_publish(const struct lab_invocation *invocation);
int lab_command_unpublish(const struct lab_invocation *invocation);
int lab_command_compare(const struct lab_invocation *invocation);
int lab_command_export(const struct lab_invocation *invocation);
int lab_command_import(const struct lab_invocation *invocation);
int lab_command_backup(const struct lab_invocation *invocation);
int lab_command_token(const struct lab_invocation *invocation);
int lab_command_health(const struct lab_invocation *invocation);
int lab_command_doctor(const struct lab_invocation *invocation);
int lab_command_devices(const struct lab_invocation *invocation);
int lab_command_nodes(const struct lab_invocation *invocation);
int lab_command_experiments(const struct lab_invocation *invocation);

#endif
