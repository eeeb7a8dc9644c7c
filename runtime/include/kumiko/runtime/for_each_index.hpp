// A parallel loop whose iterations are lightweight threads, so that they may wait for each other.
#pragma once

#include <cstddef>

#include <kumiko/runtime/policy/halving.hpp>
#include <kumiko/runtime/task_group.hpp>

namespace kumiko::runtime {

namespace detail {

/// Runs body(first) in the calling thread and the indices of (first, last) in one new thread each.
template <class Body>
void halve_and_run(std::size_t first, std::size_t last, Body& body, SourceLocation where) {
  TaskGroup group;
  while (last - first > 1) {
    const std::size_t middle = policy::halving_point(first, last);
    group.run([middle, last, &body, where] { halve_and_run(middle, last, body, where); }, where);
    last = middle;
  }
  body(first);
  group.wait();
}

}  // namespace detail

/// Calls body(i) for every i in [0, count), each in a lightweight thread of its own, and waits for
/// all. Reports and traces name `where` as the place of the threads' creation. If a body throws,
/// its exception is rethrown here after the threads have ended; if several throw, one of the
/// exceptions is. `body` is shared, so its call operator must allow concurrent calls.
///
/// Cost: `count` spawns. The range is halved recursively, the caller's half being the one that
/// thieves find first, so that n workers share it with about n log2(count) steals; about
/// log2(count) threads per worker are alive at once, besides those that wait.
/// \throws std::logic_error outside a lightweight thread, std::system_error if no stack can be
/// mapped; some bodies may have run then.
template <class Body>
void for_each_index(std::size_t count, Body&& body,
                    SourceLocation where = SourceLocation::current()) {
  TaskGroup group;
  if (count != 0) {
    group.run([count, &body, where] { detail::halve_and_run(0, count, body, where); }, where);
  }
  group.wait();
}

}  // namespace kumiko::runtime
