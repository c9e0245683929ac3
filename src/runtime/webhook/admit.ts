import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import { type JSONPatchOperation, createJSONPatch } from "@tsbuilder/apimachinery/patch";
import { ApiError } from "../errors/api-error.ts";
import { isProgrammingError, show } from "../callbacks/callbacks.ts";
import type { Logger } from "../log/logger.ts";
import { HttpError } from "../serve/http-listener.ts";
import type {
  AdmissionContext,
  AdmissionDecision,
  AdmissionRequest,
  AdmissionWebhook,
  Defaulter,
  InvalidField,
  Validator,
} from "./webhooks.ts";

/** The decision of a handler. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly status?: Partial<Status> | undefined;
  readonly patch?: readonly JSONPatchOperation[] | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly auditAnnotations?: { readonly [key: string]: string } | undefined;
}

/** Decides about a request. Programming errors reject the promise; other errors become decisions. */
export type AdmissionHandler = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionAnswer>;

const group = "admission.k8s.io";

/** Answers an AdmissionReview in its own API version. Throws an `HttpError` for anything that is not a complete one. */
export async function reviewAdmission(
  review: unknown,
  decide: (request: AdmissionRequest) => Promise<AdmissionAnswer>,
): Promise<object> {
  const { apiVersion, kind, request } = (review ?? {}) as {
    apiVersion?: string;
    kind?: string;
    request?: AdmissionRequest;
  };
  if (kind !== "AdmissionReview" || (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`))
    throw new HttpError(400, `an AdmissionReview of ${group}/v1 is expected, not ${apiVersion} ${kind}`);
  const flaw = findFlaw(request);
  if (flaw !== undefined) throw new HttpError(400, `the request of the AdmissionReview ${flaw}`);
  const answer = await decide(request!);
  const { allowed, status, patch = [], warnings = [], auditAnnotations } = answer;
  return {
    apiVersion,
    kind,
    response: {
      uid: request!.uid,
      allowed,
      ...(status && { status }),
      ...(patch.length > 0 && {
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      }),
      ...(warnings.length > 0 && { warnings }),
      ...(auditAnnotations && { auditAnnotations }),
    },
  };
}

const operations: readonly unknown[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** Says what is wrong with a request; undefined if it is complete. An invalid one must never be admitted. */
function findFlaw(request: Partial<AdmissionRequest> | null | undefined): string | undefined {
  if (!isObject(request)) return "is missing";
  if (typeof request.uid !== "string" || request.uid === "") return "has no uid";
  if (!operations.includes(request.operation)) return `has no operation that is known`;
  if (!isObject(request.kind) || !isObject(request.resource)) return "has no kind or resource";
  for (const field of ["object", "oldObject"] as const) {
    const value = request[field] ?? undefined;
    if (value !== undefined && !isObject(value)) return `has an invalid ${field}`;
  }
  return undefined;
}

/**
 * Runs a defaulter and answers with a patch against the original object, including fields that the type doesn't have.
 */
export function admitWithDefaulter<T extends KubernetesObject>(
  defaulter: Defaulter<T>,
  log: Logger,
): AdmissionHandler {
  return (request, signal) =>
    decideSafely(request, signal, log, async (context) => {
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
    decideSafely(request, signal, log, async (context) => {
      const invalidFields = await callValidator(validator, request, context);
      if (!invalidFields || invalidFields.length === 0) return { allowed: true };
      return { allowed: false, status: invalidStatus(request, invalidFields) };
    });
}

/** How the API server begins the message about a field, by reason. */
const prefixes = {
  Invalid: "Invalid value",
  Required: "Required value",
  Duplicate: "Duplicate value",
  NotSupported: "Unsupported value",
  Forbidden: "Forbidden",
  TooLong: "Too long",
} as const;

/** The Status of an object with invalid fields, worded like the API server's own validation. */
function invalidStatus(request: AdmissionRequest, fields: readonly InvalidField[]): Partial<Status> {
  const { group, kind } = request.kind;
  const name = request.name ?? "";
  const causes = fields.map(({ field, message, value, reason = "Invalid" }) => {
    const shown = value === undefined ? "" : `: ${JSON.stringify(value)}`;
    return { reason: `FieldValue${reason}`, field, message: `${prefixes[reason]}${shown}: ${message}` };
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

/** Calls the function of a validator for the operation, if it has one. */
function callValidator<T extends KubernetesObject>(
  validator: Validator<T>,
  request: AdmissionRequest,
  context: AdmissionContext,
): ReturnType<NonNullable<Validator<T>["validateCreate"]>> {
  switch (request.operation) {
    case "CREATE":
      return validator.validateCreate?.(objectOf(request) as T, context);
    case "UPDATE":
      return validator.validateUpdate?.(objectOf(request) as T, objectOf(request, "oldObject") as T, context);
    case "DELETE":
      return validator.validateDelete?.(objectOf(request, "oldObject") as T, context);
    case "CONNECT":
      return undefined;
  }
}

/** Runs a webhook; an error that it throws becomes a rejection, unless it is a programming error. */
async function decideSafely(
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
    return { allowed: false, status: rejectionStatus(error as Error), warnings };
  }
}

/** The Status of a rejection by an error: an `ApiError` keeps its own, any other becomes Forbidden with its message. */
function rejectionStatus(error: Error): NonNullable<AdmissionAnswer["status"]> {
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

/** Returns the object of a request. Throws an `HttpError` if it has none with metadata. */
function objectOf(request: AdmissionRequest, field: "object" | "oldObject" = "object"): KubernetesObject {
  const object = request[field];
  if (isObject(object?.metadata)) return object;
  const name = field === "object" ? "object" : "old object";
  throw new HttpError(400, `the request holds no ${name} with metadata`);
}

/** Runs a webhook that decides about the request itself. Its object is a copy, so the webhook may change it. */
export function admitRaw<Body extends object>(
  handler: AdmissionWebhook<Body>,
  log: Logger,
): AdmissionHandler {
  return (request, signal) =>
    decideSafely(request, signal, log, async (context) => {
      const copy = { ...request, ...(request.object && { object: structuredClone(request.object) }) };
      const editable = copy as unknown as AdmissionRequest<Body>;
      const decision = (await handler(editable, { ...context, request: editable })) as
        | AdmissionDecision
        | undefined;
      if (decision === undefined) return { allowed: true };
      if (!isObject(decision))
        throw new TypeError(`the webhook returned ${show(decision)}, which is not a decision`);
      return toAnswer(decision, request);
    });
}

const decisionFields: ReadonlySet<string> = new Set<keyof AdmissionDecision>([
  "allowed",
  "status",
  "object",
  "patch",
  "auditAnnotations",
]);

/** Checks the decision of a user's webhook, and converts it. */
function toAnswer(decision: AdmissionDecision, { object }: AdmissionRequest): AdmissionAnswer {
  const { allowed = true, auditAnnotations, patch } = decision;
  // A misspelled `allowed` would admit a request that should be rejected.
  const unknown = Object.keys(decision).find((field) => !decisionFields.has(field));
  if (unknown !== undefined) throw new TypeError(`the decision has an unknown field ${show(unknown)}`);
  if (typeof allowed !== "boolean") throw new TypeError(`allowed is ${show(allowed)}: it must be a boolean`);
  if (!allowed) {
    const status = { status: "Failure", code: 403, reason: "Forbidden", ...decision.status } as const;
    return { allowed, auditAnnotations, status };
  }
  if (patch !== undefined && !isPatch(patch))
    throw new TypeError(`patch is ${show(patch)}: it must be an array of operations`);
  if (patch && decision.object)
    throw new TypeError("the webhook returned an object and a patch: return one of them");
  if (!decision.object) return { allowed, auditAnnotations, patch };
  if (!object) throw new TypeError("the webhook returned an object, but the request has none");
  return { allowed, auditAnnotations, patch: createJSONPatch(object, decision.object) };
}

function isPatch(patch: unknown): boolean {
  return Array.isArray(patch) && patch.every((operation) => isObject(operation) && "op" in operation);
}
