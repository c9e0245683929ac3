import type { BuiltinSchema } from "./schema-node.ts";

/** The schemas of one group and version, by type name; those it refers to are loaded with it. */
export interface SchemaTable {
  /** How a module of types is named in imports and type names: `apps/v1`, `core/v1`, `networking/v1`, `meta/v1`. */
  readonly module: string;
  /** Names of all its types, sorted: `Deployment`, `DeploymentList`, `DeploymentSpec` … */
  readonly typeNames: readonly string[];
  /** The schema of one type. The same node every time. */
  get(typeName: string): BuiltinSchema | undefined;
}

/** What to load with a table. */
export interface SchemaOptions {
  /** Descriptions are three times as large as all the rest. Default: false. */
  readonly descriptions?: boolean;
}
