// Contract: frames reach the process that their route names, and answers come back. A process that
// does not know the secret, runs another build or speaks another protocol is refused and told why.
// A neighbour that sends rubbish, is silent, slow or dead costs its own link and nothing else. A
// tree ends whenever it is told to.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/frame.hpp"
#include "tree/handshake.hpp"

namespace kumiko::search::trees {
namespace {

using namespace std::chrono_literals;
namespace io = runtime::io;
using detail::tree::Bytes;
using detail::tree::FrameLimits;
using detail::tree::FrameView;
using detail::tree::Handshake;
using detail::tree::Kind;
using detail::tree::make_frame;
using detail::tree::Role;
using detail::tree::Seal;

/// How long a test waits for what must come, on however busy a machine.
constexpr auto kPatience = 60s;

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
Frame frame_of(std::string_view text) {
  const Bytes bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}
std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Frames and handshakes, without sockets.

constexpr FrameLimits kLimits{1000, 8};

TEST(TreeFrame, GivenARouteWhenAFrameIsPassedOnThenDestinationAndSourceChangeLinkByLink) {
  // Whose way back is 5 sends over its link 1 to the link 2 and then 3 of those behind.
  Frame frame = make_frame(Kind::kData, {5}, std::array<std::uint16_t, 2>{2, 3}, bytes_of("words"));
  const std::size_t size = frame.size();

  auto first = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->has_arrived());
  EXPECT_EQ(first->pass_on(0), 2);
  auto second = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->pass_on(7), 3);
  const auto last = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->has_arrived());
  EXPECT_EQ(last->source(9), (Route{9, 7, 0, 5}));
  EXPECT_EQ(last->kind(), Kind::kData);
  EXPECT_EQ(text_of(last->payload()), "words");
  EXPECT_EQ(frame.size(), size);
}

TEST(TreeFrame, GivenANumberOutOfItsRangeWhenAFrameIsParsedThenItIsRefused) {
  const Frame good = make_frame(Kind::kData, {1}, std::array<std::uint16_t, 1>{2}, bytes_of("abc"));
  const auto is_refused = [&](std::size_t at, unsigned value) {
    Frame bad = good;
    bad[at] = static_cast<std::byte>(value);
    return !FrameView::parse(bad, kLimits);
  };
  EXPECT_FALSE(is_refused(4, 1));
  EXPECT_TRUE(is_refused(0, 1)) << "another length than there are bytes";
  EXPECT_TRUE(is_refused(4, 0)) << "an unknown kind";
  EXPECT_TRUE(is_refused(4, 4)) << "an unknown kind";
  EXPECT_TRUE(is_refused(5, 1)) << "an unknown kind";
  EXPECT_TRUE(is_refused(6, 3)) << "more links passed than there are";
  EXPECT_TRUE(is_refused(8, 0)) << "fewer links than are passed";
  EXPECT_TRUE(is_refused(8, 4)) << "more links than there is room for";
  EXPECT_TRUE(is_refused(9, 1)) << "more links than are allowed";
  for (std::size_t size = 0; size < good.size(); ++size) {
    Frame cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(FrameView::parse(cut, kLimits)) << size;
  }
}

TEST(TreeFrame, GivenALengthWhenItIsOutOfTheLimitsThenNoSizeIsGiven) {
  const auto size_for = [](std::uint32_t length) {
    std::array<std::byte, 4> bytes;
    detail::tree::put_number(bytes, length);
    return detail::tree::sealed_size(bytes, kLimits);
  };
  const auto most = static_cast<std::uint32_t>(kLimits.most_bytes());
  EXPECT_EQ(size_for(most - 4), most);
  EXPECT_FALSE(size_for(most - 3));
  EXPECT_FALSE(size_for(0xffffffffU));
  EXPECT_EQ(size_for(38), 42U);
  EXPECT_FALSE(size_for(37));
  EXPECT_FALSE(size_for(0));
}

TEST(TreeFrame, GivenSealedFramesWhenOneIsChangedRepeatedOrLeftOutThenItDoesNotFit) {
  const auto sealed = [](Seal& seal, std::string_view text) {
    Frame frame = make_frame(Kind::kData, {}, {}, bytes_of(text));
    seal.close(frame);
    return frame;
  };
  detail::tree::Mac key{};
  key[3] = std::byte{9};
  Seal sender(key);
  const Frame first = sealed(sender, "first");
  const Frame second = sealed(sender, "second");

  Seal receiver(key);
  EXPECT_TRUE(receiver.fits(first));
  EXPECT_TRUE(receiver.fits(second));
  EXPECT_FALSE(receiver.fits(second)) << "repeated";
  EXPECT_FALSE(Seal(key).fits(second)) << "the first one left out";
  EXPECT_FALSE(Seal(detail::tree::Mac{}).fits(first)) << "another key";
  for (std::size_t i = 0; i < first.size(); ++i) {
    Frame changed = first;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(Seal(key).fits(changed)) << i;
  }
}

/// Both sides of a handshake.
struct Sides {
  explicit Sides(std::string one = "secret", std::string other = "secret", std::uint64_t build = 1,
                 std::uint64_t other_build = 1)
      : secrets{std::move(one), std::move(other)},
        joins(Role::kJoins, secrets[0], build),
        accepts(Role::kAccepts, secrets[1], other_build) {
    EXPECT_EQ(joins.take_hello(accepts.hello()), std::nullopt);
    EXPECT_EQ(accepts.take_hello(joins.hello()), std::nullopt);
  }

