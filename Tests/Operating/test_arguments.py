"""A library that is loaded in front of the program (LD_PRELOAD), as libfaketime is. It changes the environment before Swift
has looked for the arguments beside it: then Swift finds none.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, PROGRAM

#: Swift asks for a file as it begins. The list of variables becomes a longer one, away from the arguments.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
int stat(const char *path, struct stat *facts) {
  setenv("BATON_MOVED", "1", 1);
  int (*real)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
  return real(path, facts);
}
"""


@unittest.skipUnless(sys.platform == "linux" and shutil.which("cc"), "this needs Linux and a C compiler")
class ArgumentsTests(unittest.TestCase):
    def test_they_are_found_beside_an_environment_that_was_moved(self):
        with tempfile.TemporaryDirectory(prefix="baton-") as name:
            folder = pathlib.Path(name)
            (folder / "shim.c").write_text(SHIM)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True,
                           timeout=LONG)
            (folder / "a b.yaml").write_text("open: local\n")

            def run(*words):
                done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=LONG,
                                      env={**os.environ, "LD_PRELOAD": str(folder / "shim.so")})
                return done.returncode, done.stdout, done.stderr

            self.assertEqual(run("config", "check", folder / "a b.yaml"), (0, "ok\n", ""))
            # Where a command stands behind --, its words are counted; and what is no text is told.
            self.assertIn("there is no program \"nowhere\"", run("handle", "t", "--name", "n", "--", "nowhere", "")[2])
            self.assertIn("argument 2 is not UTF-8", run("send", b"\xff")[2])


if __name__ == "__main__":
    unittest.main()
