import type { Charge, Ref, ServiceSpec, SetupStep, Suggestion, VerifierResult } from '../../contract';
import type { Deps } from '../../deps';
import type { Given } from '../../setup/given';
import { type Bodies, seenActions, seenMoves } from '../../setup/loop/seen';
import type { Survey } from '../../setup/repository/survey';
import type { Case, Seen, SetupDossier } from '../../setup/roles/role';

/** Characters of what one command of the agent printed: whole logs of most, both ends of the rest. It is told and learned from. */
const READ_CHARS = 200_000;

/** Reads what the roles' dossiers are made of. Reads blobs only. */
export function createReader({ blobs, setupChains }: Pick<Deps, 'blobs' | 'setupChains'>) {
  const text = async (ref: Ref): Promise<string> => (await blobs.get(ref.sha256)).toString('utf8');
  /** An output as it is told and learned from; prompts and searches cut it further by themselves. */
  const told = async (ref: Ref): Promise<string> => ends(await text(ref));
  const json = async <T>(ref: Ref): Promise<T> => JSON.parse(await text(ref)) as T;

  async function bodiesOf(steps: readonly SetupStep[]): Promise<Bodies> {
    const texts = await Promise.all(
      steps.map(async (step) => [step.observation.text.sha256, await setupChains.output(step)] as const),
    );
    return new Map(texts);
  }

  async function actions(head: string) {
    const { steps } = await setupChains.chain(head);
    const whole = await bodiesOf(steps);
    return seenActions(steps, new Map([...whole].map(([sha256, text]) => [sha256, ends(text)])));
  }

  async function caseOf(given: Given, head: string, claim: string, services: readonly ServiceSpec[]): Promise<Case> {
    return {
      source: given.source,
      goal: given.goal,
      workdir: given.workdir,
      survey: await json<Survey>(given.survey),
      components: await componentsOf(given),
      services,
      wanted: given.wanted,
      steps: (await actions(head)).filter(({ undone }) => !undone),
      claim,
    };
  }

  async function componentsOf(given: Given): Promise<SetupDossier['components']> {
    return Promise.all(
      given.components.map(async ({ name, workdir, survey }) => ({
        name,
        workdir,
        survey: await json<Survey>(survey),
      })),
    );
  }

  async function dossierOf(
    given: Given,
    head: string,
    now: {
      services: readonly ServiceSpec[];
      suggestions: readonly Suggestion[];
      verified: VerifierResult | null;
      stepsLeft: number;
    },
  ): Promise<SetupDossier> {
    const { source, version, released = null, goal, workdir, wanted } = given;
    return {
      source,
      version,
      released,
      goal,
      workdir,
      wanted,
      survey: await json<Survey>(given.survey),
      components: await componentsOf(given),
      seen: await actions(head),
      ...now,
    };
  }

  /** What a role's chain was opened with. */
  async function givenOf(head: string): Promise<Given> {
    return json<Given>((await setupChains.chain(head)).opening.given);
  }

  /**
   * A role's own moves, each with all that its command printed: tests are counted in it, and have to come to the same number
   * in a rebuilt environment. Prompts cut it for themselves.
   */
  async function movesAt<Move>(head: string): Promise<Seen<Move>[]> {
    const { steps } = await setupChains.chain(head);
    return seenMoves<Move>(steps, await bodiesOf(steps));
  }

  /** Charges with the whole output that each rests on. */
  async function charges(ref: Ref): Promise<(Charge & { output: string })[]> {
    const listed = await json<Charge[]>(ref);
    return Promise.all(listed.map(async (each) => ({ ...each, output: await text(each.evidence.output) })));
  }

  return { text, told, json, givenOf, movesAt, charges, bodiesOf, actions, caseOf, dossierOf };
}

function ends(text: string): string {
  if (text.length <= READ_CHARS) return text;
  const half = READ_CHARS / 2;
  return `${text.slice(0, half)}\n[… ${text.length - READ_CHARS} characters …]\n${text.slice(-half)}`;
}
