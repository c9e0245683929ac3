// Reads a kubebuilder project: PROJECT, the Go packages of its kinds, its controllers and webhooks. The result is a description of
// the same project in TypeScript; each name in it was checked as one that a person types.

import { existsSync, lstatSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { findKind } from "@tsbuilder/apimachinery/kinds";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import {
  type ControllerRecord,
  type FeatureName,
  type Project,
  type Resource,
  defaultControllerName,
  findCoreGroup,
  hasWebhooks,
  isSameResource,
  newResource,
  noWebhooks,
  qualifiedGroup,
} from "../project/project.ts";
import { readProject, toRecord } from "../project/store.ts";
import { maxProjectName } from "../project/validate.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { type GoPackage, type GoTypeDeclaration, markerValueOf } from "./go/model.ts";
import { GoModules, readSource } from "./go/modules.ts";
import {
  type GoController,
  type OperatorMarker,
  type OperatorSources,
  readOperatorSources,
} from "./go/operator-sources.ts";
import { readPackages } from "./go/read-packages.ts";
import { kindNames, markerArguments } from "./types/kind-markers.ts";

/** A kubebuilder project, as far as it has a counterpart. */
export interface GoProject {
  readonly project: Project;
  readonly packages: readonly GoPackage[];
  /** The import paths of the packages whose kinds are the project's, with their kinds' resources. */
  readonly ownPackages: ReadonlyMap<string, Resource>;
  /** Those of other projects' kinds, with the folders of their types. */
  readonly foreignPackages: ReadonlyMap<string, string>;
  /** The path of the project's Go module; empty without a go.mod. */
  readonly modulePath: string;
  readonly controllers: readonly ImportedController[];
  readonly webhookMarkers: readonly ImportedWebhook[];
  /** Markers that belong to no controller and to no webhook of a kind. */
  readonly otherMarkers: readonly OperatorMarker[];
  /** What has no counterpart, with its place. */
  readonly notes: readonly string[];
}

/** A controller of a kind, with its counterpart in Go if that was found. */
export interface ImportedController {
  readonly resource: Resource;
  readonly name: string;
  readonly source: GoController | undefined;
  readonly markers: readonly OperatorMarker[];
}

/** The marker of a kind's webhook. */
export interface ImportedWebhook {
  readonly resource: Resource;
  readonly role: "defaulter" | "validator";
  readonly marker: OperatorMarker;
}

interface ImportOptions {
  readonly cliVersion: string;
  /** Default: that in PROJECT. */
  readonly projectName?: string | undefined;
  /** Structs of Kubernetes that TypeScript lacks. */
  readonly missing?: ReadonlySet<string>;
}

/** Reads the project in a folder. Throws if it is none of kubebuilder's layout with Go. */
export function readGoProject(
  root: string,
  { cliVersion, projectName, missing = new Set() }: ImportOptions,
): GoProject {
  const record = readRecord(root);
  const modules = new GoModules(root);
  const sources = readOperatorSources(root, modules);
  const notes: string[] = [];
  const entries = readEntries(record, root, modules, notes);
  const own = entries.filter(({ origin }) => origin === "own");
  const foreign = entries.filter(({ origin }) => origin === "external");
  const { packages, notes: typeNotes } = readPackages(
    modules,
    own.map(({ path }) => path),
    { further: foreign.map(({ path, kind }) => ({ path, name: kind })), missing },
  );
  const domain = text(record, "domain") || "example.com";
  const base: Project = {
    domain,
    projectName: projectName ?? (text(record, "projectName") || nameOfFolder(root)),
    multigroup: record["multigroup"] === true,
    namespaced: record["namespaced"] === true,
    namespaces: [],
    license: boilerplateOf(root) === "" ? "none" : "file",
    owner: "",
    features: featuresOf(root),
    resources: [],
    plugins: [],
    cliVersion,
  };
  const described = [...entries, ...unlisted(own, packages, notes)].flatMap((entry) => {
    const resource = describe(entry, packages, notes);
    return resource === undefined ? [] : [{ entry, resource }];
  });
  const groups = new Set(
    described.filter(({ entry }) => entry.origin === "own").map(({ resource }) => resource.group),
  );
  const multigroup = base.multigroup || groups.size > 1;
  const found = new Matcher({ ...base, multigroup }, described, sources, notes);
  const resources = found.resources;
  const features = resources.some(hasWebhooks)
    ? [...new Set<FeatureName>([...base.features, "webhook", "cert-manager"])]
    : base.features;
  // Reading the description that PROJECT will have checks all names.
  const project = { ...readProject(toRecord({ ...base, multigroup, features, resources })), cliVersion };
  return {
    project,
    packages,
    ownPackages: new Map(
      described
        .filter(({ entry }) => entry.origin === "own")
        .map(({ entry, resource }) => [entry.path, resource]),
    ),
    foreignPackages: new Map(foreign.map((entry) => [entry.path, foreignFolder(entry)])),
    modulePath: modules.path,
    ...found.content,
    notes: [...typeNotes, ...sources.notes, ...notes],
  };
}

function nameOfFolder(root: string): string {
  const words =
    basename(root)
      .replace(/@.*$/u, "")
      .toLowerCase()
      .match(/[a-z0-9]+/gu) ?? [];
  return (
    words
      .join("-")
      .replace(/^[0-9-]+/u, "")
      .slice(0, maxProjectName) || "operator"
  );
}

/** The license header of the project's Go files; empty without one. */
export function boilerplateOf(root: string): string {
  const found = (readSource(join(root, "hack/boilerplate.go.txt")) ?? "")
    .trim()
    .replaceAll(/\bYEAR\b/gu, String(new Date().getFullYear()));
  return /^\/\*(?:(?!\*\/)[\s\S])*\*\/$/u.test(found) ? found : "";
}

type Mapping = Readonly<Record<string, unknown>>;

const text = (record: Mapping, key: string): string => (typeof record[key] === "string" ? record[key] : "");

function readRecord(root: string): Mapping {
  const refuse = (message: string, hint: string): never => {
    throw new TsbuilderError(message, { code: "INVALID_SOURCE", hint });
  };
  if (!existsSync(root) || !lstatSync(root).isDirectory())
    refuse(`"${root}" is no folder`, "name the folder of a kubebuilder project");
  const file = readSource(join(root, "PROJECT"));
  if (file === undefined)
    return refuse(
      `"${root}" has no PROJECT file`,
      "name the folder of a project that kubebuilder or operator-sdk made",
    );
  const [record] = readYaml("PROJECT", file, {
    code: "INVALID_SOURCE",
    hint: "fix the PROJECT file of the Go project",
  });
  if (!isObject(record)) return refuse('"PROJECT" is no mapping', "restore the file from version control");
  const layout = [record["layout"] ?? []].flat().map(String);
  const isGo = layout.length === 0 || layout.some((key) => key.startsWith("go.") || key.includes(".go."));
  if (String(record["version"]) !== "3" || !isGo) {
    const found = `version ${String(record["version"])}, layout ${layout.join(", ")}`;
    return refuse(
      `"PROJECT" is not that of a Go project in version 3: it has ${found}`,
      "migrate an older project with kubebuilder first; projects of Helm and Ansible have no types to import",
    );
  }
  return record;
}

/** A kind of PROJECT. */
interface Entry {
  readonly group: string;
  readonly domain: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly origin: "own" | "core" | "external";
  /** The import path of the Go package with its type. */
  readonly path: string;
  readonly controllers: readonly (string | undefined)[];
  readonly webhooks: Mapping;
}

function readEntries(record: Mapping, root: string, modules: GoModules, notes: string[]): Entry[] {
  const listed = Array.isArray(record["resources"]) ? record["resources"].filter(isObject) : [];
  const entries = listed.map((resource): Entry => {
    const one = resource as Mapping;
    const controllers = Array.isArray(one["controllers"]) ? one["controllers"].filter(isObject) : [];
    const path = text(one, "path") || guessPath(one, root, modules);
    const origin =
      one["core"] === true || path.startsWith("k8s.io/api/")
        ? "core"
        : one["external"] === true || !(path === modules.path || path.startsWith(`${modules.path}/`))
          ? "external"
          : "own";
    const domain = text(one, "domain") || (origin === "own" ? text(record, "domain") : "");
    return {
      ...groupOf(modules, path, origin === "core" ? "" : domain, { group: text(one, "group"), domain }),
      version: text(one, "version"),
      kind: text(one, "kind"),
      plural: text(one, "plural"),
      origin,
      path,
      controllers:
        controllers.length > 0
          ? controllers.map((each) => text(each as Mapping, "name") || undefined)
          : one["controller"] === true
            ? [undefined]
            : [],
      webhooks: isObject(one["webhooks"]) ? one["webhooks"] : {},
    };
  });
  if (entries.length === 0) notes.push("PROJECT: there are no resources");
  return [...entries, ...otherVersions(entries, modules, notes)];
}

/** Versions of listed kinds that PROJECT doesn't list, in folders beside theirs. */
function otherVersions(entries: readonly Entry[], modules: GoModules, notes: string[]): Entry[] {
  const own = entries.filter(({ origin }) => origin === "own");
  return own.flatMap((entry) => {
    const beside = entry.path.slice(0, entry.path.lastIndexOf("/"));
    return modules.foldersIn(beside).flatMap((version): Entry[] => {
      const path = `${beside}/${version}`;
      const isListed = own.some((other) => other.path === path && other.kind === entry.kind);
      if (isListed || !/^v\d+(?:(?:alpha|beta)\d+)?$/u.test(version)) return [];
      const declares = modules
        .find(path)
        ?.files.some(({ source }) => source.types.some(({ name }) => name === entry.kind));
      if (!declares) return [];
      notes.push(`PROJECT: ${version} of ${entry.kind} is not listed; it is imported, too`);
      return [{ ...entry, version, path, controllers: [], webhooks: {} }];
    });
  });
}

/** The group that a Go package's marker names, if PROJECT says another, as older versions of kubebuilder had it. */
function groupOf(
  modules: GoModules,
  path: string,
  domain: string,
  listed: { readonly group: string; readonly domain: string },
): { readonly group: string; readonly domain: string } {
  const markers =
    modules.find(path)?.files.flatMap(({ source }) => source.markers.map(({ text: line }) => line)) ?? [];
  const named = markerValueOf(markers, "groupName")?.replace(/^"(.*)"$/u, "$1");
  if (named === undefined || named === qualifiedGroup(listed)) return listed;
  if (named === domain) return { group: "", domain };
  if (named.endsWith(`.${domain}`) && domain !== "")
    return { group: named.slice(0, -domain.length - 1), domain };
  return {
    group: named.replace(/\..*$/u, ""),
    domain: named.includes(".") ? named.replace(/^[^.]*\./u, "") : "",
  };
}

/** Where older versions of kubebuilder put a kind's package. */
function guessPath(resource: Mapping, root: string, modules: GoModules): string {
  const [group, version] = [text(resource, "group"), text(resource, "version")];
  const folders = [`api/${version}`, `api/${group}/${version}`, `apis/${group}/${version}`];
  const found = folders.find(
    (folder) => existsSync(join(root, folder)) && modules.find(modules.importPath(folder)),
  );
  return modules.importPath(found ?? folders[0]!);
}

/** Kinds in the project's packages that PROJECT doesn't list. */
function unlisted(own: readonly Entry[], packages: readonly GoPackage[], notes: string[]): Entry[] {
  const paths = new Map(own.map((entry) => [entry.path, entry]));
  return [...paths].flatMap(([path, { group, domain, version }]) =>
    (packages.find((each) => each.path === path)?.types ?? [])
      .filter(
        ({ name, isKind }) => isKind && !own.some((entry) => entry.path === path && entry.kind === name),
      )
      .map(({ name, at }) => {
        notes.push(`${at.file}:${at.line}: PROJECT does not list the kind ${name}; it is imported, too`);
        const origin = "own" as const;
        return {
          group,
          domain,
          version,
          kind: name,
          plural: "",
          origin,
          path,
          controllers: [],
          webhooks: {},
        };
      }),
  );
}

function describe(entry: Entry, packages: readonly GoPackage[], notes: string[]): Resource | undefined {
  const { group, domain, version, kind, origin, path } = entry;
  const identity = `${[group, domain].filter((part) => part !== "").join(".")}/${version}, Kind ${kind}`;
  const declared = packages.find((each) => each.path === path)?.types.find(({ name }) => name === kind);
  if (origin === "core") {
    const core = findCoreGroup(
      group === ""
        ? "core"
        : [group, domain].filter((part) => part !== "" && group !== "core").join(".") || "core",
    );
    const found = core && findKind({ group: qualifiedGroup(core), version }, kind);
    if (core && found)
      return newResource({
        ...core,
        version,
        kind,
        plural: found.plural,
        namespaced: found.scope === "Namespaced",
        origin: { type: "core" },
      });
  } else if (declared !== undefined) {
    return newResource({
      group,
      domain,
      version,
      kind,
      ...namesOf(declared, entry),
      origin: originOf(entry),
    });
  }
  const hint =
    origin === "external"
      ? `: its Go package ${path} is not on this machine; add it with create api --crd FILE`
      : "";
  notes.push(`PROJECT: ${identity} is left out${hint || `: the type is not in ${path}`}`);
  return undefined;
}

function namesOf(declared: GoTypeDeclaration, { plural: listed }: Entry) {
  const { plural, singular, shortNames, categories, isClusterScoped } = kindNames(declared);
  const name = declared.name.toLowerCase();
  return {
    plural: listed !== "" && plural === pluralize(name) ? listed : plural,
    singular: singular === name ? undefined : singular,
    shortNames,
    categories,
    namespaced: !isClusterScoped,
  };
}

/** The folder of the types of another project's kinds. */
const foreignFolder = (entry: Pick<Entry, "group" | "domain" | "version">): string =>
  `src/types/${qualifiedGroup(entry)}/${entry.version}`;

function originOf(entry: Entry): Resource["origin"] {
  if (entry.origin === "own") return { type: "own" };
  return { type: "external", module: `./${foreignFolder(entry)}/${entry.kind.toLowerCase()}_types.ts` };
}

/** The features that the project's kustomization has. */
function featuresOf(root: string): FeatureName[] {
  const lines = (readSource(join(root, "config/default/kustomization.yaml")) ?? "").split("\n");
  const has = (folder: string): boolean => lines.some((line) => line.trim() === `- ../${folder}`);
  return [
    "metrics",
    ...(has("prometheus") ? (["prometheus"] as const) : []),
    ...(has("network-policy") ? (["network-policy"] as const) : []),
  ];
}

/** Gives the controllers, webhooks and markers of the Go sources to the kinds. */
class Matcher {
  readonly resources: Resource[] = [];
  readonly content: Pick<GoProject, "controllers" | "webhookMarkers" | "otherMarkers">;
  readonly #left: Set<OperatorMarker>;

  constructor(
    project: Project,
    described: readonly { readonly entry: Entry; readonly resource: Resource }[],
    { controllers, markers }: OperatorSources,
    notes: string[],
  ) {
    this.#left = new Set(markers);
    const unused = new Set(controllers);
    const imported: ImportedController[] = [];
    const webhookMarkers: ImportedWebhook[] = [];
    for (const { entry, resource } of described) {
      const own = [...unused].filter(
        ({ reconciles }) => reconciles.path === entry.path && reconciles.name === entry.kind,
      );
      const records: ControllerRecord[] = [];
      const taken = new Set(this.resources.flatMap((other) => other.controllers.map(({ name }) => name)));
      const wanted = [...entry.controllers, ...own.slice(entry.controllers.length).map(() => undefined)];
      for (const listed of wanted) {
        const source =
          own.find((each) => each.name === listed && unused.has(each)) ??
          own.find((each) => unused.has(each));
        const name = nameOf(project, resource, listed ?? source?.name, records, source);
        if (source === undefined)
          notes.push(`PROJECT: no function sets up the controller ${name} of ${entry.kind}`);
        else unused.delete(source);
        if (taken.has(name) || records.some((record) => record.name === name)) {
          notes.push(
            `${source?.file ?? "PROJECT"}: the controller ${name} of ${entry.kind} is left out: its name is taken`,
          );
          continue;
        }
        records.push({ name });
        const rbac =
          source === undefined
            ? []
            : this.#take(
                ({ file, text: marker }) => file === source.file && marker.startsWith("+kubebuilder:rbac:"),
              );
        imported.push({ resource, name, source, markers: rbac });
      }
      const hooks = this.#webhooksOf(entry, resource, notes);
      webhookMarkers.push(...hooks);
      this.resources.push({
        ...resource,
        controllers: records,
        webhooks: webhooksOf(entry, hooks, described),
      });
    }
    for (const { file, line, receiver, reconciles } of unused)
      notes.push(
        `${file}:${line}: ${receiver} reconciles ${reconciles.path}.${reconciles.name}, of which no kind is imported; it is left out`,
      );
    // The resources of the records have their controllers and webhooks now.
    const current = (resource: Resource): Resource =>
      this.resources.find((each) => isSameResource(each, resource))!;
    this.content = {
      controllers: imported.map((one) => ({ ...one, resource: current(one.resource) })),
      webhookMarkers: webhookMarkers.map((one) => ({ ...one, resource: current(one.resource) })),
      otherMarkers: [...this.#left],
    };
  }

  #take(isWanted: (marker: OperatorMarker) => boolean): OperatorMarker[] {
    const taken = [...this.#left].filter(isWanted);
    for (const marker of taken) this.#left.delete(marker);
    return taken;
  }

  #webhooksOf({ webhooks }: Entry, resource: Resource, notes: string[]): ImportedWebhook[] {
    const roles = [
      ["defaulter", "defaulting", true],
      ["validator", "validation", false],
    ] as const;
    return roles.flatMap(([role, key, mutating]): ImportedWebhook[] => {
      if (webhooks[key] !== true) return [];
      const [marker, ...others] = [...this.#left].filter(({ text: each }) =>
        isWebhookOf(each, resource, mutating),
      );
      if (marker === undefined) {
        notes.push(`PROJECT: the ${role} of ${resource.kind} is left out: no marker of it was found`);
        return [];
      }
      this.#left.delete(marker);
      if (others.length > 0)
        notes.push(`${others[0]!.file}:${others[0]!.line}: a second ${role} of ${resource.kind}`);
      return [{ resource, role, marker }];
    });
  }
}

