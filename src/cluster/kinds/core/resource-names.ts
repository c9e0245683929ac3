import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { compareQuantities, isWholeQuantity } from "@tsbuilder/apimachinery/quantity";
import { invalid } from "@tsbuilder/apimachinery/errors";
import { type Problems, refused } from "../checks/problems.ts";

export const hugePages = "hugepages-";

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePages);
}

/** Names without a domain, and those in kubernetes.io. */
export function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Names of resources that drivers or users define. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

const counted = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const computed = ["cpu", "ephemeral-storage", "memory"];

const standard = new Set([
  ...counted,
  ...computed,
  ...computed.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

/** Returns true if quotas know a name without a domain. */
export function isCountedByQuota(name: string): boolean {
  return standard.has(name) || isHugePages(name) || name.startsWith(`requests.${hugePages}`);
}

/** The name of any resource: `cpu`, `requests.storage`, `example.com/gpu`. */
export function* resourceName(field: string, name: string): Problems {
  const reasons = checkQualifiedName(name);
  yield* refused(field, name, reasons);
  if (reasons.length > 0 || name.includes("/") || name === "storage" || isCountedByQuota(name)) return;
  yield invalid(field, name, "must be a standard resource type or fully qualified");
}

/** The name of a resource that containers use. */
export function* containerResourceName(field: string, name: string): Problems {
  yield* resourceName(field, name);
  if (!name.includes("/")) {
    if (!computed.includes(name) && !isHugePages(name)) {
      yield invalid(field, name, "must be a standard resource for containers");
    }
  } else if (!isNative(name) && !isExtended(name)) {
    yield invalid(field, name, "doesn't follow extended resource name standard");
  }
}

/** Returns whether a resource can be set for the whole pod, not only for containers. */
export function isForPods(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

/** A quantity of a resource; extended resources must be integers. */
export function* amount(field: string, name: string, quantity: Quantity): Problems {
  if (compareQuantities(quantity, "0") < 0) {
    yield invalid(field, quantity, "must be greater than or equal to 0");
  }
  if ((counted.has(name) || isExtended(name)) && !isWholeQuantity(quantity)) {
    yield invalid(field, quantity, "must be an integer");
  }
}
