import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { externalObjects } from "../contract/external.ts";
import { type LeftOut, type State, refOf, refText, refTextOf } from "../contract/state.ts";

/** One field, or one object, in which two states differ. */
export interface Difference {
  readonly object: string;
  /** The normalized object from one of the states. */
  readonly of: KubernetesObject;
  /** Undefined if only one of the states has the object. */
  readonly field: string | undefined;
  readonly here: unknown;
  readonly there: unknown;
}

/** Compares the outcomes of two runs, without the parts that are left out of either. */
export function differencesOf(here: State, there: State, leftOut?: LeftOut): Difference[] {
  const [left, right] = [normalise(here, leftOut), normalise(there, leftOut)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((object) => {
    const [mine, other] = [left.get(object), right.get(object)];
    const named = { object, of: (mine ?? other) as KubernetesObject };
    if (mine === undefined || other === undefined)
      return [{ ...named, field: undefined, here: mine, there: other }];
    return fieldsOf(mine, other, "").map((difference) => ({ ...named, ...difference }));
  });
}

/** Returns objects by name, without values that differ from run to run: uids, revisions, times, generated names. */
function normalise({ objects: inCluster, external }: State, leftOut?: LeftOut): Map<string, unknown> {
  const objects = [...inCluster, ...externalObjects(external)];
  const uids = new Map([
    ...(leftOut?.formerUids ?? []),
    ...inCluster.map((object) => [object.metadata.uid ?? "", `uid of ${refTextOf(object)}`] as const),
  ]);
  const names = new Map(
    objects.flatMap(({ metadata: { name = "", generateName } }) =>
      isGenerated(name, generateName) ? [[name, `${generateName}*`] as const] : [],
    ),
  );
  const texts = { whole: new Map([...uids, ...names]), starts: uidPrefixes(uids) };
  const compared = objects.filter((object) => !leftOut?.objects.has(object));
  const plain = compared.map((whole) => {
    const object = leftOut?.statuses.has(whole) ? { ...whole, status: undefined } : whole;
    const { namespace, name = "" } = object.metadata;
    const ref = refText({ ...refOf(object), namespace, name: replaceRunTexts(name, texts) });
    return { ref, value: stripIncidental(object, "", texts) };
  });
  const result = new Map<string, unknown>();
  for (const { ref, value } of plain.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))) {
    let key = ref;
    for (let index = 2; result.has(key); index++) key = `${ref} (${index})`;
    result.set(key, value);
  }
  return result;
}

/** Returns whether the API server generated a name, by five more characters. A StatefulSet numbers its pods instead. */
function isGenerated(name: string, generateName: string | undefined): generateName is string {
  return generateName !== undefined && name.slice(0, -5) === generateName.slice(0, 58);
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function uidPrefixes(uids: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...uids].flatMap(([uid, text]) => (uuid.test(uid) ? [[uid.slice(0, 8), text]] : [])));
}

const uidOrStart = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Replacements of texts that differ from run to run. */
interface Texts {
  readonly whole: ReadonlyMap<string, string>;
  /** Replacements by the first digits of a uid, which names are made of. */
  readonly starts: ReadonlyMap<string, string>;
}

function replaceRunTexts(value: string, { whole, starts }: Texts): string {
  if (time.test(value)) return "a time";
  return whole.get(value) ?? value.replace(uidOrStart, (uid) => starts.get(uid.slice(0, 8)) ?? uid);
}

/** Fields that may differ between runs with the same outcome: the server counts or allocates them. */
const incidentalFields = new Set([
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.managedFields",
  "metadata.creationTimestamp",
  "metadata.deletionTimestamp",
  "metadata.annotations.deployment.kubernetes.io/revision",
  "metadata.annotations.deprecated.daemonset.template.generation",
  "spec.clusterIP",
  "spec.clusterIPs",
  "status.observedGeneration",
]);

function stripIncidental(value: unknown, path: string, texts: Texts): unknown {
  if (typeof value === "string") return parseJsonText(replaceRunTexts(value, texts));
  if (Array.isArray(value)) return value.map((each) => stripIncidental(each, `${path}[]`, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const at = path === "" ? name : `${path}.${name}`;
      const isIncidental =
        incidentalFields.has(at) || at.endsWith("[].nodePort") || at.endsWith("[].observedGeneration");
      return isIncidental ? [] : [[name, stripIncidental(each, at, texts)]];
    }),
  );
}

