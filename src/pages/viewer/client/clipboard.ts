import { button, el, replace } from './dom';

export function copyButton(text: string, label: string): HTMLButtonElement {
  const made: HTMLButtonElement = button('Copy', () => void copy(text).then(() => replace(made, 'Copied')), {
    class: 'copy',
    aria: { label: `Copy: ${label}` },
  });
  return made;
}

/** The clipboard of a page from a file may be closed; a selection is then all that can be done. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el('textarea', { class: 'unseen', aria: { label: 'text to copy' } }, text);
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
