export type { Anchor, Audited } from './auditing';
export type { ListOptions } from './browsing';
export { experienceOf } from './configured';
export { BUILTIN_EMBEDDER, type Embedder, profileEmbedder } from './embedder';
export { type LearnAttempt, type Learned, SAME } from './learning';
export { shipExperience } from './shipped-file';
export {
  type ExperiencePlace,
  type ExperienceStats,
  ExperienceStore,
  type ImportCounts,
} from './store';
