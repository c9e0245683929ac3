import { findKind } from "@tsbuilder/apimachinery/kinds";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { Step } from "../contract/index.ts";
import { type FieldName, Random, fieldBelow } from "@tsbuilder/apimachinery/sample";
import { changeOf } from "./changes.ts";
import { type CRD, type CheckedKind, checkedKind, drawObject, type UserObject } from "./draw-object.ts";
import { isServerField, isWithin } from "./places.ts";

/** An object that the operator reads and somebody else keeps: what a spec names, such as a Secret. */
export interface OtherObject {
  readonly object: KubernetesObject;
  /** The test gives it, and stand-ins of other systems may know what is in it. */
  readonly isGiven: boolean;
  /** It may go away, and come back. Namespaces stay: they take everything in them along. */
  readonly mayGo: boolean;
  /** Changes what the operator reads of it. Undefined if the operator may not watch it, and so can't learn of changes. */
  readonly change: Change | undefined;
  /** Changes its labels, by which selectors find it or find it no longer. Undefined if given objects of its kind have none. */
  readonly relabel: Change | undefined;
}

type Change = (object: KubernetesObject, random: Random) => KubernetesObject | undefined;

/** The part of a project that other objects are found in. */
export interface ProjectObjects {
  readonly crd: CRD;
  /** All CRDs of the project. */
  readonly crds: readonly CRD[];
  readonly rules: readonly PolicyRule[];
  /** The objects that the test gives. */
  readonly objects: readonly KubernetesObject[];
  readonly namespaces: readonly string[];
  /** The values that the test gives. A field that has some gets no others. */
  readonly values: Readonly<Record<FieldName, readonly unknown[]>>;
}

/** The other objects of a project, and the values of the fields that name them. */
export interface OtherObjects {
  readonly others: readonly OtherObject[];
  readonly values: Readonly<Record<FieldName, readonly unknown[]>>;
}

/**
 * Finds the objects that the operator reads and doesn't write: those that the test gives, and those that fields such as
 * `spec.tokenSecret` and `spec.broker.name` name, which are made up in each namespace. Its role says what it reads. Secrets and
 * ConfigMaps that the test gives are read, even if the operator writes others. What the test gives with labels may be found by a
 * selector.
 */
export function otherObjectsOf(project: ProjectObjects): OtherObjects {
  const { crd, crds, rules, objects, namespaces } = project;
  const main = checkedKind(crd);
  const targets = [...builtinTargets, ...crds.filter((other) => other !== crd).map(targetOf)].filter(
    (target) => mayRead(target, rules),
  );
  const given = objects.filter((object) => {
    const target = targetOfObject(object, crds);
    if (!target || target.kind === main.kind || !mayRead(target, rules)) return false;
    // An operator that copies Secrets writes those of others no more than one that writes none.
    return isForKeys(target) || !mayWrite(target, rules);
  });
  const made = new Map<string, KubernetesObject>();
  const values = namesIn(main, project.values);
  const others = [...given, ...made.values()].map((object): OtherObject => {
    const { group, plural, checked } = targetOfObject(object, crds)!;
    const isWatched = allows(rules, "watch", group, plural);
    const isGiven = given.includes(object);
    return {
      object,
      isGiven,
      mayGo: object.kind !== "Namespace",
      change: isWatched ? changeFor(checked, checked && namesIn(checked, {})) : undefined,
      relabel:
        isGiven && isWatched ? relabelAmong(given.filter(({ kind }) => kind === object.kind)) : undefined,
    };
  });
  return { others, values };

  /** Makes the objects that the fields of a kind name. Returns the values of these fields. */
  function namesIn(
    kind: CheckedKind,
    taken: ProjectObjects["values"],
  ): Record<FieldName, readonly unknown[]> {
    const found: Record<FieldName, readonly unknown[]> = {};
    for (const reference of referencesIn(kind.schema)) {
      const target = targets.find((one) => isNamedBy(reference, one));
      if (!target || Object.keys(taken).some((outer) => isWithin(reference.field, outer))) continue;
      if (!reference.isKeyed && mayWrite(target, rules)) continue;
      const present = given.filter(({ kind: name }) => name === target.kind);
      const names =
        present.length > 0
          ? [...new Set(present.map(({ metadata }) => metadata.name!))]
          : [...new Set([...reference.examples, "alpha", "beta"])].slice(0, 2);
      found[reference.field] = names;
      if (reference.isKeyed && present.length === 0)
        found[reference.field.replace(/name$/, "key")] = ["password", "token"];
      if (present.length === 0) for (const name of names) makeAll(target, name);
    }
    return found;
  }

  function makeAll(target: Target, name: string): void {
    const placements = target.isNamespaced
      ? namespaces.map((namespace) => ({ name, namespace }))
      : [{ name }];
    for (const metadata of placements) {
      const key = `${target.kind} ${metadata.name} ${"namespace" in metadata ? metadata.namespace : ""}`;
      if (made.has(key)) continue;
      if (!target.checked) {
        made.set(key, keyValues(target, metadata));
        continue;
      }
      const inner = namesIn(target.checked, {});
      const drawing = { random: new Random(1).fork(key), values: inner, optional: 0.5 };
      const object = drawObject(target.checked, metadata, drawing);
      if (object) made.set(key, object);
    }
  }
}

