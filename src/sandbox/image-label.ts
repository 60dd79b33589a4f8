import type Docker from 'dockerode';
import { statusOf } from './engine';

/** A value as a label holds it: engines and tools quote JSON in different ways, and base64 in none. */
export function asLabel(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** What `asLabel` wrote on an image; null without the label, undefined when the host does not have the image. */
export async function labelOf(docker: Docker, image: string, label: string): Promise<unknown> {
  const found = await docker
    .getImage(image)
    .inspect()
    .catch((error: unknown) => {
      if (statusOf(error) === 404) return undefined;
      throw error;
    });
  if (!found) return undefined;
  const text = found.Config?.Labels?.[label];
  return text ? JSON.parse(Buffer.from(text, 'base64').toString('utf8')) : null;
}
