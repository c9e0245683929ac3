import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import type { SourceTree } from "./files.ts";

/** The options of the generators; all have defaults. */
export interface GeneratorOptions {
  /**
   * Folders or files to read, relative to the project's root. Default: `api` for kinds; `api` and `src` for markers.
   */
  readonly paths?: readonly string[];
  /** Name of the ClusterRole in `config/rbac/role.yaml`. */
  readonly roleName?: string;
  /** The generators to run. Default: all of them. */
  readonly only?: readonly GeneratorName[];
  /** The output folder of each generator. */
  readonly output?: Partial<Record<GeneratorName, string>>;
  /** Maximum length of descriptions in bytes: 0 removes all of them. */
  readonly maxDescLen?: number;
  /** Allows `number`, which becomes a floating-point schema. */
  readonly allowDangerousTypes?: boolean;
  /** Generates name, namespace, labels, annotations and finalizers in the schema of an embedded ObjectMeta. */
  readonly generateEmbeddedObjectMeta?: boolean;
  /** Text at the start of each generated file; ` YEAR` in it becomes `year`. */
  readonly header?: string;
  readonly year?: string;
  /** The value of the annotation with the generator of a CRD. */
  readonly versionAnnotation?: { readonly key: string; readonly value: string };
  /** Enabled feature gates; fields, rules and webhooks of other gates are omitted. */
  readonly featureGates?: readonly string[];
  /** Treats a `readonly` property as immutable. */
  readonly readonlyImmutable?: boolean;
  /** Adds a comment to each RBAC rule with the markers it comes from. */
  readonly provenance?: boolean;
  /** Shortens descriptions of a CRD that is too large for `kubectl apply`, the most deeply nested first. */
  readonly trimDescriptions?: boolean;
  /** Deletes CRD files without a kind. */
  readonly prune?: boolean;
}

/** The generators by name, as in `--only`. */
export type GeneratorName = "crd" | "rbac" | "webhook";

const hint = "fix the PROJECT file: tsbuilder manifests --help says what the options mean";
const boolean = { what: "true or false", accepts: (value: unknown) => typeof value === "boolean" };

/** The options that `PROJECT` may have, with their types in words for an error. */
const types = {
  allowDangerousTypes: boolean,
  featureGates: {
    what: "a list of names",
    accepts: (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  },
  generateEmbeddedObjectMeta: boolean,
  maxDescLen: {
    what: "a number of bytes",
    accepts: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  provenance: boolean,
  readonlyImmutable: boolean,
  roleName: { what: "a name", accepts: (value: unknown) => typeof value === "string" && value !== "" },
  trimDescriptions: boolean,
} satisfies Partial<Record<keyof GeneratorOptions, { what: string; accepts: (value: unknown) => boolean }>>;

const listOfNames = Object.keys(types).join(", ");

/**
 * Reads the options below `manifests` in the `PROJECT` file. Every command that generates uses them: a command without
 * them would undo the changes of another one. Throws a TsbuilderError for an unknown option or a wrong value.
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

function refusal(message: string): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_PROJECT", hint });
}

/** Returns whether a field, rule or webhook with this feature gate is generated. Default: true. */
export function isGateOn(gate: unknown, { featureGates = [] }: GeneratorOptions): boolean {
  return typeof gate !== "string" || gate === "" || featureGates.includes(gate);
}
