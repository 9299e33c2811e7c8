// SPDX-License-Identifier: BSD-3-Clause
// TUN devices: creation and configuration by ioctl.
#include "tests/testbed/router/device.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace latecomer::testbed {
namespace {

Problem failed(const std::string& what) {
  return {what + ": " + std::strerror(errno),
          "needs root, network namespaces and /dev/net/tun (modprobe tun)"};
}

ifreq request(const std::string& device) {
  ifreq r{};
  device.copy(r.ifr_name, IFNAMSIZ - 1);
  return r;
}

bool switch_on(int socket, const char* device) {
  ifreq r = request(device);
  if (ioctl(socket, SIOCGIFFLAGS, &r) != 0) return false;
  r.ifr_flags = static_cast<short>(r.ifr_flags | IFF_UP);
  return ioctl(socket, SIOCSIFFLAGS, &r) == 0;
}

bool set_address(int socket, const std::string& device, unsigned long what,
                 const Address& address) {
  ifreq r = request(device);
  sockaddr_in value{};
  value.sin_family = AF_INET;
  std::memcpy(&value.sin_addr, address.data(), address.size());
  std::memcpy(&r.ifr_addr, &value, sizeof value);
  return ioctl(socket, what, &r) == 0;
}

bool set_number(int socket, unsigned long what, int value) {
  ifreq r = request(kDeviceName);
  r.ifr_ifru.ifru_ivalue = value;  // shares its place with ifr_mtu and ifr_qlen
  return ioctl(socket, what, &r) == 0;
}

bool configure(int socket, const Space& space) {
  if (!switch_on(socket, "lo") || !set_number(socket, SIOCSIFMTU, kLargestPacket) ||
      !set_number(socket, SIOCSIFTXQLEN, 10000)) {
    return false;
  }
  for (std::size_t i = 0; i < space.addresses.size(); ++i) {
    // The second address and those after it belong to aliases of the device: wan0:1
    const std::string name = kDeviceName + (i == 0 ? "" : ":" + std::to_string(i));
    if (!set_address(socket, name, SIOCSIFADDR, space.addresses[i]) ||
        !set_address(socket, name, SIOCSIFNETMASK, {255, 255, 0, 0})) {
      return false;
    }
  }
  return switch_on(socket, kDeviceName);
}

}  // namespace

Result<int> open_device(const Space& space) {
  const std::string where = "/proc/" + std::to_string(space.process) + "/ns/net";
  const int name_space = open(where.c_str(), O_RDONLY | O_CLOEXEC);
  if (name_space < 0) return failed(where);
  const int entered = setns(name_space, CLONE_NEWNET);
  close(name_space);
  if (entered != 0) return failed("entering " + where);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) return failed("/dev/net/tun");
  ifreq r = request(kDeviceName);
  r.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &r) != 0) return failed("creating the device " + where);
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return failed("socket");
  const bool done = configure(control, space);
  const Problem problem = failed("configuring the device of " + where);
  close(control);
  if (!done) return problem;
  return device;
}

}  // namespace latecomer::testbed
