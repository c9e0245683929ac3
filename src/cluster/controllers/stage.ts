import { type JSONObject, isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import { formatTime, parseDuration } from "@tsbuilder/apimachinery/time";
import { parse, parseAllDocuments } from "yaml";
import type { Controller, ControllerContext } from "../control-loop/controller.ts";
import { matchesLabels, meetsExpression } from "../control-loop/matches-labels.ts";
import { objectKey, readObject } from "../control-loop/keys.ts";
import { reporting } from "../control-loop/record-event.ts";

interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    /** A path such as `.status.phase`. */
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

interface StageDelay {
  /** The delay since the object first matched. */
  readonly durationMilliseconds?: number;
  /** The path of a time or a duration in the object, which takes precedence if present. */
  readonly durationFrom?: { readonly expressionFrom: string };
}

interface NextState {
  readonly event?: { readonly type?: string; readonly reason?: string; readonly message?: string };
  readonly finalizers?: {
    readonly add?: readonly { readonly value: string }[];
    readonly remove?: readonly { readonly value: string }[];
    readonly empty?: boolean;
  };
  readonly delete?: boolean;
  /** YAML that is merged into the status; `{{ Now }}` and fields such as `{{ .metadata.name }}` are substituted. */
  readonly statusTemplate?: string;
}

/** One step in the simulated lifecycle of objects, in the format of KWOK's Stage files. */
export interface Stage {
  readonly apiVersion: "kwok.x-k8s.io/v1alpha1";
  readonly kind: "Stage";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
    readonly selector: StageSelector;
    /**
     * If several stages match an object, the one with the highest weight applies. KWOK instead draws one at random, with
     * probabilities by weight: here, tests get the same result each time.
     */
    readonly weight?: number;
    readonly delay?: StageDelay;
    readonly next: NextState;
  };
}

export interface StagesContext extends ControllerContext {
  /** The stages of objects, as `parseStages` reads them. */
  readonly stages?: readonly Stage[] | undefined;
}

/** Parses a file of Stages. Unsupported content is rejected here, not when an object matches. */
export function parseStages(text: string): Stage[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw new TypeError(`a Stage file must be YAML: ${error.message}`);
      return document.toJS() as unknown;
    })
    .filter((value) => value !== null)
    .map(checkStage);
}

function checkStage(value: unknown): Stage {
  const stage = value as Partial<Stage>;
  const name = stage.metadata?.name ?? "without a name";
  if (stage.kind !== "Stage" || stage.apiVersion !== "kwok.x-k8s.io/v1alpha1")
    throw new TypeError(`expected a kwok.x-k8s.io/v1alpha1 Stage, got ${stage.apiVersion} ${stage.kind}`);
  if (!stage.spec?.resourceRef?.kind || !stage.spec.next)
    throw new TypeError(`the Stage ${name} needs spec.resourceRef.kind and spec.next`);
  // In KWOK such a stage matches nothing; an empty selector matches everything.
  if (!stage.spec.selector)
    throw new TypeError(`the Stage ${name} needs spec.selector: {} matches all objects`);
  if ("weightFrom" in stage.spec)
    throw new TypeError(`the Stage ${name} has spec.weightFrom: only spec.weight is supported`);
  if ("patches" in stage.spec.next)
    throw new TypeError(`the Stage ${name} has spec.next.patches: only statusTemplate is supported`);
  const template = stage.spec.next.statusTemplate;
  // Renders the template for its errors alone: a user learns of them at the start.
  if (template !== undefined) renderTemplate(template, {}, "1970-01-01T00:00:00Z");
  return stage as Stage;
}

const user = "system:serviceaccount:kube-system:stage-controller";

/** Moves objects through the stages of the user's Stage files. */
export function stageController(context: StagesContext): Controller {
  const { stages = [] } = context;
  const { objects, clock, report } = reporting(context, user, "stage-controller");
  /** The next stage of each waiting object, and since when it matches. As in KWOK, a restart begins the delay anew. */
  const waiting = new Map<string, { stage: Stage; since: number }>();
  return {
    keysOf({ resource, object }) {
      const isStaged = stages.some(({ spec }) => spec.resourceRef.kind === object.kind);
      return isStaged ? [objectKey(resource, object)] : [];
    },

    async reconcile(key) {
      const object = readObject(objects, key);
      const stage = object && chooseStage(stages, object);
      if (!stage) {
        waiting.delete(key);
        return undefined;
      }
      const previous = waiting.get(key);
      const since = previous?.stage === stage ? previous.since : clock.now();
      waiting.set(key, { stage, since });
      const remaining = untilStage(stage.spec.delay, object, since, clock.now());
      if (remaining > 0) return remaining;
      waiting.delete(key);
      await advance(object, stage.spec.next);
      return undefined;
    },
  };

  async function advance(object: KubernetesObject, next: NextState): Promise<void> {
    const { event } = next;
    if (event) {
      const type = event.type === "Warning" ? "Warning" : "Normal";
      await report(object, type, event.reason ?? "", event.message ?? "");
    }
    const finalized = await changeFinalizers(object, next.finalizers);
    if (next.delete) {
      await objects.delete(user, finalized, { uid: finalized.metadata.uid, gracePeriodSeconds: 0 });
    } else if (next.statusTemplate !== undefined) {
      const before = (finalized as { status?: JSONObject }).status ?? {};
      const patch = renderTemplate(next.statusTemplate, finalized, formatTime(clock.now())) as JSONObject;
      const status = applyMergePatch(before, patch);
      const changed = { ...finalized, status } as KubernetesObject;
      if (!isEqual(status, before)) await objects.update(user, changed, "status");
    }
  }

  async function changeFinalizers(
    object: KubernetesObject,
    change: NextState["finalizers"],
  ): Promise<KubernetesObject> {
    if (!change) return object;
    const removed = new Set((change.remove ?? []).map(({ value }) => value));
    const kept = change.empty ? [] : (object.metadata.finalizers ?? []).filter((name) => !removed.has(name));
    const finalizers = [...new Set([...kept, ...(change.add ?? []).map(({ value }) => value)])];
    if (isEqual(finalizers, object.metadata.finalizers ?? [])) return object;
    return objects.update(user, { ...object, metadata: { ...object.metadata, finalizers } });
  }
}

