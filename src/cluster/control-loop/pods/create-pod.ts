import type { Pod } from "../api/core.ts";
import { refusalOf, ReportedError } from "../failures.ts";
import type { ClusterObjects } from "../../contract/cluster-objects.ts";

/**
 * Creates a pod. If the server rejects it, passes the message to `tell` and throws a ReportedError, so that it is
 * retried later.
 */
export async function createPod(
  objects: ClusterObjects,
  user: string,
  pod: Pod,
  tell: (refusal: string) => Promise<void>,
): Promise<Pod> {
  try {
    return await objects.create(user, pod);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    await tell(refusal);
    throw new ReportedError(refusal);
  }
}
