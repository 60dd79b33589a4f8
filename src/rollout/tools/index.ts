import { bash } from './bash';
import { editor } from './editor';
import { submit } from './submit';
import type { Tool } from './tool';

/** Every tool, in the order in which prompts document them. A new tool is one more entry. */
export const TOOLS = new Map<string, Tool>([bash, submit, editor].map((tool) => [tool.name, tool]));

export * from './tool';
