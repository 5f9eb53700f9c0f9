/* The readers of single formats, a file of this folder for each, and their fields in the table of formats. */
#ifndef LAB_FORMATS_READERS_H
#define LAB_FORMATS_READERS_H

#include "formats/formats.h"

#define LAB_DOCUMENT_READER(name) .members = lab_##name##_members, .read_document = lab_##name##_read_document
#define LAB_TEXT_READER(name) .recognises = lab_##name##_recognises, .read_text = lab_##name##_read_text

#define LAB_DOCUMENT_READER_OF(name)                                                                                   \
    extern const struct lab_schema lab_##name##_members[];                                                             \
    void lab_##name##_read_document(struct lab_reader *reader, const json_t *document)
#define LAB_TEXT_READER_OF(name)                                                                                       \
    bool lab_##name##_recognises(const struct lab_result_text *text);                                                  \
    void lab_##name##_read_text(struct lab_reader *reader, const struct lab_result_text *text)

LAB_DOCUMENT_READER_OF(google_benchmark);
LAB_DOCUMENT_READER_OF(hyperfine);
LAB_DOCUMENT_READER_OF(nccl_tests);
LAB_DOCUMENT_READER_OF(nvbandwidth);
LAB_DOCUMENT_READER_OF(nvbench);
LAB_TEXT_READER_OF(babelstream);
LAB_TEXT_READER_OF(csv);
LAB_TEXT_READER_OF(gpulab);
LAB_TEXT_READER_OF(nccl_tests);

#endif
