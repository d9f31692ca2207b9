"""Scripts/install, into a folder of one's own."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from release import BUILD, ROOT, run, serve, version


class InstallTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "home/.local"
        # Somebody who is not root, and for whom sudo would fail.
        tools = self.folder / "tools"
        tools.mkdir()
        for name, text in {"id": "echo 1000", "sudo": f"touch {self.folder}/asked; exit 1"}.items():
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.folder / "home")}

    def install(self, *words):
        return run(ROOT / "Scripts/install", *words, within=BUILD, env=self.environment, cwd=self.folder)

    def test_everything_is_there_without_root(self):
        said = self.install("--prefix", "home/.local")
        self.assertFalse((self.folder / "asked").exists())
        share = self.prefix / "share"
        program = self.prefix / "bin/baton"
        self.assertIn(f"{program}  (the program, {version()})\n", said)
        for place in ("bash-completion/completions/baton", "zsh/site-functions/_baton",
                      "fish/vendor_completions.d/baton.fish"):
            self.assertIn(f"{share}/{place}  (", said)
            self.assertGreater((share / place).stat().st_size, 1000)
        # Nothing of Swift is asked for, wherever the compiler is.
        plain = {"PATH": "/usr/bin:/bin"}
        self.assertEqual(run(program, "--version", env=plain), version() + "\n")
        if shutil.which("readelf"):
            needed = run("readelf", "-d", program)
            self.assertNotIn("RUNPATH", needed)
            self.assertNotIn("swift", needed)
        told = run("bash", "-c", f"source {share}/bash-completion/completions/baton && complete -p baton")
        self.assertIn("-F _baton", told)
        self.assertTrue((share / "zsh/site-functions/_baton").read_text().startswith("#compdef baton"))
        if shutil.which("man"):
            page = run("man", "baton-send", env={**plain, "PATH": f"{program.parent}:/usr/bin:/bin", "MANPAGER": "cat"})
            self.assertIn("Send a message down a chain", page)

    def test_a_second_run_replaces_and_a_server_goes_on(self):
        self.install("--prefix=" + str(self.prefix))
        program, page = self.prefix / "bin/baton", self.prefix / "share/man/man1/baton.1"
        server = serve(self, program)
        page.write_text("old")
        page.chmod(0o444)
        self.install("--prefix=" + str(self.prefix))
        self.assertIn(".TH", page.read_text())
        self.assertEqual(run(program, "doctor", env=server).count("\n") > 0, True)
        self.assertEqual(sorted(path.name for path in program.parent.iterdir()), ["baton"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can become somebody else")
    def test_root_is_asked_only_for_what_is_not_ones_own(self):
        # A small program in place of the real one, because somebody else cannot build here.
        clone = self.folder / "clone"
        shutil.copytree(ROOT / "Scripts", clone / "Scripts")
        (clone / "Scripts/layout").write_text(
            'version=1.2.3\nlay_out() { mkdir -p "$1/bin"; echo true >"$1/bin/baton"; chmod 755 "$1/bin/baton"; }\n')
        (self.folder / "tools/sudo").write_text(f'#!/bin/sh\necho "$@" >>{clone}/asked\n')
        for path in (self.folder, clone, clone / "own"):
            path.mkdir(exist_ok=True)
            path.chmod(0o777)
        (clone / "roots").mkdir()
        for name in ("own", "roots"):
            run("setpriv", "--reuid=65534", "--clear-groups", clone / "Scripts/install", "--prefix", clone / name / "a/b",
                env={**os.environ, "PATH": f"{self.folder}/tools:/usr/bin:/bin"})
        self.assertTrue((clone / "own/a/b/bin/baton").exists())
        place = clone / "roots/a/b/bin"
        self.assertEqual((clone / "asked").read_text(),
                         f"mkdir -p {place}\nenv install -m 755 .build/install-files/bin/baton {place}/\n")

    def test_what_is_wrong_is_said(self):
        for words, wanted in ((["--prefix"], "--prefix needs a folder"), (["/usr"], "this is not known: /usr")):
            done = subprocess.run([ROOT / "Scripts/install", *words], text=True, capture_output=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
