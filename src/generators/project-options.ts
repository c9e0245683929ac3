import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import type { GeneratorOptions } from "./options.ts";
import type { SourceTree } from "./source-tree.ts";

const hint = "fix the PROJECT file: tsbuilder manifests --help says what the options mean";

/**
 * The options below `manifests` in a `PROJECT` file. They hold for every command that generates: one that did not know
 * them would undo what another one wrote.
 */
export function projectOptions(tree: SourceTree): GeneratorOptions {
  const text = tree.read("PROJECT");
  // Most projects have none, and reading YAML takes a while.
  if (!text?.includes("manifests")) return {};
  const [file] = readYaml("PROJECT", text, { code: "INVALID_PROJECT", hint });
  const options = isObject(file) ? file["manifests"] : undefined;
  if (options === null || options === undefined) return {};
  if (!isObject(options)) throw refusal(`"PROJECT.manifests" must be a mapping`);
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name as keyof typeof types] : undefined;
    if (!type) throw refusal(`"PROJECT.manifests" has no "${name}": it may have ${listOfNames}`);
    if (!type.accepts(value)) throw refusal(`"PROJECT.manifests.${name}" must be ${type.what}`);
  }
  return options;
}

const flag = { what: "true or false", accepts: (value: unknown) => typeof value === "boolean" };

const types = {
  allowDangerousTypes: flag,
  featureGates: {
    what: "a list of names",
    accepts: (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  },
  generateEmbeddedObjectMeta: flag,
  maxDescLen: {
    what: "a number of bytes",
    accepts: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  provenance: flag,
  readonlyImmutable: flag,
  roleName: { what: "a name", accepts: (value: unknown) => typeof value === "string" && value !== "" },
  trimDescriptions: flag,
} satisfies Partial<Record<keyof GeneratorOptions, { what: string; accepts: (value: unknown) => boolean }>>;

const listOfNames = Object.keys(types).join(", ");

function refusal(message: string): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_PROJECT", hint });
}
