/**
 * Helm charts, made from a rendered deployment. Begin at `planChart`. `manager.ts` makes the operator's Deployment a template,
 * `actions.ts` writes Helm's actions into YAML.
 */

import { isMap, parseDocument, stringify } from "yaml";
import type { FeatureName, Project } from "../project/project.ts";
import type { TemplateContext } from "../scaffold/compiled-templates.ts";
import { type Part, renderPart } from "../scaffold/blueprint.ts";
import type { Draft, Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { type ManifestObject, type WithSpec, isCrd } from "../ship/manifest.ts";
import { action, formatTemplate, keysWhen, lines, optionalKey, textAction } from "./actions.ts";
import { type Manager, managerTemplate, ownArguments, plainVariables, readManager } from "./manager.ts";
import { imageName, parseImageReference } from "../ship/images/image-reference.ts";

/** The inputs for a chart's values. */
interface ValuesRequest {
  readonly manager: Manager;
  readonly features: readonly FeatureName[];
  /** The switches that the chart's templates use: `metrics.enabled`. */
  readonly switches: ReadonlySet<string>;
}

/** The sections of values.yaml in order, each with its text. */
function valuesSections(request: ValuesRequest): Map<string, string> {
  const files = renderPart(valuesPart(request));
  const asked = new Set([...request.switches].map((name) => name.split(".")[0]));
  return new Map(
    order
      .filter((section) => always.has(section) || asked.has(section))
      .map((section) => [section, files.find(({ path }) => path === `${section}.yaml`)!.content]),
  );
}

const order =
  "manager rbac serviceAccount crd metrics certManager webhook prometheus alerts networkPolicy".split(" ");

const always = new Set(["manager", "serviceAccount"]);

/** The templates of the sections, rendered with the settings of the deployment. */
export function valuesPart({ manager, features }: ValuesRequest): Part {
  const { container, pod, replicas } = manager;
  const image = parseImageReference(container.image ?? "");
  const isOn = (feature: FeatureName): string => String(features.includes(feature));
  const port = (name: string, missing: number): string =>
    String(container.ports?.find((each) => each.name === name)?.containerPort ?? missing);
  const context: TemplateContext = {
    replicas: String(replicas),
    // A digest replaces the tag.
    repository: imageName(image) + (image.digest ? `@${image.digest}` : ""),
    tag: image.digest ? '""' : JSON.stringify(image.tag ?? ""),
    pullPolicy: container.imagePullPolicy ?? "IfNotPresent",
    args: block(ownArguments(container)),
    env: block(plainVariables(container)),
    resources: block(container.resources ?? {}),
    podSecurityContext: block(pod.securityContext ?? {}),
    securityContext: block(container.securityContext ?? {}),
    terminationGracePeriodSeconds: String(pod.terminationGracePeriodSeconds ?? 30),
    metrics: isOn("metrics"),
    metricsPort: port("metrics", 8443),
    certManager: isOn("cert-manager"),
    webhookPort: port("webhook-server", 9443),
    prometheus: isOn("prometheus"),
    alerts: isOn("alerts"),
    networkPolicy: isOn("network-policy"),
  };
  return { key: "helm/values", templates: "helm/values", context };
}

/** A value for a key indented by two columns: on the following lines, or on the same line if empty. */
function block(value: object): string {
  const text = stringify(value, { lineWidth: 0, indentSeq: false, compat: "yaml-1.1" }).trimEnd();
  return text === "{}" || text === "[]" ? ` ${text}` : `\n${text.replaceAll(/^/gmu, "    ")}`;
}

/**
 * Keeps values that the user edited; a section that the templates need and that is missing is appended, since Helm
 * could not render the templates without it.
 */
function completeValues(
  existing: string,
  sections: ReadonlyMap<string, string>,
  path: string,
): { readonly text: string; readonly added: readonly string[] } {
  const document = parseDocument(existing);
  const { contents, errors } = document;
  if (errors.length > 0 || (contents !== null && !isMap(contents))) {
    throw new TsbuilderError(`"${path}" is not a YAML mapping: ${errors[0]?.message.split("\n")[0] ?? ""}`, {
      code: "INVALID_SOURCE",
      hint: "fix it, or add --force to overwrite it",
    });
  }
  const missing = [...sections].filter(([section]) => !document.has(section));
  return {
    text:
      [existing.trimEnd(), ...missing.map(([, text]) => text.trimEnd())].filter(Boolean).join("\n\n") + "\n",
    added: missing.map(([section]) => section),
  };
}

/** The common parts of the names in a rendered deployment. */
interface Deployed {
  /** The chart's name, which is the project's. */
  readonly chart: string;
  /** The prefix of all names, from config/base: `mysql-operator-`. */
  readonly prefix: string;
  readonly namespace: string;
  readonly objects: readonly ManifestObject[];
}

/** The name of an object without the prefix: `manager-role`. */
function shortName(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The template action for a name in the release. */
function releaseName(chart: string, suffix: string): string {
  return textAction(`include "${chart}.resourceName" (dict "suffix" "${suffix}" "context" $)`);
}

function accountName(chart: string): string {
  return textAction(`include "${chart}.serviceAccountName" .`);
}

/**
 * Replaces the deployment's names and namespace with the release's in all strings: references, DNS names, annotations,
 * arguments.
 */
function renamer({ chart, prefix, namespace, objects }: Deployed): (text: string) => string {
  const names = objects
    .filter(({ kind }) => kind !== "Namespace" && kind !== "CustomResourceDefinition")
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  const known = new RegExp(`(?<![\\w-])(?:${[...names, namespace].map(escape).join("|")})(?![\\w-])`, "gu");
  return (text) =>
    text.replaceAll(known, (name) =>
      name === namespace ? textAction(".Release.Namespace") : releaseName(chart, shortName(name, prefix)),
    );
}

const escape = (text: string): string => text.replaceAll(".", "\\.");

/** The place of an object in the chart, and the switches it depends on. */
interface Place {
  readonly folder: string;
  readonly switches: readonly string[];
}

/** Finds the place of an object by its kind, and its name without the project's prefix. */
function placeOf({ kind }: ManifestObject, name: string): Place {
  const places = roleKinds.has(kind) ? rolePlaces : placesByKind[kind];
  if (places === rolePlaces && helperRoles.some((suffix) => name.endsWith(suffix))) return helperRole;
  return places?.[name] ?? places?.[others] ?? place("extras");
}

const place = (folder: string, ...switches: string[]): Place => ({ folder, switches });

/** Objects of a kind by their names in `templates/kustomize`; `others` are those of any other name. */
type PlacesByName = Readonly<Record<string, Place>>;

const others = "*";

const roleKinds = new Set(["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);

const helperRoles = ["-admin-role", "-editor-role", "-viewer-role"];

const helperRole = place("rbac", "rbac.helpers.enabled");

const metricsRole = place("metrics", "metrics.enabled", "metrics.secure");

const webhook = place("webhook", "webhook.enabled");

/** They ask for the job that the ServiceMonitor names. */
const alerts = (...more: string[]): Place =>
  place("prometheus", "alerts.enabled", "prometheus.enabled", "metrics.enabled", ...more);

const rolePlaces: PlacesByName = {
  "metrics-auth-role": metricsRole,
  "metrics-auth-rolebinding": metricsRole,
  "metrics-reader": metricsRole,
  "webhook-ca-role": webhook,
  "webhook-ca-rolebinding": webhook,
  "webhook-certs-role": webhook,
  "webhook-certs-rolebinding": webhook,
  [others]: place("rbac"),
};

const placesByKind: Readonly<Record<string, PlacesByName>> = {
  CustomResourceDefinition: { [others]: place("crd", "crd.enabled") },
  Deployment: { "controller-manager": place("manager") },
  ServiceAccount: { "controller-manager": place("rbac", "serviceAccount.enabled") },
  Service: {
    "controller-manager-metrics-service": place("metrics", "metrics.enabled"),
    "webhook-service": webhook,
  },
  MutatingWebhookConfiguration: { [others]: webhook },
  ValidatingWebhookConfiguration: { [others]: webhook },
  Certificate: {
    "metrics-certs": place("cert-manager", "certManager.enabled", "metrics.enabled"),
    "serving-cert": place("cert-manager", "certManager.enabled", "webhook.enabled"),
    [others]: place("cert-manager", "certManager.enabled"),
  },
  Issuer: { [others]: place("cert-manager", "certManager.enabled") },
  ServiceMonitor: { [others]: place("prometheus", "prometheus.enabled", "metrics.enabled") },
  PrometheusRule: {
    "controller-manager-alerts": alerts(),
    "shard-alerts": alerts(),
    "webhook-alerts": alerts("webhook.enabled"),
  },
  NetworkPolicy: {
    "allow-metrics-traffic": place("network-policy", "networkPolicy.enabled", "metrics.enabled"),
    "allow-webhook-traffic": place("network-policy", "networkPolicy.enabled", "webhook.enabled"),
  },
};

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

const nameLabel = "app.kubernetes.io/name";

const managedBy = "app.kubernetes.io/managed-by";

/** Sets the release's names and labels in an object; CRDs keep theirs, since they are cluster-wide. */
function toTemplate(
  object: ManifestObject,
  project: string,
  rename: (text: string) => string,
): ManifestObject {
  if (isCrd(object)) return definition(object as WithSpec<Fields>);
  const done = walk(object) as ManifestObject;
  const own = without((object.metadata["labels"] ?? {}) as Fields, [nameLabel, managedBy]);
  return {
    ...done,
    metadata: { ...done.metadata, labels: { [labelLines(project, "labels")]: null, ...own } },
  };

  function walk(value: Json, key = ""): Json {
    if (typeof value === "string") return key === "serviceAccountName" ? accountName(project) : rename(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== "object" || value === null) return value;
    const fields = value as Fields;
    if (fields["kind"] === "ServiceAccount" && "name" in fields) return account(fields);
    const entries = Object.entries(fields).map(([name, field]) => [name, walk(field, name)] as const);
    const plain = Object.fromEntries(entries);
    if (fields[nameLabel] !== project) return plain;
    // Selectors are immutable, so pods and selectors have no label with the chart's version.
    return { [labelLines(project, "selectorLabels")]: null, ...without(plain, [nameLabel, managedBy]) };
  }

  /** Schemas are long and contain none of the deployment's names. */
  function definition({ spec, ...crd }: WithSpec<Fields>): ManifestObject {
    const { versions, ...others } = spec;
    return { ...(walk(crd) as ManifestObject), spec: { ...(walk(others) as Fields), versions } };
  }

  function account(subject: Fields): Json {
    const namespace = subject["namespace"];
    return {
      ...subject,
      name: accountName(project),
      ...(typeof namespace === "string" ? { namespace: rename(namespace) } : {}),
    };
  }
}

function labelLines(chart: string, which: "labels" | "selectorLabels"): string {
  return lines(`{{- include "${chart}.${which}" . | nindent <indent> }}`);
}

function without(fields: Fields, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

export interface ChartRequest {
  readonly project: Project;
  /** The whole deployment, with every feature that the chart has a switch for. */
  readonly objects: readonly ManifestObject[];
  /** The chart's folder in the project: `dist/chart`. */
  readonly folder: string;
  /** All files of the project, including those in `dist`. */
  readonly files: Tree;
  /** The operator's version, for a new chart. */
  readonly version: string;
  readonly force: boolean;
  /** Write the workflow, also if there is one. */
  readonly workflow: boolean;
  /** Git ignores the chart's folder. */
  readonly isIgnored: boolean;
  /** The image from the command line, which only new values can use. */
  readonly isImageGiven: boolean;
}

/**
 * Plans a Helm chart for a rendered deployment. Templates are regenerated each time, and deleted with their object; the
 * chart's own files are written once and are the user's from then on.
 */
export function planChart(draft: Draft, request: ChartRequest): string[] {
  const { project, objects, folder, files, force } = request;
  const notes: string[] = [];
  const templates = objectTemplates(objects, project.projectName);
  for (const [path, { text }] of templates) draft.write(`${folder}/templates/${path}`, text, "generated");
  for (const path of files.list(`${folder}/templates`)) {
    const isStale = !templates.has(path.slice(`${folder}/templates/`.length));
    if (isStale && files.read(path)?.startsWith(header)) draft.remove(path);
  }
  notes.push(...planWorkflow(draft, request));
  for (const { path, content } of renderPart(chartPart(request))) {
    if (force || !draft.has(`${folder}/${path}`)) draft.write(`${folder}/${path}`, content);
  }
  const sections = valuesSections({
    manager: readManager(findManager(objects)),
    features: project.features,
    switches: new Set([...templates.values()].flatMap(({ switches }) => switches)),
  });
  const path = `${folder}/values.yaml`;
  const existing = force ? undefined : draft.read(path);
  const { text, added } = completeValues(existing ?? "", sections, path);
  const { image } = readManager(findManager(objects)).container;
  if (existing !== undefined && request.isImageGiven) {
    notes.push(
      `kept "${path}" with its image: to use ${image}, edit the file, use helm --set, or add --force`,
    );
  }
  if (existing === undefined) draft.write(path, text);
  else if (added.length > 0) {
    draft.write(path, text);
    notes.push(`added ${added.join(", ")} to "${path}"; the rest of it is unchanged`);
  }
  return notes;
}

/** Once there is a chart, a missing workflow was deleted: elsewhere than on GitHub it has no use. */
function planWorkflow(draft: Draft, request: ChartRequest): string[] {
  const { folder, isIgnored } = request;
  const overwrite = request.force || request.workflow;
  if (!overwrite && draft.has(`${folder}/Chart.yaml`)) return [];
  const files = renderPart(workflowPart(request)).filter(({ path }) => overwrite || !draft.has(path));
  if (isIgnored) {
    return files.map(
      ({ path }) => `"${path}" was not written: it tests the committed chart, but git ignores "${folder}"`,
    );
  }
  for (const { path, content } of files) draft.write(path, content);
  return [];
}

const header = "{{- /* Generated by tsbuilder chart from config/. DO NOT EDIT. */ -}}\n";

export function chartPart({ project, version }: Pick<ChartRequest, "project" | "version">): Part {
  return {
    key: "helm/chart",
    templates: "helm/chart",
    context: { projectName: project.projectName, version },
  };
}

/** The workflow that tests the chart on GitHub. */
export function workflowPart({ project, folder }: Pick<ChartRequest, "project" | "folder">): Part {
  return {
    key: "helm/workflow",
    templates: "helm/workflow",
    context: { projectName: project.projectName, folder: JSON.stringify(folder) },
  };
}

interface ObjectTemplate {
  readonly text: string;
  readonly switches: readonly string[];
}

/** The templates, by their paths in `templates/`. */
function objectTemplates(objects: readonly ManifestObject[], chart: string): Map<string, ObjectTemplate> {
  const { name: manager, namespace = `${chart}-system` } = findManager(objects).metadata;
  const prefix = manager.slice(0, -managerName.length);
  const rename = renamer({ chart, prefix, namespace, objects });
  const templates = new Map<string, ObjectTemplate>();
  for (const object of objects) {
    // The namespace is up to Helm.
    if (object.kind === "Namespace" && object.metadata.name === namespace) continue;
    const name = shortName(object.metadata.name, prefix);
    const place = placeOf(object, name);
    const path = `${place.folder}/${name}.yaml`;
    const body = formatTemplate(toTemplate(withValues(object, place, chart), chart, rename));
    const text = underSwitches(body, place);
    const before = templates.get(path);
    // Roles of the same name in several namespaces share a file.
    const joined = before ? `${before.text.trimEnd()}\n---\n${text}` : `${header}${text}`;
    templates.set(path, { text: joined, switches: place.switches });
  }
  return templates;
}

function underSwitches(body: string, { switches }: Place): string {
  const [first, ...others] = switches.map((name) => `.Values.${name}`);
  if (first === undefined) return body;
  const condition = others.length === 0 ? first : `and ${[first, ...others].join(" ")}`;
  return `{{- if ${condition} }}\n${body}{{- end }}\n`;
}

/** How the values apply to each kind of object. */
function withValues(object: ManifestObject, { folder }: Place, chart: string): ManifestObject {
  if (isCrd(object)) return definitionTemplate(object);
  switch (object.kind) {
    case "Deployment":
      return folder === "manager" ? managerTemplate(object, chart) : object;
    case "ServiceAccount":
      return {
        ...object,
        metadata: { ...object.metadata, ...optionalKey("annotations", ".Values.serviceAccount.annotations") },
      };
    case "Service":
      return serviceTemplate(object, folder);
    case "ServiceMonitor":
      return monitorTemplate(object);
    case "NetworkPolicy":
      return folder === "network-policy"
        ? policyTemplate(object, object.metadata.name.includes("metrics") ? "metrics" : "webhook")
        : object;
    case "MutatingWebhookConfiguration":
    case "ValidatingWebhookConfiguration":
      return webhookTemplate(object);
    default:
      return object;
  }
}

const scheme = action("if .Values.metrics.secure }}https{{ else }}http{{ end");

const metricsPort = action(".Values.metrics.port");

/** The Services for metrics and webhooks, with the ports from the values. */
function serviceTemplate(service: ManifestObject, folder: string): ManifestObject {
  const { spec } = service as WithSpec<{ readonly ports?: readonly object[] }>;
  const ours: Readonly<Record<string, object>> = {
    metrics: { name: scheme, port: metricsPort, targetPort: metricsPort },
    webhook: { targetPort: action(".Values.webhook.port") },
  };
  return { ...service, spec: { ...spec, ports: spec.ports?.map((port) => ({ ...port, ...ours[folder] })) } };
}

/** The ServiceMonitor's endpoint depends on how metrics are served, and on the certificate. */
function monitorTemplate(monitor: ManifestObject): ManifestObject {
  const { spec } = monitor as WithSpec<{ readonly endpoints?: readonly { readonly tlsConfig?: object }[] }>;
  const endpoints = spec.endpoints?.map(({ tlsConfig, ...endpoint }) => ({
    ...endpoint,
    port: scheme,
    scheme: scheme,
    ...(tlsConfig === undefined ? {} : keysWhen(".Values.metrics.secure", { tlsConfig: trusted(tlsConfig) })),
  }));
  return { ...monitor, spec: { ...spec, endpoints } };
}

/** The CA of the certificate from cert-manager; without cert-manager there is none to verify. */
function trusted(tlsConfig: object): object {
  if (!Object.hasOwn(tlsConfig, "ca")) return tlsConfig;
  return {
    ...keysWhen(".Values.certManager.enabled", { ...tlsConfig }),
    [lines("{{- if not .Values.certManager.enabled }}\ninsecureSkipVerify: true\n{{- end }}")]: null,
  };
}

/** Traffic is allowed to the ports from the values. */
function policyTemplate(policy: ManifestObject, port: "metrics" | "webhook"): ManifestObject {
  type Rule = { readonly ports?: readonly object[] };
  const { spec } = policy as WithSpec<{ readonly ingress?: readonly Rule[] }>;
  const value = action(`.Values.${port}.port`);
  const ingress = spec.ingress?.map((rule) => ({
    ...rule,
    ports: rule.ports?.map((each) => ({ ...each, port: value })),
  }));
  return { ...policy, spec: { ...spec, ingress } };
}

/** Conversion and its CA depend on the webhooks. */
function definitionTemplate(definition: ManifestObject): ManifestObject {
  const { metadata, spec } = definition as WithSpec<{ readonly conversion?: unknown }>;
  const { annotations = {}, ...rest } = metadata as typeof metadata & { annotations?: object };
  const { conversion, ...others } = spec;
  const keep = keysWhen(".Values.crd.keep", { "helm.sh/resource-policy": "keep" });
  return {
    ...definition,
    metadata: { ...rest, annotations: { ...injected(annotations), ...keep } },
    spec: {
      ...(conversion === undefined ? {} : keysWhen(".Values.webhook.enabled", { conversion })),
      ...others,
    },
  };
}

const inject = "cert-manager.io/inject-ca-from";

/** cert-manager only injects its CA if it issues the certificate. */
function injected(annotations: object): Record<string, unknown> {
  const { [inject]: from, ...others } = annotations as Record<string, unknown>;
  if (from === undefined) return others;
  return {
    ...others,
    ...keysWhen("and .Values.certManager.enabled .Values.webhook.enabled", { [inject]: from }),
  };
}

/** Without cert-manager, the user provides the certificate, and its CA here. */
function webhookTemplate(configuration: ManifestObject): ManifestObject {
  const { metadata, webhooks } = configuration as ManifestObject & {
    readonly webhooks?: readonly { readonly clientConfig: object }[];
  };
  const { annotations = {}, ...rest } = metadata as typeof metadata & { annotations?: object };
  const trusts = lines("{{- with .Values.webhook.caBundle }}\ncaBundle: {{ . }}\n{{- end }}");
  return {
    ...configuration,
    metadata: { ...rest, annotations: injected(annotations) },
    webhooks: webhooks?.map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, [trusts]: null },
    })),
  };
}

function findManager(objects: readonly ManifestObject[]): ManifestObject {
  const manager = objects.find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name.endsWith(`-${managerName}`),
  );
  if (manager) return manager;
  throw new TsbuilderError(`config/default has no Deployment whose name ends with "-${managerName}"`, {
    code: "NOT_FOUND",
    hint: "keep its name in config/manager/manager.yaml, and a namePrefix in config/base/kustomization.yaml: the release's name replaces the prefix",
  });
}

const managerName = "controller-manager";
