import { modules } from "./generated/modules.ts";

/** The position of a field in the protobuf message of its type. */
export interface FieldNumber {
  /** Several numbers where JSON inlines a message into its parent. */
  readonly path: readonly number[];
  /** The Go type has no unset value (it is not a pointer), and JSON omits the field when it is zero. */
  readonly zeroIsAbsent: boolean;
}

/** Returns the fields of a type by name; empty for a type without fields. */
export type FieldNumbers = (typeName: string) => ReadonlyMap<string, FieldNumber>;

/** Loads the field numbers of a module and of all modules that it refers to; returns `undefined` for an unknown one. */
export async function loadFieldNumbers(module: string): Promise<FieldNumbers | undefined> {
  const source = modules[module];
  if (!source) return undefined;
  await Promise.all([module, ...source.uses].map(loadModule));
  return (typeName) => types.get(typeName) ?? none;
}

const none: ReadonlyMap<string, FieldNumber> = new Map();
const types = new Map<string, ReadonlyMap<string, FieldNumber>>();
const loading = new Map<string, Promise<void>>();

function loadModule(module: string): Promise<void> {
  const load = loading.get(module) ?? addModule(module);
  loading.set(module, load);
  return load;
}

async function addModule(module: string): Promise<void> {
  const { text } = await modules[module]!.loadNumbers();
  const table = JSON.parse(text) as Record<string, Record<string, string>>;
  for (const [name, fields] of Object.entries(table)) {
    types.set(
      `${module}.${name}`,
      new Map(Object.entries(fields).map(([field, number]) => [field, parse(number)])),
    );
  }
}

/** Parses `2.4?`. */
function parse(text: string): FieldNumber {
  const zeroIsAbsent = text.endsWith("?");
  return { path: (zeroIsAbsent ? text.slice(0, -1) : text).split(".").map(Number), zeroIsAbsent };
}
