"""Somebody who may write in the folder of a Unix socket puts a link in its place: what the link leads to is left alone."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, Server

#: The moment behind `bind`, in which a link may take the place of the socket.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int bind(int number, const struct sockaddr *address, socklen_t length) {
  int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
  int result = real(number, address, length);
  const char *path = ((const struct sockaddr_un *)address)->sun_path;
  if (address->sa_family == AF_UNIX && path[0] == '/') {
    unlink(path);
    if (symlink(getenv("LED_TO"), path)) abort();
  }
  return result;
}
"""


@unittest.skipUnless(sys.platform == "linux" and shutil.which("cc"), "this needs Linux and a C compiler")
class SocketLinkTests(unittest.TestCase):
    def test_no_link_is_followed(self):
        with tempfile.TemporaryDirectory(prefix="baton-") as name:
            folder = pathlib.Path(name)
            (folder / "shim.c").write_text(SHIM)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True,
                           timeout=LONG)
            other = folder / "other"
            other.write_text("mine")
            other.chmod(0o604)
            (folder / "baton.yaml").write_text(
                f"open: local\nlisten: [{{ unix: {folder}/socket, mode: '0666', group: {os.getgid()} }}]\n")
            trouble, code = Server(self, ["--config", str(folder / "baton.yaml")], environment={
                "LD_PRELOAD": str(folder / "shim.so"), "LED_TO": str(other)}).trouble()
            self.assertIn(f"{folder}/socket", trouble)
            self.assertGreater(code, 0)
            self.assertEqual(stat.S_IMODE(other.stat().st_mode), 0o604)
            self.assertEqual(other.read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
