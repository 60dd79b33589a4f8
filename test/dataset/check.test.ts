import fc from 'fast-check';
import type { DatasetFormat } from '../../src/contract/names';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { type CheckedFile, type CheckOptions, checkRecords } from '../../src/dataset/check';
import { jsonlRecords } from '../../src/dataset/check-read';
import { EXPORTERS, type ExportContext } from '../../src/dataset/exporters';
import { jsonLine } from '../../src/dataset/parquet';
import type { DatasetRow } from '../../src/dataset/row';
import { examples } from '../support/counts';
import { anyRow, CONTEXT, runOf } from './any-row';
import { byteTokenizer, CHATML_TOOLS } from './byte-tokenizer';

const FORMATS = (Object.keys(EXPORTERS) as DatasetFormat[]).filter((format) => EXPORTERS[format].layout === 'lines');
type Fields = Record<string, unknown>;
let context: ExportContext;
beforeAll(async () => {
  context = {
    ...CONTEXT,
    tokenizer: await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS)),
  };
});

function recordsOf(format: DatasetFormat, rows: readonly DatasetRow[]): Fields[] {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') throw new Error(`${format} is a folder`);
  return rows.flatMap((row) => exporter.export(row, context).records.map((r) => JSON.parse(jsonLine(r)) as Fields));
}

function check(text: string | Uint8Array, options: Partial<CheckOptions> = {}) {
  async function* chunks() {
    yield typeof text === 'string' ? Buffer.from(text) : text;
  }
  return checkRecords(jsonlRecords(chunks()), { file: 'f.jsonl', ...options });
}

const checkThese = (records: readonly Fields[], options: Partial<CheckOptions> = {}) =>
  check(records.map((record) => `${JSON.stringify(record)}\n`).join(''), options);

const ROWS = () => [
  runOf(['student', 'student', 'expert', 'expert'], { id: 'a', dialect: 'tools' }),
  runOf(['expert', 'student', 'expert'], { id: 'b', dialect: 'tools' }),
  runOf(['expert', 'expert', 'expert', 'expert', 'expert'], { id: 'c', dialect: 'tools' }),
];

