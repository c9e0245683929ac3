import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { checkNamespace, type UpdateSource, updateObject } from "../registry/update-object.ts";
import type { Write } from "../registry/write.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { nameMissing, notFound } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { handleApply } from "./apply.ts";
import { checkPatchedType } from "./patched-type.ts";
import { mediaTypeOf } from "./read-object.ts";
import { applyPatch, patchProblem, readPatch, type SentPatch } from "./read-patch.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { type FieldValidation, fieldValidationOf, refuseForce, writeOf } from "./write-options.ts";

/** Handles PATCH. A patch without a resourceVersion is retried after a conflict. */
export async function handlePatch(context: RequestContext, target: Target): Promise<Reply> {
  if (mediaTypeOf(context) === applyPatch) return handleApply(context, target);
  const patch = await readPatch(context, target);
  refuseForce(context.query);
  const validation = fieldValidationOf(context.query, "PatchOptions");
  const write = writeOf(context, target, "PatchOptions");
  const source: UpdateSource = {
    next: (current) => {
      if (!current) throw notFound(target.resource, target.name);
      const next = patch.apply(current);
      if (!patch.isStrategic) checkPatchedType(context, target, patch, { current, next }, validation);
      checkPatched(context, target, { patch, current, next }, validation);
      // The result of a strategic merge patch has the type of the object, whatever it says.
      if (patch.isStrategic) Object.assign(next, { apiVersion: current.apiVersion, kind: current.kind });
      checkMetadata(write, next);
      return next;
    },
    retry: true,
  };
  const { entry } = await updateObject(write, source);
  return replyObject(context, target, entry);
}

/** Refuses a patch that removes the metadata or the name, or changes the namespace. */
function checkMetadata(write: Write, next: ApiObject): void {
  const metadata: Partial<ApiObject["metadata"]> | null | undefined = next.metadata;
  if (metadata) checkNamespace(write, next);
  if (!metadata?.name) throw nameMissing(write.name);
}

/** Decodes the patched object like a request body, but reports errors as those of the patch. */
function checkPatched(
  { warnings }: RequestContext,
  { served }: Target,
  { patch, current, next }: { patch: SentPatch; current: ApiObject; next: ApiObject },
  validation: FieldValidation,
): void {
  try {
    if (patch.mark) served.schema?.unknownFields(patch.mark(current));
    const why = patch.isStrategic ? served.schema?.convertMerged?.(next) : undefined;
    if (why !== undefined) throw new DecodeError(why);
    const found = served.schema?.unknownFields(next) ?? [];
    const unknown = patch.isStrategic ? found.toSorted() : found;
    const problems = [...patch.problems, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
    if (validation === "Ignore" || problems.length === 0) return;
    if (validation === "Strict") throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
    for (const problem of problems) warnings.add(problem);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw patchProblem(patch, { current, next }, error.message);
  }
}
