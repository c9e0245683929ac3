type TypeKind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "object"
  | "opaque"
  | "param"
  | "string"
  | "timestamp"
  | "type"
  | "uint";

/** A static type. */
export interface CelType {
  readonly kind: TypeKind;
  /** The name in messages; for objects, opaque types and parameters also their identity. */
  readonly name: string;
  /** The name that `type(x)` compares and prints. */
  readonly runtimeName: string;
  readonly params: readonly CelType[];
  /** The fields of an object type. */
  readonly fields?: ReadonlyMap<string, CelType>;
  /** True for an object type with every field, each of type dyn. */
  readonly isOpen?: boolean;
  /** True for wrappers of primitives, which accept null. */
  readonly isWrapper?: boolean;
}

/** The types that have no parameters. */
export const types = {
  bool: simple("bool"),
  bytes: simple("bytes"),
  double: simple("double"),
  duration: simple("duration", "duration", "google.protobuf.Duration"),
  dyn: simple("dyn"),
  error: simple("error", "!error!"),
  int: simple("int"),
  null: simple("null", "null", "null_type"),
  string: simple("string"),
  timestamp: simple("timestamp", "timestamp", "google.protobuf.Timestamp"),
  type: simple("type"),
  uint: simple("uint"),
} as const;

function simple(kind: TypeKind, name: string = kind, runtimeName = name): CelType {
  return { kind, name, runtimeName, params: [] };
}

/** Returns the type `list(item)`. */
export function listType(item: CelType): CelType {
  return { kind: "list", name: "list", runtimeName: "list", params: [item] };
}

/** Returns the type `map(key, value)`. */
export function mapType(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", runtimeName: "map", params: [key, value] };
}

/** Returns the type of a type, which is what `type(x)` has. */
export function typeType(type: CelType): CelType {
  return { kind: "type", name: "type", runtimeName: "type", params: [type] };
}

/** Returns a type parameter of an overload, or a variable of the inference. */
export function paramType(name: string): CelType {
  return { kind: "param", name, runtimeName: name, params: [] };
}

/** Returns a type of a library that is known by its name only. */
export function opaqueType(name: string, ...params: CelType[]): CelType {
  return { kind: "opaque", name, runtimeName: name, params };
}

/** Returns the type of an optional value. */
export function optionalType(value: CelType): CelType {
  return opaqueType("optional_type", value);
}

/** An object type; without `fields`, no field can be selected. */
export function objectType(name: string, fields?: ReadonlyMap<string, CelType>): CelType {
  return { kind: "object", name, runtimeName: name, params: [], ...(fields && { fields }) };
}

/** An object type that has every field. */
export function openObjectType(name: string): CelType {
  return { ...objectType(name), isOpen: true };
}

/** Returns the type of protobuf's wrapper of a primitive. */
export function wrapperType(primitive: CelType): CelType {
  return { ...primitive, name: `wrapper(${primitive.name})`, isWrapper: true };
}

export function isOptional(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional_type";
}

/** Formats a type as in messages. */
export function formatType(type: CelType): string {
  if (type.params.length === 0) return type.name;
  return `${type.name}(${type.params.map(formatType).join(", ")})`;
}

/** Returns true if two types are equal; objects and opaque types are equal if their names are. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isSameType(param, b.params[index]!))
  );
}
