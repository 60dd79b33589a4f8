# Becomes a command of ours. Arguments: its directory, how many variables, the variables, its text, its own arguments. All of
# that may be what an agent has set, and none of it touches this shell, which the engine started with the container's own: by
# then the power that sets the journal apart (`PLAIN` in journal.sh) is given up.
cd -- "$1" 2> /dev/null || { printf 'the directory %q is not there, or is none\n' "$1" >&2; exit 125; }
variables=("${@:3:$2}")
shift "$(( $2 + 2 ))"
become=(env -- "${variables[@]}" "$BASH" -c "$1" bash "${@:2}")
while read -r word mask; do [[ $word != CapEff: ]] || own=$mask; done < /proc/self/status
(( (16#$own & 0x100) == 0 )) || ! setpriv --bounding-set -setpcap true 2> /dev/null || become=(setpriv --bounding-set -setpcap --inh-caps -setpcap "${become[@]}")
exec "${become[@]}"
