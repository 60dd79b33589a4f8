export * from './answer';
export * from './body';
export * from './embeddings';
export * from './errors';
export * from './failure';
export * from './openai';
export * from './price';
export * from './redact';
