import { ChatAnswer } from '../../model';
import { type Database, statement } from '../database';
import type { CallKey, EmbeddingLedger, Ledger, PaidAnswers, ScoreLedger } from '../ledger';
import { type AnswerForm, EMBEDDINGS, SCORES } from '../paid-answers';

/** A row a call. */
export class SqlLedger implements Ledger {
  constructor(private readonly database: Database) {}

  async answered({ run, turn, attempt }: CallKey, requestHash: string): Promise<ChatAnswer | undefined> {
    const [rows] = await this.database.run([
      statement(
        'select answer from pointsman.answers where run = $1 and turn = $2 and attempt = $3 and request = $4',
        run,
        turn,
        attempt,
        requestHash,
      ),
    ]);
    return answerIn(rows?.[0]?.answer);
  }

  async record(key: CallKey, requestHash: string, answer: ChatAnswer): Promise<ChatAnswer> {
    const { run, turn, attempt } = key;
    const [rows] = await this.database.run([
      statement(
        `insert into pointsman.answers as kept (run, turn, attempt, request, answer) values ($1, $2, $3, $4, $5)
          on conflict (run, turn, attempt) do update
            set request = excluded.request,
              answer = case when kept.request = excluded.request then kept.answer else excluded.answer end
          returning answer`,
        run,
        turn,
        attempt,
        requestHash,
        JSON.stringify(answer),
      ),
    ]);
    return answerIn(rows?.[0]?.answer) ?? answer;
  }
}

function answerIn(text: unknown): ChatAnswer | undefined {
  return typeof text === 'string' ? ChatAnswer.safeParse(JSON.parse(text)).data : undefined;
}

/** A row a request. */
class SqlAnswers<Answer> implements PaidAnswers<Answer> {
  constructor(
    private readonly database: Database,
    private readonly kind: string,
    private readonly form: AnswerForm<Answer>,
  ) {}

  async found(request: string): Promise<Answer | undefined> {
    const [rows] = await this.database.run([
      statement('select answer from pointsman.paid_answers where kind = $1 and request = $2', this.kind, request),
    ]);
    return this.read(rows?.[0]?.answer);
  }

  async record(request: string, given: Answer): Promise<Answer> {
    const [, rows] = await this.database.run([
      statement(
        'insert into pointsman.paid_answers values ($1, $2, $3) on conflict do nothing',
        this.kind,
        request,
        JSON.stringify(this.form.toJson(given)),
      ),
      statement('select answer from pointsman.paid_answers where kind = $1 and request = $2', this.kind, request),
    ]);
    return this.read(rows?.[0]?.answer) ?? given;
  }

  private read(text: unknown): Answer | undefined {
    return typeof text === 'string' ? this.form.fromJson(JSON.parse(text)) : undefined;
  }
}

export function sqlEmbeddings(database: Database): EmbeddingLedger {
  return new SqlAnswers(database, 'embedding', EMBEDDINGS);
}

export function sqlScores(database: Database): ScoreLedger {
  return new SqlAnswers(database, 'score', SCORES);
}
