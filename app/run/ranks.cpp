#include "run/ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/share_writer.hpp>
#include <kumiko/io/summary.hpp>
#include <kumiko/runtime/io/limits.hpp>

#include "run/origin.hpp"
#include "run/progress.hpp"
#include "run/signals.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// True if this process has tried to meet the other ranks, which is possible once.
bool have_met = false;

/// A hash of the results of exp(), sin(), pow() and the like in this process. A C library has
/// several versions of them, chooses by the processor or by GLIBC_TUNABLES, and they differ in the
/// last bit. Takes less than a millisecond.
std::uint64_t fingerprint_of_c_library() {
  using Function = double (*)(double);
  constexpr std::array<Function, 8> kFunctions = {
      [](double x) { return std::exp(-x); },      [](double x) { return std::log(x); },
      [](double x) { return std::sin(x); },       [](double x) { return std::cos(x); },
      [](double x) { return std::tan(x); },       [](double x) { return std::tanh(x); },
      [](double x) { return std::pow(x, 1.37); }, [](double x) { return std::atan2(x, 1.7); },
  };
  constexpr int kArguments = 500;  // of which some hundred differ
  constexpr double kFirst = 0.1;
  constexpr double kStep = 0.0123;
  std::vector<double> results;
  for (int at = 0; at < kArguments; ++at) {
    for (const Function function : kFunctions) results.push_back(function(kFirst + kStep * at));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(results.data()),
                               results.size() * sizeof(double));
  return std::hash<std::string_view>()(bytes);
}

}  // namespace

Ranks::Ranks() {
  have_met = true;
  link_ = cluster::link_of_environment();
  if (link_ == nullptr) return;
  rank_ = link_->rank();
  size_ = link_->size();
  if (!leads()) set_silent(true);
}

Ranks::~Ranks() { leave(); }

void Ranks::join(const std::function<Prepared()>& prepare) {
  Prepared prepared;
  std::exception_ptr failed;
  std::string why;
  try {
    prepared = prepare();
  } catch (const std::exception& error) {
    failed = std::current_exception();
    why = error.what();
  }
  if (link_ != nullptr) {
    if (prepared.runtime == nullptr) {
      spare_ = std::make_unique<runtime::Runtime>(runtime::Options{.workers = 1});
      prepared.runtime = spare_.get();
    }
    cluster_ = std::make_unique<cluster::Cluster>(*prepared.runtime, std::move(link_));
    twin_ = std::make_unique<cluster::Twin<Ranks>>(cluster_->here(), *this);
    const auto all = cluster::all_gather(cluster_->here(), std::pair(why, prepared.agreed)).get();
    for (int rank = 0; failed == nullptr && rank < size_; ++rank) {
      const auto& [others, agreed] = all[static_cast<std::size_t>(rank)];
      refuse_if(!others.empty(), "rank {}: {}", rank, others);
      const auto& first = all.front().second;
      const auto differs = std::ranges::mismatch(agreed, first).in1;
      refuse_if(differs != agreed.end(),
                "rank {} has a different {} than rank 0; start all ranks with the same files and "
                "the same options",
                rank, differs->first);
    }
    if (failed == nullptr) communicator_ = std::make_unique<amr::ClusterCommunicator>(*cluster_);
  }
  if (failed != nullptr) std::rethrow_exception(failed);
}

amr::Communicator& Ranks::communicator() {
  if (communicator_ == nullptr) return amr::single_rank();
  return *communicator_;
}

Ranks::Places Ranks::places() const {
  if (cluster_ == nullptr) return {};
  const cluster::Placement own = cluster::placement(*cluster_);
  Places places{.lines = {}, .warnings = {}, .hosts = own.hosts, .cores = own.cores};
  const auto all = cluster::all_gather(cluster_->here(), std::tuple(own.line, own.warning,
                                                                    fingerprint_of_c_library()))
                       .get();
  std::string of_cores;
  std::string of_arithmetic;
  for (int rank = 0; rank < size_; ++rank) {
    const auto& [line, warning, fingerprint] = all[static_cast<std::size_t>(rank)];
    places.lines += line + "\n";
    if (of_cores.empty()) of_cores = warning;
    if (of_arithmetic.empty() && fingerprint != std::get<2>(all.front())) {
      of_arithmetic = fmt::format(
          "exp, sin or pow of the C library of rank {} differ in the last bits from those of rank "
          "0, so results of the case or the solver may depend on the rank; run all ranks on the "
          "same kind of processor, or with the same GLIBC_TUNABLES",
          rank);
    }
  }
  for (const std::string& warning : {of_cores, of_arithmetic}) {
    if (!warning.empty()) places.warnings.push_back(warning);
  }
  return places;
}

