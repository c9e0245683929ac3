import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import {
  defaultStrategy,
  resetNothing,
  resetStatusAlone,
  resetBuiltInStatus,
} from "../registry/default-strategy.ts";
import type { Strategy } from "../registry/resource.ts";
import type { Store } from "../storage/store.ts";
import { findKind } from "./find-kind.ts";
import { parseMetadataChecks } from "./parse-metadata-checks.ts";

/** The strategy of a built-in kind: the default one, the rules from the generated tables, and the kind's own. */
export function strategyOf(resource: BuiltinResource, store: Store): Strategy {
  const { rules, subresources } = resource;
  const kind = findKind(resource);
  const { strategy, metadataChecks } = kind ?? {};
  const own = typeof strategy === "function" ? strategy(store) : strategy;
  const hasStatus = subresources.some(({ name }) => name === "status");
  return {
    ...defaultStrategy,
    metadataChecks: parseMetadataChecks(metadataChecks),
    resetFields: hasStatus ? resetBuiltInStatus : resetNothing,
    ...(own?.statusWritesMetadata && { resetFields: resetStatusAlone }),
    createOnUpdate: rules.allowsCreateOnUpdate,
    unconditionalUpdate: rules.allowsUnconditionalUpdate,
    generation: rules.hasGeneration,
    defaultPropagation: rules.defaultPropagation,
    returnsDeleted: false,
    ...own,
  };
}
