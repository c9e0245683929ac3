import { isEqual } from "@tsbuilder/apimachinery/json";
import type { TokenRequestSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import type { CSIDriver } from "@tsbuilder/apimachinery/k8s/storage/v1";
import { type ApiObject, type Sent, type Stored, mirrorAnnotation } from "../contract/api-object.ts";
import { type Authorizer, resourceAttributes } from "../contract/authorizer.ts";
import { forbidden, notFound, qualifiedName } from "../contract/status-error.ts";
import { nodeOf } from "../contract/user.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../control-loop/api/core.ts";
import { claimNames, dataReferences } from "../control-loop/pods/pod-references.ts";
import { readRequest } from "../kinds/certificates/read-request.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";

/**
 * NodeRestriction: a kubelet writes only its own Node, Lease and CSINode, the status of its own pods, and tokens for
 * these. Labels and taints by which it could attract the pods of others are not its own to set.
 */
export function nodeRestriction(store: Store, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    mutate(request) {
      const node = nodeOf(request.user);
      const restrict = node === undefined ? undefined : restrictions[qualifiedName(request.resource)];
      for (const reason of restrict?.(request, { node: node!, store, authorizer }) ?? [])
        throw forbidden(request.resource, request.name || (request.object?.metadata.name ?? ""), reason);
      return undefined;
    },
  };
}

/** The node that asks, and where its objects are looked up. */
interface Asking {
  readonly node: string;
  readonly store: Store;
  readonly authorizer: Authorizer;
}

/** Yields the reasons why a node may not make a request, of which the first is told. */
type Restriction = (request: AdmissionRequest, asking: Asking) => Iterable<string>;

