/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of libudev that hwloc needs and that Debian has no static library of. They report that
   they know nothing. */
struct udev;
struct udev_device;
struct udev* udev_new(void);
struct udev* udev_unref(struct udev* udev);
struct udev_device* udev_device_unref(struct udev_device* device);
struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* name);
const char* udev_device_get_property_value(struct udev_device* device, const char* key);

struct udev* udev_new(void) {
  return 0;
}
struct udev* udev_unref(struct udev* udev) {
  return udev;
}
struct udev_device* udev_device_unref(struct udev_device* device) {
  return device;
}
struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return 0;
}
const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device, (void)key;
  return 0;
}
