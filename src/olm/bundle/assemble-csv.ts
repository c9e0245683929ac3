import { compareText } from "@tsbuilder/apimachinery/text";
import type { PolicyRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { KindDescription } from "../../generators/crd/describe-kinds.ts";
import { type ManifestObject, describeObject, isCrd } from "../../ship/manifest.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { csvAnnotations, csvApiVersion, csvKind, targetNamespaces } from "../bundle-format.ts";
import type { BundledObject } from "./bundled-objects.ts";
import { bundleObjects, groupKind, isCertManager, issuedSecrets } from "./bundled-objects.ts";
import type {
  ClusterServiceVersion,
  CrdDescription,
  CsvSpec,
  InstalledDeployment,
  Permission,
  RelatedImage,
} from "./csv.ts";
import type { Deployment } from "./webhook-definitions.ts";
import { findWebhooks, isDeployment, isWebhookConfiguration } from "./webhook-definitions.ts";
import { compareByMarkers, type Crd, describeCrd } from "./descriptors.ts";
import type { Container, EnvVar, PodSpec, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";

export interface CsvRequest {
  /** The rendered `config/manifests`: the base and the deployment. */
  readonly objects: readonly ManifestObject[];
  /** The rendered samples. Those of the project's kinds become examples. */
  readonly samples: readonly ManifestObject[];
  readonly packageName: string;
  readonly version: string;
  /** The tool that made the bundle. Catalogs count tools and layouts of projects. */
  readonly builder: string;
  readonly projectLayout: string;
  /** Additional service accounts whose permissions belong into the bundle, besides those of the Deployments. */
  readonly extraServiceAccounts: readonly string[];
  /** The descriptions of the project's kinds, from markers. */
  readonly kinds: readonly KindDescription[];
  /** The images for the list of related images, if the bundle should have one. */
  readonly relatedImages?: readonly RelatedImage[] | undefined;
}

export interface AssembledBundle {
  readonly csv: ClusterServiceVersion;
  readonly objects: readonly BundledObject[];
  readonly notes: readonly string[];
}

/** Divides a rendered deployment into a ClusterServiceVersion and the manifests beside it. */
export function assembleCsv(request: CsvRequest): AssembledBundle {
  const { base, crds, examples, others: rendered } = divideObjects(request);
  const deployments = rendered.filter(isDeployment);
  const objects = deployments.some(signsWebhookCertificate)
    ? rendered.filter((object) => !isForSelfSigning(object))
    : rendered;
  if (deployments.length === 0) {
    const hint = "list ../default below resources in config/manifests/kustomization.yaml";
    throw new TsbuilderError("config/manifests renders no Deployment", { code: "NOT_FOUND", hint });
  }
  const accounts = serviceAccountsOf(deployments, request.extraServiceAccounts);
  const roles = splitRoles(objects.filter(isRbac), accounts);
  const webhooks = findWebhooks([...objects, ...crds]);
  const secrets = issuedSecrets(objects);
  const permissions = [...roles.permissions, ...emptyPermissions(objects, deployments, roles)];
  const hasPermission = new Set(
    [...permissions, ...roles.clusterPermissions].map((one) => one.serviceAccountName),
  );
  const others = objects.filter(
    (object) =>
      !(isDeployment(object) || isRbac(object) || isWebhookConfiguration(object) || isCertManager(object)) &&
      object.kind !== "Namespace" &&
      !(object.kind === "ServiceAccount" && hasPermission.has(object.metadata.name)),
  );
  const { bundled, notes } = bundleObjects([...crds, ...roles.others, ...others], webhooks, secrets);
  const isNamespaced = base.spec.installModes?.some(
    ({ type, supported }) => supported && type !== "AllNamespaces",
  );
  const isConverted = webhooks.definitions.some(({ conversionCRDs }) => conversionCRDs);
  const install = {
    strategy: "deployment",
    spec: {
      ...listUnlessEmpty("clusterPermissions", roles.clusterPermissions),
      ...listUnlessEmpty("permissions", permissions),
      deployments: deployments.map((deployment) =>
        installDeployment(deployment, {
          secrets,
          webhooks: webhooks.deployments.has(deployment.metadata.name),
          namespaces: isNamespaced === true,
        }),
      ),
    },
  } as const;
  const owned = mergeOwned(
    crds.flatMap((crd) => describeCrd(crd, request.kinds)).sort(compareByMarkers(request.kinds)),
    base.spec.customresourcedefinitions?.owned ?? [],
  );
  const spec: CsvSpec = {
    ...base.spec,
    version: request.version,
    install,
    customresourcedefinitions: { ...base.spec.customresourcedefinitions, ...listUnlessEmpty("owned", owned) },
    ...listUnlessEmpty("webhookdefinitions", webhooks.definitions),
    ...listUnlessEmpty("relatedImages", mergeImages(base.spec.relatedImages, request.relatedImages)),
  };
  const csv: ClusterServiceVersion = {
    apiVersion: csvApiVersion,
    kind: csvKind,
    metadata: {
      ...base.metadata,
      annotations: annotate(base, request, {
        examples,
        namespace: accounts.namespace,
        deployments: install.spec.deployments,
      }),
      name: `${request.packageName}.v${request.version}`,
    },
    spec: sortKeys(spec),
  };
  return {
    csv,
    objects: bundled,
    notes: [
      ...notes,
      ...webhooks.notes,
      ...noteBindings(roles.others, accounts),
      ...noteMissingExamples(crds, examples),
      ...(isNamespaced && isConverted ? [conversionNote] : []),
    ],
  };
}

const conversionNote =
  "CRDs are converted: OLM then installs only in the mode AllNamespaces; set the others to false in the base";

/** Divides the rendered objects into the base, the CRDs, the examples of their kinds, and the others. */
function divideObjects({ objects: all, samples }: CsvRequest) {
  const base = all.find(({ kind }) => kind === csvKind) as ClusterServiceVersion | undefined;
  if (!base) {
    const hint = "list the file in bases/ below resources in config/manifests/kustomization.yaml";
    throw new TsbuilderError(`config/manifests renders no ${csvKind}`, { code: "NOT_FOUND", hint });
  }
  const crds = all.filter(isCrd) as Crd[];
  const kinds = new Set(
    crds.flatMap(({ spec }) => groupKind({ apiVersion: `${spec.group}/`, kind: spec.names.kind })),
  );
  const isExample = (object: ManifestObject): boolean => kinds.has(groupKind(object));
  return {
    base,
    crds,
    examples: [...all, ...samples].filter(isExample).filter(isFirst),
    others: all.filter((object) => object !== base && !isCrd(object) && !isExample(object)),
  };
}

/** Drops repeated objects: a kustomization of the user may list the samples, too. */
function isFirst(object: ManifestObject, index: number, all: readonly ManifestObject[]): boolean {
  const isSame = (other: ManifestObject): boolean =>
    other.apiVersion === object.apiVersion && describeObject(other) === describeObject(object);
  return all.findIndex(isSame) === index;
}

const roleKinds = new Set(["Role", "ClusterRole"]);
const bindingKinds = new Set(["RoleBinding", "ClusterRoleBinding"]);

function isRbac({ kind }: ManifestObject): boolean {
  return roleKinds.has(kind) || bindingKinds.has(kind);
}

/** Returns whether an object is a role, or its binding, that only lets an operator make the certificate of its webhooks. */
export function isForSelfSigning(object: ManifestObject): boolean {
  return isRbac(object) && /(?:^|-)webhook-(?:ca|certs)-role(?:binding)?$/u.test(object.metadata.name);
}

/** The service accounts that OLM creates, and their namespace in the rendered deployment. */
interface Accounts {
  readonly names: ReadonlySet<string>;
  readonly namespace: string | undefined;
}

function serviceAccountsOf(deployments: readonly Deployment[], extra: readonly string[]): Accounts {
  const accounts = deployments.map(({ spec }) => spec.template.spec?.serviceAccountName ?? "default");
  return { names: new Set([...accounts, ...extra]), namespace: deployments[0]?.metadata.namespace };
}

interface SplitRoles {
  /** The permissions in the namespaces that the operator watches. */
  readonly permissions: readonly Permission[];
  readonly clusterPermissions: readonly Permission[];
  /** The roles and bindings for other subjects, which remain manifests. */
  readonly others: readonly ManifestObject[];
}

type Role = ManifestObject & { readonly rules?: readonly PolicyRule[] | null };
type Binding = ManifestObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

/**
 * Moves the permissions of the operator's service accounts from roles and bindings into the ClusterServiceVersion. A binding
 * whose role is not among the objects, such as the built-in `view`, stays as it is.
 */
function splitRoles(objects: readonly ManifestObject[], accounts: Accounts): SplitRoles {
  const roles = objects.filter(({ kind }) => roleKinds.has(kind)) as Role[];
  const rules = { namespaced: new Map<string, PolicyRule[]>(), cluster: new Map<string, PolicyRule[]>() };
  const moved = new Set<ManifestObject>();
  const stillBound = new Set<ManifestObject>();
  const bindings: Binding[] = [];
  for (const binding of objects.filter(({ kind }) => bindingKinds.has(kind)) as Binding[]) {
    const role = roles.find((candidate) => isRoleOf(binding, candidate));
    const { subjects = [] } = binding;
    const operators = role ? subjects.filter((subject) => isOperatorAccount(subject, accounts)) : [];
    const others = subjects.filter((subject) => !operators.includes(subject));
    for (const { name } of operators) {
      const target = binding.kind === "RoleBinding" ? rules.namespaced : rules.cluster;
      target.set(name, [...(target.get(name) ?? []), ...(role!.rules ?? [])]);
    }
    if (role && operators.length > 0) moved.add(role);
    if (operators.length > 0 && others.length === 0) continue;
    bindings.push(operators.length === 0 ? binding : { ...binding, subjects: others });
    if (role) stillBound.add(role);
  }
  return {
    permissions: toPermissions(rules.namespaced),
    clusterPermissions: toPermissions(rules.cluster),
    others: [...roles.filter((role) => !moved.has(role) || stillBound.has(role)), ...bindings],
  };
}

function isRoleOf({ roleRef, metadata }: Binding, role: Role): boolean {
  const isSameNamespace = role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace;
  return role.kind === roleRef.kind && role.metadata.name === roleRef.name && isSameNamespace;
}

function isOperatorAccount({ kind, name, namespace }: Subject, accounts: Accounts): boolean {
  const isInNamespace = namespace === undefined || namespace === accounts.namespace;
  return kind === "ServiceAccount" && accounts.names.has(name) && isInNamespace;
}

/** Joins rules by service account. Repeated ones are dropped: several roles may have rules in common. */
function toPermissions(rules: ReadonlyMap<string, readonly PolicyRule[]>): Permission[] {
  return [...rules]
    .map(([serviceAccountName, all]) => ({
      serviceAccountName,
      rules: [...new Map(all.map((rule) => [JSON.stringify(rule), rule])).values()],
    }))
    .filter((permission) => permission.rules.length > 0)
    .sort((a, b) => compareText(a.serviceAccountName, b.serviceAccountName));
}

/**
 * Returns permissions without rules for service accounts of the operator that have none. OLM creates only service accounts
 * with permissions, and rejects one among the manifests if a Deployment runs as it.
 */
function emptyPermissions(
  objects: readonly ManifestObject[],
  deployments: readonly Deployment[],
  { permissions, clusterPermissions }: SplitRoles,
): Permission[] {
  const used = new Set(deployments.map(({ spec }) => spec.template.spec?.serviceAccountName));
  const permitted = new Set([...permissions, ...clusterPermissions].map((one) => one.serviceAccountName));
  return objects
    .filter(({ kind, metadata }) => kind === "ServiceAccount" && used.has(metadata.name))
    .filter(({ metadata }) => !permitted.has(metadata.name))
    .map(({ metadata }) => ({ serviceAccountName: metadata.name, rules: [] }));
}

function listUnlessEmpty<Key extends string, Item>(
  key: Key,
  items: readonly Item[],
): { readonly [Name in Key]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [key]: items } as { [Name in Key]: readonly Item[] });
}

