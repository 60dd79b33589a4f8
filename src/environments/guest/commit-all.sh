# One commit of all that lies in the work directory.
begin
git add -A -f .
commit -m problem
