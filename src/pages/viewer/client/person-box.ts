import type { AwaitedPerson, PersonAct } from '../../../contract';
import type { PageData } from './data';
import { button, el, replace } from './dom';
import { foreignLine } from './foreign-text';

interface Acting {
  readonly data: PageData;
  /** Workflow id. */
  readonly id: string;
  /** Called when a turn was made. */
  readonly made: () => void;
}

/** Who acts in this browser, from one run to the next. */
let name = '';

/** Where a person makes the turn that waits for one. What is typed stays while the page is drawn anew. */
export class PersonBox {
  readonly element: HTMLElement;
  private readonly title = el('h2', {});
  private readonly by = el('input', { type: 'text', value: name });
  private readonly thought = el('textarea', { class: 'thought' });
  private readonly command = el('textarea', { class: 'command' });
  private readonly said = el('p', { class: 'note', role: 'status' });
  private readonly buttons = [
    button('Run', () => void this.run(), { title: 'Ctrl+Enter' }),
    button('Submit the work', () => void this.act('submit', {}), { class: 'quiet' }),
  ];
  private awaiting: AwaitedPerson | undefined;
  private busy = false;

  constructor(private readonly acting: Acting) {
    this.element = el(
      'section',
      { class: 'person', aria: { label: 'A turn that waits for a person' }, hidden: true },
      this.title,
      el('label', {}, 'Your name', this.by),
      el('label', {}, 'Thought', this.thought),
      el('label', {}, 'Shell command', this.command),
      el('div', { class: 'person-buttons' }, this.buttons, this.said),
    );
    this.command.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.run();
    });
  }

  /** What waits now; nothing where the page cannot act. */
  update(awaiting: AwaitedPerson | undefined): void {
    this.awaiting = awaiting;
    if (awaiting) {
      const since = new Date(awaiting.since).toLocaleString();
      replace(
        this.title,
        `Turn ${awaiting.turn} waits for a person (`,
        foreignLine(awaiting.profile),
        `) since ${since}`,
      );
    }
    this.draw();
  }

  private draw(): void {
    this.element.hidden = this.acting.data.act === undefined || (!this.awaiting && !this.busy);
    for (const each of this.buttons) each.disabled = this.busy || !this.awaiting;
  }

  private async run(): Promise<void> {
    await this.act('bash', { command: this.command.value });
  }

  private async act(tool: string, args: PersonAct['args']): Promise<void> {
    const { data, id, made } = this.acting;
    const { awaiting } = this;
    if (!awaiting || this.busy || !data.act) return;
    name = this.by.value.trim();
    if (name === '') {
      replace(this.said, 'Say who you are: the trajectory names who made a turn.');
      this.by.focus();
      return;
    }
    this.busy = true;
    this.draw();
    replace(this.said, 'Running …');
    try {
      const acted = await data.act(id, { turn: awaiting.turn, by: name, thought: this.thought.value, tool, args });
      this.thought.value = '';
      if (tool === 'bash') this.command.value = '';
      const ended = acted.timedOut ? 'it took too long and was ended' : `exit ${acted.exitCode ?? '–'}`;
      replace(this.said, `Turn ${acted.turn}: ${acted.submitted ? 'submitted' : ended}`);
    } catch (error) {
      replace(this.said, foreignLine(error instanceof Error ? error.message : String(error)));
    } finally {
      this.busy = false;
      this.draw();
    }
    made();
  }
}
