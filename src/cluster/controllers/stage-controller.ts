import { isEqual, type JSONObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Controller } from "../control-loop/controller.ts";
import { objectKey, readObject } from "../control-loop/keys.ts";
import { reporting, type ReportingContext } from "../control-loop/record-event.ts";
import {
  type NextState,
  type Stage,
  type StagesContext,
  chooseStage,
  renderTemplate,
  untilStage,
} from "./stage.ts";

const user = "system:serviceaccount:kube-system:stage-controller";

/** Moves objects through the stages of the user's Stage files. */
export function stageController(context: StagesContext): Controller {
  const { objects, clock, stages = [] } = context;
  const steps = reporting(context, user, "stage-controller");
  /** The time since which an object has matched its next stage. */
  const waiting = new Map<string, { stage: Stage; since: number }>();
  return {
    keysOf: ({ resource, object }) => {
      return stages.some(({ spec }) => spec.resourceRef.kind === object.kind)
        ? [objectKey(resource, object)]
        : [];
    },

    async reconcile(key) {
      const object = readObject(objects, key);
      const stage = object && chooseStage(stages, object);
      if (!stage) {
        waiting.delete(key);
        return undefined;
      }
      const last = waiting.get(key);
      const since = last?.stage === stage ? last.since : clock.now();
      waiting.set(key, { stage, since });
      const left = untilStage(stage.spec.delay, object, since, clock.now());
      if (left > 0) return left;
      waiting.delete(key);
      await advance(steps, object, stage.spec.next);
      return undefined;
    },
  };
}

async function advance(context: ReportingContext, object: KubernetesObject, next: NextState): Promise<void> {
  const { objects, report } = context;
  const { event } = next;
  if (event) {
    const type = event.type === "Warning" ? "Warning" : "Normal";
    await report(object, type, event.reason ?? "", event.message ?? "");
  }
  const finalized = await changeFinalizers(context, object, next.finalizers);
  if (next.delete) {
    await objects.delete(user, finalized, { uid: finalized.metadata.uid, gracePeriodSeconds: 0 });
  } else if (next.statusTemplate !== undefined) {
    await mergeStatus(context, finalized, next.statusTemplate);
  }
}

async function changeFinalizers(
  context: ReportingContext,
  object: KubernetesObject,
  change: NextState["finalizers"],
): Promise<KubernetesObject> {
  const { objects } = context;
  if (!change) return object;
  const removed = new Set((change.remove ?? []).map(({ value }) => value));
  const kept = change.empty ? [] : (object.metadata.finalizers ?? []).filter((name) => !removed.has(name));
  const finalizers = [...new Set([...kept, ...(change.add ?? []).map(({ value }) => value)])];
  if (isEqual(finalizers, object.metadata.finalizers ?? [])) return object;
  return objects.update(user, { ...object, metadata: { ...object.metadata, finalizers } });
}

async function mergeStatus(
  context: ReportingContext,
  object: KubernetesObject,
  template: string,
): Promise<void> {
  const { objects, clock } = context;
  const before = (object as { status?: JSONObject }).status ?? {};
  const patch = renderTemplate(template, object, formatTime(clock.now())) as JSONObject;
  const status = applyMergePatch(before, patch);
  if (!isEqual(status, before))
    await objects.update(user, { ...object, status } as KubernetesObject, "status");
}
