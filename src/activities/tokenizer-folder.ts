import { type ChatTokenizer, createChatTokenizer } from '../dataset/chat-tokenizer';
import { readTokenizerFolder } from '../store/tokenizer-files';

const made = new Map<string, Promise<ChatTokenizer>>();

/** The tokenizer in a folder, and the digest of its files; made once a process for the same files. Throws `InvalidInput`. */
export async function tokenizerIn(folder: string): Promise<{ tokenizer: ChatTokenizer; digest: string }> {
  const { digest, ...files } = await readTokenizerFolder(folder);
  const making = made.get(digest) ?? createChatTokenizer(files);
  made.set(digest, making);
  making.catch(() => made.delete(digest));
  return { tokenizer: await making, digest };
}
