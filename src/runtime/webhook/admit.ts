import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import { createJSONPatch } from "@tsbuilder/apimachinery/patch";
import { ApiError } from "../errors/api-error.ts";
import { isProgrammingError } from "../callbacks/thrown-error.ts";
import type { Logger } from "../log/logger.ts";
import type { AdmissionAnswer, AdmissionHandler } from "./admission-review.ts";
import { HttpError } from "./read-body.ts";
import type { AdmissionContext, AdmissionRequest, Defaulter, InvalidField, Validator } from "./webhooks.ts";

/**
 * Runs a defaulter and answers with a patch against the original object, including fields that the type doesn't have.
 */
export function admitWithDefaulter<T extends KubernetesObject>(
  defaulter: Defaulter<T>,
  log: Logger,
): AdmissionHandler {
  return (request, signal) =>
    answerSafely(request, signal, log, async (context) => {
      if (request.operation === "DELETE") return { allowed: true };
      const object = objectOf(request);
      const draft = structuredClone(object);
      await defaulter.default(draft as T, context);
      return { allowed: true, patch: createJSONPatch(object, draft) };
    });
}

/** Runs a validator and answers with its verdict. */
export function admitWithValidator<T extends KubernetesObject>(
  validator: Validator<T>,
  log: Logger,
): AdmissionHandler {
  return (request, signal) =>
    answerSafely(request, signal, log, async (context) => {
      const fields = await verdict(validator, request, context);
      if (!fields || fields.length === 0) return { allowed: true };
      return { allowed: false, status: invalidObject(request, fields) };
    });
}

/** How the API server begins the message about a field, by reason. */
const openings = {
  Invalid: "Invalid value",
  Required: "Required value",
  Duplicate: "Duplicate value",
  NotSupported: "Unsupported value",
  Forbidden: "Forbidden",
  TooLong: "Too long",
} as const;

/** The Status of an object with invalid fields, worded like the API server's own validation. */
function invalidObject(request: AdmissionRequest, fields: readonly InvalidField[]): Partial<Status> {
  const { group, kind } = request.kind;
  const name = request.name ?? "";
  const causes = fields.map(({ field, message, value, reason = "Invalid" }) => {
    const shown = value === undefined ? "" : `: ${JSON.stringify(value)}`;
    return { reason: `FieldValue${reason}`, field, message: `${openings[reason]}${shown}: ${message}` };
  });
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: `${group === "" ? kind : `${kind}.${group}`} "${name}" is invalid: ${list}`,
    details: { name, group, kind, causes },
  };
}

function verdict<T extends KubernetesObject>(
  validator: Validator<T>,
  request: AdmissionRequest,
  context: AdmissionContext,
): ReturnType<NonNullable<Validator<T>["validateCreate"]>> {
  switch (request.operation) {
    case "CREATE":
      return validator.validateCreate?.(objectOf(request) as T, context);
    case "UPDATE":
      return validator.validateUpdate?.(objectOf(request) as T, oldObjectOf(request) as T, context);
    case "DELETE":
      return validator.validateDelete?.(oldObjectOf(request) as T, context);
    case "CONNECT":
      return undefined;
  }
}

/** Runs a webhook; an error that it throws becomes a rejection, unless it is a programming error. */
export async function answerSafely(
  request: AdmissionRequest,
  signal: AbortSignal,
  log: Logger,
  decide: (context: AdmissionContext) => Promise<AdmissionAnswer>,
): Promise<AdmissionAnswer> {
  const warnings: string[] = [];
  const context: AdmissionContext = { request, log, signal, warn: (text) => void warnings.push(text) };
  try {
    return { ...(await decide(context)), warnings };
  } catch (error) {
    if (error instanceof HttpError || isProgrammingError(error)) throw error;
    return { allowed: false, status: refusal(error as Error), warnings };
  }
}

/** An error with a status keeps it; any other is a rejection with the author's message. */
function refusal(error: Error): NonNullable<AdmissionAnswer["status"]> {
  if (error instanceof ApiError && error.status >= 400) {
    const { message = error.message, reason, details } = error.body;
    return {
      status: "Failure",
      code: error.status,
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details && { details }),
    };
  }
  return { status: "Failure", code: 403, reason: "Forbidden", message: error.message };
}

function objectOf({ object }: AdmissionRequest): KubernetesObject {
  if (!isObject(object?.metadata)) throw new HttpError(400, "the request holds no object with metadata");
  return object;
}

function oldObjectOf({ oldObject }: AdmissionRequest): KubernetesObject {
  if (!isObject(oldObject?.metadata))
    throw new HttpError(400, "the request holds no old object with metadata");
  return oldObject;
}
