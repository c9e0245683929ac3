import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { Document, YAMLMap, type YAMLSeq, isMap, isSeq, parseDocument } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { shorten, withLineEndsOf } from "../shared/text.ts";
import { readYaml } from "../shared/read-yaml.ts";
import {
  type FeatureName,
  type LicenseName,
  type Origin,
  type PluginUse,
  type Project,
  type Resource,
  type TemplateRecord,
  type WebhookRecord,
  checkPluginKey,
  describeResource,
  featureNames,
  hasWebhooks,
  isSameResource,
  mayHavePlugins,
  noWebhooks,
} from "./project.ts";
import * as validate from "./validate.ts";

export const projectFile = "PROJECT";

/** A project with the text it was read from, to keep its comments and unknown keys. */
export interface StoredProject {
  readonly project: Project;
  readonly text: string;
}

/** Reads a project from the text of its `PROJECT` file. Throws a TsbuilderError for an invalid file. */
export function parseProject(text: string): StoredProject {
  const [value, ...others] = readYaml(projectFile, text, {
    code: "INVALID_PROJECT",
    hint: "fix the file, or restore it from version control",
  });
  if (others.length === 0) return { project: readProject(value), text };
  throw invalid(
    `"PROJECT" contains ${others.length + 1} YAML documents`,
    "remove the --- lines, and what does not belong there",
  );
}

const header = ` This file tracks what tsbuilder scaffolded. Its commands read and update it; keep it under version control.
 Your own keys and comments are preserved.`;

/** Writes a project into the text that it was read from, keeping unknown keys, comments and line ends, or into a new text. */
export function formatProject(project: Project, text?: string): string {
  const document = text === undefined ? new Document(new YAMLMap()) : parseDocument(text);
  if (text === undefined) document.commentBefore = header;
  mergeInto(document, document.contents as YAMLMap, toRecord(project));
  if (text !== undefined && mayHavePlugins(text)) dropPlugins(document, parseProject(text).project, project);
  const formatted = document.toString({ lineWidth: 0, indentSeq: false });
  return text === undefined ? formatted : withLineEndsOf(text, formatted);
}

/** The key of our layout, as `go.kubebuilder.io/v4` is that of kubebuilder. */
export const pluginKey = "typescript.tsbuilder.dev/v1";

/** The version of kubebuilder's schema of the file, whose keys have the same meaning here. */
const schemaVersion = "3";

/** The start of the key of any version of our layout. */
const layoutPrefix = "typescript.tsbuilder.dev/";

/**
 * Reads a project from the YAML value of its `PROJECT` file; unknown keys are ignored. Throws a TsbuilderError for a wrong
 * value, for another layout, and for a version of the file that this tsbuilder does not know.
 */
export function readProject(value: unknown): Project {
  if (value === undefined || value === null)
    throw invalid('"PROJECT" is empty', "restore the file from version control");
  const file = new MappingReader("PROJECT", value);
  // Checked before the version: projects of kubebuilder had versions 1 and 2, without a layout.
  const layout = file.texts("layout");
  const ownLayout = layout.find((key) => key.startsWith(layoutPrefix));
  if (ownLayout === undefined) {
    const found = layout.length === 0 ? "no layout" : `the layout "${layout.join(", ")}"`;
    throw invalid(
      `"PROJECT" has ${found}, so this is not a TypeScript project`,
      `use the tool that created it, such as kubebuilder, or run tsbuilder init in another folder; projects of tsbuilder have the layout "${pluginKey}"`,
    );
  }
  const refuseOther = (what: string, found: string, supported: string): void => {
    if (found === supported) return;
    throw invalid(
      `"PROJECT" has the ${what} "${found}", but this tsbuilder supports "${supported}"`,
      "use the tsbuilder that created the project: install its packages, then npx --no-install tsbuilder",
    );
  };
  refuseOther("schema version", file.text("version"), schemaVersion);
  refuseOther("layout", ownLayout, pluginKey);
  return {
    domain: file.name("domain", validate.checkDomain),
    projectName: file.name("projectName", validate.checkProjectName),
    multigroup: file.flag("multigroup"),
    namespaced: file.flag("namespaced"),
    namespaces: file.names("namespaces", validate.checkNamespace),
    license: file.oneOf<LicenseName>("license", ["apache2", "copyright", "none", "file"], "apache2"),
    owner: file.text("owner", ""),
    features: file
      .texts("features")
      .map((name) => new MappingReader("features", { name }).oneOf<FeatureName>("name", featureNames)),
    resources: refuseDuplicates(file.records("resources").map(readResource)),
    plugins: readPlugins(
      file
        .names("layout", (key) => (key === pluginKey ? key : checkPluginKey(key)))
        .filter((key) => key !== pluginKey),
      file.mapping("plugins"),
    ),
    cliVersion: file.text("cliVersion", ""),
  };
}

