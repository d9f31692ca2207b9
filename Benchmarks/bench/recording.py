"""A server that records what its file says, and what that takes."""

import json
import os
from pathlib import Path

from . import access, build
from .servers import Baton


class RecordingBaton(Baton):
    """Baton with a record. `settings` are those of its file; None: it records nothing."""

    def __init__(self, path, name, settings):
        super().__init__(path, name=name)
        self.settings = settings

    def command(self, port, folder):
        text = "open: local\n"
        self.record = Path(folder) / "record"
        if self.settings is not None:
            settings = {"directory": str(self.record), **self.settings}
            if "sign" in settings:
                settings["sign"] = key = os.path.join(folder, "record.key")
                build.run("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
                os.chmod(key, 0o600)
            text += "record:\n" + "".join(f"  {name}: {json.dumps(value)}\n" for name, value in settings.items())
        return [*super().command(port, folder), "--config", access.write(os.path.join(folder, "baton.yaml"), text)]

    def bytes(self):
        """What stands in the record."""
        return sum(file.stat().st_size for file in self.record.glob("*.jsonl"))

    def seconds_of_the_loop(self):
        """What its first thread has taken of the processor: all but what makes, hashes and writes lines."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9
