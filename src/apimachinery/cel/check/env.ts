import type { FunctionDecl } from "../functions/function.ts";
import { standard } from "../functions/standard.ts";
import { type CelType, listType, mapType, optionalType, typeType, types } from "../types/type.ts";
import { TypeValue, type Value } from "../values/value.ts";

/** A variable or a type, by its name in expressions. */
export interface Name {
  readonly name: string;
  readonly type: CelType;
  /** The value of a type's name; variables have none before evaluation. */
  readonly value?: TypeValue;
}

/** The declarations of an environment, which are added to those of its base. */
export interface EnvOptions {
  readonly libraries?: readonly (readonly FunctionDecl[])[];
  readonly variables?: Iterable<readonly [string, CelType]>;
  /** Types of libraries, by their names in expressions. */
  readonly types?: readonly CelType[];
  /** The namespace in which names are resolved first. */
  readonly container?: string;
  /** Allow list literals with items of different types. */
  readonly mixedLiterals?: boolean;
  /** Finds types with struct literals by name. */
  readonly structs?: (name: string) => StructType | undefined;
}

/** A type with struct literals: `JSONPatch{op: "remove", path: "/spec"}`. */
export interface StructType {
  readonly type: CelType;
  /** Returns the type of a field, or undefined for an unknown field. */
  fieldType(field: string): CelType | undefined;
  construct(fields: ReadonlyMap<string, Value>): Value;
}

const dynList = listType(types.dyn);
const dynMap = mapType(types.dyn, types.dyn);

const typeNames: readonly (readonly [string, CelType])[] = [
  ["bool", types.bool],
  ["bytes", types.bytes],
  ["double", types.double],
  ["google.protobuf.Duration", types.duration],
  ["google.protobuf.Timestamp", types.timestamp],
  ["int", types.int],
  ["list", dynList],
  ["map", dynMap],
  ["null_type", types.null],
  ["optional_type", optionalType(types.dyn)],
  ["string", types.string],
  ["type", types.type],
  ["uint", types.uint],
];

/** The names and functions available to expressions. An environment is created once and shared. */
export class Env {
  readonly container: string;
  readonly mixedLiterals: boolean;
  readonly #functions: ReadonlyMap<string, FunctionDecl>;
  readonly #structs: (name: string) => StructType | undefined;
  readonly #names: Map<string, Name>;

  constructor(options: EnvOptions = {}, base?: Env) {
    this.container = options.container ?? base?.container ?? "";
    this.mixedLiterals = options.mixedLiterals ?? base?.mixedLiterals ?? false;
    const functions = base ? base.#functions : collectFunctions(standard);
    const { libraries } = options;
    this.#functions = libraries ? collectFunctions([...functions.values(), ...libraries.flat()]) : functions;
    this.#structs = options.structs ?? (base ? base.#structs : () => undefined);
    this.#names = new Map(
      base ? base.#names : typeNames.map(([name, type]) => [name, nameOfType(name, type)]),
    );
    for (const type of options.types ?? []) this.#names.set(type.name, nameOfType(type.name, type));
    for (const [name, type] of options.variables ?? []) this.#names.set(name, { name, type });
  }

  /** Returns the environment with more variables; functions are shared. */
  withVariables(variables: Iterable<readonly [string, CelType]>): Env {
    return this.extend({ variables });
  }

  /** Returns the environment with more declarations. */
  extend(options: EnvOptions): Env {
    return new Env(options, this);
  }

  /** Returns the variable or type that a name means in the container, or undefined. */
  findName(name: string): Name | undefined {
    const declared = this.#find(name, this.#names);
    if (declared) return declared;
    const struct = this.findStruct(name);
    return struct && nameOfType(struct.type.name, struct.type);
  }

  /** Returns the type of a struct literal by name. */
  findStruct(name: string): StructType | undefined {
    return this.#structs(name);
  }

  /** Returns the function that a name means in the container, or undefined. */
  findFunction(name: string): FunctionDecl | undefined {
    return this.#find(name, this.#functions);
  }

  /** Looks in the container first, then in the enclosing namespaces; a leading dot means the root namespace. */
  #find<T>(name: string, table: ReadonlyMap<string, T>): T | undefined {
    if (name.startsWith(".")) return table.get(name.slice(1));
    let scope = this.container;
    while (scope !== "") {
      const found = table.get(`${scope}.${name}`);
      if (found !== undefined) return found;
      scope = scope.slice(0, Math.max(scope.lastIndexOf("."), 0));
    }
    return table.get(name);
  }
}

function nameOfType(name: string, type: CelType): Name {
  return { name, type: typeType(type), value: new TypeValue(type) };
}

/** A library may add overloads to an existing function; overloads with the same id are the same. */
function collectFunctions(declarations: readonly FunctionDecl[]): ReadonlyMap<string, FunctionDecl> {
  const functions = new Map<string, FunctionDecl>();
  for (const { name, overloads } of declarations) {
    const known = functions.get(name)?.overloads ?? [];
    const added = overloads.filter(({ id }) => !known.some((overload) => overload.id === id));
    functions.set(name, { name, overloads: [...known, ...added] });
  }
  return functions;
}
