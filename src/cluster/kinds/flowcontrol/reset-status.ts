import { resetStatus } from "../../registry/default-strategy.ts";
import type { Strategy } from "../../registry/resource.ts";

/** A write to the status of flow control ignores the metadata: not even the uid is compared. */
export const resetFlowControl: Strategy["resetFields"] = (object, old, subresource) => {
  resetStatus(object, old, subresource);
  if (subresource === "status") object.metadata.uid = old!.metadata.uid!;
};
