import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { findKind } from "../built-in/built-in-resource.ts";
import { readField } from "../kinds/cells.ts";
import type { PodSpec, PodTemplateSpec } from "../kinds/core/pod-spec/types.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import { forbidden, invalidObject } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { Standard } from "./pod-security-standards.ts";
import { containersOf, describeViolations, findViolations, plural } from "./pod-security-standards.ts";

/** The standards that a namespace sets. There is no audit log, so the `audit` labels are only validated. */
interface Policy {
  readonly enforce: Standard;
  readonly warn: Standard;
  readonly errors: readonly FieldError[];
}

/**
 * Enforces the Pod Security Standard in the labels of a namespace, and warns about templates whose pods would violate
 * it. All versions of the standards have today's rules.
 */
export function podSecurity(store: Store): AdmissionPlugin {
  const policyOf = (namespace: string): Policy =>
    readPolicy(store.collection("namespaces").get(namespace)?.object.metadata.labels);
  return {
    name: "PodSecurity",
    validate(request) {
      const { operation, resource, object } = request;
      if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (resource.group === "" && resource.plural === "namespaces") checkNamespace(request, object, store);
      else if (isPodWrite(request)) checkPod(request, object, policyOf(request.namespace));
      else if (request.subresource === "") warnAboutTemplate(request, object, policyOf);
    },
  };
}

const levels: readonly Standard["level"][] = ["privileged", "baseline", "restricted"];
const prefix = "pod-security.kubernetes.io/";

/** Reads a namespace's labels. An invalid `enforce` label means `restricted`; an invalid `warn` label, no warnings. */
function readPolicy(labels: Readonly<Record<string, string>> = {}): Policy {
  const errors: FieldError[] = [];
  const check = (label: string, isValid: (value: string) => boolean, message: string): string | undefined => {
    const value = labels[prefix + label];
    if (value === undefined || isValid(value)) return value;
    errors.push(invalid(`metadata.labels[${prefix}${label}]`, value, message));
    return undefined;
  };
  const isLevel = (value: string): boolean => levels.some((level) => level === value);
  const level = (mode: string) =>
    check(mode, isLevel, `must be one of ${levels.join(", ")}`) as Standard["level"] | undefined;
  const version = (mode: string) =>
    check(
      `${mode}-version`,
      (value) => /^(latest|v1\.(0|[1-9]\d*))$/.test(value),
      'must be "latest" or "v1.x"',
    );
  const enforced = level("enforce");
  const enforcedVersion = version("enforce") ?? "latest";
  level("audit");
  version("audit");
  const warned = level("warn");
  const warnedVersion = version("warn");
  // Without a `warn` label, an enforced standard also warns, so that templates of other kinds are checked.
  const warnsAsEnforced = !(`${prefix}warn` in labels) && enforced !== undefined && enforced !== "privileged";
  const fallback = `${prefix}enforce` in labels ? "restricted" : "privileged";
  return {
    enforce: { level: enforced ?? fallback, version: enforcedVersion },
    warn: warnsAsEnforced
      ? { level: enforced, version: warnedVersion ?? enforcedVersion }
      : { level: warned ?? "privileged", version: warnedVersion ?? "latest" },
    errors,
  };
}

/** Denies invalid labels. If the enforced standard gets stricter, warns about existing pods that violate it. */
function checkNamespace(
  { resource, subresource, oldObject, name, warn }: AdmissionRequest,
  object: ApiObject,
  store: Store,
): void {
  if (subresource !== "") return;
  const policy = readPolicy(object.metadata.labels);
  const oldPolicy = oldObject && readPolicy(oldObject.metadata.labels);
  const hasNewErrors = JSON.stringify(policy.errors) !== JSON.stringify(oldPolicy?.errors ?? []);
  if (policy.errors.length > 0 && hasNewErrors) throw invalidObject(resource, name, policy.errors);
  const { enforce } = policy;
  if (!oldPolicy || nameOf(enforce) === nameOf(oldPolicy.enforce)) return;
  const isRelaxed =
    enforce.version === oldPolicy.enforce.version &&
    levels.indexOf(enforce.level) <= levels.indexOf(oldPolicy.enforce.level);
  if (enforce.level === "privileged" || isRelaxed) return;
  const pods = store
    .collection("pods")
    .list(`${name}/`)
    .map(({ object: pod }) => pod);
  for (const warning of warningsAboutPods(name, enforce, pods)) warn(warning);
}

/** One line for each set of violations, with the first pod that has it and the number of the others. */
function warningsAboutPods(namespace: string, standard: Standard, pods: readonly ApiObject[]): string[] {
  const names = new Map<string, string[]>();
  for (const { metadata, ...pod } of pods) {
    const violations = findViolations(standard, pod["spec"] as PodSpec, metadata.annotations);
    if (violations.length === 0) continue;
    const reasons = violations.map(({ reason }) => reason).join(", ");
    names.set(reasons, [...(names.get(reasons) ?? []), metadata.name ?? ""]);
  }
  if (names.size === 0) return [];
  const lines = [...names].map(([reasons, [first, ...others]]) => {
    const more = others.length === 0 ? "" : ` (and ${others.length} other ${plural("pod", others.length)})`;
    return `${first}${more}: ${reasons}`;
  });
  const start = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${nameOf(standard)}"`;
  return [start, ...lines.toSorted()];
}

/** Returns true for a pod that is created, or whose images change. */
function isPodWrite({ resource, subresource, object, oldObject }: AdmissionRequest): boolean {
  if (resource.group !== "" || resource.plural !== "pods") return false;
  if (subresource !== "" && subresource !== "ephemeralcontainers") return false;
  return !oldObject || imagesOf(object) !== imagesOf(oldObject);
}

/** The images of a pod. Updates are checked only if they change images: the other relevant fields are immutable. */
function imagesOf(pod: ApiObject | undefined): string {
  const containers = containersOf(pod?.["spec"] ?? {});
  return JSON.stringify(containers.map(({ name, image }) => [name, image]));
}

function checkPod(request: AdmissionRequest, pod: ApiObject, { enforce, warn }: Policy): void {
  const spec = pod["spec"] as PodSpec;
  const { annotations } = pod.metadata;
  const violations = findViolations(enforce, spec, annotations);
  if (violations.length > 0) {
    const why = `violates PodSecurity "${nameOf(enforce)}": ${describeViolations(violations)}`;
    throw forbidden(request.resource, pod.metadata.name ?? request.name, why);
  }
  warnAbout(request, warn, spec, annotations);
}

function warnAboutTemplate(
  request: AdmissionRequest,
  object: ApiObject,
  policyOf: (namespace: string) => Policy,
): void {
  const path = findKind(request.resource)?.podTemplate;
  const template = path === undefined ? undefined : readField<PodTemplateSpec>(object, path);
  if (!template?.spec) return;
  warnAbout(request, policyOf(request.namespace).warn, template.spec, template.metadata?.annotations);
}

function warnAbout(
  { warn }: AdmissionRequest,
  standard: Standard,
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  const violations = findViolations(standard, spec, annotations);
  if (violations.length === 0) return;
  warn(`would violate PodSecurity "${nameOf(standard)}": ${describeViolations(violations)}`);
}

function nameOf({ level, version }: Standard): string {
  return `${level}:${version}`;
}
