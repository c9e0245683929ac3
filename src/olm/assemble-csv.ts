import { compareText } from "@tsbuilder/apimachinery/text";
import type { Container, EnvVar, PodSpec, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { PolicyRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { FieldDescription, KindDescription } from "../generators/crd/describe-kinds.ts";
import { type ManifestObject, describeObject, isCrd } from "../ship/manifest.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { csvAnnotations, csvApiVersion, csvKind, targetNamespaces } from "./bundle-format.ts";
import {
  type BundledObject,
  bundleObjects,
  groupKind,
  isCertManagers,
  issuedSecrets,
} from "./bundled-objects.ts";
import type {
  ClusterServiceVersion,
  CrdDescription,
  CsvSpec,
  FieldDescriptor,
  InstalledDeployment,
  Permission,
  RelatedImage,
} from "./csv.ts";
import { type Deployment, isDeployment } from "./served-by.ts";
import { findWebhooks, isWebhookConfiguration } from "./webhook-definitions.ts";

export interface CsvRequest {
  /** The rendered `config/manifests`: the base and the deployment. */
  readonly objects: readonly ManifestObject[];
  /** The rendered samples, of which those of the project's kinds become examples. */
  readonly samples: readonly ManifestObject[];
  readonly packageName: string;
  readonly version: string;
  /** Who made the bundle, and of which sort of project: for statistics of catalogs. */
  readonly builder: string;
  readonly projectLayout: string;
  /** Service accounts beside those of the Deployments whose permissions belong into the bundle. */
  readonly extraServiceAccounts: readonly string[];
  /** What markers say about the project's kinds. */
  readonly kinds: readonly KindDescription[];
  /** All images of the bundle, if it is to list them. */
  readonly relatedImages?: readonly RelatedImage[] | undefined;
}

export interface AssembledBundle {
  readonly csv: ClusterServiceVersion;
  readonly objects: readonly BundledObject[];
  readonly notes: readonly string[];
}

/** Divides a rendered deployment into a ClusterServiceVersion and the manifests beside it. */
export function assembleCsv(request: CsvRequest): AssembledBundle {
  const { base, crds, examples, objects: all } = sortObjects(request);
  const deployments = all.filter(isDeployment);
  const objects = deployments.some(makesCertificate)
    ? all.filter((object) => !isForOwnCertificate(object))
    : all;
  if (deployments.length === 0) throw withoutDeployment();
  const accounts = accountsOf(deployments, request.extraServiceAccounts);
  const roles = splitRoles(objects.filter(isRbac), accounts);
  const webhooks = findWebhooks([...objects, ...crds]);
  const secrets = issuedSecrets(objects);
  const permissions = [...roles.permissions, ...permitNothing(objects, deployments, roles)];
  const hasPermission = new Set(
    [...permissions, ...roles.clusterPermissions].map(({ serviceAccountName }) => serviceAccountName),
  );
  const others = objects.filter(
    (object) =>
      !(isDeployment(object) || isRbac(object) || isWebhookConfiguration(object) || isCertManagers(object)) &&
      object.kind !== "Namespace" &&
      !(object.kind === "ServiceAccount" && hasPermission.has(object.metadata.name)),
  );
  const { bundled, notes } = bundleObjects([...crds, ...roles.others, ...others], webhooks, secrets);
  const isLimited = base.spec.installModes?.some(
    ({ type, supported }) => supported && type !== "AllNamespaces",
  );
  const install = {
    strategy: "deployment",
    spec: {
      ...unlessEmpty("clusterPermissions", roles.clusterPermissions),
      ...unlessEmpty("permissions", permissions),
      deployments: deployments.map((deployment) =>
        installDeployment(deployment, {
          secrets,
          webhooks: webhooks.deployments.has(deployment.metadata.name),
          namespaces: isLimited === true,
        }),
      ),
    },
  } as const;
  const owned = mergeOwned(
    crds.flatMap((crd) => describeCrd(crd, request.kinds)).sort(byMarkers(request.kinds)),
    base.spec.customresourcedefinitions?.owned ?? [],
  );
  const spec: CsvSpec = {
    ...base.spec,
    version: request.version,
    install,
    customresourcedefinitions: { ...base.spec.customresourcedefinitions, ...unlessEmpty("owned", owned) },
    ...unlessEmpty("webhookdefinitions", webhooks.definitions),
    ...unlessEmpty("relatedImages", mergeImages(base.spec.relatedImages, request.relatedImages)),
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
      ...bindingNotes(roles.others, accounts),
      ...missingExamples(crds, examples),
      ...(isLimited && webhooks.definitions.some(({ conversionCRDs }) => conversionCRDs)
        ? [
            "CRDs are converted: OLM then installs only in the mode AllNamespaces; set the others to false in the base",
          ]
        : []),
    ],
  };
}

/** What OLM provides instead of the rendered deployment. */
interface Provided {
  /** The Secrets of certificates that nobody issues any more. */
  readonly secrets: ReadonlySet<string>;
  /** The Deployment serves webhooks: OLM mounts a certificate for them. */
  readonly webhooks: boolean;
  /** The operator may be installed for some namespaces: it then watches those that OLM says. */
  readonly namespaces: boolean;
}

/** Where OLM mounts the certificate of webhooks, as tls.crt and tls.key. */
const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

/** The Deployment as OLM is to install it: without the certificates of others, watching the namespaces that OLM says. */
export function installDeployment(deployment: Deployment, provided: Provided): InstalledDeployment {
  const { metadata, spec } = deployment;
  const { labels: label } = metadata as { labels?: Readonly<Record<string, string>> };
  const pod = spec.template.spec!;
  return {
    name: metadata.name,
    ...(label ? { label } : {}),
    spec: { ...spec, template: { ...spec.template, spec: installPod(pod, provided) } },
  };
}

function installPod(pod: PodSpec, provided: Provided): PodSpec {
  const lost = new Set(
    (pod.volumes ?? []).filter((volume) => isLost(volume, provided)).map(({ name }) => name),
  );
  const manager = pod.containers.find(({ name }) => name === "manager") ?? pod.containers[0];
  return replaceLists(pod, {
    containers: pod.containers.map((container) =>
      withNamespaces(withoutCertificates(container, lost, provided), provided, container === manager),
    ),
    volumes: (pod.volumes ?? []).filter(({ name }) => !lost.has(name)),
  });
}

function isLost({ secret, projected }: Volume, { secrets }: Provided): boolean {
  const names = [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)];
  return names.some((name) => name !== undefined && secrets.has(name));
}

