// turns_mpi: a search over processes as one writes it by MPI alone. All ranks go through the
// beginnings of the same serial program, down to a depth; who is free takes the next of them from a
// shared counter. The peer of examples/cluster_search.cpp, with the same boards and output.
//
//   mpirun.openmpi -n 2 --bind-to none turns_openmpi queens 15 3
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <mpi.h>

#include "problems/nqueens_search.hpp"
#include "problems/pentomino_search.hpp"

namespace {

/// A number that all ranks count on, in the memory of rank 0.
class Counter {
 public:
  Counter() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Aint bytes = rank == 0 ? sizeof(long) : 0;
    MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    if (rank == 0) *memory_ = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  long next() {
    const long one = 1;
    long before = 0;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return before;
  }

 private:
  long* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// In place of a Search: does the beginnings that it gets from the counter, and passes by others.
template <class Workspace>
class ByTurns {
 public:
  ByTurns(Workspace workspace, int depth)
      : workspace_(std::move(workspace)), split_at_(depth), mine_(counter_.next()) {}

  Workspace* operator->() { return &workspace_; }

  template <kumiko::runtime::Polls, class Index, class Body, class... Rest>
  void split_for(Index first, Index last, const Body body, const Rest&...) {
    const bool is_beginning = depth_ == split_at_;
    if (is_beginning && seen_++ != mine_) return;
    ++depth_;
    for (Index i = first; i < last; ++i) body(*this, i);
    --depth_;
    if (is_beginning) mine_ = counter_.next();
  }
  template <class Do, class Body, class Undo>
  void reversible(const Do apply, Body&& body, const Undo undo) {
    apply(workspace_);
    body();
    undo(workspace_);
  }

 private:
  Counter counter_;
  Workspace workspace_;
  const int split_at_;
  int depth_ = 0;
  long seen_ = 0;
  long mine_;
};

/// The ways that this rank has found, and how many there are on all.
struct Found {
  long own;
  long expected;
};

Found search(const std::string& name, int size, int depth) {
  const auto place = static_cast<std::size_t>(size);
  if (name == "queens" && size >= 1 && size <= examples::kMostQueens) {
    ByTurns by_turns(examples::QueensBoard(size), depth);
    examples::place_from(by_turns, 0);
    return {by_turns->ways, examples::kWaysToPlace[place]};
  }
  if (name == "pentomino" && size >= 10 && size <= examples::kMostPieces) {
    ByTurns by_turns(examples::PiecesBoard(size), depth);
    examples::fill_from(by_turns, 0, 0);
    return {by_turns->ways, examples::kWaysToFill[place]};
  }
  throw std::invalid_argument("there is no problem '" + name + "' of this size");
}

void run(const std::string& name, int size, int depth) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const Found found = search(name, size, depth);
  long ways = 0;
  MPI_Reduce(&found.own, &ways, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - begin;
  if (rank != 0) return;
  if (ways != found.expected) throw std::logic_error(std::to_string(ways) + " ways are wrong");
  std::printf("n %d\nseconds %.6f\nways %ld\n", size, seconds, ways);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 4) throw std::invalid_argument("usage: turns_mpi queens|pentomino SIZE DEPTH");
    run(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}
