"""Files that are pipes: nothing is taken for their content before somebody has written it."""

import errno
import os
import pathlib
import select
import subprocess
import tempfile
import unittest

from passing import LONG, PROGRAM, Server

PEERS = "peers: { web: { user: 4000000, may: [] } }\n"
#: How often a late writer is played: a reader that does not wait is there for a moment only.
TIMES = 5


class Pipe:
    """A named pipe. Nobody writes into it before somebody waits for its content."""

    def __init__(self, folder, name):
        self.path = str(folder / name)
        os.mkfifo(self.path)

    def write(self, text, reader):
        """Writes all of it, once the program `reader` waits at the other end. Returns false if it goes on without that."""
        while not select.select([reader.stdout], [], [], 0)[0]:
            try:
                with open(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK), "w") as pipe:
                    pipe.write(text)
                return True
            except BrokenPipeError:
                return False
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
        return False


class PipeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pipe(self):
        return Pipe(self.folder, f"pipe{len(list(self.folder.iterdir()))}")

    def serve(self, *words, **environment):
        return Server(self, ["--listen", f"unix:{self.folder}/socket", "--http", "off", *words], environment=environment)

    def test_a_start_waits_for_the_writer_of_its_file(self):
        for _ in range(TIMES):
            pipe = self.pipe()
            server = self.serve("--config", pipe.path)
            self.assertTrue(pipe.write(PEERS, server.process), "the server did not wait")
            server.start()
            self.assertIn("access: web may do what", "\n".join(server.lines))
            self.assertEqual(server.end(), 0)

    def test_and_for_that_of_its_token(self):
        for _ in range(TIMES):
            pipe = self.pipe()
            server = self.serve(BATON_TOKEN_FILE=pipe.path)
            self.assertTrue(pipe.write("a-token\n", server.process), "the server did not wait")
            server.start()
            # It was used up at the start. No reload waits for another one.
            reload = subprocess.run([PROGRAM, "reload", "--server", f"unix:{self.folder}/socket"], capture_output=True,
                                    text=True, timeout=LONG, env={**os.environ, "BATON_TOKEN": "a-token"})
            self.assertIn("is no regular file, and a reload reads nothing else", reload.stderr)
            self.assertEqual(reload.returncode, 1)
            self.assertEqual(server.end(), 0)

    def test_nothing_is_right_before_it_was_read(self):
        for _ in range(TIMES):
            pipe = self.pipe()
            check = subprocess.Popen([PROGRAM, "config", "check", pipe.path], stdout=subprocess.PIPE, text=True)
            self.addCleanup(check.communicate)
            self.assertTrue(pipe.write(PEERS + "nonsense: 1\n", check), "it did not wait")
            self.assertIn('the file has no key "nonsense"', check.communicate(timeout=LONG)[0])
            self.assertEqual(check.returncode, 1)


if __name__ == "__main__":
    unittest.main()
