// Reads what a cluster tells about an object. Whatever can't be read, such as for lack of a permission, is named in the
// explanation, and nothing else fails.

import { ApiError, type Client, type Kind, type KubernetesObject, metadataOnly } from "@tsbuilder/runtime";
import { Event, Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import { compareText } from "@tsbuilder/apimachinery/text";
import { TsbuilderError } from "../../shared/errors.ts";
import { listWords } from "../../shared/text.ts";
import { keyName, type Recorded, summarizeEvent } from "../record/recorded.ts";
import type { OperatorChoice } from "../operator/find-deployment.ts";
import { findKind } from "../running-session.ts";
import { derivedKinds } from "../view/owned-objects.ts";
import { fieldManagersOf } from "./field-managers.ts";
import { type ChildFact, type EventFact, type ObjectFacts, type OwnerFact, Unknown } from "./object-facts.ts";
import { readOperator } from "./read-operator.ts";

/** Names an object of a cluster. */
export interface ObjectName {
  /** A kind or plural, with or without its group: `mysql`, `deployments.apps`. */
  readonly kind: string;
  /** Ignored for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
}

export interface FactSources {
  readonly client: Client;
  readonly now: number;
  readonly record?: readonly Recorded[] | undefined;
  /** How to find the operator's Deployment; undefined if the operator runs on this machine. */
  readonly operator?: OperatorChoice | undefined;
}

/** The number of objects of a kind among which owned ones are looked for, of owned ones, and of owners in a row. */
const [mostSearched, mostChildren, mostOwners] = [2000, 60, 5];

/** Reads what can be known about an object. Throws a `NOT_FOUND` if it doesn't exist. */
export async function readFacts(wanted: ObjectName, sources: FactSources): Promise<ObjectFacts> {
  const { client, now } = sources;
  const unknown = new Unknown();
  const kind = await findKind(client, wanted.kind);
  const object = await readObject(client, kind, wanted);
  const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  const [owners, children, isNamespaceEnding, operator] = await Promise.all([
    readOwners(client, object, unknown),
    readChildren(client, object, unknown),
    isEnding(client, object.metadata.namespace, unknown),
    sources.operator && readOperator(client, nameManagers(sources.operator, object), object, unknown),
  ]);
  const events = await readEvents(client, object, children, unknown);
  const record = sources.record ?? operator?.record;
  if (record === undefined)
    unknown.add("what the operator's last reconciles did, and why they ran: there is no record of them");
  const facts = { now, resource, object, owners, children, events, isNamespaceEnding, record };
  return { ...facts, operator: operator?.fact, log: operator?.log, unknown: unknown.reasons };
}

async function readObject(
  client: Client,
  kind: Kind,
  { namespace, name }: ObjectName,
): Promise<KubernetesObject> {
  const key = kind.scope === "Namespaced" ? { namespace, name } : { name };
  const found = await findWhole(client, kind, key);
  if (found) return found;
  const others = await client.list(metadataOnly(kind), { namespace: key.namespace, limit: 10 });
  const where = key.namespace === undefined ? "the cluster" : `namespace "${namespace}"`;
  const names = others.map(({ metadata }) => metadata.name);
  throw new TsbuilderError(`${where} has no ${kind.kind} "${name}"`, {
    code: "NOT_FOUND",
    hint: names.length > 0 ? `it has ${names.join(", ")}` : `it has no ${kind.kind} at all`,
  });
}

/** Reads an object; a Secret without its values, which no explanation needs. */
async function findWhole(
  client: Client,
  kind: Kind,
  key: { readonly namespace?: string | undefined; readonly name: string },
): Promise<KubernetesObject | undefined> {
  if (kind.kind !== "Secret") return client.find(kind, key);
  const found = await client.find(metadataOnly(kind), key);
  return found && { ...found, apiVersion: kind.apiVersion, kind: kind.kind };
}

/** The managers that write an object's status have the name of their operator. */
function nameManagers(choice: OperatorChoice, object: KubernetesObject): OperatorChoice {
  const writers = fieldManagersOf(object).filter(({ subresource }) => subresource === "status");
  return { ...choice, names: [...new Set([...choice.names, ...writers.map(({ manager }) => manager)])] };
}

async function readOwners(client: Client, object: KubernetesObject, unknown: Unknown): Promise<OwnerFact[]> {
  const owners: OwnerFact[] = [];
  let { metadata } = object;
  while (owners.length < mostOwners) {
    const references = metadata.ownerReferences ?? [];
    const reference = references.find(({ controller }) => controller === true) ?? references[0];
    if (!reference) break;
    const { kind, apiVersion, name, uid } = reference;
    const read = async (): Promise<OwnerFact> => {
      const known = await client.mapper.kindFor({ apiVersion, kind });
      const key = known.scope === "Namespaced" ? { namespace: metadata.namespace, name } : { name };
      const found = await findWhole(client, known, key);
      return { kind, key: keyName(key), object: found?.metadata.uid === uid ? found : undefined };
    };
    const owner = await unknown.read(`the owner ${kind} ${name}`, read, undefined);
    if (!owner) break;
    owners.push(owner);
    if (!owner.object) break;
    metadata = owner.object.metadata;
  }
  return owners;
}

/**
 * Finds what an object owns, and what that owns. Owner references lead up only, so the metadata of all kinds is read: in the
 * object's namespace, as nothing else can refer to a namespaced owner.
 */
async function readChildren(
  client: Client,
  object: KubernetesObject,
  unknown: Unknown,
): Promise<ChildFact[]> {
  const kinds = await client.mapper.kinds();
  const { namespace } = object.metadata;
  const searched = kinds.filter(
    ({ kind, scope }) =>
      kind !== "Event" && !derivedKinds.has(kind) && (namespace === undefined || scope === "Namespaced"),
  );
  const byOwner = new Map<
    string,
    { readonly kind: Kind; readonly metadata: KubernetesObject["metadata"] }[]
  >();
  const refused: string[] = [];
  const search = async (kind: Kind): Promise<void> => {
    try {
      const found = await client.list(metadataOnly(kind), { namespace, limit: mostSearched });
      if (found.length === mostSearched)
        unknown.add(`what is owned among ${kind.plural}: only ${mostSearched} of them were looked through`);
      for (const { metadata } of found)
        for (const { uid } of metadata.ownerReferences ?? [])
          byOwner.set(uid, [...(byOwner.get(uid) ?? []), { kind, metadata }]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Some kinds, such as reviews, can only be created.
      if (error.isForbidden) refused.push(kind.plural);
    }
  };
  await Promise.all(searched.map(search));
  if (refused.length > 0)
    unknown.add(`what is owned among ${listWords(refused.sort(), "and")}: you may not list them`);
  const below = (
    uid: string | undefined,
    depth: number,
  ): { kind: Kind; metadata: KubernetesObject["metadata"]; depth: number }[] =>
    // Nobody checks owner references, so a cycle is possible.
    depth > mostOwners
      ? []
      : (byOwner.get(uid ?? "") ?? [])
          .toSorted(
            (a, b) =>
              compareText(a.kind.kind, b.kind.kind) || compareText(keyName(a.metadata), keyName(b.metadata)),
          )
          .flatMap((child) => [{ ...child, depth }, ...below(child.metadata.uid, depth + 1)]);
  const found = below(object.metadata.uid, 1);
  if (found.length > mostChildren)
    unknown.add(`how all of the ${found.length} owned objects stand: the first ${mostChildren} were read`);
  const read = await Promise.all(
    found.slice(0, mostChildren).map(async ({ kind, metadata, depth }): Promise<ChildFact[]> => {
      const { namespace: place, name = "" } = metadata;
      const whole = await unknown.read(
        `the ${kind.plural} that it owns`,
        () => findWhole(client, kind, place === undefined ? { name } : { namespace: place, name }),
        undefined,
      );
      return whole ? [{ object: whole, depth }] : [];
    }),
  );
  return read.flat();
}

async function isEnding(client: Client, namespace: string | undefined, unknown: Unknown): Promise<boolean> {
  if (namespace === undefined) return false;
  const found = await unknown.read(
    "whether the namespace is being deleted",
    () => client.find(metadataOnly(Namespace), { name: namespace }),
    undefined,
  );
  return found?.metadata.deletionTimestamp != null;
}

/** Reads the Events about an object, and the warnings about what it owns. */
async function readEvents(
  client: Client,
  object: KubernetesObject,
  children: readonly ChildFact[],
  unknown: Unknown,
): Promise<EventFact[]> {
  const { uid = "", namespace = "default" } = object.metadata;
  const list = (fields: Readonly<Record<string, string>>) =>
    unknown.read("the Events", () => client.list(Event, { namespace, fields, limit: mostSearched }), []);
  const uids = new Set(children.map((child) => child.object.metadata.uid));
  const [own, warnings] = await Promise.all([
    list({ "involvedObject.uid": uid }),
    uids.size === 0 ? [] : list({ type: "Warning" }),
  ]);
  const below = warnings.filter(({ involvedObject }) => uids.has(involvedObject.uid));
  return [...own, ...below]
    .flatMap((event): EventFact[] => {
      const summary = summarizeEvent({ resource: "events", object: event });
      if (!summary) return [];
      const { isWarning, reason, text, times, regarding = {} } = summary;
      const { lastTimestamp, eventTime, series, metadata } = event;
      const last = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
      const { kind = "", namespace: place, name } = regarding;
      const about = `${kind} ${keyName({ namespace: place || undefined, name })}`;
      return [{ isWarning, reason, text, times, at: Date.parse(last), about }];
    })
    .sort((a, b) => a.at - b.at);
}
