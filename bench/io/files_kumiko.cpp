// Writers of a file as lightweight threads.
#include <cstdio>
#include <exception>
#include <system_error>

#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "file_blocks.hpp"
#include "kumiko_io.hpp"

namespace kumiko::bench::io {
namespace {

void write_rounds(const FilePlan& plan, const BlockFile& file, std::size_t writer) {
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    const auto transfer =
        runtime::io::pwrite_all(file.descriptor(), file.block(writer), plan.offset(writer, round));
    if (!transfer) throw std::system_error(transfer.error, "pwrite");
  }
}

void write_all(const FilePlan& plan, const BlockFile& file) {
  runtime::TaskGroup writers;
  for (std::size_t writer = 0; writer < plan.writers; ++writer) {
    writers.run([&plan, &file, writer] { write_rounds(plan, file, writer); });
  }
  writers.wait();
}

void run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const FilePlan plan(arguments);
  const runtime::Options options = runtime_options(arguments);
  arguments.reject_unknown();
  const BlockFile file(plan);
  runtime::Runtime runtime(options);
  measure_writes(
      plan, file, [&] { runtime.run([&] { write_all(plan, file); }); },
      [&] { runtime.run([&] { runtime::io::fdatasync(file.descriptor()).value(); }); });
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  try {
    kumiko::bench::io::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
