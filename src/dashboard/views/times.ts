/** The time of day, in UTC and with milliseconds, as `tsbuilder replay` tells it. */
export function timeOfDay(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : "";
}

/** Bytes in megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes < 100 * 1024 * 1024 ? 1 : 0)} MB`;
}

/** A duration in its most readable unit. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}
