"""Usage: gem.py NAME VERSION: fetches a gem with Debian's own gem tool, which knows its registry."""
import glob
import subprocess
import sys

from fetching import run, unknown, write


def main(name, version):
    subprocess.call(["apt-get", "install", "-y", "ruby"], stdout=sys.stderr)
    if subprocess.call(["gem", "fetch", name, "-v", version], stdout=sys.stderr) != 0:
        raise unknown("version %s of %s" % (version, name), [])
    with open(glob.glob("*.gem")[0], "rb") as gem:
        write(gem.read())
    return {"notes": ["verified by the gem tool"]}


run(main)
