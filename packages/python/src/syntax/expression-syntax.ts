import type { Argument, Parameter, Span } from './syntax';

/** Expressions, and the patterns of `match`: see `syntax.ts` for the rest. */
export type Expression =
  | NameExpression
  | NumberExpression
  | StringExpression
  | FormattedString
  | BooleanExpression
  | PlainExpression
  | SequenceExpression
  | DictExpression
  | UnaryExpression
  | BinaryExpression
  | LogicalExpression
  | ComparisonExpression
  | CallExpression
  | AttributeExpression
  | SubscriptExpression
  | SliceExpression
  | StarredExpression
  | LambdaExpression
  | ConditionalExpression
  | AwaitExpression
  | YieldExpression
  | ComprehensionExpression
  | WalrusExpression
  | UnreadableExpression;

export interface NameExpression extends Span {
  readonly kind: 'name';
  readonly id: string;
}

export interface NumberExpression extends Span {
  readonly kind: 'number';
  readonly type: 'int' | 'float' | 'complex';
  readonly text: string;
}

/** Adjacent literals are one. Of bytes, `value` holds one character a byte. */
export interface StringExpression extends Span {
  readonly kind: 'string';
  readonly isBytes: boolean;
  readonly value: string;
}

export interface FormattedString extends Span {
  readonly kind: 'formattedString';
  readonly parts: readonly (string | FormattedValue)[];
}

export interface FormattedValue extends Span {
  readonly expression: Expression;
  readonly conversion: string | undefined;
  readonly format: readonly (string | FormattedValue)[];
}

export interface BooleanExpression extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface PlainExpression extends Span {
  readonly kind: 'none' | 'ellipsis';
}

export interface SequenceExpression extends Span {
  readonly kind: 'tuple' | 'list' | 'set';
  readonly elements: readonly Expression[];
}

export interface DictExpression extends Span {
  readonly kind: 'dict';
  /** A key of `undefined` is `**value`. */
  readonly entries: readonly { readonly key: Expression | undefined; readonly value: Expression }[];
}

export interface UnaryExpression extends Span {
  readonly kind: 'unary';
  readonly operator: '+' | '-' | '~' | 'not';
  readonly operand: Expression;
}

export interface BinaryExpression extends Span {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface LogicalExpression extends Span {
  readonly kind: 'logical';
  readonly operator: 'and' | 'or';
  readonly left: Expression;
  readonly right: Expression;
}

export interface ComparisonExpression extends Span {
  readonly kind: 'comparison';
  readonly left: Expression;
  /** At least one; more where the comparison is chained. */
  readonly rest: readonly { readonly operator: string; readonly right: Expression }[];
}

export interface CallExpression extends Span {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
}

export interface AttributeExpression extends Span {
  readonly kind: 'attribute';
  readonly object: Expression;
  readonly name: string;
}

export interface SubscriptExpression extends Span {
  readonly kind: 'subscript';
  readonly object: Expression;
  readonly index: Expression;
}

export interface SliceExpression extends Span {
  readonly kind: 'slice';
  readonly lower: Expression | undefined;
  readonly upper: Expression | undefined;
  readonly step: Expression | undefined;
}

export interface StarredExpression extends Span {
  readonly kind: 'starred';
  readonly value: Expression;
}

export interface LambdaExpression extends Span {
  readonly kind: 'lambda';
  readonly parameters: readonly Parameter[];
  readonly body: Expression;
}

export interface ConditionalExpression extends Span {
  readonly kind: 'conditional';
  readonly test: Expression;
  readonly body: Expression;
  readonly orElse: Expression;
}

export interface AwaitExpression extends Span {
  readonly kind: 'await';
  readonly value: Expression;
}

export interface YieldExpression extends Span {
  readonly kind: 'yield' | 'yieldFrom';
  readonly value: Expression | undefined;
}

export interface ComprehensionExpression extends Span {
  readonly kind: 'comprehension';
  readonly form: 'list' | 'set' | 'dict' | 'generator';
  /** The key, where `form` is `dict`. */
  readonly key: Expression | undefined;
  readonly element: Expression;
  readonly clauses: readonly ComprehensionClause[];
}

export interface ComprehensionClause {
  readonly isAsync: boolean;
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
}

export interface WalrusExpression extends Span {
  readonly kind: 'walrus';
  readonly target: NameExpression;
  readonly value: Expression;
}

export interface UnreadableExpression extends Span {
  readonly kind: 'unreadable';
  readonly expressions: readonly Expression[];
}

// Patterns of `match`

export type Pattern =
  | CapturePattern
  | ValuePattern
  | SequencePattern
  | StarPattern
  | MappingPattern
  | ClassPattern
  | OrPattern
  | AsPattern;

/** `_` has no name. */
export interface CapturePattern extends Span {
  readonly kind: 'capture';
  readonly name: string | undefined;
}

export interface ValuePattern extends Span {
  readonly kind: 'value';
  readonly value: Expression;
}

export interface SequencePattern extends Span {
  readonly kind: 'sequence';
  readonly patterns: readonly Pattern[];
}

/** `*rest` in a sequence, `**rest` in a mapping. */
export interface StarPattern extends Span {
  readonly kind: 'star';
  readonly name: string | undefined;
}

export interface MappingPattern extends Span {
  readonly kind: 'mapping';
  readonly entries: readonly { readonly key: Expression; readonly pattern: Pattern }[];
  readonly rest: string | undefined;
}

export interface ClassPattern extends Span {
  readonly kind: 'class';
  readonly class: Expression;
  readonly positional: readonly Pattern[];
  readonly keywords: readonly { readonly name: string; readonly pattern: Pattern }[];
}

export interface OrPattern extends Span {
  readonly kind: 'or';
  readonly patterns: readonly Pattern[];
}

export interface AsPattern extends Span {
  readonly kind: 'as';
  readonly pattern: Pattern;
  readonly name: string;
}
