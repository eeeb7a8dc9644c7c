// What the I/O benchmarks of Kumiko's runtime share: options, the echo server, the report.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/thread.hpp>

#include "service.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench::io {

/// By workers= and engine=.
inline runtime::Options runtime_options(Arguments& arguments) {
  runtime::Options options;
  options.workers = static_cast<int>(arguments.integer("workers", 0));
  const std::string engine = arguments.text("engine", "auto");
  if (engine == "io_uring") {
    options.io_engine = runtime::IoEngine::kIoUring;
  } else if (engine == "epoll") {
    options.io_engine = runtime::IoEngine::kEpoll;
  } else if (engine != "auto") {
    throw std::invalid_argument("engine=" + engine + ": give 'auto', 'io_uring' or 'epoll'");
  }
  return options;
}

/// What the workers' time went into beside useful work.
inline void report_workers(JsonLine& line, const runtime::Runtime& runtime) {
  const runtime::WorkerStatistics total = runtime.statistics().total();
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  line.add("searching_seconds", seconds(total.searching))
      .add("polling_seconds", seconds(total.polling))
      .add("polls", total.polls)
      .add("empty_polls", total.empty_polls)
      .add("steals", total.steals)
      .add("failed_steals", total.failed_steals)
      .add("parks", total.parks)
      .add("suspensions", total.suspensions);
}

/// Sends back what it reads.
inline void echo(runtime::io::Socket connection) {
  std::byte bytes[64];
  for (;;) {
    const auto count = connection.read(bytes);
    if (!count || *count == 0) return;
    if (!connection.write_all(std::span(bytes).first(*count))) return;
  }
}

/// Serves connections for ever, a lightweight thread for each.
inline void accept_all(runtime::io::Listener& listener) {
  for (;;) {
    auto connection = listener.accept();
    if (!connection) {
      if (connection.error() == std::errc::connection_aborted) continue;
      throw std::system_error(connection.error(), "accept");
    }
    runtime::Thread([socket = std::move(*connection)]() mutable {
      echo(std::move(socket));
    }).detach();
  }
}

/// Runs `function` as a lightweight thread beside the calling OS thread; it must not return.
template <class Function>
void run_beside(runtime::Runtime& runtime, Function function) {
  std::thread([&runtime, function = std::move(function)] {
    try {
      runtime.run(function);
    } catch (const std::exception& error) {
      die(error.what());
    }
  }).detach();
}

}  // namespace kumiko::bench::io