const restrictions: Readonly<Record<string, Restriction>> = {
  pods: restrictPod,
  nodes: restrictNode,
  persistentvolumeclaims: restrictClaim,
  serviceaccounts: restrictToken,
  "leases.coordination.k8s.io": function* ({ namespace, name, object }, { node }) {
    if (namespace !== "kube-node-lease")
      yield 'can only access leases in the "kube-node-lease" system namespace';
    yield* restrictName(name, object, node, "node lease");
  },
  "csinodes.storage.k8s.io": ({ name, object }, { node }) => restrictName(name, object, node, "CSINode"),
  *"resourceslices.resource.k8s.io"({ operation, object, oldObject }, { node }) {
    if (operation === "UPDATE") return;
    const { nodeName } = ((operation === "CREATE" ? object : oldObject)?.["spec"] ?? {}) as PodSpec;
    if (nodeName !== node)
      yield `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
  },
  "certificatesigningrequests.certificates.k8s.io": restrictCertificate,
};

type PodSpec = Partial<Pod["spec"]>;

function* restrictName(name: string, object: ApiObject | undefined, node: string, what: string) {
  if ((name || object?.metadata.name) !== node)
    yield `can only access ${what} with the same name as the requesting node`;
}

function* restrictPod(request: AdmissionRequest, { node, store }: Asking): Iterable<string> {
  const { operation, subresource, namespace, name, object } = request;
  const nodeOfStored = (): string | undefined => {
    const stored = store.collection("pods").get(`${namespace}/${name}`);
    if (!stored) throw notFound(request.resource, name);
    return (stored.object["spec"] as PodSpec).nodeName;
  };
  const only = (what: string) => `node "${node}" can only ${what} pods with spec.nodeName set to itself`;
  switch (`${operation} ${subresource}`) {
    case "CREATE ":
      return yield* restrictMirror(object as ApiObject & Sent<Pod>, node, store);
    case "DELETE ":
      if (nodeOfStored() !== node) yield only("delete");
      return;
    case "UPDATE status": {
      const [pod, old] = [object, request.oldObject] as unknown as [Pod, Pod];
      if (old.spec.nodeName !== node) yield only("update pod status for");
      if (!isEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {}))
        yield `node "${node}" cannot update labels through pod status`;
      if (!isEqual(old.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? []))
        yield `node "${node}" cannot update resource claim statues`;
      if (!isEqual(old.status?.extendedResourceClaimStatus, pod.status?.extendedResourceClaimStatus))
        yield `node "${node}" cannot update extended resource claim status`;
      return;
    }
    case "CREATE eviction":
      if (nodeOfStored() !== node) yield `node ${node} can only evict pods with spec.nodeName set to itself`;
      return;
  }
  if (subresource === "")
    yield `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`;
  yield subresource === "status" || subresource === "eviction"
    ? `unexpected operation "${operation}"`
    : `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
}

/** A node creates pods only to show those that it runs from files, and these may not need objects of the API. */
function* restrictMirror({ metadata, spec = {} }: ApiObject & Sent<Pod>, node: string, store: Store) {
  if (metadata.annotations?.[mirrorAnnotation] === undefined)
    yield `pod does not have "${mirrorAnnotation}" annotation, node "${node}" can only create mirror pods`;
  if (spec.nodeName !== node) yield `node "${node}" can only create pods with spec.nodeName set to itself`;
  const [owner, second] = metadata.ownerReferences ?? [];
  const must = (what: string) => `node "${node}" can only create pods with ${what} set to itself`;
  if (second) yield must("a single owner reference");
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    yield must("an owner reference");
  if (!owner?.controller) yield must("a controller owner reference");
  if (owner?.blockOwnerDeletion) yield `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  const uid = store.collection("nodes").get(node)?.object.metadata.uid;
  if (uid === undefined) throw notFound({ group: "", plural: "nodes", kind: "Node" }, node);
  if (owner?.uid !== uid) yield `node ${node} UID mismatch: expected ${owner?.uid} got ${uid}`;
  const referenced = referencedResource(spec);
  if (referenced !== undefined) yield `node "${node}" can not create pods that reference ${referenced}`;
}

/** The first resource whose objects a pod's spec needs. */
function referencedResource(spec: Sent<Pod["spec"]>): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  const [data] = dataReferences(spec);
  if (data) return data.resource;
  if (spec.resourceClaims?.length) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    if (volume.csi) return "csidrivers (via CSI volumes)";
    if (volume.glusterfs) return "endpoints (via glusterFS volumes)";
    if (volume.persistentVolumeClaim) return "persistentvolumeclaims";
    if (volume.ephemeral) return "persistentvolumeclaims (via ephemeral volumes)";
    for (const source of volume.projected?.sources ?? []) {
      if (source.serviceAccountToken) return "serviceaccounts (via projected volumes)";
      if (source.clusterTrustBundle) return "clustertrustbundles";
      if (source.podCertificate) return "podcertificates";
    }
  }
  return undefined;
}

function* restrictNode({ operation, name, object, oldObject }: AdmissionRequest, { node }: Asking) {
  const requested = name || object?.metadata.name;
  if (requested !== node) yield `node "${node}" is not allowed to modify node "${requested}"`;
  if (!object) return;
  const labels = forbiddenLabels(object.metadata.labels ?? {}, oldObject?.metadata.labels ?? {}).join(", ");
  if (operation === "CREATE") {
    if (labels !== "") yield `node "${node}" is not allowed to set the following labels: ${labels}`;
    return;
  }
  const taintsOf = (it: ApiObject | undefined) => (it?.["spec"] as Node["spec"] | undefined)?.taints ?? [];
  if (!isEqual(taintsOf(object), taintsOf(oldObject))) yield `node "${node}" is not allowed to modify taints`;
  if (!isEqual(object.metadata.ownerReferences ?? [], oldObject?.metadata.ownerReferences ?? []))
    yield `node "${node}" is not allowed to modify ownerReferences`;
  if (labels !== "") yield `is not allowed to modify labels: ${labels}`;
}

type Labels = Readonly<Record<string, string>>;

/** The changed labels that a kubelet may not set: those that restrict nodes, and most of Kubernetes' own. */
function forbiddenLabels(labels: Labels, old: Labels): string[] {
  const names = [...new Set([...Object.keys(labels), ...Object.keys(old)])].toSorted();
  return names.filter((name) => {
    if (labels[name] === old[name]) return false;
    const domain = name.includes("/") ? name.slice(0, name.indexOf("/")) : "";
    const isIn = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
    if (isIn("node-restriction.kubernetes.io")) return true;
    if (!isIn("kubernetes.io") && !isIn("k8s.io")) return false;
    return !kubeletLabels.has(name) && !isIn("kubelet.kubernetes.io") && !isIn("node.kubernetes.io");
  });
}

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

function* restrictClaim({ operation, subresource, object, oldObject }: AdmissionRequest, { node }: Asking) {
  if (subresource !== "status") yield "may only update PVC status";
  if (operation !== "UPDATE") yield `unexpected operation "${operation}"`;
  if (!isEqual(withoutSizes(object!), withoutSizes(oldObject!)))
    yield `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`;
}

/** A claim without what a kubelet writes when a volume has grown. */
function withoutSizes({ metadata, ...object }: ApiObject): object {
  const { resourceVersion: _version, managedFields: _managers, ...rest } = metadata;
  const status = { ...(object as unknown as PersistentVolumeClaim).status };
  for (const field of ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"] as const)
    delete status[field];
  return { ...object, metadata: rest, status };
}

/** A node gets tokens for its own pods alone, for audiences that they name. */
function* restrictToken(request: AdmissionRequest, asking: Asking): Iterable<string> {
  const { operation, subresource, namespace, object } = request;
  if (operation !== "CREATE" || subresource !== "token") return;
  const { boundObjectRef: bound, audiences = [] } = (object?.["spec"] ?? {}) as Sent<TokenRequestSpec>;
  if (bound?.apiVersion !== "v1" || bound.kind !== "Pod" || !bound.name)
    return yield "node requested token not bound to a pod";
  if (!bound.uid) yield "node requested token with a pod binding without a uid";
  const stored = asking.store.collection("pods").get(`${namespace}/${bound.name}`);
  if (!stored) throw notFound({ group: "", plural: "pods", kind: "Pod" }, bound.name);
  const pod = stored.object as unknown as Pod;
  if (bound.uid !== pod.metadata.uid)
    yield `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec.nodeName !== asking.node)
    yield "node requested token bound to a pod scheduled on a different node";
  yield* restrictAudience(request, asking, pod, audiences);
}

