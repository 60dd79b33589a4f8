import type { Python } from '@pointsman/python';
import { type FunctionInstance, Problem, parseInput } from '../../contract';
import { hiddenTests, type RunSettings, secondsOf, testCommand, testIds } from './hidden-tests';
import { stubbedModule } from './stubbed-module';

export interface RolloutProblemOptions {
  /** The function's file as the repository has it. */
  readonly moduleText: string;
  /** Of `pytestBundle`. */
  readonly bundle: Readonly<Record<string, string>>;
  readonly settings?: RunSettings;
  /** Image to begin with, where it is not the environment's. */
  readonly image?: string;
}

/**
 * An instance as a problem for agents: the image with the function and every copy of it taken out and its history
 * replaced, the cases as hidden pytest tests. The environment must hold pytest and a git repository in its work directory.
 */
export function rolloutProblem(python: Python, instance: FunctionInstance, options: RolloutProblemOptions): Problem {
  const { environment, subject, slice, dependencies, outOfFile } = instance;
  const { text, gold } = stubbedModule(python, instance, options.moduleText);
  const { file } = subject.target;
  const folder = file.includes('/') ? `${file.slice(0, file.lastIndexOf('/'))}/` : '';
  return parseInput(
    Problem,
    {
      id: instance.id,
      image: options.image ?? environment.image,
      workdir: subject.workdir,
      statement: problemStatement(instance),
      tests: {
        command: testCommand(instance),
        failToPass: testIds(instance),
        passToPass: [],
        files: hiddenTests(instance, options.bundle, options.settings),
        timeoutSeconds: secondsOf(instance, options.settings),
      },
      goldPatch: gold,
      preparation: {
        files: [
          { path: file, content: text },
          // Compiled code of the module is the function too.
          { path: `${folder}__pycache__`, content: null },
        ],
        purge: subject,
      },
      provenance: {
        made: 'function problem',
        function: `${subject.target.module}.${subject.target.name}`,
        dependencies,
        outOfFile,
        items: slice.items.length,
        harness: instance.harness.author,
        ...(environment.source ? { source: environment.source } : {}),
        ...(environment.sha256 ? { sha256: environment.sha256 } : {}),
      },
      ...(environment.licence ? { licence: environment.licence } : {}),
    },
    'problem',
  );
}

/** What an agent is told: which function, where, and what it is to do. Nothing of how it did it. */
export function problemStatement({ subject: { target }, signature }: FunctionInstance): string {
  const what = target.kind === 'function' ? 'function' : 'method';
  return [
    `Implement the ${what} \`${target.name}\` of the module \`${target.module}\`, in \`${target.file}\`.`,
    '',
    'Its body is missing: where it was, `NotImplementedError` is raised. Write it so that it does what its docstring says, for every input that the docstring allows, and fits the code around it. Keep its name, its signature and its decorators. What the rest of the repository offers may be used; nothing else has to change.',
    '',
    '```python',
    signature.trimEnd(),
    '```',
    '',
  ].join('\n');
}
