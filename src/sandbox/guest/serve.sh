# `$1` is the folder of our scripts, then come names and texts. A script that another server reads is replaced as a file, never
# written over.
home=$1; shift
while (( $# )); do
  had=; { IFS= read -r -d '' had < "$home/$1"; } 2> /dev/null
  [[ $had == "$2" ]] || { mkdir -p "$home" && printf %s "$2" > "$home/$1.$$" && mv -f "$home/$1.$$" "$home/$1"; } || exit
  shift 2
done
exec bash "$home/journal.sh" serve
