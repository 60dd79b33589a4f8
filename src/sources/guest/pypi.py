"""Usage: pypi.py NAME VERSION. The source distribution, through the index that pip is configured for.

`pip download` would run the project's build for its metadata, which needs compilers and headers that only the set-up
brings.
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import urllib.parse

from fetching import Refused, check, get, run, write
from pip._internal.models.index import PyPI


def index_urls():
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        found[key.strip().split(".")[-1]] = value.strip().strip("'\"")
    first = os.environ.get("PIP_INDEX_URL") or found.get("index-url") or PyPI.simple_url
    extra = os.environ.get("PIP_EXTRA_INDEX_URL") or found.get("extra-index-url") or ""
    return [first] + extra.replace("\\n", " ").split()


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def links(index, name):
    answer = get("%s/%s/" % (index.rstrip("/"), name), "application/vnd.pypi.simple.v1+json, text/html;q=0.5")
    if answer is None:
        return []
    body, base = answer[0].decode("utf-8", "replace"), answer[1]
    if body.lstrip().startswith("{"):
        listed = json.loads(body)["files"]
        return [
            (urllib.parse.urljoin(base, f["url"]), f.get("hashes", {}).get("sha256"), f.get("upload-time"))
            for f in listed
        ]
    parser = Links()
    parser.feed(body)
    pairs = [urllib.parse.urldefrag(urllib.parse.urljoin(base, href)) for href in parser.found]
    return [(url, fragment[7:] if fragment.startswith("sha256=") else None, None) for url, fragment in pairs]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def main(name, version):
    seen = []
    for index in index_urls():
        for url, sha256, uploaded in links(index, normal(name)):
            file = urllib.parse.unquote(urllib.parse.urlparse(url).path.split("/")[-1])
            stem = re.sub(r"\.(tar\.gz|tgz|zip|tar\.bz2|tar\.xz)$", "", file)
            owner, _, found = stem.rpartition("-")
            if stem == file or normal(owner) != normal(name):
                continue
            seen.append(found)
            if found != version:
                continue
            answer = get(url)
            if answer is None:
                raise Refused("Unavailable", "%s is listed but not there" % file, "Try another index or a later time.")
            if sha256:
                check("sha256", answer[0], sha256, "the index")
            write(answer[0])
            notes = [] if sha256 else ["the index announces no digest, so the file was taken as it came"]
            return {"notes": notes, **({"released": uploaded} if uploaded else {})}
    listed = ", ".join(seen[-12:]) or "none"
    message = "no source distribution %s of %s; the index has: %s" % (version, name, listed)
    raise Refused("InvalidInput", message, "Name a version that has a source distribution.")


run(main)
