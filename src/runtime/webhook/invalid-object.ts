import type { Status } from "@tsbuilder/apimachinery/meta";
import type { AdmissionRequest, InvalidField } from "./webhooks.ts";

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
export function invalidObject(request: AdmissionRequest, fields: readonly InvalidField[]): Partial<Status> {
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
