import { safeHref } from '../../html';

export type Child = Node | string | null | undefined | false | readonly Child[];

interface Props {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  readonly href?: string;
  readonly type?: string;
  readonly role?: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly tabindex?: number;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
  readonly open?: boolean;
  readonly for?: string;
  readonly scope?: string;
  readonly min?: string;
  readonly inputmode?: string;
  readonly colspan?: number;
  readonly download?: string;
  readonly target?: string;
  readonly aria?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly data?: Readonly<Record<string, string | number | undefined>>;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
}

/** An element. Children that are strings become text: there is no way to markup from here. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  const { aria = {}, data = {}, on = {}, ...attributes } = props;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : name === 'href' ? safeHref(String(value)) : String(value));
  }
  for (const [name, value] of Object.entries(aria))
    if (value !== undefined) element.setAttribute(`aria-${name}`, String(value));
  for (const [name, value] of Object.entries(data)) if (value !== undefined) element.dataset[name] = String(value);
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener);
  add(element, children);
  return element;
}

function add(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (isList(child)) add(parent, child);
    else parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
}

/** Forms and selects have a length too. */
function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}

export function replace(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

export function button(label: Child, press: () => void, props: Props = {}): HTMLButtonElement {
  return el('button', { type: 'button', ...props, on: { ...props.on, click: press } }, label);
}
