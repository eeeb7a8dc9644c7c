#include <algorithm>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(int workers, runtime::IdlePolicy idle)
      : Backend("threads", std::make_unique<runtime::Runtime>(
                               runtime::Options{.workers = workers, .idle = idle})) {}

 private:
  /// Lists are several for a worker, so that those who are done can take some of the others'.
  void deal_out(const Level& level, bool in_lists, const ListTask& task) override {
    if (!in_lists) {
      return runtime::for_each_index(level.size(), [&task](std::size_t slot) {
        task(slot, slot + 1, runtime::this_thread::worker_index());
      });
    }
    constexpr int kListsPerWorker = 4;
    const int lists = static_cast<int>(
        std::min(level.size(), static_cast<std::size_t>(kListsPerWorker * workers())));
    runtime::for_each_index(static_cast<std::size_t>(lists), [&](std::size_t at) {
      const int list = static_cast<int>(at);
      task(chunk_begin(list, level.size(), lists), chunk_begin(list + 1, level.size(), lists),
           runtime::this_thread::worker_index());
    });
  }
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int workers, runtime::IdlePolicy idle) {
  return std::make_unique<ThreadsBackend>(workers, idle);
}

}  // namespace kumiko::amr
