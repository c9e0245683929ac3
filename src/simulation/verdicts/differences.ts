import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { Service } from "@tsbuilder/apimachinery/k8s/core/v1";
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
  /** The field that has the value `there`, if both should have the same. */
  readonly as?: Pick<Difference, "object" | "of" | "field">;
}

/** Compares the outcomes of two runs, without the parts that are left out of either. */
export function differencesOf(here: State, there: State, leftOut?: LeftOut): Difference[] {
  const [left, right] = [normalise(here, leftOut), normalise(there, leftOut)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((object) => {
    const [mine, other] = [left.get(object), right.get(object)];
    const named = { object, of: (mine ?? other)!.value };
    if (mine === undefined || other === undefined)
      return [{ ...named, field: undefined, here: mine?.value, there: other?.value }];
    const fields = [...fieldsOf(mine.value, other.value, ""), ...podFieldsOf(mine.outdated, other.outdated)];
    return fields.map((difference) => ({ ...named, ...difference }));
  });
}

/** An object without values that differ from run to run. */
interface Normalised {
  readonly value: KubernetesObject;
  /** What its pods run with that was replaced since. */
  readonly outdated: readonly string[];
}

/** Returns objects by name, without values that differ from run to run: uids, revisions, times, generated names. */
function normalise(
  { objects: inCluster, external, outdated }: State,
  leftOut?: LeftOut,
): Map<string, Normalised> {
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
  const nodePorts = new Set(inCluster.flatMap(nodePortsOf));
  const texts = { whole: new Map([...uids, ...names]), starts: uidPrefixes(uids), nodePorts };
  const compared = objects.filter((object) => !leftOut?.objects.has(object));
  const plain = compared.map((whole) => {
    const object = leftOut?.statuses.has(whole) ? { ...whole, status: undefined } : whole;
    const { namespace, name = "" } = object.metadata;
    const ref = refText({ ...refOf(object), namespace, name: replaceRunTexts(name, texts) });
    const value = stripIncidental(object, "", texts) as KubernetesObject;
    return { ref, value, outdated: outdated?.get(object.metadata.uid ?? "") ?? [] };
  });
  const result = new Map<string, Normalised>();
  for (const { ref, ...object } of plain.toSorted((a, b) =>
    JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
  )) {
    let key = ref;
    for (let index = 2; result.has(key); index++) key = `${ref} (${index})`;
    result.set(key, object);
  }
  return result;
}

/** Names the things that external systems hold, alike in all runs. */
export function namesOutside({ external, ...state }: State): Map<string, KubernetesObject> {
  const outside = [...normalise({ external, ...state })].filter(
    ([, { value }]) => value.apiVersion === "external",
  );
  return new Map(outside.map(([name, { value }]) => [name, value]));
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
  /** Numbers that the server allocated, which a status may repeat. */
  readonly nodePorts: ReadonlySet<number>;
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

function nodePortsOf(object: KubernetesObject): number[] {
  if (object.kind !== "Service") return [];
  return ((object as Service).spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []);
}

function stripIncidental(value: unknown, path: string, texts: Texts): unknown {
  if (typeof value === "number") return texts.nodePorts.has(value) ? "a node port" : value;
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
export function differenceText({ object, field, here, there, as }: Difference): string {
  if (field === undefined)
    return here === undefined ? `${object} is missing` : `${object} should not be there`;
  const source = as ? `, as ${as.field} of ${as.object} is` : "";
  return `${object}: ${field} is ${textOf(here)}, not ${textOf(there)}${source}`;
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

/** Returns what is outdated in the pods of one of two objects only, as fields below `pods`. */
function podFieldsOf(
  here: readonly string[],
  there: readonly string[],
): Pick<Difference, "field" | "here" | "there">[] {
  const textIn = (names: readonly string[], name: string): string =>
    names.includes(name) ? former : "up to date";
  return [...new Set([...here, ...there])]
    .filter((name) => here.includes(name) !== there.includes(name))
    .map((name) => ({ field: `pods.${name}`, here: textIn(here, name), there: textIn(there, name) }));
}

/** The value of a field of pods that run with what was replaced since. */
const former = "outdated";

/** Returns whether a difference is to the good: pods that were restarted by chance have what others should have. */
function isBetter({ field = "", there }: Difference): boolean {
  return field.startsWith("pods.") && there === former;
}

/** The parts of an outcome that differ by chance, as two undisturbed runs show. */
export interface Chance {
  /** The fields that differ, by `nameOf`. */
  readonly fields: ReadonlySet<string>;
  /** The kinds and namespaces, by `groupOf`, whose objects have other names in each run. */
  readonly named: ReadonlySet<string>;
  /** Fields that differ, and that are alike in each of the two: a random password, and what a server was told of it. */
  readonly pairs: readonly Pair[];
}

type Pair = readonly [one: Difference, other: Difference];

/** Returns what differs between two undisturbed runs, and so by chance. */
export function chanceOf(one: State, other: State, leftOut?: LeftOut): Chance {
  const differences = differencesOf(one, other, leftOut);
  const fields = differences.filter(({ field }) => field !== undefined).map(nameOf);
  const renamed = differences.filter((each) => findRenamed(each, differences) !== undefined);
  return { fields: new Set(fields), named: new Set(renamed.map(groupOf)), pairs: pairsIn(differences) };
}

/** The least length of a text that two fields don't have in common by accident. */
const leastLength = 10;

/** Finds the fields that differ between two states, and that have the same text as a field of a Secret in both. */
function pairsIn(differences: readonly Difference[]): Pair[] {
  const first = new Map<string, Difference>();
  return differences.flatMap((difference): Pair[] => {
    const texts = [difference.here, difference.there].map((value) => plainText(difference, value));
    if (!texts.every((text) => text !== undefined && text.length >= leastLength)) return [];
    const one = first.get(JSON.stringify(texts));
    if (!one) first.set(JSON.stringify(texts), difference);
    return one && (isSecret(one) || isSecret(difference)) ? [[one, difference]] : [];
  });
}

/** Returns the text in a field; undefined if it holds none. That in a Secret's data is encoded. */
function plainText({ of, field = "" }: Pick<Difference, "of" | "field">, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return isSecret({ of, field }) ? Buffer.from(value, "base64").toString() : value;
}

function isSecret({ of, field = "" }: Pick<Difference, "of" | "field">): boolean {
  return of.kind === "Secret" && field.startsWith("data.");
}

/** Returns the pairs of fields that should be alike, and aren't in a state. */
function unlikeIn(state: State, { pairs }: Chance, leftOut: LeftOut | undefined): Difference[] {
  if (pairs.length === 0) return [];
  const objects = normalise(state, leftOut);
  const textAt = (place: Difference): string | undefined =>
    plainText(place, valueAt(objects.get(place.object)?.value, place.field ?? ""));
  return pairs.flatMap(([one, other]): Difference[] => {
    const [here, there] = [textAt(one), textAt(other)];
    if (here === undefined || there === undefined || here === there) return [];
    const { object, of, field } = other;
    return [{ object: one.object, of: one.of, field: one.field, here, there, as: { object, of, field } }];
  });
}

/** Returns the value of a field as differences name it: names of fields may have dots. */
function valueAt(value: unknown, field: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, field)) return value[field];
  const outer = Object.keys(value).filter((name) => field.startsWith(`${name}.`));
  return outer
    .map((name) => valueAt(value[name], field.slice(name.length + 1)))
    .find((found) => found !== undefined);
}

/** Returns the object and field of a difference as a key. */
export function nameOf({ object, field = "" }: Pick<Difference, "object" | "field">): string {
  return `${object} ${field}`;
}

/** Returns the differences between two outcomes that chance doesn't explain. */
export function differencesBesides(
  chance: Chance,
  here: State,
  there: State,
  leftOut?: LeftOut,
): Difference[] {
  const { fields, named } = chance;
  const differences = differencesOf(here, there, leftOut).filter(
    (each) => !fields.has(nameOf(each)) && !isBetter(each),
  );
  const random = new Set(differences.flatMap((each) => (named.has(groupOf(each)) ? [each.object] : [])));
  const unmatched = random.size === 0 ? random : unmatchedIn(random, here, there, leftOut);
  return [
    ...differences.filter(({ object }) => !random.has(object) || unmatched.has(object)),
    ...unlikeIn(here, chance, leftOut),
  ];
}

/**
 * Returns those of the objects with random names that the other state lacks. Under a random name, each of the runs may have another
 * object: it is the same as one whose content is the same.
 */
function unmatchedIn(random: ReadonlySet<string>, here: State, there: State, leftOut?: LeftOut): Set<string> {
  const [mine, others] = [here, there].map(
    (state) => new Map([...normalise(state, leftOut)].filter(([object]) => random.has(object))),
  ) as [Map<string, Normalised>, Map<string, Normalised>];
  for (const [object, { value, outdated }] of mine) {
    const [same] =
      [...others].find(
        ([, other]) => isEqualButForName(value, other.value) && isEqual(outdated, other.outdated),
      ) ?? [];
    if (same === undefined) continue;
    mine.delete(object);
    others.delete(same);
  }
  return new Set([...mine.keys(), ...others.keys()]);
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
  return JSON.parse(JSON.stringify(object), (_key, value: unknown) => (value === name ? "" : value));
}

/** Returns the kind and namespace of a difference: `ConfigMap.v1 default`. */
function groupOf({ object }: Difference): string {
  return object.slice(0, object.lastIndexOf("/"));
}
