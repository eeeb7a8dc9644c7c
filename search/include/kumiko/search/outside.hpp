// The connection of a Search to the other processes that share it.
#pragma once

#include <memory>

#include <kumiko/runtime/search_outside.hpp>
#include <kumiko/search/frame.hpp>

namespace kumiko::search {

namespace detail {
class Exchange;
class PartType;
struct Delivery;
}  // namespace detail

/// The other processes that ask for parts of a search. A PartExchange, a SearchTree and a
/// SearchJournal have an Outside, which lives as long as they do.
class Outside : public runtime::Outside {
 public:
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  /// Gives a part, as bytes, to the process that has asked, or to the next that asks.
  /// \throws std::bad_alloc
  virtual std::shared_ptr<detail::Delivery> give(runtime::SearchPart& giver,
                                                 const detail::PartType& type, unsigned divisions,
                                                 Frame bytes) const = 0;
  /// The processes that get the parts that are divided in advance.
  virtual const Outside& in_advance() const noexcept = 0;

  /// The exchange that brings the parts there.
  virtual detail::Exchange& exchange() const noexcept = 0;

 protected:
  Outside() = default;
  ~Outside() = default;
};

}  // namespace kumiko::search
