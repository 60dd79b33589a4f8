"""Usage: npm.py NAME VERSION; POINTSMAN_REGISTRY is what npm is configured for."""
import base64
import json
import os
import urllib.parse

from fetching import Refused, check, get, needed, run, unknown, write

HINT = "Put npm on the worker's PATH, or set NPM_CONFIG_REGISTRY in its environment (without credentials)."


def main(name, version):
    registry = needed(os.environ.get("POINTSMAN_REGISTRY"), "the npm registry", HINT)
    document = "%s/%s" % (registry.rstrip("/"), urllib.parse.quote(name, safe="@"))
    # The short form of it lacks the times.
    answer = get(document, "application/json")
    known = json.loads(answer[0]) if answer else {}
    versions = known.get("versions", {})
    if version not in versions:
        raise unknown("version %s of %s" % (version, name), list(versions))
    dist = versions[version]["dist"]
    tarball = get(dist["tarball"])
    if tarball is None:
        raise Refused("Unavailable", "%s is listed but not there" % dist["tarball"], "Try another registry.")
    write(tarball[0])
    released = known.get("time", {}).get(version)
    return {"notes": verified(tarball[0], dist), **({"released": released} if released else {})}


def verified(data, dist):
    """By the strongest digest that the registry announces."""
    announced = dict(each.split("?")[0].split("-", 1) for each in dist.get("integrity", "").split())
    for algorithm in ("sha512", "sha384", "sha256"):
        if algorithm in announced:
            check(algorithm, data, base64.b64decode(announced[algorithm]).hex(), "the registry")
            return []
    if "shasum" in dist:
        check("sha1", data, dist["shasum"], "the registry")
        return ["the registry announces a sha1 only"]
    return ["the registry announces no digest, so the file was taken as it came"]


run(main)
