# One commit of those paths of /tmp/tracked (NUL after each) that are still there.
begin
xargs -0 -a /tmp/tracked sh -c 'for f; do [ ! -e "$f" ] && [ ! -L "$f" ] || printf "%s\0" "$f"; done' sh > /tmp/present
git add -f --pathspec-from-file=/tmp/present --pathspec-file-nul
commit -m environment
rm -f /tmp/tracked /tmp/present
