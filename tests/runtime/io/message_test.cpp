// Contract: recv(), send(), recvmsg() and sendmsg() do what the system's do, flags, addresses and
// ancillary data included, and wait like all others.
#include <array>
#include <cstring>

#include <sys/un.h>

#include <kumiko/runtime/io/address.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class MessageTest : public IoTest {};
KUMIKO_WITH_ENGINES(MessageTest);

Stream make_pair(int type) {
  int ends[2];
  checked(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), "socketpair");
  return {io::FileDescriptor(ends[0]), io::FileDescriptor(ends[1])};
}

/// One byte and a descriptor.
struct Parcel {
  char byte = 0;
  iovec vector{&byte, 1};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};

  Parcel() {
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  void put(int descriptor) {
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  int get() {
    int descriptor = -1;
    if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header != nullptr) {
      std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    }
    return descriptor;
  }
};

TEST_P(MessageTest, GivenADescriptorThatIsSentWhenReceivedThenItIsUsable) {
  for (const bool receiver_waits : {false, true}) {
    const Stream channel = make_pair(SOCK_STREAM);
    Stream cargo = make_stream(StreamKind::kPipe);
    Parcel received;
    Waiters waiters(*runtime_);
    const auto receive = [&] {
      ASSERT_EQ(io::recvmsg(channel.reader.get(), received.message, MSG_CMSG_CLOEXEC).value(), 1U);
    };
    if (receiver_waits) waiters.start(receive);
    run([&] {
      Parcel sent;
      sent.byte = 'x';
      sent.put(cargo.reader.get());
      ASSERT_EQ(io::sendmsg(channel.writer.get(), sent.message).value(), 1U);
      ASSERT_TRUE(cargo.reader.close());
      if (!receiver_waits) receive();
    });
    waiters.join();
    EXPECT_EQ(received.byte, 'x');
    const io::FileDescriptor arrived(received.get());
    ASSERT_GE(arrived.get(), 0);
    run([&] {
      ASSERT_TRUE(io::write(cargo.writer.get(), bytes_of("y")));
      char byte = 0;
      ASSERT_TRUE(io::read(arrived.get(), bytes_in(byte)));
      EXPECT_EQ(byte, 'y');
    });
  }
}

TEST_P(MessageTest, GivenDatagramsWhenSentAndReceivedThenTheirBoundsAreKept) {
  for (const int type : {SOCK_DGRAM, SOCK_SEQPACKET}) {
    const Stream channel = make_pair(type);
    run(
        [&] {
          for (std::size_t size = 1; size <= 200; ++size) {
            const std::vector<std::byte> bytes(size, static_cast<std::byte>(size));
            ASSERT_EQ(io::send(channel.writer.get(), bytes).value(), size);
          }
        },
        [&] {
          for (std::size_t size = 1; size <= 200; ++size) {
            std::array<std::byte, 1000> bytes{};
            ASSERT_EQ(io::recv(channel.reader.get(), bytes).value(), size);
            ASSERT_EQ(bytes[size - 1], static_cast<std::byte>(size));
          }
        });
  }
}

TEST_P(MessageTest, GivenADatagramThatIsTooLongWhenReceivedThenItIsCutAndFlagged) {
  const Stream channel = make_pair(SOCK_DGRAM);
  run([&] {
    ASSERT_TRUE(io::send(channel.writer.get(), bytes_of("kumiko")));
    Parcel parcel;
    ASSERT_EQ(io::recvmsg(channel.reader.get(), parcel.message).value(), 1U);
    EXPECT_NE(parcel.message.msg_flags & MSG_TRUNC, 0);
  });
}

TEST_P(MessageTest, GivenAnEmptyDatagramWhenReceivedThenNoBytes) {
  const Stream channel = make_pair(SOCK_DGRAM);
  std::size_t count = 1;
  Waiters waiters(*runtime_);
  waiters.start([&] {
    std::array<std::byte, 10> bytes{};
    count = io::recv(channel.reader.get(), bytes).value();
  });
  run([&] { EXPECT_EQ(io::send(channel.writer.get(), {}).value(), 0U); });
  waiters.join();
  EXPECT_EQ(count, 0U);
}

