import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";
import { namespaceStrategy } from "./strategy.ts";
import { namespaceController } from "./controller/namespace-controller.ts";

export const namespace: BuiltInKind<"namespace"> = {
  resource: "namespaces",
  metadataChecks: "new/new+update/update",
  strategy: { ...namespaceStrategy, statusWritesMetadata: true },
  cells: { Status: text("status.phase") },
  emptyObject: { spec: {}, status: {} },
  controllers: { namespace: namespaceController },
};
