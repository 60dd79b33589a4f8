# Takes what is ours out of a sandbox that becomes an image. Arguments: further files of ours.
rm -rf -- /var/lib/pointsman "$@"
for file in /etc/hosts /etc/resolv.conf; do
  first=
  { read -r first < "$file"; } 2> /dev/null
  [[ $first != '# no network' ]] || : > "$file"
done
