export { type Mutant, type MutationChoice, mutantsOf } from './mutants';
