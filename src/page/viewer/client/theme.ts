import { button, replace } from './dom';

const CHOICES = ['auto', 'light', 'dark'] as const;
type Choice = (typeof CHOICES)[number];
const KEY = 'pointsman-theme';

/** A button that goes through system, light and dark; the choice is kept where the browser allows it. */
export function themeButton(): HTMLButtonElement {
  let choice = remembered();
  const press = () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length]!;
    remember(choice);
    show();
  };
  const control = button('', press, { class: 'quiet', title: 'Colours: as the system says, light, dark' });
  const show = () => {
    if (choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    replace(control, `Theme: ${choice}`);
  };
  show();
  return control;
}

function remembered(): Choice {
  try {
    const kept = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function remember(choice: Choice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // A page from a file may not be allowed to keep anything: it then begins as the system says.
  }
}
