import { Pointsman } from 'pointsman';

/** Prints the rows of a data set in the format of this package. */
async function main(name: string): Promise<void> {
  const pointsman = await Pointsman.open();
  for await (const row of pointsman.rows(name, { format: 'alpaca' })) console.log(JSON.stringify(row));
  await pointsman.close();
}

void main(process.argv[2] ?? '');
