import { parseFieldSelector } from "@tsbuilder/apimachinery/selector";
import { isMirror } from "../contract/api-object.ts";
import type { Attributes, Authorizer, Decision, Rule } from "../contract/authorizer.ts";
import { qualifiedName } from "../contract/status-error.ts";
import { type User, nodeOf } from "../contract/user.ts";
import type { PersistentVolume, Pod } from "../control-loop/api/core.ts";
import { claimNames, dataReferences } from "../control-loop/pods/pod-references.ts";
import type { Store } from "../storage/store.ts";
import { covers } from "./rbac.ts";

/**
 * The mode `Node`: a kubelet may read only what its own pods need. What they need is looked up for each request, in the
 * stored pods of the namespace. Other resources follow the rules of the role `system:node`. As on a real server, what a
 * kubelet writes is checked by the admission plugin NodeRestriction.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #store: Store;
  readonly #rules: readonly Rule[];

  constructor(store: Store, rules: readonly Rule[]) {
    this.#store = store;
    this.#rules = rules;
  }

  decide(user: User, attributes: Attributes): Decision {
    const node = nodeOf(user);
    if (node === undefined) return denial("");
    if (node === "") return denial(`unknown node for user ${JSON.stringify(user.name)}`);
    const { isResource, group, resource } = attributes;
    const rule = isResource ? rules[qualifiedName({ group, plural: resource })] : undefined;
    if (rule) return rule(attributes, { node, isRelated: () => this.#isRelated(node, attributes) });
    return this.#rules.some((each) => covers(each, attributes)) ? allowance : denial("");
  }

  /** The permissions of nodes depend on their pods, and can't be listed. */
  rulesOf(): Rule[] {
    return [];
  }

  /**
   * Returns true if a node has a pod that needs the object, or the object itself names the node. Mirror pods need nothing: a node,
   * which makes those, must not give itself access by them.
   */
  #isRelated(node: string, { group, resource, namespace, name }: Attributes): boolean {
    const collection = qualifiedName({ group, plural: resource });
    const pods = this.#podsOn(node, namespace);
    const needing = pods.filter((pod) => !isMirror(pod));
    switch (collection) {
      case "pods":
        return pods.some(({ metadata }) => metadata.name === name);
      case "serviceaccounts":
        return needing.some(({ spec }) => spec.serviceAccountName === name);
      case "persistentvolumeclaims":
        return this.#usesClaim(node, namespace, name);
      case "persistentvolumes":
        return this.#usesVolume(
          node,
          this.#volumes().find(({ metadata }) => metadata.name === name),
        );
      case "configmaps":
      case "secrets":
        return (
          needing.some((pod) => refersTo(pod.spec, resource, name)) ||
          this.#volumes().some(
            (volume) =>
              refersTo(volume.spec, resource, name, namespace, volume.spec.claimRef?.namespace) &&
              this.#usesVolume(node, volume),
          )
        );
      case "resourceclaims.resource.k8s.io":
        return needing.some((pod) => resourceClaims(pod).includes(name));
      default: {
        const key = namespace === "" ? name : `${namespace}/${name}`;
        const spec = this.#store.collection(collection).get(key)?.object["spec"];
        return (spec as { nodeName?: string } | undefined)?.nodeName === node;
      }
    }
  }

  #podsOn(node: string, namespace: string): Pod[] {
    const entries = namespace === "" ? [] : this.#store.collection("pods").list(`${namespace}/`);
    return entries.map(({ object }) => object as unknown as Pod).filter(({ spec }) => spec.nodeName === node);
  }

  #volumes(): PersistentVolume[] {
    const entries = this.#store.collection("persistentvolumes").list();
    return entries.map(({ object }) => object as unknown as PersistentVolume);
  }

  #usesClaim(node: string, namespace: string, name: string): boolean {
    const pods = this.#podsOn(node, namespace);
    return pods.some((pod) => !isMirror(pod) && claimNames(pod).includes(name));
  }

  #usesVolume(node: string, volume: PersistentVolume | undefined): boolean {
    const { namespace = "", name = "" } = volume?.spec.claimRef ?? {};
    return name !== "" && this.#usesClaim(node, namespace, name);
  }
}

/** Returns true if a spec refers to a ConfigMap or Secret, in a namespace if one is given. */
function refersTo(spec: object, resource: string, name: string, namespace?: string, own?: string): boolean {
  for (const each of dataReferences(spec)) {
    if (each.resource !== resource || each.name !== name) continue;
    if (namespace === undefined || (each.namespace ?? own) === namespace) return true;
  }
  return false;
}

