/**
 * JSON with a line for each value at a depth, such as each answer of each story: a change of one is a line of a diff, and
 * what is deeper stands in that line.
 */
export function formatLines(value: unknown, depth: number): string {
  return `${format(value, depth, "")}\n`;
}

function format(value: unknown, depth: number, indent: string): string {
  if (depth === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent} `;
  const members = Array.isArray(value)
    ? value.map((item) => format(item, depth - 1, deeper))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}: ${format(member, depth - 1, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${members.map((member) => deeper + member).join(",\n")}\n${indent}${close}`;
}
