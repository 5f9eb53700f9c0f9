#include "system_paths.h"

#include <stddef.h>

const struct lab_system_path lab_system_paths[] = {
    /* programs and libraries; the CUDA toolkit is in /usr/local, of some systems in /opt/cuda */
    {{"/usr", LAB_LANDLOCK_READ}, false},
    {{"/bin", LAB_LANDLOCK_READ}, false},
    {{"/sbin", LAB_LANDLOCK_READ}, false},
    {{"/lib", LAB_LANDLOCK_READ}, false},
    {{"/lib32", LAB_LANDLOCK_READ}, false},
    {{"/lib64", LAB_LANDLOCK_READ}, false},
    {{"/opt/cuda", LAB_LANDLOCK_READ}, false},
    {{"/etc/ld.so.cache", LAB_LANDLOCK_READ}, false},
    {{"/etc/ld.so.conf", LAB_LANDLOCK_READ}, false},
    {{"/etc/ld.so.conf.d", LAB_LANDLOCK_READ}, false},
    {{"/etc/alternatives", LAB_LANDLOCK_READ}, false},
    /* the processors, NUMA nodes and GPUs that libraries ask for */
    {{"/sys/bus/pci", LAB_LANDLOCK_READ}, false},
    {{"/sys/devices", LAB_LANDLOCK_READ}, false},
    {{"/sys/module", LAB_LANDLOCK_READ}, false},
    /* libcuda gives its threads names, in comm */
    {{"/proc/self", LAB_LANDLOCK_USE}, true},
    {{"/proc/cpuinfo", LAB_LANDLOCK_READ}, true},
    {{"/proc/devices", LAB_LANDLOCK_READ}, true},
    {{"/proc/driver/nvidia", LAB_LANDLOCK_READ}, true},
    {{"/proc/driver/nvidia-uvm", LAB_LANDLOCK_READ}, true},
    {{"/proc/filesystems", LAB_LANDLOCK_READ}, true},
    {{"/proc/meminfo", LAB_LANDLOCK_READ}, true},
    {{"/proc/modules", LAB_LANDLOCK_READ}, true},
    {{"/proc/stat", LAB_LANDLOCK_READ}, true},
    {{"/proc/sys/vm", LAB_LANDLOCK_READ}, true},
    {{"/proc/version", LAB_LANDLOCK_READ}, true},
    {{"/dev/full", LAB_LANDLOCK_USE}, true},
    {{"/dev/null", LAB_LANDLOCK_USE}, true},
    {{"/dev/random", LAB_LANDLOCK_USE}, true},
    {{"/dev/urandom", LAB_LANDLOCK_USE}, true},
    {{"/dev/zero", LAB_LANDLOCK_USE}, true},
    {{NULL, LAB_LANDLOCK_READ}, false},
};