/** A kind of objects that fields may name. */
interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Undefined for kinds of Kubernetes. */
  readonly checked?: CheckedKind;
}

const builtinTargets: readonly Target[] = [
  { apiVersion: "v1", kind: "Secret", group: "", plural: "secrets", isNamespaced: true },
  { apiVersion: "v1", kind: "ConfigMap", group: "", plural: "configmaps", isNamespaced: true },
];

/** Returns whether objects of a kind hold keys and values. */
function isForKeys({ kind, group }: Target): boolean {
  return builtinTargets.some((target) => target.kind === kind && target.group === group);
}

function targetOf(crd: CRD): Target {
  const checked = checkedKind(crd);
  const { apiVersion, kind, isNamespaced } = checked;
  return {
    apiVersion,
    kind,
    isNamespaced,
    group: crd.spec.group,
    plural: crd.spec.names.plural,
    checked,
  };
}

function targetOfObject({ apiVersion, kind }: KubernetesObject, crds: readonly CRD[]): Target | undefined {
  if (kind === "CustomResourceDefinition") return undefined;
  const [version, group = ""] = apiVersion.split("/").toReversed() as [string, string?];
  const crd = crds.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  if (crd) return targetOf(crd);
  const builtin = findKind({ group, version }, kind);
  if (!builtin) return undefined;
  return { apiVersion, kind, group, plural: builtin.plural, isNamespaced: builtin.scope === "Namespaced" };
}

const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "update", "patch", "delete", "deletecollection"];

function mayRead({ group, plural }: Target, rules: readonly PolicyRule[]): boolean {
  return readVerbs.some((verb) => allows(rules, verb, group, plural));
}

/** Returns whether the operator may write objects of a kind: what it writes is its own. */
function mayWrite({ group, plural }: Target, rules: readonly PolicyRule[]): boolean {
  return writeVerbs.some((verb) => allows(rules, verb, group, plural));
}

function allows(rules: readonly PolicyRule[], verb: string, group: string, resource: string): boolean {
  const has = (list: readonly string[] = [], wanted: string): boolean =>
    list.includes(wanted) || list.includes("*");
  return rules.some(
    ({ verbs, apiGroups, resources }) =>
      has(verbs, verb) && has(apiGroups, group) && has(resources, resource),
  );
}

/** A field that may name an object. */
interface Reference {
  readonly field: FieldName;
  /** The name in the field that says the kind, without endings such as `Ref`: `tokenSecret`. */
  readonly about: string;
  /** The field stands beside a key, as in a `SecretKeySelector`: it is no name that the operator should give. */
  readonly isKeyed: boolean;
  readonly examples: readonly string[];
}