  std::array<std::string, 2> secrets;
  Handshake joins;
  Handshake accepts;
};

TEST(TreeHandshake, GivenOneSecretAndBuildWhenBothProveThemselvesThenTheyHaveOneKeyADirection) {
  const Sides sides;
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), std::nullopt);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), std::nullopt);
  EXPECT_EQ(sides.joins.keys().send, sides.accepts.keys().receive);
  EXPECT_EQ(sides.joins.keys().receive, sides.accepts.keys().send);
  EXPECT_NE(sides.joins.keys().send, sides.joins.keys().receive);
  EXPECT_NE(Sides().joins.keys().send, sides.joins.keys().send) << "nonces are fresh";
}

TEST(TreeHandshake, GivenAnotherSecretThenEachSideFindsOut) {
  const Sides sides("secret", "Secret");
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), Refusal::kWrongSecret);
  const auto refused = sides.accepts.verdict(Refusal::kWrongSecret);
  EXPECT_EQ(sides.joins.take_verdict(refused), Refusal::kWrongSecret);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), Refusal::kWrongSecret)
      << "whoever accepts without knowing the secret";
}

TEST(TreeHandshake, GivenAnotherBuildThenEachSideFindsOut) {
  const Sides sides("secret", "secret", 1, 2);
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), Refusal::kOtherBuild);
  const auto refused = sides.accepts.verdict(Refusal::kOtherBuild);
  EXPECT_EQ(sides.joins.take_verdict(refused), Refusal::kOtherBuild);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), Refusal::kOtherBuild);
}

TEST(TreeHandshake, GivenWordsThatWereChangedRepeatedOrReflectedThenTheyAreRefused) {
  Sides sides;
  EXPECT_EQ(sides.joins.take_hello(sides.joins.hello()), Refusal::kNotKumiko) << "reflected";
  const auto verdict = sides.accepts.verdict(std::nullopt);
  const auto proof = sides.joins.proof();
  EXPECT_EQ(Sides().accepts.take_proof(proof), Refusal::kWrongSecret) << "of another connection";
  EXPECT_EQ(Sides().joins.take_verdict(verdict), Refusal::kWrongSecret) << "of another connection";
  for (std::size_t i = 0; i < proof.size(); ++i) {
    auto changed = proof;
    changed[i] ^= std::byte{4};
    EXPECT_EQ(sides.accepts.take_proof(changed), Refusal::kWrongSecret) << i;
  }
  for (std::size_t i = 0; i < verdict.size(); ++i) {
    auto changed = verdict;
    changed[i] ^= std::byte{4};
    EXPECT_EQ(sides.joins.take_verdict(changed), Refusal::kWrongSecret) << i;
  }
}

// Trees.

/// Takes down what it is told.
class Recorder final : public TreeReceiver {
 public:
  struct Message {
    Route from;
    std::string text;

    friend bool operator==(const Message&, const Message&) = default;
  };
  struct Loss {
    std::uint16_t link;
    std::string reason;
  };

  void receive(const Route& from, Frame frame) override {
    if (react) react(from, frame);
    const std::lock_guard lock(mutex_);
    messages_.push_back({from, text_of(frame)});
    changed_.notify_all();
  }
  void joined(std::uint16_t link) override {
    const std::lock_guard lock(mutex_);
    joined_.push_back(link);
    changed_.notify_all();
  }
  void lost(std::uint16_t link, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    losses_.push_back({link, reason});
    changed_.notify_all();
  }

  /// The messages, once there are so many. What has been taken does not count again.
  std::vector<Message> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return messages_.size() >= count; }));
    return std::exchange(messages_, {});
  }
  void wait_for_joined(std::uint16_t link) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] {
      return std::find(joined_.begin(), joined_.end(), link) != joined_.end();
    }));
  }
  /// The reason for which this link is lost, which must be the first one to be.
  std::string wait_for_loss(std::uint16_t link) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return !losses_.empty(); }));
    if (losses_.empty()) return "";
    EXPECT_EQ(losses_.front().link, link);
    return losses_.front().reason;
  }
  std::size_t losses() {
    const std::lock_guard lock(mutex_);
    return losses_.size();
  }

  /// To be set before anything comes.
  std::function<void(const Route& from, const Frame& frame)> react;

 private:
  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  std::vector<Message> messages_;
  std::vector<std::uint16_t> joined_;
  std::vector<Loss> losses_;
};

TreeOptions test_options() {
  TreeOptions options;
  options.secret = "what the tests know";
  options.program = 42;
  return options;
}

/// A process of a tree, as far as a tree sees one.
struct Process {
  explicit Process(runtime::Runtime& runtime, TreeOptions options = test_options())
      : tree(runtime, told, std::move(options)) {}

  io::Address listen() { return tree.listen(io::Address::loopback()); }

  Recorder told;
  Tree tree;
};

/// A program that joins as a child does, byte by byte, and then does what it likes. It blocks the
/// OS thread of the test.
class RawChild {
 public:
  explicit RawChild(const io::Address& parent)
      : socket_(io::Socket::connect(parent, io::within(kPatience)).value()) {}

