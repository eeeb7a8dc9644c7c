// The client of the echo servers: one OS thread that waits by epoll. It sends single bytes and
// measures how many come back and after what time: each active connection as fast as it is served,
// or, with rate=, so many messages per second in all.
//
//   io_client port=40123 connections=1024 active=128 seconds=1 warm_up=0.25
//
// It measures rounds=1 times and reports on all together. With ready=1 it says "READY" before each
// and waits for a line. With realtime=1 it goes before other processes where that is allowed, as if
// it had a machine of its own; for low rates only, or the server gets no core.
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include <sched.h>
#include <sys/prctl.h>

#include "connections.hpp"
#include "loops.hpp"
#include "process.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench::io {
namespace {

struct Plan {
  long port;
  long connections;
  long active;
  double rate;
  double seconds;
  double warm_up;
  long rounds;
  bool ready;
  bool realtime;

  explicit Plan(Arguments& arguments)
      : port(arguments.integer("port", 0)),
        connections(arguments.integer("connections", 1)),
        active(arguments.integer("active", connections)),
        rate(arguments.real("rate", 0)),
        seconds(arguments.real("seconds", 1)),
        warm_up(arguments.real("warm_up", 0.25)),
        rounds(arguments.integer("rounds", 1)),
        ready(arguments.integer("ready", 0) != 0),
        realtime(arguments.integer("realtime", 0) != 0) {
    arguments.reject_unknown();
    const auto require = [](bool holds, const char* what) {
      if (!holds) throw std::invalid_argument(what);
    };
    require(port > 0 && port < 65536, "port must be from 1 to 65535");
    require(connections > 0 && connections <= 60000, "connections must be from 1 to 60000");
    require(active > 0 && active <= connections, "active must be from 1 to connections");
    require(rate >= 0 && rate <= 1e6, "rate must be from 0 to 1000000");
    require(seconds > 0 && seconds <= 60, "seconds must be above 0, 60 at most");
    require(rounds > 0 && rounds <= 1000, "rounds must be from 1 to 1000");
    require(!realtime || rate > 0, "realtime needs a rate");
    require(warm_up >= 0 && warm_up <= 60, "warm_up must be from 0 to 60");
  }
};

void exchange(Connections& connections, const Plan& plan, double seconds, Traffic& traffic) {
  if (plan.rate > 0) {
    open_loop(connections, plan.rate, seconds, traffic);
  } else {
    closed_loop(connections, static_cast<std::size_t>(plan.active), seconds, traffic);
  }
}

void wait_for_start() {
  std::puts("READY");
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) throw std::runtime_error("nobody gave the start");
}

/// \returns whether it is allowed.
bool go_before_others() {
  const sched_param priority{.sched_priority = 1};
  return sched_setscheduler(0, SCHED_RR, &priority) == 0;
}

void report(const Plan& plan, bool realtime, const Traffic& traffic, double cpu) {
  JsonLine line;
  line.add("connections", plan.connections)
      .add("active", plan.active)
      .add("transactions", traffic.latencies.count())
      .add("seconds", traffic.seconds)
      .add("per_second", static_cast<double>(traffic.latencies.count()) / traffic.seconds)
      .add("p50_us", traffic.latencies.quantile(0.5) * 1e-3)
      .add("p99_us", traffic.latencies.quantile(0.99) * 1e-3)
      .add("p999_us", traffic.latencies.quantile(0.999) * 1e-3)
      .add("max_us", traffic.latencies.quantile(1) * 1e-3)
      .add("client_cpu_seconds", cpu);
  if (plan.rate > 0) {
    line.add("realtime", realtime ? 1 : 0)
        .add("late_p99_us", traffic.lateness.quantile(0.99) * 1e-3);
  }
  line.print();
}

int run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const Plan plan(arguments);
  prctl(PR_SET_TIMERSLACK, 1);
  Connections connections(static_cast<std::uint16_t>(plan.port),
                          static_cast<std::size_t>(plan.connections));
  const bool realtime = plan.realtime && go_before_others();
  Traffic warm_up;
  if (plan.warm_up > 0) exchange(connections, plan, plan.warm_up, warm_up);
  const CpuSeconds before = cpu_seconds();
  Traffic traffic;
  for (long round = 0; round < plan.rounds; ++round) {
    if (plan.ready) wait_for_start();
    exchange(connections, plan, plan.seconds, traffic);
  }
  const CpuSeconds after = cpu_seconds();
  report(plan, realtime, traffic, after.user + after.system - before.user - before.system);
  return 0;
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  try {
    return kumiko::bench::io::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
