import { isIP } from 'node:net';

/**
 * Whether a request's Host header is one that this server was asked by on purpose. A page elsewhere can let its own name
 * point at this machine (DNS rebinding) and would then read what is served here; it cannot do so with an address or with
 * `localhost`. Of a server for more than this machine, any address and the name that it was given will do.
 */
export function isOwnHost(header: string | undefined, listening: string): boolean {
  const name = hostOf(header ?? '');
  if (name === undefined) return false;
  if (name === 'localhost' || name === listening) return true;
  if (isLoopback(listening)) return isLoopback(name);
  return isIP(name) !== 0;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `[::1]:80` is `::1`; undefined for what is no host. */
function hostOf(header: string): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header);
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}
