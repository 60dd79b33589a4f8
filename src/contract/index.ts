export * from './errors';
export * from './parse';
export * from './profile';
export * from './step';
