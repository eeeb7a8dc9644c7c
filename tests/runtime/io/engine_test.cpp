// Contract: a Runtime uses the engine that it is told, or that the environment says, or the best
// one; it says which. Several work beside each other, and each goes in good order, also after
// threads have waited for I/O to the end. Statistics count the polls.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <sys/stat.h>
#include <sys/wait.h>

#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/thread.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

bool has_io_uring() {
  try {
    const Runtime runtime({.workers = 1, .io_engine = IoEngine::kIoUring});
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

/// KUMIKO_IO_ENGINE has a value, or none, while it lives.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* const before = std::getenv(kName); before != nullptr) before_ = before;
    value != nullptr ? ::setenv(kName, value, 1) : ::unsetenv(kName);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { before_.empty() ? ::unsetenv(kName) : ::setenv(kName, before_.c_str(), 1); }

 private:
  static constexpr const char* kName = "KUMIKO_IO_ENGINE";
  std::string before_;
};

TEST(EngineChoiceTest, GivenTheEnvironmentWhenARuntimeIsToldNothingThenTheEnvironmentCounts) {
  {
    const Environment environment("epoll");
    EXPECT_EQ(Runtime({.workers = 1}).io_engine(), IoEngine::kEpoll);
  }
  const IoEngine best = has_io_uring() ? IoEngine::kMixed : IoEngine::kEpoll;
  for (const char* const value : {"auto", "", static_cast<const char*>(nullptr)}) {
    const Environment environment(value);
    EXPECT_EQ(Runtime({.workers = 1}).io_engine(), best);
  }
  if (!has_io_uring()) return;
  {
    const Environment environment("io_uring");
    EXPECT_EQ(Runtime({.workers = 1}).io_engine(), IoEngine::kIoUring);
  }
  const Environment environment("mixed");
  EXPECT_EQ(Runtime({.workers = 1}).io_engine(), IoEngine::kMixed);
}

TEST(EngineChoiceTest, GivenTheEnvironmentWhenARuntimeIsToldAnEngineThenThatCounts) {
  const Environment environment("io_uring");
  EXPECT_EQ(Runtime({.workers = 1, .io_engine = IoEngine::kEpoll}).io_engine(), IoEngine::kEpoll);
}

TEST(EngineChoiceTest, GivenAnUnknownEngineWhenARuntimeIsMadeThenItSaysWhatToGive) {
  for (const std::string value : {"iouring", "EPOLL", " epoll", "1"}) {
    const Environment environment(value.c_str());
    try {
      const Runtime runtime({.workers = 1});
      ADD_FAILURE() << value;
    } catch (const std::invalid_argument& refused) {
      EXPECT_EQ(refused.what(),
                "KUMIKO_IO_ENGINE is '" + value + "'; give auto, mixed, io_uring or epoll");
    }
  }
}

/// The lines of the files /proc/self/FOLDER/*/NAME (or /proc/self/FOLDER/* without a name).
std::vector<std::string> lines_of_process(const std::string& folder, const std::string& name) {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/" + folder)) {
    std::ifstream file(name.empty() ? entry.path() : entry.path() / name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return lines;
}

bool has_os_threads_for_files() {
  const std::vector<std::string> names = lines_of_process("task", "comm");
  return std::count(names.begin(), names.end(), "kumiko-file") != 0;
}

/// Whether an epoll instance of this process has the descriptor registered.
bool is_in_epoll(int descriptor) {
  const std::vector<std::string> lines = lines_of_process("fdinfo", "");
  return std::any_of(lines.begin(), lines.end(), [descriptor](const std::string& line) {
    int registered = -1;
    return std::sscanf(line.c_str(), "tfd: %d", &registered) == 1 && registered == descriptor;
  });
}

TEST(EngineChoiceTest, GivenTheDefaultWhenSocketsAndFilesAreUsedThenEachGoesByWhatIsQuickestForIt) {
  const Environment environment(nullptr);
  if (!has_io_uring()) GTEST_SKIP() << "the system refuses io_uring";
  const TemporaryFolder folder;
  const Stream stream = make_stream(StreamKind::kTcp);
  Runtime runtime({.workers = 2});
  runtime.run([&] {
    io::File file = io::File::open(folder / "file", O_RDWR | O_CREAT).value();
    EXPECT_EQ(file.write_at(0, bytes_of("kumiko")).bytes, 6U);
    EXPECT_TRUE(file.sync());
  });
  EXPECT_FALSE(has_os_threads_for_files());
  Waiters waiters(runtime);
  waiters.start([&] {
    char byte = 0;
    EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
  });
  EXPECT_TRUE(is_in_epoll(stream.reader.get()));
  ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
  waiters.join();
}

class EngineTest : public IoTest {};
KUMIKO_WITH_ENGINES(EngineTest);

TEST_P(EngineTest, GivenAnEngineWhenAskedThenTheRuntimeNamesIt) {
  EXPECT_EQ(runtime_->io_engine(), GetParam().engine);
}

TEST_P(EngineTest, GivenRuntimesOfBothEnginesWhenTheyTalkToEachOtherThenEachByteArrives) {
  constexpr int kMessages = 200;
  Runtime other({.workers = 2, .io_engine = IoEngine::kEpoll});
  const Stream stream = make_stream(StreamKind::kUnix);
  std::thread echo([&] {
    other.run([&] {
      char byte = 0;
      for (int i = 0; i < kMessages; ++i) {
        ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
        ASSERT_TRUE(io::write(stream.reader.get(), bytes_in(byte)));
      }
    });
  });
  run([&] {
    for (int i = 0; i < kMessages; ++i) {
      char byte = static_cast<char>(i % 128);
      ASSERT_TRUE(io::write(stream.writer.get(), bytes_in(byte)));
      ASSERT_TRUE(io::read(stream.writer.get(), bytes_in(byte)));
      ASSERT_EQ(byte, static_cast<char>(i % 128));
    }
  });
  echo.join();
}

TEST_P(EngineTest, GivenSleepingWorkersWhenAFileAndASocketComeThenBothWakeThem) {
  constexpr int kRounds = 20;
  const TemporaryFolder folder;
  const std::string path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Stream stream = make_stream(StreamKind::kTcp);
  for (int round = 0; round < kRounds; ++round) {
    Waiters waiters(*runtime_);
    waiters.start([&] {
      char byte = 0;
      ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
    });
    // A file's operation that takes as long as one wants: it waits for the other side.
    waiters.start([&] {
      const io::FileDescriptor fifo(io::open(path.c_str(), O_RDONLY).value());
      char byte = 0;
      ASSERT_EQ(io::read(fifo.get(), bytes_in(byte)).value(), 1U);
    });
    std::this_thread::sleep_for(1ms);  // for the workers to fall asleep, most of the time
    const auto tell_file = [&] {
      const io::FileDescriptor fifo(checked(::open(path.c_str(), O_WRONLY | O_CLOEXEC), "open"));
      ASSERT_EQ(::write(fifo.get(), "f", 1), 1);
    };
    if (round % 2 == 0) tell_file();
    ASSERT_EQ(::write(stream.writer.get(), "s", 1), 1);
    if (round % 2 != 0) tell_file();
    waiters.join();
  }
}

TEST_P(EngineTest, GivenFilesAndSocketsThatAreBusyWhenBothGoOnThenNeitherKeepsTheOtherWaiting) {
  constexpr int kThreads = 100;  // more than one poll takes
  constexpr int kMessages = 20;
  const TemporaryFolder folder;
  io::File file = io::File::open(folder / "file", O_RDWR | O_CREAT).value();
  std::vector<Stream> streams;
  for (int i = 0; i < kThreads; ++i) streams.push_back(make_stream(StreamKind::kUnix));
  std::atomic<int> wrong{0};
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      const Stream& stream = streams[static_cast<std::size_t>(i)];
      group.run([&] {
        char byte = 0;
        for (int k = 0; k < kMessages; ++k) {
          wrong += io::read(stream.reader.get(), bytes_in(byte)).value_or(0U) != 1 || byte != k;
          wrong += io::write(stream.reader.get(), bytes_in(byte)).value_or(0U) != 1;
        }
      });
      group.run([&, i] {
        for (int k = 0; k < kMessages; ++k) {
          char byte = static_cast<char>(k);
          wrong += file.write_at(i, bytes_in(byte)).bytes != 1;
          wrong += io::write(stream.writer.get(), bytes_in(byte)).value_or(0U) != 1;
          wrong += io::read(stream.writer.get(), bytes_in(byte)).value_or(0U) != 1;
          char back = -1;
          wrong += file.read_at(i, bytes_in(back)).bytes != 1 || back != byte;
        }
      });
    }
    group.wait();
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(EngineTest, GivenDetachedThreadsThatWaitWithDeadlinesWhenTheRuntimeEndsThenItWaitsForThem) {
  for (int round = 0; round < 5; ++round) {
    const Stream stream = make_stream(StreamKind::kPipe);
    std::atomic<int> timed_out{0};
    {
      Runtime runtime(options());
      runtime.run([&] {
        for (int i = 0; i < 10; ++i) {
          Thread([&, i] {
            char byte = 0;
            const auto read = io::read(stream.reader.get(), bytes_in(byte),
                                       io::within(std::chrono::milliseconds(i)));
            timed_out += read.error() == std::errc::timed_out ? 1 : 0;
          }).detach();
        }
      });
    }
    EXPECT_EQ(timed_out, 10);
  }
}

TEST_P(EngineTest, GivenADetachedThreadThatWaitsWhenTheRuntimeEndsThenWhatComesLaterFreesIt) {
  // Longer than the patience with threads that nothing can wake.
  const Stream stream = make_stream(StreamKind::kPipe);
  std::atomic<bool> read{false};
  std::thread writer;
  {
    Runtime runtime(options());
    runtime.run([&] {
      Thread([&] {
        char byte = 0;
        read = io::read(stream.reader.get(), bytes_in(byte)).value_or(0U) == 1;
      }).detach();
    });
    writer = std::thread([&] {
      std::this_thread::sleep_for(1200ms);
      ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    });
  }
  EXPECT_TRUE(read);
  writer.join();
}

TEST_P(EngineTest, GivenManyRunsWhenOneFollowsTheOtherThenEachWorks) {
  const Stream stream = make_stream(StreamKind::kUnix);
  for (int i = 0; i < 200; ++i) {
    char byte = 0;
    run([&] { ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte))); },
        [&] { ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x"))); });
    ASSERT_EQ(byte, 'x');
  }
}

TEST_P(EngineTest, GivenManyRuntimesWhenMadeAndEndedThenNoDescriptorStaysBehind) {
  const auto lowest_free = [] {
    const int descriptor = ::dup(0);
    ::close(descriptor);
    return descriptor;
  };
  const int before = lowest_free();
  for (int i = 0; i < 10; ++i) {
    Runtime runtime(options());
    runtime.run([] {
      io::Pipe pipe = io::Pipe::create().value();
      char byte = 0;
      EXPECT_EQ(pipe.read(bytes_in(byte), io::within(100us)).error(), std::errc::timed_out);
    });
  }
  EXPECT_EQ(lowest_free(), before);
}

TEST_P(EngineTest, GivenAChildByForkWhenItMakesARuntimeThenItsIoWorksAndTheParentGoesOn) {
  if (!kForkedChildMayAllocate) GTEST_SKIP() << "the child allocates";
  const Stream stream = make_stream(StreamKind::kPipe);
  Waiters waiters(*runtime_);
  char received = 0;
  waiters.start([&] { ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(received))); });
  const pid_t child = fork();
  if (child == 0) {
    bool works = false;
    {
      Runtime own(options());
      own.run([&] {
        io::Pipe pipe = io::Pipe::create().value();
        TaskGroup group;
        group.run([&] {
          char byte = 0;
          works = pipe.read(bytes_in(byte)).value_or(0U) == 1;
        });
        static_cast<void>(pipe.write_all(bytes_of("y")));
        group.wait();
        static_cast<void>(io::write(stream.writer.get(), bytes_of("c")));
      });
    }
    _exit(works ? 4 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  waiters.join();
  EXPECT_EQ(received, 'c');
}

TEST_P(EngineTest, GivenThreadsThatWaitForIoWhenItComesThenStatisticsHaveCountedThePolls) {
  const auto before = runtime_->statistics().total();
  EXPECT_EQ(before.polls, 0U);
  const Stream stream = make_stream(StreamKind::kPipe);
  // Once in a while it is not a worker that finds it, but the OS thread that stands in.
  const auto end = std::chrono::steady_clock::now() + kForEver;
  WorkerStatistics after;
  while (after.polls == after.empty_polls && std::chrono::steady_clock::now() < end) {
    Waiters waiters(*runtime_);
    waiters.start([&] {
      char byte = 0;
      ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
    });
    ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    waiters.join();
    after = runtime_->statistics().total();
  }
  EXPECT_GT(after.polls, after.empty_polls);
}

TEST_P(EngineTest, GivenAThreadThatWaitsForIoOnlyWhenNothingElseRunsThenTheWorkersSleep) {
  const Stream stream = make_stream(StreamKind::kPipe);
  Waiters waiters(*runtime_);
  waiters.start([&] {
    char byte = 0;
    ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
  });
  // Asleep, they poll no more.
  std::uint64_t polls = 0;
  const auto limit = std::chrono::steady_clock::now() + kForEver;
  do {
    polls = runtime_->statistics().total().polls;
    std::this_thread::sleep_for(20ms);
  } while (runtime_->statistics().total().polls != polls &&
           std::chrono::steady_clock::now() < limit);
  EXPECT_EQ(runtime_->statistics().total().polls, polls);
  ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
  waiters.join();
}

}  // namespace
}  // namespace kumiko::runtime::test
