import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { describeObject, isCrd, type ManifestObject, type WithSpec } from "../../ship/manifest.ts";
import { bundledKinds } from "../bundle-format.ts";
import type { WebhookDefinition } from "./csv.ts";
import type { Crd } from "./descriptors.ts";
import { type FoundWebhooks, type Service, olmServiceName } from "./webhook-definitions.ts";

/** A manifest of the bundle beside its ClusterServiceVersion. */
export interface BundledObject {
  readonly fileName: string;
  readonly object: ManifestObject;
}

/** Returns the objects that OLM creates from manifests, adapted to it, and notes about the others. */
export function bundleObjects(
  objects: readonly ManifestObject[],
  webhooks: FoundWebhooks,
  secrets: ReadonlySet<string>,
): { readonly bundled: readonly BundledObject[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const bundled = objects.flatMap((object): BundledObject[] => {
    if (webhooks.services.has(object as Service)) return [];
    if (bundledKinds.has(object.kind)) {
      const adapted = withoutCertificates(object, webhooks, secrets);
      return [{ fileName: fileName(object), object: withoutNamespace(adapted) }];
    }
    notes.push(`left out ${describeObject(object)}: OLM creates no objects of its kind`);
    return [];
  });
  return { bundled, notes };
}

/** Returns the names of the Secrets that cert-manager writes. */
export function issuedSecrets(objects: readonly ManifestObject[]): ReadonlySet<string> {
  const certificates = objects.filter((object) => isCertManager(object) && object.kind === "Certificate");
  return new Set(certificates.map(({ spec }) => (spec as { secretName: string }).secretName));
}

/** Returns whether an object is of one of cert-manager's kinds, which OLM replaces. */
export function isCertManager({ apiVersion }: ManifestObject): boolean {
  return apiVersion.startsWith("cert-manager.io/");
}

/** Removes the namespace: OLM creates objects in the namespace in which it installs the operator. */
function withoutNamespace(object: ManifestObject): ManifestObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function fileName(object: ManifestObject): string {
  const { apiVersion, kind, metadata } = object;
  if (isCrd(object)) {
    const { group, names } = (object as Crd).spec;
    return `${group}_${names.plural}.yaml`;
  }
  return `${metadata.name}_${apiVersion.replace("/", "_")}_${kind.toLowerCase()}.yaml`;
}

/** Removes references to cert-manager's certificates, which don't exist in a bundle. */
function withoutCertificates(
  object: ManifestObject,
  webhooks: FoundWebhooks,
  secrets: ReadonlySet<string>,
): ManifestObject {
  if (isCrd(object)) return withOlmConversion(object, webhooks);
  return object.kind === "ServiceMonitor" ? withoutVerification(object, secrets) : object;
}

const injectAnnotation = "cert-manager.io/inject-ca-from";

/** Points the conversion of a CRD at OLM's Service. OLM adds its CA when it installs the bundle. */
function withOlmConversion(crd: ManifestObject, { definitions }: FoundWebhooks): ManifestObject {
  const { metadata, spec } = crd as WithSpec<Readonly<Record<string, unknown>>>;
  const { annotations, ...rest } = metadata as typeof metadata & { annotations?: Record<string, string> };
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== injectAnnotation);
  const definition = definitions.find(({ conversionCRDs }) => conversionCRDs?.includes(metadata.name));
  return {
    ...crd,
    metadata: { ...rest, ...(kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {}) },
    spec: definition ? { ...spec, conversion: conversionByOlm(definition, spec["conversion"]) } : spec,
  };
}

function conversionByOlm(definition: WebhookDefinition, former: unknown): object {
  const { service } = (former as { webhook: { clientConfig: { service: { namespace: string } } } }).webhook
    .clientConfig;
  const served = {
    namespace: service.namespace,
    name: olmServiceName(definition.deploymentName),
    path: definition.webhookPath,
    port: definition.containerPort,
  };
  const conversionReviewVersions = definition.admissionReviewVersions;
  return { strategy: "Webhook", webhook: { clientConfig: { service: served }, conversionReviewVersions } };
}

interface Endpoint {
  readonly tlsConfig?: Readonly<Record<string, unknown>>;
}

/** Turns the verification of TLS off where cert-manager's certificate is gone: the operator then signs its own. */
function withoutVerification(monitor: ManifestObject, secrets: ReadonlySet<string>): ManifestObject {
  const { spec } = monitor as WithSpec<{ endpoints?: readonly Endpoint[] }>;
  const refersToLost = ({ tlsConfig }: Endpoint): boolean =>
    [...secrets].some((secret) => JSON.stringify(tlsConfig ?? {}).includes(JSON.stringify(secret)));
  return {
    ...monitor,
    spec: {
      ...spec,
      endpoints: spec.endpoints?.map((endpoint) =>
        refersToLost(endpoint) ? { ...endpoint, tlsConfig: { insecureSkipVerify: true } } : endpoint,
      ),
    },
  };
}

/** Returns the kind and API group of an object: `Tenant.team.example.com`. */
export function groupKind({ apiVersion, kind }: Pick<ManifestObject, "apiVersion" | "kind">): string {
  return `${kind}.${parseApiVersion(apiVersion).group}`;
}
