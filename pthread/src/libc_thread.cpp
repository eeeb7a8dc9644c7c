#include "libc_thread.hpp"

#include <array>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kumiko::pthread {

namespace {

/// The head of the block (tcbhead_t), fixed by the ABI: compilers and the dynamic linker know it.
namespace head {
constexpr std::size_t kPointer = 0x00;
constexpr std::size_t kDynamicVector = 0x08;
constexpr std::size_t kSelf = 0x10;
constexpr std::size_t kMultipleThreads = 0x18;
constexpr std::size_t kStackGuard = 0x28;
constexpr std::size_t kPointerGuard = 0x30;
constexpr std::size_t kFeatures = 0x48;
}  // namespace head

/// An entry of the dynamic thread vector: [-1] its length, [0] a generation, then one per module.
union DynamicEntry {
  std::size_t number;
  struct {
    void* variables;
    void* to_free;
  } module;
};

/// Above every number that the kernel gives, and below what a futex may hold. The C library's own
/// recursive locks tell threads apart by it.
constexpr int kFirstId = 1 << 28;

template <class T>
T& at(void* block, std::size_t offset) noexcept {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(block) + offset);
}

template <class T>
void copy_head(void* to, void* from, std::size_t offset) noexcept {
  at<T>(to, offset) = at<T>(from, offset);
}

void* running() noexcept { return reinterpret_cast<void*>(pthread_self()); }

template <class T>
T* find(const char* name) {
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol != nullptr) return reinterpret_cast<T*>(symbol);
  throw std::runtime_error(std::string("the C library ") + gnu_get_libc_version() + " has no " +
                           name);
}

/// The offset in a description {bits, elements, offset} for debuggers.
std::size_t described_offset(const char* name) { return find<const std::uint32_t>(name)[2]; }

}  // namespace

LibcThread::LibcThread() {
  std::size_t size = 0;
  std::size_t alignment = 0;
  find<void(std::size_t*, std::size_t*)>("_dl_get_tls_static_info")(&size, &alignment);
  static_size_ = size;
  alignment_ = alignment;
  thread_size_ = *find<const std::uint32_t>("_thread_db_sizeof_pthread");
  id_ = described_offset("_thread_db_pthread_tid");
  list_ = described_offset("_thread_db_pthread_list");
  cancel_ = described_offset("_thread_db_pthread_cancelhandling");
  rseq_ = *find<const std::ptrdiff_t>("__rseq_offset");
  keys_ = find<const Key>("__pthread_keys");
  allocate_tls_ = find<void*(void*)>("_dl_allocate_tls");
  deallocate_tls_ = find<void(void*, bool)>("_dl_deallocate_tls");
  call_tls_destructors_ = find<void()>("__call_tls_dtors");
  void* list = nullptr;
  std::size_t length = 0;
  if (syscall(SYS_get_robust_list, 0, &list, &length) != 0 || list == nullptr) {
    throw std::runtime_error("the kernel does not tell where the list of robust mutexes is");
  }
  robust_ =
      static_cast<std::size_t>(static_cast<std::byte*>(list) - static_cast<std::byte*>(running()));
  if (at<int>(running(), id_) != static_cast<int>(syscall(SYS_gettid)) || robust_ >= thread_size_) {
    throw std::runtime_error(std::string("the C library ") + gnu_get_libc_version() +
                             " describes its threads wrongly");
  }
  modules_.emplace(reinterpret_cast<const void*>(call_tls_destructors_), storage_below());
}

