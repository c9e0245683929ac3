import { type CelType, listType, mapType, optionalType, paramType, types } from "../types/type.ts";
import type { Int, Value } from "../values/value.ts";
import {
  CelDouble,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  TypeValue,
  isInt,
  typeOf,
} from "../values/value.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";

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

/** A type with the class of its values, so that implementations need not name the types of their parameters. */
export interface TypeOf<T extends Value> extends CelType {
  readonly valueType?: T;
}

/** The types without parameters. */
export const typed = types as {
  readonly bool: TypeOf<boolean>;
  readonly bytes: TypeOf<Uint8Array>;
  readonly double: TypeOf<CelDouble>;
  readonly duration: TypeOf<CelDuration>;
  readonly dyn: TypeOf<Value>;
  readonly int: TypeOf<Int>;
  readonly string: TypeOf<string>;
  readonly timestamp: TypeOf<CelTimestamp>;
  readonly uint: TypeOf<CelUint>;
};

/** The types of lists, maps and optionals, with the classes of their values. */
export const listOf = (item: CelType): TypeOf<CelList> => listType(item);
export const mapOf = (key: CelType, value: CelType): TypeOf<CelMap> => mapType(key, value);
export const optionalOf = (value: CelType): TypeOf<CelOptional> => optionalType(value);

/** A type parameter. */
export const anyType = (name: string): TypeOf<Value> => paramType(name);

/**
 * Declares an overload of `name(a, b)`; its id is that of cel-go. A library may declare several overloads of a function
 * one by one.
 */
export const declare = overloadDeclarer(false);

/** Declares an overload of `a.name(b)`; the type of `a` comes first. */
export const method = overloadDeclarer(true);

type ParamTypes = readonly TypeOf<Value>[];

type Implementation<Params extends ParamTypes> = (
  ...args: { readonly [I in keyof Params]: Params[I] extends TypeOf<infer T> ? T : never }
) => Value;

function overloadDeclarer(member: boolean) {
  return <const Params extends ParamTypes>(
    name: string,
    id: string,
    params: Params,
    result: CelType,
    implementation: Implementation<Params>,
  ): FunctionDecl => {
    const guards = params.map(guardOf);
    const typeParams = new Set<string>();
    for (const param of params) collectParams(param, typeParams);
    const accepts =
      guards.length === 2
        ? (args: readonly Value[]) => args.length === 2 && guards[0]!(args[0]!) && guards[1]!(args[1]!)
        : (args: readonly Value[]) =>
            args.length === guards.length && guards.every((guard, index) => guard(args[index]!));
    // `accepts` has checked that the arguments have the declared types.
    const apply = applyWith(params.length, implementation as never);
    return { name, overloads: [{ id, member, params, result, typeParams: [...typeParams], accepts, apply }] };
  };
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
  if (["param", "dyn", "list"].includes(item.kind)) return (value) => value instanceof CelList;
  const guard = guardOf(item);
  return (value) => value instanceof CelList && (value.size === 0 || guard(value.at(0)));
}

/** Separate parameters are several times faster than spreading an array. */
function applyWith(
  count: number,
  implementation: (...args: Value[]) => Value,
): (args: readonly Value[]) => Value {
  switch (count) {
    case 1:
      return (args) => implementation(args[0]!);
    case 2:
      return (args) => implementation(args[0]!, args[1]!);
    default:
      return (args) => implementation(...args);
  }
}

function collectParams(type: CelType, into: Set<string>): void {
  if (type.kind === "param") into.add(type.name);
  for (const param of type.params) collectParams(param, into);
}