/** Whether the operator makes the certificate of its webhooks, instead of which it gets OLM's. */
export function makesCertificate({ spec }: Deployment): boolean {
  return (spec.template.spec?.containers ?? []).some(({ args }) => args?.some((arg) => selfSigned.test(arg)));
}

const selfSigned = /^--self-signed-webhook-certs(?:=true)?$/u;

/** The operator signs the certificate of its metrics itself if no path is given. */
const metricsCertificate = /^--metrics-cert-(?:path|name|key)=/u;

const webhookCertificate =
  /^--(?:webhook-cert-(?:path|name|key)=|self-signed-webhook-certs\b|webhook-service=)/u;

function withoutCertificates(
  container: Container,
  lost: ReadonlySet<string>,
  { webhooks }: Provided,
): Container {
  const { args = [], env = [], volumeMounts = [] } = container;
  const mounts = volumeMounts.filter(({ name }) => !lost.has(name));
  const folders = volumeMounts.filter(({ name }) => lost.has(name)).map(({ mountPath }) => mountPath);
  const losesMetrics = folders.some((folder) => args.includes(`--metrics-cert-path=${folder}`));
  const hasCertificate = webhooks && args.some((arg) => webhookCertificate.test(arg));
  const kept = args.filter(
    (arg) =>
      !(losesMetrics && metricsCertificate.test(arg)) && !(hasCertificate && webhookCertificate.test(arg)),
  );
  const all = hasCertificate ? [...kept, `--webhook-cert-path=${certificateFolder}`] : kept;
  const variables = hasCertificate ? env.filter(({ name }) => name !== "WEBHOOK_SERVICE") : env;
  return replaceLists(container, { args: all, env: variables, volumeMounts: mounts });
}

/** Sets lists where they were before; an empty one is left out. */
function replaceLists<Value extends object>(
  value: Value,
  lists: { readonly [Key in keyof Value]?: readonly unknown[] },
): Value {
  const isEmpty = (key: string): boolean => lists[key as keyof Value]?.length === 0;
  return Object.fromEntries(Object.entries({ ...value, ...lists }).filter(([key]) => !isEmpty(key))) as Value;
}

