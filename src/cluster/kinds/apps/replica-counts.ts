import { invalid } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../contract/api-object.ts";
import { nonNegative, type Problems } from "../checks/problems.ts";

/** Validates the counts in a status: none is negative, and no part exceeds the total. */
export function* replicaCounts(
  object: ApiObject,
  parts: readonly string[],
  ready = "readyReplicas",
): Problems {
  const status = (object["status"] ?? {}) as Record<string, number | undefined>;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of ["replicas", ...parts]) yield* nonNegative(`status.${name}`, status[name]);
  for (const name of parts) {
    const count = status[name] ?? 0;
    if (count > replicas) yield invalid(`status.${name}`, count, "cannot be greater than status.replicas");
  }
  if (availableReplicas > readyReplicas) {
    yield invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${ready}`);
  }
}
