// What a link's shared object and Kumiko agree on, in C: the object is compiled for an MPI, Kumiko
// knows none, and neither sees the other's classes.
//
// The object exports one function, kumiko_link_entry(), and is never unloaded. It serves one link
// per process. Its functions are called by any OS thread, one at a time, never on a lightweight
// thread's stack; open() and finish() by the same one. Only these two may wait for other ranks.
#ifndef KUMIKO_CLUSTER_LINK_ABI_H
#define KUMIKO_CLUSTER_LINK_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names as C has them.

// Changes with whatever is below: object and Kumiko are of one version.
#define KUMIKO_LINK_ABI_VERSION 2
#define KUMIKO_LINK_ENTRY_SYMBOL "kumiko_link_entry"

// What Kumiko does for the object. A *frame* is Kumiko's handle of some bytes.
typedef struct kumiko_link_host {
  // These bytes have come from a rank; they may be overwritten when it returns.
  void (*arrived)(void* receiver, int32_t source, const void* bytes, size_t size);
  // Makes a frame of so many bytes, which are at *bytes.
  void* (*make)(size_t size, void** bytes);
  // A frame that make() has made is full, by this rank; it is Kumiko's again.
  void (*filled)(void* receiver, int32_t source, void* frame);
  // The object has no use for a frame any more: it has been sent, or is given up.
  void (*release)(void* frame);
  // The bytes of a body to a rank may be changed.
  void (*body_sent)(void* receiver, int32_t rank, uint64_t number);
  // A body from a rank lies where take_body() has said, or nothing is written there any more.
  void (*body_taken)(void* receiver, int32_t source, uint64_t number);
} kumiko_link_host;

// What the object does for Kumiko. Functions that return a status return 0, or another number if
// something went wrong, which error_text() tells then.
typedef struct kumiko_link_functions {
  uint32_t version;  // KUMIKO_LINK_ABI_VERSION
  // Initialises the MPI, and begins to receive. Called once. `host` stays valid.
  int32_t (*open)(const kumiko_link_host* host);
  int32_t (*rank)(void);
  int32_t (*size)(void);
  // Sends more than 16 bytes, which stay until host->release(frame).
  int32_t (*send)(int32_t rank, const void* bytes, size_t size, void* frame);
  // Sends bytes to where the other rank says by take_body(). They stay until host->body_sent().
  int32_t (*send_body)(int32_t rank, uint64_t number, const void* bytes, size_t size);
  int32_t (*take_body)(int32_t source, uint64_t number, void* bytes, size_t size);
  // Ends what is taken from a rank that is lost, as far as the MPI can.
  int32_t (*give_up_bodies)(int32_t source);
  // Hands what has come to the receiver, some frames at most, and adds their number to *frames.
  int32_t (*poll)(void* receiver, int32_t* frames);
  // How many frames and bodies are being sent, and how many larger ones are being received.
  size_t (*under_way)(void);
  // Nothing is sent any more, nor is to come. Sets *done when all ranks have said so.
  int32_t (*agree_to_close)(int32_t* done);
  // After that: ends the MPI.
  int32_t (*finish)(void);
  // Ends the processes of all ranks.
  void (*abort)(int32_t code);
  const char* (*error_text)(void);
} kumiko_link_functions;

typedef const kumiko_link_functions* (*kumiko_link_entry_function)(void);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif
