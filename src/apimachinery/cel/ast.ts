import type { Overload } from "./functions/function.ts";
import type { CelType } from "./types/type.ts";
import type { Value } from "./values/value.ts";

/** The properties of every node. */
interface Node {
  /** Offset, in UTF-16 code units, of the node's token: an operator, a dot, an opening parenthesis. */
  readonly pos: number;
  type?: CelType;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

/** A variable or the name of a type; the checker may resolve `a.b` to one name. */
export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** `operand.field`; `has(operand.field)` when `test` is set. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
  /** Set by the checker if the whole selection is a qualified identifier. */
  qualified?: string;
}

/** A call of a function, method or operator; operators have names such as `_+_`. */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
  /** The overloads that match the static types. Set by the checker. */
  overloads?: readonly Overload[];
  /** The whole name of a function in a namespace, which parses as a method: `optional.of`. Set by the checker. */
  qualified?: string;
}

/** `[a, ?b]`. */
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly Expr[];
  /** Indexes of optional items, which are omitted if they have no value. */
  readonly optional: ReadonlySet<number>;
}

/** An entry `key: value` of a map. */
export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `{key: value, ?key: optional}`. */
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** `Message{field: value}`. */
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly pos: number;
    readonly value: Expr;
    readonly optional: boolean;
  }[];
}

/** A fold over a list or map, to which macros expand. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2?: string;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** An expression as it is parsed, with its macros expanded. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

/** The accumulator of macros, whose name is not a valid identifier. */
export const accumulator = "@result";

/** The names of operators, as in messages and overloads. */
export const operators = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  negate: "-_",
  index: "_[_]",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  in: "@in",
  equals: "_==_",
  notEquals: "_!=_",
  add: "_+_",
  notStrictlyFalse: "@not_strictly_false",
} as const;

/** Returns a call of a function or operator, which has no target. */
export function call(pos: number, name: string, args: readonly Expr[]): Call {
  return { kind: "call", pos, name, args };
}

export function literal(pos: number, value: Literal["value"]): Literal {
  return { kind: "literal", pos, value };
}

/** Returns the dotted name that a chain of selections forms, or undefined. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
