"""Usage: git.py URL REVISION. The tree of one commit with its submodules, and what is lost without the history.

Prints `needs` instead where a repository is a folder of the worker's host that is not in this container yet.
"""
import datetime
import json
import os
import re
import shutil
import sys
import urllib.parse

from fetching import Refused, apt_install, pack, run, tool

TREE = "/var/tmp/pointsman-source/tree"
# No hook, filter or helper of the fetched repository runs, and a missing password is an error instead of a question.
QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=30",
}

HINT = "Check address, network, proxy and certificates; a server of a private network has to be in sandboxes.reach. One that wants a password: clone it and name the clone, git+file://..."


def git(*words, cwd=TREE, files=False):
    allowed = "always" if files else "never"
    options = ["-c", "protocol.file.allow=" + allowed, "-c", "protocol.ext.allow=never", "-c", "safe.directory=*"]
    options += ["-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false"]
    return tool(["git", *options, *words], "git " + words[0], cwd=cwd, env={**os.environ, **QUIET}, hint=HINT)


def is_local(url):
    return url.startswith(("file://", "/"))


def path_of(url):
    return urllib.parse.unquote(url[7:]) if url.startswith("file://") else url


def need(path):
    """The worker brings the folder and starts this script again."""
    if not os.path.isdir(path):
        print(json.dumps({"needs": path}))
        sys.exit(0)


def resolve(url, revision, local):
    """The full id of the commit, and the tags that point at it."""
    listed = [line.split("\t") for line in git("ls-remote", url, cwd="/", files=local).splitlines()]
    refs = {name: commit for commit, name in listed}
    # An annotated tag is listed twice; its second line is the commit.
    named = [name for name in refs if name.startswith("refs/tags/") and not name.endswith("^{}")]
    tags = {name[10:]: refs.get(name + "^{}", refs[name]) for name in named}
    commit = tags.get(revision) or refs.get("refs/heads/" + revision) or refs.get(revision)
    if commit is None and re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", revision):
        commit = revision
    return commit, tags, [name[11:] for name in refs if name.startswith("refs/heads/")]


def fetch(url, commit, revision, tags, heads, local):
    os.makedirs(TREE)
    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", url)
    try:
        if commit is None:
            raise Refused("Unavailable", "a short id can only be found in the whole history", "")
        git("fetch", "-q", "--depth=1", "--no-tags", "origin", commit, files=local)
    except Refused:
        # Not every server gives single commits away.
        git("fetch", "-q", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*", files=local)
    try:
        commit = git("rev-parse", "--verify", "-q", (commit or revision) + "^{commit}").strip()
    except Refused:
        known = ", ".join([*list(tags)[-8:], *heads[:4]]) or "nothing"
        message = "no commit, tag or branch %s; the repository has: %s" % (revision, known)
        raise Refused("InvalidInput", message, "Name a commit, a tag or a branch that is there.")
    git("checkout", "-q", "--detach", commit)
    return commit


def fetch_submodules(at, url, local):
    """Each at the commit that its parent names. A folder of the host is only taken where the whole source is one."""
    if not os.path.exists(at + "/.gitmodules"):
        return 0
    git("submodule", "-q", "init", cwd=at)
    count = 0
    for line in git("config", "--get-regexp", r"^submodule\..*\.url$", cwd=at).splitlines():
        key, _, address = line.partition(" ")
        if local and is_local(address):
            need(path_of(address))
        path = git("config", "-f", ".gitmodules", key[:-4] + ".path", cwd=at).strip()
        try:
            git("submodule", "-q", "update", "--depth=1", "--", path, cwd=at, files=local)
        except Refused:
            git("submodule", "-q", "update", "--", path, cwd=at, files=local)
        count += 1 + fetch_submodules(os.path.join(at, path), address, local)
    return count


def version_of(commit, tags):
    """What build tools that ask the history would say: the tag on the commit that looks most like a version."""
    here = [name for name, at in tags.items() if at == commit]
    found = [(re.search(r"(?:^|[-_/@]|^v|[-_/@]v)(\d+(?:\.\d+)*.*)$", name), name) for name in here]
    versions = [match.group(1) for match, _ in found if match]
    if not versions:
        return None
    return max(versions, key=lambda text: ([int(part) for part in re.findall(r"\d+", text)], -len(text)))


def main(url, revision):
    local = is_local(url)
    if local:
        need(path_of(url))
    elif url.startswith("ssh:") and not shutil.which("ssh"):
        apt_install("openssh-client")
    shutil.rmtree(TREE, ignore_errors=True)
    commit, tags, heads = resolve(url, revision, local)
    commit = fetch(url, commit, revision, tags, heads, local)
    submodules = fetch_submodules(TREE, url, local)
    version = version_of(commit, tags)
    seconds = int(git("show", "-s", "--format=%ct", commit))
    released = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    facts = {"revision": commit, "submodules": submodules, "released": released}
    if version:
        facts["version"] = version
    pack(TREE, facts)
    return facts


run(main)
