import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { isElementOf } from "@tsbuilder/apimachinery/patch/fields-v1";
import { pathText, type Steps, yamlLines } from "./object-yaml.ts";

/** A field manager that set a field. */
export interface FieldWriter {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry["operation"] | undefined;
  /** Such as `status`. */
  readonly subresource: string | undefined;
  /** When the manager last set a field or changed the set of fields that it owns. */
  readonly at: string | undefined;
}

/** A line of an object's YAML with the managers of its field. */
export interface WrittenLine {
  readonly text: string;
  readonly path: string;
  /** In the order of `managedFields`. Empty for a field that only contains fields, and for one that nobody owns. */
  readonly managers: readonly FieldWriter[];
}

/** Formats an object as YAML without its `managedFields`, and assigns the managers that these name to each line. */
export function linesWithWriters(object: KubernetesObject): WrittenLine[] {
  const { managedFields = [], ...metadata } = object.metadata;
  const shown = { ...object, metadata };
  const owners = managedFields.map((entry) => ({ fields: entry.fieldsV1, writer: writerOf(entry) }));
  const writersOf = (steps: Steps): FieldWriter[] => {
    const found = owners.map(({ fields, writer }) => ({ writer, depth: ownedDepth(fields, steps, shown) }));
    const deepest = Math.max(0, ...found.map(({ depth }) => depth));
    return deepest === 0 ? [] : found.filter(({ depth }) => depth === deepest).map(({ writer }) => writer);
  };
  return yamlLines(shown).map(({ text, steps }) => ({
    text,
    path: pathText(steps),
    managers: writersOf(steps),
  }));
}

function writerOf({ manager = "unknown", operation, subresource, time }: ManagedFieldsEntry): FieldWriter {
  return { manager, operation, subresource, at: time };
}

/** Returns the number of steps to the owned value: the field itself, or an atomic list or map around it. 0: not owned. */
function ownedDepth(fields: unknown, steps: Steps, object: unknown): number {
  let [set, value] = [fields, object];
  for (const [i, step] of steps.entries()) {
    value = (value as Readonly<Record<string | number, unknown>>)[step];
    if (!isObject(set)) return 0;
    const item = value;
    const name =
      typeof step === "number"
        ? Object.keys(set).find((element) => isElementOf(element, item, step))
        : `f:${step}`;
    set = name === undefined ? undefined : memberOf(set, name);
    if (!isObject(set)) return 0;
    if (Object.keys(set).length === 0) return i + 1;
  }
  return isObject(set) && Object.hasOwn(set, ".") ? steps.length : 0;
}
