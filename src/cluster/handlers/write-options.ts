import { type RequestContext, isTrue } from "../http/request-context.ts";
import type { Write } from "../registry/write.ts";
import { StatusError } from "../contract/status-error.ts";
import type { Target } from "./target.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Makes the Write of a create, update or patch from the options in its query. */
export function writeOf(context: RequestContext, target: Target, kind: string): Write {
  const { query } = context;
  const dryRun = readDryRun(query.getAll("dryRun"), kind);
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > 128) {
    throw invalidOption(kind, `fieldManager: Too long: may not be more than 128 bytes`, {
      reason: "FieldValueTooLong",
      message: "Too long: may not be more than 128 bytes",
      field: "fieldManager",
    });
  }
  return {
    now: target.core.clock.now(),
    fieldManager: fieldManager || managerOfAgent(context.request.headers["user-agent"]),
    dryRun,
    options: {
      kind,
      apiVersion: "meta.k8s.io/v1",
      ...(dryRun && { dryRun: ["All"] }),
      ...(fieldManager && { fieldManager }),
      ...(query.get("fieldValidation") && { fieldValidation: query.get("fieldValidation") }),
      ...(query.get("force") && { force: isTrue(query.get("force")) }),
    },
    warn: (message) => void context.warnings.add(message),
    ...target,
  };
}

/** The Write of a deletion, whose options have been read from its body or query. */
export function deletionOf(
  { request, warnings }: RequestContext,
  target: Target,
  { dryRun, options }: Pick<Write, "dryRun" | "options">,
): Write {
  return {
    now: target.core.clock.now(),
    fieldManager: managerOfAgent(request.headers["user-agent"]),
    dryRun,
    options,
    warn: (message) => void warnings.add(message),
    ...target,
  };
}

/** How unknown and duplicate fields are handled. Default: Warn. */
export function fieldValidationOf(query: URLSearchParams, kind: string): FieldValidation {
  const value = query.get("fieldValidation") || "Warn";
  if (value === "Strict" || value === "Warn" || value === "Ignore") return value;
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`;
  throw invalidOption(kind, `fieldValidation: ${message}`, {
    reason: "FieldValueNotSupported",
    message,
    field: "fieldValidation",
  });
}

export function readDryRun(values: readonly string[], kind: string): boolean {
  if (values.length === 0) return false;
  if (values.every((value) => value === "All")) return true;
  const message = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  throw invalidOption(kind, `dryRun: ${message}`, {
    reason: "FieldValueNotSupported",
    message,
    field: "dryRun",
  });
}

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** Only server-side apply may take fields from other managers. */
export function refuseForce(query: URLSearchParams): void {
  if (!query.has("force")) return;
  const message = "Forbidden: may not be specified for non-apply patch";
  throw invalidOption("PatchOptions", `force: ${message}`, {
    reason: "FieldValueForbidden",
    message,
    field: "force",
  });
}

function invalidOption(kind: string, message: string, cause: Cause): StatusError {
  return new StatusError(422, "Invalid", `${kind}.meta.k8s.io "" is invalid: ${message}`, {
    group: "meta.k8s.io",
    kind,
    causes: [cause],
  });
}

/** The default field manager: the program's name in the user agent. */
function managerOfAgent(agent: string | undefined): string {
  const name = (agent ?? "").split("/")[0]!.replace(/[^\x20-\x7e]/g, "");
  return (name || "unknown").slice(0, 128);
}
