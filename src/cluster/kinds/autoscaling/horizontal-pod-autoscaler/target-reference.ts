import type { CrossVersionObjectReference } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";
import { pathSegmentName } from "../../../registry/validate-name.ts";
import { needed, type Problems, refused } from "../../checks/problems.ts";

type Reference = Sent<CrossVersionObjectReference>;

/** The name of an object or a metric: a segment of a path. */
export const pathSegment = (name: string): string[] => pathSegmentName(name, false);

/** A reference to an object of any kind; `versionReasons` says what is wrong with its apiVersion. */
export function* referenceProblems(
  field: string,
  reference: Reference,
  versionReasons: readonly string[],
): Problems {
  yield* needed(`${field}.kind`, reference.kind, pathSegment);
  yield* needed(`${field}.name`, reference.name, pathSegment);
  yield* refused(`${field}.apiVersion`, reference.apiVersion ?? "", versionReasons);
}

/** The target needs an API group; only a ReplicationController has none. */
export function targetVersion({ apiVersion = "", kind }: Reference): string[] {
  if (apiVersion.includes("/") || kind === "ReplicationController") return anyVersion({ apiVersion });
  return ["apiVersion must specify API group"];
}

/** What a metric describes may be in any group. */
export function anyVersion({ apiVersion = "" }: Reference): string[] {
  return apiVersion.split("/").length > 2 ? [`unexpected GroupVersion string: ${apiVersion}`] : [];
}
