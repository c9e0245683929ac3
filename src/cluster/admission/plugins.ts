// The admission plugins that are too small for files of their own, and the objects that they rely on.

import { isEqual } from "@tsbuilder/apimachinery/json";
import type { NodeSpec, PodSpec, Taint, Toleration } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { RuntimeClass } from "@tsbuilder/apimachinery/k8s/node/v1";
import type { PriorityClass } from "@tsbuilder/apimachinery/k8s/scheduling/v1";
import { forbidden as forbiddenField } from "@tsbuilder/apimachinery/errors";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import type { AdmissionRequest } from "../registry/core.ts";
import { forbidden, invalidObject, notFound } from "../contract/status-error.ts";
import type { ApiObject, Sent } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import { type AdmissionPlugin, isChangedPod, isNewPod } from "./admission.ts";
import { type Claim, requestedStorage } from "../kinds/core/persistent-volume-claim.ts";
import type { CertificateSigningRequest } from "@tsbuilder/apimachinery/k8s/certificates/v1";
import { type Authorizer, resourceAttributes } from "../contract/authorizer.ts";
import type { User } from "../contract/user.ts";
import { readRequest } from "../kinds/certificates/read-request.ts";

const namespaces = { group: "", plural: "namespaces", kind: "Namespace" };

/** NamespaceLifecycle: nothing but access reviews is created in a namespace that does not exist or is terminating. */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    validate({ operation, resource, namespace, object, subresource }) {
      if (operation !== "CREATE" || namespace === "" || !resource.namespaced) return;
      if (resource.group === "authorization.k8s.io") return;
      const stored = store.collection("namespaces").get(namespace);
      if (!stored) throw notFound(namespaces, namespace);
      if (stored.object.metadata.deletionTimestamp === undefined || subresource !== "") return;
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      const message = `namespace ${namespace} is being terminated`;
      const cause = { reason: "NamespaceTerminating", message, field: "metadata.namespace" };
      throw forbidden(resource, object?.metadata.name ?? "", why, [cause]);
    },
  };
}

const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** TaintNodesByCondition: a new node has a taint until it is ready. */
export const taintNewNodes: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.plural !== "nodes" || resource.group !== "") return undefined;
    if (subresource !== "" || !object) return undefined;
    object["spec"] ??= {};
    const spec = object["spec"] as NodeSpec;
    const isTainted = spec.taints?.some(({ key, effect }) => isEqual({ key, effect }, notReady));
    if (!isTainted) spec.taints = [...(spec.taints ?? []), { ...notReady }];
    return object;
  },
};

/** The priority classes that every cluster has. */
export const systemPriorities: readonly (PriorityClass & ApiObject)[] = [
  systemPriority("system-cluster-critical", 2_000_000_000, "critical to the cluster: moved rather than lost"),
  systemPriority("system-node-critical", 2_000_001_000, "critical to its node: it must not be moved"),
];

function systemPriority(name: string, value: number, purpose: string): PriorityClass & ApiObject {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    preemptionPolicy: "PreemptLowerPriority",
    description: `For pods that are ${purpose}.`,
  };
}

