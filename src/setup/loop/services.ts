import type { ServiceSpec } from '../../contract';

type Known = Required<Pick<ServiceSpec, 'packages' | 'port' | 'health'>> & {
  /** `$LISTEN` stands for the address that it listens on. */
  readonly start: string;
  readonly env?: Record<string, string>;
};

/**
 * Services that repositories ask for, as Debian packages them. Each starts as its own user where it refuses root, and keeps
 * its data under /var/lib, which a frame holds. A sibling listens on all of its addresses, one in the sandbox on none but
 * its own: sandboxes of other runs are on the same bridge.
 */
const KNOWN: Readonly<Record<string, Known>> = {
  postgres: {
    packages: ['postgresql'],
    start:
      'set -- /etc/postgresql/*/main; version=$(basename "$(dirname "$1")"); mkdir -p /var/run/postgresql; chown postgres:postgres /var/run/postgresql; sed -ri \'s/^(host\\s.*)(scram-sha-256|md5)$/\\1trust/; s/^(local\\s.*)peer$/\\1trust/\' "$1/pg_hba.conf"; grep -q "^host all all 0.0.0.0/0" "$1/pg_hba.conf" || echo "host all all 0.0.0.0/0 trust" >> "$1/pg_hba.conf"; rm -f /var/lib/postgresql/*/main/postmaster.pid; exec su postgres -s /bin/bash -c "exec /usr/lib/postgresql/$version/bin/postgres -D $1 -c listen_addresses=$LISTEN -c fsync=off"',
    port: 5432,
    health: 'su postgres -s /bin/bash -c "psql -h 127.0.0.1 -tAc \'select 1\'" | grep -q 1',
  },
  redis: {
    packages: ['redis-server'],
    start: 'exec redis-server --bind $LISTEN --protected-mode no --dir /var/lib/redis --save ""',
    port: 6379,
    health: 'redis-cli -h 127.0.0.1 ping | grep -q PONG',
  },
  memcached: {
    packages: ['memcached'],
    start: 'exec memcached -u nobody -l $LISTEN -m 64',
    port: 11211,
    health:
      "exec 3<>/dev/tcp/127.0.0.1/11211 && printf 'version\\r\\n' >&3 && read -r -t 2 line <&3 && [[ $line == VERSION* ]]",
  },
  mysql: {
    packages: ['mariadb-server'],
    start:
      'mkdir -p /run/mysqld; chown mysql:mysql /run/mysqld; exec mariadbd --user=mysql --bind-address=$LISTEN --skip-grant-tables --skip-networking=0',
    port: 3306,
    health: 'mariadb-admin --protocol=tcp -h 127.0.0.1 ping 2>/dev/null | grep -q alive',
  },
  rabbitmq: {
    packages: ['rabbitmq-server'],
    start: 'exec su rabbitmq -s /bin/bash -c "exec rabbitmq-server"',
    port: 5672,
    health: 'rabbitmqctl -q status > /dev/null 2>&1',
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  postgresql: 'postgres',
  'redis-server': 'redis',
  mariadb: 'mysql',
  'rabbitmq-server': 'rabbitmq',
};

export const KNOWN_SERVICES: readonly string[] = Object.keys(KNOWN);

/** The name that we know a service by, where the given one is another of its names. */
export function knownName(name: string): string {
  return ALIASES[name] ?? name;
}

/** The spec with what we know of a service of that name; a name that we do not know needs `start`, or an image. */
export function completeService(spec: ServiceSpec): ServiceSpec {
  const known = KNOWN[knownName(spec.name)];
  if (!known || spec.image) return spec;
  return {
    ...spec,
    packages: spec.packages.length > 0 ? spec.packages : known.packages,
    start: spec.start ?? known.start.replace('$LISTEN', spec.kind === 'container' ? '0.0.0.0' : '127.0.0.1'),
    port: spec.port ?? known.port,
    health: spec.health ?? known.health,
    env: { ...known.env, ...spec.env },
  };
}

/** What keeps a service from being started; undefined when nothing does. */
export function serviceTrouble(spec: ServiceSpec): string | undefined {
  if (spec.kind === 'process' && spec.image) return `service ${spec.name}: an image needs "kind": "container"`;
  if (!spec.start && !spec.image)
    return `service ${spec.name}: "start" is needed (known without it: ${KNOWN_SERVICES.join(', ')})`;
  if (!spec.health && !spec.port) return `service ${spec.name}: "health" or "port" is needed to tell when it is ready`;
  return undefined;
}

/** Shell text that installs what a service needs, unless it is there. */
export function installCommand(spec: ServiceSpec): string | undefined {
  if (spec.packages.length === 0) return undefined;
  const packages = spec.packages.join(' ');
  // Package scripts would start a daemon that no supervisor keeps; ours is started with its own command.
  return `dpkg -s ${packages} > /dev/null 2>&1 || { apt-get update -qq && printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages}; code=$?; rm -f /usr/sbin/policy-rc.d; (exit $code); }`;
}
