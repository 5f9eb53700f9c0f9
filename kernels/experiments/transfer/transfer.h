/* The variables of the device that are copied to and from, declared for device and host. */
#ifndef LAB_TRANSFER_H
#define LAB_TRANSFER_H

enum { TRANSFER_VARIABLE_BYTES = 1048576, TRANSFER_CONSTANT_BYTES = 65536 };

#endif
