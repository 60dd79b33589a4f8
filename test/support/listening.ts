import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Where the process listens on 127.0.0.1. */
export function portsOf(pid: number): number[] {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const listening = rows.filter(([, local, , state]) => state === '0A' && local?.startsWith('0100007F:'));
  return listening
    .filter((row) => open.has(`socket:[${row[9]}]`))
    .map(([, local]) => Number.parseInt(local!.slice(9), 16));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
