/** File outside of the work directory to which every command adds its number: what ran twice stands there twice. */
const COUNTER = '/var/tmp/ran';

const bash = (k: number, command: string) => ({
  thought: `Step ${k}.`,
  tool: 'bash',
  args: { command: `echo ${k} >> ${COUNTER}; ${command}` },
});
const edit = (k: number, args: Record<string, unknown>) => ({
  thought: `Step ${k}.`,
  tool: 'str_replace_editor',
  args,
});

/** One of eight kinds of step: state that persists, edits and their undoing, output, failure, commands of some length. */
function step(k: number): unknown {
  const file = `/testbed/src/made_${Math.floor(k / 8)}.py`;
  switch (k % 8) {
    case 1:
      return bash(k, `mkdir -p /testbed/d${k} && cd /testbed/d${k} && export AT=${k}`);
    case 2:
      return bash(k, 'sleep 0.4; pwd; echo "at $AT"');
    case 3:
      return edit(k, { command: 'create', path: file, file_text: `first = ${k}\nsecond = 2\n` });
    case 4:
      return edit(k, { command: 'str_replace', path: file, old_str: 'second = 2', new_str: `second = ${k}` });
    case 5:
      return edit(k, { command: 'undo_edit', path: file });
    case 6:
      return bash(k, `cat ${file}; sleep 0.1; echo ${k} >> /testbed/README.md; (exit ${k % 3})`);
    case 7:
      return edit(k, { command: 'insert', path: file, insert_line: 1, new_str: `inserted = ${k}` });
    default:
      return bash(
        k,
        `sleep 0.1; for i in $(seq 40); do echo "line $i of ${k}"; done; git -C /testbed status --short | head -3`,
      );
  }
}

/**
 * A rollout of `steps` steps, the first half the student's (xml, turns counted) and the rest the expert's (tools, by
 * matching), with a malformed reply before every sixteenth step; the last command shows the counter and then it is submitted.
 */
export function longScript(steps: number, more: { latencyMs?: number; faults?: unknown[] } = {}) {
  const handOver = Math.floor(steps / 2);
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const slip = (k: number) => (k % 16 === 6 ? [{ malformed: 'prose' }] : []);
  const student = numbers(1, handOver).flatMap((k) => [...slip(k), step(k)]);
  const expert = [
    ...numbers(handOver + 1, steps - 2).flatMap((k) => [...slip(k), step(k)]),
    { thought: 'What ran?', tool: 'bash', args: { command: `cat ${COUNTER}` } },
  ];
  return {
    handOver,
    /** Model calls of the undisturbed run: each turn once and each slip once. */
    calls: steps + numbers(1, steps - 2).filter((k) => slip(k).length > 0).length,
    script: {
      models: {
        student: { dialect: 'xml', position: 'turn', turns: student, ...more },
        expert: { dialect: 'tools', position: 'match', turns: expert, end: 'submit', ...more },
      },
    },
    profiles: { student: { view: { dialect: 'xml' } }, expert: { view: { dialect: 'tools' } } },
  };
}

/** Numbers of the steps that run a command, in order. */
export function commandsOf(steps: number): number[] {
  return Array.from({ length: steps - 2 }, (_, i) => i + 1).filter((k) => [0, 1, 2, 6].includes(k % 8));
}
