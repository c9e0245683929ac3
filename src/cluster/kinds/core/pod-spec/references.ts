import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { type Problems, checked, optionalChoice } from "../../checks/problems.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "./types.ts";

/** The resources that a resourceFieldRef may name. */
const resourcesOfContainers = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** Fields of a pod that a fieldRef may name; each place allows some of them. */
const podFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

/** A fieldRef: a field of the pod, or one of its labels or annotations such as `metadata.labels['app']`. */
export function* fieldReference(
  field: string,
  { apiVersion, fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
): Problems {
  if (!apiVersion) return yield required(`${field}.apiVersion`);
  if (!fieldPath) return yield required(`${field}.fieldPath`);
  if (apiVersion !== "v1") return yield noField(field, fieldPath, `unsupported pod version: ${apiVersion}`);
  const [, path = "", key = ""] = /^([^[]*)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (path === "") {
    const known = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!podFields.has(known)) return yield noField(field, fieldPath, `field label not supported: ${known}`);
    yield* optionalChoice(`${field}.fieldPath`, known, allowed);
  } else if (path === "metadata.annotations") {
    yield* checked(field, key.toLowerCase(), checkQualifiedName);
  } else if (path === "metadata.labels") yield* checked(field, key, checkQualifiedName);
  else yield noField(field, fieldPath, `field label does not support subscript: ${fieldPath}`);
}

function noField(field: string, path: string, reason: string): ReturnType<typeof invalid> {
  return invalid(`${field}.fieldPath`, path, `error converting fieldPath: ${reason}`);
}

const cpuDivisors = ["1m", "1"];
const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** A resourceFieldRef: a request or limit of a container, with a divisor. A file must name its container. */
export function* resourceReference(
  field: string,
  { containerName = "", resource = "", divisor = "0" }: ResourceFieldSelector,
  needsContainer = false,
): Problems {
  if (needsContainer && containerName === "") yield required(`${field}.containerName`);
  else if (resource === "") yield required(`${field}.resource`);
  else if (!resourcesOfContainers.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    yield notSupported(`${field}.resource`, resource, resourcesOfContainers);
  }
  if (compareQuantities(divisor, "0") === 0) return;
  const kind = resource.replace(/^(limits|requests)\./, "");
  const [named, divisors] = divisorsOf(kind);
  if (divisors.includes(String(divisor))) return;
  const detail =
    kind === "cpu"
      ? "only divisor's values 1m and 1 are supported with the cpu resource"
      : `only divisor's values ${byteDivisors.join(", ")} are supported with the ${named} resource`;
  yield invalid(`${field}.divisor`, resource, detail);
}

function divisorsOf(kind: string): [name: string, divisors: readonly string[]] {
  if (kind === "cpu") return ["cpu", cpuDivisors];
  if (kind === "ephemeral-storage") return ["local ephemeral storage", byteDivisors];
  return [kind.startsWith("hugepages-") ? "hugepages" : kind, byteDivisors];
}
