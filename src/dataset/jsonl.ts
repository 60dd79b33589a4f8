import type { DataRecord } from './exporters/exporter';
import { wellFormedJson } from './text-marks';

/** A record as one line of JSONL, its end included: valid JSON that is valid UTF-8, whatever the texts hold. */
export function jsonLine(record: DataRecord): string {
  return `${wellFormedJson(JSON.stringify(record), new Set())}\n`;
}
