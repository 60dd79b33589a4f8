import type { ServiceSpec } from '../../../contract';
import { errorSignature } from '../../error-signature';
import { MISSING_PROGRAM } from '../../missing-program';
import { LANGUAGES } from '../../repository/languages';
import type { TestReading } from '../../test-output';
import { failuresOf, WHOLE_RUN, type Whole } from '../../test-output/failures';
import type { Observed } from '../role';
import { bug, type Cause, data, external, setupCause } from './cause';
import { missingModules, moduleCause } from './missing-module';
import { nameCauses } from './missing-name';
import type { Repository } from './play';

export interface Surroundings {
  readonly repository: Repository;
  readonly services: readonly ServiceSpec[];
  /** Modules of Python that every interpreter of the environment finds, from anywhere. */
  readonly present?: ReadonlySet<string>;
}

const NO_PROGRAM =
  /(?:^|: )(\S+): (?:command )?not found$|\bexec: "([^"]+)": executable file not found|\bFileNotFoundError: \[Errno 2\] No such file or directory: '([\w.+-]+)'$|\bspawn ([\w.+-]+) ENOENT\b|\bExecutableNotFound\b|\bmake: (\S+): No such file or directory\b|\bcannot execute [‘'`"]?(\w+)[’'"]?: (?:\w+: )?No such file\b/m;
const NO_LIBRARY =
  /\berror while loading shared libraries: (\S+):|(?<!\S)(\S+): cannot open shared object file|\bfatal error: (\S+): No such file or directory|\bcannot find -l(\S+)|\bundefined reference to\b|\bundefined symbol: (\S+)|\bGLIBC\w*_[\d.]+' not found/m;
/** In pytest's own lines: any program may complain of its arguments, and only pytest says then where it is configured. */
const NO_PLUGIN =
  /^(?:ERROR: )?(?:\S*\bpy\.?test(?:\.py)?: error: unrecognized arguments?: .+|\S*__main__\.py: error: unrecognized arguments?: .+(?=\n\s+(?:inifile|rootdir):))|^E\s+fixture '[^']+' not found\b|^ERROR: .*\bUnknown config option: \S+|^(?:FAILED .* - Failed: )?async def functions are not nati/m;
const REFUSED =
  /\bConnection refused\b|\bECONNREFUSED\b|\bConnectionRefusedError\b|\bconnection to server (?:on socket|at)\b.{0,300}\bfailed\b|\bCan't connect to (?:local )?(?:MySQL|MariaDB)\b|\bServerSelectionTimeoutError\b|\bcould not connect to server\b/i;
/** A service that answers and lacks what the tests expect in it: a database, a user, a password. */
const UNPREPARED =
  /\bNo database selected\b|\bUnknown database '|\bAccess denied for user\b|\b(?:database|role) "[^"]+" does not exist\b|\bpassword authentication failed\b|\bNOAUTH\b|\bWRONGPASS\b/;
const NETWORK =
  /\bgetaddrinfo\b|\bName or service not known\b|\bTemporary failure in name resolution\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bno such host\b|\bNetwork is unreachable\b|\bCould not resolve host\b|\bFailed to establish a new connection\b|\bNewConnectionError\b|\bURLError\b|\bfailed to lookup address information\b|\bUnknownHostException\b|\bdial tcp\b|\bConnectError\b|\bno route to host\b/i;
