import type { PolicyRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { findBackend, type ServiceReference } from "../../../src/olm/bundle/webhook-definitions.ts";
import type { ManifestObject } from "../../../src/ship/manifest.ts";

/**
 * Compares the effects of two sets of objects: what each service account of a Deployment may do, which Deployment answers each
 * webhook, and all other objects field by field. Returns a line for each difference.
 */
export function explainDifferences(
  deployed: readonly ManifestObject[],
  installed: readonly ManifestObject[],
): string[] {
  const [before, after] = [facts(deployed), facts(installed)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .flatMap((name) => differences(name, before.get(name), after.get(name)));
}

/** The facts that are compared, by name. */
function facts(objects: readonly ManifestObject[]): Map<string, unknown> {
  const accounts = new Set(
    objects
      .filter(({ kind }) => kind === "Deployment")
      .map((deployment) => podOf(deployment).serviceAccountName),
  );
  const { granted, roles } = grants(objects, accounts);
  const webhooks = objects.filter(({ kind }) => kind.endsWith("WebhookConfiguration"));
  const found = new Map<string, unknown>();
  for (const [name, rules] of granted)
    found.set(`rights of ${name}`, Object.fromEntries([...rules].map((rule) => [rule, true])));
  for (const { kind, ...configuration } of webhooks) {
    for (const webhook of configuration["webhooks"] as readonly Webhook[])
      found.set(`${kind.replace("Configuration", "")} ${webhook.name}`, resolved(webhook, objects));
  }
  const services = new Set(
    [...webhooks.flatMap((one) => one["webhooks"] as Webhook[]), ...conversionsOf(objects)].map(
      ({ clientConfig }) => clientConfig.service.name,
    ),
  );
  for (const object of objects) {
    if (webhooks.includes(object) || roles.has(object)) continue;
    if (object.kind === "Service" && services.has(object.metadata.name)) continue;
    found.set(`${object.kind} ${object.metadata.name}`, normalized(object, objects));
  }
  return found;
}

type Binding = ManifestObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: ServiceReference };
}

function podOf(deployment: ManifestObject) {
  return (
    deployment as ManifestObject & {
      spec: {
        template: {
          metadata: { annotations?: Record<string, string> };
          spec: { serviceAccountName: string };
        };
      };
    }
  ).spec.template.spec;
}

/** The rules of the accounts, with the namespace in which they hold, and the roles and bindings that say so. */
function grants(objects: readonly ManifestObject[], accounts: ReadonlySet<string>) {
  const granted = new Map<string, Set<string>>();
  const roles = new Set<ManifestObject>();
  for (const binding of objects.filter(({ kind }) => /^(?:Cluster)?RoleBinding$/u.test(kind)) as Binding[]) {
    const own = (binding.subjects ?? []).filter(({ name }) => accounts.has(name));
    const role = objects.find(
      ({ kind, metadata }) =>
        kind === binding.roleRef.kind &&
        metadata.name === binding.roleRef.name &&
        (kind === "ClusterRole" || metadata.namespace === binding.metadata.namespace),
    ) as (ManifestObject & { rules: readonly PolicyRule[] }) | undefined;
    if (own.length === 0 || !role) continue;
    roles.add(role).add(binding);
    const where = binding.metadata.namespace ?? "all namespaces";
    for (const { name } of own)
      for (const rule of role.rules)
        granted.set(name, (granted.get(name) ?? new Set()).add(`${where}: ${JSON.stringify(rule)}`));
  }
  return { granted, roles };
}

function conversionsOf(objects: readonly ManifestObject[]): Webhook[] {
  return objects.flatMap((object) => {
    const { conversion } = (object["spec"] ?? {}) as { conversion?: { webhook?: Webhook } };
    return conversion?.webhook ? [conversion.webhook] : [];
  });
}

/** Which Deployment answers at which of its ports, instead of the Service in between. */
function resolved<Called extends { readonly clientConfig: { readonly service: ServiceReference } }>(
  webhook: Called,
  objects: readonly ManifestObject[],
) {
  const { service } = webhook.clientConfig;
  const served = findBackend(objects, service);
  const called = served && {
    deployment: served.deployment.metadata.name,
    port: served.port.targetPort,
    path: service.path,
  };
  return { ...webhook, clientConfig: called };
}

function normalized(object: ManifestObject, objects: readonly ManifestObject[]): unknown {
  if (object.kind === "Deployment") return withValues(object);
  const { conversion } = (object["spec"] ?? {}) as { conversion?: { webhook?: Webhook } };
  if (!conversion?.webhook) return object;
  const webhook = resolved(conversion.webhook, objects);
  return { ...object, spec: { ...(object["spec"] as object), conversion: { ...conversion, webhook } } };
}

/** A Deployment whose variables have the values that they get in a pod. */
function withValues(deployment: ManifestObject): unknown {
  const text = JSON.stringify(deployment);
  const { annotations = {} } = (
    deployment as ManifestObject & {
      spec: { template: { metadata: { annotations?: Record<string, string> } } };
    }
  ).spec.template.metadata;
  return JSON.parse(text, (key, value: unknown) => {
    if (key !== "valueFrom") return value;
    const path = (value as { fieldRef?: { fieldPath: string } }).fieldRef?.fieldPath;
    if (path === "metadata.namespace") return deployment.metadata.namespace;
    const annotation = /^metadata\.annotations\['(.+)'\]$/u.exec(path ?? "")?.[1];
    return annotation === undefined ? value : annotations[annotation];
  });
}

function differences(path: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [`${path}: only installed`];
  if (after === undefined) return [`${path}: only deployed`];
  const [left, right] = [fieldsOf(before), fieldsOf(after)];
  if (!left || !right)
    return [`${path}: ${JSON.stringify(before)} deployed, ${JSON.stringify(after)} installed`];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
    differences(`${path}.${key}`, left[key], right[key]),
  );
}

/** The fields of an object; the items of a list by their names, or as they are if they have none. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return value as Record<string, unknown>;
  return Object.fromEntries(
    value.map((item: unknown) => [(item as { name?: string } | null)?.name ?? JSON.stringify(item), item]),
  );
}