/** The depth of the innermost fields that are looked at. */
const mostDepth = 6;

/** Returns the fields of a schema that hold texts and may name objects. */
function referencesIn(schema: JSONSchema): Reference[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !isServerField(name))
    .flatMap(([name, one]) => referencesBelow(name, [name], one, schema));
}

function referencesBelow(
  field: FieldName,
  names: readonly string[],
  schema: JSONSchema,
  parent: JSONSchema,
): Reference[] {
  if (names.length > mostDepth || schema["x-kubernetes-embedded-resource"]) return [];
  if (schema.type === "string") {
    const last = names.at(-1)!;
    const about = last === "name" ? (names.at(-2) ?? last) : last;
    const examples = typeof schema.example === "string" ? [schema.example] : [];
    const isKeyed = last === "name" && parent.properties?.["key"] !== undefined;
    return [{ field, about: withoutEnding(about), isKeyed, examples }];
  }
  const inner = itemsOf(schema) ?? valuesOf(schema);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      referencesBelow(fieldBelow(field, name), [...names, name], one, schema),
    ),
    ...(inner ? referencesBelow(fieldBelow(field), names, inner, schema) : []),
  ];
}

/** Returns a name without what says that it is a reference: `tokenSecret` for `tokenSecretRef`, `tokenSecretName`. */
function withoutEnding(name: string): string {
  return name.replace(/s$/, "").replace(/(?:Key)?(?:Selector|Reference|Ref|Name)$/, "");
}

function isNamedBy({ about }: Reference, { kind }: Target): boolean {
  return about.toLowerCase().endsWith(kind.toLowerCase());
}

/** The keys of Secrets and ConfigMaps that are made up: those that operators mostly read. */
const usualKeys = ["username", "password", "token", "url", "ca.crt", "tls.crt", "tls.key"];

function keyValues({ apiVersion, kind }: Target, metadata: UserObject["metadata"]): KubernetesObject {
  const text = (key: string): string => `${key} of ${metadata.name}`;
  const encode = kind === "Secret" ? btoa : (plain: string) => plain;
  const data = Object.fromEntries(usualKeys.map((key) => [key, encode(text(key))]));
  return { apiVersion, kind, metadata, data } as KubernetesObject;
}

/** What Secrets and ConfigMaps hold. */
interface KeyValues {
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

/** Returns what changes an object: another value of its data, one valid change of a custom resource, or a label. */
function changeFor(checked: CheckedKind | undefined, values: ProjectObjects["values"] = {}): Change {
  if (checked)
    return (object, random) =>
      changeOf(checked, object as UserObject, { random, values, optional: 0.5 })?.object;
  return (object, random) => {
    const { data, stringData, metadata } = object as KubernetesObject & KeyValues;
    const texts = stringData ?? data;
    const value = `changed-${random.integer(1, 9)}`;
    if (!texts || Object.keys(texts).length === 0)
      return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, changed: value } } };
    const isEncoded = object.kind === "Secret" && texts === data;
    // Which of them the operator reads isn't known: all values change, or one.
    const keys = Object.keys(texts);
    const changing = random.chance(0.5) ? keys : [random.pick(keys)];
    const changed = Object.fromEntries(changing.map((key) => [key, isEncoded ? btoa(value) : value]));
    return { ...object, [stringData ? "stringData" : "data"]: { ...texts, ...changed } };
  };
}

/** Returns a change that takes a label from an object, or gives it one that another of the objects has. Undefined if none has any. */
function relabelAmong(objects: readonly KubernetesObject[]): Change | undefined {
  const labels = objects.flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}));
  if (labels.length === 0) return undefined;
  return (object, random) => {
    const { [random.pick(labels)[0]]: taken, ...others } = object.metadata.labels ?? {};
    const [key, value] = random.pick(labels);
    const changed = taken === undefined ? { ...object.metadata.labels, [key]: value } : others;
    return { ...object, metadata: { ...object.metadata, labels: changed } };
  };
}

