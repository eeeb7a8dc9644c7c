#include "tls_modules.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>

#include <link.h>

namespace kumiko::pthread {

namespace {

/// More modules with thread-local variables than any program has at its start.
constexpr std::size_t kMostModules = 256;

std::byte* running_thread_pointer() noexcept {
  return reinterpret_cast<std::byte*>(pthread_self());
}

bool holds(const dl_phdr_info& info, const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address) - info.dlpi_addr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && at >= part.p_vaddr && at - part.p_vaddr < part.p_memsz) {
      return true;
    }
  }
  return false;
}

const ElfW(Phdr) * tls_part(const dl_phdr_info& info) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_TLS) return &info.dlpi_phdr[i];
  }
  return nullptr;
}

}  // namespace

struct TlsModules::List {
  unsigned long long loaded = 0;  ///< modules so far, when this was read
  unsigned long long unloaded = 0;
  std::size_t count = 0;
  std::array<TlsModule, kMostModules> modules;
  TlsModule libc{};

  // What is being read:
  const void* libc_address = nullptr;
  std::size_t storage_below = 0;

  static int add(dl_phdr_info* info, std::size_t, void* list) {
    auto& self = *static_cast<List*>(list);
    self.loaded = info->dlpi_adds;
    self.unloaded = info->dlpi_subs;
    const ElfW(Phdr)* const part = tls_part(*info);
    if (part == nullptr || info->dlpi_tls_data == nullptr) return 0;
    const std::ptrdiff_t offset =
        static_cast<std::byte*>(info->dlpi_tls_data) - running_thread_pointer();
    if (offset >= 0 || offset < -static_cast<std::ptrdiff_t>(self.storage_below)) return 0;
    const TlsModule module{offset, reinterpret_cast<const void*>(info->dlpi_addr + part->p_vaddr),
                           part->p_filesz, part->p_memsz};
    static constexpr char kHere = 0;
    if (holds(*info, self.libc_address)) {
      self.libc = module;
    } else if (!holds(*info, &kHere) && self.count < kMostModules) {
      self.modules[self.count++] = module;
    }
    return 0;
  }
};

namespace {

/// What up_to_date() returned last; older ones are left, for somebody may still read them. There
/// are as many as calls of dlopen() and dlclose() between two creations of threads.
constinit std::atomic<const void*> latest{nullptr};

struct Counters {
  unsigned long long loaded = 0;
  unsigned long long unloaded = 0;

  static int read(dl_phdr_info* info, std::size_t, void* counters) {
    *static_cast<Counters*>(counters) = {info->dlpi_adds, info->dlpi_subs};
    return 1;
  }
};

}  // namespace

TlsModules::TlsModules(const void* libc, std::size_t storage_below)
    : libc_address_(libc), storage_below_(storage_below) {
  const List* const list = read();
  if (list == nullptr) throw std::bad_alloc();
  libc_ = list->libc;
  if (libc_.size == 0)
    throw std::runtime_error("the C library's thread-local variables are not found");
  latest.store(list, std::memory_order_release);
}

TlsModules::List* TlsModules::read() const noexcept {
  auto* const list = new (std::nothrow) List;
  if (list == nullptr) return nullptr;
  list->libc_address = libc_address_;
  list->storage_below = storage_below_;
  dl_iterate_phdr(&List::add, list);
  return list;
}

const TlsModules::List& TlsModules::up_to_date() const noexcept {
  // acquire: pairs with the release of whoever has read the list.
  const auto* list = static_cast<const List*>(latest.load(std::memory_order_acquire));
  Counters now;
  dl_iterate_phdr(&Counters::read, &now);
  if (now.loaded == list->loaded && now.unloaded == list->unloaded) return *list;
  const List* const fresh = read();
  if (fresh == nullptr) return *list;
  latest.store(fresh, std::memory_order_release);
  return *fresh;
}

unsigned long long TlsModules::changes() const noexcept {
  const List& list = up_to_date();
  return list.loaded + list.unloaded;
}

void TlsModules::renew(void* thread_pointer) const noexcept {
  // acquire: pairs with the release of whoever has read the list.
  const List& list = *static_cast<const List*>(latest.load(std::memory_order_acquire));
  for (std::size_t i = 0; i < list.count; ++i) {
    const TlsModule& module = list.modules[i];
    std::byte* const variables = static_cast<std::byte*>(thread_pointer) + module.offset;
    std::memcpy(variables, module.image, module.image_size);
    std::memset(variables + module.image_size, 0, module.size - module.image_size);
  }
}

}  // namespace kumiko::pthread
