import { isHeadless, type Service } from "./types.ts";

/** The warnings about a Service. */
export function* serviceWarnings({ spec, metadata }: Service): Generator<string, void> {
  const hints = "service.kubernetes.io/topology-aware-hints";
  if (metadata.annotations && hints in metadata.annotations) {
    yield `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`;
  }
  const external = spec.externalIPs ?? [];
  const isName = spec.type === "ExternalName";
  if (isHeadless(spec)) {
    if (spec.loadBalancerIP) yield "spec.loadBalancerIP is ignored for headless services";
    if (external.length > 0) yield "spec.externalIPs is ignored for headless services";
    if (spec.sessionAffinity !== "None") yield "spec.SessionAffinity is ignored for headless services";
  } else if (external.length > 0 && !isName) {
    yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
  }
  if (isName && external.length > 0) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
  if (!isName && spec.externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
  if (spec.trafficDistribution === "PreferClose") {
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
  }
}
