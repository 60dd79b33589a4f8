import type { FunctionInstance } from '../../contract';

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
