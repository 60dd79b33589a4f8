# Set-up may have changed sources (an egg-info that the distribution ships): the one commit holds them as they are now, and
# nothing says how they were.
git add -u .
commit --amend -m problem
git reflog expire --expire=now --all
git gc -q --prune=now
rm -f .git/ORIG_HEAD .git/COMMIT_EDITMSG
rm -rf .git/hooks
