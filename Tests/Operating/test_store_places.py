"""Each way to run the server has a place for its store, which is its user's alone, and a page that says how it is kept."""

import re
import unittest

from passing import ROOT

#: What the configuration file says, in each of them.
STORE = "/var/lib/baton/store"
UNIT = (ROOT / "Scripts/systemd/baton.service").read_text()
IMAGE = (ROOT / "Docker/Dockerfile").read_text()
COMPOSE = (ROOT / "Docker/compose.yaml").read_text()
FILES = {"Compose": ROOT / "Docker/config/baton.yaml", "Kubernetes": ROOT / "Docker/kubernetes.yaml",
         "two in Compose": ROOT / "Docker/compose-two.yaml", "two in Kubernetes": ROOT / "Docker/kubernetes-two.yaml"}
DEPLOY, OPERATE = ROOT / "Docs/deploy.md", ROOT / "Docs/operate.md"


def section(page, title):
    """The text under a heading."""
    return re.search(rf"^{title}\n(.+?)(?=^## |\Z)", page.read_text(), re.M | re.S)[1]


class StorePlaceTests(unittest.TestCase):
    def test_systemd_makes_it(self):
        settings = dict(re.findall(r"^(\w+)=(.*)$", UNIT, re.M))
        self.assertEqual(f"/var/lib/{settings['StateDirectory']}/store", STORE)
        self.assertEqual(settings["StateDirectoryMode"], "0700")
        self.assertIn(f"store: {STORE}", section(DEPLOY, "## systemd"))

    def test_the_image_has_it(self):
        """A volume that is mounted at a folder of the image begins as its copy, owner and mode included."""
        made, owner, source, folder = re.search(
            r"mkdir (-m 0700) /store\n.*COPY --from=build --chown=(\S+) (\S+) (\S+)\n", IMAGE, re.S).groups()
        self.assertEqual((source, f"{folder}/store"), ("/store", STORE))
        self.assertEqual(re.search(r"^USER (\S+)$", IMAGE, re.M)[1], owner)

    def test_compose_mounts_it_for_the_server_alone(self):
        top, services = COMPOSE.split("\nservices:\n")
        volume, = re.findall(r'"(\w+):/var/lib/baton"', COMPOSE)
        self.assertRegex(top, rf"\nvolumes:\n(?:  .*\n)*?  {volume}:\n")
        server = re.search(r"^  baton:\n((?:    .*\n|\n)+)", services, re.M)[1]
        self.assertIn(f'"{volume}:/var/lib/baton"', server)

    def test_the_files_name_it(self):
        for way, file in FILES.items():
            self.assertRegex(file.read_text(), rf"(?m)^ *store: {STORE}$", way)

    def test_the_page_says_how_it_is_kept(self):
        """What to back up, how a copy is put back, what an upgrade does, and what happens when there is no room."""
        for way in "systemd", "Docker", "Kubernetes":
            self.assertIn(way, section(OPERATE, "## Back up"))
            self.assertIn(way, section(OPERATE, "## Restore"))
        for title, words in {
            "## Restore": ("`FILE-wal`", "baton store check"),
            "## Upgrade": ("An older server does not open a store that a",),
            "## The disk is full": ("`store_full`", "`min_free_bytes`", "baton store compact"),
        }.items():
            for word in words:
                self.assertIn(word, section(OPERATE, title), title)


if __name__ == "__main__":
    unittest.main()