/** Parses JSON in a text, since the order of its keys may differ between runs. */
function parseJsonText(text: string): unknown {
  if (!text.startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Describes a difference, as what is wrong with `here`. */
export function differenceText({ object, field, here, there }: Difference): string {
  if (field === undefined)
    return here === undefined ? `${object} is missing` : `${object} should not be there`;
  return `${object}: ${field} is ${textOf(here)}, not ${textOf(there)}`;
}

function textOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** Returns the innermost fields in which two values differ. Lists are compared as wholes. */
function fieldsOf(
  here: unknown,
  there: unknown,
  field: string,
): Pick<Difference, "field" | "here" | "there">[] {
  if (isEqual(here, there)) return [];
  if (!isObject(here) || !isObject(there)) return [{ field, here, there }];
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap((name) =>
    fieldsOf(here[name], there[name], field === "" ? name : `${field}.${name}`),
  );
}

/** The parts of an outcome that differ by chance, as two undisturbed runs show. */
export interface Chance {
  /** The fields that differ, by `nameOf`. */
  readonly fields: ReadonlySet<string>;
  /** The kinds and namespaces, by `groupOf`, whose objects have other names in each run. */
  readonly named: ReadonlySet<string>;
}

/** Returns what differs between two undisturbed runs, and so by chance. */
export function chanceOf(one: State, other: State, leftOut?: LeftOut): Chance {
  const differences = differencesOf(one, other, leftOut);
  const fields = differences.filter(({ field }) => field !== undefined).map(nameOf);
  const renamed = differences.filter((each) => findRenamed(each, differences) !== undefined);
  return { fields: new Set(fields), named: new Set(renamed.map(groupOf)) };
}

/** Returns the object and field of a difference as a key. */
export function nameOf({ object, field = "" }: Pick<Difference, "object" | "field">): string {
  return `${object} ${field}`;
}

/** Returns the differences between two outcomes that chance doesn't explain. */
export function differencesBesides(
  { fields, named }: Chance,
  here: State,
  there: State,
  leftOut?: LeftOut,
): Difference[] {
  const differences = differencesOf(here, there, leftOut).filter((each) => !fields.has(nameOf(each)));
  // Under a random name, each of the runs may have another object: it is the same as one whose content is the same.
  const random = new Set(differences.flatMap((each) => (named.has(groupOf(each)) ? [each.object] : [])));
  const [mine, others] = [here, there].map(
    (state) => new Map([...normalise(state, leftOut)].filter(([object]) => random.has(object))),
  ) as [Map<string, unknown>, Map<string, unknown>];
  for (const [object, content] of mine) {
    const [same] = [...others].find(([, other]) => isEqualButForName(content, other)) ?? [];
    if (same === undefined) continue;
    mine.delete(object);
    others.delete(same);
  }
  return differences.filter(({ object }) => !random.has(object) || mine.has(object) || others.has(object));
}

/** Returns an object that only the other state has, and that is the same but for its name. */
function findRenamed(one: Difference, among: readonly Difference[]): Difference | undefined {
  return among.find(
    (other) =>
      one.field === undefined &&
      other.field === undefined &&
      groupOf(one) === groupOf(other) &&
      ((isEqualButForName(one.here, other.there) && one.there === undefined && other.here === undefined) ||
        (isEqualButForName(one.there, other.here) && one.here === undefined && other.there === undefined)),
  );
}

function isEqualButForName(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && isEqual(withoutName(one), withoutName(other));
}

/** Returns an object without its name, which its own fields may have, too, as the id of what another system made. */
function withoutName(object: unknown): unknown {
  const { name = "" } = (object as { readonly metadata: { readonly name?: string } }).metadata;
  return JSON.parse(JSON.stringify(object).replaceAll(JSON.stringify(name), '""'));
}

/** Returns the kind and namespace of a difference: `ConfigMap.v1 default`. */
function groupOf({ object }: Difference): string {
  return object.slice(0, object.lastIndexOf("/"));
}
