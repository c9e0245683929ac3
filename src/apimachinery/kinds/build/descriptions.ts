import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Model, ModelField, ModelType } from "./model.ts";

/** The descriptions of a type's fields by name; "" is the type itself. */
type Descriptions = ReadonlyMap<string, string>;

/**
 * Adds descriptions, which are Kubernetes' own sentences and therefore not in this repository, from two packages:
 * @kubernetes/client-node has them of the newest release, but none of fields that refer to a type, for which
 * kubernetes-types has those of an older one. A field that both lack is described by its type, in words that differ from the
 * type's own: published documents tell fields with and without a description apart.
 */
export function addDescriptions(nodeModules: string, model: Model): Model {
  const older = new OlderPackage(join(nodeModules, "kubernetes-types"));
  const client = new Map(
    [...model].map(([name, type]) => [
      name,
      readClient(join(nodeModules, "@kubernetes/client-node/dist/gen/models"), type),
    ]),
  );
  const ofType = (name: string): string => client.get(name)?.get("") ?? "";
  return new Map(
    [...model].map(([name, type]) => {
      const olderTexts = older.read(type);
      const fields = type.fields.map((field): ModelField => {
        // The client describes times and the like by their type.
        const text = /^(?:[A-Z]|\w+\/)/u.test(field.type) ? "" : client.get(name)?.get(field.name);
        const described =
          text || olderTexts.get(field.name) || describeByType(type, field.type, ofType(field.type));
        return { ...field, description: breakLines(described, field.lines) };
      });
      return [name, { ...type, description: breakLines(ofType(name), type.lines), fields }];
    }),
  );
}

function describeByType(owner: ModelType, type: string, description: string): string {
  const found = /^(?:[\w./-]+\.(\w+)|Time|Quantity|RawExtension)$/u.exec(type);
  return !found || owner.isUndescribed ? "" : `Of type ${found[1] ?? type}. ${description}`.trim();
}

const clientField = /(?: {4}\/\*\*\n {4}\* (.*)\n {4}\*\/\n)? {4}'([^']+)'\??: /gu;
const clientClass = /\/\*\*\n\* (.*)\n\*\/\nexport declare class/u;

function readClient(folder: string, { module, name }: ModelType): Descriptions {
  const [group = "", version = ""] = module.split("/").map(capitalize);
  const files = [group + version, version].map((prefix) => join(folder, `${prefix}${name}.d.ts`));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) return new Map();
  const text = readFileSync(file, "utf8");
  const fields = [...text.matchAll(clientField)].map(([, description, field]) => [
    // The client's names are words of TypeScript: `_default`, `x_kubernetes_list_type`.
    field!.replace(/^_/u, "").replaceAll("_", "-"),
    unescape(description),
  ]);
  return new Map([["", unescape(clientClass.exec(text)?.[1])], ...fields] as [string, string][]);
}

/** Undoes what the client's generator does to quotes, and to what would end a comment. */
function unescape(text = ""): string {
  return text
    .replaceAll(/\\(['"\\])/gu, "$1")
    .replaceAll("*_/", "*/")
    .replaceAll("/_*", "/*")
    .trim();
}

const olderField = /^(?: {4}\/\*\*((?:(?!\*\/)[^])*)\*\/\n)? {4}(?:readonly )?"?([^"?:\s*]+)"?\??: /gmu;

/** kubernetes-types, which declares all types of a group and version in one file. */
class OlderPackage {
  readonly #folder: string;
  readonly #texts = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  read({ module, name }: ModelType): Descriptions {
    const text = this.#text(module);
    const start = text.indexOf(`export interface ${name} {`);
    if (start === -1) return new Map();
    const fields = text.slice(start, text.indexOf("\n}", start)).matchAll(olderField);
    return new Map(
      [...fields].map(([, comment = "", field = ""]) => [
        field,
        comment.replaceAll(/^ {5}\* ?/gmu, "").trim(),
      ]),
    );
  }

  /** The declarations of a group, those of the version first: types that are stable now were alpha or beta. */
  #text(module: string): string {
    const known = this.#texts.get(module);
    if (known !== undefined) return known;
    const [group = "", version = ""] = module.split("/");
    const folder = join(this.#folder, group);
    const others = existsSync(folder) ? readdirSync(folder).sort().toReversed() : [];
    const files = [`${version}.d.ts`, ...others].map((name) => join(folder, name));
    const text = files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "")).join("\n");
    this.#texts.set(module, text);
    return text;
  }
}

/** Breaks a text into the lines that it had in Kubernetes; returns it as it is if it is another text. */
function breakLines(text: string, lines: readonly number[]): string {
  if (text.length !== lines.reduce((sum, length) => sum + length + 1, -1)) return text;
  let end = 0;
  return lines.map((length) => text.slice(end, (end += length + 1) - 1)).join("\n");
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