/** Merges the base's descriptions of CRDs into those from the schemas, and sorts as the base does. CRDs that are gone are dropped. */
function mergeOwned(described: readonly CrdDescription[], base: readonly CrdDescription[]): CrdDescription[] {
  const isSame = (a: CrdDescription, b: CrdDescription): boolean =>
    a.name === b.name && a.version === b.version && a.kind === b.kind;
  const order = (crd: CrdDescription): number => {
    const index = base.findIndex((other) => isSame(crd, other));
    return index === -1 ? base.length : index;
  };
  return described
    .map((crd) => ({ ...crd, ...base.find((other) => isSame(crd, other)) }))
    .sort((a, b) => order(a) - order(b));
}

/** Adds the images that were found to those of the base, which win by name. */
function mergeImages(
  base: readonly RelatedImage[] = [],
  found: readonly RelatedImage[] = [],
): RelatedImage[] {
  const known = new Set(base.map(({ name }) => name));
  return [...base, ...found.filter(({ name }) => !known.has(name))];
}

/** The parts of a bundle that annotations of its ClusterServiceVersion repeat. */
interface AnnotatedParts {
  readonly examples: readonly ManifestObject[];
  readonly namespace: string | undefined;
  readonly deployments: readonly InstalledDeployment[];
}

/** Returns the annotations of the ClusterServiceVersion. Those of the base override the others. */
function annotate(
  { metadata }: ClusterServiceVersion,
  { builder, projectLayout }: CsvRequest,
  found: AnnotatedParts,
): Record<string, string> {
  const { annotations = {} } = metadata as { annotations?: Record<string, string> };
  const containers = found.deployments[0]?.spec.template.spec?.containers ?? [];
  const image = (containers.find(({ name }) => name === "manager") ?? containers[0])?.image;
  return {
    [csvAnnotations.examples]: JSON.stringify(found.examples, undefined, 2),
    [csvAnnotations.builder]: builder,
    [csvAnnotations.projectLayout]: projectLayout,
    ...(image === undefined ? {} : { [csvAnnotations.containerImage]: image }),
    ...(found.namespace === undefined ? {} : { [csvAnnotations.suggestedNamespace]: found.namespace }),
    ...annotations,
  };
}

