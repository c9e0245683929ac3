import type { Env } from "../check/env.ts";
import { CostLimitError, EvalError } from "../values/eval-error.ts";
import type { Value } from "../values/value.ts";

/** The context in which a node is compiled. */
export interface Context {
  readonly env: Env;
  readonly scope: Scope;
}

/** A compiled node. */
export type Evaluate = (frame: Frame) => Value;

/** The state of one evaluation: the variables by slot, and the cost so far. */
export interface Frame {
  /** An accumulator may be the error of a step, which later steps can still absorb. */
  readonly slots: (Value | EvalError | undefined)[];
  cost: number;
  readonly limit: number;
}

/** Adds to the cost of an evaluation; throws if it exceeds the limit. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostLimitError();
}

/** Returns an EvalError, which can be absorbed; rethrows cost limit errors and bugs of ours, which can't. */
export function asEvalError(error: unknown): EvalError {
  if (error instanceof EvalError) return error;
  throw error;
}

/** The slots of names; comprehensions open nested scopes, whose names shadow outer ones. */
export class Scope {
  readonly #names = new Map<string, number>();
  readonly #parent: Scope | undefined;
  readonly #counter: { count: number };
  /** The free variables, with their slots. */
  readonly free: Map<string, number>;

  constructor(parent?: Scope) {
    this.#parent = parent;
    this.#counter = parent ? parent.#counter : { count: 0 };
    this.free = parent ? parent.free : new Map();
  }

  /** The number of slots, those of free variables and of all comprehensions. */
  get size(): number {
    return this.#counter.count;
  }

  /** Adds a variable of a comprehension, and returns its slot. */
  define(name: string): number {
    const slot = this.#counter.count++;
    this.#names.set(name, slot);
    return slot;
  }

  /** Returns the slot of an enclosing comprehension's variable. */
  findLocal(name: string): number | undefined {
    return this.#names.get(name) ?? this.#parent?.findLocal(name);
  }

  /** Returns the slot of a variable; adds a free variable if no comprehension defines it. */
  resolve(name: string): number {
    const known = this.findLocal(name) ?? this.free.get(name);
    if (known !== undefined) return known;
    const slot = this.#counter.count++;
    this.free.set(name, slot);
    return slot;
  }
}
