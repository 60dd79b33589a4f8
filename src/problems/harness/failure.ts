import type { CaseOutcome, HarnessFailure, HarnessTrouble } from '../../contract';
import type { HarnessRun } from './run';

/**
 * R2E's classes of failure (§4, Table 1), by the last part of an exception's name. What is not listed is a value or type
 * error: the paper's largest class, wrong inputs built for the function.
 */
const CLASSES: readonly { readonly names: RegExp; readonly failure: HarnessFailure }[] = [
  { names: /^(SyntaxError|IndentationError|TabError)$/, failure: 'malformed' },
  { names: /^AssertionError$|Assertion/, failure: 'assertion' },
  {
    names:
      /^(ImportError|ModuleNotFoundError|OSError|IOError|MemoryError|RuntimeError|SystemError|SystemExit|EOFError)$/,
    failure: 'environment',
  },
  {
    names: /(File|Permission|Connection|Timeout|Process|Socket|Network|Directory|Pipe)\w*Error$/,
    failure: 'environment',
  },
  { names: /^(KeyError|IndexError|LookupError|Error|BadZipFile)$/, failure: 'data_format' },
  {
    names: /(Decode|Encode|Parse|Parser|Parsing|Format|Schema|Validation)\w*(Error|Exception)$/,
    failure: 'data_format',
  },
];

export function classOfException(type: string): HarnessFailure {
  const name = type.split('.').at(-1)!;
  return CLASSES.find(({ names }) => names.test(name))?.failure ?? 'value_or_type';
}

/** What is wrong with a run on the reference itself. Empty for one that can be built on. */
export function troublesOf(run: HarnessRun): HarnessTrouble[] {
  if (run.unusable) {
    const { stage, type, message, trace } = run.unusable;
    const failure = stage === 'subject' ? 'environment' : classOfException(type);
    return [{ failure, case: null, message: `the ${stage} cannot be imported: ${type}: ${message}`, trace }];
  }
  const troubles = run.outcomes.flatMap((outcome) => troubleOf(outcome) ?? []);
  if (run.fault === null || troubles.length > 0) return troubles;
  return [{ failure: 'environment', case: null, message: run.fault, trace: run.printed.slice(-2000) }];
}

function troubleOf({ case: name, status, raised }: CaseOutcome): HarnessTrouble | undefined {
  switch (status) {
    case 'returned':
      return undefined;
    case 'raised': {
      const { type = '', message = '', trace = '' } = raised ?? {};
      return { failure: classOfException(type), case: name, message: `${type}: ${message}`, trace };
    }
    case 'timeout':
      return { failure: 'environment', case: name, message: 'it did not end in its time', trace: '' };
    case 'crashed':
      return { failure: 'environment', case: name, message: 'its process ended without an answer', trace: '' };
    case 'missing':
      return { failure: 'environment', case: name, message: 'it was never run', trace: '' };
    default:
      return status satisfies never;
  }
}
