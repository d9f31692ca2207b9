"""What the files of a release are, and what they say of themselves."""

import hashlib
import shutil
import tarfile
import tempfile
import unittest
import zipfile

from release import FILES, ROOT, file, run, version

LICENCE = (ROOT / "LICENSE").read_text()


class FileTests(unittest.TestCase):
    def test_the_checksums_are_those_of_all_files(self):
        lines = [line.split("  ") for line in (FILES / "SHA256SUMS").read_text().splitlines()]
        self.assertEqual({name: hashlib.sha256((FILES / name).read_bytes()).hexdigest() for _, name in lines},
                         {name: digest for digest, name in lines})
        there = {path.name for path in FILES.iterdir()}
        self.assertEqual({name for _, name in lines}, there - {"SHA256SUMS"})

    def test_the_page_names_files_that_are_there(self):
        page = (FILES / "README.md").read_text()
        self.assertNotIn("@v", page)
        self.assertNotIn("<!--", page)
        for path in FILES.iterdir():
            if path.name not in ("README.md", f"baton_client-{version()}.tar.gz"):
                self.assertIn(path.name, page)

    def test_the_tarball_is_what_stands_under_a_prefix(self):
        archive = file("baton-*-*.tar.gz")
        with tarfile.open(archive) as tar:
            stem = archive.name[: -len(".tar.gz")]
            names = {name[len(stem) + 1:] for name in tar.getnames()}
            licence = tar.extractfile(f"{stem}/share/doc/baton/LICENSE").read().decode()
            self.assertEqual({one.uid for one in tar.getmembers()}, {0})
        self.assertEqual({name.split("/")[0] for name in names if name}, {"bin", "share"})
        self.assertTrue(names >= {"bin/baton", "share/man/man1/baton.1", "share/man/man1/baton-serve.1", "share/baton/file.json",
                                  "share/doc/baton/README.md"})
        self.assertTrue(licence.startswith(LICENCE))
        for part in ("Swift's runtime", "swift-argument-parser", "swift-log"):
            self.assertIn(f"The program has {part} within it", licence)

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf here")
    def test_the_program_needs_little(self):
        with tempfile.TemporaryDirectory(prefix="baton-") as folder:
            run("tar", "-xzf", file("baton-*-linux-*.tar.gz"), "-C", folder, "--strip-components=1")
            told = run("readelf", "--wide", "--dynamic", "--sections", f"{folder}/bin/baton")
        needed = set(line.split("[")[1].rstrip("]") for line in told.splitlines() if "(NEEDED)" in line)
        self.assertLessEqual(needed, {
            "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
            "libuv.so.1", "libssl.so.3", "libcrypto.so.3", "libyaml-0.so.2", "libsqlite3.so.0"})
        self.assertNotIn(".debug_info", told)
        self.assertNotIn("PATH", told)

    def test_the_wheel_and_the_tarball_for_npm_have_version_and_licence(self):
        with zipfile.ZipFile(file("*.whl")) as wheel:
            info = f"baton_client-{version()}.dist-info"
            self.assertIn(f"Version: {version()}\nSummary", wheel.read(f"{info}/METADATA").decode())
            self.assertEqual(wheel.read(f"{info}/LICENSE").decode(), LICENCE)
        with tarfile.open(file("baton-client-*.tgz")) as tar:
            self.assertIn(f'"version": "{version()}"', tar.extractfile("package/package.json").read().decode())
            self.assertEqual(tar.extractfile("package/LICENSE").read().decode(), LICENCE)


if __name__ == "__main__":
    unittest.main()
