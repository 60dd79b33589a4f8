import type { CaseOutcome } from '../../contract';
import type { HarnessRun } from '../../problems/equivalence/run';
import { RunLine } from './protocol';

/**
 * Reads `run.py`'s lines strictly, as they come. What is judged writes on the same side of the wall as the guest, so a line
 * that is malformed, unasked for, repeated or out of its order makes the run a faulty one, which passes nothing.
 */
export class RunReader {
  private readonly asked: ReadonlySet<string>;
  private readonly found = new Map<string, CaseOutcome>();
  private file: string | null = null;
  private unusable: HarnessRun['unusable'] = null;
  private calls: HarnessRun['calls'] = [];
  private coverage: HarnessRun['coverage'] = null;
  private began = false;
  private ended = false;
  private fault: string | null = null;

  constructor(private readonly cases: readonly string[]) {
    this.asked = new Set(cases);
  }

  /** The outcome that the line reports, if it does. */
  take(text: string): CaseOutcome | undefined {
    if (this.fault !== null) return undefined;
    const line = readLine(text);
    if (!line) return this.refuse(`a line that is none of the protocol: ${text.slice(0, 200)}`);
    if (this.ended) return this.refuse('a line after the end');
    if (!this.began && line.kind !== 'began' && line.kind !== 'unusable') return this.refuse('no beginning');
    switch (line.kind) {
      case 'began':
        if (this.began) return this.refuse('it began twice');
        this.began = true;
        this.file = line.file;
        return undefined;
      case 'unusable':
        this.began = true;
        this.unusable ??= { stage: line.stage, type: line.type, message: line.message, trace: line.trace };
        return undefined;
      case 'case':
        if (!this.asked.has(line.outcome.case))
          return this.refuse(`an outcome that was not asked for: ${line.outcome.case}`);
        if (this.found.has(line.outcome.case)) return this.refuse(`two outcomes of ${line.outcome.case}`);
        this.found.set(line.outcome.case, line.outcome);
        return line.outcome;
      case 'calls':
        this.calls = line.calls;
        return undefined;
      case 'coverage':
        this.coverage = line.coverage;
        return undefined;
      case 'end':
        this.ended = true;
        return undefined;
      default:
        return line satisfies never;
    }
  }

  finish(ending: { readonly cut: string | null; readonly printed: string; readonly seconds: number }): HarnessRun {
    const { cut, printed, seconds } = ending;
    const outcomes = this.cases.map((name) => this.found.get(name) ?? missing(name));
    const absent = outcomes.filter(({ status }) => status === 'missing').length;
    const short =
      this.unusable === null && absent > 0 ? `${absent} of ${outcomes.length} cases without an outcome` : null;
    return {
      file: this.file,
      unusable: this.unusable,
      outcomes,
      calls: this.calls,
      coverage: this.coverage,
      fault: this.fault ?? cut ?? (this.ended ? short : 'it ended in the middle'),
      printed,
      seconds,
    };
  }

  private refuse(fault: string): undefined {
    this.fault = fault;
    return undefined;
  }
}

function readLine(text: string): RunLine | undefined {
  try {
    return RunLine.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function missing(name: string): CaseOutcome {
  return { case: name, status: 'missing', files: {}, seconds: 0 };
}
