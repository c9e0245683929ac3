import type { BuiltInKind } from "../../built-in-kind.ts";
import { definitionStrategy } from "./strategy.ts";

export const customResourceDefinition: BuiltInKind = {
  resource: "customresourcedefinitions.apiextensions.k8s.io",
  metadataChecks: "~new/update/update",
  strategy: { ...definitionStrategy, statusWritesMetadata: true },
  emptyObject: { spec: { names: {} }, status: { acceptedNames: {} } },
  zeroValues: {
    spec: { group: "", names: { kind: "", plural: "" }, scope: "", versions: null },
    status: { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: null },
  },
};
