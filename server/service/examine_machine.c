#include "examine_machine.h"

#include "node_service.h"

json_t *lab_examine_machine(const struct lab_config *config, struct lab_error *error)
{
    const struct lab_worker_options here = lab_worker_here(config);
    return lab_worker_examine(&here, NULL, error);
}
