/* The commands that use a lab. Each gets its arguments, of which argv[0] is its name, and returns an exit code. */
#ifndef LAB_COMMANDS_H
#define LAB_COMMANDS_H

int lab_command_run(int argc, char **argv);
int lab_command_compile(int argc, char **argv);
int lab_command_kernel(int argc, char **argv);
int lab_command_sweep(int argc, char **argv);
int lab_command_runs(int argc, char **argv);
int lab_command_show(int argc, char **argv);
int lab_command_watch(int argc, char **argv);
int lab_command_cancel(int argc, char **argv);
int lab_command_delete(int argc, char **argv);
int lab_command_tag(int argc, char **argv);
int lab_command_pin(int argc, char **argv);
int lab_command_unpin(int argc, char **argv);
int lab_command_compare(int argc, char **argv);
int lab_command_export(int argc, char **argv);
int lab_command_import(int argc, char **argv);
int lab_command_backup(int argc, char **argv);
int lab_command_token(int argc, char **argv);
int lab_command_health(int argc, char **argv);
int lab_command_devices(int argc, char **argv);
int lab_command_nodes(int argc, char **argv);
int lab_command_experiments(int argc, char **argv);

#endif
