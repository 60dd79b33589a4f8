import { PointsmanError } from '../../contract/errors';
import { bash } from './bash';
import { editor } from './editor';
import { submit } from './submit';
import { findTool, type Tool, type ToolTable } from './tool';

/** Every tool, in the order in which prompts document them. A new tool is one more entry. */
const table = new Map<string, Tool>([bash, submit, editor].map((tool) => [tool.name, tool]));
export const TOOLS: ToolTable = table;

/** Adds one of an extension, for every rollout of this worker. Throws `InvalidInput` for a name that is taken. */
export function addTool(tool: Tool): void {
  const taken = [tool.name, ...tool.aliases].find((name) => findTool(table, name));
  if (taken) throw new PointsmanError('InvalidInput', `there is a tool that is called ${taken}`);
  table.set(tool.name, tool);
}

export * from './tool';