function* restrictAudience(
  { user, name, namespace }: AdmissionRequest,
  { store, authorizer }: Asking,
  pod: Pod,
  [audience = "", second]: readonly string[],
) {
  if (second !== undefined) yield "node may only request 0 or 1 audiences";
  if (audiencesOf(pod, store).includes(audience)) return;
  const verb = "request-serviceaccounts-token-audience";
  const attributes = resourceAttributes({ verb, version: "v1", resource: audience, namespace, name });
  if (authorizer.decide(user, attributes).allowed) return;
  yield `audience "${audience}" not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

/** The audiences of the tokens in a pod's volumes, and of those that its CSI drivers ask for. */
function audiencesOf(pod: Pod, store: Store): string[] {
  const { volumes = [] } = pod.spec;
  const projected = volumes.flatMap((volume) =>
    (volume.projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) =>
      token ? [token.audience ?? ""] : [],
    ),
  );
  const specOf = <T>(collection: string, key = ""): Partial<Stored<T>> =>
    store.collection(collection).get(key)?.object["spec"] ?? {};
  const claimed = claimNames(pod).flatMap((claim) => {
    const { volumeName } = specOf<PersistentVolumeClaim["spec"]>(
      "persistentvolumeclaims",
      `${pod.metadata.namespace}/${claim}`,
    );
    return specOf<PersistentVolume["spec"]>("persistentvolumes", volumeName).csi?.driver ?? [];
  });
  const drivers = [...volumes.flatMap(({ csi }) => csi?.driver ?? []), ...claimed];
  const asked = drivers.flatMap((driver) =>
    (specOf<CSIDriver["spec"]>("csidrivers.storage.k8s.io", driver).tokenRequests ?? []).map(
      ({ audience }) => audience,
    ),
  );
  return [...projected, ...asked];
}

const kubeletSigners = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

function* restrictCertificate({ operation, object }: AdmissionRequest, { node }: Asking) {
  const { request = "", signerName = "" } = (object?.["spec"] ?? {}) as Record<string, string>;
  if (operation !== "CREATE" || !kubeletSigners.includes(signerName)) return;
  if (readRequest(request)?.commonName !== `system:node:${node}`)
    yield `can only create a node CSR with CN=system:node:${node}`;
}
