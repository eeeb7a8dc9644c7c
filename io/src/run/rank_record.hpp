// The record of a rank in a summary.
#pragma once

#include <tuple>
#include <type_traits>

#include <kumiko/io/summary.hpp>

#include "text/described_json.hpp"

namespace kumiko::io {

using cluster::Item;

constexpr auto described(std::type_identity<RankSummary>) {
  using R = RankSummary;
  using L = amr::WorkerLoad;
  return std::tuple(
      Item<&R::host>{"host"}, Item<&R::workers>{"workers"},
      Item<&R::patches>{"patches", "at the end"},
      Item<&R::load, &L::updates>{"updates", "point updates of its workers"},
      Item<&R::load, &L::busy_s>{"busy_s", "seconds at work of its workers"},
      Item<&R::load, &L::wait_s>{"wait_s", "seconds between pieces of work"},
      Item<&R::load, &L::steals>{"steals", "threads that its workers took"}.added_later(),
      Item<&R::messages>{"messages", "that it sent"},
      Item<&R::bundles>{"bundles", "that carried them"}, Item<&R::bytes>{"bytes", "of the bundles"},
      Item<&R::peak_rss_bytes>{"peak_rss_bytes"},
      Item<&R::preempted>{"preempted", "times that another thread got one of its cores"}
          .added_later());
}

}  // namespace kumiko::io
