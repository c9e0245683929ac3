import type { CellReader } from "../../../registry/table-columns.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { resourceQuotaController } from "./controller/resource-quota-controller.ts";
import { resourceQuotaStrategy } from "./strategy.ts";

/** Used and hard amounts: `pods: 1/3`. */
function quota(limits: boolean): CellReader {
  return (object) => {
    const hard = readField<Record<string, string>>(object, "status.hard") ?? {};
    const used = readField<Record<string, string>>(object, "status.used") ?? {};
    return Object.keys(hard)
      .filter((name) => name.startsWith("limits.") === limits)
      .toSorted()
      .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
      .join(", ");
  };
}

export const resourceQuota: BuiltInKind<"resourcequota"> = {
  resource: "resourcequotas",
  strategy: resourceQuotaStrategy,
  cells: { Request: quota(false), Limit: quota(true) },
  emptyObject: { spec: {}, status: {} },
  controllers: { resourcequota: resourceQuotaController },
};
