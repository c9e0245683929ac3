import { isEqual, isObject, memberOf } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
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
    set = typeof step === "number" ? itemSet(set, step, value) : memberSet(set, step);
    if (!isObject(set)) return 0;
    if (Object.keys(set).length === 0) return i + 1;
  }
  return isObject(set) && Object.hasOwn(set, ".") ? steps.length : 0;
}

function memberSet(set: unknown, name: string): unknown {
  return isObject(set) ? memberOf(set, `f:${name}`) : undefined;
}

/** Finds the set of an item: `fieldsV1` names items by keys (`k:`), by value (`v:`) or by index (`i:`). */
function itemSet(set: unknown, index: number, item: unknown): unknown {
  if (!isObject(set)) return undefined;
  const found = Object.keys(set).find((name) => {
    switch (name.slice(0, 2)) {
      case "k:":
        return isObject(item) && hasMembers(item, JSON.parse(name.slice(2)));
      case "v:":
        return isEqual(JSON.parse(name.slice(2)), item);
      case "i:":
        return Number(name.slice(2)) === index;
      default:
        return false;
    }
  });
  return found === undefined ? undefined : set[found];
}

function hasMembers(item: Readonly<Record<string, unknown>>, keys: unknown): boolean {
  return (
    isObject(keys) && Object.entries(keys).every(([name, value]) => isEqual(memberOf(item, name), value))
  );
}
