import { type ExperienceUnit, isPointsmanError } from '../../src/contract';
import { cutMiddle } from '../../src/rollout/clip';
import { renderAtoms } from '../../src/setup/experience';
import { type Proof, signalsIn } from './proof';
import type { ProofRoom, Shell } from './room';

/** Characters of an output that are kept and searched: an error has its reason at one of its ends. */
const SHOWN = 4_000;

export type ProofVerdict =
  /** `seconds`: from the failure to the success, without what was prepared. */
  | { readonly proved: true; readonly before: string; readonly seconds: number }
  | { readonly proved: false; readonly why: string };

/**
 * Runs a proof: the command fails as expected and the unit is found by what it prints, the unit's atoms as they are
 * rendered (or the adapted command) exit 0, and the same command passes.
 */
export async function prove(room: ProofRoom, unit: ExperienceUnit, proof: Proof): Promise<ProofVerdict> {
  try {
    return await room.open(proof, async (shell, guest): Promise<ProofVerdict> => {
      const started = Date.now();
      const first = await shell(proof.fails);
      const before = shown(first.output);
      if (first.exitCode === 0) return no('the command passes without the unit', before);
      if (!new RegExp(proof.expect, 'im').test(before)) return no(`nothing matches /${proof.expect}/`, before);
      if (signalsIn(unit, before).length === 0) return no('no signal of the unit matches', before);
      const { commands, refused } = proof.adapt
        ? { commands: [proof.adapt], refused: [] }
        : renderAtoms(unit.atoms, guest);
      if (refused.length > 0 || commands.length === 0) return no('atoms cannot be rendered', refused.join('; '));
      const applied = await apply(shell, commands);
      if (applied) return applied;
      const again = await shell(proof.adjusted ?? proof.fails);
      if (again.exitCode !== 0) return no('the command still fails', shown(again.output));
      return { proved: true, before, seconds: Math.round((Date.now() - started) / 100) / 10 };
    });
  } catch (error) {
    // A proof that cannot be prepared is one that failed; the others go on.
    if (isPointsmanError(error) && error.code === 'InvalidInput') return no(error.message, '');
    throw error;
  }
}

async function apply(shell: Shell, commands: readonly string[]): Promise<ProofVerdict | undefined> {
  for (const command of commands) {
    const { exitCode, output } = await shell(command);
    if (exitCode !== 0) return no(`exit ${exitCode} of ${command}`, shown(output));
  }
  return undefined;
}

/** Without addresses: which registry a machine uses is nobody's business. */
function shown(output: string): string {
  const { head, tail, elided } = cutMiddle(output.trim(), SHOWN);
  const text = elided > 0 ? `${head}\n[…]\n${tail}` : head;
  // Where a registry is stays out of the repository: in addresses, and in the folder that cargo names after it.
  return text
    .replace(/\b[a-z][a-z+.-]*:\/\/[^\s'"<>)\]]+/gi, '<url>')
    .replace(/(?<=registry\/src\/)[^/\s]+/g, 'registry-index');
}

function no(why: string, output: string): ProofVerdict {
  return { proved: false, why: `${why}${output ? `\n${output}` : ''}` };
}
