import type { Resource } from "./resource.ts";

/** Resources whose objects the real server stores under another name than their own. */
const prefixes: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
  "networking.k8s.io/ingresses": "ingress",
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "/services": "services/specs",
};

/** The key of an object in etcd, which some messages of the real server contain. */
export function etcdKeyOf(
  { group, plural, namespaced, custom }: Resource,
  namespace: string,
  name: string,
): string {
  const prefix = custom ? `${group}/${plural}` : (prefixes[`${group}/${plural}`] ?? plural);
  return ["/registry", prefix, ...(namespaced ? [namespace] : []), name].join("/");
}
