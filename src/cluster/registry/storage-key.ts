import type { Write } from "./write.ts";

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

/** The key of an object in etcd, which some messages of the real server contain; those of a dry run without its root. */
export function etcdKeyOf({ resource, namespace, name, dryRun }: Write): string {
  const { group, plural, namespaced, custom } = resource;
  const prefix = custom ? `${group}/${plural}` : (prefixes[`${group}/${plural}`] ?? plural);
  return [dryRun ? "" : "/registry", prefix, ...(namespaced ? [namespace] : []), name].join("/");
}
