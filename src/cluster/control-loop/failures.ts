import type { Status } from "@tsbuilder/apimachinery/meta";

/** Returns whether another client changed or deleted an object between a read and the write that failed. */
export function isLostRace(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code === 404 || code === 409;
}

/** Tells whether a write failed because its namespace is being deleted: nothing new can come there. */
export function isNamespaceEnding(error: unknown): boolean {
  const causes = statusOf(error)?.details?.causes ?? [];
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** A failure that users have been told of, by an Event or in a status: it is tried again without another word. */
export class ReportedError extends Error {}

/** Waits for work, and gives the failure that it told of, so that the status is written before it is tried again. */
export async function toldFailure(work: Promise<void>): Promise<ReportedError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ReportedError) return error;
    throw error;
  }
}

/** What the server says of a write that it refuses by its rules, such as a quota, a webhook or a schema. */
export function refusalOf(error: unknown): string | undefined {
  const { code = 0, message = "" } = statusOf(error) ?? {};
  return [400, 403, 422].includes(code) && !isNamespaceEnding(error) ? message : undefined;
}

/** What the server answered, where it is the server that failed. */
function statusOf(error: unknown): Status | undefined {
  return error instanceof Error && "status" in error ? (error.status as Status) : undefined;
}
