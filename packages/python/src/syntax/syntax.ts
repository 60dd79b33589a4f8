import type { Expression, Pattern } from './expression-syntax';

export * from './expression-syntax';

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
