// Calls to the objects of other ranks that correspond to an object of this one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/here.hpp>

namespace kumiko::cluster {

namespace detail {

/// Identifies the twins of one object: the hash of their type, and how many twins of this type the
/// rank had made before.
struct TwinName {
  std::uint32_t type = 0;
  std::uint32_t number = 0;

  friend auto operator<=>(const TwinName&, const TwinName&) = default;
};

/// Adds this rank's twin.
TwinName add_twin(const Here& here, std::uint32_t type, void* object);
/// Removes it, after waiting for the calls that use it.
void remove_twin(const Here& here, TwinName name) noexcept;

/// The use of this rank's twin by a call.
class TwinUse {
 public:
  /// Waits until the twin is there.
  TwinUse(const Here& here, TwinName name);
  ~TwinUse();
  TwinUse(const TwinUse&) = delete;
  TwinUse& operator=(const TwinUse&) = delete;

  /// The twin; nullptr if it is gone.
  void* object() const noexcept { return object_; }
  /// \throws TwinGone if it is gone
  void* checked(const char* type) const;

 private:
  Node& node_;
  TwinName name_;
  void* object_;
};

/// \throws the exception of another rank: TwinGone if it is one, otherwise `error`
[[noreturn]] void rethrow_remote(const RemoteError& error);

/// Calls F with a twin, and with a Here if F accepts it.
template <class T, class F, class... Arguments>
decltype(auto) call_twin(const Here& here, T& twin, Arguments&&... arguments) {
  if constexpr (std::is_invocable_v<const F&, T&, const Here&, Arguments...>) {
    return F()(twin, here, std::forward<Arguments>(arguments)...);
  } else {
    static_assert(std::is_invocable_v<const F&, T&, Arguments...>,
                  "the function cannot be called with (T&, arguments...), nor with (T&, const "
                  "Here&, arguments...)");
    return F()(twin, std::forward<Arguments>(arguments)...);
  }
}

/// Runs F at the twin of the rank where it is invoked.
template <class T, class F>
struct AtTwin {
  template <class... Arguments>
  auto operator()(const Here& here, TwinName name, Arguments... arguments) const {
    const TwinUse use(here, name);
    return call_twin<T, F>(here, *static_cast<T*>(use.checked(typeid(T).name())),
                           std::move(arguments)...);
  }
};

/// As AtTwin, but does nothing if the twin is gone.
template <class T, class F>
struct AtTwinIfThere {
  template <class... Arguments>
  void operator()(const Here& here, TwinName name, Arguments... arguments) const {
    const TwinUse use(here, name);
    if (use.object() == nullptr) return;
    call_twin<T, F>(here, *static_cast<T*>(use.object()), std::move(arguments)...);
  }
};

}  // namespace detail

/// Calls to the twins of an object. A value that may be copied, and used as long as the Cluster. A
/// function is called with the twin of the rank where it runs, with that rank's Here if it accepts
/// it, and with the arguments: function(T&, [const Here&,] arguments...). Otherwise it is as
/// described at Here.
template <class T>
class TwinCalls {
 public:
  /// This rank.
  const Here& here() const noexcept { return here_; }

  /// The same, for calls with limits: see Here::within().
  TwinCalls within(Limits limits) const { return {here_.within(std::move(limits)), name_}; }

  /// As Here::invoke(). If `rank` has not made its twin yet, the call waits there.
  /// \throws TwinGone if the twin is gone, and as Here::invoke()
  template <class F, class... Arguments>
  auto on(int rank, F /*function*/, Arguments... arguments) const {
    try {
      return here_.invoke(rank, detail::AtTwin<T, F>(), name_, std::move(arguments)...);
    } catch (const RemoteError& error) {
      detail::rethrow_remote(error);
    }
  }

  /// As Here::async(). If the twin is gone, the Future throws RemoteError, of type TwinGone.
  template <class F, class... Arguments>
  auto async(int rank, F /*function*/, Arguments... arguments) const {
    return here_.async(rank, detail::AtTwin<T, F>(), name_, std::move(arguments)...);
  }

  /// As Here::post(). Has no effect if the twin is gone.
  template <class F, class... Arguments>
  void post(int rank, F /*function*/, Arguments... arguments) const {
    here_.post(rank, detail::AtTwinIfThere<T, F>(), name_, std::move(arguments)...);
  }

  /// async() on every other rank, in the order of the ranks.
  template <class F, class... Arguments>
  auto on_others(F function, const Arguments&... arguments) const {
    std::vector<decltype(async(0, function, arguments...))> results;
    for (int rank = 0; rank < here_.size(); ++rank) {
      if (rank != here_.rank()) results.push_back(async(rank, function, arguments...));
    }
    return results;
  }

 protected:
  TwinCalls(Here here, detail::TwinName name) : here_(std::move(here)), name_(name) {}

  Here here_;
  detail::TwinName name_;
};

/// Makes an object reachable for its *twins*: the objects of the same type for which the other
/// ranks have made a Twin. Every rank makes the Twins of one type in the same order, at any time:
/// the n-th of one rank belongs to the n-th of each other. A rank does not wait for the others; a
/// call for a twin that is not there yet waits as a thread of the rank that is to make it. At most
/// kMostTwinCallsWaiting wait there, and until that rank leaves the cluster. Constructor and
/// destructor are cheap, and send nothing.
template <class T>
class Twin : public TwinCalls<T> {
 public:
  /// The Cluster and the object must outlive it.
  Twin(const Here& here, T& object)
      : TwinCalls<T>(here, detail::add_twin(here, detail::type_hash<T>(), &object)),
        object_(object) {}
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  /// Waits for calls that use the object, so it must not be called by one; later calls find it
  /// gone. Suspends, or blocks an OS thread.
  ~Twin() { detail::remove_twin(this->here_, this->name_); }

  /// Calls the function on all ranks: on this one in the calling thread. Returns when all have
  /// returned. If it throws here, throws that immediately.
  /// \return the results by rank, if it has any
  /// \throws what it throws on this rank, otherwise RemoteError or RankLost
  template <class F, class... Arguments>
  auto on_all(F function, const Arguments&... arguments) {
    auto others = this->on_others(function, arguments...);
    const auto own = [&] { return detail::call_twin<T, F>(this->here_, object_, arguments...); };
    using Result = decltype(own());
    if constexpr (std::is_void_v<Result>) {
      own();
      for (auto& other : others) other.get();
    } else {
      std::vector<Result> results;
      results.push_back(own());
      for (auto& other : others) results.push_back(other.get());
      const auto at = results.begin() + this->here_.rank();
      std::rotate(results.begin(), results.begin() + 1, at + 1);
      return results;
    }
  }

 private:
  T& object_;
};

/// The largest number of calls that wait on one rank for twins that are to come. Beyond that, a
/// call throws, since the ranks have probably made their twins in different orders.
inline constexpr int kMostTwinCallsWaiting = 4096;

}  // namespace kumiko::cluster
