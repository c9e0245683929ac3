import { eventResources } from "../../dev/record/places.ts";
import type { Revision, Track } from "./history.ts";

/** Whether a resource is a custom one: those of Kubernetes' own groups are not. */
export function isCustom(resource: string): boolean {
  const group = resource.split(".").slice(1).join(".");
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/**
 * Whether an object tells something about the operator: it is a custom one, or was written in this session, though not by
 * the cluster for itself. Events stand with the objects that they are about.
 */
export function isOfInterest({ resource, key, revisions }: Track): boolean {
  if (eventResources.has(resource)) return false;
  if (isCustom(resource)) return true;
  return !everywhere.has(key.slice(key.indexOf("/") + 1)) && revisions.some(isTold);
}

function isTold({ write, by }: Revision): boolean {
  return write !== "KEPT" && by !== undefined;
}

/** What each namespace gets. */
const everywhere = new Set(["kube-root-ca.crt", "default"]);