/** A variable that OLM fills with the namespaces of the OperatorGroup, separated by commas; empty for all. */
const watched: EnvVar = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${targetNamespaces}']` } },
};

function withNamespaces(container: Container, { namespaces }: Provided, isManager: boolean): Container {
  const { env = [], args } = container;
  const has = env.some(({ name }) => name === watched.name);
  if (!has && !(namespaces && isManager)) return container;
  return {
    ...container,
    // The flag would hold, not the variable.
    ...(args ? { args: args.filter((arg) => !arg.startsWith("--watch-namespaces=")) } : {}),
    env: has ? env.map((each) => (each.name === watched.name ? watched : each)) : [...env, watched],
  };
}

interface SortedObjects {
  readonly base: ClusterServiceVersion;
  readonly crds: readonly Crd[];
  readonly examples: readonly ManifestObject[];
  readonly objects: readonly ManifestObject[];
}

function sortObjects({ objects: all, samples }: CsvRequest): SortedObjects {
  const base = all.find(({ kind }) => kind === csvKind) as ClusterServiceVersion | undefined;
  if (!base) {
    throw new TsbuilderError(`config/manifests renders no ${csvKind}`, {
      code: "NOT_FOUND",
      hint: "list the file in bases/ below resources in config/manifests/kustomization.yaml",
    });
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
    objects: all.filter((object) => object !== base && !isCrd(object) && !isExample(object)),
  };
}

/** A kustomization of the user may list the samples, too. */
function isFirst(object: ManifestObject, index: number, all: readonly ManifestObject[]): boolean {
  const isSame = (other: ManifestObject): boolean =>
    other.apiVersion === object.apiVersion && describeObject(other) === describeObject(object);
  return all.findIndex(isSame) === index;
}

function withoutDeployment(): TsbuilderError {
  return new TsbuilderError("config/manifests renders no Deployment", {
    code: "NOT_FOUND",
    hint: "list ../default below resources in config/manifests/kustomization.yaml",
  });
}

function accountsOf(deployments: readonly Deployment[], extra: readonly string[]): Accounts {
  const used = deployments.map(({ spec }) => spec.template.spec?.serviceAccountName ?? "default");
  return { names: new Set([...used, ...extra]), namespace: deployments[0]?.metadata.namespace };
}

/** The service accounts that OLM makes, and where they are in the rendered deployment. */
interface Accounts {
  readonly names: ReadonlySet<string>;
  readonly namespace: string | undefined;
}

interface SplitRoles {
  /** In the namespaces that the operator watches. */
  readonly permissions: readonly Permission[];
  readonly clusterPermissions: readonly Permission[];
  /** Roles and bindings for others, which stay manifests. */
  readonly others: readonly ManifestObject[];
}

type Role = ManifestObject & { readonly rules?: readonly PolicyRule[] | null };

type Binding = ManifestObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

const roleKinds = new Set(["Role", "ClusterRole"]);

const bindingKinds = new Set(["RoleBinding", "ClusterRoleBinding"]);

function isRbac({ kind }: ManifestObject): boolean {
  return roleKinds.has(kind) || bindingKinds.has(kind);
}

/** The roles with which an operator makes the certificate of its webhooks, and their bindings. */
export function isForOwnCertificate(object: ManifestObject): boolean {
  return isRbac(object) && /(?:^|-)webhook-(?:ca|certs)-role(?:binding)?$/u.test(object.metadata.name);
}

/**
 * Moves what the operator's service accounts may do from roles and bindings into permissions. A binding whose role is
 * not among the objects, such as the built-in `view`, stays as it is.
 */
