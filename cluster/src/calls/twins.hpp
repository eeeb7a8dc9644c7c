// The twins of a rank, which calls of other ranks find by their names.
#pragma once

#include <cstdint>
#include <map>

#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::cluster::detail {

/// Finds twins, and lets calls wait for those that are to come.
///
/// *Invariant.* The lock protects all members. An object stays in the table while calls use it. A
/// twin that is not in the table is to come if its number has not been given yet, unless the rank
/// has closed the table; otherwise it is gone.
///
/// Any thread may use the object.
class Twins {
 public:
  TwinName add(std::uint32_t type, void* object);
  /// Waits until no call uses it.
  void remove(TwinName name);

  /// Waits until the twin is there, and begins to use it. Returns nullptr if it is gone.
  void* begin_use(TwinName name);
  void end_use(TwinName name);

  /// This rank makes no more twins.
  void close();

 private:
  struct Entry {
    void* object = nullptr;
    int uses = 0;
  };

  bool is_to_come(TwinName name) const;

  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  std::map<TwinName, Entry> twins_;
  std::map<std::uint32_t, std::uint32_t> made_;  ///< by type
  int waiting_ = 0;
  bool is_closed_ = false;
};

}  // namespace kumiko::cluster::detail
