/* node_files.sh as a text. */
#ifndef LAB_NODE_FILES_H
#define LAB_NODE_FILES_H

extern const char lab_node_files_script[];

#endif
