import type { Project } from "../project/project.ts";
import { renderPart } from "../scaffold/template.ts";
import type { Part } from "../scaffold/blueprint.ts";
import type { Draft, Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { isCrd, type ManifestObject } from "../ship/manifest.ts";
import { formatTemplate, optionalKey } from "./actions.ts";
import { renamer, shortName } from "./chart-names.ts";
import { managerTemplate, readManager } from "./manager.ts";
import { monitorTemplate, policyTemplate, serviceTemplate } from "./network-objects.ts";
import { type Place, placeOf } from "./places.ts";
import { toTemplate } from "./to-template.ts";
import { completeValues, valuesSections } from "./values.ts";
import { definitionTemplate, webhookTemplate } from "./webhook-objects.ts";

export interface ChartRequest {
  readonly project: Project;
  /** The whole deployment, with every feature that the chart has a switch for. */
  readonly objects: readonly ManifestObject[];
  /** Where the chart stands in the project: `dist/chart`. */
  readonly folder: string;
  /** All files of the project, those below `dist` too. */
  readonly files: Tree;
  readonly templates: Tree;
  /** The version of the operator, for a chart that is new. */
  readonly version: string;
  readonly force: boolean;
  /** Somebody asked for an image, which only new values can take. */
  readonly isImageGiven: boolean;
}

/**
 * Makes a Helm chart of a rendered deployment. Templates of objects are always written anew, and go when their object
 * does; the chart's own files are written once and are the user's from then on.
 */
export function planChart(draft: Draft, request: ChartRequest): string[] {
  const { project, objects, folder, files, force } = request;
  const notes: string[] = [];
  const templates = objectTemplates(objects, project.projectName);
  for (const [path, { text }] of templates) draft.write(`${folder}/templates/${path}`, text, "generated");
  for (const path of files.list(`${folder}/templates`)) {
    const isStale = !templates.has(path.slice(`${folder}/templates/`.length));
    if (isStale && files.read(path)?.startsWith(HEADER)) draft.remove(path);
  }
  for (const { path, content } of renderPart(chartPart(request), request.templates)) {
    if (force || !draft.has(`${folder}/${path}`)) draft.write(`${folder}/${path}`, content);
  }
  const sections = valuesSections(
    {
      manager: readManager(findManager(objects)),
      features: project.features,
      switches: new Set([...templates.values()].flatMap(({ switches }) => switches)),
    },
    request.templates,
  );
  const path = `${folder}/values.yaml`;
  const existing = force ? undefined : draft.read(path);
  const { text, added } = completeValues(existing ?? "", sections, path);
  const { image } = readManager(findManager(objects)).container;
  if (existing !== undefined && request.isImageGiven) {
    notes.push(
      `kept "${path}" and the image in it: write ${image} there, give it to helm with --set, or add --force`,
    );
  }
  if (existing === undefined) draft.write(path, text);
  else if (added.length > 0) {
    draft.write(path, text);
    notes.push(`added ${added.join(", ")} to "${path}"; the rest of it is as you left it`);
  }
  return notes;
}

const HEADER = "{{- /* Written by tsbuilder chart from config/: what is changed here is lost. */ -}}\n";

/** The chart's own files. */
export function chartPart({ project, version }: Pick<ChartRequest, "project" | "version">): Part {
  return {
    key: "helm/chart",
    templates: "helm/chart",
    context: { projectName: project.projectName, version },
  };
}

interface ObjectTemplate {
  readonly text: string;
  readonly switches: readonly string[];
}

/** The templates by their paths below `templates/`. */
function objectTemplates(objects: readonly ManifestObject[], chart: string): Map<string, ObjectTemplate> {
  const { name: manager, namespace = `${chart}-system` } = findManager(objects).metadata;
  const prefix = manager.slice(0, -MANAGER.length);
  const rename = renamer({ chart, prefix, namespace, objects });
  const templates = new Map<string, ObjectTemplate>();
  for (const object of objects) {
    // Helm makes the namespace, or finds it there.
    if (object.kind === "Namespace" && object.metadata.name === namespace) continue;
    const name = shortName(object.metadata.name, prefix);
    const place = placeOf(object, name);
    const path = `${place.folder}/${name}.yaml`;
    const body = formatTemplate(toTemplate(withValues(object, place, chart), chart, rename));
    const text = underSwitches(body, place);
    const before = templates.get(path);
    // Roles of one name in several namespaces share a file.
    const joined = before ? `${before.text.trimEnd()}\n---\n${text}` : `${HEADER}${text}`;
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

/** What the values say of each kind of object. */
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

function findManager(objects: readonly ManifestObject[]): ManifestObject {
  const manager = objects.find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name.endsWith(`-${MANAGER}`),
  );
  if (manager) return manager;
  throw new TsbuilderError(`config/default has no Deployment whose name ends with "-${MANAGER}"`, {
    code: "NOT_FOUND",
    hint: "keep its name in config/manager/manager.yaml and a namePrefix in config/base/kustomization.yaml: the release's name takes the prefix's place",
  });
}

const MANAGER = "controller-manager";