/** Priority: sets the priority of pods from their class, and refuses any other and a second default class. */
export function podPriority(store: Store): AdmissionPlugin {
  const listClasses = (): PriorityClass[] => {
    const stored = store.collection("priorityclasses.scheduling.k8s.io").list();
    return stored.map(({ object }) => object as PriorityClass);
  };
  return {
    name: "Priority",
    mutate(request) {
      if (isChangedPod(request)) return keepPriority(request);
      if (!isNewPod(request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      const name = spec.priorityClassName ?? "";
      const priorityClass = listClasses().find(({ globalDefault, metadata }) =>
        name === "" ? globalDefault : metadata.name === name,
      );
      if (!priorityClass && name !== "")
        throw refusal(request, `no PriorityClass with name ${name} was found`);
      const { value = 0, preemptionPolicy = "PreemptLowerPriority" } = priorityClass ?? {};
      for (const [field, sent, computed] of [
        ["integer value of priority", spec.priority, value],
        ["string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy],
      ] as const) {
        if (sent === undefined || sent === computed) continue;
        const why = `priority admission controller computed ${computed} from the given PriorityClass name`;
        throw refusal(request, `the ${field} (${sent}) must not be provided in pod spec; ${why}`);
      }
      Object.assign(spec, { priority: value, preemptionPolicy });
      if (priorityClass) spec.priorityClassName = priorityClass.metadata.name!;
      return request.object;
    },
    validate(request) {
      const { resource, object, subresource, name } = request;
      if (resource.plural !== "priorityclasses" || subresource !== "") return;
      if (!(object as PriorityClass | undefined)?.globalDefault) return;
      const other = listClasses().find(
        ({ globalDefault, metadata }) => globalDefault && metadata.name !== name,
      );
      if (!other) return;
      const why = "is already marked as default. Only one default can exist";
      throw refusal(request, `PriorityClass ${other.metadata.name} ${why}`);
    },
  };
}

/** Copies the priority from the old pod into an update that omits it. */
function keepPriority({ object, oldObject }: { object: ApiObject; oldObject: ApiObject }): ApiObject {
  const [spec, old] = [object["spec"] as Sent<PodSpec>, oldObject["spec"] as PodSpec];
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
  return object;
}

const tolerationSeconds = 300;

/** DefaultTolerationSeconds: new and updated pods tolerate unready and unreachable nodes for five minutes. */
export const defaultTolerations: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    if (!isNewPod(request) && !isChangedPod(request)) return undefined;
    const spec = request.object["spec"] as Sent<PodSpec>;
    const tolerations = spec.tolerations ?? [];
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      if (tolerations.some((toleration) => toleratesEviction(toleration, key))) continue;
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds });
    }
    spec.tolerations = tolerations;
    return request.object;
  },
};

/** Returns true if a toleration keeps a NoExecute taint with this key from evicting the pod. */
function toleratesEviction({ key, effect }: Sent<Toleration>, taintKey: string): boolean {
  return (!key || key === taintKey) && (!effect || effect === "NoExecute");
}

const overheadMismatch = "Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/** RuntimeClass: copies overhead, node selector and tolerations of the runtime class into pods. */
export function runtimeClass(store: Store): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    mutate(request) {
      if (!isNewPod(request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      const { runtimeClassName: name } = spec;
      if (name === undefined) return undefined;
      const stored = store.collection("runtimeclasses.node.k8s.io").get(name);
      if (!stored) throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
      const { overhead, scheduling } = stored.object as unknown as RuntimeClass;
      if (overhead?.podFixed) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !isEqual(spec.overhead, overhead.podFixed))
          throw refusal(request, `pod rejected: ${overheadMismatch}`);
        spec.overhead = { ...overhead.podFixed };
      }
      for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
        const current = spec.nodeSelector?.[key] ?? value;
        if (current !== value) {
          const selector = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
          throw refusal(request, `conflict: ${selector}; pod.spec.nodeSelector[${key}] = ${current}`);
        }
        spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
      }
      const missing = (scheduling?.tolerations ?? []).filter(
        (toleration) => !spec.tolerations?.some((existing) => isEqual(existing, toleration)),
      );
      if (missing.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...missing];
      return request.object;
    },
    validate(request) {
      if (!isNewPod(request)) return;
      const { overhead, runtimeClassName = "" } = request.object["spec"] as PodSpec;
      const stored = store.collection("runtimeclasses.node.k8s.io").get(runtimeClassName);
      const fixed = (stored?.object as RuntimeClass | undefined)?.overhead?.podFixed;
      if (isEqual(overhead, fixed)) return;
      const why = fixed
        ? overheadMismatch
        : "Pod Overhead set without corresponding RuntimeClass defined Overhead";
      throw refusal(request, `pod rejected: ${why}`);
    },
  };
}

function refusal({ resource, object, name }: AdmissionRequest, reason: string): Error {
  return forbidden(resource, object?.metadata.name ?? name, reason);
}