/** Sorts the keys of an object by their characters, as Go's encoders do. */
export function sortKeys<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) as Value;
}

/** Notes bindings that name the namespace, which only the installation of the bundle decides. */
function noteBindings(others: readonly ManifestObject[], { namespace }: Accounts): string[] {
  return (others as Binding[])
    .filter(({ subjects = [] }) => subjects.some((subject) => namespace && subject.namespace === namespace))
    .map(
      (binding) =>
        `${describeObject({ ...binding, metadata: { name: binding.metadata.name } })} is for service accounts in ${namespace}: OLM does not replace this namespace where it installs the operator in another one`,
    );
}

function noteMissingExamples(crds: readonly Crd[], examples: readonly ManifestObject[]): string[] {
  const shown = new Set(examples.map(groupKind));
  return crds
    .filter(({ spec }) => !shown.has(groupKind({ apiVersion: `${spec.group}/`, kind: spec.names.kind })))
    .map(({ spec }) => `no example of ${spec.names.kind}: list one in config/samples/kustomization.yaml`);
}

/** The parts of the rendered deployment that OLM replaces by its own. */
interface ReplacedByOlm {
  /** The Secrets of cert-manager, which nothing writes in a bundle. */
  readonly secrets: ReadonlySet<string>;
  /** The Deployment serves webhooks: OLM mounts a certificate for them. */
  readonly webhooks: boolean;
  /** The operator can be installed for some namespaces: OLM tells it which ones to watch. */
  readonly namespaces: boolean;
}

