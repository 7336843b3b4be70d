# family: C33
# expect: reject
# ruff: noqa
code = r"""
#include <elf.h>
#include <link.h>
static int visit(struct dl_phdr_info* info, size_t size, void* data) {
    for (auto* entry = dynamic(info); entry->d_tag; ++entry)
        if (entry->d_tag == DT_JMPREL) replace(entry);
    return 0;
}
"""


def custom_kernel(data):
    return data.mean().reshape(1)
