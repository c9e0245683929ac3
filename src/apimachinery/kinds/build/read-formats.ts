import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { elementOf, type Model, type ModelField, type ModelType } from "./model.ts";

/**
 * Adds the formats of numbers and strings to a model, from the models of Kubernetes' own client.
 * Both packages must describe the same release: the build fails if the fields of a type differ.
 */
export function addFormats(nodeModules: string, model: Model): Model {
  const folder = join(nodeModules, "@kubernetes/client-node/dist/gen/models");
  return new Map([...model].map(([name, type]) => [name, formatType(type, readAttributes(folder, type))]));
}

interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

function readAttributes(
  folder: string,
  { module, name }: ModelType,
): ReadonlyMap<string, Attribute> | undefined {
  const [group = "", version = ""] = module.split("/");
  const prefixes = [capitalize(group) + capitalize(version), capitalize(version)];
  const files = prefixes.map((prefix) => join(folder, `${prefix}${name}.js`));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) return undefined;
  // Parsed as JSON, because importing the module would load the whole client.
  const list = /\.attributeTypeMap = (\[[\s\S]*?\n\]);/u.exec(readFileSync(file, "utf8"))?.[1] ?? "[]";
  const attributes = JSON.parse(list) as Attribute[];
  return new Map(attributes.map((attribute) => [attribute.baseName, attribute]));
}

function formatType(type: ModelType, attributes: ReadonlyMap<string, Attribute> | undefined): ModelType {
  const typeName = `${type.module}.${type.name}`;
  const numbers = type.fields.filter((field) => elementOf(field.type) === "number");
  if (!attributes) {
    if (numbers.length === 0) return type;
    throw new Error(`@kubernetes/client-node has no ${typeName}: the format of its numbers is unknown`);
  }
  const written = type.fields
    .map((field) => field.name)
    .toSorted()
    .join(" ");
  const expected = [...attributes.keys()].toSorted().join(" ");
  if (written !== expected)
    throw new Error(`the two packages disagree on ${typeName}: ${written} / ${expected}`);
  return { ...type, fields: type.fields.map((field) => formatField(field, attributes.get(field.name)!)) };
}

function formatField(field: ModelField, { format }: Attribute): ModelField {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  if (element === "number") return { ...field, type: prefix + (format || "number") };
  if (element === "string" && format === "byte") return { ...field, type: `${prefix}byte` };
  return field;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