  void join(const TreeOptions& options = test_options()) {
    greet(options);
    prove();
  }
  void greet(const TreeOptions& options) {
    secret_ = options.secret;
    handshake_.emplace(Role::kJoins, secret_, options.program);
    limits_ = {options.largest_frame, options.longest_route};
    write(handshake_->hello());
    detail::tree::Hello hello;
    ASSERT_TRUE(read_exactly(hello));
    ASSERT_EQ(handshake_->take_hello(hello), std::nullopt);
  }
  void prove() {
    write(handshake_->proof());
    detail::tree::Verdict verdict;
    ASSERT_TRUE(read_exactly(verdict));
    ASSERT_EQ(handshake_->take_verdict(verdict), std::nullopt);
    outgoing_.emplace(handshake_->keys().send);
    incoming_.emplace(handshake_->keys().receive);
  }

  void write(Bytes bytes) { static_cast<void>(socket_.write_all(bytes, io::within(kPatience))); }

  Frame sealed(Frame frame) {
    outgoing_->close(frame);
    return frame;
  }
  Frame sealed_data(std::string_view text) {
    return sealed(make_frame(Kind::kData, {}, {}, bytes_of(text)));
  }

  /// The kind of the next frame that comes.
  std::optional<Kind> read_kind() {
    std::array<std::byte, 4> length;
    if (!read_exactly(length)) return std::nullopt;
    Frame frame(detail::tree::sealed_size(length, limits_).value());
    std::copy(length.begin(), length.end(), frame.begin());
    if (!read_exactly(std::span(frame).subspan(4)) || !incoming_->fits(frame)) return std::nullopt;
    return FrameView::parse(frame, limits_).value().kind();
  }

  bool read_exactly(std::span<std::byte> into) {
    return socket_.read_exactly(into, io::within(kPatience)).bytes == into.size();
  }

  /// Reads until the other side closes.
  bool is_closed() {
    std::array<std::byte, 1024> bytes;
    for (;;) {
      const auto count = socket_.read(bytes, io::within(kPatience));
      if (!count) return count.error() != std::errc::timed_out;
      if (*count == 0) return true;
    }
  }

 private:
  io::Socket socket_;
  std::string secret_;
  std::optional<Handshake> handshake_;
  std::optional<Seal> outgoing_;
  std::optional<Seal> incoming_;
  FrameLimits limits_{};
};

/// Listens, and does to the first connection what the test says.
class Server {
 public:
  explicit Server(std::function<void(io::Socket&)> serve)
      : listener_(io::Listener::listen(io::Address::loopback()).value()),
        thread_([this, serve = std::move(serve)] {
          io::Result<io::Socket> socket = listener_.accept(io::within(kPatience));
          if (socket) serve(*socket);
        }) {}
  ~Server() { thread_.join(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  io::Address address() const { return listener_.address().value(); }

 private:
  io::Listener listener_;
  std::thread thread_;
};

class TreeTest : public testing::Test {
 protected:
  using Message = Recorder::Message;

  /// Expects that joining fails for this cause, and that the text names the address.
  static void expect_refused(Process& process, const io::Address& address, Refusal cause,
                             const std::string& word) {
    try {
      process.tree.join(address);
      ADD_FAILURE() << "has joined";
    } catch (const JoinError& error) {
      EXPECT_EQ(error.cause(), cause) << error.what();
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(address.to_string()), std::string::npos);
    }
  }

  /// What is counted after others can see that it has happened.
  template <class Condition>
  static void expect_soon(Condition holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(holds());
  }
  static void expect_counted(const Process& process, Refusal cause) {
    expect_soon([&] { return process.tree.statistics().refused_for(cause) == 1; });
  }

  runtime::Runtime runtime{{.workers = 2}};
};

/// The root, two relays and a leaf, one below the other.
class ChainTest : public TreeTest {
 protected:
  ChainTest() {
    first.tree.join(root.listen());
    second.tree.join(first.listen());
    at_second = second.listen();
    leaf.tree.join(at_second);
    for (Process* const parent : {&root, &first, &second}) parent->told.wait_for_joined(1);
  }

  Process root{runtime};
  Process first{runtime};
  Process second{runtime};
  Process leaf{runtime};
  io::Address at_second;
};

TEST_F(ChainTest, GivenTwoRelaysWhenAFrameIsSentThenItsSourceIsTheWayBack) {
  root.tree.send({1, 1, 1}, frame_of("down"));
  EXPECT_EQ(leaf.told.take(1), (std::vector<Message>{{{0, 0, 0}, "down"}}));
  leaf.tree.send({0, 0, 0}, frame_of("up"));
  EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{1, 1, 1}, "up"}}));
  expect_soon([&] { return second.tree.statistics().frames_passed_on == 2; });
  EXPECT_EQ(root.tree.statistics().frames_sent, 1U);
  EXPECT_EQ(root.tree.statistics().frames_received, 1U);
  EXPECT_EQ(first.tree.neighbours(), (std::vector<std::uint16_t>{0, 1}));
}

TEST_F(ChainTest, GivenAFrameThatIsSentOnBehalfOfAnotherThenTheWayBackLeadsToThat) {
  // The leaf asks the first relay, which lets the root answer in its place.
  leaf.tree.send({0, 0}, frame_of("who knows?"));
  const std::vector<Message> asked = first.told.take(1);
  ASSERT_EQ(asked, (std::vector<Message>{{{1, 1}, "who knows?"}}));
  first.tree.send({0}, frame_of(asked[0].text), asked[0].from);
  const std::vector<Message> passed = root.told.take(1);
  ASSERT_EQ(passed, (std::vector<Message>{{{1, 1, 1}, "who knows?"}}));
  root.tree.send(passed[0].from, frame_of("I"));
  EXPECT_EQ(leaf.told.take(1), (std::vector<Message>{{{0, 0, 0}, "I"}}));
}

