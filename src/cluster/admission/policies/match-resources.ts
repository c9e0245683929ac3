import type { Store } from "../../storage/store.ts";
import type { AdmissionRequest } from "../../registry/admission-request.ts";
import { matchesNamespace, matchesObject, matchVersion } from "../match-rules.ts";
import type { MatchResources } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";

/** Finds the version in which a policy or binding matches a request; undefined if it does not match. */
export function matchResources(
  { resourceRules = [], excludeResourceRules = [], ...match }: MatchResources,
  request: AdmissionRequest,
  store: Store,
): string | undefined {
  if (!matchesObject(match.objectSelector, request)) return undefined;
  if (matchVersion(excludeResourceRules, match.matchPolicy, request) !== undefined) return undefined;
  const version =
    resourceRules.length === 0 ? request.version : matchVersion(resourceRules, match.matchPolicy, request);
  if (version === undefined) return undefined;
  return matchesNamespace(match.namespaceSelector, request, store) ? version : undefined;
}
