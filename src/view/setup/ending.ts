import type { RepoSetupResult, ServiceSpec } from '../../contract';
import { shortened, wrapWords } from '../columns';
import { duration } from '../figures';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { heading } from '../verdict';
import { chargeLines, evidenceLines } from './charges';
import { claimLines } from './header';
import { commandLines, labelled } from './output';
import type { ShownSetup } from './shown-setup';

const NAMES = 10;

/** How it ended: the tests, the charges, what is kept, where to look. */
export function setupEnding(run: ShownSetup, look: Look): string[] {
  const { result } = run;
  const paint = ink(look.coloured);
  return [
    ...(result ? [...verifierLines(result, look), ...verdictLines(result, look)] : []),
    ...(result && result.services.length > 0
      ? [heading('services', look), ...result.services.flatMap((spec) => serviceLines(spec, look)), '']
      : []),
    heading('summary', look),
    ...(result ? summaryLines(result, look) : []),
    ...(run.trouble ? wrapWords([safeLine(run.trouble)], look.width).map(paint.bad) : []),
    ...(run.head ? [`head  ${run.head}`] : []),
    // An address that is wrapped can no longer be clicked or copied, so these lines may be longer than the terminal.
    ...run.links.map(([label, target]) => `${label}  ${target}`),
  ];
}

function verifierLines({ verifier }: RepoSetupResult, look: Look): string[] {
  if (!verifier) return [];
  const shown = verifier.failures.slice(0, look.full ? verifier.failures.length : NAMES);
  const more = verifier.failures.length - shown.length;
  return [
    heading('verifier', look),
    ...(verifier.evidence ? evidenceLines(verifier.evidence, look) : ['No test was run.']),
    ...shown.map(({ test, class: kind, why }) => shortened(`✗ ${kind}: ${safeLine(`${test}: ${why}`)}`, look.width)),
    ...(more > 0 ? [ink(look.coloured).dim(`… ${more} more`)] : []),
    '',
  ];
}

function verdictLines({ verdict }: RepoSetupResult, look: Look): string[] {
  if (!verdict) return [];
  return [heading(`verdict · ${verdict.verdict.replaceAll('_', ' ')}`, look), ...chargeLines(verdict, look), ''];
}

function serviceLines({ name, kind, image, port, start }: ServiceSpec, look: Look): string[] {
  const where = [kind, ...(image ? [image] : []), ...(port ? [`port ${port}`] : [])].join(', ');
  return [...wrapWords([safeLine(`${name} (${where})`)], look.width), ...(start ? commandLines(start, look) : [])];
}

function summaryLines(result: RepoSetupResult, look: Look): string[] {
  const { reproduced, reproducedDetail, testCommand, learned, image, workdir, seconds, notes, detail } = result;
  const again = reproduced === null ? 'not tried' : reproduced ? 'yes' : 'no';
  return [
    ...claimLines(result, look),
    ...(detail ? labelled('why', detail, look) : []),
    ...labelled('reproduced from the script', again + (reproducedDetail ? ` (${reproducedDetail})` : ''), look),
    ...(testCommand ? labelled('test command', testCommand, look) : []),
    ...learned.flatMap(({ unit, how }) => labelled('learned', `${unit} (${how})`, look)),
    ...notes.flatMap((note) => labelled('note', note, look)),
    ...(image ? [`image  ${safeLine(image)} (work directory ${safeLine(workdir)})`] : []),
    `took ${duration(seconds * 1000)}`,
  ];
}