function isWebhookOf(marker: string, resource: Resource, mutating: boolean): boolean {
  if (!marker.startsWith("+kubebuilder:webhook:")) return false;
  const found = markerArguments(marker);
  const has = (key: string, value: string): boolean => [found?.[key]].flat().includes(value);
  return (
    found?.["mutating"] === mutating &&
    has("groups", qualifiedGroup(resource)) &&
    has("resources", resource.plural) &&
    has("versions", resource.version)
  );
}

function webhooksOf(
  { webhooks, kind }: Entry,
  hooks: readonly ImportedWebhook[],
  described: readonly { readonly entry: Entry; readonly resource: Resource }[],
): Resource["webhooks"] {
  const pathOf = (role: ImportedWebhook["role"]): string | undefined => {
    const hook = hooks.find((each) => each.role === role);
    const path = hook && markerArguments(hook.marker.text)?.["path"];
    return typeof path === "string" && path !== defaultPath(role, hook!.resource) ? path : undefined;
  };
  const versions = described
    .filter(({ resource }) => resource.kind === kind)
    .map(({ resource }) => resource.version);
  const spokes = Array.isArray(webhooks["spoke"]) ? webhooks["spoke"].map(String) : [];
  return {
    ...noWebhooks,
    defaulting: hooks.some(({ role }) => role === "defaulter"),
    validation: hooks.some(({ role }) => role === "validator"),
    spokes: webhooks["conversion"] === true ? spokes.filter((each) => versions.includes(each)) : undefined,
    defaultingPath: pathOf("defaulter"),
    validationPath: pathOf("validator"),
  };
}

