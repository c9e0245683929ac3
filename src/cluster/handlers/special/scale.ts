import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { invalid } from "@tsbuilder/apimachinery/errors";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { Scale } from "@tsbuilder/apimachinery/k8s/autoscaling/v1";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { DecodeError, convertUnstructured, decodeBuiltIn, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { dropTimes } from "../../registry/field-manager.ts";
import { formatSelector, readField, setField } from "../../kinds/cells.ts";
import type { Write } from "../../registry/write.ts";
import { updateObject } from "../../registry/update-object.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import {
  StatusError,
  badRequest,
  internalError,
  invalidObject,
  nameMissing,
  notFound,
} from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { Entry } from "../../storage/entry.ts";
import { applyTo, readApply } from "../apply.ts";
import { type SentPatch, applyPatch, invalidResult, readPatch } from "../patch.ts";
import { readEntry } from "../list.ts";
import { mediaTypeOf, readBodyObject } from "../read-object.ts";
import { replyObject } from "../representation.ts";
import { type Target, writeOf } from "../target.ts";

/** Handles the `scale` subresource of any kind that has one: autoscalers and `kubectl scale` use it. */
export async function handleScale(context: RequestContext, target: Target): Promise<Reply> {
  const { verb } = context.info;
  if (verb === "get") return readScale(context, target);
  if (verb === "update") {
    const sent = await readScaleObject(context, target);
    const { name, namespace } = sent.metadata;
    if (!name) throw nameMissing(target.name);
    if (namespace && namespace !== target.namespace) {
      const why = "does not match the namespace sent on the request";
      throw badRequest(`the namespace of the provided object ${why}`);
    }
    checkName(target, name);
    return writeScale(context, target, "UpdateOptions", () => sent);
  }
  if (mediaTypeOf(context) === applyPatch) return applyScale(context, target);
  const patch = await readPatch(context, target);
  return writeScale(context, target, "PatchOptions", (scale) => patchScale(patch, scale));
}

function checkName(target: Target, name: string): void {
  if (name === target.name) return;
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
}

async function readScale(context: RequestContext, target: Target): Promise<Reply> {
  const { object } = await readEntry(context, target);
  const { spec } = target.served.scale!;
  if (target.resource.custom && readField(object, spec) === undefined) {
    throw internalError(`the spec replicas field ".${spec}" does not exist`);
  }
  return replyScale(context, target, object);
}

type ScaleObject = Scale & ApiObject;

async function writeScale(
  context: RequestContext,
  target: Target,
  options: string,
  change: (scale: ScaleObject) => ScaleObject | Promise<ScaleObject>,
): Promise<Reply> {
  const { entry } = await updateObject(scaleWrite(context, target, options), {
    async next(current) {
      if (!current) throw notFound(target.resource, target.name);
      const scale = await change(markAbsent(target, current, scaleOf(target, current)));
      checkPresent(target, scale);
      const next = copyJSON(current);
      setField(next, target.served.scale!.spec, replicasOf(scale, target));
      const { resourceVersion } = scale.metadata;
      if (resourceVersion) next.metadata.resourceVersion = resourceVersion;
      return next;
    },
    retry: true,
  });
  return replyScale(context, target, entry.object);
}

/** Makes a write for which admission sees the Scale and may change it. */
function scaleWrite(context: RequestContext, target: Target, options: string): Write {
  return {
    ...writeOf(context, target, options),
    body: {
      show: (object) => scaleOf(target, object),
      take(scale, object) {
        setField(object, target.served.scale!.spec, (scale as ScaleObject).spec?.replicas ?? 0);
        return object;
      },
    },
  };
}

const scaleKind = { kind: "Scale", apiVersion: "autoscaling/v1" } as const;

/** Server-side apply of a Scale: the field manager owns the replicas field of the object. */
async function applyScale(context: RequestContext, target: Target): Promise<Reply> {
  const write = { applied: true, ...scaleWrite(context, target, "PatchOptions") };
  const { applied, force } = await readApply(context, scaleKind);
  checkName(target, applied.metadata?.name ?? target.name);
  const { resource, served, version, name } = target;
  const { group, kind } = resource;
  const appliedObject = { apiVersion: apiVersionOf({ group, version }), kind, metadata: { name } };
  setField(appliedObject, served.scale!.spec, (applied as ScaleObject).spec?.replicas ?? 0);
  // Conflicts are about the fields of the Scale that the client has sent.
  const inTermsOfScale = (message: string): string =>
    message
      .replaceAll(`using ${appliedObject.apiVersion}`, `using ${scaleKind.apiVersion}`)
      .replaceAll(`.${served.scale!.spec}`, ".spec.replicas");
  const { entry } = await updateObject(write, {
    async next(current) {
      const next = await applyTo(write, current, appliedObject, force, inTermsOfScale);
      if (resource.custom) throw notConvertible(applied);
      setField(next, served.scale!.spec, replicasOf(applied, target));
      dropTimes(next);
      return next;
    },
    retry: true,
  });
  return replyScale(context, target, entry.object);
}

