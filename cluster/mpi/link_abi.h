// The interface between the shared object of a link and Kumiko, in C: only the object is compiled
// for an MPI, and neither sees the other's classes.
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

// Changes with any declaration below, because object and Kumiko must have the same version.
#define KUMIKO_LINK_ABI_VERSION 2
#define KUMIKO_LINK_ENTRY_SYMBOL "kumiko_link_entry"

// The functions that Kumiko provides. A *frame* is Kumiko's handle of a buffer.
typedef struct kumiko_link_host {
  // These bytes have come from a rank. They may be overwritten when the function returns.
  void (*arrived)(void* receiver, int32_t source, const void* bytes, size_t size);
  // Makes a frame of this size, and sets *bytes to its buffer.
  void* (*make)(size_t size, void** bytes);
  // This rank has filled a frame of make(), which belongs to Kumiko again.
  void (*filled)(void* receiver, int32_t source, void* frame);
  // The object does not use a frame any more: it has been sent, or was given up.
  void (*release)(void* frame);
  // The bytes of a body to a rank may be changed.
  void (*body_sent)(void* receiver, int32_t rank, uint64_t number);
  // A body from a rank is at the address given to take_body(), or nothing more is written there.
  void (*body_taken)(void* receiver, int32_t source, uint64_t number);
} kumiko_link_host;

// The functions that the object provides. Functions that return a status return 0, or another
// number for an error, whose text error_text() returns.
typedef struct kumiko_link_functions {
  uint32_t version;  // KUMIKO_LINK_ABI_VERSION
  // Initialises the MPI and begins to receive. Called once. `host` stays valid.
  int32_t (*open)(const kumiko_link_host* host);
  int32_t (*rank)(void);
  int32_t (*size)(void);
  // Sends more than 16 bytes, which do not change until host->release(frame).
  int32_t (*send)(int32_t rank, const void* bytes, size_t size, void* frame);
  // Sends bytes to the address that the other rank gives to take_body(). They do not change until
  // host->body_sent().
  int32_t (*send_body)(int32_t rank, uint64_t number, const void* bytes, size_t size);
  int32_t (*take_body)(int32_t source, uint64_t number, void* bytes, size_t size);
  // Ends the bodies from a lost rank, as far as the MPI can.
  int32_t (*give_up_bodies)(int32_t source);
  // Passes what has come to the receiver, a limited number of frames, and adds their number to
  // *frames.
  int32_t (*poll)(void* receiver, int32_t* frames);
  // The number of frames and bodies that are being sent, and of large ones being received.
  size_t (*under_way)(void);
  // This rank sends and expects nothing more. Sets *done when all ranks have called it.
  int32_t (*agree_to_close)(int32_t* done);
  // Ends the MPI, after agree_to_close().
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
