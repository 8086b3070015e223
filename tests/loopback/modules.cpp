// SPDX-License-Identifier: BSD-3-Clause
#include "modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

namespace loopback {

namespace {

std::string module_name;

[[noreturn]] void refuse(const std::string& why)
{
    std::fprintf(stderr, "loopback: %s\n", why.c_str());
    std::exit(2);
}

/// Functions of MPI's that know no communicator, group or request: the real ones serve.
bool is_real(std::string_view name)
{
    if (name.starts_with("P")) name.remove_prefix(1);
    name.remove_prefix(4);                                                // MPI_
    if (name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z') return true; // a variable
    for (const std::string_view family :
         {"Type_", "Op_", "Info_", "Win_", "Status_", "Add_error_", "Error_", "Aint_"})
        if (name.starts_with(family)) return true;
    for (const std::string_view function :
         {"Get_address", "Get_elements", "Get_elements_x", "Get_count", "Dims_create", "Reduce_local",
          "Get_version", "Get_library_version", "Is_thread_main", "Alloc_mem", "Free_mem",
          // on windows, which cannot be made
          "Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Rput", "Rget",
          "Raccumulate", "Rget_accumulate"})
        if (name == function) return true;
    return false;
}

/// Does this program define it?
bool is_played(const char* name)
{
    static void* const everything = dlopen(nullptr, RTLD_NOW);
    Dl_info mine{};
    Dl_info its{};
    void* const address = dlsym(everything, name);
    return address != nullptr && dladdr(reinterpret_cast<void*>(&load), &mine) != 0 &&
           dladdr(address, &its) != 0 && mine.dli_fbase == its.dli_fbase;
}

/// The functions that a module needs come first among its symbols, before those in the hash table.
void check_needs(void* module)
{
    link_map* map = nullptr;
    dlinfo(module, RTLD_DI_LINKMAP, &map);
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    const std::uint32_t* hash = nullptr;
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
    }
    if (symbols == nullptr || names == nullptr || hash == nullptr) refuse("the module has no symbols");
    std::string unplayed;
    for (std::uint32_t i = 1; i < hash[1]; ++i) {
        const char* const name = names + symbols[i].st_name;
        if (std::strncmp(name, "MPI_", 4) != 0 && std::strncmp(name, "PMPI_", 5) != 0) continue;
        if (!is_real(name) && !is_played(name)) unplayed += std::string(" ") + name;
    }
    if (!unplayed.empty()) refuse("the module uses functions that are not played:" + unplayed);
}

} // namespace

std::string new_folder()
{
    std::string folder = (std::filesystem::temp_directory_path() / "loopback-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) refuse("there can be no temporary folder");
    return folder;
}

std::vector<Main> load(const std::string& module, int copies, bool keeps_files)
{
    module_name = std::filesystem::absolute(module).string();
    const std::string folder = new_folder();
    std::vector<Main> result;
    std::string trouble;
    for (int i = 0; i < copies && trouble.empty(); ++i) {
        const std::string file = folder + "/process" + std::to_string(i) + ".so";
        std::error_code error;
        std::filesystem::copy_file(module, file, error);
        void* const handle = error ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* const function = handle != nullptr ? dlsym(handle, "main") : nullptr;
        if (function == nullptr)
            trouble = error ? module + ": " + error.message() : dlerror();
        else
            result.push_back(reinterpret_cast<Main>(function));
        if (i == 0 && function != nullptr) check_needs(handle);
    }
    if (!keeps_files) std::filesystem::remove_all(folder);
    if (!trouble.empty()) refuse(trouble);
    return result;
}

void print_place()
{
    void* addresses[40];
    const int n = backtrace(addresses, 40);
    std::map<std::string, std::string> found; // what addr2line is to look for, by file
    for (int i = 1; i < n; ++i) {
        Dl_info info{};
        if (dladdr(addresses[i], &info) == 0 || info.dli_fname == nullptr) continue;
        const bool is_module = std::strstr(info.dli_fname, "/loopback-") != nullptr;
        if (!is_module) continue;
        char offset[32];
        std::snprintf(offset, sizeof offset, " %#lx",
                      static_cast<unsigned long>(static_cast<char*>(addresses[i]) - 1 -
                                                 static_cast<char*>(info.dli_fbase)));
        found[module_name] += offset;
    }
    std::fflush(stdout);
    for (const auto& [file, offsets] : found) {
        const std::string command = "addr2line -Cfpse '" + file + "'" + offsets +
                                    " | cut -c -200 | sed 's/^/    /' >&2";
        if (std::system(command.c_str()) != 0)
            std::fprintf(stderr, "    %s:%s\n", file.c_str(), offsets.c_str());
    }
}

} // namespace loopback
