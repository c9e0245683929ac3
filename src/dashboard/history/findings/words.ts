/** `a, b, c and 2 more`. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= 1) return items.join("");
  if (items.length > most) return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** `once`, `twice`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

/** `120 ms`, `4.2 s`, `3 min`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** A value on one line, if it is short. */
export function shortValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return shortened(text, 40);
}

/** The first line of a text, and not too much of it. */
export function shortened(text: string, most: number): string {
  const [line = ""] = text.split("\n");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
