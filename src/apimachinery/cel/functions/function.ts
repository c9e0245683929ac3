import type { CelType } from "../types/type.ts";
import {
  CelDouble,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  TypeValue,
  type Value,
  isInt,
} from "../values/value.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";
import { typeOf } from "../values/type-of.ts";

/** One overload of a function. */
export interface Overload {
  /** The id in cel-go, which the cost model uses. */
  readonly id: string;
  /** True for a method, whose target is the first parameter. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** The type parameters in `params`. */
  readonly typeParams: readonly string[];
  /** Returns true if values match the parameters, for dynamic types. */
  accepts(args: readonly Value[]): boolean;
  apply(args: readonly Value[]): Value;
}

/** A function, operator or method with all its overloads. */
export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

// The parameter types of an implementation match the declared types, which `accepts` checks.
// oxlint-disable-next-line typescript/no-explicit-any
type Implementation = (...args: any[]) => Value;

/** Declares an overload of `name(a, b)`. A library may declare several overloads of a function one by one. */
export function declare(
  name: string,
  id: string,
  params: readonly CelType[],
  result: CelType,
  implementation: Implementation,
): FunctionDecl {
  return { name, overloads: [build(id, false, params, result, implementation)] };
}

/** Declares an overload of `a.name(b)`; the type of `a` comes first. */
export function method(
  name: string,
  id: string,
  params: readonly CelType[],
  result: CelType,
  implementation: Implementation,
): FunctionDecl {
  return { name, overloads: [build(id, true, params, result, implementation)] };
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

/** Returns a function that checks at run time whether a value has a type. */
function guardOf(type: CelType): (value: Value) => boolean {
  switch (type.kind) {
    case "int":
      return isInt;
    case "uint":
      return (value) => value instanceof CelUint;
    case "double":
      return (value) => value instanceof CelDouble;
    case "bool":
      return (value) => typeof value === "boolean";
    case "string":
      return (value) => typeof value === "string";
    case "bytes":
      return (value) => value instanceof Uint8Array;
    case "null":
      return (value) => value === null;
    case "list":
      return listGuard(type.params[0]!);
    case "map":
      return (value) => value instanceof CelMap;
    case "timestamp":
      return (value) => value instanceof CelTimestamp;
    case "duration":
      return (value) => value instanceof CelDuration;
    case "type":
      return (value) => value instanceof TypeValue;
    case "opaque":
      if (type.name === "optional_type") return (value) => value instanceof CelOptional;
      return (value) => typeOf(value).name === type.name;
    case "object":
      return (value) => typeOf(value).name === type.name;
    default:
      return () => true;
  }
}

/** The first item decides the type of a list. */
function listGuard(item: CelType): (value: Value) => boolean {
  if (item.kind === "param" || item.kind === "dyn") return (value) => value instanceof CelList;
  const guard = guardOf(item);
  return (value) => value instanceof CelList && (value.size === 0 || guard(value.at(0)));
}

/** Separate parameters are several times faster than spreading an array. */
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
