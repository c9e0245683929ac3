import type { Status } from "@tsbuilder/apimachinery/meta";

/** Returns true if a write failed because another client had changed or deleted the object since it was read. */
export function isLostRace(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code === 404 || code === 409;
}

/** Returns true if a write failed because its namespace is being deleted and accepts no new objects. */
export function isNamespaceEnding(error: unknown): boolean {
  const causes = statusOf(error)?.details?.causes ?? [];
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** A failure that is already reported in an Event or a status: the key is retried without calling onError. */
export class ReportedError extends Error {}

/** Awaits work and returns its ReportedError, for the caller to throw once the status is written; else undefined. */
export async function reportedFailure(work: Promise<void>): Promise<ReportedError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ReportedError) return error;
    throw error;
  }
}

/** The message of a write that was rejected, as by a quota, a webhook or a schema; undefined for any other failure. */
export function refusalOf(error: unknown): string | undefined {
  const { code = 0, message = "" } = statusOf(error) ?? {};
  return [400, 403, 422].includes(code) && !isNamespaceEnding(error) ? message : undefined;
}

function statusOf(error: unknown): Status | undefined {
  return error instanceof Error && "status" in error ? (error.status as Status) : undefined;
}
