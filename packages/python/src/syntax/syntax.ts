/**
 * Python's abstract syntax as this code base reads it: close to CPython's `ast`, with a place for every node. Offsets
 * count UTF-16 units of the file's text, the end is exclusive; lines count from 1, both inclusive.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly endLine: number;
}

export interface ModuleSyntax {
  /** As given to the parser: relative to the folder that is read, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly body: readonly Statement[];
  readonly docstring: string | undefined;
  /** Where the text is no Python 3. What could be read around it is in `body`. */
  readonly errors: readonly SyntaxTrouble[];
  /** Offset at which each line starts; line 1 is the first. */
  readonly lineStarts: readonly number[];
}

export interface SyntaxTrouble {
  readonly line: number;
  readonly text: string;
}

/** A place that no reading of the source can follow, or that was widened so that nothing is missed. */
export interface Unresolved {
  file: string;
  line: number;
  /** The expression, as it stands there. */
  text: string;
  why: string;
}

// Statements

export type Statement =
  | FunctionStatement
  | ClassStatement
  | ReturnStatement
  | DeleteStatement
  | AssignStatement
  | AugmentedAssignStatement
  | AnnotatedAssignStatement
  | TypeAliasStatement
  | ForStatement
  | WhileStatement
  | IfStatement
  | WithStatement
  | MatchStatement
  | RaiseStatement
  | TryStatement
  | AssertStatement
  | ImportStatement
  | ImportFromStatement
  | ScopeStatement
  | ExpressionStatement
  | PlainStatement
  | UnreadableStatement;

/** The span starts at the first decorator; `keyword` is where `def` or `async` stands. */
export interface FunctionStatement extends Span {
  readonly kind: 'function';
  readonly name: string;
  readonly nameSpan: Span;
  readonly keyword: Span;
  readonly decorators: readonly Expression[];
  readonly isAsync: boolean;
  readonly typeParameters: readonly TypeParameter[];
  readonly parameters: readonly Parameter[];
  readonly returns: Expression | undefined;
  readonly body: readonly Statement[];
  readonly docstring: string | undefined;
}

/** The span starts at the first decorator; `keyword` is where `class` stands. */
export interface ClassStatement extends Span {
  readonly kind: 'class';
  readonly name: string;
  readonly nameSpan: Span;
  readonly keyword: Span;
  readonly decorators: readonly Expression[];
  readonly typeParameters: readonly TypeParameter[];
  /** Bases, and keywords such as `metaclass`. */
  readonly arguments: readonly Argument[];
  readonly body: readonly Statement[];
  readonly docstring: string | undefined;
}

export interface ReturnStatement extends Span {
  readonly kind: 'return';
  readonly value: Expression | undefined;
}

export interface DeleteStatement extends Span {
  readonly kind: 'delete';
  readonly targets: readonly Expression[];
}

export interface AssignStatement extends Span {
  readonly kind: 'assign';
  /** More than one where the assignment is chained. */
  readonly targets: readonly Expression[];
  readonly value: Expression;
}

export interface AugmentedAssignStatement extends Span {
  readonly kind: 'augmentedAssign';
  readonly target: Expression;
  /** With its equals sign, like `+=`. */
  readonly operator: string;
  readonly value: Expression;
}

export interface AnnotatedAssignStatement extends Span {
  readonly kind: 'annotatedAssign';
  readonly target: Expression;
  readonly annotation: Expression;
  readonly value: Expression | undefined;
}

export interface TypeAliasStatement extends Span {
  readonly kind: 'typeAlias';
  readonly name: string;
  readonly typeParameters: readonly TypeParameter[];
  readonly value: Expression;
}

export interface ForStatement extends Span {
  readonly kind: 'for';
  readonly isAsync: boolean;
  readonly target: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly orElse: readonly Statement[];
}

export interface WhileStatement extends Span {
  readonly kind: 'while';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly orElse: readonly Statement[];
}

/** An `elif` is an `if` that stands alone in `orElse`. */
export interface IfStatement extends Span {
  readonly kind: 'if';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly orElse: readonly Statement[];
}

export interface WithStatement extends Span {
  readonly kind: 'with';
  readonly isAsync: boolean;
  readonly items: readonly WithItem[];
  readonly body: readonly Statement[];
}

export interface WithItem {
  readonly context: Expression;
  readonly target: Expression | undefined;
}

export interface MatchStatement extends Span {
  readonly kind: 'match';
  readonly subject: Expression;
  readonly cases: readonly MatchCase[];
}

export interface MatchCase extends Span {
  readonly pattern: Pattern;
  readonly guard: Expression | undefined;
  readonly body: readonly Statement[];
}

export interface RaiseStatement extends Span {
  readonly kind: 'raise';
  readonly exception: Expression | undefined;
  readonly cause: Expression | undefined;
}

export interface TryStatement extends Span {
  readonly kind: 'try';
  readonly body: readonly Statement[];
  readonly handlers: readonly ExceptHandler[];
  readonly orElse: readonly Statement[];
  readonly finally: readonly Statement[];
}

export interface ExceptHandler extends Span {
  readonly isGroup: boolean;
  readonly type: Expression | undefined;
  readonly name: string | undefined;
  readonly body: readonly Statement[];
}

export interface AssertStatement extends Span {
  readonly kind: 'assert';
  readonly test: Expression;
  readonly message: Expression | undefined;
}

export interface ImportStatement extends Span {
  readonly kind: 'import';
  readonly names: readonly ImportedName[];
}

export interface ImportFromStatement extends Span {
  readonly kind: 'importFrom';
  /** Leading dots. */
  readonly level: number;
  /** Empty for `from . import x`. */
  readonly module: string;
  /** One name `*` for a star import. */
  readonly names: readonly ImportedName[];
}

export interface ImportedName extends Span {
  /** Dotted in an `import` statement. */
  readonly name: string;
  readonly alias: string | undefined;
}

export interface ScopeStatement extends Span {
  readonly kind: 'global' | 'nonlocal';
  readonly names: readonly string[];
}

export interface ExpressionStatement extends Span {
  readonly kind: 'expression';
  readonly value: Expression;
}

export interface PlainStatement extends Span {
  readonly kind: 'pass' | 'break' | 'continue';
}

/** What is no Python 3, with the expressions that could be read in it. */
export interface UnreadableStatement extends Span {
  readonly kind: 'unreadable';
  readonly expressions: readonly Expression[];
}

// Parameters and arguments

export interface Parameter extends Span {
  readonly name: string;
  readonly form: 'positionalOnly' | 'positional' | 'varPositional' | 'keywordOnly' | 'varKeyword';
  readonly annotation: Expression | undefined;
  readonly default: Expression | undefined;
}

export interface TypeParameter extends Span {
  readonly name: string;
  readonly form: 'type' | 'tuple' | 'specification';
  readonly bound: Expression | undefined;
}

/** `name` is set for a keyword; `*x` and `**x` are told by `spread`. */
export interface Argument extends Span {
  readonly name: string | undefined;
  readonly spread: '*' | '**' | undefined;
  readonly value: Expression;
}

// Expressions

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
