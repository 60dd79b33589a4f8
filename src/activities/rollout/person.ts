import { profileNamed } from '../../config';
import { type Author, PERSON, type PersonAct, PointsmanError, type Turn } from '../../contract';
import type { Deps } from '../../deps';
import { isWellFormed } from '../../rollout/clip';
import { DIALECTS } from '../../rollout/dialects';
import { rawReply } from '../../rollout/dialects/dialect';
import { actionLine, preview } from '../../rollout/summary';
import { findTool, readArguments, TOOLS } from '../../rollout/tools';
import { withHeartbeat } from '../heartbeat';
import type { CallModelResult } from './turn';

const PREVIEW = 500;
const NOTHING = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 };

export function createPersonActivities({ config, transcripts }: Deps) {
  return {
    /**
     * What a person does as a turn like a model's, written in the dialect of the profile. Retry-safe: it writes one
     * content-addressed blob. Throws `InvalidInput` in words for the person where a tool would not take it.
     */
    async recordPersonTurn(input: {
      readonly author: Author;
      readonly profile: string;
      readonly turn: number;
      /** Malformed replies of a model to this turn, as blobs: the person took over from it. */
      readonly rejected: readonly string[];
      readonly act: PersonAct;
    }): Promise<CallModelResult & { ok: true }> {
      return withHeartbeat(async () => {
        const { author, profile, turn, act } = input;
        const { view } = profileNamed(config, profile);
        const action = actionOf(act);
        const said = { turn, thought: act.thought, action };
        const { message, faithful } = DIALECTS[view.dialect].renderTurn(said);
        const made: Turn = {
          kind: 'turn',
          ...said,
          author,
          profile,
          model: PERSON,
          dialect: view.dialect,
          reply: rawReply(message),
          ...(faithful ? {} : { unfaithful: true }),
          rejected: await Promise.all(input.rejected.map((hash) => transcripts.rejected(hash))),
          person: act.by,
          usage: NOTHING,
        };
        return {
          preview: preview(act.thought, PREVIEW),
          ok: true,
          action: actionLine(action),
          turn: await transcripts.saveTurn(made),
          usage: NOTHING,
          contextTokens: 0,
          latencyMs: 0,
        };
      });
    },
  };
}

/** The call with its arguments as the tool takes them; refused for the same reasons as a model's. */
function actionOf({ tool: name, args, thought, by }: PersonAct): Turn['action'] {
  const tool = findTool(TOOLS, name);
  if (!tool)
    throw new PointsmanError(
      'InvalidInput',
      `there is no tool "${preview(name, 60)}"`,
      `There are ${[...TOOLS.keys()].join(', ')}.`,
    );
  if (!isWellFormed(thought) || !isWellFormed(by))
    throw new PointsmanError('InvalidInput', 'the text holds half of a surrogate pair', 'Write it as UTF-8.');
  const read = readArguments(tool, args);
  if (!read.ok) throw new PointsmanError('InvalidInput', read.problem, 'Nothing was run.');
  const blocked = tool.blocked?.(read.args);
  if (blocked !== undefined) throw new PointsmanError('InvalidInput', blocked, 'Nothing was run.');
  return { tool: tool.name, args: read.args };
}