function splitRoles(objects: readonly ManifestObject[], accounts: Accounts): SplitRoles {
  const roles = objects.filter(({ kind }) => roleKinds.has(kind)) as Role[];
  const rules = { own: new Map<string, PolicyRule[]>(), cluster: new Map<string, PolicyRule[]>() };
  const moved = new Set<ManifestObject>();
  const stillBound = new Set<ManifestObject>();
  const bindings: Binding[] = [];
  for (const binding of objects.filter(({ kind }) => bindingKinds.has(kind)) as Binding[]) {
    const role = roles.find((each) => isRoleOf(binding, each));
    const { subjects = [] } = binding;
    const own = role ? subjects.filter((subject) => isAccount(subject, accounts)) : [];
    const others = subjects.filter((subject) => !own.includes(subject));
    for (const { name } of own) {
      const target = binding.kind === "RoleBinding" ? rules.own : rules.cluster;
      target.set(name, [...(target.get(name) ?? []), ...(role!.rules ?? [])]);
    }
    if (role && own.length > 0) moved.add(role);
    if (own.length > 0 && others.length === 0) continue;
    bindings.push(own.length === 0 ? binding : { ...binding, subjects: others });
    if (role) stillBound.add(role);
  }
  return {
    permissions: toPermissions(rules.own),
    clusterPermissions: toPermissions(rules.cluster),
    others: [...roles.filter((role) => !moved.has(role) || stillBound.has(role)), ...bindings],
  };
}

function isRoleOf({ roleRef, metadata }: Binding, role: Role): boolean {
  const isSameNamespace = role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace;
  return role.kind === roleRef.kind && role.metadata.name === roleRef.name && isSameNamespace;
}

function isAccount({ kind, name, namespace }: Subject, accounts: Accounts): boolean {
  const isThere = namespace === undefined || namespace === accounts.namespace;
  return kind === "ServiceAccount" && accounts.names.has(name) && isThere;
}

/** Roles of several namespaces, and of several features, have rules in common. */
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
 * Permissions without rules for service accounts of the operator that have no others: OLM creates only those with
 * permissions, and does not accept one that a Deployment runs as among the manifests.
 */
function permitNothing(
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

/** Bindings that name a namespace, which is only known once somebody installs the bundle. */
function bindingNotes(others: readonly ManifestObject[], { namespace }: Accounts): string[] {
  return (others as Binding[])
    .filter(({ subjects = [] }) => subjects.some((subject) => namespace && subject.namespace === namespace))
    .map(
      (binding) =>
        `${describeObject({ ...binding, metadata: { name: binding.metadata.name } })} is for service accounts in ${namespace}: OLM does not replace this namespace where it installs the operator in another one`,
    );
}

/** The annotations of the base come last: what it says is meant. */
function annotate(
  { metadata }: ClusterServiceVersion,
  { builder, projectLayout }: CsvRequest,
  found: {
    readonly examples: readonly ManifestObject[];
    readonly namespace: string | undefined;
    readonly deployments: readonly InstalledDeployment[];
  },
): Record<string, string> {
  const { annotations = {} } = metadata as { annotations?: Record<string, string> };
  const containers = found.deployments[0]?.spec.template.spec?.containers ?? [];
  const image = (containers.find(({ name }) => name === "manager") ?? containers[0])?.image;
  const own = {
    [csvAnnotations.examples]: JSON.stringify(found.examples, undefined, 2),
    [csvAnnotations.builder]: builder,
    [csvAnnotations.projectLayout]: projectLayout,
    ...(image === undefined ? {} : { [csvAnnotations.containerImage]: image }),
    ...(found.namespace === undefined ? {} : { [csvAnnotations.suggestedNamespace]: found.namespace }),
    ...annotations,
  };
  return own;
}

function missingExamples(crds: readonly Crd[], examples: readonly ManifestObject[]): string[] {
  const shown = new Set(examples.map(groupKind));
  return crds
    .filter(({ spec }) => !shown.has(groupKind({ apiVersion: `${spec.group}/`, kind: spec.names.kind })))
    .map(({ spec }) => `no example of ${spec.names.kind}: list one in config/samples/kustomization.yaml`);
}

/** A CRD of the rendered deployment. */
interface Crd extends ManifestObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: DescribedSchema };
    }[];
  };
}

/** Describes each served version of a CRD by its schema, and by the markers of its kind. */
function describeCrd({ metadata, spec }: Crd, marked: readonly KindDescription[]): CrdDescription[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name: version, schema }) => {
      const { description, properties } = schema?.openAPIV3Schema ?? {};
      const said = marked.find((each) => each.name === metadata.name && each.version === version);
      const fields = describeFields(properties?.["spec"], "spec", said?.spec);
      const status = describeFields(properties?.["status"], "status", said?.status);
      const resources = said?.resources.map(toResource) ?? [];
      return {
        kind,
        name: metadata.name,
        version,
        displayName: said?.displayName ?? kindInWords(kind),
        ...(description === undefined ? {} : { description: description.split("\n")[0]! }),
        ...(resources.length > 0 ? { resources } : {}),
        ...(fields.length > 0 ? { specDescriptors: fields } : {}),
        ...(status.length > 0 ? { statusDescriptors: status } : {}),
      };
    });
}