/** Milliseconds after which the operator has noticed what has happened, even if its events are late, or it was away. */
export const noticeTime = 60_000;

/** The other objects of one plan: users delete them, change them, and put them back. */
export class OtherObjectsInPlan {
  readonly #random: Random;
  /** The contents to which each is put back: as the test gives it, but for its labels. */
  readonly #usual: Map<OtherObject, KubernetesObject>;
  /** The present contents of each; undefined while it is deleted, or empty. */
  readonly #contents: Map<OtherObject, KubernetesObject | undefined>;
  /** What the operator may need to clean up for an object that was deleted, or names it no longer. */
  readonly #cleanedUpWith = new Set<OtherObject>();

  constructor(others: readonly OtherObject[], random: Random) {
    this.#random = random;
    this.#usual = new Map(others.map((other) => [other, other.object]));
    this.#contents = new Map(this.#usual);
  }

  /** Deletes something that a new object names, which comes late therefore; in some plans. */
  comeLate(object: UserObject): OtherStep | undefined {
    const named = this.#usableOf([object]);
    return named.length > 0 && this.#random.chance(0.3) ? this.#delete(this.#random.pick(named)) : undefined;
  }

  /**
   * Draws a step about something that the objects name: it goes away, comes back, or changes. What they don't name gets other
   * labels. Mostly there is none.
   */
  step(objects: readonly UserObject[]): OtherStep | undefined {
    const random = this.#random;
    const strange = [...this.#contents.keys()].filter((other) => this.#isStrange(other));
    if (strange.length > 0 && random.chance(0.5)) return this.#putBack(random.pick(strange));
    const relabelled = this.#relabel(objects);
    if (relabelled) return relabelled;
    const named = this.#usableOf(objects);
    if (named.length === 0 || !random.chance(0.25)) return undefined;
    const other = random.pick(named);
    return this.#change(other) ?? this.#empty(other) ?? this.#delete(other);
  }

  /** Puts everything back. */
  restore(): OtherStep[] {
    return [...this.#contents.keys()].flatMap((other) =>
      this.#isStrange(other) ? [this.#putBack(other)] : [],
    );
  }

  /**
   * Puts everything back before an object that names some of it is deleted, or names it no longer: an operator can't clean up
   * for an object whose credentials, say, are gone.
   */
  restoreFor(object: UserObject, next?: UserObject): OtherStep[] {
    const kept = next ? this.#namedBy([next]) : [];
    const needed = this.#namedBy([object]).filter((other) => !kept.includes(other));
    for (const other of needed) this.#cleanedUpWith.add(other);
    return needed.some((other) => this.#isStrange(other)) ? this.restore() : [];
  }

  /** Returns whether an object is gone or empty, or is other than the test gave it. */
  #isStrange(other: OtherObject): boolean {
    const content = this.#contents.get(other);
    return !content || (other.isGiven && content !== this.#usual.get(other));
  }

  #delete(other: OtherObject): OtherStep {
    this.#contents.set(other, undefined);
    const { apiVersion, kind, metadata } = other.object;
    const { name = "", namespace } = metadata;
    const target = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
    const why = `deletes the ${kind} ${name}`;
    return { do: "delete", target, why, strange: true, ...this.#afterCleanup(other) };
  }

  /** Takes away what the operator looks for in an object, in every second case, if it has data: all of it, or one value. */
  #empty(other: OtherObject): OtherStep | undefined {
    const random = this.#random;
    const { data, stringData, ...rest } = this.#contents.get(other) as KubernetesObject & KeyValues;
    const texts = data ?? stringData ?? {};
    const keys = Object.keys(texts);
    if (keys.length === 0 || !random.chance(0.5)) return undefined;
    this.#contents.set(other, undefined);
    const place = data ? "data" : "stringData";
    const name = `the ${rest.kind} ${rest.metadata.name}`;
    const key = random.pick(keys);
    const { [key]: _, ...others } = texts;
    const [object, why] = random.pick([
      [rest, `empties ${name}`],
      [{ ...rest, [place]: others }, `removes ${key} from ${name}`],
      [{ ...rest, [place]: { ...texts, [key]: "" } }, `empties ${key} in ${name}`],
    ] as const);
    return { do: "apply", object, why, strange: true, ...this.#afterCleanup(other) };
  }

  #putBack(other: OtherObject): OtherStep {
    const object = this.#usual.get(other)!;
    this.#contents.set(other, object);
    const { kind, metadata } = object;
    return {
      do: "apply",
      object,
      why: `puts the ${kind} ${metadata.name} back`,
      ...this.#soon(),
    };
  }

  /** Changes an object in every second case, if the operator can learn of it. */
  #change(other: OtherObject): OtherStep | undefined {
    const object = this.#random.chance(0.5)
      ? other.change?.(this.#contents.get(other)!, this.#random)
      : undefined;
    if (!object) return undefined;
    this.#contents.set(other, object);
    const why = `changes the ${object.kind} ${object.metadata.name}`;
    const after = this.#cleanedUpWith.has(other) && this.#afterCleanup(other);
    return { do: "apply", object, why, ...after, ...(other.isGiven && { strange: true }) };
  }

  /** Gives other labels to something that a selector may find. It keeps them: whatever labels it has, the operator must cope. */
  #relabel(objects: readonly UserObject[]): OtherStep | undefined {
    const random = this.#random;
    const found = [...this.#contents.keys()].filter((other) => other.relabel && !this.#isStrange(other));
    if (found.length === 0 || !random.chance(0.2)) return undefined;
    const named = this.#namedBy(objects);
    const unnamed = found.filter((other) => !named.includes(other));
    if (unnamed.length === 0) return undefined;
    const other = random.pick(unnamed);
    const object = other.relabel!(this.#usual.get(other)!, random)!;
    this.#usual.set(other, object);
    this.#contents.set(other, object);
    const { kind, metadata } = object;
    const labels = JSON.stringify(metadata.labels);
    return {
      do: "apply",
      object,
      why: `labels the ${kind} ${metadata.name} with ${labels}`,
      ...this.#soon(),
    };
  }

  /** The step follows soon, but not before the operator has cleaned up with the object. */
  #afterCleanup(other: OtherObject): { readonly after: number } {
    return this.#cleanedUpWith.delete(other) ? { after: noticeTime } : this.#soon();
  }

  /** The step follows before the operator has waited for long. */
  #soon(): { readonly after: number } {
    return { after: Math.round(this.#random.pick([50, 2000, 8000]) * this.#random.next()) };
  }

  /**
   * Returns what may change, of what objects name. What the operator cleans up with changes late, and not while the errors last
   * that something strange leads to.
   */
  #usableOf(objects: readonly UserObject[]): OtherObject[] {
    const isStrange = [...this.#contents.keys()].some((other) => this.#isStrange(other));
    return this.#namedBy(objects).filter(
      (other) => this.#contents.get(other) && !(isStrange && this.#cleanedUpWith.has(other)),
    );
  }

  /** Returns the other objects that objects name, and those that these name. */
  #namedBy(objects: readonly UserObject[]): OtherObject[] {
    const named = new Set<OtherObject>();
    const texts = objects.map((object) => ({ text: JSON.stringify(object), ...object.metadata }));
    for (let at = 0; at < texts.length; at++) {
      const { text, namespace } = texts[at]!;
      for (const other of this.#contents.keys()) {
        const { metadata } = other.object;
        // An object of the cluster names what is in namespaces, too.
        const isNear =
          [metadata.namespace, namespace].includes(undefined) || metadata.namespace === namespace;
        if (!isNear || !other.mayGo || named.has(other) || !text.includes(`"${metadata.name}"`)) continue;
        named.add(other);
        texts.push({ text: JSON.stringify(other.object), name: metadata.name!, ...metadata });
      }
    }
    return [...named];
  }
}

type OtherStep = Extract<Step, { do: "apply" | "delete" }> & { readonly why: string };