TEST_F(ChainTest, GivenTwoChildrenThenTheyReachEachOtherByTheirParent) {
  Process other{runtime};
  other.tree.join(at_second);
  other.tree.send({0, 1}, frame_of("brother"));
  EXPECT_EQ(leaf.told.take(1), (std::vector<Message>{{{0, 2}, "brother"}}));
  leaf.tree.send({0, 2}, frame_of("sister"));
  EXPECT_EQ(other.told.take(1), (std::vector<Message>{{{0, 1}, "sister"}}));
}

TEST_F(ChainTest, GivenManyFramesOfAllSizesWhenTheyPassRelaysThenTheyArriveWholeAndInOrder) {
  constexpr std::size_t kFrames = 300;
  const auto text = [](std::size_t i) {
    return std::string(i * i, static_cast<char>('a' + i % 26));
  };
  for (std::size_t i = 0; i < kFrames; ++i) root.tree.send({1, 1, 1}, frame_of(text(i)));
  const std::vector<Message> messages = leaf.told.take(kFrames);
  ASSERT_EQ(messages.size(), kFrames);
  for (std::size_t i = 0; i < kFrames; ++i) EXPECT_EQ(messages[i].text, text(i)) << i;
}

TEST_F(ChainTest, GivenRoutesThatLeadNowhereThenTheirFramesAreDroppedAndNothingElse) {
  root.tree.send({2}, frame_of("no such child"));
  root.tree.send({1, 1, 5}, frame_of("no such child there"));
  root.tree.send({0}, frame_of("no parent"));
  root.tree.send(Route(33, 1), frame_of("too long"));
  root.tree.send({1}, frame_of("too long with its way back"), Route(32, 1));
  EXPECT_EQ(root.tree.statistics().frames_dropped, 4U);
  root.tree.send({1, 1, 1}, frame_of("after"));
  EXPECT_EQ(leaf.told.take(1), (std::vector<Message>{{{0, 0, 0}, "after"}}));
  EXPECT_EQ(second.tree.statistics().frames_dropped, 1U);
}

TEST_F(ChainTest, GivenARelayThatLeavesWhenItHasSentThenBothSidesGetThatAndLoseTheRightLink) {
  for (int i = 0; i < 100; ++i) first.tree.send({0}, frame_of("up"));
  for (int i = 0; i < 100; ++i) first.tree.send({1}, frame_of("down"));
  first.tree.leave();
  EXPECT_EQ(root.told.wait_for_loss(1), "it has left");
  EXPECT_EQ(second.told.wait_for_loss(0), "it has left");
  EXPECT_EQ(root.told.take(100).size(), 100U);
  EXPECT_EQ(second.told.take(100).size(), 100U);
  EXPECT_TRUE(root.tree.neighbours().empty());
  second.tree.send({1}, frame_of("we go on"));
  EXPECT_EQ(leaf.told.take(1), (std::vector<Message>{{{0}, "we go on"}}));
  EXPECT_EQ(first.told.losses(), 0U);
}

TEST_F(TreeTest, GivenAChildThatSendsAndLeavesRightAwayThenWhatItSentArrivesFirst) {
  Process root(runtime);
  const io::Address address = root.listen();
  for (std::uint16_t link = 1; link <= 20; ++link) {
    Process child(runtime);
    child.tree.join(address);
    child.tree.send({0}, frame_of("hello and goodbye"));
    child.tree.leave();
    EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{link}, "hello and goodbye"}}));
  }
  EXPECT_EQ(root.told.wait_for_loss(1), "it has left");
}

TEST_F(TreeTest, GivenAParentThatLeavesRightAwayThenItsChildIsTold) {
  for (int round = 0; round < 20; ++round) {
    Process root(runtime);
    Process child(runtime);
    child.tree.join(root.listen());
    root.tree.leave();
    EXPECT_EQ(child.told.wait_for_loss(0), "it has left");
  }
}

TEST_F(TreeTest, GivenAChildThatHasLeftWhenAnotherOneJoinsThenItGetsANewNumber) {
  Process root(runtime);
  const io::Address address = root.listen();
  {
    Process child(runtime);
    child.tree.join(address);
  }
  root.told.wait_for_loss(1);
  Process child(runtime);
  child.tree.join(address);
  root.told.wait_for_joined(2);
  EXPECT_EQ(root.tree.neighbours(), (std::vector<std::uint16_t>{2}));
}

TEST_F(TreeTest, GivenNobodyWhoListensThenTheErrorSaysSo) {
  // Bound, so that no other process on this machine gets the port and listens.
  const io::FileDescriptor bound(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  io::Address address = io::Address::loopback();
  ASSERT_EQ(::bind(bound.get(), address.get(), address.size()), 0);
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ASSERT_EQ(::getsockname(bound.get(), reinterpret_cast<sockaddr*>(&storage), &size), 0);
  address = io::Address(reinterpret_cast<const sockaddr*>(&storage), size);
  Process child(runtime);
  expect_refused(child, address, Refusal::kCannotConnect, "start it first");
}

TEST_F(TreeTest, GivenAnotherSecretThenTheErrorSaysSoAndWhoKnowsItMayJoinAfterwards) {
  Process root(runtime);
  const io::Address address = root.listen();
  TreeOptions options = test_options();
  options.secret += "?";
  Process stranger(runtime, options);
  expect_refused(stranger, address, Refusal::kWrongSecret, "secret");
  expect_counted(root, Refusal::kWrongSecret);
  EXPECT_TRUE(root.tree.neighbours().empty());
  Process child(runtime);
  child.tree.join(address);
  child.tree.send({0}, frame_of("here"));
  EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{1}, "here"}}));
}

