// How a server is spoken to: one driver for each protocol, in drivers/.
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct peer;

struct driver {
  const char *name;
  // What it asks for where it is encrypted (ALPN), or NULL.
  const char *protocol;
  // Says what makes the connection what it is; `peer_is_ready` is called when the server has heard it.
  void (*join)(struct peer *peer);
  // Takes what has come, as far as it is whole, and returns how much that was.
  size_t (*took)(struct peer *peer, char *bytes, size_t count);
  // Sends the message or the broadcast with that sequence number, in that place of the window.
  void (*send)(struct peer *sender, uint32_t sequence, uint32_t slot);
};
extern const struct driver baton_driver, mixed_driver, floor_driver, nats_driver, redis_driver, mqtt_driver;

#endif
