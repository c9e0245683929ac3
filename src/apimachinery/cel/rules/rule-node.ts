import type { JSONSchema } from "../../schema/json-schema.ts";
import type { Adapter } from "../schema/adapter.ts";
import type { CompiledRule } from "./compile-rule.ts";

/** The rules of a node and its descendants, without nodes that have none. */
export interface RuleNode {
  readonly schema: JSONSchema;
  readonly rules: readonly CompiledRule[];
  readonly adapt: Adapter;
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}