void Ranks::watch(const amr::Simulation* simulation) {
  const std::lock_guard lock(mutex_);
  watched_ = simulation;
}

Ranks::Process Ranks::own_process() {
  std::vector<amr::WorkerActivity> workers;
  {
    const std::lock_guard lock(mutex_);
    if (watched_ != nullptr) workers = watched_->activity();
  }
  return {origin_now().host, cluster_->statistics(), io::peak_rss_bytes(), io::preemptions(),
          std::move(workers)};
}

std::vector<Ranks::Process> Ranks::processes() {
  if (twin_ == nullptr) return {};
  return twin_->on_all([](Ranks& there) { return there.own_process(); });
}

std::vector<std::optional<Ranks::Process>> Ranks::processes_within(
    std::chrono::milliseconds patience) {
  std::vector<std::optional<Process>> all(static_cast<std::size_t>(size_));
  if (twin_ == nullptr) return all;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto twins = twin_->within(runtime::io::until(deadline));
  std::vector<cluster::Future<Process>> answers(all.size());
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    try {
      answers[static_cast<std::size_t>(rank)] =
          twins.async(rank, [](Ranks& there) { return there.own_process(); });
    } catch (const std::exception&) {
      // It is lost, or too many questions wait there for an answer.
    }
  }
  // Without a worker, which may have much to do.
  all[static_cast<std::size_t>(rank_)] = own_process();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    cluster::Future<Process>& answer = answers[rank];
    if (!answer.valid() || answer.wait_until(deadline) != std::future_status::ready) continue;
    try {
      all[rank] = answer.get();
    } catch (const std::exception&) {
      // It was lost meanwhile.
    }
  }
  return all;
}

void Ranks::follow(amr::Simulation& simulation) {
  begin_stepping();
  io::ShareWriter writer(communicator());
  const auto take = [&](amr::SavedRecords&& records) { writer.take(std::move(records)); };
  const Watched watched(*this, simulation);
  const StatusSignal status([here = cluster_->here()](bool) {
    try {
      here.post(0, [] { hand_on_status_signal(); });
    } catch (const std::exception&) {
      // The leader is lost, and no other rank takes the report.
    }
  });
  while (simulation.follow(take)) {
    const AskedBySignals asked = take_signals();
    if (!asked.any()) continue;
    const auto hand_on = [](AskedBySignals others) { hand_on_signals(others); };
    cluster_->here().post(0, hand_on, asked);
  }
}

Failure Ranks::last_words(Failure failure, const cluster::RankLost* lost) {
  if (leads()) {
    const std::lock_guard lock(mutex_);
    if (lost != nullptr && !last_words_.empty()) failure.line = last_words_;
    return failure;
  }
  if (cluster_ == nullptr) return {"", failure.code};
  const cluster::Here here = cluster_->here();
  if (lost != nullptr) {
    // The first remaining rank reports it.
    bool is_first = true;
    for (int rank = 0; rank < rank_; ++rank) {
      is_first = is_first && here.is_lost(rank) && !here.is_leaving(rank);
    }
    return {is_first ? failure.line : "", failure.code};
  }
  try {
    const auto report = [](Ranks& there, std::string_view words) { there.take_last_words(words); };
    twin_->post(0, report, fmt::format("rank {}: {}", rank_, failure.line));
  } catch (const std::exception&) {
    // The leader is lost, or learns only that this rank has left.
  }
  return {"", failure.code};
}

void Ranks::take_last_words(std::string_view words) {
  const std::lock_guard lock(mutex_);
  if (last_words_.empty()) last_words_ = words;
}

void Ranks::leave() {
  communicator_.reset();
  if (cluster_ != nullptr) cluster_->leave();
}

void Ranks::refuse_with_others(const std::string& why) noexcept {
  if (have_met) return;
  try {
    if (cluster::ranks_of_environment() <= 1) return;
    Ranks ranks;
    if (ranks.are_many()) ranks.join([&]() -> Prepared { throw RequestError(why); });
  } catch (const std::exception&) {
    // The others know this error already, or cannot be reached.
  }
}

}  // namespace kumiko::app