/** Adapts a Deployment for OLM: without cert-manager's certificates, and watching the namespaces that OLM names. */
export function installDeployment(deployment: Deployment, replaced: ReplacedByOlm): InstalledDeployment {
  const { metadata, spec } = deployment;
  const { labels: label } = metadata as { labels?: Readonly<Record<string, string>> };
  const pod = spec.template.spec!;
  return {
    name: metadata.name,
    ...(label ? { label } : {}),
    spec: { ...spec, template: { ...spec.template, spec: installPod(pod, replaced) } },
  };
}

function installPod(pod: PodSpec, replaced: ReplacedByOlm): PodSpec {
  const lostVolumes = new Set(
    (pod.volumes ?? []).filter((volume) => isIssuedVolume(volume, replaced)).map(({ name }) => name),
  );
  const manager = pod.containers.find(({ name }) => name === "manager") ?? pod.containers[0];
  return replaceLists(pod, {
    containers: pod.containers.map((container) =>
      withNamespaces(withoutCertificates(container, lostVolumes, replaced), replaced, container === manager),
    ),
    volumes: (pod.volumes ?? []).filter(({ name }) => !lostVolumes.has(name)),
  });
}

/** Returns whether a volume is of a Secret that cert-manager writes, which does not exist in a bundle. */
function isIssuedVolume({ secret, projected }: Volume, { secrets }: ReplacedByOlm): boolean {
  const names = [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)];
  return names.some((name) => name !== undefined && secrets.has(name));
}