/** The names of a pod's resource claims: those that it names, and those that were made for it. */
function resourceClaims({ spec, status }: Pod): string[] {
  return [
    ...(spec.resourceClaims ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
    ...(status?.resourceClaimStatuses ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
    ...[status?.extendedResourceClaimStatus?.resourceClaimName ?? []].flat(),
  ];
}

const allowance: Decision = { allowed: true, reason: "" };

function denial(reason: string): Decision {
  return { allowed: false, reason };
}

/** The node that asks, and the lookup if an object is related to it. */
interface Asking {
  readonly node: string;
  readonly isRelated: () => boolean;
}

type NodeRule = (attributes: Attributes, asking: Asking) => Decision;

/** The resources of which a node may reach only its own objects. */
const rules: Readonly<Record<string, NodeRule>> = {
  secrets: readNeeded,
  configmaps: readNeeded,
  persistentvolumeclaims: (attributes, asking) =>
    attributes.subresource === "status" ? updateStatus(attributes, asking) : getNeeded(attributes, asking),
  persistentvolumes: getNeeded,
  "resourceclaims.resource.k8s.io": getNeeded,
  "volumeattachments.storage.k8s.io": getNeeded,
  serviceaccounts: useAccount,
  "leases.coordination.k8s.io": useLease,
  "csinodes.storage.k8s.io": (attributes, { node }) => useOwn(attributes, node, "a CSINode", "CSINode"),
  "resourceslices.resource.k8s.io": useSlice,
  nodes: useNode,
  pods: usePod,
};

function needed({ name }: Attributes, { node, isRelated }: Asking): Decision {
  if (name === "") return denial("No Object name found");
  return isRelated() ? allowance : denial(`no relationship found between node '${node}' and this object`);
}

function getNeeded(attributes: Attributes, asking: Asking): Decision {
  if (attributes.verb !== "get") return denial("can only get individual resources of this type");
  return attributes.subresource === "" ? needed(attributes, asking) : denial("cannot get subresource");
}

const readVerbs = ["get", "list", "watch"];

function readNeeded(attributes: Attributes, asking: Asking): Decision {
  if (!readVerbs.includes(attributes.verb)) return denial("can only read resources of this type");
  if (attributes.subresource !== "") return denial("cannot read subresource");
  if (attributes.namespace === "") return denial("can only read namespaced object of this type");
  return needed(attributes, asking);
}

function updateStatus(attributes: Attributes, asking: Asking): Decision {
  const isUpdate = ["update", "patch"].includes(attributes.verb);
  return isUpdate ? needed(attributes, asking) : denial("can only get/update/patch this type");
}

function useAccount(attributes: Attributes, asking: Asking): Decision {
  const { verb, name, subresource } = attributes;
  if (verb === "get" && subresource === "") return readNeeded(attributes, asking);
  if (verb !== "create" || name === "")
    return denial("can only create tokens for individual service accounts");
  if (subresource !== "token") return denial("can only create token subresource of serviceaccount");
  return needed(attributes, asking);
}

const leaseNamespace = "kube-node-lease";

function useLease(attributes: Attributes, { node }: Asking): Decision {
  if (ownVerbs.includes(attributes.verb) && attributes.namespace !== leaseNamespace)
    return denial(`can only access leases in the "${leaseNamespace}" system namespace`);
  return useOwn({ ...attributes, subresource: "" }, node, "a node lease", "node lease");
}

const ownVerbs = ["get", "create", "update", "patch", "delete"];

/** Lets a node use the object of its own name. Only admission knows the name of a new one. */
function useOwn({ verb, subresource, name }: Attributes, node: string, one: string, what: string): Decision {
  if (!ownVerbs.includes(verb)) return denial(`can only get, create, update, patch, or delete ${one}`);
  if (subresource !== "") return denial(`cannot authorize ${what} subresources`);
  if (verb === "create" || name === node) return allowance;
  return denial(`can only access ${what} with the same name as the requesting node`);
}

function useSlice(attributes: Attributes, asking: Asking): Decision {
  const { verb, subresource } = attributes;
  if (subresource !== "") return denial("cannot authorize ResourceSlice subresources");
  if (verb === "create") return allowance;
  if (["get", "update", "patch", "delete"].includes(verb)) return needed(attributes, asking);
  return selectsNode(attributes, asking.node)
    ? allowance
    : denial("can only list/watch/deletecollection resourceslices with nodeName field selector");
}

function useNode({ verb, subresource, name }: Attributes, { node }: Asking): Decision {
  const isWrite = ["update", "patch"].includes(verb);
  if (subresource === "status") return isWrite ? allowance : denial("");
  if (subresource !== "") return denial("");
  if (isWrite || verb === "create") return allowance;
  if (!readVerbs.includes(verb)) return denial("");
  if (name === node) return allowance;
  const what = name === "" ? "all nodes" : `'${name}'`;
  return denial(`node '${node}' cannot read ${what}, only its own Node object`);
}

function usePod(attributes: Attributes, asking: Asking): Decision {
  const { verb, subresource, name } = attributes;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? allowance : denial("");
  if (subresource === "eviction") return verb === "create" ? allowance : denial("");
  if (subresource !== "") return denial("");
  if (verb === "get") return getNeeded(attributes, asking);
  if (verb === "create" || verb === "delete") return allowance;
  if (!readVerbs.includes(verb)) return denial("");
  if (selectsNode(attributes, asking.node)) return allowance;
  if (name !== "") return needed(attributes, asking);
  return denial("can only list/watch pods with spec.nodeName field selector");
}

/** Returns true if the field selector of a list or watch admits only objects of a node. */
function selectsNode({ fieldSelector }: Attributes, node: string): boolean {
  try {
    return parseFieldSelector(fieldSelector).some(
      ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node,
    );
  } catch {
    return false;
  }
}
