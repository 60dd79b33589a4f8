export * from './errors';
export * from './parse';
export * from './problem';
export * from './profile';
export * from './queues';
export * from './rollout';
export * from './sandbox';
export * from './step';