TEST_F(TreeTest, GivenAnotherBuildThenTheErrorSaysSo) {
  Process root(runtime);
  TreeOptions options = test_options();
  options.program = 43;
  Process stranger(runtime, options);
  expect_refused(stranger, root.listen(), Refusal::kOtherBuild, "build");
  expect_counted(root, Refusal::kOtherBuild);
}

TEST_F(TreeTest, GivenAsManyChildrenAsMayBeThenTheErrorSaysSoAndALeavingOneMakesRoom) {
  TreeOptions options = test_options();
  options.most_children = 1;
  Process root(runtime, options);
  const io::Address address = root.listen();
  Process second(runtime);
  {
    Process first(runtime);
    first.tree.join(address);
    expect_refused(second, address, Refusal::kFull, "most_children");
  }
  root.told.wait_for_loss(1);
  second.tree.join(address);
  expect_counted(root, Refusal::kFull);
}

/// A hello of another version of the protocol.
detail::tree::Hello hello_of_tomorrow(Role role) {
  const std::string secret = "none";
  detail::tree::Hello hello = Handshake(role, secret, 0).hello();
  hello[detail::tree::kVersionAt] ^= std::byte{2};
  return hello;
}

TEST_F(TreeTest, GivenAParentOfAnotherVersionThenTheErrorSaysSo) {
  Server server([](io::Socket& socket) {
    const auto hello = hello_of_tomorrow(Role::kAccepts);
    static_cast<void>(socket.write_all(hello));
    detail::tree::Hello others;
    static_cast<void>(socket.read_exactly(others, io::within(kPatience)));
  });
  Process child(runtime);
  expect_refused(child, server.address(), Refusal::kOtherVersion, "version");
}

TEST_F(TreeTest, GivenAChildOfAnotherVersionThenItIsToldOursAndRefused) {
  Process root(runtime);
  RawChild child(root.listen());
  child.write(hello_of_tomorrow(Role::kJoins));
  detail::tree::Hello hello;
  ASSERT_TRUE(child.read_exactly(hello));
  EXPECT_EQ(Handshake::check_greeting(hello), std::nullopt);
  EXPECT_TRUE(child.is_closed());
  expect_counted(root, Refusal::kOtherVersion);
}

TEST_F(TreeTest, GivenAServerThatEchoesThenItIsNotTakenForACoordinator) {
  Server server([](io::Socket& socket) {
    std::array<std::byte, 256> bytes;
    for (;;) {
      const auto count = socket.read(bytes, io::within(kPatience));
      if (!count || *count == 0) return;
      static_cast<void>(socket.write_all(std::span(bytes).first(*count)));
    }
  });
  Process child(runtime);
  expect_refused(child, server.address(), Refusal::kNotKumiko,
                 "not a Kumiko process that can be joined");
}

TEST_F(TreeTest, GivenAWebServerThenItIsNotTakenForACoordinator) {
  Server server([](io::Socket& socket) {
    std::array<std::byte, detail::tree::kHelloBytes> bytes;
    static_cast<void>(socket.read_exactly(bytes, io::within(kPatience)));
    static_cast<void>(socket.write_all(bytes_of("HTTP/1.1 400 Bad Request\r\n\r\n")));
  });
  Process child(runtime);
  expect_refused(child, server.address(), Refusal::kNotKumiko,
                 "not a Kumiko process that can be joined");
}

TEST_F(TreeTest, GivenAServerThatClosesThenTheErrorSaysSo) {
  Server server([](io::Socket& /*socket*/) {});
  Process child(runtime);
  expect_refused(child, server.address(), Refusal::kConnectionClosed, "closed the connection");
}

TEST_F(TreeTest, GivenAServerThatSaysNothingThenJoiningEndsInTimeAndByLeaving) {
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address address = listener.address().value();
  TreeOptions options = test_options();
  options.handshake_timeout = 50ms;
  Process child(runtime, options);
  expect_refused(child, address, Refusal::kTimeout, "within 50 ms");

  options.handshake_timeout = 1h;
  Process other(runtime, options);
  std::thread joining([&] { expect_refused(other, address, Refusal::kLeft, "has left"); });
  const auto first = listener.accept(io::within(kPatience));
  const auto second = listener.accept(io::within(kPatience));
  EXPECT_TRUE(first && second);
  other.tree.leave();
  joining.join();
}

