import type Docker from 'dockerode';
import type { SandboxProfile } from '../contract/sandbox';
import { CAPABILITIES } from './container';

/**
 * What holds of every container that runs code nobody trusts: the sandbox's powers and no more, the profile's memory,
 * processes and processors, no file larger than its disk, and no log of the engine's.
 */
export function confined({ memoryMiB, diskMiB, pids, cpus }: SandboxProfile): Docker.HostConfig {
  const memory = memoryMiB * 1024 * 1024;
  const disk = diskMiB * 1024 * 1024;
  return {
    CapDrop: ['ALL'],
    // Those of the sandbox: tests change owners and modes, and become the user that a database insists on.
    CapAdd: CAPABILITIES,
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: pids,
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(cpus * 1e9),
    LogConfig: { Type: 'none', Config: {} },
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'fsize', Soft: disk, Hard: disk },
    ],
  };
}
