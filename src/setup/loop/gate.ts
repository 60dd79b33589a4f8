/** Only `Gate.passed` makes one. */
declare const made: unique symbol;

/** That a verifier passed the state which the sandbox had then. `finish` cannot be written without one. */
export interface Verified {
  readonly [made]: true;
  /** Count of changes at that time. */
  readonly state: number;
}

/**
 * Ties `finish` to a `verify` that passed on this very state: every command that could change the sandbox voids the proof
 * that there was.
 */
export class Gate {
  private state = 0;
  private proof: Verified | null = null;

  /** The sandbox may have changed. */
  changed(): void {
    this.state += 1;
  }

  passed(): Verified {
    this.proof = { state: this.state } as Verified;
    return this.proof;
  }

  failed(): void {
    this.proof = null;
  }

  /** The proof, if it is of the state as it is now. */
  get verified(): Verified | null {
    return this.proof?.state === this.state ? this.proof : null;
  }
}
