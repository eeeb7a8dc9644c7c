// Contract: a process that does not know the secret, runs another build or speaks another protocol
// is refused, and both sides report the cause, on both sides of the connection. Misuse is refused
// with a reason.
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

TEST_F(TreeTest, GivenNobodyWhoListensThenTheErrorSaysSo) {
  // The socket is bound, so that no other process on this machine gets the port and listens.
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
  EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{1}, "here"}}));
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
  root.events.wait_for_loss(1);
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
  Recorder events;
  EXPECT_THROW(Tree(runtime, events, {}), std::invalid_argument);
  TreeOptions options = test_options();
  options.most_unsent_bytes = options.largest_frame;
  EXPECT_THROW(Tree(runtime, events, options), std::invalid_argument);
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
  EXPECT_EQ(child.events.wait_for_loss(0), "it has left");
  EXPECT_THROW(child.tree.join(address), std::logic_error);
  child.tree.leave();
  EXPECT_THROW(child.tree.listen(address), std::logic_error);
  child.tree.send({0}, frame_of("too late"));
  EXPECT_EQ(child.tree.statistics().frames_dropped, 1U);
}

}  // namespace
}  // namespace kumiko::search::trees
