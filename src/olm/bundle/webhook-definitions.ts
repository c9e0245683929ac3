import { compareText } from "@tsbuilder/apimachinery/text";
import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ServicePort, ServiceSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import { type ManifestObject, type WithSpec, describeObject, isCrd } from "../../ship/manifest.ts";
import { webhookTypes } from "../bundle-format.ts";
import type { WebhookDefinition } from "./csv.ts";

/** The webhooks of a deployment, as a bundle describes them. */
export interface FoundWebhooks {
  readonly definitions: readonly WebhookDefinition[];
  /** The Services in front of the webhooks. The bundle omits them, since OLM creates its own. */
  readonly services: ReadonlySet<Service>;
  /** The names of the Deployments that serve the webhooks. */
  readonly deployments: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** The types of webhook definitions, by the kinds of webhook configurations. */
const typesByKind: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: webhookTypes.mutating,
  ValidatingWebhookConfiguration: webhookTypes.validating,
};

export function isWebhookConfiguration({ kind }: ManifestObject): boolean {
  return typesByKind[kind] !== undefined;
}

export type Deployment = WithSpec<DeploymentSpec>;
export type Service = WithSpec<ServiceSpec>;

interface ClientConfig {
  readonly service?: ServiceReference;
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly admissionReviewVersions: readonly string[];
  readonly sideEffects: string;
  readonly [field: string]: unknown;
}

/** A Service, one of its ports, and the Deployment behind it. */
interface Backend {
  readonly service: Service;
  readonly port: ServicePort;
  readonly deployment: Deployment;
}

/** Describes the webhooks of a rendered deployment for OLM. Webhooks that OLM can't serve are left out, with a note. */
export function findWebhooks(objects: readonly ManifestObject[]): FoundWebhooks {
  const notes: string[] = [];
  const backends: Backend[] = [];
  const findServer = (name: string, client: ClientConfig | undefined): Backend | undefined => {
    const found = client?.service && findBackend(objects, client.service);
    if (found) backends.push(found);
    else
      notes.push(
        `left out ${name}: OLM only knows webhooks behind a Service in front of one of the bundle's Deployments`,
      );
    return found;
  };
  const admission = objects.filter(isWebhookConfiguration).flatMap(({ kind, webhooks }) =>
    ((webhooks ?? []) as readonly Webhook[]).flatMap((webhook) => {
      const found = findServer(`the webhook ${webhook.name}`, webhook.clientConfig);
      if (!found) return [];
      notes.push(...noteDroppedFields(webhook));
      return [admissionDefinition(typesByKind[kind]!, webhook, found)];
    }),
  );
  const conversions = objects.filter(isCrd).flatMap((crd) => {
    const { webhook } = conversionOf(crd) ?? {};
    const found = webhook && findServer(`the conversion of ${describeObject(crd)}`, webhook.clientConfig);
    return found ? [{ crd, webhook, found }] : [];
  });
  return {
    definitions: [...admission, ...conversionDefinitions(conversions)].sort((a, b) =>
      compareText(a.generateName, b.generateName),
    ),
    services: new Set(backends.map(({ service }) => service)),
    deployments: new Set(backends.map(({ deployment }) => deployment.metadata.name)),
    notes,
  };
}

interface Conversion {
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig: ClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
}

/** Returns the conversion of a CRD, if a webhook does it. */
function conversionOf(crd: ManifestObject): Conversion | undefined {
  const { conversion } = (crd as WithSpec<{ conversion?: Conversion }>).spec;
  return conversion?.strategy === "Webhook" ? conversion : undefined;
}

/** Returns the name of the Service that OLM creates for the webhooks of a Deployment. */
export function olmServiceName(deployment: string): string {
  return `${deployment.replaceAll(".", "-")}-service`;
}

/** The fields that OLM copies into the configuration. */
const copied = [
  "failurePolicy",
  "matchPolicy",
  "objectSelector",
  "reinvocationPolicy",
  "timeoutSeconds",
  "rules",
] as const;

const known = new Set<string>([...copied, "name", "clientConfig", "admissionReviewVersions", "sideEffects"]);

function noteDroppedFields(webhook: Webhook): string[] {
  const lost = Object.keys(webhook).filter((field) => !known.has(field));
  return lost.length === 0
    ? []
    : [
        `left out ${lost.join(", ")} of the webhook ${webhook.name}: a webhookdefinition has no such field${lost.includes("namespaceSelector") ? "; OLM selects the namespaces that the operator watches" : ""}`,
      ];
}

function admissionDefinition(type: string, webhook: Webhook, backend: Backend): WebhookDefinition {
  return {
    type,
    generateName: webhook.name,
    ...address(backend, webhook.clientConfig),
    admissionReviewVersions: webhook.admissionReviewVersions,
    sideEffects: webhook.sideEffects,
    ...Object.fromEntries(
      copied.filter((field) => webhook[field] !== undefined).map((field) => [field, webhook[field]]),
    ),
  };
}

interface FoundConversion {
  readonly crd: ManifestObject;
  readonly webhook: NonNullable<Conversion["webhook"]>;
  readonly found: Backend;
}

/** Returns the definitions of conversion webhooks: one for all CRDs that are converted at the same address. */
function conversionDefinitions(conversions: readonly FoundConversion[]): WebhookDefinition[] {
  const definitions = new Map<string, WebhookDefinition>();
  for (const { crd, webhook, found } of conversions) {
    const target = address(found, webhook.clientConfig);
    const key = JSON.stringify([target, webhook.conversionReviewVersions]);
    const before = definitions.get(key);
    definitions.set(key, {
      type: webhookTypes.conversion,
      generateName: `c${crd.metadata.name}`,
      ...target,
      admissionReviewVersions: webhook.conversionReviewVersions,
      sideEffects: "None",
      ...before,
      conversionCRDs: [...(before?.conversionCRDs ?? []), crd.metadata.name],
    });
  }
  return [...definitions.values()];
}

/** Returns the fields of a definition that say where its webhook is served. */
function address(
  { port, deployment }: Backend,
  { service }: ClientConfig,
): Pick<WebhookDefinition, "deploymentName" | "containerPort" | "targetPort" | "webhookPath"> {
  return {
    deploymentName: deployment.metadata.name,
    containerPort: port.port,
    targetPort: port.targetPort ?? port.port,
    webhookPath: service?.path ?? "/",
  };
}

/** A reference of a webhook to the Service in front of it. */
export interface ServiceReference {
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly path?: string;
}

export function isDeployment(object: ManifestObject): object is Deployment {
  return object.kind === "Deployment" && object.apiVersion.startsWith("apps/");
}

/** Finds the Service that a webhook refers to, and the Deployment behind it; undefined unless the objects have both. */
export function findBackend(
  objects: readonly ManifestObject[],
  { name, namespace, port: number = 443 }: ServiceReference,
): Backend | undefined {
  const service = objects
    .filter(isService)
    .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const port = service?.spec.ports?.find((each) => each.port === number);
  const deployment = service && objects.filter(isDeployment).find((each) => selects(service, each));
  return service && port && deployment ? { service, port, deployment } : undefined;
}

function isService(object: ManifestObject): object is Service {
  return object.kind === "Service" && object.apiVersion === "v1";
}

function selects({ spec, metadata }: Service, deployment: Deployment): boolean {
  const labels = deployment.spec.template.metadata?.labels ?? {};
  const wanted = Object.entries(spec.selector ?? {});
  const isSameNamespace = metadata.namespace === deployment.metadata.namespace;
  return isSameNamespace && wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
