import { Ref } from '../../contract';
import type { BlobStore } from '../blobs';
import { type Database, statement } from '../database';
import type { Documents } from '../documents';

/** A row a text. `room` says of what they are. */
export class SqlDocuments implements Documents {
  constructor(
    private readonly database: Database,
    private readonly room: string,
  ) {}

  async get(name: string): Promise<string | undefined> {
    const [rows] = await this.database.run([
      statement('select body from pointsman.documents where room = $1 and name = $2', this.room, name),
    ]);
    const body = rows?.[0]?.body;
    return typeof body === 'string' ? body : undefined;
  }

  async put(name: string, text: string): Promise<void> {
    await this.database.run([
      statement(
        `insert into pointsman.documents values ($1, $2, $3)
          on conflict (room, name) do update set body = excluded.body`,
        this.room,
        name,
        text,
      ),
    ]);
  }

  async remove(name: string): Promise<void> {
    await this.database.run([
      statement('delete from pointsman.documents where room = $1 and name = $2', this.room, name),
    ]);
  }

  async names(): Promise<string[]> {
    const [rows = []] = await this.database.run([
      statement('select name from pointsman.documents where room = $1', this.room),
    ]);
    return rows.map(({ name }) => String(name));
  }

  addressOf(name: string): string {
    return `${this.room} ${name} of the shared database`;
  }
}

/** Texts of any size: blobs, and their names among other documents. */
export class LargeDocuments implements Documents {
  constructor(
    private readonly pointers: Documents,
    private readonly blobs: BlobStore,
  ) {}

  async get(name: string): Promise<string | undefined> {
    const pointer = await this.pointers.get(name);
    if (pointer === undefined) return undefined;
    const { sha256 } = Ref.parse(JSON.parse(pointer));
    return (await this.blobs.get(sha256)).toString('utf8');
  }

  async put(name: string, text: string): Promise<void> {
    await this.pointers.put(name, JSON.stringify(await this.blobs.put(text)));
  }

  remove(name: string): Promise<void> {
    return this.pointers.remove(name);
  }

  names(): Promise<string[]> {
    return this.pointers.names();
  }

  addressOf(name: string): string {
    return this.pointers.addressOf(name);
  }
}
