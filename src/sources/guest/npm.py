"""Usage: npm.py NAME VERSION; POINTSMAN_REGISTRY is what npm is configured for."""
import base64
import datetime
import io
import os
import tarfile
import urllib.parse

from fetching import Refused, document, get, needed, run, unknown, verified, write

FIRST_YEAR = "2010"
HINT = "Put npm on the worker's PATH, or set NPM_CONFIG_REGISTRY in its environment (without credentials)."


def main(name, version):
    registry = needed(os.environ.get("POINTSMAN_REGISTRY"), "the npm registry", HINT)
    # The short form of it lacks the times.
    answer = get("%s/%s" % (registry.rstrip("/"), urllib.parse.quote(name, safe="@")), "application/json")
    # What was taken back has its times left.
    known = document(answer, ("versions", "time"), "what it knows of a package") if answer else {}
    versions = known.get("versions", {})
    if version not in versions:
        raise unknown("version %s of %s" % (version, name), list(versions))
    dist = versions[version]["dist"]
    tarball = get(dist["tarball"])
    if tarball is None:
        raise Refused("Unavailable", "%s is listed but not there" % dist["tarball"], "Try another registry.")
    write(tarball[0])
    released = released_on(known.get("time", {}).get(version), tarball[0])
    return {"notes": verified(tarball[0], digests(dist), "the registry"), **({"released": released} if released else {})}


def released_on(listed, data):
    """When it was published. A mirror may list when it fetched it: the newest of its files, which until npm 6 have their
    own times, is then much older."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as files:
            times = [member.mtime for member in files if member.isfile()]
    except (tarfile.TarError, OSError, EOFError):
        return listed
    newest = datetime.datetime.fromtimestamp(max(times, default=0), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if newest[:4] < FIRST_YEAR:
        return listed
    return listed if listed and int(listed[:4]) - int(newest[:4]) < 2 else newest


def digests(dist):
    announced = [each.split("?")[0].split("-", 1) for each in dist.get("integrity", "").split()]
    strong = {algorithm: base64.b64decode(value).hex() for algorithm, value in announced}
    return {"sha1": dist.get("shasum"), **strong}


run(main)
