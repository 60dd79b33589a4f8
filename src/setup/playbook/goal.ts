import type { ServiceSpec, SetupAction, Suggestion } from '../../contract';
import type { ProjectFacts } from '../repository/facts';
import type { Survey } from '../repository/survey';
import type { Outcome, World, WorldTrial } from './worlds';

/** One repository that is to be set up: the main one, or a component of its family. */
export interface Project {
  /** Empty for the main one. */
  readonly name: string;
  /** As the input writes it. */
  readonly source: string;
  /** Where the project is: in a folder of the repository where its root has nothing to build. */
  readonly workdir: string;
  /** That folder, empty for the root. */
  readonly folder: string;
  readonly survey: Survey;
  readonly facts: ProjectFacts;
  /** The source's word where it has one, else the manifest's. */
  readonly version: string | null;
  /** When it was published or committed (ISO 8601, UTC), where that is known. */
  readonly released: string | null;
  /** Services that are to run. */
  readonly wanted: readonly ServiceSpec[];
}

/** Choices made for one project, by slot: `install=plain` replaces `install=editable`. */
export type Ways = ReadonlyMap<string, string>;

/** An action before the playbook has said why. */
export type Act = SetupAction extends infer Each ? (Each extends SetupAction ? Omit<Each, 'thought'> : never) : never;

/** A state of the sandbox that is wanted, and the action that brings it about. Goals of a plan are reached in order. */
export interface Goal {
  readonly id: string;
  readonly say: string;
  act(ways: Ways): Act;
  /** When nothing helps any more, the plan goes on without it. */
  readonly optional?: boolean;
}

/** What an error says is wrong: a kind, and what it is about (a module, a command, a header, ...). */
export interface Cause {
  readonly kind: string;
  readonly what: string;
}

/** An error text to its cause. The first group of a match is what the cause is about. */
export interface Reader {
  readonly cause: string;
  readonly pattern: RegExp;
  /** Where the group is not yet the name: null passes the match over. */
  readonly what?: (found: RegExpMatchArray, project: Project) => string | null;
}

export interface Predicament {
  readonly project: Project;
  readonly goal: Goal;
  readonly ways: Ways;
  /** Output of the failed step. */
  readonly text: string;
  /** Worlds that were made for the project so far, and how things stood before the first of them. */
  readonly worlds: { readonly base: Outcome; readonly trials: readonly WorldTrial[] };
  /** Units of experience that were found for it and not tried yet, best first. */
  readonly suggestions: readonly Suggestion[];
}

/**
 * Something to do before the goal is tried again, or another way to reach it. A `world` is kept only where it is better; `unit`
 * is the one that told of it.
 */
export type Fix =
  | { readonly act: Act; readonly world?: World; readonly unit?: string }
  | { readonly way: readonly [slot: string, value: string] };

/** A cause to a fix. Each is tried once for each thing that a cause is about. */
export interface Remedy {
  readonly name: string;
  readonly cause: string;
  /** False for what only may help: a unit of experience that fits goes first. */
  readonly sure: boolean;
  /** Whether one by one is worth a try where all at once failed, because one unknown name spoils the command for all. */
  readonly apart?: boolean;
  /** Null where it has nothing for these. `whats` holds several only where one action can serve them all. */
  fix(whats: readonly string[], predicament: Predicament): Fix | null;
}

/** What the playbook knows of one group of languages. */
export interface Ecosystem {
  /** Its goals are named after it: `go/tests`. */
  readonly name: string;
  plan(project: Project): Goal[];
  readonly readers: readonly Reader[];
  readonly remedies: readonly Remedy[];
}

export function shell(command: string): Act {
  return { action: 'shell', command };
}

/** A goal that one command reaches, whatever the ways. */
export function step(id: string, say: string, command: string | ((ways: Ways) => string), optional = false): Goal {
  return { id, say, optional, act: (ways) => shell(typeof command === 'string' ? command : command(ways)) };
}
