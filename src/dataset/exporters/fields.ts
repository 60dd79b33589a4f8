/** A record whose fields are looked at one by one. */
export type Fields = Readonly<Record<string, unknown>>;

/** The messages of a record in the OpenAI protocol's roles; empty where it has none. */
export function messagesIn({ messages }: Fields): readonly Fields[] {
  return Array.isArray(messages) ? (messages as Fields[]) : [];
}

/** Whether some message has a value under that name. */
export function someSays(messages: readonly Fields[], name: string): boolean {
  return messages.some((message) => message?.[name] !== undefined && message[name] !== null);
}
