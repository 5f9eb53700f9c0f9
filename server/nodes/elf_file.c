/* Reads the sections of an ELF file. */
#include "elf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

/* Copies a part of the file. False when it is not in the file. */
static bool read_part(const struct elf *elf, size_t at, void *part, size_t size)
{
    bool inside = at <= elf->size && size <= elf->size - at;
    if (inside)
        memcpy(part, elf->bytes + at, size);
    return inside;
}

static bool read_section(const struct elf *elf, size_t index, Elf64_Shdr *section)
{
    return index < elf->header.e_shnum &&
           read_part(elf, elf->header.e_shoff + index * sizeof *section, section, sizeof *section);
}

/* A text of the string table that belongs to a section; NULL when it is not in the file. */
static const char *text_of(const struct elf *elf, const Elf64_Shdr *section, size_t at)
{
    Elf64_Shdr table;
    if (!read_section(elf, section->sh_link, &table) || at >= table.sh_size || table.sh_offset > elf->size ||
        table.sh_size > elf->size - table.sh_offset)
        return NULL;
    const char *text = (const char *)elf->bytes + table.sh_offset + at;
    return memchr(text, '\0', table.sh_size - at) != NULL ? text : NULL;
}

static void read_libraries(const struct elf *elf, const Elf64_Shdr *section, struct lab_elf_needs *needs)
{
    Elf64_Dyn entry;
    for (size_t at = 0; at + sizeof entry <= section->sh_size; at += sizeof entry) {
        if (!read_part(elf, section->sh_offset + at, &entry, sizeof entry))
            return;
        const char *name = entry.d_tag == DT_NEEDED ? text_of(elf, section, entry.d_un.d_val) : NULL;
        if (name != NULL && needs->library_count < LAB_ELF_LIBRARIES_MAX)
            needs->libraries[needs->library_count++] = name;
    }
}

static void note_version(const char *version, struct lab_elf_needs *needs)
{
    static const char prefix[] = "GLIBC_2.";
    if (version == NULL || strncmp(version, prefix, sizeof prefix - 1) != 0)
        return;
    unsigned minor = (unsigned)strtoul(version + sizeof prefix - 1, NULL, 10);
    if (minor > needs->glibc_minor)
        needs->glibc_minor = minor;
}

/* The section is a list of libraries, each with a list of versions; the last of a list has no next one. */
static void read_versions(const struct elf *elf, const Elf64_Shdr *section, struct lab_elf_needs *needs)
{
    Elf64_Verneed library;
    Elf64_Vernaux version;
    size_t at = section->sh_offset;
    for (size_t i = 0; i < section->sh_info && read_part(elf, at, &library, sizeof library); i++) {
        size_t aux = at + library.vn_aux;
        for (size_t k = 0; k < library.vn_cnt && read_part(elf, aux, &version, sizeof version); k++) {
            note_version(text_of(elf, section, version.vna_name), needs);
            if (version.vna_next == 0)
                break;
            aux += version.vna_next;
        }
        if (library.vn_next == 0)
            return;
        at += library.vn_next;
    }
}

/* The machines for which gpulab can be built. */
static const char *machine_name(unsigned machine)
{
    return machine == EM_X86_64 ? "x86_64" : machine == EM_AARCH64 ? "aarch64" : NULL;
}

void lab_elf_read(const unsigned char *bytes, size_t size, struct lab_elf_needs *needs)
{
    struct elf elf = {.bytes = bytes, .size = size};
    Elf64_Shdr section;
    *needs = (struct lab_elf_needs){0};
    if (!read_part(&elf, 0, &elf.header, sizeof elf.header) || memcmp(elf.header.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.header.e_ident[EI_CLASS] != ELFCLASS64 || elf.header.e_ident[EI_DATA] != ELFDATA2LSB)
        return;
    needs->machine = machine_name(elf.header.e_machine);
    for (size_t i = 0; read_section(&elf, i, &section); i++) {
        if (section.sh_type == SHT_DYNAMIC)
            read_libraries(&elf, &section, needs);
        else if (section.sh_type == SHT_GNU_verneed)
            read_versions(&elf, &section, needs);
    }
}