function readResource(record: MappingReader): Resource {
  const api = record.record("api");
  return {
    ...readIdentity(record),
    plural: record.name("plural", validate.checkPlural),
    singular: record.has("singular") ? record.name("singular", validate.checkPlural) : undefined,
    shortNames: record.names("shortNames", (name) => validate.checkShortName(name, "short-name")),
    categories: record.names("categories", (name) => validate.checkShortName(name, "category")),
    namespaced: api?.flag("namespaced") ?? true,
    origin: readOrigin(record),
    template: readTemplate(record.record("template")),
    controllers: record.records("controllers").map((controller) => ({
      name: controller.name("name", validate.checkControllerName),
      owns: unlessEmpty(controller.names("owns", validate.checkOwnedKind)),
    })),
    webhooks: readWebhooks(record.record("webhooks")),
  };
}

function readIdentity(record: MappingReader): Pick<Resource, "group" | "domain" | "version" | "kind"> {
  return {
    group: record.name("group", validate.checkGroup, ""),
    domain: record.name("domain", (domain) => (domain === "" ? "" : validate.checkDomain(domain)), ""),
    version: record.name("version", validate.checkVersion),
    kind: record.name("kind", validate.checkKind),
  };
}

/** Reads the plugins in the layout, then those of single kinds. Ignores settings of other tools' plugins. */
function readPlugins(layout: readonly string[], records: MappingReader | undefined): PluginUse[] {
  const ofSingleKinds = (records?.keys() ?? []).filter((key) => {
    const record = layout.includes(key) ? undefined : records!.mapping(key);
    return record !== undefined && (record.has("package") || record.has("executable"));
  });
  return [...new Set([...layout, ...ofSingleKinds])].map((key) => {
    const record = records?.mapping(key);
    return {
      key: checkPluginKey(key),
      isInLayout: layout.includes(key),
      package: record?.has("package") ? record.text("package") : undefined,
      options: record?.record("options")?.values() ?? {},
      resources: (record?.records("resources") ?? []).map((resource) => ({
        ...readIdentity(resource),
        options: resource.record("options")?.values() ?? {},
      })),
    };
  });
}

/** Refuses a resource that is in the list twice, which is usually left over from a merge. */
function refuseDuplicates(resources: readonly Resource[]): readonly Resource[] {
  const duplicate = resources.find((resource, i) =>
    resources.slice(0, i).some((earlier) => isSameResource(earlier, resource)),
  );
  if (!duplicate) return resources;
  throw invalid(
    `"PROJECT" contains ${describeResource(duplicate)} twice`,
    "remove one of the two from resources",
  );
}

function readOrigin(record: MappingReader): Origin {
  if (record.flag("core")) return { type: "core" };
  if (record.flag("external")) return { type: "external", module: record.name("path", validate.checkModule) };
  return { type: "own" };
}

function readTemplate(record: MappingReader | undefined): TemplateRecord | undefined {
  if (!record) return undefined;
  const options = record.keys().filter((key) => key !== "name");
  return {
    name: record.text("name"),
    options: Object.fromEntries(
      options.map((key) => [key, record.name(key, (value) => validate.checkTemplateOption(key, value))]),
    ),
  };
}

function readWebhooks(record: MappingReader | undefined): WebhookRecord {
  if (!record) return noWebhooks;
  const path = (key: string, flag: string): string | undefined =>
    record.has(key) ? record.name(key, (value) => validate.checkWebhookPath(value, flag)) : undefined;
  return {
    defaulting: record.flag("defaulting"),
    validation: record.flag("validation"),
    spokes: record.flag("conversion") ? record.names("spoke", validate.checkVersion) : undefined,
    defaultingPath: path("defaultingPath", "defaulting-path"),
    validationPath: path("validationPath", "validation-path"),
  };
}

