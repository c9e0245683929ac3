export type {
  BuiltinResource,
  BuiltinSubresource,
  PrinterColumn,
  RegistryRules,
  Verb,
} from "./builtin-resource.ts";
export type { BuiltinSchema } from "./schema-node.ts";
export type { SchemaOptions, SchemaTable } from "./schema-table.ts";
