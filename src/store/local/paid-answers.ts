import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EmbeddingLedger, PaidAnswers, ScoreLedger } from '../ledger';
import { type AnswerForm, EMBEDDINGS, SCORES } from '../paid-answers';

/** A file a request. */
class FileAnswers<Answer> implements PaidAnswers<Answer> {
  constructor(
    private readonly directory: string,
    private readonly form: AnswerForm<Answer>,
  ) {}

  async found(request: string): Promise<Answer | undefined> {
    const text = await readFile(this.fileOf(request), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    try {
      return text === undefined ? undefined : this.form.fromJson(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  async record(request: string, given: Answer): Promise<Answer> {
    const file = this.fileOf(request);
    mkdirSync(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.tmp`;
    writeFileSync(temporary, JSON.stringify(this.form.toJson(given)), { mode: 0o600 });
    try {
      linkSync(temporary, file);
      return given;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await this.found(request)) ?? given;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  private fileOf(request: string): string {
    return path.join(this.directory, request.slice(0, 2), `${request}.json`);
  }
}

export function fileEmbeddings(directory: string): EmbeddingLedger {
  return new FileAnswers(directory, EMBEDDINGS);
}

export function fileScores(directory: string): ScoreLedger {
  return new FileAnswers(directory, SCORES);
}
