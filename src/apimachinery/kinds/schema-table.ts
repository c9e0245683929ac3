import type { BuiltinSchema } from "./schema-node.ts";

/** The schemas of one group and version by type name; the tables that it refers to are loaded with it. */
export interface SchemaTable {
  /** The module's name in imports and type names: `apps/v1`, `core/v1`, `networking/v1`, `meta/v1`. */
  readonly module: string;
  /** The names of all its types, sorted: `Deployment`, `DeploymentList`, `DeploymentSpec` … */
  readonly typeNames: readonly string[];
  /** Returns the schema of a type; always the same node. */
  get(typeName: string): BuiltinSchema | undefined;
  /** Returns the schema of a type of any loaded table by its full name, such as that of a field: `core/v1.PodSpec`, `Time`. */
  named(fullName: string): BuiltinSchema | undefined;
}

/** What to load with a table. */
export interface SchemaOptions {
  /** Default: false. Descriptions are three times as large as everything else. */
  readonly descriptions?: boolean;
}
