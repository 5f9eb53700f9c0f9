#include "doctor.h"

#include "files.h"
#include "findings.h"
#include "gpus.h"

static const struct doctor_check *const tables[] = {
    doctor_gpu_checks,    doctor_library_checks, doctor_program_checks,
    doctor_system_checks, doctor_setting_checks, doctor_machine_checks,
};

static bool works(const json_t *findings)
{
    size_t index;
    json_t *finding;
    json_array_foreach(findings, index, finding)
    {
        if (json_is_true(json_object_get(finding, "blocks")))
            return false;
    }
    return true;
}

json_t *lab_doctor_examine(const struct lab_doctor_options *options)
{
    struct doctor doctor = {.options = options, .findings = json_array()};
    doctor.has_gpu = doctor_count_gpus(&doctor) > 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct doctor_check *check = tables[i]; check->name != NULL; check++)
            check->examine(&doctor, check);
    return json_pack("{s:b, s:o}", "works", works(doctor.findings), "findings", doctor.findings);
}
