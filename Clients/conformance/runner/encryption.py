"""A port at which TLS is spoken, and the certificates for it."""
import atexit
import shutil
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path

from .wires import EncryptedWire, Port

_making = threading.Lock()
_folders = []


def certificates():
    """Where the certificates are. They are made when they are first asked for."""
    with _making:
        if not _folders:
            folder = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, folder)
            subprocess.run([str(Path(__file__).resolve().parent.parent / "certificates"), folder], check=True)
            _folders.append(folder)
    return _folders[0]


class EncryptedPort(Port):
    """What the server of a case shows and wants: `certificate=named.pem`, `clients=authority.pem` (a certificate of
    theirs is required), `newest=1.2`."""

    def __init__(self, head):
        super().__init__()
        self.place = "tls:localhost:%d" % self.number
        said = dict(word.split("=", 1) for word in head.split())
        self._newest = said.pop("newest", None)
        self._files = {what: str(Path(certificates(), name)) for what, name in said.items()}
        self._files.setdefault("certificate", str(Path(certificates(), "server.pem")))
        self._key = str(Path(certificates(), "server.key"))

    def options(self):
        options = ["--listen", "tls:127.0.0.1:%d" % self.number, "--tls-key", self._key]
        for what, path in self._files.items():
            options += ["--tls-" + what, path]
        return options + (["--tls-require-clients"] if "clients" in self._files else [])

    def wire(self, connection, heard):
        """Raises `OSError` where the handshake fails."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._files["certificate"], self._key)
        context.set_alpn_protocols(["baton"])
        if "clients" in self._files:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self._files["clients"])
        context.maximum_version = ssl.TLSVersion.TLSv1_2 if self._newest == "1.2" else ssl.TLSVersion.TLSv1_3
        try:
            return EncryptedWire(context.wrap_socket(connection, server_side=True), heard)
        except OSError:
            connection.close()
            raise
