import {
  CelObject,
  type CelType,
  EvalError,
  OutOfBudgetError,
  perCallLimit,
  type Value,
} from "@tsbuilder/apimachinery/cel";
import type { Compilation } from "./compile-expression.ts";
import { type Budget, type Names } from "./run-expression.ts";

/** The `variables` of a policy: each is evaluated once, when it is first read. */
export class LazyVariables extends CelObject {
  readonly celType: CelType;
  readonly #definitions: ReadonlyMap<string, Compilation>;
  readonly #known = new Map<string, Value | EvalError>();
  readonly #names: Names;
  readonly #budget: Budget;

  constructor(
    type: CelType,
    definitions: ReadonlyMap<string, Compilation>,
    { names, budget }: { names: Names; budget: Budget },
  ) {
    super();
    this.celType = type;
    this.#definitions = definitions;
    this.#budget = budget;
    this.#names = (name) => (name === "variables" ? this : names(name));
  }

  get size(): number {
    return this.#definitions.size;
  }

  has(field: string): boolean {
    return this.#definitions.has(field);
  }

  fields(): string[] {
    return [...this.#definitions.keys()];
  }

  find(field: string): Value | undefined {
    const definition = this.#definitions.get(field);
    if (!definition) return undefined;
    const found = this.#known.get(field) ?? this.#evaluate(field, definition);
    this.#known.set(field, found);
    if (found instanceof EvalError) throw found;
    return found;
  }

  #evaluate(name: string, definition: Compilation): Value | EvalError {
    const variable = `composited variable ${JSON.stringify(name)}`;
    if ("detail" in definition) return new EvalError(`${variable} fails to compile: ${definition.detail}`);
    const { value, error, cost } = definition.program.evaluate(this.#names, perCallLimit);
    this.#budget.spend(cost);
    if (error instanceof OutOfBudgetError) throw error;
    if (!error) return value!;
    return new EvalError(`${variable} fails to evaluate: ${error.message}`);
  }
}
