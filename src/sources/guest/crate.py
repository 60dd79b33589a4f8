"""Usage: crate.py NAME VERSION; POINTSMAN_REGISTRY is the sparse index that cargo is configured for."""
import json
import os
import re

from fetching import Refused, check, document, from_debian, get, needed, run, unknown, write

HINT = "Put cargo on the worker's PATH, or set CARGO_REGISTRIES_CRATES_IO_INDEX to a sparse index (without credentials)."


def index_url():
    """From the worker, else what Debian's cargo has built in."""
    given = os.environ.get("POINTSMAN_REGISTRY", "")
    if not given:
        folder = from_debian("^cargo-web$")
        built_in = None
        if folder:
            with open(folder + "/usr/bin/cargo", "rb") as program:
                built_in = re.search(rb"sparse\+https://[a-z0-9.-]+/", program.read())
        given = built_in.group().decode() if built_in else ""
    return needed(given, "the crate index", HINT).replace("sparse+", "", 1).rstrip("/")


def index_path(name):
    lower = name.lower()
    if len(lower) < 3:
        return "%d/%s" % (len(lower), lower)
    return "3/%s/%s" % (lower[0], lower) if len(lower) == 3 else "%s/%s/%s" % (lower[:2], lower[2:4], lower)


def download_url(template, name, version, checksum):
    lower = os.path.dirname(index_path(name))
    prefix = "%s/%s" % (name[:2], name[2:4]) if len(name) > 3 else lower
    marks = {"crate": name, "version": version, "prefix": prefix, "lowerprefix": lower, "sha256-checksum": checksum}
    if not any("{%s}" % mark in template for mark in marks):
        return "%s/%s/%s/download" % (template, name, version)
    for mark, value in marks.items():
        template = template.replace("{%s}" % mark, value)
    return template


def main(name, version):
    index = index_url()
    config = get(index + "/config.json")
    if config is None:
        raise Refused("Unavailable", "%s is no sparse index: it has no config.json" % index, HINT)
    template = document(config, ("dl",), "the configuration of a sparse index")["dl"]
    entries = get("%s/%s" % (index, index_path(name)))
    releases = {each["vers"]: each for each in map(json.loads, entries[0].splitlines())} if entries else {}
    if version not in releases:
        raise unknown("version %s of %s" % (version, name), list(releases))
    release = releases[version]
    answer = get(download_url(template, release["name"], version, release["cksum"]))
    if answer is None:
        raise Refused("Unavailable", "%s %s is listed but not there" % (name, version), "Try another index.")
    check("sha256", answer[0], release["cksum"], "the index")
    write(answer[0])
    return {"notes": ["this version was yanked by its authors"] if release.get("yanked") else []}


run(main)