bool LibcThread::make(void* thread_pointer, int index, unsigned long long& changes) const noexcept {
  changes = modules_->changes();
  if (allocate_tls_(thread_pointer) == nullptr) return false;
  at<void*>(thread_pointer, head::kPointer) = thread_pointer;
  at<void*>(thread_pointer, head::kSelf) = thread_pointer;
  at<int>(thread_pointer, head::kMultipleThreads) = 1;
  copy_head<std::uintptr_t>(thread_pointer, running(), head::kStackGuard);
  copy_head<std::uintptr_t>(thread_pointer, running(), head::kPointerGuard);
  copy_head<std::uint32_t>(thread_pointer, running(), head::kFeatures);
  at<int>(thread_pointer, id_) = kFirstId + index;
  // Lists of one: a fork() takes its thread out of the first, robust mutexes go into the other.
  void* const list = &at<void*>(thread_pointer, list_);
  at<std::array<void*, 2>>(thread_pointer, list_) = {list, list};
  void* const robust = &at<void*>(thread_pointer, robust_);
  at<void*>(thread_pointer, robust_ - sizeof(void*)) = robust;
  at<void*>(thread_pointer, robust_) = robust;
  // Where the C library keeps the distance from a robust mutex's list entry to its lock.
  copy_head<long>(thread_pointer, running(), robust_ + sizeof(void*));
  // The thread's rseq is not registered with the kernel, so that sched_getcpu() asks it.
  at<rseq>(thread_pointer, static_cast<std::size_t>(rseq_)).cpu_id =
      static_cast<std::uint32_t>(RSEQ_CPU_ID_UNINITIALIZED);
  return true;
}

bool LibcThread::renew(void* thread_pointer, unsigned long long& changes) const noexcept {
  cancel_word(thread_pointer).store(0, std::memory_order_relaxed);
  const unsigned long long changes_now = modules_->changes();
  if (std::exchange(changes, changes_now) == changes_now &&
      !has_dynamic_variables(thread_pointer)) {
    modules_->renew(thread_pointer);
    return true;
  }
  // The C library's variables must survive the anew.
  constexpr std::size_t kMost = 1024;
  const TlsModule& libc = modules_->libc();
  std::array<std::byte, kMost> saved;
  if (libc.size > saved.size()) return false;
  std::byte* const variables = static_cast<std::byte*>(thread_pointer) + libc.offset;
  std::memcpy(saved.data(), variables, libc.size);
  deallocate_tls_(thread_pointer, false);
  const bool made = allocate_tls_(thread_pointer) != nullptr;
  std::memcpy(variables, saved.data(), libc.size);
  return made;
}

/// Whether a module's variables lie outside the block, in memory of their own.
bool LibcThread::has_dynamic_variables(void* thread_pointer) noexcept {
  const auto* const entries = at<const DynamicEntry*>(thread_pointer, head::kDynamicVector);
  const std::size_t length = entries[-1].number;
  for (std::size_t i = 1; i <= length; ++i) {
    if (entries[i].module.to_free != nullptr) return true;
  }
  return false;
}

std::atomic<int>& LibcThread::cancel_word(void* thread_pointer) const noexcept {
  return at<std::atomic<int>>(thread_pointer, cancel_);
}

void LibcThread::destroy_variables() const noexcept {
  call_tls_destructors_();
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    if (!destroy_key_values()) return;
  }
  // What is left is not destroyed, and not the next thread's.
  for (pthread_key_t key = 0; has_been_used(key); ++key) {
    if (pthread_getspecific(key) != nullptr) pthread_setspecific(key, nullptr);
  }
}

/// Whether the key or one above it has been in use: the lowest free one is always taken, and
/// sequences only grow.
bool LibcThread::has_been_used(pthread_key_t key) const noexcept {
  return key < PTHREAD_KEYS_MAX && keys_[key].sequence != 0;
}

/// Returns whether there was anything.
bool LibcThread::destroy_key_values() const noexcept {
  bool any = false;
  for (pthread_key_t key = 0; has_been_used(key); ++key) {
    if (keys_[key].sequence % 2 == 0) continue;
    void* const value = pthread_getspecific(key);
    if (value == nullptr) continue;
    pthread_setspecific(key, nullptr);
    if (keys_[key].destroy == nullptr) continue;
    any = true;
    keys_[key].destroy(value);
  }
  return any;
}

}  // namespace kumiko::pthread
