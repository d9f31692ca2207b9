"""The wheel in a fresh environment, and the tarball for npm in an empty folder, both without a network."""

import os
import pathlib
import tempfile
import unittest

from release import FILES, LONG, file, first_message, page_code, run, serve, version


class LibraryTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        run("tar", "-xzf", file("baton-*-*.tar.gz"), "-C", self.folder, "--strip-components=1")
        self.baton = [self.folder / "bin/baton"]
        self.environment = {**serve(self, *self.baton), "PYTHONUNBUFFERED": "1"}

    def porter(self, page):
        """The first handler of a page."""
        return page_code(page, "sh", 1).split("<<'END'\n")[1].split("END\n")[0]

    def test_python(self):
        run("python3", "-m", "venv", self.folder / "venv", within=LONG)
        python = self.folder / "venv/bin/python"
        run(python, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", "--find-links", FILES,
            "baton-client", cwd=self.folder)
        self.assertEqual(run(python, "-c", "import baton; print(baton.__version__)", cwd=self.folder), version() + "\n")
        (self.folder / "porter.py").write_text(self.porter("Clients/python/README.md"))
        first_message(self, [python, "porter.py"], self.baton, '"Ann"', env=self.environment, cwd=self.folder)

    def test_node(self):
        empty = self.folder / "empty"
        empty.mkdir()
        quiet = {**os.environ, "npm_config_offline": "true", "npm_config_cache": str(self.folder / "cache")}
        run("npm", "install", "--no-audit", "--no-fund", file("baton-client-*.tgz"), cwd=empty, env=quiet)
        (empty / "porter.mjs").write_text(self.porter("Clients/node/README.md"))
        first_message(self, ["node", "porter.mjs"], self.baton, '"Ann"', env=self.environment, cwd=empty)


if __name__ == "__main__":
    unittest.main()
