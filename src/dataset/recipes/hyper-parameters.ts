/** How the paper fine-tunes (OEC, table 4). The batch is of a 7B student; a 32B one takes 16. */
export const PAPER = {
  batch: 64,
  epochs: 3,
  learningRate: 5e-5,
  warmupSteps: 5,
  maxTokens: 32_768,
  beta1: 0.9,
  beta2: 0.999,
  gradientNorm: 1,
} as const;

/** Files that a recipe trains and validates on, relative to its own folder. */
export interface RecipeFiles {
  readonly name: string;
  readonly train: string;
  readonly validation: string | null;
  readonly maxTokens: number;
  readonly seed: number;
}
