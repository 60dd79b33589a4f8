# Comes before the other scripts, after a `git` that is called as we call it.
set -e
# One commit whose id depends on the files alone.
commit() {
  export GIT_AUTHOR_NAME=pointsman GIT_AUTHOR_EMAIL=pointsman@localhost GIT_AUTHOR_DATE=2000-01-01T00:00:00Z
  export GIT_COMMITTER_NAME=pointsman GIT_COMMITTER_EMAIL=pointsman@localhost GIT_COMMITTER_DATE=2000-01-01T00:00:00Z
  git -c commit.gpgsign=false commit -q --no-verify --allow-empty "$@"
}
begin() { rm -rf .git && git init -q -b main .; }
