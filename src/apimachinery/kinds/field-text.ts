/** The facts of a field in a table, or of a type if `type` is empty. */
export interface FieldFacts {
  /** As in `ModelField`; a type of the same module starts with a dot. */
  readonly type: string;
  readonly listType: "atomic" | "set" | "map" | "plain" | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: "atomic" | "granular" | undefined;
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** Whether there is a default; it may be falsy. */
  readonly hasDefault: boolean;
  readonly default: unknown;
  readonly enum: readonly string[];
}

/** The facts of a field without any words. */
export const noFacts: FieldFacts = {
  type: "",
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  patchStrategy: undefined,
  patchMergeKey: undefined,
  hasDefault: false,
  default: undefined,
  enum: [],
};

/**
 * Parses a field of a table: `[].ContainerPort map(containerPort,protocol) patch(merge;containerPort)`.
 * Words after the type: `map(keys)`, `set`, `plain`, `atomic`, `granular`, `patch(strategy;key)`, `default=JSON`, and
 * last `enum(a|b)`, whose values may contain spaces.
 */
export function parseFieldText(text: string): FieldFacts {
  const enumAt = text.indexOf("enum(");
  const values = enumAt === -1 ? [] : text.slice(enumAt + "enum(".length, -1).split("|");
  const [type = "", ...words] = (enumAt === -1 ? text : text.slice(0, enumAt).trimEnd()).split(" ");
  return words.reduce(addWord, { ...noFacts, type, enum: values });
}

function addWord(facts: FieldFacts, word: string): FieldFacts {
  const [, name = "", argument = ""] = /^(\w+)(?:\((.*)\)|=(.*))?$/u.exec(word) ?? [];
  switch (name) {
    case "map":
      return { ...facts, listType: "map", listMapKeys: argument.split(",") };
    case "set":
    case "plain":
      return { ...facts, listType: name };
    case "atomic":
    case "granular":
      return { ...facts, mapType: name };
    case "patch": {
      const [patchStrategy, patchMergeKey] = argument.split(";");
      return { ...facts, patchStrategy, patchMergeKey };
    }
    case "default":
      return { ...facts, hasDefault: true, default: JSON.parse(word.slice("default=".length)) as unknown };
    default:
      throw new Error(`unknown word ${JSON.stringify(word)} in the table of built-in kinds`);
  }
}
