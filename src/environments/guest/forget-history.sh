# One commit instead of the old history, which may hold the fix. What it ignored or had not tracked stays that way.
{
  git ls-files -z --others > /tmp/untracked && git add -u . && git ls-files -z > /tmp/tracked &&
    cp .git/info/exclude /tmp/exclude 2> /dev/null
} || true
begin
mkdir -p .git/info
[ ! -e /tmp/exclude ] || cp /tmp/exclude .git/info/exclude
git add -f --pathspec-from-file=/tmp/tracked --pathspec-file-nul
tr '\0' '\n' < /tmp/untracked | sed 's|^|/|' >> .git/info/exclude
commit -m problem
rm -f /tmp/untracked /tmp/tracked /tmp/exclude
