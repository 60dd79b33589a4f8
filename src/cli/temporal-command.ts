/** The same start with the Temporal CLI, quoted for a POSIX shell. */
export function temporalCommand(type: string, queue: string, id: string, input: unknown): string {
  return `temporal workflow start --type ${type} --task-queue ${quote(queue)} --workflow-id ${quote(id)} --input ${quote(JSON.stringify(input))}`;
}

export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
