"""Builds the wheel and the archive of the source with nothing but Python, so that no build or install needs the network.

    python3 Clients/python/packaging/backend.py FOLDER

pip calls the functions of PEP 517 below (`backend-path` in pyproject.toml). The same source gives the same bytes.
"""

import ast
import base64
import gzip
import hashlib
import io
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "baton"
#: What is in the archive, beside the package.
FILES = ("LICENSE", "README.md", "pyproject.toml", "packaging/backend.py")
#: The time of all files, in the words of a zip file and in seconds: they have no others.
ZIP_TIME, TIME = (2020, 1, 1, 0, 0, 0), 1577836800


def project():
    """The strings and lists of `[project]`; Python reads TOML only since 3.11."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    section = re.search(r"^\[project\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S)[1]
    found = re.findall(r'^([a-z-]+) = ("[^"\n]*"|\[[^\]]*\])', section, re.M)
    return {name: ast.literal_eval(value) for name, value in found}


def stem():
    """What the files begin with."""
    told = project()
    return "%s-%s" % (told["name"].replace("-", "_"), told["version"])


def metadata():
    """The file METADATA."""
    told = project()
    lines = ["Metadata-Version: 2.1", "Name: " + told["name"], "Version: " + told["version"]]
    lines += ["Summary: " + told["description"], "Requires-Python: " + told["requires-python"]]
    lines += ["License: " + told["license"], "License-File: LICENSE"]
    lines += ["Classifier: " + one for one in told["classifiers"]]
    lines += ["Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def sources():
    """The files of the package, by their names there."""
    paths = sorted((HERE / PACKAGE).glob("*.py")) + [HERE / PACKAGE / "py.typed"]
    return {"%s/%s" % (PACKAGE, path.name): path.read_bytes() for path in paths}


def write_wheel(folder, contents):
    """Writes the wheel. Returns the name of the file."""
    info = stem() + ".dist-info"
    contents = dict(contents)
    contents[info + "/LICENSE"] = (HERE / "LICENSE").read_bytes()
    contents[info + "/METADATA"] = metadata().encode()
    contents[info + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: baton\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ["%s,sha256=%s,%d" % (name, _digest(data), len(data)) for name, data in contents.items()]
    contents[info + "/RECORD"] = ("\n".join(record + [info + "/RECORD,,"]) + "\n").encode()
    name = stem() + "-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, ZIP_TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


# What pip calls.


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {"_baton_client.pth": (str(HERE) + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = stem() + ".tar.gz"
    contents = {path: (HERE / path).read_bytes() for path in FILES}
    contents.update(sources())
    contents["PKG-INFO"] = metadata().encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(contents.items()):
            entry = tarfile.TarInfo("%s/%s" % (stem(), path))
            entry.size, entry.mtime, entry.mode = len(data), TIME, 0o644
            archive.addfile(entry, io.BytesIO(data))
    pathlib.Path(sdist_directory, name).write_bytes(gzip.compress(packed.getvalue(), mtime=TIME))
    return name


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: backend.py FOLDER")
    pathlib.Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(build_wheel(sys.argv[1]))
    print(build_sdist(sys.argv[1]))