const NO_DATA =
  /\bNo such file or directory\b.{0,300}\/[^'"\s]|\bFileNotFoundError\b.{0,300}\/|\bENOENT\b.{0,300}\/|\bResource \S{1,300} not found\b|\bdataset\b.{0,300}\bnot (?:found|available)\b|\bfound\b.{0,300}\bshould be in \S{0,300}\/|\bopen [^\s:]{1,300}: no such file or directory|\bos error 2\b/i;
/** Words of a test that ends itself for want of something, where its framework has no way to say so. */
const LEFT_OUT = /\b(?:ImportError|RuntimeError|Exception|Error): (?:[Tt]ests? )?(?:[Ss]kip(?:ping|ped)?)\b.*/;
const READ_ONLY = /\bRead-only file system\b|\bEROFS\b/;
const COVERAGE =
  /\bRequired test coverage of .{0,200} not reached\b|\bcoverage threshold\b.{0,200}\bnot met\b|\bCoverage for .{0,200} does not meet\b/i;

/**
 * Why a failure happened, as far as its report tells; null when it names nothing outside of the code. The order is that of
 * certainty: a module that is missing explains a refused connection, never the other way round. Of several reasons of the
 * kinds that are certain one that is the set-up's counts: what is optional may be missing beside it.
 */
export function causeOf(report: string, surroundings: Surroundings): Cause | null {
  const certain = [
    ...modulesMissing(report, surroundings),
    ...nameCauses(report, surroundings.repository),
    ...notInstalled(report, surroundings.repository),
    ...firstOf(NO_LIBRARY, report, (why) => setupCause(`a library is missing: ${why}`)),
    ...firstOf(NO_PLUGIN, report, (why) => setupCause(`a plugin of the test framework is missing: ${why}`)),
    ...firstOf(REFUSED, report, (why) => serviceCause(report, why, surroundings)),
    ...firstOf(UNPREPARED, report, (why) => unprepared(why, surroundings)),
  ];
  const [first] = [...certain.filter((cause) => cause.class === 'setup'), ...certain];
  if (first) return first;
  const network = NETWORK.exec(report);
  if (network) return external(`needs a network: ${lineOf(report, network.index)}`);
  const program = NO_PROGRAM.exec(report) ?? MISSING_PROGRAM.exec(report);
  if (program) return setupCause(`a program is missing: ${lineOf(report, program.index)}`);
  const readOnly = READ_ONLY.exec(report);
  if (readOnly) return bug(`writes where no test may write: ${lineOf(report, readOnly.index)}`);
  const leftOut = LEFT_OUT.exec(report);
  if (leftOut) return data(`it leaves itself out: ${lineOf(report, leftOut.index)}`);
  const missing = NO_DATA.exec(report);
  if (missing) return data(`a file is not there: ${lineOf(report, missing.index)}`);
  return null;
}

/** The cause that the first line gives which a pattern fits; none for none. */
function firstOf(pattern: RegExp, report: string, cause: (why: string) => Cause): Cause[] {
  const hit = pattern.exec(report);
  return hit ? [cause(lineOf(report, hit.index))] : [];
}

function modulesMissing(report: string, { repository, present }: Surroundings): Cause[] {
  return missingModules(report).map((module) =>
    present?.has(module) ? elsewhere(module) : moduleCause(module, repository),
  );
}

function notInstalled(report: string, { facts }: Repository): Cause[] {
  return facts.languages.flatMap((language) => {
    const pattern = LANGUAGES[language].notInstalled;
    return pattern ? firstOf(pattern, report, (why) => setupCause(`not installed: ${why}`)) : [];
  });
}

function unprepared(why: string, { services }: Surroundings): Cause {
  return services.length > 0 ? setupCause(`a service is not prepared: ${why}`) : external(`needs a service: ${why}`);
}

/** The environment has it, so who misses it looks elsewhere: in an interpreter that the test made or went out of its way to find. */
const elsewhere = (module: string): Cause => ({
  class: 'repository_bug',
  ground: 'wrong_interpreter',
  why: `${module} is there: the test starts an interpreter of its own choice`,
});

/** A service that the set-up declared is its own to run; any other is somebody else's. */
function serviceCause(report: string, why: string, { services }: Surroundings): Cause {
  const own = services.find(
    ({ name, port }) => report.includes(name) || (port !== undefined && new RegExp(`\\b${port}\\b`).test(report)),
  );
  return own ? setupCause(`the service ${own.name} does not answer: ${why}`) : external(`needs a service: ${why}`);
}

function lineOf(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  return text
    .slice(start, end < 0 ? undefined : end)
    .trim()
    .slice(0, 200);
}

export interface Classified extends Cause {
  readonly test: string;
}

/** Fewer failures than this may share their reason by chance. */
const FEW = 5;

/**
 * Every failure of a test run with its cause. A test that ran and failed without naming anything outside of the code is
 * the repository's own; what did not get to run for a reason that we do not know is the set-up's, and so is one reason
 * that most tests fail for: nobody publishes that.
 */
export function classify(command: string, observed: Observed, surroundings: Surroundings): Classified[] {
  const { run, named, whole } = failuresOf(command, observed);
  const { reading } = run;
  // Where its own report is not found, a sign of a broken environment anywhere speaks for it: read once, the output may be long.
  let anywhere: { cause: Cause | null; signature: string } | null = null;
  const explained = named.map((test): Classified => {
    const report = run.reportOf(test);
    const listed = run.listedAs(test);
    const own = causeOf([listed, report].filter(Boolean).join('\n'), surroundings);
    if (own) return { test, ...own };
    if (report !== null) return { test, ...unnamed(reading!, test, report, reasonIn(report)) };
    anywhere ??= { cause: causeOf(observed.output, surroundings), signature: errorSignature(observed.output) };
    // Its line in the list is nobody else's: what the output says last is no reason that all of them share.
    const why = listed === null ? anywhere.signature : errorSignature(listed);
    return { test, ...(anywhere.cause ?? unnamed(reading!, test, '', why)) };
  });
  const failures = namingTheCommon(explained, reading?.counts.collected ?? 0);
  return whole ? [...failures, { test: WHOLE_RUN, ...causeOfWhole(whole, observed, reading, surroundings) }] : failures;
}

/** Tests that are known to have run and failed are the repository's own unless the output says otherwise; all else is the set-up's. */
function causeOfWhole(
  { kind, why, said }: Whole,
  { output, exitCode }: Observed,
  reading: TestReading | null,
  surroundings: Surroundings,
): Cause {
  if (kind === 'stopped') return setupCause(why);
  if (kind === 'ended' && COVERAGE.test(output)) return bug('all tests ran; the project asks for more coverage');
  const cause = causeOf(said, surroundings);
  if (cause) return cause;
  if (kind === 'cut') {
    // What stood in its way may be said further up; that a test needs a network is no excuse for those that had no turn.
    const above = causeOf(output, surroundings);
    return above?.class === 'setup' ? above : setupCause(why);
  }
  const signature = errorSignature(output);
  const { failed = 0, collected = 0 } = reading?.counts ?? {};
  const most = failed >= FEW && failed > collected / 2;
  if (kind === 'beside') return bug(why);
  if (kind === 'unnamed' && failed > 0 && !most) return bug(signature || why);
  return setupCause(signature || `it ended with ${exitCode}`);
}

/**
 * What a report gives as the reason. pytest marks its lines, and around them stand source and what the test printed. The
 * first of them says what was asserted, the others how it differs: those are alike in tests that have nothing in common.
 */
function reasonIn(report: string): string {
  const [own = ''] = report.split(/^-+ Captured /m);
  const lines = own.split('\n');
  const isMarked = (line = '') => /^E(?: {2,}|$)/.test(line);
  const marked = lines.filter((line) => isMarked(line));
  const asserted = lines.findLast((line, at) => isMarked(line) && !isMarked(lines[at - 1]));
  return errorSignature(asserted === undefined ? own : [...marked, asserted].join('\n'));
}

function namingTheCommon(failures: readonly Classified[], collected: number): Classified[] {
  const alike = new Map<string, number>();
  for (const { class: kind, why } of failures) if (kind === 'repository_bug') alike.set(why, (alike.get(why) ?? 0) + 1);
  const common = (why: string) => (alike.get(why) ?? 0) >= FEW && alike.get(why)! > collected / 2;
  return failures.map(({ test, ...cause }) => ({
    test,
    ...(cause.class === 'repository_bug' && common(cause.why)
      ? setupCause(`most tests fail with it: ${cause.why}`)
      : cause),
  }));
}

function unnamed(reading: TestReading, test: string, report: string, why: string): Cause {
  if (reading.framework === 'ctest' && /\*\*\*Not Run\b/.test(report)) return setupCause('its program was not built');
  // A file, suite or package instead of a test: it was not even loaded.
  return reading.unloaded.includes(test)
    ? setupCause(`could not be loaded${why ? `: ${why}` : ''}`)
    : bug(why || 'it ran and failed');
}
