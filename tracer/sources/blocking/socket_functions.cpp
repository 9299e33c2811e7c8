// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions that wait for events of descriptors, or for the partner of a socket.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "tracer/sources/blocking/replaced_blocking.hpp"

// Names that the C library's headers make of calls in programs that ask for checks of sizes.
extern "C" {
int __poll_chk(pollfd* all, nfds_t count, int most, std::size_t size);
int __ppoll_chk(pollfd* all, nfds_t count, const timespec* most, const sigset_t* blocked,
                std::size_t size);
ssize_t __recv_chk(int socket, void* to, std::size_t size, std::size_t room, int flags);
ssize_t __recvfrom_chk(int socket, void* to, std::size_t size, std::size_t room, int flags,
                       sockaddr* from, socklen_t* from_size);
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int poll(pollfd* all, nfds_t count, int most) {
  return LATECOMER_BLOCKING(poll, all, count, most);
}

LATECOMER_REPLACED int __poll_chk(pollfd* all, nfds_t count, int most, std::size_t size) {
  return LATECOMER_BLOCKING_AS(poll, __poll_chk, all, count, most, size);
}

LATECOMER_REPLACED int ppoll(pollfd* all, nfds_t count, const timespec* most,
                             const sigset_t* blocked) {
  return LATECOMER_BLOCKING(ppoll, all, count, most, blocked);
}

LATECOMER_REPLACED int __ppoll_chk(pollfd* all, nfds_t count, const timespec* most,
                                   const sigset_t* blocked, std::size_t size) {
  return LATECOMER_BLOCKING_AS(ppoll, __ppoll_chk, all, count, most, blocked, size);
}

LATECOMER_REPLACED int select(int count, fd_set* to_read, fd_set* to_write, fd_set* others,
                              timeval* most) {
  return LATECOMER_BLOCKING(select, count, to_read, to_write, others, most);
}

LATECOMER_REPLACED int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* others,
                               const timespec* most, const sigset_t* blocked) {
  return LATECOMER_BLOCKING(pselect, count, to_read, to_write, others, most, blocked);
}

LATECOMER_REPLACED int epoll_wait(int set, epoll_event* events, int count, int most) {
  return LATECOMER_BLOCKING(epoll_wait, set, events, count, most);
}

LATECOMER_REPLACED int epoll_pwait(int set, epoll_event* events, int count, int most,
                                   const sigset_t* blocked) {
  return LATECOMER_BLOCKING(epoll_pwait, set, events, count, most, blocked);
}

LATECOMER_REPLACED ssize_t recv(int socket, void* to, std::size_t size, int flags) {
  return LATECOMER_BLOCKING(recv, socket, to, size, flags);
}

LATECOMER_REPLACED ssize_t __recv_chk(int socket, void* to, std::size_t size, std::size_t room,
                                      int flags) {
  return LATECOMER_BLOCKING_AS(recv, __recv_chk, socket, to, size, room, flags);
}

LATECOMER_REPLACED ssize_t recvfrom(int socket, void* to, std::size_t size, int flags,
                                    sockaddr* from, socklen_t* from_size) {
  return LATECOMER_BLOCKING(recvfrom, socket, to, size, flags, from, from_size);
}

LATECOMER_REPLACED ssize_t __recvfrom_chk(int socket, void* to, std::size_t size, std::size_t room,
                                          int flags, sockaddr* from, socklen_t* from_size) {
  return LATECOMER_BLOCKING_AS(recvfrom, __recvfrom_chk, socket, to, size, room, flags, from,
                               from_size);
}

LATECOMER_REPLACED ssize_t recvmsg(int socket, msghdr* message, int flags) {
  return LATECOMER_BLOCKING(recvmsg, socket, message, flags);
}

LATECOMER_REPLACED ssize_t send(int socket, const void* from, std::size_t size, int flags) {
  return LATECOMER_BLOCKING(send, socket, from, size, flags);
}

LATECOMER_REPLACED ssize_t sendto(int socket, const void* from, std::size_t size, int flags,
                                  const sockaddr* to, socklen_t to_size) {
  return LATECOMER_BLOCKING(sendto, socket, from, size, flags, to, to_size);
}

LATECOMER_REPLACED ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  return LATECOMER_BLOCKING(sendmsg, socket, message, flags);
}

LATECOMER_REPLACED int accept(int socket, sockaddr* from, socklen_t* from_size) {
  return LATECOMER_BLOCKING(accept, socket, from, from_size);
}

LATECOMER_REPLACED int accept4(int socket, sockaddr* from, socklen_t* from_size, int flags) {
  return LATECOMER_BLOCKING(accept4, socket, from, from_size, flags);
}

LATECOMER_REPLACED int connect(int socket, const sockaddr* to, socklen_t to_size) {
  return LATECOMER_BLOCKING(connect, socket, to, to_size);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
