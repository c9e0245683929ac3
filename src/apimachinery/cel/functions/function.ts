import type { CelType } from "../types/type.ts";
import type { Value } from "../values/value.ts";
import { guardOf } from "./guard.ts";

/** One signature of a function. */
export interface Overload {
  /** The name that cel-go gives it: the cost model goes by it. */
  readonly id: string;
  /** Called as a method; the target is then the first parameter. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Type parameters among `params`. */
  readonly typeParams: readonly string[];
  /** Tells whether values fit, when static types left that open. */
  accepts(args: readonly Value[]): boolean;
  apply(args: readonly Value[]): Value;
}

/** A function, operator or method with all its signatures. */
export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

// The parameters of an implementation are as narrow as its declared types, which `accepts` has checked.
// oxlint-disable-next-line typescript/no-explicit-any
type Implementation = (...args: any[]) => Value;

/** Declares a function with its signatures. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDecl {
  return { name, overloads };
}

/** A signature that is called as `name(a, b)`. */
export function overload(
  id: string,
  params: readonly CelType[],
  result: CelType,
  implementation: Implementation,
): Overload {
  return build(id, false, params, result, implementation);
}

/** A signature that is called as `a.name(b)`; the type of `a` comes first. */
export function method(
  id: string,
  params: readonly CelType[],
  result: CelType,
  implementation: Implementation,
): Overload {
  return build(id, true, params, result, implementation);
}

function build(
  id: string,
  member: boolean,
  params: readonly CelType[],
  result: CelType,
  implementation: Implementation,
): Overload {
  const guards = params.map(guardOf);
  const typeParams = new Set<string>();
  for (const param of params) collectParams(param, typeParams);
  const accepts =
    guards.length === 2
      ? (args: readonly Value[]) => args.length === 2 && guards[0]!(args[0]!) && guards[1]!(args[1]!)
      : (args: readonly Value[]) =>
          args.length === guards.length && guards.every((guard, index) => guard(args[index]!));
  const apply = applyWith(params.length, implementation);
  return { id, member, params, result, typeParams: [...typeParams], accepts, apply };
}

/** Spelling out the arguments is several times faster than spreading them. */
function applyWith(count: number, implementation: Implementation): (args: readonly Value[]) => Value {
  switch (count) {
    case 1:
      return (args) => implementation(args[0]);
    case 2:
      return (args) => implementation(args[0], args[1]);
    default:
      return (args) => implementation(...args);
  }
}

function collectParams(type: CelType, into: Set<string>): void {
  if (type.kind === "param") into.add(type.name);
  for (const param of type.params) collectParams(param, into);
}