/** The error for an applied Scale of a custom resource: the real server can't convert it to the resource's version. */
function notConvertible({ metadata }: ApiObject): StatusError {
  const subject = `(${metadata.namespace ?? ""}/${metadata.name ?? ""}; ${scaleKind.apiVersion}, Kind=Scale)`;
  const why = `request to convert CR to an invalid group/version: ${scaleKind.apiVersion}`;
  return new StatusError(500, undefined, `failed to convert new object ${subject} to proper version: ${why}`);
}

/** The number that stands for absent replicas of a custom object while a patch is applied, as on the real server. */
const absentReplicas = -(2 ** 31);

function markAbsent({ resource, served }: Target, object: ApiObject, scale: ScaleObject): ScaleObject {
  if (!resource.custom || readField(object, served.scale!.spec) !== undefined) return scale;
  return { ...scale, spec: { replicas: absentReplicas } };
}

function checkPresent({ served }: Target, { spec }: ScaleObject): void {
  if (spec?.replicas !== absentReplicas) return;
  throw badRequest(`the spec replicas field ".${served.scale!.spec}" cannot be empty`);
}

function replicasOf({ spec }: ScaleObject, { name, resource }: Target): number {
  const replicas = spec?.replicas ?? 0;
  // For a custom resource its schema decides about negative numbers.
  if (replicas >= 0 || resource.custom) return replicas;
  const subject = { group: "autoscaling", plural: "scales", kind: "Scale" };
  const detail = "must be greater than or equal to 0";
  throw invalidObject(subject, name, [invalid("spec.replicas", replicas, detail)]);
}

function replyScale(context: RequestContext, target: Target, object: ApiObject): Reply {
  return replyObject(context, target, new Entry("", 0, scaleOf(target, object)));
}

/** Returns the Scale of an object. Throws if its fields can't be read. */
function scaleOf({ served }: Target, object: ApiObject): ScaleObject {
  const { spec, status, selector, problem } = served.scale!;
  const why = problem?.(object);
  if (why !== undefined) throw new StatusError(500, undefined, why);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readField<number>(object, spec);
  const podSelector = selector === undefined ? undefined : readField<object | string>(object, selector);
  const text = typeof podSelector === "object" ? selectorText(podSelector) : podSelector;
  return {
    ...scaleKind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject["metadata"],
    // Go omits a zero in the spec, but not in the status.
    spec: replicas ? { replicas } : {},
    status: { replicas: readField<number>(object, status) ?? 0, ...(text && { selector: text }) },
  };
}

async function readScaleObject(context: RequestContext, target: Target): Promise<ScaleObject> {
  const sent = await readBodyObject(context, target);
  const schema = await loadSchema();
  try {
    return decode(sent, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // The real server's scheme for custom resources lacks Scale, so that its message has no detail.
    throw badRequest(
      target.resource.custom
        ? 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'
        : `Scale in version "v1" cannot be handled as a Scale: ${error.message}`,
    );
  }
}

async function loadSchema(): Promise<BuiltinSchema> {
  return (await loadSchemas("autoscaling/v1"))!.get("Scale")!;
}

async function patchScale(patch: SentPatch, scale: ScaleObject): Promise<ScaleObject> {
  const schema = await loadSchema();
  const next = patch.apply(scale);
  const why = patch.isStrategic ? convertUnstructured(next, schema) : undefined;
  if (why !== undefined) throw invalidResult(patch, scale, next, why);
  try {
    return decode(next, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidResult(patch, scale, next, error.message);
  }
}

function decode(object: ApiObject, schema: BuiltinSchema): ScaleObject {
  const { metadata, ...rest } = decodeBuiltIn({ ...object }, schema).object;
  return { metadata: {}, ...rest, ...(metadata !== undefined && { metadata }) } as ScaleObject;
}

/** Formats a selector; a ReplicationController has a map of labels in its place. */
function selectorText(selector: object): string {
  const isSelector = "matchLabels" in selector || "matchExpressions" in selector;
  return formatSelector((isSelector ? selector : { matchLabels: selector }) as never);
}
