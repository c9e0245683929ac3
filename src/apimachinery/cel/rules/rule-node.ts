import type { JSONSchema } from "../../schema/json-schema.ts";
import type { Adapter } from "../schema/adapter.ts";
import type { CompiledRule } from "./compile-rule.ts";

/** The rules of one node and of what is below it; nodes without any are left out. */
export interface RuleNode {
  readonly schema: JSONSchema;
  readonly rules: readonly CompiledRule[];
  readonly adapt: Adapter;
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}