/** The folder in which OLM mounts the certificate of webhooks, as tls.crt and tls.key. */
const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

/** Arguments for the certificate of metrics. Without them, the operator signs one itself. */
const metricsCertificate = /^--metrics-cert-(?:path|name|key)=/u;

/** Arguments for the certificate of webhooks, which OLM replaces. */
const webhookCertificate =
  /^--(?:webhook-cert-(?:path|name|key)=|self-signed-webhook-certs\b|webhook-service=)/u;

/** Removes the mounts and arguments for cert-manager's certificates, and points the webhook server at OLM's. */
function withoutCertificates(
  container: Container,
  lostVolumes: ReadonlySet<string>,
  { webhooks }: ReplacedByOlm,
): Container {
  const { args = [], env = [], volumeMounts = [] } = container;
  const mounts = volumeMounts.filter(({ name }) => !lostVolumes.has(name));
  const folders = volumeMounts.filter(({ name }) => lostVolumes.has(name)).map(({ mountPath }) => mountPath);
  const losesMetrics = folders.some((folder) => args.includes(`--metrics-cert-path=${folder}`));
  const hasCertificate = webhooks && args.some((arg) => webhookCertificate.test(arg));
  const kept = args.filter(
    (arg) =>
      !(losesMetrics && metricsCertificate.test(arg)) && !(hasCertificate && webhookCertificate.test(arg)),
  );
  const changed = hasCertificate ? [...kept, `--webhook-cert-path=${certificateFolder}`] : kept;
  const variables = hasCertificate ? env.filter(({ name }) => name !== "WEBHOOK_SERVICE") : env;
  return replaceLists(container, { args: changed, env: variables, volumeMounts: mounts });
}

/** Returns an object with other lists, in the order of its fields. Empty lists are left out. */
function replaceLists<Value extends object>(
  value: Value,
  lists: { readonly [Key in keyof Value]?: readonly unknown[] },
): Value {
  const isEmpty = (key: string): boolean => lists[key as keyof Value]?.length === 0;
  return Object.fromEntries(Object.entries({ ...value, ...lists }).filter(([key]) => !isEmpty(key))) as Value;
}

/** A variable that OLM fills with the namespaces of the OperatorGroup, separated by commas; empty for all. */
const watchNamespaces: EnvVar = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${targetNamespaces}']` } },
};

/** Has the manager watch the namespaces that OLM names. */
function withNamespaces(container: Container, { namespaces }: ReplacedByOlm, isManager: boolean): Container {
  const { env = [], args } = container;
  const hasVariable = env.some(({ name }) => name === watchNamespaces.name);
  if (!hasVariable && !(namespaces && isManager)) return container;
  return {
    ...container,
    // The flag would override the variable.
    ...(args ? { args: args.filter((arg) => !arg.startsWith("--watch-namespaces=")) } : {}),
    env: hasVariable
      ? env.map((variable) => (variable.name === watchNamespaces.name ? watchNamespaces : variable))
      : [...env, watchNamespaces],
  };
}

/** The argument that lets an operator sign the certificate of its webhooks itself. */
const selfSigned = /^--self-signed-webhook-certs(?:=true)?$/u;

/** Returns whether a Deployment's operator makes the certificate of its webhooks itself. In a bundle, OLM makes it. */
export function signsWebhookCertificate({ spec }: Deployment): boolean {
  return (spec.template.spec?.containers ?? []).some(({ args }) => args?.some((arg) => selfSigned.test(arg)));
}