TEST_F(TreeTest, GivenMisuseThenItIsRefusedWithAReason) {
  Recorder told;
  EXPECT_THROW(Tree(runtime, told, {}), std::invalid_argument);
  TreeOptions options = test_options();
  options.most_unsent_bytes = options.largest_frame;
  EXPECT_THROW(Tree(runtime, told, options), std::invalid_argument);
  options = test_options();
  options.largest_frame = 10;
  Process root(runtime, options);
  EXPECT_THROW(root.tree.send({}, frame_of("me")), std::invalid_argument);
  EXPECT_THROW(root.tree.send({1}, frame_of("eleven byte")), std::length_error);
  const io::Address address = root.listen();
  EXPECT_THROW(root.listen(), std::logic_error);
  EXPECT_THROW(Process(runtime).tree.listen(address), std::system_error);
  Process child(runtime, options);
  child.tree.join(address);
  EXPECT_THROW(child.tree.join(address), std::logic_error);
  root.tree.leave();
  EXPECT_EQ(child.told.wait_for_loss(0), "it has left");
  EXPECT_THROW(child.tree.join(address), std::logic_error);
  child.tree.leave();
  EXPECT_THROW(child.tree.listen(address), std::logic_error);
  child.tree.send({0}, frame_of("too late"));
  EXPECT_EQ(child.tree.statistics().frames_dropped, 1U);
}

/// A root with a child that behaves, and one that does not.
class MisbehaviourTest : public TreeTest {
 protected:
  explicit MisbehaviourTest(const TreeOptions& options = test_options()) : root(runtime, options) {
    const io::Address address = root.listen();
    good.tree.join(address);
    root.told.wait_for_joined(1);
    bad = std::make_unique<RawChild>(address);
    bad->join(options);
    root.told.wait_for_joined(2);
  }

  /// Expects that link 2 is closed for a reason, and that link 1 goes on.
  void expect_closed(const std::string& word) {
    const std::string reason = root.told.wait_for_loss(2);
    EXPECT_NE(reason.find(word), std::string::npos) << reason;
    EXPECT_TRUE(bad->is_closed());
    expect_good_goes_on();
    EXPECT_EQ(root.told.losses(), 1U);
  }
  void expect_good_goes_on() {
    good.tree.send({0}, frame_of("still here"));
    EXPECT_EQ(root.told.take(1).back().text, "still here");
    root.tree.send({1}, frame_of("so am I"));
    EXPECT_EQ(good.told.take(1).back().text, "so am I");
  }

  Process root;
  Process good{runtime};
  std::unique_ptr<RawChild> bad;
};

TEST_F(MisbehaviourTest, GivenAFrameThatIsSealedButMalformedThenOnlyItsLinkIsClosed) {
  Frame frame = make_frame(Kind::kData, {}, {}, bytes_of("x"));
  frame[8] = std::byte{200};  // links, for which there is no room
  bad->write(bad->sealed(std::move(frame)));
  expect_closed("malformed");
}

TEST_F(MisbehaviourTest, GivenAFrameWithAChangedByteThenOnlyItsLinkIsClosed) {
  Frame frame = bad->sealed_data("pay 1");
  frame[frame.size() - detail::tree::kMacBytes - 1] = std::byte{'9'};
  bad->write(frame);
  expect_closed("changed");
}

TEST_F(MisbehaviourTest, GivenAFrameThatIsRepeatedThenItIsTakenOnceAndItsLinkClosed) {
  const Frame frame = bad->sealed_data("pay 1");
  bad->write(frame);
  bad->write(frame);
  root.told.wait_for_loss(2);
  EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{2}, "pay 1"}}));
  expect_closed("repeated");
}

TEST_F(MisbehaviourTest, GivenALengthBeyondTheLimitThenOnlyItsLinkIsClosed) {
  bad->write(std::array{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}});
  expect_closed("largest_frame");
}

TEST_F(MisbehaviourTest, GivenAFrameThatBreaksOffThenItsLinkIsLost) {
  const Frame frame = bad->sealed_data("pay 1");
  bad->write(std::span(frame).first(frame.size() - 1));
  bad.reset();
  const std::string reason = root.told.wait_for_loss(2);
  EXPECT_NE(reason.find("connection has ended"), std::string::npos) << reason;
  expect_good_goes_on();
}

TEST_F(MisbehaviourTest, GivenAReceiverThatThrowsThenTheLinkIsClosedWithWhatItSaid) {
  Process other(runtime);
  other.told.react = [](const Route& /*from*/, const Frame& frame) {
    if (text_of(frame) == "nonsense") throw std::runtime_error("what is that?");
  };
  RawChild child(other.listen());
  child.join();
  child.write(child.sealed_data("sense"));
  child.write(child.sealed_data("nonsense"));
  EXPECT_EQ(other.told.wait_for_loss(1), "what is that?");
  EXPECT_EQ(other.told.take(1), (std::vector<Message>{{{1}, "sense"}}));
  EXPECT_TRUE(child.is_closed());
}

class SlowReaderTest : public MisbehaviourTest {
 protected:
  SlowReaderTest() : MisbehaviourTest(options()) {}
  static TreeOptions options() {
    TreeOptions options = test_options();
    options.largest_frame = std::size_t{1} << 20U;
    options.most_unsent_bytes = std::size_t{2} << 20U;
    return options;
  }
};

TEST_F(SlowReaderTest, GivenANeighbourThatTakesNothingThenItsLinkIsClosedAndOthersGoOn) {
  const Frame large = frame_of(std::string(1 << 20, 'x'));
  // The system takes some frames too.
  while (root.told.losses() == 0) {
    root.tree.send({2}, large);
    expect_good_goes_on();
  }
  expect_closed("too slowly");
}

TEST_F(TreeTest, GivenANeighbourThatIsSilentThenItHearsHeartbeatsAndIsLost) {
  TreeOptions options = test_options();
  options.heartbeat_every = 20ms;
  options.lost_after = 300ms;
  Process root(runtime, options);
  RawChild child(root.listen());
  child.join(options);
  EXPECT_EQ(child.read_kind(), Kind::kHeartbeat);
  EXPECT_EQ(child.read_kind(), Kind::kHeartbeat);
  EXPECT_EQ(root.told.wait_for_loss(1), "nothing has come from it for 0.3 s");
  EXPECT_TRUE(child.is_closed());
}