/** The part of an OpenAPI schema that descriptors are made from. */
export interface DescribedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

/**
 * Describes the fields of a spec or status: all outer ones by their schemas, and those with a marker by what it says,
 * first those that it gives a position.
 */
export function describeFields(
  schema: DescribedSchema | undefined,
  part: "spec" | "status",
  marked: readonly FieldDescription[] = [],
): FieldDescriptor[] {
  const fields = new Map(
    Object.entries(schema?.properties ?? {}).map(([path, field]): [string, FieldDescriptor] => [
      path,
      descriptor(path, path, field.description, controlsOf(path, field, part)),
    ]),
  );
  for (const { path, name, description, displayName, xDescriptors } of marked) {
    const derived = fields.get(path);
    const controls = xDescriptors.length > 0 ? xDescriptors : (derived?.["x-descriptors"] ?? []);
    const words = derived?.description ?? description;
    fields.set(path, { ...descriptor(path, name, words, controls), ...(displayName ? { displayName } : {}) });
  }
  const position = ({ path }: FieldDescriptor): number =>
    marked.find((field) => field.path === path)?.order ?? Number.MAX_SAFE_INTEGER;
  return [...fields.values()].sort((a, b) => position(a) - position(b));
}

function descriptor(
  path: string,
  name: string,
  description: string | undefined,
  controls: readonly string[],
): FieldDescriptor {
  return {
    ...(description === undefined ? {} : { description }),
    displayName: inWords(name),
    path,
    ...(controls.length > 0 ? { "x-descriptors": controls } : {}),
  };
}

const console = "urn:alm:descriptor:com.tectonic.ui:";

/** How OLM's console lets people edit or see a field, where its type says so. */
function controlsOf(name: string, field: DescribedSchema, part: "spec" | "status"): string[] {
  const { type, properties = {}, enum: values } = field;
  if (part === "status") return name === "conditions" ? ["urn:alm:descriptor:io.kubernetes.conditions"] : [];
  if (values) return values.map((value) => `${console}select:${String(value)}`);
  if (type === "integer") return [`${console}${name === "replicas" ? "podCount" : "number"}`];
  if ("limits" in properties && "requests" in properties) return [`${console}resourceRequirements`];
  const control = { boolean: "booleanSwitch", number: "number", string: "text" }[type ?? ""];
  return control === undefined ? [] : [`${console}${control}`];
}

/** A name as words: `minReadySeconds` is "Min Ready Seconds", `clusterIPs` "Cluster IPs". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z]{2,})/gu, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A kind as words: `AppService` is "App Service", but MySQL is a name. */
export function kindInWords(kind: string): string {
  return kind.replaceAll(/([a-z0-9])(?=[A-Z][a-z])/gu, "$1 ");
}

/** OLM requires a name, which may be empty. */
function toResource([kind = "", version = "", name = ""]: readonly string[]) {
  return { kind, name, version };
}

/** The order of kinds that markers set; those without one follow. */
function byMarkers(marked: readonly KindDescription[]): (a: CrdDescription, b: CrdDescription) => number {
  const position = (crd: CrdDescription): number =>
    marked.find(({ name, version }) => name === crd.name && version === crd.version)?.order ??
    Number.MAX_SAFE_INTEGER;
  return (a, b) => position(a) - position(b);
}

/** What the base says about a CRD overrides what its schema says; of CRDs that are gone it says nothing. */
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

/** What the base lists overrides what was found. */
function mergeImages(
  base: readonly RelatedImage[] = [],
  found: readonly RelatedImage[] = [],
): readonly RelatedImage[] {
  const known = new Set(base.map(({ name }) => name));
  return [...base, ...found.filter(({ name }) => !known.has(name))];
}

function unlessEmpty<Key extends string, Item>(
  key: Key,
  items: readonly Item[],
): { readonly [Name in Key]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [key]: items } as { [Name in Key]: readonly Item[] });
}

/** Compares keys by their characters, as Go's encoders do. */
export function sortKeys<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) as Value;
}
