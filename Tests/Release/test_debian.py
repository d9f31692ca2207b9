"""The .deb and the tarball in a Debian that has nothing but its base. It is made for the test, and needs root."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from release import BUILD, LONG, file, first_message, run, serve, version


def why_not():
    """Why a root for Debian cannot be made here; nil if it may go."""
    if not shutil.which("apt-get"):
        return "this is not Debian"
    if os.geteuid() != 0:
        return "making a root needs root"
    if not shutil.which("debootstrap"):
        return "there is no debootstrap here"
    return None


def leave_out(why):
    # unittest's own word for it is not shown by a quiet run.
    print(f"==> SKIPPED: the release in a bare Debian: {why}", file=sys.stderr)
    raise unittest.SkipTest(why)


class DebianTests(unittest.TestCase):
    def setUp(self):
        if why := why_not():
            leave_out(why)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-debian-"))
        self.addCleanup(self.take_away)
        # The same release of the system, from where this one gets its packages.
        name = re.search(r"^VERSION_CODENAME=(\S+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
        mirror = run("apt-get", "indextargets", "--format", "$(SITE)", f"Codename: {name}").split("\n")[0]
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", name, self.root, *([mirror] if mirror else [])], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=BUILD)
        if made.returncode != 0:
            leave_out("debootstrap does not work here: " + made.stdout.strip().split("\n")[-1])
        # Swift finds a program's arguments there.
        mounted = subprocess.run(["mount", "-t", "proc", "proc", self.root / "proc"], text=True, capture_output=True)
        if mounted.returncode != 0:
            leave_out(mounted.stderr.strip())

    def take_away(self):
        for line in reversed(pathlib.Path("/proc/self/mounts").read_text().splitlines()):
            if line.split()[1].startswith(f"{self.root}/"):
                run("umount", "--lazy", line.split()[1])
        shutil.rmtree(self.root)

    def inside(self, *words):
        return ["chroot", self.root, *words]

    def run_inside(self, *words, within=LONG):
        # Neither a language nor a way home comes along.
        return run(*self.inside("env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
                                "DEBIAN_FRONTEND=noninteractive", *words), within=within)

    def check_serving(self, program):
        self.assertEqual(self.run_inside(program, "--version"), version() + "\n")
        baton = self.inside(program)
        server = serve(self, *baton)
        porter = [*baton, "handle", "door.*", "--name", "porter", "--text", "--", "sed", "s/.*/Come in, &./"]
        first_message(self, porter, baton, "Ann", env=server)

    def test_the_package_then_the_tarball(self):
        shutil.copy(file("*.deb"), self.root / "srv/baton.deb")
        self.assertFalse(list(self.root.glob("usr/lib/*/libuv.so.1")))
        self.run_inside("apt-get", "-qq", "update", within=BUILD)
        self.run_inside("apt-get", "-qq", "-y", "--no-install-recommends", "install", "/srv/baton.deb", within=BUILD)
        self.check_serving("/usr/bin/baton")
        self.assertEqual(self.run_inside("baton", "config", "check", "/etc/baton/baton.yaml"), "ok\n")
        unit = (self.root / "usr/lib/systemd/system/baton.service").read_text()
        self.assertIn("\nExecStart=/usr/bin/baton serve --config /etc/baton/baton.yaml\n", unit)
        self.assertNotIn("/usr/local", unit)

        # As it goes where systemd runs.
        systemctl, told = self.root / "usr/bin/systemctl", self.root / "told"
        systemctl.write_text('#!/bin/sh\necho "$@" >>/told\n')
        systemctl.chmod(0o755)
        (self.root / "run/systemd/system").mkdir(parents=True)
        self.run_inside("dpkg-reconfigure", "baton")
        self.assertEqual(told.read_text(), "daemon-reload\ntry-restart baton.service\n")
        told.unlink()
        self.run_inside("apt-get", "-qq", "-y", "remove", "baton")
        self.assertEqual(told.read_text(), "disable --now baton.service baton.socket\n")
        self.assertFalse((self.root / "usr/bin/baton").exists())

        # The libraries are still there, and the tarball needs no more.
        shutil.copy(file("baton-*-*.tar.gz"), self.root / "srv/baton.tar.gz")
        self.run_inside("tar", "-xzf", "/srv/baton.tar.gz", "-C", "/usr/local", "--strip-components=1")
        self.check_serving("/usr/local/bin/baton")
        self.assertTrue((self.root / "usr/local/share/man/man1/baton.1").exists())


if __name__ == "__main__":
    unittest.main()