/// As many descriptors as the system lets us have.
std::size_t raise_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

TEST_F(TreeTest, GivenThousandsOfConnectionsThatProveNothingThenTheyAreBoundedAndLinksGoOn) {
  constexpr std::size_t kConnections = 2000;
  constexpr std::size_t kAtATime = 16;
  if (raise_descriptors() < kConnections + 200) GTEST_SKIP() << "too few descriptors (ulimit -n)";
  TreeOptions options = test_options();
  options.most_unproved = kAtATime;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(runtime, options);
  const io::Address address = root.listen();
  Process child(runtime);
  child.tree.join(address);

  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kConnections; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
    if (i % 2 == 0) {  // which may be closed already
      static_cast<void>(strangers.back().write_all(bytes_of("GET / HTTP/1.1\r\n\r\n")));
    }
    if (i % 100 != 0) continue;
    child.tree.send({0}, frame_of("still here"));
    EXPECT_EQ(root.told.take(1).back().text, "still here");
  }
  Process late(runtime, options);
  late.tree.join(address);
  const TreeStatistics statistics = root.tree.statistics();
  EXPECT_LE(statistics.most_unproved, kAtATime);
  EXPECT_GT(statistics.refused_for(Refusal::kNotKumiko), 0U);
  EXPECT_GT(statistics.refused_for(Refusal::kPushedOut), 0U);
  EXPECT_EQ(root.told.losses(), 0U);
}

TEST_F(TreeTest, GivenThousandsOfSilentConnectionsInTheQueueWhenOneJoinsThenItNeedNotWaitForThem) {
  constexpr std::size_t kConnections = 3500;
  if (raise_descriptors() < kConnections + 1000) GTEST_SKIP() << "too few descriptors (ulimit -n)";
  Process root(runtime);
  const io::Address address = root.listen();
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kConnections; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  Process late(runtime);
  late.tree.join(address);
  root.told.wait_for_joined(1);
}

TEST_F(TreeTest, GivenOneThatHasGreetedWhenSilentConnectionsNeedItsPlaceThenItKeepsIt) {
  runtime::Runtime narrow({.workers = 1});
  TreeOptions options = test_options();
  options.most_unproved = 4;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(narrow, options);
  const io::Address address = root.listen();
  RawChild slow(address);
  slow.greet(options);
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < 100; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 97; });
  slow.prove();
  root.told.wait_for_joined(1);
  EXPECT_LE(root.tree.statistics().most_unproved, 4U);
}

TEST_F(TreeTest, GivenConnectionsThatGreetAndWaitWhenSilentOnesComeThenNeitherTakesAllPlaces) {
  runtime::Runtime narrow({.workers = 1});
  TreeOptions options = test_options();
  options.most_unproved = 8;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(narrow, options);
  const io::Address address = root.listen();
  std::vector<std::unique_ptr<RawChild>> greeters;
  for (int i = 0; i < 20; ++i) {
    greeters.push_back(std::make_unique<RawChild>(address));
    greeters.back()->greet(options);
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 12; });
  RawChild slow_to_greet(address);
  std::vector<io::Socket> strangers;
  for (int i = 0; i < 3; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 16; });
  slow_to_greet.join(options);
  root.told.wait_for_joined(1);
}

TEST_F(TreeTest, GivenFewDescriptorsThenHalfOfThemAreForConnectionsThatProveNothing) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  std::optional<Process> root(std::in_place, runtime);
  setrlimit(RLIMIT_NOFILE, &before);
  const io::Address address = root->listen();
  std::vector<io::Socket> strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root->tree.statistics().refused_for(Refusal::kPushedOut) == 8; });
  EXPECT_EQ(root->tree.statistics().most_unproved, 32U);
}

/// Takes all descriptors that this process may have, but for some.
class AllDescriptorsTaken {
 public:
  explicit AllDescriptorsTaken(std::size_t but) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = std::min<rlim_t>(few.rlim_cur, 256);
    setrlimit(RLIMIT_NOFILE, &few);
    for (int taken = dup(STDIN_FILENO); taken >= 0; taken = dup(STDIN_FILENO)) {
      taken_.emplace_back(taken);
    }
    taken_.resize(taken_.size() - std::min(but, taken_.size()));
  }
  ~AllDescriptorsTaken() { setrlimit(RLIMIT_NOFILE, &before_); }
  AllDescriptorsTaken(const AllDescriptorsTaken&) = delete;
  AllDescriptorsTaken& operator=(const AllDescriptorsTaken&) = delete;

 private:
  rlimit before_{};
  std::vector<io::FileDescriptor> taken_;
};

TEST_F(TreeTest, GivenNoDescriptorIsLeftWhenOneJoinsThenASilentConnectionMakesRoomForIt) {
  constexpr std::size_t kStrangers = 10;
  TreeOptions options = test_options();
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(runtime, options);
  const io::Address address = root.listen();
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kStrangers; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().most_unproved == kStrangers; });
  // One is for the end of the connection that is here.
  const AllDescriptorsTaken taken(1);
  RawChild child(address);
  child.join(options);
  root.told.wait_for_joined(1);
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) > 0; });
}

