"""Who may read `/metrics`, and what it says of the certificate (Docs/http.md, sections 9 and 13)."""

import hashlib
import pathlib
import re
import subprocess
import tempfile
import unittest

from watched import LONG, MonitoringCase, Report, Server

DAY = 86_400


def token(name):
    """The token of an entry, made from its name. Its form is that of real ones."""
    return f"baton_{name:x<43}000000"


class AccessTests(MonitoringCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-monitoring-")
        self.addCleanup(folder.cleanup)
        pem, key = pathlib.Path(folder.name) / "server.pem", pathlib.Path(folder.name) / "server.key"
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "20",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out",
             str(pem)],
            capture_output=True, timeout=LONG)
        self.assertEqual(made.returncode, 0, made.stderr)
        peers = "".join(
            f"  {name}: {{ token: 'sha256:{hashlib.sha256(token(name).encode()).hexdigest()}', may: {list(rights)} }}\n"
            for name, rights in (("prometheus", ("see server", "see *")), ("half", ("see server", "see a")),
                                 ("none", ("see server",)), ("sender", ("send to main",))))
        self.server = Server(self, file=(
            "listen: ['tcp:127.0.0.1:0', 'tls:127.0.0.1:0']\nhttp: ['127.0.0.1:0']\n"
            f"tls: {{ certificate: '{pem}', key: '{key}' }}\npeers:\n{peers}"
            "chains: { a: { links: [{ handler: h }] }, b: { links: [{ handler: h }] } }\n"))

    def test_prometheus_needs_a_token_that_may_see_the_server(self):
        for name, right in ((None, 401), ("sender", 403), ("prometheus", 200)):
            headers = {"Authorization": f"Bearer {token(name)}"} if name else {}
            status, _, body = self.get(headers=headers)
            self.assertEqual(status, right, f"{name}: {body}")
            self.assertEqual("baton_messages_total" in body, right == 200)

    def test_figures_of_chains_are_for_those_who_may_see_them(self):
        for name, seen in (("prometheus", {"a", "b"}), ("half", {"a"}), ("none", set())):
            body = self.get(headers={"Authorization": f"Bearer {token(name)}"})[2]
            self.assertEqual(set(re.findall('chain="([^"]+)"', body)), seen)
            self.assertIn("baton_links 2\n", body)

    def test_the_certificate_has_twenty_days(self):
        report = Report(self.get(headers={"Authorization": f"Bearer {token('prometheus')}"})[2])
        self.assertLessEqual(report.value("certificate_seconds"), 20 * DAY)
        self.assertGreater(report.value("certificate_seconds"), 20 * DAY - 10 * LONG)


class NoCertificateTests(MonitoringCase):
    def test_without_one_the_family_is_not_there(self):
        self.assertNotIn("certificate", self.report().text)


if __name__ == "__main__":
    unittest.main()
