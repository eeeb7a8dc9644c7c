// The exchanges of a Runtime, as one of its sources of events.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <kumiko/runtime/bell.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/message_source.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::search::detail {

class Exchange;

/// A Runtime has few places for sources, and they do not become free again, so all exchanges that
/// begin and end while it exists share this source.
class ExchangeSource final : public runtime::MessageSource {
 public:
  /// The source of a Runtime, which the first call attaches. \throws as Runtime::attach() does
  static std::shared_ptr<ExchangeSource> of(runtime::Runtime& runtime);

  ExchangeSource() = default;

  /// Polls the exchange until remove(); a poll that has begun before that may still come.
  void add(std::shared_ptr<Exchange> exchange);
  void remove(const Exchange& exchange) noexcept;
  /// Wakes a sleeping worker, which then polls. Any thread may call it.
  void wake() noexcept { bell_.ring(); }

  int poll(bool idle) noexcept override;
  bool has_news() noexcept override;
  bool has_unsent() const noexcept override { return false; }
  int pollable() const noexcept override { return bell_.descriptor(); }
  bool is_open() const noexcept override { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Ask>
  void ask_all(Ask ask) noexcept;

  runtime::Bell bell_{-1};
  runtime::detail::SpinLock guard_;
  std::vector<std::shared_ptr<Exchange>> exchanges_;  ///< guarded
  std::atomic<std::size_t> count_{0};                 ///< the size of exchanges_
  std::vector<std::shared_ptr<Exchange>> asked_;      ///< used by the poller only
};

}  // namespace kumiko::search::detail
