import { eventResources } from "../record/places.ts";
import { pageAgent, type RecordedWrite } from "../record/recorded.ts";

/** Somebody with kubectl or a client, the operator, or the cluster with its own controllers. */
export type Writer = "hand" | "operator" | "cluster";

/** Who a write is by. What dev and the API server do for themselves in somebody's name is the cluster's. */
export function writerOf(write: RecordedWrite, project: string): Writer {
  if (write.by === undefined) return "cluster";
  const { user } = write.by;
  const [, namespace] = /^system:serviceaccount:([^:]+):/u.exec(user) ?? [];
  if (namespace === `${project}-system`) return "operator";
  if (namespace === "kube-system" || (namespace === undefined && user.startsWith("system:")))
    return "cluster";
  return isAlongside(write) || isOfDev(write, project) ? "cluster" : "hand";
}

/** Resources that are written because of a request for another one, by the API server or to tell of it. */
export const alongside: ReadonlySet<string> = new Set([
  "apiservices.apiregistration.k8s.io",
  ...eventResources,
  "ipaddresses.networking.k8s.io",
]);

function isAlongside({ resource, object, write }: RecordedWrite): boolean {
  if (alongside.has(resource)) return true;
  // The rules of admin, edit and view follow the ClusterRoles that they aggregate.
  const isBootstrapped = object.metadata.labels?.["kubernetes.io/bootstrapping"] !== undefined;
  return isBootstrapped || (resource === crds && write === "MODIFIED");
}

const crds = "customresourcedefinitions.apiextensions.k8s.io";

/** Resources that dev applies before it starts the operator. */
const ofDev = new Set([
  crds,
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
]);

function isOfDev({ by, resource, key }: RecordedWrite, project: string): boolean {
  if (by?.userAgent?.startsWith("tsbuilder") !== true || by.userAgent === pageAgent) return false;
  const namespace = `${project}-system`;
  return ofDev.has(resource) || key === namespace || key.startsWith(`${namespace}/`);
}
