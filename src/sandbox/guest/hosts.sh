# Where the engine set no network up, it has not written either what this machine is called, and who knows other names: nobody.
# What anybody wrote stays. Without a word where it cannot be done: who listens waits for a journal.
is_untold() { [[ -f $1 && ! -L $1 && ! -s $1 && -w $1 ]]; }
{
  ! is_untold /etc/hosts ||
    printf '%s\n' '# no network' $'127.0.0.1\tlocalhost' $'::1\tlocalhost ip6-localhost ip6-loopback' > /etc/hosts
  ! is_untold /etc/resolv.conf || printf '%s\n' '# no network' 'nameserver 127.0.0.1' > /etc/resolv.conf
} 2> /dev/null
unset -f is_untold
