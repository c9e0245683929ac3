import { type FieldError, formatFieldError } from "@tsbuilder/apimachinery/errors";
import type { Status, StatusCause, StatusDetails } from "@tsbuilder/apimachinery/meta";

/** An error that is returned to the client as a Status; any other error is a bug and answered with 500. */
export class StatusError extends Error {
  readonly status: Status;
  /** Extra response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: StatusDetails,
    headers: Record<string, string> = {},
  ) {
    const { stackTraceLimit } = Error;
    // Nobody reads the stack of an answer, and to capture one takes longer than the rest of a 404.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "StatusError";
    this.headers = headers;
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason !== undefined && { reason }),
      ...(details && { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code!;
  }

  get reason(): string | undefined {
    return this.status.reason;
  }
}

/** The resource that a Status is about. Most Statuses name its plural as their `kind`; Invalid names the Kind. */
export interface StatusSubject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** The name of a resource in messages: `deployments.apps`, `pods`. */
export function qualifiedName({ group, plural }: { group: string; plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function notFound(subject: StatusSubject, name: string): StatusError {
  return new StatusError(
    404,
    "NotFound",
    `${quoteObject(subject, name)} not found`,
    detailsOf(subject, name),
  );
}

/** The error for a name that is taken. If the name was generated, the client can try again. */
export function alreadyExists(
  subject: StatusSubject,
  name: string,
  { isGenerated, isDeleting }: { isGenerated: boolean; isDeleting: boolean },
): StatusError {
  const prefix = isDeleting ? "object is being deleted: " : "";
  const suffix = isGenerated ? ", the server was not able to generate a unique name for the object" : "";
  const message = `${prefix}${quoteObject(subject, name)} already exists${suffix}`;
  return new StatusError(409, "AlreadyExists", message, {
    ...detailsOf(subject, name),
    ...(isGenerated && { retryAfterSeconds: 1 }),
  });
}

const staleMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

/** The error for a write that another has overtaken, or, with a reason, one that the object's state forbids. */
export function conflict(subject: StatusSubject, name: string, why: string = staleMessage): StatusError {
  const message = `Operation cannot be fulfilled on ${quoteObject(subject, name)}: ${why}`;
  return new StatusError(409, "Conflict", message, detailsOf(subject, name));
}

/** The error for invalid fields of an object. Several are listed in brackets, without repetitions. */
export function invalidObject(
  subject: StatusSubject,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const details: StatusDetails = {
    ...(name !== "" && { name }),
    ...(subject.group !== "" && { group: subject.group }),
    ...(subject.kind !== "" && { kind: subject.kind }),
    causes: errors.map(({ reason, body: message, field }) => ({ reason, message, field })),
  };
  const kind = subject.group === "" ? subject.kind : `${subject.kind}.${subject.group}`;
  const body = listed([...new Set(errors.map(formatFieldError))]);
  return new StatusError(422, "Invalid", `${kind} ${quote(name)} is invalid: ${body}`, details);
}

/** Several problems as Go prints an aggregate: in brackets. */
export function listed(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
}

/** The error for invalid options of a request, such as CreateOptions. */
export function invalidOptions(kind: string, ...errors: readonly FieldError[]): StatusError {
  return invalidObject({ group: "meta.k8s.io", plural: "", kind }, "", errors);
}

/** The error for a request that authorization or admission denies. */
export function forbidden(
  subject: StatusSubject,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError {
  const object = name === "" ? qualifiedName(subject) : quoteObject(subject, name);
  return new StatusError(403, "Forbidden", `${object} is forbidden: ${why}`, {
    ...detailsOf(subject, name),
    ...(causes && { causes }),
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** The error for an object without a name, whose path has one. */
export function nameMissing(name: string): StatusError {
  const why = "was undeterminable: name must be provided";
  return badRequest(`the name of the object (${name} based on URL) ${why}`);
}

export function unauthorized(): StatusError {
  return new StatusError(401, "Unauthorized", "Unauthorized");
}

/** The router's error for a method that an existing path does not support. */
export function methodNotAllowed(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError(405, "MethodNotAllowed", message, {});
}

/** The error of a custom resource's endpoint for a verb that it does not support. */
export function methodNotSupported(subject: StatusSubject, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${quote(qualifiedName(subject))}`;
  return new StatusError(405, "MethodNotAllowed", message, detailsOf(subject, ""));
}

export function resourceNotServed(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

export function notAcceptable(mediaTypes: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${mediaTypes.join(", ")}`;
  return new StatusError(406, "NotAcceptable", message);
}

export function unsupportedMediaType(mediaTypes: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(", ")}`;
  return new StatusError(415, "UnsupportedMediaType", message);
}

export function tooLarge(limit: number): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

/** The error for a revision that is no longer in the history: the client must list again. */
export function expired(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}

/** Names an object in messages: `pods "web"`. */
function quoteObject(subject: StatusSubject, name: string): string {
  return `${qualifiedName(subject)} ${quote(name)}`;
}

function detailsOf({ group, plural }: StatusSubject, name: string): StatusDetails {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), kind: plural };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