TEST_P(MessageTest, GivenUdpWhenSentWithAddressesThenTheReceiverKnowsTheSender) {
  std::array<io::FileDescriptor, 2> ends;
  std::array<sockaddr_in, 2> addresses{};
  for (std::size_t i = 0; i < 2; ++i) {
    ends[i] = io::FileDescriptor(checked(::socket(AF_INET, SOCK_DGRAM, 0), "socket"));
    const io::Address any = io::Address::loopback();
    checked(::bind(ends[i].get(), any.get(), any.size()), "bind");
    socklen_t size = sizeof addresses[i];
    checked(::getsockname(ends[i].get(), reinterpret_cast<sockaddr*>(&addresses[i]), &size),
            "getsockname");
  }
  sockaddr_in from{};
  Parcel received;
  received.message.msg_name = &from;
  received.message.msg_namelen = sizeof from;
  Waiters waiters(*runtime_);
  waiters.start([&] { ASSERT_EQ(io::recvmsg(ends[0].get(), received.message).value(), 1U); });
  run([&] {
    char byte = 'u';
    iovec vector{&byte, 1};
    msghdr message{};
    message.msg_name = &addresses[0];
    message.msg_namelen = sizeof addresses[0];
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    ASSERT_EQ(io::sendmsg(ends[1].get(), message).value(), 1U);
  });
  waiters.join();
  EXPECT_EQ(received.byte, 'u');
  EXPECT_EQ(from.sin_port, addresses[1].sin_port);
}

TEST_P(MessageTest, GivenFlagsWhenReceivedThenTheyAreObeyed) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    run([&] {
      std::array<char, 4> text{};
      const int end = stream.reader.get();
      EXPECT_EQ(io::recv(end, bytes_in(text), MSG_DONTWAIT).error(),
                std::errc::operation_would_block);
      ASSERT_TRUE(io::send(stream.writer.get(), bytes_of("ab")));
      EXPECT_EQ(io::recv(end, bytes_in(text), MSG_PEEK).value(), 2U);
      EXPECT_EQ(io::recv(end, bytes_in(text), MSG_WAITALL).value(), 2U);
      EXPECT_EQ(std::string_view(text.data(), 2), "ab");
      EXPECT_EQ(io::recv(end, bytes_in(text), MSG_DONTWAIT).error(),
                std::errc::operation_would_block);
    });
  }
}

TEST_P(MessageTest, GivenAFullSocketWhenSentWithoutWaitingThenOperationWouldBlock) {
  const Stream stream = make_stream(StreamKind::kUnix);
  fill_up(stream.writer.get());
  run([&] {
    const std::array<std::byte, 10'000> bytes{};
    EXPECT_EQ(io::send(stream.writer.get(), bytes, MSG_DONTWAIT).error(),
              std::errc::operation_would_block);
  });
}

TEST_P(MessageTest, GivenADatagramThatIsThereWhenTheQueueOfErrorsIsEmptyThenItIsStillReceived) {
  const io::FileDescriptor receiver(checked(::socket(AF_INET, SOCK_DGRAM, 0), "socket"));
  const io::FileDescriptor sender(checked(::socket(AF_INET, SOCK_DGRAM, 0), "socket"));
  const io::Address loopback = io::Address::loopback();
  checked(::bind(receiver.get(), loopback.get(), loopback.size()), "bind");
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  auto* const where = reinterpret_cast<sockaddr*>(&place);
  checked(::getsockname(receiver.get(), where, &size), "getsockname");
  char byte = 0;
  {
    Waiters waiters(*runtime_);
    waiters.start([&] { ASSERT_TRUE(io::recv(receiver.get(), bytes_in(byte))); });
    ASSERT_EQ(::sendto(sender.get(), "1", 1, 0, where, size), 1);
  }
  ASSERT_EQ(::sendto(sender.get(), "2", 1, 0, where, size), 1);
  run([&] {
    this_thread::sleep_for(5ms);  // for the news to be noted
    Parcel error;
    EXPECT_EQ(io::recvmsg(receiver.get(), error.message, MSG_ERRQUEUE, io::within(1ms)).error(),
              std::errc::resource_unavailable_try_again);
    EXPECT_EQ(io::recv(receiver.get(), bytes_in(byte), 0, io::within(kForEver)).value(), 1U);
  });
  EXPECT_EQ(byte, '2');
}

TEST_P(MessageTest, GivenUrgentDataWhenPolledForThenItIsSeenAndOrdinaryReadersAreServed) {
  if (GetParam().engine == IoEngine::kIoUring) {
    GTEST_SKIP() << "Linux 6.18's io_uring does not always report POLLPRI, which poll(2) does";
  }
  const Stream stream = make_stream(StreamKind::kTcp);
  short events = 0;
  char ordinary = 0;
  {
    Waiters waiters(*runtime_);
    waiters.start([&] { events = io::poll(stream.reader.get(), POLLPRI).value(); });
    {
      Waiters reader(*runtime_);
      reader.start([&] { ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(ordinary))); });
      ASSERT_EQ(::send(stream.writer.get(), "o", 1, 0), 1);
    }
    ASSERT_EQ(::send(stream.writer.get(), "!", 1, MSG_OOB), 1);
  }
  EXPECT_EQ(ordinary, 'o');
  EXPECT_NE(events & POLLPRI, 0);
  run([&] {
    char urgent = 0;
    EXPECT_EQ(io::recv(stream.reader.get(), bytes_in(urgent), MSG_OOB).value(), 1U);
    EXPECT_EQ(urgent, '!');
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
