import { PointsmanError } from '../contract/errors';

/**
 * Fills `{{name}}` in a prompt file. One pass: a value that itself holds `{{…}}` is never expanded. The file's last
 * newline is not part of the prompt. Throws `InvalidInput` for a variable that this prompt does not have.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\r?\n$/, '').replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    throw new PointsmanError(
      'InvalidInput',
      `a prompt file uses {{${name}}}, which does not exist here`,
      `Use one of: ${Object.keys(values).join(', ') || 'none, this prompt has no variables'}.`,
    );
  });
}
