import type { z } from 'zod';
import { PointsmanError } from '../contract/errors';
import { addHandOverValue } from '../contract/hand-over';
import { DialectName } from '../contract/names';
import { DIALECTS, type Dialect } from './dialects';
import { POLICIES, type Policy } from './handover';
import { findTool, TOOLS, type Tool } from './tools';

/**
 * What extensions add to the tables of a rollout, once and before the first input is read. Apart from the tables, which pages
 * have too: these need the schemas of inputs. Each throws `InvalidInput` for a name that is taken.
 */
export function addDialect(dialect: Dialect): void {
  DialectName.add(dialect.name);
  Object.assign(DIALECTS, { [dialect.name]: dialect });
}

/** For every rollout of this worker. */
export function addTool(tool: Tool): void {
  const taken = [tool.name, ...tool.aliases].find((name) => findTool(TOOLS, name));
  if (taken) throw new PointsmanError('InvalidInput', `there is a tool that is called ${taken}`);
  TOOLS.set(tool.name, tool);
}

/** A policy of an extension, with the schema of what inputs say of it. */
export interface AddedPolicy<Value> extends Policy<Value> {
  readonly value: z.ZodType<Value>;
}

export function addPolicy<Value>(name: string, { value, ...policy }: AddedPolicy<Value>): void {
  if (name in POLICIES || name === 'on')
    throw new PointsmanError('InvalidInput', `there is a policy that is called ${name}`);
  addHandOverValue(name, value);
  Object.assign(POLICIES, { [name]: policy });
}
