import { z } from 'zod';
import { AtomName, type SetupMoment } from '../../../contract';
import type { ExtractOptions } from '../extract';
import { DATA_RULE, data, JSON_RULE, type Prompt } from './prompt';

/** Loose on purpose: each unit is checked by itself in `checkedDrafts`, and a bad one must not cost the others. */
export const ExtractAnswer = z.object({ units: z.array(z.unknown()).default([]), why: z.string().default('') });
export type ExtractAnswer = z.infer<typeof ExtractAnswer>;

const STEPS = 40;

export function extractPrompt(moments: readonly SetupMoment[], options: ExtractOptions): Prompt {
  return {
    system: [
      'You write notes for engineers who set up other repositories, from the record of one set-up.',
      'What becomes a note: one error together with the kept actions that made it go away. One pair, one note; actions that belong together stay together, in their order.',
      'Begin with what the charges say: where the environment was found guilty, the charged shortcut is no fix, and a note may warn of it.',
      'Never write down attempts that failed or were rolled back, nor ways to skip or filter tests.',
      'Write for any repository: no project names, no paths of this checkout, no versions of the project itself.',
      'If nothing here would help somebody else, give an empty list.',
      `Atoms are typed actions; their names are ${AtomName.options.join(', ')}. Leave the list empty where none fits.`,
      DATA_RULE,
      `${JSON_RULE} Its form: {"units": [{"signals": {"keywords": [], "regex": [], "situation_triggers": [], "applicability": {"lang": "", "os": [], "runtime": [], "tools": []}}, "advice_nl": ["one to five sentences"], "atoms": [{"name": "", "args": {}}]}], "why": "one sentence"}`,
    ].join('\n'),
    user: [
      data('facts', JSON.stringify(options.facts)),
      data('verdict', options.verdict ?? 'none'),
      ...options.charges.map((charge) => data('charge', charge, 800)),
      ...moments
        .slice(-STEPS)
        .map((moment) =>
          data(
            'step',
            `turn ${moment.turn}, ${moment.action}${moment.undone ? ', rolled back' : ''}\n$ ${moment.command ?? ''}\nexit code: ${moment.exitCode ?? 'none'}\n${moment.output}`,
            1_200,
          ),
        ),
    ].join('\n\n'),
  };
}
