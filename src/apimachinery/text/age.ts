/** Formats the time since a timestamp as `kubectl get` does, in one or two units. */
export function formatAge(timestamp: string, now: number): string {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : formatSpan(Math.floor((now - then) / 1000));
}

/** Formats a number of seconds in the same way: `45s`, `3m20s`, `5h`, `2d3h`, `400d`, `2y30d`. */
export function formatSpan(seconds: number): string {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const years = Math.floor(days / 365);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return formatUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return formatUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return formatUnits(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  return years < 8 ? formatUnits(years, "y", days % 365, "d") : `${years}y`;
}

function formatUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Formats the age for a timestamp that may be missing. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  return timestamp ? formatAge(timestamp, now) : "<unknown>";
}
