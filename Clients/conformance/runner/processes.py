"""The programs that take part: the real server, and the client's shim."""
import os
import signal
import subprocess
import tempfile

from .wires import PATIENCE, Wire


def environment(variables=()):
    """The environment of this program without what Baton would read in it, and with these variables."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("BATON_")}, **dict(variables)}


class Server:
    """One run of `baton serve`."""

    def __init__(self, program, place, settings=(), guards=(), config=None, store=None):
        self.log = tempfile.TemporaryFile()
        where = place.options() + (["--config", config] if config else []) + (["--store", store] if store else [])
        words = [word for setting in settings for word in ("--set", setting)]
        words += [word for guard in guards for word in ("--guard", guard)]
        self.process = subprocess.Popen(
            [program, "serve", *where, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            env=environment(),
        )
        for line in self.process.stdout:
            if line.startswith(b"listening on "):
                self.place = line.decode().split()[-1]
            if line.startswith(b"limits"):
                return
        raise OSError("the server does not start: %s" % self.told())

    def drain(self):
        self.process.terminate()

    def kill(self):
        """Ends it as a fault does, and waits for that."""
        self.process.kill()
        self.process.wait()

    def wait(self):
        """Its exit code, once it has ended."""
        return self.process.wait(PATIENCE)

    def told(self):
        """What it wrote to its log."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def close(self):
        self.kill()
        self.process.stdout.close()
        self.log.close()


class Shim(Wire):
    """One run of the program that is tested: commands go to it, reports come from it."""

    def __init__(self, command, variables, heard):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=environment(variables)
        )
        super().__init__(self.process.stdout.fileno(), self.process.stdin.fileno(), heard)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def end(self):
        """Lets it end, and returns its exit code and what it still reported."""
        self.process.stdin.close()
        rest = []
        while True:
            line = self.line()
            if line is None:
                return self.process.wait(PATIENCE), rest
            rest.append(line)

    def told(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()
        self.log.close()