/** Reads the keys of a mapping; an error names the path of the value. A key with the value null counts as absent. */
class MappingReader {
  readonly #place: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(place: string, value: unknown) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw unexpected(place, "a mapping", value);
    this.#place = place;
    this.#values = value as Record<string, unknown>;
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined && this.#values[key] !== null;
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** Reads a string; if the key is absent, `missing` is returned, or without that an error thrown. */
  text(key: string, missing?: string): string {
    const value = this.has(key) ? this.#values[key] : missing;
    // Someone who edits the file by hand may write `version: 3`.
    if (typeof value === "number") return String(value);
    if (typeof value !== "string") throw unexpected(`${this.#place}.${key}`, "a string", value);
    return value;
  }

  /** Reads a string, and checks it as the corresponding flag is checked. */
  name(key: string, check: (value: string) => string, missing?: string): string {
    return this.#check(key, this.text(key, missing), check);
  }

  names(key: string, check: (value: string) => string): string[] {
    return this.texts(key).map((value, i) => this.#check(`${key}[${i}]`, value, check));
  }

  #check(key: string, value: string, check: (value: string) => string): string {
    try {
      return check(value);
    } catch (cause) {
      throw new TsbuilderError(`"${this.#place}.${key}": ${(cause as Error).message}`, {
        code: "INVALID_PROJECT",
        hint: restoreHint,
        cause,
      });
    }
  }

  flag(key: string): boolean {
    const value = this.has(key) ? this.#values[key] : false;
    if (typeof value !== "boolean") throw unexpected(`${this.#place}.${key}`, "true or false", value);
    return value;
  }

  oneOf<Name extends string>(key: string, names: readonly Name[], missing?: Name): Name {
    const value = this.text(key, missing);
    const name = names.find((known) => known === value);
    if (name === undefined) throw unexpected(`${this.#place}.${key}`, `one of ${names.join(", ")}`, value);
    return name;
  }