function defaultPath(role: ImportedWebhook["role"], resource: Resource): string {
  const verb = role === "defaulter" ? "mutate" : "validate";
  return `/${verb}-${qualifiedGroup(resource).replaceAll(".", "-")}-${resource.version}-${resource.kind.toLowerCase()}`;
}

/** The name of a controller: as in PROJECT or in Go if it is one, else the default, or made of the reconciler's name. */
function nameOf(
  project: Project,
  resource: Resource,
  given: string | undefined,
  earlier: readonly ControllerRecord[],
  source: GoController | undefined,
): string {
  if (given !== undefined && /^[a-z](?:[-a-z0-9]{0,60}[a-z0-9])?$/u.test(given)) return given;
  if (earlier.length === 0) return defaultControllerName(project, resource);
  const words = (source?.receiver ?? `controller${earlier.length}`).replace(/Reconciler$/u, "");
  return words.replaceAll(/(?<=[a-z0-9])[A-Z]/gu, (letter) => `-${letter}`).toLowerCase();
}

/** The folder in the TypeScript project of a Go package that has none of the kinds. */
export function sharedFolder(path: string, modulePath: string): string {
  const own = modulePath !== "" && path.startsWith(`${modulePath}/`);
  return posix.join("src/types", own ? path.slice(modulePath.length + 1) : path);
}
