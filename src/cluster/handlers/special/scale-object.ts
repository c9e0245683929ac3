import type { Scale } from "@tsbuilder/apimachinery/k8s/autoscaling/v1";
import {
  type BuiltinSchema,
  DecodeError,
  decodeBuiltIn,
  convertUnstructured,
  loadSchemas,
} from "@tsbuilder/apimachinery/kinds";
import type { ApiObject } from "../../contract/api-object.ts";
import { badRequest } from "../../contract/status-error.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { patchProblem, type SentPatch } from "../read-patch.ts";
import type { Target } from "../target.ts";
import { readBodyObject } from "./read-body-object.ts";

export type ScaleObject = Scale & ApiObject;

async function loadSchema(): Promise<BuiltinSchema> {
  return (await loadSchemas("autoscaling/v1"))!.get("Scale")!;
}

/** Reads the Scale in a request's body. */
export async function readScaleObject(context: RequestContext, target: Target): Promise<ScaleObject> {
  const sent = await readBodyObject(context, target);
  const schema = await loadSchema();
  try {
    return decode(sent, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // The real server knows no Scale among the kinds of custom resources, so that it can't say what is wrong.
    throw badRequest(
      target.resource.custom
        ? 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'
        : `Scale in version "v1" cannot be handled as a Scale: ${error.message}`,
    );
  }
}

/** Applies a patch to a Scale. */
export async function patchScale(patch: SentPatch, scale: ScaleObject): Promise<ScaleObject> {
  const schema = await loadSchema();
  const next = patch.apply(scale);
  const why = patch.isStrategic ? convertUnstructured(next, schema) : undefined;
  if (why !== undefined) throw patchProblem(patch, { current: scale, next }, why);
  try {
    return decode(next, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw patchProblem(patch, { current: scale, next }, error.message);
  }
}

function decode(object: ApiObject, schema: BuiltinSchema): ScaleObject {
  const { metadata, ...rest } = decodeBuiltIn({ ...object }, schema).object;
  return { metadata: {}, ...rest, ...(metadata !== undefined && { metadata }) } as ScaleObject;
}
