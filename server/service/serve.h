/* The command `gpulab serve`. */
#ifndef LAB_SERVE_H
#define LAB_SERVE_H

/* argv[0] is the command's name. Returns an exit code. */
int lab_command_serve(int argc, char **argv);

#endif
