"""Usage: deb.py NAME VERSION. A Debian source package with its patches applied, from the sources that apt is configured for.

apt checks the package against the archive's signed lists; dpkg-source checks its parts against the .dsc and applies
debian/patches.
"""
import glob
import os
import re
import shutil

from fetching import Refused, apt_install, pack, run, tool, unknown

LISTS = ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*.list"))]
OURS = "/etc/apt/sources.list.d/pointsman-source.list"
WORK = "/var/tmp/pointsman-source/debian"


def ask_for_sources():
    """The archives that apt takes packages from, for their sources."""
    lines = [line.strip() for each in LISTS if os.path.exists(each) for line in open(each)]
    with open(OURS, "w") as out:
        for line in lines:
            if re.match(r"deb\s", line):
                out.write(re.sub(r"^deb\s", "deb-src ", line) + "\n")
    for each in glob.glob("/etc/apt/sources.list.d/*.sources"):
        text = open(each).read()
        with open(each, "w") as out:
            out.write(re.sub(r"(?m)^Types:.*$", "Types: deb deb-src", text))


def versions_of(name):
    try:
        said = tool(["apt-cache", "showsrc", "--only-source", name], name)
    except Refused:
        return []
    return re.findall(r"(?m)^Version: (\S+)$", said)


def download(name, version):
    fetch = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "--only-source", "--download-only", "source"]
    try:
        tool([*fetch, "%s=%s" % (name, version)], name, cwd=WORK)
    except Refused as refused:
        if not re.search(r"\b404\s+Not Found", str(refused)):
            raise
        # Asking again does not help: indexes outlive files where a mirror is not complete.
        message = "the archive lists %s %s and does not have its files: %s" % (name, version, refused)
        raise Refused("InvalidInput", message, "Name another version, or give the sandbox a complete mirror.") from None


def main(name, version):
    ask_for_sources()
    apt_install("dpkg-dev")
    known = versions_of(name)
    if version not in known:
        raise unknown("version %s of the source package %s" % (version, name), sorted(set(known)))
    os.makedirs(WORK)
    download(name, version)
    [description] = glob.glob(WORK + "/*.dsc")
    # The archive's signature covers the .dsc; the maintainer's own would need a keyring of all developers.
    tool(["dpkg-source", "--no-check", "-x", description, "tree"], description, cwd=WORK)
    patched = os.path.exists(WORK + "/tree/debian/patches/series")
    # Quilt's record of what it applied would differ between versions of its tools.
    shutil.rmtree(WORK + "/tree/.pc", ignore_errors=True)
    facts = {"patched": patched}
    pack(WORK + "/tree", facts)
    return facts


run(main)