/** PersistentVolumeClaimResize: a claim can grow only if its storage class allows expansion. */
export function claimResize(store: Store): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    validate({ operation, resource, subresource, object, oldObject, name }) {
      if (operation !== "UPDATE" || subresource !== "" || resource.group !== "") return;
      if (resource.plural !== "persistentvolumeclaims" || !object || !oldObject) return;
      const [now, before]: [Claim, Claim] = [object, oldObject];
      if (compareQuantities(requestedStorage(now) ?? "0", requestedStorage(before) ?? "0") <= 0) return;
      if (before.status?.phase !== "Bound")
        throw forbidden(resource, name, "Only bound persistent volume claims can be expanded");
      const storageClass = now.spec?.storageClassName ?? "";
      const stored = store.collection("storageclasses.storage.k8s.io").get(storageClass);
      if (stored?.object["allowVolumeExpansion"] === true) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw forbidden(resource, name, why);
    },
  };
}

/**
 * CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who approves or signs a request needs a
 * permission for its signer, and none makes members of `system:masters`.
 */
export function certificates(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    validate(request) {
      if (request.resource.group !== "certificates.k8s.io") return;
      if (request.resource.plural === "podcertificaterequests") return checkIssuer(request, authorizer);
      const reason = refusalOf(request, authorizer);
      if (reason === undefined) return;
      throw forbidden(request.resource, request.name || (request.object?.metadata.name ?? ""), reason);
    },
  };
}

type Request = Partial<CertificateSigningRequest>;

/** Refuses an answer to a PodCertificateRequest by a user who may not sign for its signer; the real server's validation does so. */
function checkIssuer(request: AdmissionRequest, authorizer: Authorizer): void {
  const { resource, name, operation, subresource, user, object } = request;
  const old = (request.oldObject ?? {}) as Request;
  if (operation !== "UPDATE" || subresource !== "status" || isEqual(object?.["status"], old.status)) return;
  const signer = old.spec?.signerName ?? "";
  if (mayUse(signer, "sign", user, authorizer)) return;
  const detail = `User "${user.name}" is not permitted to "sign" for signer "${signer}"`;
  throw invalidObject(resource, name, [forbiddenField("spec.signerName", detail)]);
}

function refusalOf(request: AdmissionRequest, authorizer: Authorizer): string | undefined {
  const { operation, subresource, user } = request;
  const { spec, status } = (request.object ?? {}) as Request;
  if (request.resource.plural === "clustertrustbundles") {
    const { signerName = "" } = spec ?? {};
    if (operation === "DELETE" || signerName === "" || mayUse(signerName, "attest", user, authorizer)) return;
    return `user not permitted to attest for signerName "${signerName}"`;
  }
  const old = (request.oldObject ?? {}) as Request;
  // The old object names the signer: otherwise, the request could choose which permission it needs.
  const signer = old.spec?.signerName ?? "";
  switch (`${operation} ${subresource}`) {
    case "CREATE ":
      return spec?.signerName === clientSigner &&
        readRequest(spec.request)?.organizations?.includes("system:masters")
        ? `use of ${clientSigner} signer with system:masters group is not allowed`
        : undefined;
    case "UPDATE approval":
      return mayUse(signer, "approve", user, authorizer)
        ? undefined
        : `user not permitted to approve requests with signerName "${signer}"`;
    case "UPDATE status":
      return isEqual(status ?? {}, old.status ?? {}) || mayUse(signer, "sign", user, authorizer)
        ? undefined
        : `user not permitted to sign requests with signerName "${signer}"`;
  }
  return undefined;
}

const clientSigner = "kubernetes.io/kube-apiserver-client";

/** Looks for a permission for a signer, or for all of its domain. */
function mayUse(signer: string, verb: string, user: User, authorizer: Authorizer): boolean {
  return [signer, `${signer.split("/")[0]!}/*`].some((name) => {
    const place = { group: "certificates.k8s.io", version: "*", resource: "signers", name };
    return authorizer.decide(user, resourceAttributes({ verb, ...place })).allowed;
  });
}
