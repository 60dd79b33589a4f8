/** What hostile code tries in a sandbox, and what it must be answered. `denied`: the command has to fail. */
export interface Probe {
  readonly name: string;
  readonly command: string;
  readonly denied?: true;
  readonly output?: RegExp;
}

const tcp = (host: string, port: number) => `timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port}'`;
const python = (code: string) => `timeout 5 python3 -c ${JSON.stringify(code)}`;

export const EGRESS: readonly Probe[] = [
  { name: 'only the loopback interface', command: 'ls /sys/class/net', output: /^lo\n$/ },
  { name: 'no route', command: 'tail -n +2 /proc/net/route | wc -l', output: /^0\n$/ },
  { name: 'DNS', command: 'timeout 5 getent hosts example.org', denied: true },
  { name: 'DNS by Python', command: python('import socket; socket.getaddrinfo("example.com", 80)'), denied: true },
  {
    name: 'DNS over UDP to a resolver',
    command: python('import socket; s=socket.socket(2,2); s.sendto(b"x",("8.8.8.8",53))'),
    denied: true,
  },
  { name: 'TCP to a raw address', command: tcp('1.1.1.1', 443), denied: true },
  {
    name: 'TCP over IPv6',
    command: python('import socket; socket.create_connection(("2606:4700:4700::1111",443),2)'),
    denied: true,
  },
  { name: 'metadata address', command: tcp('169.254.169.254', 80), denied: true },
  { name: "the engine's gateway", command: tcp('172.17.0.1', 22), denied: true },
  { name: 'host.docker.internal', command: 'timeout 5 getent hosts host.docker.internal', denied: true },
  {
    name: 'HTTP',
    command: python('import urllib.request; urllib.request.urlopen("http://93.184.216.34/", timeout=3)'),
    denied: true,
  },
  { name: 'proxy variables', command: 'env | grep -i _proxy | wc -l', output: /^0\n$/ },
  {
    name: 'a proxy by hand',
    command: `http_proxy=http://172.17.0.1:3128 ${python('import urllib.request; urllib.request.urlopen("http://example.com/", timeout=3)')}`,
    denied: true,
  },
  {
    name: 'a raw socket',
    command: python('import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'),
    denied: true,
  },
  { name: 'ICMP', command: python('import socket; socket.socket(2,3,1).sendto(b"x",("1.1.1.1",0))'), denied: true },
  { name: 'package download', command: 'timeout 10 pip download --no-deps -d /tmp/p six', denied: true },
];

export const ESCAPES: readonly Probe[] = [
  {
    name: 'engine socket',
    command: 'ls /var/run/docker.sock /run/docker.sock /run/containerd 2>/dev/null | wc -l',
    output: /^0\n$/,
  },
  { name: 'capabilities', command: 'grep CapEff /proc/self/status', output: /CapEff:\s+00000000000000fb\n/ },
  { name: 'no new privileges', command: 'grep NoNewPrivs /proc/self/status', output: /NoNewPrivs:\s+1/ },
  { name: 'bounding set', command: 'grep CapBnd /proc/self/status', output: /CapBnd:\s+00000000000000fb\n/ },
  { name: 'mount', command: 'mount -t tmpfs none /mnt', denied: true },
  { name: 'bind mount of the root', command: 'mount --bind / /mnt', denied: true },
  { name: 'user namespace with mounts', command: 'unshare -Urm mount -t tmpfs none /mnt', denied: true },
  { name: 'device node', command: 'mknod /tmp/sda b 8 0', denied: true },
  { name: 'host disk', command: 'head -c 1 /dev/sda /dev/vda', denied: true },
  { name: 'kernel memory', command: 'head -c 1 /dev/mem', denied: true },
  { name: 'kernel settings', command: 'echo 1 > /proc/sys/kernel/panic', denied: true },
  { name: 'core pattern', command: 'echo "|/tmp/x" > /proc/sys/kernel/core_pattern', denied: true },
  { name: 'sysrq', command: 'echo b > /proc/sysrq-trigger', denied: true },
  {
    name: 'cgroup release agent',
    command:
      'f=$(ls -d /sys/fs/cgroup/{memory/release_agent,memory/cgroup.procs,cgroup.procs} 2>/dev/null | head -1); echo 1 > "$f"',
    denied: true,
  },
  {
    name: 'own memory limit',
    command:
      'f=$(ls /sys/fs/cgroup/{memory/memory.limit_in_bytes,memory.max} 2>/dev/null | head -1); echo 99999999999 > "$f"',
    denied: true,
  },
  { name: 'sys is read-only', command: 'touch /sys/kernel/x', denied: true },
  { name: 'module loading', command: 'modprobe dummy || insmod /tmp/x.ko', denied: true },
  { name: 'chroot', command: 'chroot / true', denied: true },
  { name: 'ptrace of PID 1', command: 'head -c 1 /proc/1/mem', denied: true },
  { name: 'host time', command: 'date -s 2001-01-01', denied: true },
  { name: 'host name', command: 'hostname escaped', denied: true },
  { name: 'host processes', command: 'ls -d /proc/[0-9]* | wc -l', output: /^([1-9]|[12]\d)\n$/ },
  {
    name: 'setuid root stays what it is',
    command:
      'cp /bin/bash /tmp/rootbash && chmod u+s /tmp/rootbash && setpriv --reuid 1000 --clear-groups /tmp/rootbash -p -c "id -u"',
    output: /^1000\n$/,
  },
  {
    name: 'low ports and raw binds',
    command: 'cat /proc/sys/net/ipv4/ip_forward > /dev/null; ls /host /rootfs',
    denied: true,
  },
];
