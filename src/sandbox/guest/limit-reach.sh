# Usage: limit-reach.sh V4 V6, two texts for iptables-restore. Runs in the network of a sandbox, from an image of ours, before
# anything else runs there. Its last line is `limited`, or why it is not. Restoring replaces what there was at once, so it may be done again at any time.
for kind in nft legacy; do
  said=$(iptables-$kind-restore <<< "$1" 2>&1) || continue
  [ ! -e /proc/net/if_inet6 ] || said=$(ip6tables-$kind-restore <<< "$2" 2>&1) || continue
  echo limited
  exit
done
printf '%s\n' "$said"