TEST_F(TreeTest,
       GivenNeighboursAndStrangersThatNeverCloseWhenAProcessLeavesThenItWaitsForItsTimeOnly) {
  TreeOptions options = test_options();
  options.leave_within = 20ms;
  Process root(runtime, options);
  const io::Address address = root.listen();
  RawChild deaf(address);
  deaf.join();
  root.told.wait_for_joined(1);
  RawChild stranger(address);
  const Frame large = frame_of(std::string(1 << 20, 'x'));
  for (int i = 0; i < 32; ++i) root.tree.send({1}, large);
  root.tree.leave();
  root.tree.leave();
  EXPECT_EQ(root.told.losses(), 0U);
  EXPECT_TRUE(deaf.is_closed());
  EXPECT_TRUE(stranger.is_closed());
}

TEST_F(TreeTest, GivenFramesInFlightWhenEitherSideLeavesThenAllEndsAHundredTimes) {
  for (int round = 0; round < 100; ++round) {
    Process root(runtime);
    Process relay(runtime);
    Process leaf(runtime);
    const auto answer_by = [](Process& process) {
      process.told.react = [&process](const Route& from, const Frame& frame) {
        process.tree.send(from, frame);
      };
    };
    answer_by(root);
    answer_by(leaf);
    relay.tree.join(root.listen());
    leaf.tree.join(relay.listen());
    for (int i = 0; i < 10; ++i) leaf.tree.send({0, 0}, frame_of("for ever"));
    root.told.take(1 + static_cast<std::size_t>(round % 20));
    std::array<Process*, 3> all{&root, &relay, &leaf};
    all[static_cast<std::size_t>(round % 3)]->tree.leave();
  }
}

TEST_F(TreeTest, GivenAChainWhenItsProcessesEndInAnyOrderThenEachEnds) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    std::array<std::unique_ptr<Process>, 4> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_unique<Process>(runtime);
      if (i > 0) all[i]->tree.join(all[i - 1]->listen());
    }
    all[3]->tree.send({0, 0, 0}, frame_of("on its way"));
    for (const int i : order) all[static_cast<std::size_t>(i)].reset();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(TreeTest, GivenALightweightThreadThenItJoinsSendsAndLeavesAsAnOsThreadDoes) {
  runtime::Runtime narrow({.workers = 1});
  Process root(narrow);
  narrow.run([&] {
    Process child(narrow);
    child.tree.join(root.listen());
    child.tree.send({0}, frame_of("from within"));
    EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{1}, "from within"}}));
    child.tree.leave();
    EXPECT_EQ(root.told.wait_for_loss(1), "it has left");
  });
}

// A relay that is killed needs a process of its own: this program again, with one test.

constexpr const char* kParentPort = "KUMIKO_TREE_TEST_PARENT";
constexpr const char* kOutput = "KUMIKO_TREE_TEST_OUTPUT";

/// Not a test by itself: the relay, until it is killed.
TEST(HelperProcess, Relay) {
  const char* const port = std::getenv(kParentPort);
  const char* const output = std::getenv(kOutput);
  if (port == nullptr || output == nullptr) GTEST_SKIP() << "for KilledRelay only";
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  runtime::Runtime runtime({.workers = 1});
  Process relay(runtime);
  relay.tree.join(io::Address::loopback(static_cast<std::uint16_t>(std::atoi(port))));
  const std::uint16_t own = relay.listen().port();
  ASSERT_EQ(::write(std::atoi(output), &own, sizeof own), ssize_t{sizeof own});
  std::this_thread::sleep_for(kPatience);
}

TEST_F(TreeTest, GivenARelayWhenItIsKilledThenBothSidesLoseTheRightLink) {
  Process root(runtime);
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    // The relay is not to take its one test for a part of many.
    if (std::string_view(*variable).starts_with("GTEST_")) continue;
    variables.emplace_back(*variable);
  }
  variables.push_back(std::string(kParentPort) + "=" + std::to_string(root.listen().port()));
  variables.push_back(std::string(kOutput) + "=" + std::to_string(pipe_ends[1]));
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=HelperProcess.Relay";
  std::string brief = "--gtest_brief=1";
  std::array<char*, 4> arguments{program.data(), filter.data(), brief.data(), nullptr};
  pid_t relay = 0;
  ASSERT_EQ(
      posix_spawn(&relay, program.c_str(), nullptr, nullptr, arguments.data(), environment.data()),
      0);
  ::close(pipe_ends[1]);
  std::uint16_t port = 0;
  ASSERT_EQ(::read(pipe_ends[0], &port, sizeof port), ssize_t{sizeof port});
  ::close(pipe_ends[0]);

  Process leaf(runtime);
  leaf.tree.join(io::Address::loopback(port));
  leaf.tree.send({0, 0}, frame_of("through it"));
  EXPECT_EQ(root.told.take(1), (std::vector<Message>{{{1, 1}, "through it"}}));
  ::kill(relay, SIGKILL);
  ::waitpid(relay, nullptr, 0);
  EXPECT_NE(root.told.wait_for_loss(1).find("connection has ended"), std::string::npos);
  EXPECT_NE(leaf.told.wait_for_loss(0).find("connection has ended"), std::string::npos);
  root.tree.send({1, 1}, frame_of("into nothing"));
  EXPECT_EQ(root.tree.statistics().frames_dropped, 1U);
}

}  // namespace
}  // namespace kumiko::search::trees
