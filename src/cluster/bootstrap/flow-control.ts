import { isEqual, isObject, type JSONValue } from "@tsbuilder/apimachinery/json";
import type { ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import { mandatory, suggested } from "../kinds/flowcontrol/configurations.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { Core } from "../registry/core.ts";
import { storeBootstrapObjects } from "./bootstrap.ts";

const producer = "api-priority-and-fairness-config-producer-v1";

/** The time that the real server may take to notice a change. */
const period = 60_000;
const group = "flowcontrol.apiserver.k8s.io";

const resources = {
  PriorityLevelConfiguration: `prioritylevelconfigurations.${group}`,
  FlowSchema: `flowschemas.${group}`,
} as const;

type Kind = keyof typeof resources;

/**
 * Creates the flow schemas and priority levels of every server. Within a minute, it recreates deleted ones, and restores
 * specs that are not marked as changed. They limit no requests here. Returns a function that stops this.
 */
export function keepFlowControl(core: Core): () => void {
  const { clock, store } = core;
  const objects = clusterObjects(core);
  let cancel: (() => void) | undefined;

  async function restore(): Promise<void> {
    cancel = undefined;
    storeBootstrapObjects(core, listConfigurations(formatTime(clock.now())));
    for (const { kind, metadata, spec } of listConfigurations("")) {
      const name = metadata.name!;
      const current = objects.get(resources[kind as Kind], undefined, name) as ApiObject | undefined;
      const revised = current && revise(current, spec, isMandatoryName(kind as Kind, name));
      if (revised) await objects.update(producer, revised);
    }
  }

  storeBootstrapObjects(core, listConfigurations(formatTime(clock.now())));
  const stops = Object.entries(resources).map(([kind, resource]) => {
    const ofKind = [...listConfigurations("")].filter((object) => object.kind === kind);
    const names = new Set(ofKind.map(({ metadata }) => metadata.name));
    return store.collection(resource).listen(({ entry }) => {
      if (cancel || !names.has(entry.key)) return;
      // A conflicting write makes its own event, which sets the timer again.
      cancel = clock.setTimer(() => void restore().catch(() => undefined), period);
    });
  });
  return () => {
    for (const stop of stops) stop();
    cancel?.();
  };
}

function isMandatoryName(kind: Kind, name: string): boolean {
  return name in (kind === "FlowSchema" ? mandatory.schemas : mandatory.levels);
}

const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

/**
 * Corrects the annotation `autoupdate-spec` and, if it allows that, the spec. A mandatory configuration gets the
 * annotation `true`, and keeps its spec, which validation protects. Returns undefined without changes.
 */
function revise(current: ApiObject, spec: unknown, isMandatory: boolean): ApiObject | undefined {
  const { annotations = {}, generation } = current.metadata;
  const annotation = annotations[autoUpdate];
  // Without a valid annotation, a spec that nobody has changed since its creation is updated.
  const isUpdated = isMandatory || annotation === "true" || (annotation !== "false" && generation === 1);
  const isKept = isMandatory || !isUpdated || isEqual(current["spec"], spec);
  if (annotation === String(isUpdated) && isKept) return undefined;
  const marked = { ...annotations, [autoUpdate]: String(isUpdated) };
  const metadata = { ...current.metadata, annotations: marked };
  return { ...current, metadata, ...(!isKept && { spec }) };
}

/** Lists the priority levels and flow schemas of every server, as it creates them at a time. */
function* listConfigurations(time: string): Generator<ApiObject> {
  for (const { levels } of [suggested, mandatory]) {
    for (const [name, spec] of Object.entries(levels)) {
      yield configuration("PriorityLevelConfiguration", name, spec, {}, [producerEntry(spec, time)]);
    }
  }
  for (const { schemas } of [suggested, mandatory]) {
    for (const [name, spec] of Object.entries(schemas)) {
      const condition = danglingCondition(spec.priorityLevelConfiguration.name, time);
      const managedFields = [consumerEntry(condition, time), producerEntry(spec, time)];
      yield configuration("FlowSchema", name, spec, { conditions: [condition] }, managedFields);
    }
  }
}

const apiVersion = `${group}/v1`;

function configuration(
  kind: Kind,
  name: string,
  spec: object,
  status: object,
  managedFields: ManagedFieldsEntry[],
): ApiObject {
  const metadata = { name, generation: 1, annotations: { [autoUpdate]: "true" }, managedFields };
  return { apiVersion, kind, metadata, spec, status };
}

/** The condition that a flow schema's priority level exists. */
function danglingCondition(level: string, lastTransitionTime: string): object {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`;
  return { type: "Dangling", status: "False", lastTransitionTime, reason: "Found", message };
}

/** The managed fields of the component that writes specs. */
function producerEntry(spec: object, time: string): ManagedFieldsEntry {
  const annotations = { ".": {}, [`f:${autoUpdate}`]: {} };
  const { ".": _itself, ...fields } = ownedFields(spec);
  const fieldsV1 = { "f:metadata": { "f:annotations": annotations }, "f:spec": fields };
  return { manager: producer, operation: "Update", apiVersion, time, fieldsType: "FieldsV1", fieldsV1 };
}

const consumer = "api-priority-and-fairness-config-consumer-v1";

/** The managed fields of the component that applies statuses. */
function consumerEntry(condition: object, time: string): ManagedFieldsEntry {
  const fieldsV1 = { "f:status": { "f:conditions": { 'k:{"type":"Dangling"}': ownedFields(condition) } } };
  const entry = { manager: consumer, operation: "Apply", apiVersion, time, fieldsType: "FieldsV1" } as const;
  return { ...entry, fieldsV1, subresource: "status" };
}

/** The FieldsV1 of an object. `priorityLevelConfiguration`, in Go a struct and not a pointer, has no entry `.`. */
function ownedFields(object: object): Record<string, JSONValue> {
  const fields = Object.entries(object).map(([name, value]) => {
    if (name === "priorityLevelConfiguration") return [`f:${name}`, { "f:name": {} }] as const;
    return [`f:${name}`, isObject(value) ? ownedFields(value) : {}] as const;
  });
  return { ".": {}, ...Object.fromEntries(fields) };
}
