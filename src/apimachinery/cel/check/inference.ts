import type { Overload } from "../functions/function.ts";
import { type CelType, isSameType, paramType, types } from "../types/type.ts";
import { assign, couldFit, type Mapping, substitute } from "./assign.ts";

/** The overloads that match the types of a call's arguments, and the type of the result. */
export interface MatchedOverloads {
  readonly overloads: readonly Overload[];
  readonly result: CelType;
}

/** The type parameters of an expression, and the types to which they are bound so far. */
export class Inference {
  #mapping: Mapping = new Map();
  #variables = 0;

  newVariable(): CelType {
    return paramType(`_var${this.#variables++}`);
  }

  /** Replaces bound type parameters; unbound ones stay. */
  resolve(type: CelType): CelType {
    return substitute(this.#mapping, type, false);
  }

  /** Replaces all type parameters; unbound ones become dyn. */
  resolveAll(type: CelType): CelType {
    return substitute(this.#mapping, type, true);
  }

  /** Binds type parameters so that a type is assignable; returns false if it can't be. */
  assign(wanted: CelType, given: CelType): boolean {
    const next = assign(this.#mapping, [wanted], [given]);
    if (next) this.#mapping = next;
    return next !== undefined;
  }

  /** Finds all matching overloads; the result is dyn if their results differ. */
  match(candidates: readonly Overload[], given: readonly CelType[]): MatchedOverloads | undefined {
    const overloads: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of candidates) {
      const type = this.#matchOne(overload, given);
      if (!type) continue;
      overloads.push(overload);
      if (!result) result = type;
      else if (result.kind !== "dyn" && !isSameType(type, result)) result = types.dyn;
    }
    return result && { overloads, result };
  }

  #matchOne({ params, typeParams, result }: Overload, given: readonly CelType[]): CelType | undefined {
    if (!couldFit(params, given)) return undefined;
    const fresh = new Map(typeParams.map((name) => [name, this.newVariable()]));
    const wanted = params.map((param) => substitute(fresh, param, false));
    const next = assign(this.#mapping, given, wanted);
    if (!next) return undefined;
    this.#mapping = next;
    return this.resolve(substitute(fresh, result, false));
  }
}
