// Helm charts, made from a rendered deployment. This file plans a chart's files. `object-templates.ts` makes the deployment's
// objects templates, `manager.ts` the operator's Deployment, and `actions.ts` writes Helm's actions into YAML.

import { isMap, parseDocument, stringify } from "yaml";
import type { FeatureName, Project } from "../project/project.ts";
import type { TemplateContext } from "../scaffold/compiled-templates.ts";
import { type Part, renderPart } from "../scaffold/blueprint.ts";
import type { Draft, Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import type { ManifestObject } from "../ship/manifest.ts";
import { type Manager, customArguments, findManager, plainVariables, readManager } from "./manager.ts";
import { objectTemplates, templateHeader } from "./object-templates.ts";
import { imageName, parseImageReference } from "../ship/images/image-reference.ts";

/** The deployment, the existing files and the flags from which a chart is planned. */
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
 * chart's own files are written once and are the user's from then on. Returns notes for the user.
 */
export function planChart(draft: Draft, request: ChartRequest): string[] {
  const { project, objects, folder, files, force } = request;
  const notes: string[] = [];
  const manager = readManager(findManager(objects));
  const templates = objectTemplates(objects, project.projectName);
  for (const [path, { text }] of templates) draft.write(`${folder}/templates/${path}`, text, "generated");
  for (const path of files.list(`${folder}/templates`)) {
    const isStale = !templates.has(path.slice(`${folder}/templates/`.length));
    if (isStale && files.read(path)?.startsWith(templateHeader)) draft.remove(path);
  }
  notes.push(...planWorkflow(draft, request));
  for (const { path, content } of renderPart(chartPart(request))) {
    if (force || !draft.has(`${folder}/${path}`)) draft.write(`${folder}/${path}`, content);
  }
  const sections = valuesSections({
    manager,
    features: project.features,
    switches: new Set([...templates.values()].flatMap(({ switches }) => switches)),
  });
  const path = `${folder}/values.yaml`;
  const existing = force ? undefined : draft.read(path);
  const { text, added } = completeValues(existing ?? "", sections, path);
  if (existing !== undefined && request.isImageGiven) {
    notes.push(
      `kept "${path}" with its image: to use ${manager.container.image}, edit the file, use helm --set, or add --force`,
    );
  }
  if (existing === undefined) draft.write(path, text);
  else if (added.length > 0) {
    draft.write(path, text);
    notes.push(`added ${added.join(", ")} to "${path}"; the rest of it is unchanged`);
  }
  return notes;
}

/** The inputs for a chart's values. */
interface ValuesRequest {
  readonly manager: Manager;
  readonly features: readonly FeatureName[];
  /** The switches that the chart's templates use: `metrics.enabled`. */
  readonly switches: ReadonlySet<string>;
}

/** The sections of values.yaml in their order, each a template in `templates/helm/values`. */
const sectionOrder =
  "manager rbac serviceAccount crd metrics certManager webhook prometheus alerts networkPolicy".split(" ");

/** Sections that are there without a switch in a template. */
const permanentSections = new Set(["manager", "serviceAccount"]);

/** Returns the text of each section that the chart needs, in order. */
function valuesSections(request: ValuesRequest): Map<string, string> {
  const files = renderPart(valuesPart(request));
  const usedSections = new Set([...request.switches].map((name) => name.split(".")[0]));
  return new Map(
    sectionOrder
      .filter((section) => permanentSections.has(section) || usedSections.has(section))
      .map((section) => [section, files.find(({ path }) => path === `${section}.yaml`)!.content]),
  );
}

/** The templates of the sections, rendered with the settings of the deployment. */
export function valuesPart({ manager, features }: ValuesRequest): Part {
  const { container, pod, replicas } = manager;
  const image = parseImageReference(container.image ?? "");
  const isOn = (feature: FeatureName): string => String(features.includes(feature));
  const portOf = (name: string, defaultPort: number): string =>
    String(container.ports?.find((port) => port.name === name)?.containerPort ?? defaultPort);
  const context: TemplateContext = {
    replicas: String(replicas),
    // A digest replaces the tag.
    repository: imageName(image) + (image.digest ? `@${image.digest}` : ""),
    tag: image.digest ? '""' : JSON.stringify(image.tag ?? ""),
    pullPolicy: container.imagePullPolicy ?? "IfNotPresent",
    args: formatBlock(customArguments(container)),
    env: formatBlock(plainVariables(container)),
    resources: formatBlock(container.resources ?? {}),
    podSecurityContext: formatBlock(pod.securityContext ?? {}),
    securityContext: formatBlock(container.securityContext ?? {}),
    terminationGracePeriodSeconds: String(pod.terminationGracePeriodSeconds ?? 30),
    metrics: isOn("metrics"),
    metricsPort: portOf("metrics", 8443),
    certManager: isOn("cert-manager"),
    webhookPort: portOf("webhook-server", 9443),
    prometheus: isOn("prometheus"),
    alerts: isOn("alerts"),
    networkPolicy: isOn("network-policy"),
  };
  return { key: "helm/values", templates: "helm/values", context };
}

/** Formats a value for a key indented by two columns: on the following lines, or on the same line if empty. */
function formatBlock(value: object): string {
  const text = stringify(value, { lineWidth: 0, indentSeq: false, compat: "yaml-1.1" }).trimEnd();
  return text === "{}" || text === "[]" ? ` ${text}` : `\n${text.replaceAll(/^/gmu, "    ")}`;
}

/** Appends the sections that existing values lack and Helm needs to render the templates. Throws if they are no mapping. */
function completeValues(existing: string, sections: ReadonlyMap<string, string>, path: string) {
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

/**
 * Writes the workflow of a new chart. Once there is a chart, a missing workflow was deleted, as it has no use outside of
 * GitHub. Returns notes about files that were not written.
 */
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

export function chartPart({ project, version }: Pick<ChartRequest, "project" | "version">): Part {
  const context = { projectName: project.projectName, version };
  return { key: "helm/chart", templates: "helm/chart", context };
}

/** The workflow that tests the chart on GitHub. */
export function workflowPart({ project, folder }: Pick<ChartRequest, "project" | "folder">): Part {
  const context = { projectName: project.projectName, folder: JSON.stringify(folder) };
  return { key: "helm/workflow", templates: "helm/workflow", context };
}
