"""What the fetching scripts share. Each prints one line of JSON: what it wrote to ARTIFACT, or why it did not."""
import hashlib
import http.client
import json
import os
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request

ARTIFACT = "/var/tmp/pointsman-source/artifact"
LIMIT = 1 << 30
REACH = "Check network, proxy and certificate settings; a server of a private network has to be in sandboxes.reach."
TRIES = 3


class Refused(Exception):
    """What asking again does not change: `InvalidInput` is the input's fault, `Unavailable` the surroundings'."""

    def __init__(self, code, message, hint):
        super().__init__(message)
        self.code, self.hint = code, hint


def get(url, accept="*/*"):
    """The body and the address that it came from in the end; None where the server says that it has no such thing."""
    request = urllib.request.Request(url, headers={"Accept": accept, "User-Agent": "pointsman"})
    for left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                body = answer.read(LIMIT + 1)
                if len(body) > LIMIT:
                    raise Refused("InvalidInput", "%s gives more than 1 GiB" % url, "Take a smaller source.")
                return body, answer.url
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                return None
            if error.code < 500 and error.code != 429 or left == 0:
                message = "%s answers %s" % (url, error)
                raise Refused("Unavailable", message, "Check the registry's address and its rules.")
        except (OSError, http.client.HTTPException) as error:
            if left == 0:
                reason = getattr(error, "reason", error)
                raise Refused("Unavailable", "%s: %s" % (url, reason), REACH)
        time.sleep(2 * (TRIES - left))


def unknown(wanted, versions):
    """The last versions are the newest, in every registry's own order."""
    listed = ", ".join(versions[-12:]) or "nothing of that name"
    return Refused("InvalidInput", "no %s; the registry has: %s" % (wanted, listed), "Name a version that is there.")


def needed(value, what, hint):
    """What the worker found out about a registry, from its environment or from the ecosystem's own tool."""
    if not value:
        raise Refused("Unavailable", "the address of %s is not known here" % what, hint)
    return value


def document(answer, keys, what):
    """The JSON object that the registry has there. Proxies and gateways answer in its place, with 200 and words of their own."""
    try:
        found = json.loads(answer[0])
    except ValueError:
        found = None
    if not isinstance(found, dict) or not any(key in found for key in keys):
        raise stranger(answer, what)
    return found


def stranger(answer, what):
    start = " ".join(answer[0][:200].decode("utf-8", "replace").split())
    message = "%s answers with something else than %s: %s" % (answer[1], what, start or "nothing")
    return Refused("Unavailable", message, "Check the registry's address, and what answers in its place.")


def verified(data, digests, who):
    """Compares the file with the strongest digest (hexadecimal, by algorithm) that is announced; notes on what that is worth."""
    for algorithm in ("sha512", "sha384", "sha256", "sha1", "md5"):
        expected = digests.get(algorithm)
        if expected:
            check(algorithm, data, expected, who)
            return ["%s announces a %s only" % (who, algorithm)] if algorithm in ("sha1", "md5") else []
    return ["%s announces no digest, so the file was taken as it came" % who]


def check(algorithm, data, expected, who):
    found = hashlib.new(algorithm, data).hexdigest()
    if found != expected.lower():
        message = "%s announces %s %s, the file has %s" % (who, algorithm, expected, found)
        raise Refused("Unavailable", message, "Somebody between here and the registry changes files, or it is broken.")


def tool(command, what, cwd=None, env=None, hint="Check network, proxy and certificate settings."):
    """Standard output of a program; its last words are the error."""
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    said = done.stderr.decode("utf-8", "replace").strip()[-600:]
    raise Refused("Unavailable", "%s: %s" % (what, said), hint)


def apt_install(*packages):
    tool(["apt-get", "update", "-qq"], "apt-get update")
    tool(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], "apt-get install")


def from_debian(pattern):
    """Folder with the files of the newest Debian package of that name: a tool to be asked, not to be installed."""
    tool(["apt-get", "update", "-qq"], "apt-get update")
    names = [line.split()[0] for line in tool(["apt-cache", "search", "--names-only", pattern], pattern).splitlines()]
    if not names:
        return None
    newest = max(names, key=lambda name: [int(part) for part in name.replace("-", ".").split(".") if part.isdigit()])
    os.makedirs("/tmp/debian", exist_ok=True)
    # As root, because apt's own user may not write into a folder of ours.
    tool(["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", newest], newest, cwd="/tmp/debian")
    [package] = [each for each in os.listdir("/tmp/debian") if each.startswith(newest + "_")]
    tool(["dpkg-deb", "-x", package, newest], newest, cwd="/tmp/debian")
    return "/tmp/debian/" + newest


def pack(folder, facts):
    """
    Writes the files of a folder as a tar whose bytes depend on them and on `facts` alone, which stand in its global
    header: what is kept can be understood without what it was fetched from. Facts are data, never wording: other words
    would be other bytes.
    """
    comment = "pointsman " + json.dumps(facts, sort_keys=True)
    with tarfile.open(ARTIFACT, "w", format=tarfile.PAX_FORMAT, pax_headers={"comment": comment}) as tar:
        for path in sorted(inside(folder)):
            full = os.path.join(folder, path)
            info = tarfile.TarInfo(path)
            if os.path.islink(full):
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(full), 0o777
                tar.addfile(info)
                continue
            info.size = os.path.getsize(full)
            info.mode = 0o755 if os.stat(full).st_mode & 0o100 else 0o644
            with open(full, "rb") as body:
                tar.addfile(info, body)


def inside(folder):
    for at, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        folders[:] = [name for name in folders if name not in links and name != ".git"]
        for name in [*files, *links]:
            if name != ".git":
                yield os.path.relpath(os.path.join(at, name), folder)


def write(data):
    with open(ARTIFACT, "wb") as out:
        out.write(data)


def run(main):
    """`main` gives the facts about what it wrote: notes, and what a registry calls it."""
    try:
        said = {"facts": main(*sys.argv[1:]) or {}}
    except Refused as refused:
        said = {"code": refused.code, "message": str(refused), "hint": refused.hint}
    print(json.dumps(said))
