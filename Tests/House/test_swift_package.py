"""The package of the Swift library compiles with the files of the core that it takes along, and with no others."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: In the order in which they need each other; whether the bodies of functions are read, too: those that use what is of the core.
MODULES = {"BatonUV": False, "BatonTLS": False, "BatonLines": True, "BatonClient": True}


class SwiftPackageTests(unittest.TestCase):
    def test_it_compiles(self) -> None:
        """A whole build of it belongs to the checks of a release. This one types the sources, in a tenth of the time."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        package, modules = folder / "package", folder / "modules"
        modules.mkdir()
        subprocess.run([ROOT / "Scripts/swift-package", package], check=True, stdout=subprocess.DEVNULL)
        found = [f"-I{file.parent}" for file in package.glob("Sources/**/module.modulemap")]
        for module, with_bodies in MODULES.items():
            done = subprocess.run(
                ["swiftc", "-emit-module", "-o", modules / f"{module}.swiftmodule", "-module-name", module,
                 "-package-name", "baton-client", "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault",
                 "-enable-upcoming-feature", "ExistentialAny",
                 *(["-whole-module-optimization"] if with_bodies else ["-Xfrontend", "-experimental-skip-all-function-bodies"]),
                 f"-I{modules}", *found, *package.glob(f"Sources/{module}/**/*.swift")],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{module} does not compile; "
                             f"Clients/swift/Package/core-files says what it has of the core:\n{done.stderr[:4000]}")


if __name__ == "__main__":
    unittest.main()
