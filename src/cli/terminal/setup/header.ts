import type {
  Charge,
  Evidence,
  Finding,
  FrameRecord,
  RepoSetupResult,
  ServiceSpec,
  SetupVerdictResult,
  TrialRecord,
  WorldRecord,
} from '../../../contract';
import { SetupAction } from '../../../contract';
import { count, dollars, duration, grouped, moment } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import type { ShownSetup, ShownSetupStep } from '../../../pages/shown-setup';
import { countsLine } from '../../../setup/counts-line';
import { comparedWorlds } from '../../../setup/playbook/compared-worlds';
import type { SeenAction } from '../../../setup/roles/role';
import { columnsOf, heading, shortened, wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import { refusedLines } from '../turn';
import { setupStepLines } from './move';
import { commandLines, indented, inside, labelled, outputLines } from './output';

/** What it is about, where it is, and who says what of it. */
function setupHeader(run: ShownSetup, look: Look): string[] {
  const paint = ink(look.coloured);
  const { result, progress } = run;
  return [
    paint.strong(shortened(safeLine(run.source), look.width)),
    ...(run.id ? [safeLine(run.id)] : []),
    statusLine(run, look),
    ...(result ? claimLines(result, look) : []),
    ...used(run, look),
    ...(progress?.error ? labelled('error', progress.error, look).map(paint.bad) : []),
    ...(progress && progress.frames.length > 0 ? labelled('frames', progress.frames.join(' › '), look) : []),
    ...(progress && progress.suggested.length > 0 ? labelled('suggested', progress.suggested.join(', '), look) : []),
  ];
}

function statusLine({ status, phase, result, startedAt, endedAt }: ShownSetup, look: Look): string {
  const paint = ink(look.coloured);
  const said = status === 'chain' ? 'a chain of steps, without its workflow' : status;
  const doing = status === 'running' && phase ? ` (${safeLine(phase.toLowerCase())})` : '';
  const outcome = result ? `, ${result.status.replaceAll('_', ' ')}` : '';
  const good = status === 'completed' && result?.status === 'verified';
  const colour = good ? paint.good : status === 'running' || status === 'chain' ? paint.notice : paint.bad;
  const took = endedAt && startedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : '';
  return `${colour(`${said}${outcome}`)}${doing}${startedAt ? ` · ${moment(startedAt)} UTC` : ''}${took}`;
}

/** The agent's claim, the verifier's and the judge's answers side by side: where they differ is what a reader came for. */
export function claimLines(result: RepoSetupResult, look: Look): string[] {
  const paint = ink(look.coloured);
  const { verifier, verdict, selfClaim, tests } = result;
  const says = (name: string, word: string, good: boolean | null) =>
    `${name} ${(good === null ? paint.dim : good ? paint.good : paint.bad)(word)}`;
  const words = [
    says('self-claim', selfClaim ? 'yes' : 'no', selfClaim),
    says('verifier', verifier === null ? 'none' : verifier.success ? 'yes' : 'no', verifier?.success ?? null),
    says(
      'verdict',
      verdict === null ? 'not judged' : verdict.verdict.replaceAll('_', ' '),
      verdict === null ? null : verdict.verdict === 'not_guilty',
    ),
  ];
  const how = verifier?.smoke ? 'smoke test' : safeLine(verifier?.framework ?? 'tests');
  return [words.join('  │  '), ...wrapWords([`${how}: ${countsLine(tests)}`], look.width)];
}

function used({ steps, result, progress, agent, role }: ShownSetup, look: Look): string[] {
  if (role !== 'agent')
    return [steps.length === 0 ? `The ${role} made no move.` : `${count(steps.length, 'move')} of the ${role}`];
  const cost = result?.cost ?? progress?.cost;
  const facts = [
    ...(agent ? [safeLine(agent)] : []),
    count(result?.steps ?? steps.length, 'step'),
    ...(result && result.rollbacks > 0 ? [count(result.rollbacks, 'rollback')] : []),
    ...(result && result.formatRetries > 0
      ? [count(result.formatRetries, 'malformed reply', 'malformed replies')]
      : []),
    ...(cost ? [dollars(cost.usd), `${grouped(cost.tokens)} tokens`] : []),
  ];
  return wrapWords([facts.join(', ')], look.width);
}

/** A whole set-up as a person reads it, from top to bottom. With `only`, that one step. */
export function setupText(run: ShownSetup, look: Look, only?: number): string {
  const steps = run.steps.filter(({ turn }) => only === undefined || turn.turn === only);
  const drawn = steps.flatMap((step) => setupStepLines(step, look));
  if (only !== undefined) return drawn.join('\n').trimEnd();
  const refused = refusedLines(run.refused ?? [], inside(look));
  const whole = run.role === 'agent' ? run.result : undefined;
  return [
    ...setupHeader(run, look),
    '',
    ...(whole && whole.frames.length > 0 ? [heading('frames', look), ...frameTree(whole.frames, look), ''] : []),
    ...drawn,
    ...(refused.length > 0 ? [...refused, ''] : []),
    ...(whole && whole.units.length > 0 ? [heading('experience', look), ...trialLines(whole.units, look), ''] : []),
    ...(run.role === 'agent' ? worldLines(whole?.worlds ?? comparedWorlds(run.steps.map(asSeen)), look) : []),
    ...setupEnding({ ...run, result: whole }, look),
  ]
    .join('\n')
    .trimEnd();
}

const NAMES = 10;

/** A step as the policies know it; one whose move is none that this version knows is no step of the playbook's. */
function asSeen({ turn, observation, output, undoneBy, notes }: ShownSetupStep): SeenAction {
  const read = SetupAction.safeParse(turn.move);
  const move = read.success ? read.data : { action: 'shell' as const, thought: '', command: 'true' };
  const { exitCode, timedOutAfter } = observation;
  const observed = { exitCode, output, timedOut: timedOutAfter !== null };
  return { turn: turn.turn, move, observed, undone: undoneBy !== null, notes };
}

/** Worlds side by side: how each did, what is pinned in the one that stands, and the tests by which they differ. */
function worldLines(worlds: readonly WorldRecord[], look: Look): string[] {
  if (worlds.length === 0) return [];
  const paint = ink(look.coloured);
  const rows = worlds.flatMap(({ what, passed, wrong, stands }, at) => {
    const figures = passed === null ? 'not to be had' : `${passed} passed, ${wrong} failed`;
    return wrapWords([safeLine(`${stands ? '●' : '✗'} ${letterOf(at)}  ${figures}: ${what}`)], look.width);
  });
  const names = [...new Set(worlds.flatMap(({ failures }) => failures))];
  const differing = names.filter((name) => worlds.some(({ failures, passed }) => passed && !failures.includes(name)));
  const shown = differing.slice(0, look.full ? differing.length : NAMES);
  const more = differing.length - shown.length;
  const pinned = worlds.find(({ stands }) => stands)?.packages ?? [];
  return [
    heading('worlds', look),
    ...rows,
    ...(pinned.length > 0 ? labelled('pinned', pinned.join(' '), look) : []),
    ...shown.map((name) => {
      const failing = worlds.flatMap(({ failures }, at) => (failures.includes(name) ? [letterOf(at)] : []));
      return shortened(safeLine(`  fails in ${failing.join(' ')}: ${name}`), look.width);
    }),
    ...(more > 0 ? [paint.dim(`… ${more} more`)] : []),
    '',
  ];
}

const letterOf = (at: number) => String.fromCharCode('A'.charCodeAt(0) + at);

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

const EVIDENCE = { head: 4, tail: 2 };

/** Every charge with what shows it, and what the judge found when it ran that again. */
function chargeLines({ charges, findings, detail }: SetupVerdictResult, look: Look): string[] {
  return [
    ...(detail ? labelled('reason', detail, look) : []),
    ...(charges.length === 0 ? ['No charge was brought.'] : []),
    ...charges.flatMap((charge) =>
      oneCharge(
        charge,
        findings.find((finding) => finding.charge === charge.id),
        look,
      ),
    ),
  ];
}

function oneCharge({ id, kind, claim, declared, evidence }: Charge, finding: Finding | undefined, look: Look) {
  const paint = ink(look.coloured);
  const inner = inside(look);
  const found = !finding
    ? 'no finding'
    : `${finding.upheld ? 'upheld' : 'dismissed'} (${finding.ground.replaceAll('_', ' ')})`;
  const colour = !finding ? paint.notice : finding.upheld ? paint.bad : paint.good;
  return [
    ...wrapWords([`${id}. ${kind.replaceAll('_', ' ')} · ${found}: ${safeLine(claim)}`], look.width).map(colour),
    ...indented([
      ...(declared === '' ? [] : labelled('declared', declared, inner)),
      ...evidenceLines(evidence, inner),
      ...(finding?.why ? labelled('judge', finding.why, inner) : []),
      ...(finding?.evidence ?? []).flatMap((again) => evidenceLines(again, inner)),
    ]),
  ];
}

function evidenceLines({ command, exitCode, timedOut, preview }: Evidence, look: Look): string[] {
  const ended = timedOut ? 'killed at its deadline' : `exit ${exitCode ?? '-'}`;
  return [
    ...commandLines(command, look),
    ...outputLines(`${preview.trimEnd()}\n[${ended}]`.trimStart(), look, EVIDENCE),
  ];
}

/**
 * Frames as a tree: the newest child goes on in its parent's column, and what a rollback left behind branches off to the
 * right. `●` stands, `✗` was dropped.
 */
export function frameTree(frames: readonly FrameRecord[], look: Look): string[] {
  const children = new Map<number | null, FrameRecord[]>();
  for (const frame of frames) children.set(frame.parent, [...(children.get(frame.parent) ?? []), frame]);
  const lines: string[] = [];
  // Of a list of siblings the last one is the trunk; a loop follows it, so that a long stack needs no recursion.
  const draw = (siblings: readonly FrameRecord[], margin: string): void => {
    for (let level = siblings; level.length > 0; ) {
      for (const branch of level.slice(0, -1)) {
        lines.push(frameLine(branch, `${margin}├─`, look));
        draw(children.get(branch.index) ?? [], `${margin}│ `);
      }
      const trunk = level.at(-1)!;
      lines.push(frameLine(trunk, margin, look));
      level = children.get(trunk.index) ?? [];
    }
  };
  draw(children.get(null) ?? [], '');
  return lines;
}

function frameLine({ index, label, turn, mib, seconds, rules, droppedAt }: FrameRecord, margin: string, look: Look) {
  const paint = ink(look.coloured);
  const facts = [
    `turn ${turn}`,
    `${mib.toFixed(1)} MiB`,
    duration(seconds * 1000),
    ...(rules.length > 0 ? [rules.map(safeLine).join(', ')] : []),
    ...(droppedAt === null ? [] : [`dropped at turn ${droppedAt}`]),
  ].join(' · ');
  const start = `${margin}${droppedAt === null ? '●' : '✗'} ${index} `;
  const room = Math.max(8, look.width - columnsOf(start) - columnsOf(facts) - 2);
  const line = `${start}${shortened(safeLine(label), room)}  ${facts}`;
  return droppedAt === null ? shortened(line, look.width) : paint.dim(shortened(line, look.width));
}

/** What became of each unit that was tried: the decisive lines before and after, and whether it stayed. */
export function trialLines(trials: readonly TrialRecord[], look: Look): string[] {
  const paint = ink(look.coloured);
  const inner = inside(look);
  return trials.flatMap(({ turn, unit, command, before, after, outcome, kept }) => {
    const colour = outcome === 'success' ? paint.good : outcome === 'failure' ? paint.bad : paint.notice;
    const head = `turn ${turn} · ${safeLine(unit)} · ${outcome} · ${kept ? 'kept' : 'rolled back'}`;
    return [
      ...wrapWords([head], look.width).map(colour),
      ...indented([
        ...commandLines(command, inner),
        ...(before === '' ? [] : labelled('before', before, inner)),
        ...(before === '' && after === '' ? [] : labelled('after', after || 'the error is gone', inner)),
      ]),
    ];
  });
}
