import type { RequestContext } from "../../http/request-context.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Target } from "../target.ts";
import { decodeRequestBody } from "../read-object.ts";

/** Reads a body whose kind differs from the resource's: a Scale, an Eviction, a review. */
export async function readBodyObject(context: RequestContext, target: Target): Promise<ApiObject> {
  const value = await decodeRequestBody(context, target, await context.request.readBody());
  const object = (typeof value === "object" && value !== null ? value : {}) as ApiObject;
  object.metadata ??= {};
  return object;
}