/** Finds the next stage of an object: of those that match it, the one with the highest weight. */
export function chooseStage(stages: readonly Stage[], object: KubernetesObject): Stage | undefined {
  const [heaviest] = stages
    .filter(({ spec }) => isOfKind(spec.resourceRef, object) && selects(spec.selector, object))
    .sort((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0));
  return heaviest;
}

function isOfKind({ apiGroup = "", kind }: Stage["spec"]["resourceRef"], object: KubernetesObject): boolean {
  // KWOK's `apiGroup` holds an apiVersion, as in `apiGroup: v1` for pods; a bare group is accepted, too.
  const group = apiGroup === "v1" ? "" : parseApiVersion(apiGroup).group || apiGroup;
  return object.kind === kind && parseApiVersion(object.apiVersion).group === group;
}

function selects(selector: StageSelector, object: KubernetesObject): boolean {
  const { labels, annotations } = object.metadata;
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    matchesLabels(selector.matchAnnotations ?? {}, annotations) &&
    (selector.matchExpressions ?? []).every((expression) =>
      meetsExpression(expression, fieldText(object, expression.key)),
    )
  );
}

/** The field at a path as text, objects and lists as JSON; undefined for null and an empty text, too. */
function fieldText(object: KubernetesObject, path: string): string | undefined {
  const value = readPath(object, path);
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The milliseconds until a stage applies to an object that has matched it since a given time. */
export function untilStage(
  delay: StageDelay | undefined,
  object: KubernetesObject,
  since: number,
  now: number,
): number {
  const from = delay?.durationFrom && readPath(object, delay.durationFrom.expressionFrom);
  const due =
    (typeof from === "string" ? readDue(from, since) : undefined) ??
    since + (delay?.durationMilliseconds ?? 0);
  return Math.max(0, due - now);
}

/** The delay that an object specifies: a time, or a duration such as `1m30s`; anything else is ignored. */
function readDue(text: string, since: number): number | undefined {
  if (/^\d{4}-\d\d-\d\d/.test(text)) return Date.parse(text);
  try {
    return since + parseDuration(text);
  } catch {
    return undefined;
  }
}

/**
 * Renders a stage's template and parses it as YAML. Supported are the time, `{{ Now }}`, and fields of the object,
 * `{{ .spec.nodeName }}`, each also with `| Quote`; anything else in Go's template language is rejected.
 */
export function renderTemplate(template: string, object: object, now: string): object {
  const text = template.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (_, action: string) => {
    return evaluate(action, object, now);
  });
  const value: unknown = parse(text);
  if (isObject(value)) return value;
  throw new TypeError("a statusTemplate must render to an object");
}

/** Evaluates one `{{ … }}`. The result is quoted as JSON, which is also YAML. */
function evaluate(action: string, object: object, now: string): string {
  const [expression = "", ...filters] = action.split("|").map((part) => part.trim());
  const unknown = filters.find((filter) => filter !== "Quote");
  const isSupported = expression === "Now" || expression.startsWith(".");
  if (!isSupported || unknown !== undefined)
    throw new TypeError(`can't evaluate "{{ ${action} }}": only Now, fields and "| Quote" are supported`);
  if (expression === "Now") return JSON.stringify(now);
  const value = /^(\.[\w-]+)+$/.test(expression) ? readPath(object, expression) : undefined;
  return JSON.stringify(value ?? "");
}

/** Reads the value at a path such as `.status.phase`; `["a.b/c"]` is a key with dots, `[0]` the first item of a list. */
export function readPath(object: unknown, path: string): unknown {
  const steps = [...path.matchAll(/\.([\w-]+)|\["([^"]+)"\]|\[(\d+)\]/g)].map(
    ([, plain, quoted, index]) => plain ?? quoted ?? index!,
  );
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    return (value as Record<string, unknown>)[step];
  }, object);
}
