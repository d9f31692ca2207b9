"""Docker/kubernetes.yaml and kubernetes-two.yaml: against Kubernetes' own schemas, and their files of the server against the program."""

import functools
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from passing import LONG, PROGRAM, ROOT

MANIFEST, TWO = ROOT / "Docker/kubernetes.yaml", ROOT / "Docker/kubernetes-two.yaml"
ENVIRONMENT = ROOT / ".build/kubernetes"
"""The schemas come with it, so that checking needs no network."""
CHECKER = "kubernetes-validate==1.37.0"


@functools.cache
def checker():
    """The program that checks; it is installed where it is not there. Skips the test if it cannot be had."""
    program = ENVIRONMENT / "bin/kubernetes-validate"
    if not program.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True, capture_output=True, timeout=120)
            subprocess.run([ENVIRONMENT / "bin/pip", "install", "--quiet", CHECKER], check=True, capture_output=True,
                           timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            raise unittest.SkipTest(f"{CHECKER} cannot be installed here: {error}") from None
    return program


def server_file(manifest=MANIFEST):
    """What the config map has as baton.yaml."""
    block = re.search(r"\n  baton\.yaml: \|\n((?:    .*\n|\n)+)", manifest.read_text())
    return textwrap.dedent(block[1])


class KubernetesTests(unittest.TestCase):
    def check(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            return subprocess.run([checker(), "--strict", *options, file.name], capture_output=True, text=True,
                                  timeout=LONG)

    def test_the_schemas_know_all_of_it(self):
        for manifest in (MANIFEST, TWO):
            for version in ("1.30", "1.37"):
                done = self.check(manifest.read_text(), "-k", version)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_schemas_notice_a_slip(self):
        """Proves that the check above can fail."""
        done = self.check(MANIFEST.read_text().replace("readinessProbe:", "readynessProbe:"))
        self.assertNotEqual(done.returncode, 0)

    def test_the_program_reads_its_file(self):
        for manifest in (MANIFEST, TWO):
            with tempfile.TemporaryDirectory(prefix="baton-") as folder:
                file = pathlib.Path(folder) / "baton.yaml"
                file.write_text(server_file(manifest))
                done = subprocess.run([PROGRAM, "config", "check", file], capture_output=True, text=True, timeout=LONG)
                # The certificate is a secret of the cluster, and its folders are not here.
                *warnings, last = done.stdout.splitlines()
                self.assertEqual((last, done.returncode), ("ok", 0), done.stderr)
                self.assertTrue(all(
                    re.search(r"there is no (file /etc/baton/tls/tls\.|folder /)|this stands in examples", line) for line in warnings), warnings)
                asked = [PROGRAM, "config", "may", "words", "serve posts/words on post.*", file]
                self.assertEqual(subprocess.run(asked, capture_output=True, timeout=LONG).returncode, 0)

    def test_the_two_nodes_are_the_two_pods(self):
        text = TWO.read_text()
        name = re.search(r"kind: StatefulSet\nmetadata:\n  name: (\w+)", text)[1]
        service = re.search(r"serviceName: ([\w-]+)", text)[1]
        pods = [f"{name}-{number}" for number in range(int(re.search(r"replicas: (\d+)", text)[1]))]
        nodes = dict(re.findall(r"^    (\S+): tls:(\S+):22867$", server_file(TWO), re.M))
        self.assertEqual(nodes, {pod: f"{pod}.{service}" for pod in pods})
        self.assertIn("name: BATON_NODE\n              valueFrom:\n                fieldRef: { fieldPath: metadata.name }", text)

    def test_its_store_outlives_the_pod(self):
        text = MANIFEST.read_text()
        folder = re.search(r"^store: (/.+)/\w+$", server_file(), re.M)[1]
        volume = re.search(rf"{{ name: (\w+), mountPath: {folder} }}", text)[1]
        claim = re.search(rf"- name: {volume}\n +persistentVolumeClaim: {{ claimName: ([\w-]+) }}", text)[1]
        self.assertRegex(text, rf"kind: PersistentVolumeClaim\nmetadata:\n  name: {claim}\n")
        # Its user may write there, and no other server is there meanwhile.
        server = text[text.index("  name: baton\n  labels"):]
        user = re.search(r"runAsUser: (\d+)", server)[1]
        self.assertEqual(re.search(r"fsGroup: (\d+)", server)[1], user)
        self.assertIn("  replicas: 1\n", server)
        self.assertIn("strategy: { type: Recreate }", server)

    def test_each_pod_has_a_volume_of_its_own(self):
        text = TWO.read_text()
        folder = re.search(r"^store: (/.+)/\w+$", server_file(TWO), re.M)[1]
        volume = re.search(rf"{{ name: (\w+), mountPath: {folder} }}", text)[1]
        # It is claimed for each pod, and no volume of all pods.
        self.assertRegex(text, rf"\n  volumeClaimTemplates:\n    - metadata:\n        name: {volume}\n")
        self.assertNotRegex(text, rf"\n        - name: {volume}\n")
        self.assertEqual(re.search(r"fsGroup: (\d+)", text)[1], re.search(r"runAsUser: (\d+)", text)[1])

    def test_it_has_time_to_drain(self):
        text = MANIFEST.read_text()
        drain = int(re.search(r"drain_ms: (\d+)", server_file())[1]) / 1000
        before = int(re.search(r"sleep: { seconds: (\d+) }", text)[1])
        grace = int(re.search(r"terminationGracePeriodSeconds: (\d+)", text)[1])
        self.assertGreater(grace, before + drain + 2)


if __name__ == "__main__":
    unittest.main()
