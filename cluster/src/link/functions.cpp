#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <link.h>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster {

namespace detail {

namespace {

struct Table {
  std::mutex mutex;
  std::vector<Function*> loaded;    ///< guarded
  std::vector<Function*> numbered;  ///< written once, under the mutex
  std::uint64_t program = 0;
};

/// Made at the first call, because functions are static objects of many files.
Table& table() {
  static auto* const instance = new Table;
  return *instance;
}

/// Hashes the build ids (GNU notes) of the program, the first object.
int hash_build_id(dl_phdr_info* object, std::size_t /*size*/, void* hash) {
  auto& value = *static_cast<std::uint64_t*>(hash);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    value = hashed(value, reinterpret_cast<const void*>(object->dlpi_addr + segment.p_vaddr),
                   segment.p_memsz);
  }
  return 1;
}

}  // namespace

Function::Function(const char* name, Run code) : name_(name), run_(code) {
  const std::lock_guard lock(table().mutex);
  table().loaded.push_back(this);
}

std::uint32_t Function::number() const {
  if (!number_) {
    throw std::logic_error("the function '" + readable_name(name_) +
                           "' was loaded after the cluster was made; load it before");
  }
  return *number_;
}

const Function* function_of(std::uint32_t number) noexcept {
  const std::vector<Function*>& numbered = table().numbered;
  return number < numbered.size() ? numbered[number] : nullptr;
}

}  // namespace detail

std::uint64_t program_id() {
  detail::Table& all = detail::table();
  const std::lock_guard lock(all.mutex);
  if (all.program != 0) return all.program;
  std::vector<detail::Function*> sorted = all.loaded;
  const auto name = [](const detail::Function* function) {
    return std::string_view(function->name());
  };
  std::sort(
      sorted.begin(), sorted.end(),
      [&](const detail::Function* a, const detail::Function* b) { return name(a) < name(b); });
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [&](const detail::Function* a, const detail::Function* b) { return name(a) == name(b); });
  if (twice != sorted.end()) {
    throw std::logic_error("two functions that ranks invoke have one name, '" +
                           readable_name((*twice)->name()) + "'; put one in a named namespace");
  }
  std::uint64_t program = kHashBegin;
  dl_iterate_phdr(&detail::hash_build_id, &program);
  for (detail::Function* const function : sorted) {
    function->number_ = static_cast<std::uint32_t>(all.numbered.size());
    all.numbered.push_back(function);
    program = hashed(program, function->name(), std::strlen(function->name()) + 1);
  }
  all.program = program == 0 ? 1 : program;
  return all.program;
}

std::string readable_name(const char* mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  if (status != 0) return mangled;
  std::string name(text);
  std::free(text);
  return name;
}

}  // namespace kumiko::cluster
