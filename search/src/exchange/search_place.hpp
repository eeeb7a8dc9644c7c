// The connection of a search to the exchange of its process.
#pragma once

#include <cstdint>
#include <memory>

#include <kumiko/runtime/search_core.hpp>
#include <kumiko/search/search.hpp>

#include "core/part_store.hpp"
#include "exchange/delivery.hpp"

namespace kumiko::search::detail {

/// Says where a search is done: in which process, and of which run it is a part, if of any.
class SearchPlace final : public Outside {
 public:
  /// \param part  the run of another process's part that the search does; 0 for a search of this
  /// process
  SearchPlace(Exchange& of, std::uint64_t part) noexcept : run(part), exchange_(of) {}
  /// For a search of this process whose parts go to `others` in advance, after this number of
  /// divisions.
  SearchPlace(Exchange& of, unsigned divisions, const SearchPlace& others) noexcept
      : run(0), exchange_(of), divisions_(divisions), in_advance_(&others) {}
  /// For such parts. `keeps` keeps their results.
  SearchPlace(Exchange& of, PartStore& keeps) noexcept : run(0), store(&keeps), exchange_(of) {}

  void add(runtime::SearchCore& search) override;
  void remove(runtime::SearchCore& search) noexcept override;
  bool has_asks() const noexcept override;
  bool claim_ask() noexcept override;
  void decline() noexcept override;
  unsigned divisions_in_advance() const noexcept override { return divisions_; }
  void search_stopped(const runtime::SearchCore& search) noexcept override;
  void givers_stopped(const runtime::SearchCore& search) noexcept override;

  std::shared_ptr<Delivery> give(runtime::SearchPart& giver, const PartType& type,
                                 unsigned divisions, Frame bytes) const override;
  const Outside& in_advance() const noexcept override { return *in_advance_; }
  Exchange& exchange() const noexcept override { return exchange_; }

  const std::uint64_t run;
  PartStore* const store = nullptr;

 private:
  Exchange& exchange_;
  const unsigned divisions_ = 0;
  const SearchPlace* const in_advance_ = this;
};

}  // namespace kumiko::search::detail