  /** Reads a list of strings, or a single string as in `layout: KEY`. */
  texts(key: string): string[] {
    const value = this.has(key) ? this.#values[key] : [];
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item, i) =>
      new MappingReader(`${this.#place}.${key}[${i}]`, { text: item }).text("text"),
    );
  }

  record(key: string): MappingReader | undefined {
    return this.has(key) ? new MappingReader(`${this.#place}.${key}`, this.#values[key]) : undefined;
  }

  /** Reads a mapping; undefined for any other value, which another tool may have written. */
  mapping(key: string): MappingReader | undefined {
    return isObject(this.#values[key]) ? this.record(key) : undefined;
  }

  records(key: string): MappingReader[] {
    const value = this.has(key) ? this.#values[key] : [];
    if (!Array.isArray(value)) throw unexpected(`${this.#place}.${key}`, "a list", value);
    return value.map((item, i) => new MappingReader(`${this.#place}.${key}[${i}]`, item));
  }
}

function invalid(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_PROJECT", hint });
}

const restoreHint = "fix the PROJECT file, or restore it from version control";

function unexpected(place: string, expected: string, value: unknown): TsbuilderError {
  const shown = value === undefined ? "missing" : shorten(JSON.stringify(value));
  return invalid(`"${place}" must be ${expected}, but is ${shown}`, restoreHint);
}

/** Converts a project to the content of its `PROJECT` file. A key with the value undefined is removed from the file. */
export function toRecord(project: Project): Record<string, unknown> {
  return {
    version: schemaVersion,
    cliVersion: project.cliVersion,
    domain: project.domain,
    projectName: project.projectName,
    layout: [pluginKey, ...project.plugins.filter(({ isInLayout }) => isInLayout).map(({ key }) => key)],
    multigroup: project.multigroup || undefined,
    namespaced: project.namespaced || undefined,
    license: project.license,
    owner: project.owner || undefined,
    namespaces: unlessEmpty(project.namespaces),
    features: [...project.features].sort(),
    resources: unlessEmpty(project.resources.map(resourceRecord)),
    // Without plugins of the project, the key keeps the settings of other tools.
    ...(project.plugins.length === 0 ? {} : { plugins: pluginRecords(project) }),
  };
}

function pluginRecords({ plugins }: Project): Record<string, unknown> {
  return Object.fromEntries(
    plugins.map(({ key, package: source, options, resources }) => [
      key,
      {
        package: source,
        executable: source === undefined || undefined,
        options: isEmpty(options) ? undefined : options,
        resources: unlessEmpty(
          resources.map(({ group, domain, version, kind, options: kindOptions }) => ({
            group: group || undefined,
            domain: domain || undefined,
            version,
            kind,
            options: isEmpty(kindOptions) ? undefined : kindOptions,
          })),
        ),
      },
    ]),
  );
}

const isEmpty = (options: object): boolean => Object.values(options).every((value) => value === undefined);

function resourceRecord(resource: Resource): Record<string, unknown> {
  const { origin, template, controllers, webhooks } = resource;
  return {
    group: resource.group || undefined,
    domain: resource.domain || undefined,
    version: resource.version,
    kind: resource.kind,
    plural: resource.plural,
    singular: resource.singular,
    shortNames: unlessEmpty(resource.shortNames),
    categories: unlessEmpty(resource.categories),
    api: origin.type === "own" ? { crdVersion: "v1", namespaced: resource.namespaced } : undefined,
    template: template && { name: template.name, ...template.options },
    core: origin.type === "core" || undefined,
    external: origin.type === "external" || undefined,
    path: origin.type === "external" ? origin.module : undefined,
    controllers: unlessEmpty(controllers.map(({ name, owns = [] }) => ({ name, owns: unlessEmpty(owns) }))),
    webhooks: hasWebhooks(resource)
      ? {
          webhookVersion: "v1",
          defaulting: webhooks.defaulting || undefined,
          validation: webhooks.validation || undefined,
          conversion: webhooks.spokes !== undefined || undefined,
          spoke: unlessEmpty(webhooks.spokes ?? []),
          defaultingPath: webhooks.defaultingPath,
          validationPath: webhooks.validationPath,
        }
      : undefined,
  };
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** Merges a record into a mapping. `undefined` removes a key; keys that are not in the record are kept. */
function mergeInto(document: Document, map: YAMLMap, record: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(record)) {
    const present = map.get(key, true);
    if (value === undefined) map.delete(key);
    else if (present === undefined) insertInOrder(document, map, record, key);
    else if (isObject(value) && isMap(present)) mergeInto(document, present, value);
    else if (Array.isArray(value) && isSeq(present)) mergeList(document, present, value);
    else if (!isSame(present, value)) map.set(key, document.createNode(value));
  }
}

/** Inserts a new key where a new file would have it, so that the result does not depend on the order of commands. */
function insertInOrder(
  document: Document,
  map: YAMLMap,
  record: Readonly<Record<string, unknown>>,
  key: string,
): void {
  const keys = Object.keys(record);
  const later = new Set(keys.slice(keys.indexOf(key) + 1));
  const at = map.items.findIndex((pair) => later.has(String(toPlain(pair.key))));
  map.items.splice(at === -1 ? map.items.length : at, 0, document.createPair(key, record[key]));
}

/** Merges a list. Matches items by their identity, so that a comment stays with its item. */
function mergeList(document: Document, list: YAMLSeq, items: readonly unknown[]): void {
  const present = [...list.items];
  // An empty list is in flow style, and would stay in it.
  list.flow = items.length === 0;
  list.items = items.map((item) => {
    const at = present.findIndex((node) => identify(node) === identify(item));
    const [node] = at === -1 ? [] : present.splice(at, 1);
    if (!isMap(node) || !isObject(item)) return node ?? document.createNode(item);
    mergeInto(document, node, item);
    return node;
  });
}

/** Returns a key for an item of a list: what identifies a resource or a controller, or the whole item. */
function identify(item: unknown): string {
  const value = toPlain(item);
  if (!isObject(value)) return JSON.stringify(value);
  const { name, group, domain, version, kind } = value as Record<string, string>;
  return JSON.stringify([name, group, domain, version, kind]);
}

const toPlain = (node: unknown): unknown =>
  typeof node === "object" && node !== null && "toJSON" in node ? (node as YAMLMap).toJSON() : node;

const isSame = (node: unknown, value: unknown): boolean =>
  JSON.stringify(toPlain(node)) === JSON.stringify(value);

/** Removes the settings of plugins that are gone; those of other tools' plugins are kept. */
function dropPlugins(document: Document, before: Project, after: Project): void {
  const kept = new Set(after.plugins.map(({ key }) => key));
  for (const { key } of before.plugins) if (!kept.has(key)) document.deleteIn(["plugins", key]);
  const left = document.get("plugins");
  if (isMap(left) && left.items.length === 0) document.delete("plugins");
}

/** Finds the nearest folder with a `PROJECT` file, from a folder upwards. */
export function findProjectRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (statSync(join(folder, projectFile), { throwIfNoEntry: false })?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
