import { isEqual, isObject, type JSONValue } from "@tsbuilder/apimachinery/json";
import type { ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import type { FlowSchemaSpec } from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";
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

  async function settle(): Promise<void> {
    cancel = undefined;
    storeBootstrapObjects(core, configurations(formatTime(clock.now())));
    for (const { kind, metadata, spec } of configurations("")) {
      const name = metadata.name!;
      const current = objects.get(resources[kind as Kind], undefined, name) as ApiObject | undefined;
      const revised = current && revise(current, spec, isMandatory(kind as Kind, name));
      if (revised) await objects.update(producer, revised);
    }
  }

  storeBootstrapObjects(core, configurations(formatTime(clock.now())));
  const stops = Object.entries(resources).map(([kind, resource]) => {
    const wanted = [...configurations("")].filter((each) => each.kind === kind);
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    return store.collection(resource).listen(({ entry }) => {
      if (cancel || !names.has(entry.key)) return;
      // A conflicting write makes its own event, which settles again.
      cancel = clock.setTimer(() => void settle().catch(() => undefined), period);
    });
  });
  return () => {
    for (const stop of stops) stop();
    cancel?.();
  };
}

function isMandatory(kind: Kind, name: string): boolean {
  return name in (kind === "FlowSchema" ? mandatory.schemas : mandatory.levels);
}

const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

/** Corrects the annotation and, if it allows that, the spec, unless it is mandatory. Undefined without changes. */
function revise(current: ApiObject, spec: unknown, always: boolean): ApiObject | undefined {
  const { annotations = {}, generation } = current.metadata;
  const text = annotations[autoUpdate];
  const updates = always || text === "true" || (text !== "false" && generation === 1);
  const isKept = always || !updates || isEqual(current["spec"], spec);
  if (text === String(updates) && isKept) return undefined;
  const marked = { ...annotations, [autoUpdate]: String(updates) };
  const metadata = { ...current.metadata, annotations: marked };
  return { ...current, metadata, ...(!isKept && { spec }) };
}

function* configurations(time: string): Generator<ApiObject> {
  for (const { levels } of [suggested, mandatory]) {
    for (const [name, spec] of Object.entries(levels)) {
      yield configuration("PriorityLevelConfiguration", name, spec, {}, [produced(spec, time)]);
    }
  }
  for (const { schemas } of [suggested, mandatory]) {
    for (const [name, spec] of Object.entries(schemas)) {
      const status = { conditions: [found(spec, time)] };
      yield configuration("FlowSchema", name, spec, status, [consumed(status, time), produced(spec, time)]);
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

function found({ priorityLevelConfiguration: { name } }: FlowSchemaSpec, lastTransitionTime: string): object {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${name}" and it exists`;
  return { type: "Dangling", status: "False", lastTransitionTime, reason: "Found", message };
}

function produced(spec: object, time: string): ManagedFieldsEntry {
  const annotations = { ".": {}, [`f:${autoUpdate}`]: {} };
  const { ".": _itself, ...fields } = owned(spec);
  const fieldsV1 = { "f:metadata": { "f:annotations": annotations }, "f:spec": fields };
  return { manager: producer, operation: "Update", apiVersion, time, fieldsType: "FieldsV1", fieldsV1 };
}

const consumer = "api-priority-and-fairness-config-consumer-v1";

function consumed({ conditions: [condition] }: { conditions: object[] }, time: string): ManagedFieldsEntry {
  const fieldsV1 = { "f:status": { "f:conditions": { 'k:{"type":"Dangling"}': owned(condition!) } } };
  const entry = { manager: consumer, operation: "Apply", apiVersion, time, fieldsType: "FieldsV1" } as const;
  return { ...entry, fieldsV1, subresource: "status" };
}

/** The owned fields of an object. Go structs that are not pointers have no entry of their own. */
function owned(object: object): Record<string, JSONValue> {
  const fields = Object.entries(object).map(([name, value]) => {
    if (name === "priorityLevelConfiguration") return [`f:${name}`, { "f:name": {} }] as const;
    return [`f:${name}`, isObject(value) ? owned(value) : {}] as const;
  });
  return { ".": {}, ...Object.fromEntries(fields) };
}
