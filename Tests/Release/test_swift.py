"""The Swift package: an app takes it by its tag, beside SwiftNIO, and gets nothing of the server."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from release import BUILD, ROOT, file, first_message, run, serve, version


class SwiftPackageTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        run("git", "clone", "--quiet", file("baton-client-swift-*.bundle"), self.folder / "baton-client")

    def test_an_app_beside_swift_nio(self):
        shutil.copytree(ROOT / "Tests/Release/SwiftApp", self.folder / "porter")
        environment = {**os.environ, "BATON_CLIENT": str(self.folder), "BATON_VERSION": version()}
        # Nothing is remembered of a repository that will be gone.
        where = ["--package-path", self.folder / "porter", "--disable-dependency-cache",
                 "--security-path", self.folder / "security"]
        told = run("swift", "package", *where, "show-dependencies", "--format", "json", env=environment, within=BUILD)
        packages = {}
        pending = [json.loads(told[told.index("{"):])]
        while pending:
            package = pending.pop()
            packages[package["identity"]] = package
            pending += package["dependencies"]
        self.assertEqual(packages["baton-client"]["version"], version())
        self.assertEqual(packages["baton-client"]["dependencies"], [])
        self.assertEqual(
            set(packages) - {"porter", "baton-client", "swift-nio"}, {"swift-atomics", "swift-collections", "swift-system"})

        run("swift", "build", *where, env=environment, within=BUILD)
        run("tar", "-xzf", file("baton-*-*.tar.gz"), "-C", self.folder, "--strip-components=1")
        baton = self.folder / "bin/baton"
        server = serve(self, baton)
        first_message(self, [self.folder / "porter/.build/debug/porter"], [baton], '{"who":"Ann"}', env=server)

    def test_the_repository_has_one_tag_and_the_licence(self):
        clone = self.folder / "baton-client"
        self.assertEqual(run("git", "-C", clone, "tag"), version() + "\n")
        self.assertEqual((clone / "LICENSE").read_text(), (ROOT / "LICENSE").read_text())
        page = (clone / "README.md").read_text()
        self.assertIn(f'from: "{version()}"', page)
        self.assertNotIn("](", page)

    def test_the_same_sources_give_the_same_commit(self):
        run(ROOT / "Scripts/swift-package", self.folder / "again")
        commits = {run("git", "-C", self.folder / name, "rev-parse", "HEAD") for name in ("again", "baton-client")}
        self.assertEqual(len(commits), 1)


if __name__ == "__main__":
    unittest.main()
