import type { Condition, Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { findCondition, removeCondition, setCondition } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Client, DesiredStatus, ObjectKey, Stored } from "../client/client.ts";
import { isMissingObject } from "../client/live-reader.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Predicate } from "./predicate.ts";
import type { Context, Reconciler } from "./reconciler.ts";

/** The type of the condition that a paused object has, and the reason by which we know our own. */
const conditionType = "Paused";
const ourReason = "Annotated";

/**
 * Skips objects that have the pause annotation: neither `reconcile` nor the cleanup of a finalizer runs for them, and
 * they have the condition `Paused`, as long as the annotation is `"true"`.
 */
export function pausable<T extends KubernetesObject, Key extends ObjectKey>(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kind: Kind<T, Key>,
  reconciler: Reconciler<Key>,
): Reconciler<Key> {
  const annotation = pauseAnnotation(kind);

  async function setConditions(
    object: Stored<T, Key>,
    conditions: Condition[],
    { log }: Context,
  ): Promise<void> {
    const { status } = object as { readonly status?: object };
    try {
      await client.patchStatus(kind, object, { ...status, conditions } as DesiredStatus<T>);
    } catch (error) {
      // The object may be gone by now: nothing is left to be paused.
      if (isMissingObject(error)) return;
      // A kind whose status has no conditions, or that has none, is paused all the same.
      if (!(error instanceof ApiError && (error.isInvalid || error.isNotFound))) throw error;
      log.warn("The condition Paused can't be set", { error });
    }
  }

  return {
    async reconcile(request, context) {
      const object = await client.find(kind, request);
      if (!object) return await reconciler.reconcile(request, context);
      const { conditions } =
        (object as { readonly status?: { readonly conditions?: Condition[] } }).status ?? {};
      if (!isPaused(object, annotation)) {
        if (findCondition(conditions, conditionType)?.reason === ourReason)
          await setConditions(object, removeCondition(conditions, conditionType), context);
        return await reconciler.reconcile(request, context);
      }
      const paused = {
        type: conditionType,
        status: "True",
        reason: ourReason,
        message: `the annotation ${annotation} stops reconciles and cleanups`,
        observedGeneration: object.metadata.generation,
      } as const;
      await setConditions(object, setCondition(conditions, paused, clock), context);
      context.log.debug("Object is paused", { annotation });
    },
  };
}

/** Returns the name of the annotation that pauses objects of a kind. */
export function pauseAnnotation({ group, kind }: Kind): string {
  if (group !== "") return `${group}/paused`;
  throw new TerminalError(`the core group has no prefix for an annotation that pauses a ${kind}`);
}

/** Accepts updates that pause or resume an object: they count, whatever a controller's own predicates accept. */
export function pauseChanged(annotation: string): Predicate {
  return (event) =>
    event.type === "update" && isPaused(event.oldObject, annotation) !== isPaused(event.object, annotation);
}

function isPaused({ metadata }: KubernetesObject, annotation: string): boolean {
  return metadata.annotations?.[annotation] === "true";
}
