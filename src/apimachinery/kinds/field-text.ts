/** What a table says of one field, or of a type where `type` is empty. */
export interface FieldFacts {
  /** `[]` for a list and `{}` for a map before a scalar's name or that of a type, which is local if it starts with a dot. */
  readonly type: string;
  readonly listType: "atomic" | "set" | "map" | "plain" | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: "atomic" | "granular" | undefined;
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** Whether there is one; it may be a falsy value. */
  readonly hasDefault: boolean;
  readonly default: unknown;
  readonly enum: readonly string[];
}

/** Facts of a field of which nothing is said. */
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
 * Reads a field as tables write it: `[].ContainerPort map(containerPort,protocol) patch(merge;containerPort)`.
 * Words after the type: `map(keys)`, `set`, `plain`, `atomic`, `granular`, `patch(strategy;key)`, `default=JSON`, and at the
 * end `enum(a|b)`, whose values may hold spaces.
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
      throw new Error(`the table of built-in kinds says ${JSON.stringify(word)}, which means nothing`);
  }
}
