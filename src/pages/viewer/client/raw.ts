import { copy } from './clipboard';
import type { PageData } from './data';
import { button, el } from './dom';
import { foreign } from './foreign-text';

/** A blob that holds JSON, readable, in a window of the page. */
export async function showJson(title: string, data: PageData, sha256: string): Promise<void> {
  const text = await data.blob(sha256).catch((error: Error) => `${error.message}`);
  const shown =
    text === undefined
      ? 'This file does not hold the step as it is stored; it was written with a smaller limit.'
      : pretty(text);
  const address = data.address(sha256);
  openDialog(title, [
    el(
      'div',
      { class: 'tools' },
      button('Copy', () => void copy(shown)),
      address ? el('a', { href: new URL(address, location.href).href, target: '_blank' }, 'Open the blob') : null,
    ),
    el('pre', { class: 'text raw', tabindex: 0 }, foreign(shown)),
  ]);
}

/** A modal window; Esc and a click beside it close it. */
export function openDialog(title: string, body: readonly Node[]): void {
  const dialog = el('dialog', { aria: { label: title } });
  const close = button('Close', () => dialog.close(), { class: 'quiet' });
  dialog.append(el('header', { class: 'dialog-head' }, el('h2', {}, title), close), ...body);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
