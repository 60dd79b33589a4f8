import { defineExtensions } from 'pointsman/extend';
import { json } from './dialect';
import { ruby } from './ecosystem';
import { alpaca } from './exporter';
import { everyNth } from './policy';
import { search } from './tool';

export default defineExtensions({
  dialects: [json],
  prompts: './prompts',
  tools: [search],
  policies: { everyNth },
  exporters: [alpaca],
  ecosystems: [ruby],
  backends: { remote: './backend.ts' },
});
