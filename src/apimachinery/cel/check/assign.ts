import { type CelType, isSameType, listType, mapType, opaqueType, types, typeType } from "../types/type.ts";

/** The types to which type parameters are bound, by name. */
export type Mapping = ReadonlyMap<string, CelType>;

/**
 * Checks whether values of the given types are assignable to the wanted types. Returns the mapping with the new
 * bindings of type parameters, or undefined if they are not assignable.
 */
export function assign(
  mapping: Mapping,
  wanted: readonly CelType[],
  given: readonly CelType[],
): Mapping | undefined {
  const draft = new Map(mapping);
  return fitsAll(draft, wanted, given) ? draft : undefined;
}

/** Excludes most overloads without looking at bindings. */
export function couldFit(wanted: readonly CelType[], given: readonly CelType[]): boolean {
  if (wanted.length !== given.length) return false;
  return wanted.every((type, index) => {
    const { kind } = given[index]!;
    return type.kind === kind || open.has(type.kind) || open.has(kind);
  });
}

/** The kinds that may be assignable to another kind. */
const open: ReadonlySet<CelType["kind"]> = new Set(["param", "dyn", "error", "null"]);

/** Replaces bound type parameters in a type; unbound ones stay, or become dyn. */
export function substitute(mapping: Mapping, type: CelType, unknownToDyn: boolean): CelType {
  switch (type.kind) {
    case "param": {
      const found = mapping.get(type.name);
      if (found) return substitute(mapping, found, unknownToDyn);
      return unknownToDyn ? types.dyn : type;
    }
    case "list":
      return listType(substitute(mapping, type.params[0]!, unknownToDyn));
    case "map":
      return mapType(
        substitute(mapping, type.params[0]!, unknownToDyn),
        substitute(mapping, type.params[1]!, unknownToDyn),
      );
    case "opaque":
      if (type.params.length === 0) return type;
      return opaqueType(type.name, ...type.params.map((param) => substitute(mapping, param, unknownToDyn)));
    case "type":
      return type.params[0] ? typeType(substitute(mapping, type.params[0], unknownToDyn)) : type;
    default:
      return type;
  }
}

/** Returns the more general of two types of which one is assignable to the other; null is the least general. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  if (b.kind === "null" && a.kind !== "dyn") return a;
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((param, index) => isLessSpecific(param, b.params[index]!))
      );
    case "type":
      return true;
    default:
      return isSameType(a, b);
  }
}

function fitsAll(mapping: Map<string, CelType>, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, index) => fits(mapping, type, b[index]!));
}

function fits(mapping: Map<string, CelType>, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const bound = bind(mapping, a, b);
    if (bound.fits || bound.wasBound) return bound.fits;
  }
  if (a.kind === "param") return bind(mapping, b, a).fits;
  if (isAny(a) || isAny(b)) return true;
  if (a.kind === "null") return takesNull(b);
  if (b.kind === "null") return takesNull(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return a.kind === b.kind && a.name === b.name && fitsAll(mapping, a.params, b.params);
    case "object":
      return b.kind === "object" && a.name === b.name;
    default:
      return a.kind === b.kind;
  }
}

function bind(
  mapping: Map<string, CelType>,
  type: CelType,
  param: CelType,
): { fits: boolean; wasBound: boolean } {
  if (type.kind === "param" && type.name === param.name) return { fits: true, wasBound: true };
  const bound = mapping.get(param.name);
  if (bound) {
    if (isSameType(type, bound)) return { fits: true, wasBound: true };
    if (!fits(mapping, type, bound)) return { fits: false, wasBound: true };
    const wider = mostGeneral(type, bound);
    if (!refersTo(mapping, param.name, wider)) mapping.set(param.name, wider);
    return { fits: true, wasBound: true };
  }
  if (refersTo(mapping, param.name, type)) return { fits: false, wasBound: false };
  mapping.set(param.name, type);
  return { fits: true, wasBound: false };
}

/** A type parameter must not be bound to a type that contains it. */
function refersTo(mapping: Mapping, name: string, type: CelType): boolean {
  if (type.kind === "param") {
    if (type.name === name) return true;
    const bound = mapping.get(type.name);
    return bound !== undefined && refersTo(mapping, name, bound);
  }
  return type.params.some((param) => refersTo(mapping, name, param));
}

function isAny(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function takesNull(type: CelType): boolean {
  return type.isWrapper === true || ["null", "opaque", "object", "duration", "timestamp"].includes(type.kind);
}
