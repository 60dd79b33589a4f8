import { type ChatMessage, JudgeMove } from '../../../contract';
import { preview } from '../../../rollout/clip';
import { MOST_RERUNS } from '../../findings';
import type { JudgeDossier, Seen } from '../role';
import { caseText } from './case';
import { conversation, formatOf, section } from './conversation';
import { verifierText } from './prosecutor';

const MEANINGS: Readonly<Record<string, string>> = {
  rerun: `Runs a command for one charge: without "command" the prosecutor's own, with it another that settles it. At most ${MOST_RERUNS} for each charge, one of them the prosecutor's own; others are refused.`,
  find: "Your finding on one charge, once the prosecutor's own command was run again for it. One that your runs do not bear out is refused, with the reason, and the charge stays open.",
};

const SYSTEM = `You judge charges against the environment that was set up for a repository. Each is decided by itself, by what you see when you run it again; neither the prosecutor's nor the agent's word is enough.

Each of your commands runs in a new container of its own, made from the environment as it is, without a network.

Uphold a charge (ground reproduced, and no other) when your own run shows it by failing, and the set-up could have prevented it. Dismiss it with one of these grounds
- not_reproduced: a run of yours succeeds and shows that there is nothing in it.
- optional_extra: it concerns an optional extra or feature only.
- external_service: it needs the internet, or a service that nobody asked for.
- test_logic_bug: the test ran, and it or the code is wrong.
- missing_data: it needs files that the sources do not have.
- wrong_interpreter: the command used another interpreter or environment than the one that was set up.
- not_declared: nothing in the repository asks for it.

Give one finding for every charge; a charge that is left open makes the whole verdict an error.`;

export function judgePrompt(dossier: JudgeDossier, seen: readonly Seen<JudgeMove>[], chars = 1500): ChatMessage[] {
  const charges = dossier.charges.map(
    ({ id, kind, claim, declared, evidence, output }) =>
      `${id}. ${kind}: ${claim}${declared ? ` (declared in ${declared})` : ''}\n   command: ${preview(evidence.command, 1200)}\n   ended with ${evidence.exitCode ?? 'nothing'}: ${preview(output.trim(), 600)}`,
  );
  const first = [caseText(dossier), verifierText(dossier), section('Charges', charges)].join('\n');
  return conversation(`${SYSTEM}\n\n${formatOf(JudgeMove, MEANINGS)}`, first, seen, chars);
}