describe.each(FORMATS)('%s', (format) => {
  test('files that we write have no problems, and their format is found', async () => {
    const checked = await checkThese(recordsOf(format, ROWS()));
    expect(checked.problems).toEqual([]);
    expect(checked.format).toBe(format);
    expect(checked.trainedTurns).toBe(9 - 0);
    expect(checked.expertTurns).toBe(format === 'openai' ? null : 9);
  });

  test('whatever the texts hold', async () => {
    const unique = fc.uniqueArray(anyRow(), { selector: ({ id }) => id, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(unique, async (rows) => {
        const trained = rows.filter(({ conversation }) => conversation.turns.some((turn) => turn.trained));
        const checked = await checkThese(recordsOf(format, trained), { format });
        expect(checked.problems).toEqual([]);
        expect(checked.trainedTurns).toBe(
          trained.reduce((sum, row) => sum + row.conversation.turns.filter((turn) => turn.trained).length, 0),
        );
      }),
      { numRuns: examples(10, 25) },
    );
  });

  test('a student’s turns are the ones to train where the row says so', async () => {
    const rows = [
      runOf(['student', 'student', 'expert', 'student'], { id: 'a', dialect: 'tools', train: ['student'] }),
    ];
    const checked = await checkThese(recordsOf(format, rows));
    expect(checked.problems).toEqual([]);
    expect(checked.trainedTurns).toBe(3);
  });
});

type Messages = Fields[];
const messagesOf = (record: Fields, field = 'messages') => record[field] as Messages;

/** What can be wrong with a file, as a change to the record of the first row; what the check says of it. */
const BROKEN: [string, DatasetFormat, (record: Fields) => void, RegExp][] = [
  [
    'a student’s turn is trained',
    'universal',
    (r) => Object.assign(messagesOf(r)[2]!, { train: true, weight: 1, loss: true, loss_weight: 1 }),
    /f\.jsonl:1: turn 1: expected no loss on a turn of the student, found it trained/,
  ],
  [
    'an expert’s turn is masked',
    'axolotl',
    (r) => Object.assign(messagesOf(r)[6]!, { train: false }),
    /turn 3: expected a loss on a turn of the expert, found it masked/,
  ],
  [
    'mask fields disagree',
    'universal',
    (r) => Object.assign(messagesOf(r)[6]!, { weight: 0 }),
    /message 6: expected train, weight, loss and loss_weight to agree/,
  ],
  [
    'a tool’s message is trained',
    'axolotl',
    (r) => Object.assign(messagesOf(r)[5]!, { train: true }),
    /message 5: expected only assistant messages to be trained/,
  ],
  [
    'nothing is trained',
    'openai',
    (r) => {
      for (const message of messagesOf(r)) if ('weight' in message) message.weight = 0;
    },
    /expected a trained turn, found none/,
  ],
  [
    'an unknown field',
    'openai',
    (r) => Object.assign(r, { metadata: {} }),
    /expected no field but those of OpenAI's format, found "metadata"/,
  ],
  [
    'a weight on a user’s message',
    'openai',
    (r) => Object.assign(messagesOf(r)[1]!, { weight: 1 }),
    /found "message 1\.weight"/,
  ],
  ['no tools', 'openai', (r) => delete r.tools, /message 2: expected "bash" among the tools, found none/],
  [
    'an answer to no call',
    'universal',
    (r) => Object.assign(messagesOf(r)[3]!, { tool_call_id: 'x' }),
    /message 3: expected an answer to an open call, found tool_call_id "x"/,
  ],
  [
    'no answer to a call',
    'universal',
    (r) => messagesOf(r).splice(3, 1),
    /message 3: expected an answer to call "call00001" first, found a message of the assistant/,
  ],
  [
    'an empty turn',
    'sharegpt',
    (r) => Object.assign(messagesOf(r, 'conversations')[6]!, { value: ' ' }),
    /message 6: expected text or a call in a turn of the model, found an empty turn/,
  ],
  [
    'roles that do not alternate',
    'sharegpt',
    (r) => messagesOf(r, 'conversations').splice(2, 1),
    /expected human and gpt to take turns/,
  ],
  [
    'an end that is no turn',
    'universal',
    (r) => messagesOf(r).pop(),
    /expected the record to end with a turn of the model, found tool/,
  ],
  [
    'a second system message',
    'axolotl',
    (r) => Object.assign(messagesOf(r)[3]!, { role: 'system', tool_call_id: undefined }),
    /message 3: expected the system message to be the first/,
  ],
  [
    'a role of nobody',
    'axolotl',
    (r) => Object.assign(messagesOf(r)[1]!, { role: 'human' }),
    /message 1: expected role system, user, assistant or tool, found "human"/,
  ],
  [
    'arguments that are no JSON',
    'universal',
    (r) => Object.assign((messagesOf(r)[2]!.tool_calls as Fields[])[0]!.function as Fields, { arguments: '{' }),
    /message 2: expected arguments to be JSON/,
  ],
  [
    'no hash of a step',
    'universal',
    (r) => Object.assign(messagesOf(r)[4]!, { step: '' }),
    /turn 2: expected the hash of a step/,
  ],
  [
    'one step twice',
    'universal',
    (r) => Object.assign(messagesOf(r)[4]!, { step: messagesOf(r)[2]!.step }),
    /turn 2: expected a step of its own/,
  ],
  [
    'a completion that does not begin with a turn',
    'trl',
    (r) => messagesOf(r, 'completion').shift(),
    /expected the completion to begin with a turn of the model/,
  ],
  ['no prompt', 'trl', (r) => Object.assign(r, { prompt: [] }), /expected messages in the prompt, found none/],
  [
    'a prompt that holds the turn',
    'trl',
    (r) => messagesOf(r, 'prompt').push(messagesOf(r, 'completion').shift()!),
    /expected the prompt to end before the model’s turn/,
  ],
  [
    'a label that is another token',
    'tokens',
    (r) => ((r.labels as number[])[(r.labels as number[]).findIndex((l) => l !== -100)]! += 1),
    /expected label -100 or \d+, found \d+/,
  ],
  ['a label too few', 'tokens', (r) => (r.labels as number[]).pop(), /expected as many labels as input_ids/],
  [
    'a loss outside of turns',
    'tokens',
    (r) => ((r.labels as number[])[0] = (r.input_ids as number[])[0]!),
    /token 0: expected no loss, as it is of no trained turn/,
  ],
  [
    'no loss inside a turn',
    'tokens',
    (r) => ((r.labels as number[])[(r.labels as number[]).findIndex((l) => l !== -100)] = -100),
    /expected a loss, as it is of a trained turn/,
  ],
  [
    'an observation of another step',
    'atif',
    (r) =>
      Object.assign((((r.steps as Fields[])[3]!.observation as Fields).results as Fields[])[0]!, {
        source_call_id: 'x',
      }),
    /step 4: expected an observation of a call of the step/,
  ],
  [
    'steps that are not counted',
    'atif',
    (r) => Object.assign((r.steps as Fields[])[1]!, { step_id: 7 }),
    /expected step_id 2, found 7/,
  ],
  [
    'a student’s turn as the last',
    'sharegpt-turns',
    (r) => Object.assign(messagesOf(r, 'conversations').at(-1)!, { author: 'student' }),
    /expected no loss on a turn of the student/,
  ],
];

test.each(BROKEN)('%s (%s): the problem names line, what and expected', async (_, format, breakIt, said) => {
  const records = recordsOf(format, ROWS());
  breakIt(records[0]!);
  const { problems } = await checkThese(records, { format });
  expect(problems.join('\n')).toMatch(said);
  expect(problems[0]).toMatch(/^f\.jsonl:1: .*expected /);
});

describe('files', () => {
  test('the same row twice is found by its name and by its content', async () => {
    const [record] = recordsOf('universal', ROWS());
    const other = structuredClone(record!);
    (other.metadata as Fields).rollout_id = 'z';
    const { problems } = await checkThese([record!, record!, other]);
    expect(problems).toContain('f.jsonl:2: expected a record of its own, found the id of line 1 again');
    expect(problems).toContain('f.jsonl:3: expected a record of its own, found that of line 1 again');
  });

  test('rows over the length limit are named', async () => {
    const records = recordsOf('universal', ROWS());
    const exact = await checkThese(recordsOf('tokens', ROWS()), { maxTokens: 300 });
    expect(exact.problems[0]).toMatch(/^f\.jsonl:1: expected at most 300 tokens, found \d+: trainers cut or drop it$/);
    expect((await checkThese(records, { maxTokens: 100 })).problems[0]).toMatch(/found \d+ \(estimated\)/);
    expect((await checkThese(records, { maxTokens: 100_000 })).problems).toEqual([]);
  });

  test('what is no JSON, no record, no UTF-8 or half a character is named by its line', async () => {
    const good = JSON.stringify(recordsOf('universal', ROWS())[0]);
    const bytes = Buffer.concat([
      Buffer.from(`${good}\n{"a"\n[]\n\n`),
      Buffer.from([0x22, 0xff, 0x22, 10]),
      Buffer.from('{"messages":[{"role":"user","content":"\\ud800"}]}\n"\\\\ud800"'),
    ]);
    const { problems, rows } = await check(bytes);
    expect(problems.map((problem) => problem.slice(0, 57))).toEqual([
      expect.stringContaining('f.jsonl:2: expected JSON: '),
      'f.jsonl:3: expected an object, found []',
      'f.jsonl:4: expected a record, found an empty line',
      'f.jsonl:5: expected UTF-8, found bytes that are not',
      expect.stringContaining('f.jsonl:6: expected text that has UTF-8, found half of a '),
      expect.stringContaining('f.jsonl:7: expected an object'),
    ]);
    expect(rows).toBe(3);
  });

  test('an empty file has no rows', async () => {
    expect(await check('')).toMatchObject({ format: null, rows: 0, mask: null, problems: [] });
  });

  test('many problems are listed as far as anybody reads', async () => {
    const { problems } = await check('x\n'.repeat(1_000));
    expect(problems.length).toBe(201);
    expect(problems.at(-1)).toBe('f.jsonl: 800 more problems');
  });

  test('a data set of others, which names no authors, is checked as far as it goes', async () => {
    const record = {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    };
    expect(await checkThese([record])).toMatchObject({
      format: 'universal',
      turns: 1,
      trainedTurns: 1,
      expertTurns: null,
      problems: [],
    });
  });
});

describe('files that others write', () => {
  const say = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });
  const bash = (id: string) => ({ id, type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } });
  const kinds: [string, string, object, Partial<CheckedFile>][] = [
    [
      'plain messages',
      'universal',
      { messages: [say('user', 'a'), say('assistant', 'b'), say('user', 'c'), say('assistant', 'd')] },
      { trainedTurns: 2, mask: 'no mask: both assistant turns are trained' },
    ],
    [
      'plain messages as JSON text, and content in parts',
      'universal',
      { messages: JSON.stringify([say('user', [{ type: 'text', text: 'a' }]), say('assistant', 'b')]) },
      { trainedTurns: 1, mask: 'no mask: the assistant turn is trained' },
    ],
    [
      'a SWE-agent trajectory',
      'traj (SWE-agent)',
      {
        environment: 'e',
        trajectory: [{ action: 'ls', observation: 'a', response: 'r', thought: 't' }],
        history: [
          say('system', 's', { agent: 'main', message_type: 'system_prompt' }),
          say('user', [{ type: 'text', text: 'u', cache_control: { type: 'ephemeral' } }]),
          say('assistant', 'I look.', { thought: 'I look.', action: 'ls', tool_calls: [bash('c1')] }),
          say('tool', 'a.py', { tool_call_ids: ['c1'] }),
        ],
        info: { exit_status: 'submitted', submission: null },
      },
      { trainedTurns: 1, mask: 'no mask: the assistant turn is trained' },
    ],
    [
      'a mini-swe-agent trajectory',
      'traj (mini-swe-agent)',
      {
        info: { exit_status: 'Submitted', model_stats: {} },
        messages: [say('system', 's'), say('user', 'u'), say('assistant', 'b'), say('exit', 'done')],
        trajectory_format: 'mini-swe-agent-1.1',
      },
      { trainedTurns: 1 },
    ],
    [
      'a list of messages called trajectory',
      'trajectory (lists of messages)',
      {
        instance_id: 'a',
        trajectory: [
          say('system', 's'),
          say('user', 'u'),
          say('assistant', '', { tool_calls: [bash('c1')] }),
          say('tool', 'a', { tool_call_id: 'c1', name: 'bash' }),
        ],
      },
      { trainedTurns: 1, mask: 'no mask: the assistant turn is trained' },
    ],
    [
      'LLaMA-Factory’s calls and observations',
      'sharegpt',
      {
        conversations: [
          { from: 'human', value: 'u' },
          { from: 'function_call', value: '{"name": "look", "arguments": {}}' },
          { from: 'observation', value: 'a' },
          { from: 'gpt', value: 'There.' },
        ],
        system: 's',
        tools: '[{"name": "look", "description": "", "parameters": {}}]',
      },
      { trainedTurns: 2, mask: 'no mask: both assistant turns are trained' },
    ],
    [
      'alpaca',
      'alpaca',
      { instruction: 'Add.', input: '1 2', output: '3', system: '', history: [['a', 'b']] },
      { trainedTurns: 2, mask: 'no mask: both assistant turns are trained' },
    ],
  ];
  test.each(kinds)('%s are named, and who is trained is said', async (_, format, record, expected) => {
    expect(await checkThese([record as Fields])).toMatchObject({ format, problems: [], ...expected });
  });

  test('a mask that trainers pass over is said', async () => {
    const checked = await checkThese(recordsOf('sharegpt', [runOf(['expert', 'student'], { id: 'a' })]));
    expect(checked.mask).toBe('a mask that its usual trainers do not read: by them both assistant turns are trained');
    expect((await checkThese(recordsOf('axolotl', ROWS()))).mask).toBeNull();
  });

  test('a call that is no JSON is a problem', async () => {
    const record = {
      conversations: [
        { from: 'human', value: 'u' },
        { from: 'function_call', value: 'ls' },
      ],
    };
    expect((await checkThese([record])).problems[0]).toMatch(
      /expected a function_call to be JSON with a name, found "ls"/,
    );
  });

  test('a tokenizer’s chat template is tried on each row', async () => {
    const silent = await createChatTokenizer(byteTokenizer('look', 0));
    const { problems } = await checkThese(recordsOf('universal', ROWS()), { tokenizer: silent });
    expect(problems.length).toBe(3);
    expect(problems[0]).toMatch(
      /^f\.jsonl:1: chat template: the template does not show the list of tools, the name of the call/,
    );
    expect((await checkThese(recordsOf('universal', ROWS()), { tokenizer: context.tokenizer! })).problems).toEqual([]);
  });
});
