import { isIPv6 } from "node:net";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { invalidObject } from "../../../contract/status-error.ts";
import type { Problems } from "../../checks/problems.ts";
import type { Service, ServiceSpec } from "./types.ts";

const subject = { group: "", plural: "services", kind: "Service" };

/**
 * Settles the IP families of a Service in a cluster that has IPv4 only: infers those that are left out, and refuses
 * others. Only a headless Service without a selector, whose endpoints somebody else writes, may have both.
 */
export function settleFamilies(service: Service, old: Service | undefined): void {
  const { spec } = service;
  if (spec.type === "ExternalName" || (old && prefersAsBefore(spec, old.spec))) return;
  const refuse = (problems: readonly FieldError[]): void => {
    if (problems.length > 0) throw invalidObject(subject, service.metadata.name!, problems);
  };
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= isFree ? "RequireDualStack" : "SingleStack";
  const isSingle = spec.ipFamilyPolicy === "SingleStack";
  if (isSingle && old && isEqual(spec.ipFamilies, old.spec.ipFamilies)) {
    if (spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
  }
  refuse([...policyProblems(spec, isSingle, old?.spec)]);
  if (!isFree) refuse([...unconfigured(spec)]);
  if (!spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
  const [first] = spec.ipFamilies;
  if (isFree && !isSingle && spec.ipFamilies.length === 1)
    spec.ipFamilies = [first!, first === "IPv4" ? "IPv6" : "IPv4"];
}

/** A Service that prefers both families keeps what it has. */
function prefersAsBefore(spec: ServiceSpec, old: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (old.ipFamilyPolicy ?? spec.ipFamilyPolicy) === "PreferDualStack" &&
    spec.type === old.type &&
    isEqual(spec.clusterIPs, old.clusterIPs) &&
    isEqual(spec.ipFamilies, old.ipFamilies)
  );
}

function* policyProblems(spec: ServiceSpec, isSingle: boolean, old: ServiceSpec | undefined): Problems {
  const { ipFamilyPolicy: policy, ipFamilies = [], clusterIPs = [] } = spec;
  const field = "spec.ipFamilyPolicy";
  if (!isSingle && ipFamilies.length > 0 && ipFamilies.length < (old?.ipFamilies?.length ?? 0)) {
    yield invalid(field, policy, "must be 'SingleStack' to release the secondary IP family");
  }
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (isSingle && clusterIPs.length === 2) {
    yield invalid(field, policy, `${dual} cluster IPs are specified`);
  }
  if (isSingle && ipFamilies.length === 2) {
    yield invalid(field, policy, `${dual} IP families are specified`);
  }
  for (const [index, address] of clusterIPs.entries()) {
    if (address === "None" || index < ipFamilies.length || !isIPv6(address)) continue;
    yield invalid(`spec.clusterIPs[${index}]`, clusterIPs, "IPv6 is not configured on this cluster");
  }
}

function* unconfigured({ ipFamilyPolicy: policy, ipFamilies = [] }: ServiceSpec): Problems {
  if (policy === "RequireDualStack") {
    yield invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
  }
  for (const [index, family] of ipFamilies.entries()) {
    if (family !== "IPv4")
      yield invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster");
  }
}
